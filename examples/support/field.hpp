#pragma once

#include "support/ascii_grid.hpp"
#include "support/claims.hpp"
#include "support/hillshade_png.hpp"
#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

#include <mpi.h>

#include <string>
#include <vector>

namespace examples {

/// Reads this process's block of a grid into a row-major block x block array. Local. Throws like read_window().
void read_block(const std::string& path, const GridHeader& grid, tridap::DistArray& array);

/// Gathers the whole field, row-major, on process 0; returns an empty vector on the others. Rank `r` of `comm` is
/// process `r` of `distribution`. **Collective.**
std::vector<double> gather_field(const tridap::DistArray& array, const tridap::Distribution& distribution,
                                 MPI_Comm comm);

/// Calls write_before_after() on process 0, which has the fields, and prints the name of the picture. The lines are
/// between the blocks of `distribution`, which has two block axes. **Collective**: throws the same tridap::Error on
/// every process.
void draw_before_after(const Claims& claims, const std::string& path, const tridap::Distribution& distribution,
                       double dx, double dy, const std::vector<double>& before, const std::vector<double>& after,
                       Colors colors = Colors::terrain);

}  // namespace examples
