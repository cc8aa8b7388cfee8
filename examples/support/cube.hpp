#pragma once

#include <tridap/index.hpp>
#include <tridap/redistribute/plan.hpp>

#include <ga.h>

#include <array>
#include <functional>
#include <vector>

namespace examples {

/// Of a place in a cube, by its global indices.
using CubeValue = std::function<double(tridap::Index i, tridap::Index j, tridap::Index k)>;

/// A cube of doubles as a chemistry code makes it: by NGA_Create64, dealt as that pleases in blocks of at
/// least `chunk` points along each axis. Returns its handle. **Collective** over Global Arrays' processes.
int make_cube(const char* name, tridap::Index points, tridap::Index chunk);

/// Sets each element of a cube, on the process that holds it, through NGA_Access64. **Collective** likewise.
void fill_cube(int handle, const CubeValue& value);

/// Where this process's part of a cube stands, as NGA_Access64 has it; null: it has none.
const double* cube_part(int handle);

/// A part of a cube, row-major.
struct CubeValues {
  std::array<tridap::Index, 3> low{}, high{};  ///< half-open, global
  std::vector<double> values;
};

/// A part of a cube that any process holds, brought here by NGA_Get64.
CubeValues get_part(int handle, const tridap::redistribute::PlacedDistribution& placed, tridap::Index process);

}  // namespace examples
