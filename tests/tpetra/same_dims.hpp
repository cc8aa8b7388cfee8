#pragma once

#include <tridap/dimension.hpp>

#include <array>
#include <string>
#include <vector>

/// Field-by-field comparison of what two processes say of each axis, indices by value; absent and default are the same.
namespace tpetra_test {

inline std::string differs(const tridap::Dimension& a, const tridap::Dimension& b) {
  if (a.dist_type() != b.dist_type()) return std::string("dist_type ") + a.dist_type() + " and " + b.dist_type();
  if (a.size != b.size) return "size " + std::to_string(a.size) + " and " + std::to_string(b.size);
  if (a.proc_grid_size != b.proc_grid_size || a.proc_grid_rank != b.proc_grid_rank) return "grid";
  if (a.periodic != b.periodic) return "periodic";
  if (a.dist_type() == 'b') {
    const auto &x = std::get<tridap::Block>(a.dist), &y = std::get<tridap::Block>(b.dist);
    if (x.start != y.start || x.stop != y.stop)
      return "block [" + std::to_string(x.start) + ", " + std::to_string(x.stop) + ") and [" + std::to_string(y.start) +
             ", " + std::to_string(y.stop) + ")";
    const std::array<tridap::Index, 2> none{0, 0};
    return x.padding.value_or(none) == y.padding.value_or(none) ? "" : "padding";
  }
  if (a.dist_type() == 'c') {
    const auto &x = std::get<tridap::Cyclic>(a.dist), &y = std::get<tridap::Cyclic>(b.dist);
    if (x.block_size != y.block_size) return "block_size";
    return x.start == y.start ? "" : "start " + std::to_string(x.start) + " and " + std::to_string(y.start);
  }
  const auto &x = std::get<tridap::Unstructured>(a.dist), &y = std::get<tridap::Unstructured>(b.dist);
  if (x.one_to_one != y.one_to_one) return "one_to_one";
  return tridap::read_indices(x.indices) == tridap::read_indices(y.indices) ? "" : "indices";
}

/// Empty where both say the same, else what differs.
inline std::string differs(const std::vector<tridap::Dimension>& a, const std::vector<tridap::Dimension>& b) {
  if (a.size() != b.size()) return "axes";
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const std::string found = differs(a[i], b[i]); !found.empty())
      return "axis " + std::to_string(i) + ": " + found;
  return "";
}

}  // namespace tpetra_test
