#pragma once

#include <tridap/index.hpp>
#include <tridap/redistribute/plan.hpp>

#include <ga.h>

#include <array>
#include <functional>
#include <vector>

namespace examples {

/// The value at a point of a cube, given its global indices.
using CubeValue = std::function<double(tridap::Index i, tridap::Index j, tridap::Index k)>;

/// Makes a cube of doubles as a chemistry code does: NGA_Create64 chooses the distribution, in blocks of at least
/// `chunk` points along each axis. Returns its handle. **Collective** over Global Arrays' processes.
int make_cube(const char* name, tridap::Index points, tridap::Index chunk);

/// Sets each element of a cube, on the process that holds it, through NGA_Access64. **Collective** likewise.
void fill_cube(int handle, const CubeValue& value);

/// The address of this process's part of a cube, from NGA_Access64; null if the process has no part.
const double* cube_part(int handle);

/// A part of a cube, row-major.
struct CubeValues {
  std::array<tridap::Index, 3> low{}, high{};  ///< half-open, global
  std::vector<double> values;
};

/// Gets the part of a cube on any process by NGA_Get64.
CubeValues get_part(int handle, const tridap::redistribute::PlacedDistribution& placed, tridap::Index process);

}  // namespace examples
