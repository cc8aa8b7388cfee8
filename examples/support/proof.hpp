#pragma once

#include "support/ascii_grid.hpp"
#include "support/claims.hpp"
#include "support/options.hpp"
#include "support/solver.hpp"
#include <tridap/receipt.hpp>
#include <tridap/tpetra.hpp>

#include <vector>

namespace examples {

/// Watches a terrain job, tells what happened, and refuses what must not be. Every call is **collective**.
class Proof {
 public:
  Proof(const Options& options, const GridHeader& grid, const tridap::tpetra::ArrayMap& layout,
        const tridap::DistArray& first);

  /// One step: what the conversions' receipts say, and whether `result` stands at the address of `expected`.
  void add_step(int step, const Solution& solution, const std::vector<tridap::Receipt>& receipts,
                const tridap::DistArray& expected, const tridap::DistArray& result);

  /// Prints the summary, writes the picture, and throws tridap::Error on every process where something does not hold.
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
