#pragma once

#include "random_arrays.hpp"
#include "support/parts.hpp"
#include <tridap/dist_array.hpp>
#include <tridap/globalarrays/array.hpp>
#include <tridap/redistribute/plan.hpp>
#include <tridap/report.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

extern "C" {
#include <ga.h>
}

#include <algorithm>
#include <complex>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

/// Arrays whose values say where they stand, and what is read of them and heard when they are imported.
namespace import_test {

using arrays::expect_says;
using arrays::Index;
using arrays::List;
using arrays::processes;
using arrays::Random;
using arrays::rank;
using arrays::real;
using arrays::rows;
using arrays::thrown;
using tridap::DistArray;
using tridap::globalarrays::GlobalArray;
using tridap::redistribute::PlacedDistribution;

inline testing::Environment* const session = testing::AddGlobalTestEnvironment(new arrays::WithSession);

/// A communicator of these processes of the world, in this order; MPI_COMM_NULL on the others.
inline MPI_Comm communicator(const List& world_ranks) {
  int key = -1;
  for (std::size_t r = 0; r < world_ranks.size(); ++r)
    if (world_ranks[r] == rank()) key = static_cast<int>(r);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, key < 0 ? MPI_UNDEFINED : 0, key, &comm);
  return comm;
}

inline double value_at(const List& global) {
  double value = 1;
  for (const Index index : global) value = value * 64 + static_cast<double>(index);
  return value;
}

/// The part of process `process`, in memory of its own with strides of `random`'s choice: any order of axes, backwards,
/// with holes.
inline DistArray part_of(const oracle::Array& whole, Index process, Random& random) {
  DistArray array;
  for (std::size_t i = 0; i < whole.axes.size(); ++i)
    array.dim_data.push_back(whole.axes[i].dims[static_cast<std::size_t>(whole.coordinates(process)[i])]);
  const List shape = whole.local_shape(process);
  const std::vector<Index> order = random.permutation(static_cast<Index>(shape.size()));
  const Index hole = random.between(1, 2);
  std::vector<bool> backwards;
  Index length = 8 * hole;
  for (const Index extent : shape) {
    backwards.push_back(random.below(2) == 1);
    length *= std::max<Index>(extent, 1);
  }
  const auto memory = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(length));
  tridap::ElementType step = real;
  step.bytes *= hole;
  array.buffer = oracle::dense_buffer(memory->data(), step, shape, order, backwards);
  array.buffer.type = real;
  array.buffer.owner = memory;
  for (const auto& element : whole.elements(process, tridap::Part::local)) {
    const double value = value_at(element.global);
    std::memcpy(oracle::address(array.buffer, element.local), &value, sizeof value);
  }
  return array;
}

/// What every process reads of the whole array through GA.
inline std::vector<double> read(int handle, const List& shape) {
  Index count = 1;
  std::vector<int64_t> lo(shape.size(), 0), hi, ld;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    count *= shape[i];
    hi.push_back(shape[i] - 1);
    if (i > 0) ld.push_back(shape[i]);
  }
  ld.push_back(1);
  std::vector<double> all(static_cast<std::size_t>(count), -1);
  NGA_Get64(handle, lo.data(), hi.data(), all.data(), ld.data());
  return all;
}

inline void expect_read(const GlobalArray& array, const List& shape) {
  const std::vector<double> all = read(array.handle(), shape);
  std::size_t next = 0;
  oracle::for_each_index(shape, [&](const List& at) { EXPECT_EQ(all[next++], value_at(at)); });
}

inline List shape_of(const oracle::Array& whole) {
  List shape;
  for (const oracle::Axis& axis : whole.axes) shape.push_back(axis.size());
  return shape;
}

/// A padded axis: GA's indices are the array's less `shift`, and wrap round.
struct Padded {
  oracle::Axis axis;
  Index width = 0, shift = 0;

  Index size() const { return axis.size() - 2 * shift; }
};

inline Padded random_padded(Random& random, Index places) {
  Padded padded;
  padded.width = random.between(0, 2);
  const bool mirrors = random.below(2) == 1;
  padded.shift = mirrors ? padded.width : 0;
  List counts = random.counts(places, std::max<Index>(padded.width, 1), 4);
  counts.front() += padded.shift;
  counts.back() += padded.shift;
  padded.axis = oracle::block(counts, List(static_cast<std::size_t>(places - 1), padded.width),
                              {padded.shift, padded.shift}, mirrors);
  if (!mirrors && places == 1) padded.width = 0;
  return padded;
}

inline DistArray array_of(const PlacedDistribution& placed, tridap::ElementType type = real) {
  return on::part_of(placed.distribution(), rank(), type);
}

/// Those that GA has, and others: of its own for char and long double it aborts.
inline std::vector<tridap::ElementType> every_type() {
  const auto of = [](auto... one) {
    return std::vector<tridap::ElementType>{tridap::element_type<decltype(one)>()...};
  };
  std::vector<tridap::ElementType> all =
      of(int{}, long{}, 0LL, float{}, double{}, std::complex<float>{}, std::complex<double>{}, char{},
         static_cast<signed char>(0), short{}, bool{}, static_cast<unsigned char>(0), 0U, 0UL, 0.0L,
         std::complex<long double>{});
  for (const Index bytes : {1, 2, 3, 16, 24, 40}) all.push_back({tridap::ElementType::Kind::opaque, bytes, true});
  all.push_back({tridap::ElementType::Kind::floating, 8, false});  // the other order of bytes
  return all;
}

}  // namespace import_test
