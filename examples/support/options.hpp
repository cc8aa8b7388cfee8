#pragma once

#include <mpi.h>

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace examples {

/// An option of a command line, and the variable that receives its value. The variable's initial value is the default.
struct Option {
  std::string name;                        ///< "--steps"
  std::string help;                        ///< its help text
  std::variant<int*, std::string*> value;  ///< numbers are positive
};

/// Reads a command line with `options` and --progress, which every example has and which sets `progress`. Returns false
/// if the program ends here (after --help or a wrong option); `status` is then the exit status. If `speaks`, the
/// process prints help to standard output, and a wrong option as one line to standard error.
bool read_options(int argc, char** argv, const std::string& what, const std::vector<Option>& options, bool& progress,
                  bool speaks, int& status);

/// The options of the terrain job.
struct Options {
  std::string elevation;  ///< an ESRI ASCII grid
  int steps = 1;
  double dt = 1e6;                         ///< years
  double diffusivity = 0.01;               ///< m2/year
  std::optional<std::array<int, 2>> grid;  ///< processes down and across; absent: chosen by MPI_Dims_create
  std::string output = "solve_in_place.png";
  bool progress = false;  ///< a line for each step, for a terminal
  std::string save;       ///< the final field as an ESRI ASCII grid; empty: not saved
};

/// Reads the command line of the terrain job in the same way.
std::optional<Options> read_options(int argc, char** argv, bool speaks, int& status);

struct GridPlace {
  int rows = 1, cols = 1;  ///< processes down and across
  int row = 0, col = 0;    ///< this process's coordinates
};

/// The process grid and this process's coordinates, row-major. Throws tridap::Error on every process if the extents of
/// the given grid do not multiply to the number of processes.
GridPlace process_grid(const Options& options, MPI_Comm comm);

}  // namespace examples
