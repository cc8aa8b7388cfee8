#include "support/arrays.hpp"

#include <tridap/kokkos/axis_view.hpp>

#include <algorithm>

namespace examples {

tridap::DistArray make_array(const tridap::Distribution& distribution, tridap::Index process) {
  tridap::DistArray array;
  array.buffer = tridap::allocate(tridap::element_type<double>(), distribution.local_shape(process));
  array.dim_data = distribution.dim_data(process);
  return array;
}

void fill(const tridap::DistArray& array, const std::function<double(double, double)>& value) {
  const auto values = tridap::kokkos::view<double**>(array);
  const auto rows = tridap::kokkos::axis_view(array, 0), cols = tridap::kokkos::axis_view(array, 1);
  for (tridap::Index i = 0; i < rows.extent(); ++i)
    for (tridap::Index j = 0; j < cols.extent(); ++j)
      values(i, j) = value(static_cast<double>(rows(i)), static_cast<double>(cols(j)));
}

namespace {

// The elements after column `j` of a column-major array: the first one and their number.
std::pair<double*, tridap::Index> gap_after(const tridap::DistArray& columns, tridap::Index j) {
  const tridap::Index rows = columns.buffer.shape[0], step = columns.buffer.strides[1] / columns.buffer.type.bytes;
  return {static_cast<double*>(columns.buffer.data) + j * step + rows, step - rows};
}

}  // namespace

tridap::DistArray make_columns(const tridap::Distribution& distribution, tridap::Index process, tridap::Index gap,
                               double filler) {
  const std::vector<tridap::Index> shape = distribution.local_shape(process);
  tridap::DistArray array;
  array.buffer = tridap::allocate(tridap::element_type<double>(), {shape[1], shape[0] + gap});
  std::swap(array.buffer.strides[0], array.buffer.strides[1]);
  array.buffer.shape = shape;
  array.dim_data = distribution.dim_data(process);
  for (tridap::Index j = 0; j < shape[1]; ++j) {
    const auto [begin, length] = gap_after(array, j);
    std::fill_n(begin, length, filler);
  }
  return array;
}

bool gaps_hold(const tridap::DistArray& columns, double filler) {
  for (tridap::Index j = 0; j < columns.buffer.shape[1]; ++j) {
    const auto [begin, length] = gap_after(columns, j);
    if (std::count(begin, begin + length, filler) != length) return false;
  }
  return true;
}

}  // namespace examples
