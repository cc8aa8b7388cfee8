#pragma once

#include "support/ascii_grid.hpp"
#include <dap/dist_array.hpp>
#include <dap/tpetra.hpp>

#include <string>
#include <vector>

namespace examples {

/// Reads this process's block of a grid into a row-major block x block array. Local; throws as read_window().
void read_block(const std::string& path, const GridHeader& grid, dap::DistArray& array);

/// The whole field, row-major, on process 0; empty elsewhere. **Collective.**
std::vector<double> gather_field(const dap::DistArray& array, const dap::tpetra::Layout& layout);

}  // namespace examples
