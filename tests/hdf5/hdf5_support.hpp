#pragma once

#include "support/effort.hpp"
#include "support/expect_refused.hpp"
#include "support/oracle.hpp"
#include <tridap/hdf5.hpp>
#include <tridap/make.hpp>
#include <tridap/report.hpp>

#include <gtest/gtest.h>
#include <hdf5.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace hdf5_test {

using on::same_everywhere;
using on::thrown;
using oracle::List;
using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;
using tridap::Part;
namespace h5 = tridap::hdf5;
using Random = std::mt19937;

inline Index pick(Random& random, Index below) {
  return static_cast<Index>(random() % static_cast<std::uint32_t>(below));
}

/// A path that no other program has, the same on every process; the file is removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(MPI_Comm comm = MPI_COMM_WORLD) : comm_(comm) {
    static int number = 0;
    char name[256] = "";
    std::snprintf(name, sizeof name, "/tmp/tridap_hdf5_%d_%d.h5", static_cast<int>(::getpid()), number++);
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, comm);
    path_ = name;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    MPI_Barrier(comm_);
    if (on::rank(comm_) == 0) std::remove(path_.c_str());
  }
  const std::string& path() const { return path_; }

 private:
  MPI_Comm comm_;
  std::string path_;
};

/// A random axis over `grid` coordinates. Its size is `size`, but for lists that need another one.
inline oracle::Axis some_axis(Random& random, Index size, Index grid) {
  const Index kind = pick(random, 6);
  if (kind == 0) return oracle::cyclic(size, 1 + pick(random, 3), grid, pick(random, grid));
  if (kind == 1 || kind == 2) {  // lists, in random order or ascending
    List all;
    for (Index i = 0; i < size; ++i) all.push_back(i);
    std::vector<List> lists(static_cast<std::size_t>(grid));
    if (kind == 1) std::shuffle(all.begin(), all.end(), random);
    for (const Index i : all) lists[static_cast<std::size_t>(pick(random, grid))].push_back(i);
    return oracle::unstructured(lists);
  }
  List counts(static_cast<std::size_t>(grid), 0);
  for (Index i = 0; i < size; ++i) ++counts[static_cast<std::size_t>(pick(random, grid))];
  if (kind == 3) return oracle::block(counts);
  List shared;
  for (std::size_t i = 0; i + 1 < counts.size(); ++i) shared.push_back(std::min({counts[i], counts[i + 1], Index{1}}));
  const std::array<Index, 2> edges{std::min<Index>(counts.front(), 1), std::min<Index>(counts.back(), 1)};
  if (counts.size() == 1 && counts[0] < 3) return oracle::block(counts);
  return oracle::block(counts, shared, kind == 4 ? edges : std::array<Index, 2>{0, 0}, kind == 4 && size > 4);
}

/// Random distributions of `shape` over this program's processes.
inline oracle::Array some_array(Random& random, const List& shape, Index processes) {
  std::vector<oracle::Axis> axes;
  Index rest = processes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    Index grid = 1;
    if (i + 1 == shape.size())
      grid = rest;
    else
      do grid = 1 + pick(random, rest);
      while (rest % grid != 0);
    rest /= grid;
    axes.push_back(some_axis(random, shape[i], grid));
  }
  return oracle::Array(axes);
}

/// Where each index of an axis stands in a file.
inline Index position(const oracle::Axis& axis, Index global) {
  if (axis.dims[0].dist_type() != 'u') return global;
  const auto is_position = [&](Index index) { return index >= 0 && index < axis.size(); };
  bool all_are = true;
  for (const List& held : axis.held) all_are = all_are && std::all_of(held.begin(), held.end(), is_position);
  if (all_are) return global;
  std::set<Index> all;
  for (const List& held : axis.held) all.insert(held.begin(), held.end());
  return static_cast<Index>(std::distance(all.begin(), all.find(global)));
}

inline Index number(const List& shape, const List& at) {
  Index n = 0;
  for (std::size_t i = 0; i < at.size(); ++i) n = n * shape[i] + at[i];
  return n;
}

inline List shape_of(const oracle::Array& array) {
  List shape;
  for (const oracle::Axis& axis : array.axes) shape.push_back(axis.size());
  return shape;
}

/// What a process says of an array, without memory.
inline DistArray described(const oracle::Array& array, Index process) {
  DistArray made;
  for (std::size_t i = 0; i < array.axes.size(); ++i)
    made.dim_data.push_back(array.axes[i].dims[static_cast<std::size_t>(array.coordinates(process)[i])]);
  made.buffer.shape = tridap::IndexList(array.local_shape(process));
  return made;
}

/// Memory for the local buffer, in a random order with holes, and elements that are -1.
struct Local {
  std::vector<double> memory;
  DistArray array;
};
inline Local some_memory(Random& random, const oracle::Array& array, Index process) {
  Local made;
  const List shape = array.local_shape(process);
  std::vector<Index> axes;
  std::vector<bool> backwards;
  List padded = shape;
  for (std::size_t i = 0; i < shape.size(); ++i) axes.push_back(static_cast<Index>(i));
  if (pick(random, 2) == 0) std::shuffle(axes.begin(), axes.end(), random);
  const bool turned = pick(random, 3) == 0;
  for (std::size_t i = 0; i < shape.size(); ++i) backwards.push_back(turned && pick(random, 2) == 0);
  Index count = 1;
  for (Index& extent : padded) {
    extent += pick(random, 3) == 0 ? pick(random, 3) : 0;
    count *= std::max<Index>(extent, 1);
  }
  const Index apart = pick(random, 3) == 0 ? 2 : 1;
  made.memory.assign(static_cast<std::size_t>(count * apart), -1);
  made.array = described(array, process);
  tridap::Buffer buffer =
      oracle::dense_buffer(made.memory.data(), tridap::element_type<double>(), padded, axes, backwards);
  buffer.shape = made.array.buffer.shape;
  for (Index& stride : buffer.strides) stride *= apart;
  auto* lowest = reinterpret_cast<std::byte*>(made.memory.data());
  buffer.data = lowest + apart * (static_cast<std::byte*>(buffer.data) - lowest);
  made.array.buffer = buffer;
  return made;
}

inline double& at(const tridap::Buffer& buffer, const List& local) {
  return *reinterpret_cast<double*>(oracle::address(buffer, local));
}

/// Gives each element of a part the number of its position in the file, plus 1; the others are -1.
inline void fill(const Local& local, const oracle::Array& array, Index process, Part part) {
  for (const auto& [place, global] : array.elements(process, part)) {
    List in_file;
    for (std::size_t i = 0; i < global.size(); ++i) in_file.push_back(position(array.axes[i], global[i]));
    at(local.array.buffer, place) = static_cast<double>(number(shape_of(array), in_file) + 1);
  }
}

/// A whole dataset, read by HDF5's serial calls on rank 0; empty elsewhere.
template <class T>
std::vector<T> read_serially(const std::string& path, const std::string& name, hid_t type, List* shape = nullptr,
                             MPI_Comm comm = MPI_COMM_WORLD) {
  std::vector<T> values;
  if (on::rank(comm) != 0) return values;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT), space = H5Dget_space(dataset);
  std::vector<hsize_t> extents(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  if (shape != nullptr) shape->assign(extents.begin(), extents.end());
  values.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
  return values;
}

inline Index rank() { return on::rank(MPI_COMM_WORLD); }
inline Index processes() { return on::processes(MPI_COMM_WORLD); }

}  // namespace hdf5_test
