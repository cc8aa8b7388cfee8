#pragma once

#include "ga_spec.hpp"
#include "random_arrays.hpp"
#include <tridap/globalarrays/export.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace export_test {

using arrays::processes;
using arrays::Random;
using ga_test::List;
using ga_test::Spec;
using tridap::Index;
using tridap::Indices;

// As ExportedArray::shift has them.
inline std::array<tridap::Index, 7> by_axis(const List& numbers) {
  std::array<tridap::Index, 7> made{};
  std::copy(numbers.begin(), numbers.end(), made.begin());
  return made;
}

inline const int random_cases = effort::of(300, 40);

inline testing::Environment* const environment = testing::AddGlobalTestEnvironment(new arrays::WithSession);

/// A group of GA's processes: its number, and their ranks among all.
struct Group {
  int number = -1;
  std::vector<int> members;

  bool has_us() const { return std::find(members.begin(), members.end(), GA_Nodeid()) != members.end(); }
  int size() const { return static_cast<int>(members.size()); }
  int rank() const { return GA_Pgroup_nodeid(number); }
  void sync() const { GA_Pgroup_sync(number); }
};

inline Group group_of(std::vector<int> members) {
  Group group;
  group.number = GA_Pgroup_create(members.data(), static_cast<int>(members.size()));
  std::sort(members.begin(), members.end());
  group.members = members;
  return group;
}

/// The world, and groups that begin with the first process; made once.
inline const std::vector<Group>& first_groups() {
  static const std::vector<Group> groups = [] {
    std::vector<int> all(static_cast<std::size_t>(processes()));
    std::iota(all.begin(), all.end(), 0);
    std::vector<Group> made = {Group{GA_Pgroup_get_world(), all}};
    for (; !all.empty(); all.pop_back()) made.push_back(group_of(all));
    return made;
  }();
  return groups;
}

/// Those, and groups of the last processes, of every other, and of all in another order.
inline const std::vector<Group>& all_groups() {
  static const std::vector<Group> groups = [] {
    std::vector<Group> made = first_groups();
    std::vector<int> last, other;
    for (int r = processes(); r-- > 0;) {
      last.push_back(r);
      if (r % 2 == 1) other.push_back(r);
      made.push_back(group_of(last));
    }
    if (!other.empty()) made.push_back(group_of(other));
    return made;
  }();
  return groups;
}

/// All global indices of a shape, in row-major order.
inline std::vector<Indices> all_indices(const List& shape) {
  std::vector<Indices> all = {{}};
  for (const Index extent : shape) {
    std::vector<Indices> longer;
    for (const Indices& index : all)
      for (Index k = 0; k < extent; ++k) {
        longer.push_back(index);
        longer.back().push_back(k);
      }
    all = longer;
  }
  return all;
}

inline List shape_of(int handle) {
  List shape(GA_MAX_DIM);
  int type = 0, ndim = 0;
  NGA_Inquire64(handle, &type, &ndim, shape.data());
  shape.resize(static_cast<std::size_t>(ndim));
  return shape;
}

/// The whole array as GA brings it, row-major; arrays of long.
inline std::vector<long> whole_of(int handle) {
  const List shape = shape_of(handle);
  List lo(shape.size(), 0), hi, ld(shape.begin() + 1, shape.end());
  Index count = 1;
  for (const Index extent : shape) {
    hi.push_back(extent - 1);
    count *= extent;
  }
  ld.push_back(1);
  std::vector<long> values(static_cast<std::size_t>(count), -7);
  NGA_Get64(handle, lo.data(), hi.data(), values.data(), ld.data());
  return values;
}

/// Puts each element's row-major number there, `from` and upwards: by GA, from the group's first process.
inline void number_elements(int handle, const Group& group, long from) {
  const List shape = shape_of(handle);
  std::vector<long> values(whole_of(handle).size());
  std::iota(values.begin(), values.end(), from);
  List lo(shape.size(), 0), hi, ld(shape.begin() + 1, shape.end());
  for (const Index extent : shape) hi.push_back(extent - 1);
  ld.push_back(1);
  group.sync();
  if (group.rank() == 0) NGA_Put64(handle, lo.data(), hi.data(), values.data(), ld.data());
  group.sync();
}

/// The element of an exported array of long at local indices.
inline long& at(const tridap::DistArray& array, const Indices& local) {
  char* address = static_cast<char*>(array.buffer.data);
  for (std::size_t axis = 0; axis < local.size(); ++axis) address += local[axis] * array.buffer.strides[axis];
  return *reinterpret_cast<long*>(address);
}

inline std::string text(const List& list) {
  std::string said;
  for (const Index one : list) said += " " + std::to_string(one);
  return said;
}

inline void expect_same(const tridap::Distribution& a, const tridap::Distribution& b) {
  ASSERT_EQ(a.shape(), b.shape());
  ASSERT_EQ(a.proc_grid_shape(), b.proc_grid_shape());
  for (Index i = 0; i < a.ndim(); ++i) {
    EXPECT_EQ(a.axis(i).dist_type(), b.axis(i).dist_type());
    EXPECT_EQ(a.axis(i).periodic(), b.axis(i).periodic());
    for (Index c = 0; c < a.axis(i).proc_grid_size(); ++c) {
      for (const tridap::Part part : {tridap::Part::local, tridap::Part::owned, tridap::Part::interior}) {
        EXPECT_EQ(a.axis(i).part(c, part).begin, b.axis(i).part(c, part).begin);
        EXPECT_EQ(a.axis(i).part(c, part).end, b.axis(i).part(c, part).end);
      }
      for (Index k = 0; k < a.axis(i).part(c, tridap::Part::local).size(); ++k)
        EXPECT_EQ(a.axis(i).global_index(c, k), b.axis(i).global_index(c, k));
    }
  }
}

/// What we write through the array GA brings everywhere.
inline void expect_written(int handle, const Group& group, const tridap::DistArray& array,
                           const tridap::redistribute::PlacedDistribution& placed) {
  const std::vector<Indices> indices = all_indices(shape_of(handle));
  const auto process = placed.process(group.rank());
  for (std::size_t k = 0; k < indices.size(); ++k)
    if (placed.distribution().owner(indices[k]) == process)
      at(array, *placed.distribution().local_index(*process, indices[k])) = -5 - 2 * static_cast<long>(k);
  group.sync();
  const std::vector<long> whole = whole_of(handle);
  for (std::size_t k = 0; k < indices.size(); ++k) ASSERT_EQ(whole[k], -5 - 2 * static_cast<long>(k));
  group.sync();
}

/// The exported arrays make up what placed() says, in the order of grid_communicator(). Collective over the group.
inline void expect_gathers(int handle, const tridap::DistArray& array,
                           const tridap::globalarrays::ExportOptions& options) {
  const tridap::redistribute::PlacedDistribution placed = tridap::globalarrays::placed(handle, options);
  MPI_Comm grid = tridap::globalarrays::grid_communicator(handle);
  const Index group_rank = GA_Pgroup_nodeid(GA_Get_pgroup(handle));
  ASSERT_EQ(grid != MPI_COMM_NULL,
            placed.process(group_rank).has_value() && *placed.process(group_rank) < placed.distribution().processes());
  if (grid == MPI_COMM_NULL) {
    EXPECT_EQ(array.ndim(), 0);
    EXPECT_EQ(array.buffer.data, nullptr);
    return;
  }
  int rank = 0, size = 0;
  MPI_Comm_rank(grid, &rank);
  MPI_Comm_size(grid, &size);
  EXPECT_EQ(size, placed.distribution().processes());
  EXPECT_EQ(*placed.process(group_rank), rank);
  expect_same(tridap::mpi::gather_distribution(array, grid), placed.distribution());
  MPI_Comm_free(&grid);
}

}  // namespace export_test
