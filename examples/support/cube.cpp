#include "support/cube.hpp"

#include <tridap/report.hpp>

#include <string>

namespace examples {

namespace {

// This process's part, by NGA_Distribution64 and NGA_Access64.
struct Here {
  std::array<std::int64_t, 3> low{}, last{};  // inclusive
  std::array<std::int64_t, 2> leading{};
  double* data = nullptr;

  explicit Here(int handle) {
    NGA_Distribution64(handle, GA_Nodeid(), low.data(), last.data());
    if (low[0] < 0) return;  // it has no part
    void* begin = nullptr;
    NGA_Access64(handle, low.data(), last.data(), &begin, leading.data());
    data = static_cast<double*>(begin);
  }
};

}  // namespace

int make_cube(const char* name, tridap::Index points, tridap::Index chunk) {
  std::int64_t shape[] = {points, points, points}, chunks[] = {chunk, chunk, chunk};
  std::string label = name;
  return NGA_Create64(C_DBL, 3, shape, label.data(), chunks);
}

void fill_cube(int handle, const CubeValue& value) {
  const Here here(handle);
  if (here.data != nullptr) {
    for (tridap::Index i = here.low[0]; i <= here.last[0]; ++i)
      for (tridap::Index j = here.low[1]; j <= here.last[1]; ++j)
        for (tridap::Index k = here.low[2]; k <= here.last[2]; ++k)
          here.data[((i - here.low[0]) * here.leading[0] + j - here.low[1]) * here.leading[1] + k - here.low[2]] =
              value(i, j, k);
    auto low = here.low, last = here.last;
    NGA_Release_update64(handle, low.data(), last.data());
  }
  GA_Sync();
}

const double* cube_part(int handle) { return Here(handle).data; }

CubeValues get_part(int handle, const tridap::redistribute::PlacedDistribution& placed, tridap::Index process) {
  CubeValues part;
  const auto owned = placed.distribution().part(process, tridap::Part::owned);
  std::array<std::int64_t, 3> last{};
  std::array<std::int64_t, 2> leading{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    part.low[axis] = placed.distribution().global_index(process, {0, 0, 0})[axis];
    part.high[axis] = part.low[axis] + owned[axis].end - owned[axis].begin;
    last[axis] = part.high[axis] - 1;
    if (axis > 0) leading[axis - 1] = part.high[axis] - part.low[axis];
  }
  part.values.resize(static_cast<std::size_t>(placed.distribution().count(process)));
  auto low = part.low;
  NGA_Get64(handle, low.data(), last.data(), part.values.data(), leading.data());
  return part;
}

}  // namespace examples
