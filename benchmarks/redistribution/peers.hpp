#pragma once

#include "redistribution/contest.hpp"

#include <limits>

namespace bench {

/// Another library's method of moving an array.
struct Peer {
  std::string option;  ///< its name on the command line
  std::string name;
  /// Our bound on the ratio; infinite: no bound.
  double bound = std::numeric_limits<double>::infinity();
  std::string missing;  ///< why this build does not have it; empty: this build has it

  /// Starts its library; the library ends when the result is destroyed. Null: there is nothing to start.
  std::shared_ptr<void> (*start)(int& argc, char**& argv) = nullptr;
  /// Null if the library cannot do the case. **Collective.**
  std::unique_ptr<Competitor> (*make)(Problem& problem) = nullptr;
};

std::vector<Peer> peers();

std::unique_ptr<Competitor> make_alltoallw(Problem& problem);
std::unique_ptr<Competitor> make_alltoallv(Problem& problem);
std::unique_ptr<Competitor> make_scalapack(Problem& problem);
std::shared_ptr<void> start_tpetra(int& argc, char**& argv);
std::unique_ptr<Competitor> make_tpetra(Problem& problem);
/// Seconds that the last Tpetra::Import took to build, on the slowest process; 0: none was built.
double tpetra_import_seconds();
std::shared_ptr<void> start_globalarrays(int& argc, char**& argv);
std::unique_ptr<Competitor> make_globalarrays(Problem& problem);

}  // namespace bench
