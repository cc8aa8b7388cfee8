#pragma once

#include "support/ascii_grid.hpp"
#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

#include <mpi.h>

#include <cstdint>
#include <string>

namespace examples {

/// A field on this process, row-major, with the padding of `distribution`, which has two block axes.
tridap::DistArray empty_field(const tridap::Distribution& distribution, Index process);

/// Reads this process's part of a grid, padding included. Local. Throws like read_window().
void read_part(const std::string& path, const GridHeader& grid, const tridap::Distribution& distribution, Index process,
               const tridap::DistArray& field);

/// One explicit step of diffusion, without flux through the edges: each owned cell of `next` gets the sum of its own
/// value and of ky or kx times the difference to each neighbour, always in the same order. So its bits depend on no
/// number of processes. `now` has padding 1, which is filled. It is stable for ky + kx <= 1/2. Local.
void diffuse(const tridap::DistArray& now, const tridap::DistArray& next, const tridap::Distribution& distribution,
             Index process, double ky, double kx);

/// A number of the bits of all cells and of their places. It is the same for each distribution of the same field, and
/// almost always another one for another field. **Collective.**
std::uint64_t all_bits(const tridap::DistArray& field, const tridap::Distribution& distribution, MPI_Comm comm);

/// The attribute `step` of an HDF5 file; 0 if it has none. Local.
Index step_in(const std::string& path);

}  // namespace examples
