#pragma once

#include "support/expect_refused.hpp"
#include "support/oracle.hpp"
#include <tridap/tpetra.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace tpetra_test {

using on::expect_refused;
using on::expect_says;
using on::says;
using tridap::Index;
using tridap::tpetra::compat::Id;
using tridap::tpetra::compat::id_of;
inline constexpr bool long_ids = tridap::tpetra::compat::ids_are_long<>;

inline Index processes() { return on::processes(MPI_COMM_WORLD); }
inline Index rank() { return on::rank(MPI_COMM_WORLD); }

/// One axis of each kind over `grid` processes, without padding; every coordinate's share differs from its neighbour's.
inline std::vector<oracle::Axis> plain_axes(Index grid) {
  oracle::List irregular;
  std::vector<oracle::List> lists;
  for (Index c = 0; c < grid; ++c) {
    irregular.push_back((c * 2 + 3) % 4);  // 3, 1, 3, 1, ...: and below an empty share
    lists.push_back(c % 2 == 0 ? oracle::List{10 * c - 7, 10 * c - 9} : oracle::List{10 * c});
  }
  if (grid > 1) irregular[1] = 0;
  return {oracle::block(irregular), oracle::block(oracle::List(static_cast<std::size_t>(grid), 2)),
          oracle::cyclic(2 * grid + 1, 1, grid), oracle::cyclic(3 * grid + 1, 2, grid, grid / 2),
          oracle::unstructured(lists, true)};
}

/// Block axes with padding: communication padding, boundary padding, and a periodic one with mirrors.
inline std::vector<oracle::Axis> padded_axes(Index grid) {
  const oracle::List owned(static_cast<std::size_t>(grid), 3), widths(static_cast<std::size_t>(grid - 1), 1);
  return {oracle::block(owned, widths), oracle::block(owned, widths, {1, 2}),
          oracle::block(owned, widths, {1, 1}, true)};
}

/// Calls `visit` with arrays over all processes: every kind alone, and every pair of kinds on every 2-D grid.
inline void for_each_array(const std::function<std::vector<oracle::Axis>(Index)>& axes,
                           const std::function<void(const oracle::Array&)>& visit) {
  for (const oracle::Axis& axis : axes(processes())) visit(oracle::Array({axis}));
  for (Index p = 1; p <= processes(); ++p) {
    if (processes() % p != 0) continue;
    for (const oracle::Axis& a : axes(p))
      for (const oracle::Axis& b : axes(processes() / p)) visit(oracle::Array({a, b}));
  }
}

/// The same with fewer pairs: each axis beside itself and the two that follow it.
inline void for_each_pair(const std::function<std::vector<oracle::Axis>(Index)>& axes,
                          const std::function<void(const oracle::Array&)>& visit) {
  for (const oracle::Axis& axis : axes(processes())) visit(oracle::Array({axis}));
  for (Index p = 1; p <= processes(); ++p) {
    if (processes() % p != 0) continue;
    const auto outer = axes(p), inner = axes(processes() / p);
    for (std::size_t i = 0; i < outer.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) visit(oracle::Array({outer[i], inner[(i + k) % inner.size()]}));
  }
}

inline std::vector<tridap::Dimension> dim_data(const oracle::Array& array, Index process) {
  std::vector<tridap::Dimension> dims;
  for (std::size_t i = 0; i < array.axes.size(); ++i)
    dims.push_back(array.axes[i].dims[static_cast<std::size_t>(array.coordinates(process)[i])]);
  return dims;
}

/// The part of one place in the grid, by default of this process's rank, as a row-major DistArray of its own memory,
/// each element holding its flat number and a half.
inline tridap::DistArray stamped(const oracle::Array& array, Index place = rank()) {
  tridap::DistArray stamped;
  stamped.dim_data = dim_data(array, place);
  stamped.buffer = tridap::allocate(tridap::element_type<double>(), array.local_shape(place));
  const auto numbers = array.flat_numbers();
  for (const auto& element : array.elements(place, tridap::Part::local))
    *reinterpret_cast<double*>(oracle::address(stamped.buffer, element.local)) =
        static_cast<double>(numbers.at(element.global)) + 0.5;
  return stamped;
}

/// Gives dense memory another order of axes; the values stay where they are.
inline void turn(tridap::Buffer& buffer, const std::vector<Index>& axes, const std::vector<bool>& backwards) {
  const std::shared_ptr<void> owner = buffer.owner;
  buffer = oracle::dense_buffer(buffer.data, buffer.type, buffer.shape, axes, backwards);
  buffer.owner = owner;
}

/// The flat numbers of a part, by default the interior, of one place in the order of their addresses in `buffer`.
inline std::vector<Index> ids_by_address(const oracle::Array& array, const tridap::Buffer& buffer, Index place = rank(),
                                         tridap::Part part = tridap::Part::interior) {
  const auto numbers = array.flat_numbers();
  std::map<std::byte*, Index> by_address;
  for (const auto& element : array.elements(place, part))
    by_address[oracle::address(buffer, element.local)] = numbers.at(element.global);
  std::vector<Index> ids;
  for (const auto& [address, id] : by_address) ids.push_back(id);
  return ids;
}

inline std::vector<Index> ids_of(const tridap::tpetra::Map& map) {
  const auto listed = tridap::tpetra::compat::local_ids(map);
  return {listed.begin(), listed.end()};
}

inline double* data_of(tridap::tpetra::Vector<double>& vector) {
  return vector.getLocalViewHost(Tpetra::Access::ReadWrite).data();
}

inline tridap::tpetra::ArrayMapOptions reordered() {
  tridap::tpetra::ArrayMapOptions options;
  options.reorder = true;
  return options;
}
inline tridap::tpetra::ArrayMapOptions based(Index base) {
  tridap::tpetra::ArrayMapOptions options;
  options.index_base = base;
  return options;
}

/// The text with which every process refuses `step`.
inline std::string refusal(const std::function<void()>& step) {
  const auto error = on::expect_refused(step, "");
  return error ? error->what() : "";
}

inline tridap::tpetra::TeuchosComm world() { return Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD)); }

inline double& element_at(const tridap::Buffer& buffer, const oracle::List& local) {
  return *reinterpret_cast<double*>(oracle::address(buffer, local));
}

}  // namespace tpetra_test
