#pragma once

#include "support/ascii_grid.hpp"
#include "support/claims.hpp"
#include "support/options.hpp"
#include <tridap/receipt.hpp>
#include <tridap/solvers/solve.hpp>
#include <tridap/tpetra.hpp>

#include <vector>

namespace examples {

/// Records the steps of a terrain job, prints a summary, and checks its claims. Every call is **collective**.
class Proof {
 public:
  Proof(const Options& options, const GridHeader& grid, const tridap::tpetra::ArrayMap& layout,
        const tridap::DistArray& first);

  /// Records one step: the receipts of its conversions, and whether `result` has the address of `expected`.
  void add_step(int step, const tridap::solvers::Solution& solution, const std::vector<tridap::Receipt>& receipts,
                const tridap::DistArray& expected, const tridap::DistArray& result);

  /// Prints the summary, writes the picture, and throws tridap::Error on every process if a claim does not hold.
  void conclude(const tridap::DistArray& last);

 private:
  struct Mass {
    double sum = 0, scale = 0;  // of the values, and of their sizes, over all cells
  };
  Mass mass(const tridap::DistArray& array) const;

  const Options& options_;
  const GridHeader& grid_;
  const tridap::tpetra::ArrayMap& layout_;
  std::vector<double> before_;  // the first field, on process 0
  double first_mass_ = 0, last_mass_ = 0, worst_drift_ = 0, worst_residual_ = 0;
  int iterations_ = 0;
  Claims claims_;
};

}  // namespace examples
