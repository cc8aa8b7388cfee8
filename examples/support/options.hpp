#pragma once

#include <mpi.h>

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace examples {

/// An option of a command line, and where its value goes; what stands there already is the default.
struct Option {
  std::string name;                        ///< "--steps"
  std::string says;                        ///< what it is, for --help
  std::variant<int*, std::string*> value;  ///< numbers are positive
};

/// Reads a command line of `options` and --progress, which every example takes and `progress` is told; false where all
/// is said already: `status` is then what to exit with. Writes help to standard output, and a wrong option as one line
/// to standard error, on the process that `speaks` alone.
bool read_options(int argc, char** argv, const std::string& what, const std::vector<Option>& options, bool& progress,
                  bool speaks, int& status);

/// What the command line of the terrain job says.
struct Options {
  std::string elevation;  ///< an ESRI ASCII grid
  int steps = 1;
  double dt = 1e6;                         ///< years
  double diffusivity = 0.01;               ///< m2/year
  std::optional<std::array<int, 2>> grid;  ///< processes down and across; absent: as MPI_Dims_create has it
  std::string output = "solve_in_place.png";
  bool progress = false;  ///< a line for each step, for a terminal
  std::string save;       ///< the final field as an ESRI ASCII grid; empty: not saved
};

/// The same for the terrain job.
std::optional<Options> read_options(int argc, char** argv, bool speaks, int& status);

struct GridPlace {
  int rows = 1, cols = 1;  ///< processes down and across
  int row = 0, col = 0;    ///< our place among them
};

/// The process grid and our place in it, row-major. Throws tridap::Error on every process where the grid that was asked
/// for does not multiply to the number of processes.
GridPlace process_grid(const Options& options, MPI_Comm comm);

}  // namespace examples
