#pragma once

#include "mpi/support.hpp"
#include "support/expect_dimension.hpp"
#include <tridap/check.hpp>
#include <tridap/compare.hpp>
#include <tridap/infer/infer_dim_data.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

/// GlobalIds written out element by element, and what must be inferred from them.
namespace given {

using oracle::List;
using tridap::Dimension;
using tridap::Index;
using tridap::Part;
using Random = std::mt19937;

inline int our_rank() { return on::rank(MPI_COMM_WORLD); }
inline int all_processes() { return on::processes(MPI_COMM_WORLD); }

inline Index pick(Random& random, Index below) {
  return static_cast<Index>(random() % static_cast<std::uint32_t>(below));
}

/// How a process's memory runs through its part.
struct Walking {
  std::vector<Index> axes;  // outermost first
  std::vector<bool> backwards;
};

inline Walking some_walking(std::size_t ndim, Random& random, bool may_run_backwards = true) {
  Walking walking;
  for (std::size_t k = 0; k < ndim; ++k) {
    walking.axes.push_back(static_cast<Index>(k));
    walking.backwards.push_back(may_run_backwards && pick(random, 3) == 0);
  }
  std::shuffle(walking.axes.begin(), walking.axes.end(), random);
  return walking;
}

/// Where the element at `local` stands in memory.
inline std::size_t position(const List& local, const List& shape, const Walking& walking) {
  Index at = 0;
  for (const Index axis : walking.axes) {
    const auto k = static_cast<std::size_t>(axis);
    at = at * shape[k] + (walking.backwards[k] ? shape[k] - 1 - local[k] : local[k]);
  }
  return static_cast<std::size_t>(at);
}

/// An array, with the indices of every axis counted from 0: `extent` is their span.
struct Array {
  oracle::Array truth;
  List extent;

  explicit Array(std::vector<oracle::Axis> axes) : truth(std::move(axes)) {
    for (oracle::Axis& axis : truth.axes) extent.push_back(begin_at_zero(axis));
  }

  /// The flat number of a global index, and an id when the base is added.
  Index number(const List& global, tridap::Order order) const {
    Index number = 0;
    for (std::size_t i = 0; i < extent.size(); ++i) {
      const std::size_t k = order == tridap::Order::row_major ? i : extent.size() - 1 - i;
      number = number * extent[k] + global[k];
    }
    return number;
  }

  /// What process `rank` holds, padding included, in the order of its memory.
  List ids(Index rank, const Walking& walking, const tridap::infer::InferenceHints& how) const {
    const auto elements = truth.elements(rank, Part::local);
    List ids(elements.size());
    for (const auto& [local, global] : elements)
      ids[position(local, truth.local_shape(rank), walking)] = how.base + number(global, how.numbering);
    return ids;
  }

  bool has_elements() const {
    return std::all_of(truth.axes.begin(), truth.axes.end(), [](const oracle::Axis& axis) {
      return std::any_of(axis.held.begin(), axis.held.end(), [](const List& held) { return !held.empty(); });
    });
  }
  bool has_empty_share() const {
    return std::any_of(truth.axes.begin(), truth.axes.end(), [](const oracle::Axis& axis) {
      return std::any_of(axis.held.begin(), axis.held.end(), [](const List& held) { return held.empty(); });
    });
  }
  /// True where two coordinates of an axis hold the same, so that the processes may be several grids.
  bool repeats_share() const {
    return std::any_of(truth.axes.begin(), truth.axes.end(), [](const oracle::Axis& axis) {
      return std::set<List>(axis.held.begin(), axis.held.end()).size() < axis.held.size();
    });
  }

 private:
  static Index begin_at_zero(oracle::Axis& axis) {
    if (axis.dims[0].dist_type() != 'u') return axis.size();
    List all;
    for (const List& held : axis.held) all.insert(all.end(), held.begin(), held.end());
    if (all.empty()) return 0;
    const auto [least, most] = std::minmax_element(all.begin(), all.end());
    const Index lowest = *least, span = *most - lowest + 1;
    std::vector<List> lists = axis.held;
    for (List& list : lists)
      for (Index& index : list) index -= lowest;
    axis = oracle::unstructured(lists, std::get<tridap::Unstructured>(axis.dims[0].dist).one_to_one);
    return span;
  }
};

/// The dictionary of coordinate `c` in the simplest spelling that a list of ids can have: boundary padding and
/// periodicity cannot be seen, and whether indices are shared can.
inline Dimension simplest(const oracle::Axis& axis, Index extent, Index c) {
  std::vector<Dimension> dims = axis.dims;
  bool padded = false;
  Index sum = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    dims[i].periodic = false;
    sum += static_cast<Index>(axis.held[i].size());
    if (auto* block = std::get_if<tridap::Block>(&dims[i].dist); block != nullptr && block->padding) {
      if (i == 0) (*block->padding)[0] = 0;
      if (i + 1 == dims.size()) (*block->padding)[1] = 0;
      padded = padded || (*block->padding)[0] > 0 || (*block->padding)[1] > 0;
    }
  }
  for (Dimension& d : dims)
    if (auto* block = std::get_if<tridap::Block>(&d.dist); block != nullptr && !padded) block->padding.reset();
  const tridap::Axis checked(dims);
  if (dims[0].dist_type() == 'u') {
    const tridap::Axis simple = sum == extent ? tridap::simplest(checked) : checked;
    Dimension d = simple.dimension(c);
    if (auto* list = std::get_if<tridap::Unstructured>(&d.dist)) list->one_to_one = !checked.shares_indices();
    return d;
  }
  return tridap::simplest(checked).dimension(c);
}

inline tridap::GlobalIds listed(const List& ids) {
  static const Index none = 0;
  return {static_cast<Index>(ids.size()), ids.empty() ? &none : ids.data(), 0};
}

/// The array that inferred dim_data describe; every rule of the protocol holds for it, without a warning.
inline tridap::Distribution gathered(const tridap::infer::InferredDimData& inferred, Index count, MPI_Comm comm) {
  tridap::DistArray array;
  array.dim_data = inferred.dim_data;
  array.buffer.type = tridap::element_type<double>();
  array.buffer.memory.kind = tridap::Memory::Kind::nowhere;
  tridap::Report ignored;
  for (std::size_t k = 0; k < array.dim_data.size(); ++k)
    array.buffer.shape.push_back(
        tridap::check_dimension(array.dim_data[k], static_cast<Index>(k), ignored).value_or(-1));
  array.buffer.strides = tridap::row_major_strides(array.buffer.shape, 8);
  EXPECT_EQ(tridap::element_count(array.buffer), count);
  EXPECT_EQ(tridap::check(array).text(), "");
  return tridap::mpi::gather_distribution(array, comm);
}

/// Each id stands where the inferred array says that it does, and `one_to_one` is said exactly where it is so.
inline tridap::Distribution expect_true(const tridap::infer::InferredDimData& inferred, const List& ids,
                                        const tridap::infer::InferenceHints& how, MPI_Comm comm) {
  const tridap::Distribution d = gathered(inferred, static_cast<Index>(ids.size()), comm);
  const Index rank = on::rank(comm);
  const List shape = d.local_shape(rank);
  EXPECT_EQ(inferred.order.data, nullptr);
  EXPECT_EQ(inferred.order.axes.size(), shape.size());
  EXPECT_EQ(inferred.order.reversed.size(), shape.size());
  const Walking walking{inferred.order.axes, inferred.order.reversed};
  oracle::for_each_index(shape, [&](const List& local) {
    const List global = d.global_index(rank, local);
    Index number = 0;
    for (std::size_t i = 0; i < global.size(); ++i) {
      const std::size_t k = how.numbering == tridap::Order::row_major ? i : global.size() - 1 - i;
      number = number * (how.shape ? (*how.shape)[k] : 1) + global[k];
    }
    EXPECT_EQ(ids[position(local, shape, walking)], how.base + number);
  });
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (const auto* list = std::get_if<tridap::Unstructured>(&inferred.dim_data[k].dist)) {
      EXPECT_EQ(list->one_to_one, !d.axis(static_cast<Index>(k)).shares_indices());
    }
  return d;
}

/// Infers from ids what every process holds of an array, and compares it with the array.
inline void expect_inferred(const Array& array, const Walking& walking, const tridap::infer::InferenceHints& how,
                            MPI_Comm comm) {
  const Index rank = on::rank(comm);
  const List ids = array.ids(rank, walking, how);
  const tridap::infer::InferredDimData inferred = tridap::infer::infer_dim_data(listed(ids), comm, how);
  const tridap::Distribution d = expect_true(inferred, ids, how, comm);
  if (!array.has_elements() || (!how.grid && array.repeats_share())) return;  // nothing says how it was distributed

  std::vector<tridap::Axis> plain;  // as can be seen: without periodicity and boundary padding
  bool turned = false;
  for (std::size_t k = 0; k < array.extent.size(); ++k) {
    std::vector<Dimension> dims;
    for (Index c = 0; c < array.truth.axes[k].grid(); ++c)
      dims.push_back(simplest(array.truth.axes[k], array.extent[k], c));
    turned = turned || dims[0].dist_type() == 'u';
    plain.emplace_back(dims);
  }
  const tridap::Distribution truth(plain);
  const tridap::Comparison comparison = tridap::compare(d, truth);
  EXPECT_TRUE(comparison.same_owners) << comparison.difference;
  if (turned) {  // a list may have been read either way
    int backwards = std::count(walking.backwards.begin(), walking.backwards.end(), true) > 0;
    MPI_Allreduce(MPI_IN_PLACE, &backwards, 1, MPI_INT, MPI_MAX, comm);
    if (backwards != 0) return;
  }
  EXPECT_TRUE(comparison.same_places) << comparison.difference;
  if (!how.grid && array.has_empty_share() && d.proc_grid_shape() != truth.proc_grid_shape()) return;
  ASSERT_EQ(d.proc_grid_shape(), truth.proc_grid_shape());
  for (std::size_t k = 0; k < plain.size(); ++k)
    oracle::expect_same_dimension(inferred.dim_data[k],
                                  simplest(array.truth.axes[k], array.extent[k], array.truth.coordinates(rank)[k]));
}

}  // namespace given
