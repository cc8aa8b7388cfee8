#include "solvers/solver_support.hpp"
#include "support/memory_meter.hpp"
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/solvers/copy_memory.hpp>
#include <tridap/solvers/vectors.hpp>

using namespace solver_test;
using tridap::Buffer;
using tridap::Copy;
using tridap::DistArray;
using tridap::Part;
using tridap::solvers::CopyMemory;
using tridap::solvers::import_vectors;
using tridap::solvers::Vectors;

namespace {

constexpr Index extent = 14;  // of each axis on each process: a copy is far larger than the lists of an import
const tridap::ElementType f8 = tridap::element_type<double>();

/// Axes over all processes, each with or without padding of 1 at both sides of each part.
std::vector<oracle::Axis> field(std::size_t ndim, bool padded) {
  std::vector<oracle::Axis> axes;
  for (std::size_t axis = 0; axis < ndim; ++axis) {
    const Index grid = axis == 0 ? factor(processes()) : axis == 1 ? processes() / factor(processes()) : 1;
    List owned(static_cast<std::size_t>(grid), extent);
    if (!padded) {
      axes.push_back(oracle::block(owned));
      continue;
    }
    ++owned.front(), ++owned.back();  // the mirrors
    axes.push_back(oracle::block(owned, List(static_cast<std::size_t>(grid - 1), 1), {1, 1}, true));
  }
  return axes;
}

struct Field {
  oracle::Array oracle;
  DistArray part;
  tridap::Distribution distribution;

  explicit Field(const std::vector<oracle::Axis>& axes)
      : oracle(axes), part(stamped(oracle)), distribution(tridap::mpi::gather_distribution(part, MPI_COMM_WORLD)) {}
  Vectors vectors(const ArrayMap& rows, Copy copy, CopyMemory* memory = nullptr, bool writable = true) const {
    return import_vectors({part, distribution, "x", writable}, rows, copy, memory);
  }
  double* at(const oracle::Array::Element& element) const {
    return reinterpret_cast<double*>(oracle::address(part.buffer, element.local));
  }
  Index count() const { return static_cast<Index>(oracle.elements(rank(), Part::interior).size()); }
};

/// Each number beside the two next to it.
Rows line(std::size_t count) {
  return [last = static_cast<Index>(count) - 1](Index id) {
    Row row{{id, 3.0}};
    if (id > 0) row.push_back({id - 1, -1});
    if (id < last) row.push_back({id + 1, -1});
    return row;
  };
}

}  // namespace

TEST(CopyMemory, IsTakenAgainIfItsLastCopyIsReleased) {
  CopyMemory memory;
  Buffer first = memory.take(f8, {40});
  const void* const address = first.data;
  EXPECT_NE(memory.take(f8, {40}).data, address);
  EXPECT_EQ(memory.bytes(), 640);
  Buffer copy = first;
  first = {};
  EXPECT_NE(memory.take(f8, {40}).data, address);
  copy = {};
  EXPECT_EQ(memory.take(f8, {40}).data, address);
  const Buffer other = memory.take(f8, {3});
  EXPECT_EQ(memory.bytes(), 24);  // what was free and did not fit is released
}

TEST(CopyMemory, ASecondImportOfPaddedFieldsAllocatesNoCopy) {
  for (const std::size_t ndim : {2U, 3U}) {
    const ArrayMap rows(Field(field(ndim, false)).part, MPI_COMM_WORLD);
    const Field b(field(ndim, true)), x(field(ndim, true));
    CopyMemory memory;
    const auto bytes = static_cast<std::size_t>(8 * b.count());
    for (const bool first : {true, false}) {
      memory_meter::largest_allocation = 0;
      {
        const Vectors of_b = b.vectors(rows, Copy::if_needed, &memory, false);
        const Vectors of_x = x.vectors(rows, Copy::if_needed, &memory);
        EXPECT_FALSE(of_x.receipt.shared);
        EXPECT_EQ(of_b.receipt.bytes_copied, static_cast<Index>(bytes));
        of_x.write_back();
      }
      if (ndim == 3 || !first) {
        EXPECT_EQ(memory_meter::largest_allocation >= bytes, first);
      }
    }
    EXPECT_EQ(memory.bytes(), static_cast<Index>(2 * bytes));
  }
}

TEST(CopyMemory, ASolveOfAPaddedFieldIsThatOfTheUnpaddedCopy) {
  for (const std::size_t ndim : {2U, 3U}) {
    const Field plain(field(ndim, false));
    const ArrayMap layout(plain.part, MPI_COMM_WORLD);
    const auto a = matrix_of(layout, line(plain.oracle.flat_numbers().size()));
    const Field b(field(ndim, true)), x(field(ndim, true));
    CopyMemory memory;
    for (const int time : {0, 1}) {
      std::vector<double> given, expected;
      for (const auto& element : b.oracle.elements(rank(), Part::interior)) {
        *b.at(element) = std::sin(static_cast<double>(time + 1 + element.local[0] * 3 + element.local[1] * rank()));
        given.push_back(*b.at(element));
      }
      for (const auto& element : x.oracle.elements(rank(), Part::local)) *x.at(element) = -7;
      for (const auto& element : x.oracle.elements(rank(), Part::interior)) *x.at(element) = 0;
      {
        const Vectors vb = b.vectors(layout, Copy::if_needed, &memory, false);
        const Vectors vx = x.vectors(layout, Copy::if_needed, &memory);
        expect_good(solve(a, Teuchos::null, *vb.vectors, *vx.vectors, options_of(Method::cg)), 1e-10);
        vx.write_back();
      }
      Vector dense(layout.map()), solution(layout.map());
      std::copy(given.begin(), given.end(), data_of(dense));
      expect_good(solve(a, Teuchos::null, dense, solution, options_of(Method::cg)), 1e-10);
      const double* next = data_of(solution);
      for (const auto& element : x.oracle.elements(rank(), Part::interior)) EXPECT_EQ(*x.at(element), *next++);
      double outside = 0;
      for (const auto& element : x.oracle.elements(rank(), Part::local)) outside += *x.at(element) == -7 ? 1 : 0;
      EXPECT_EQ(outside,
                static_cast<double>(x.oracle.elements(rank(), Part::local).size()) - static_cast<double>(x.count()));
    }
  }
}

TEST(CopyMemory, TheRefusalSaysHowManyBytesACopyHas) {
  const ArrayMap rows(Field(field(2, false)).part, MPI_COMM_WORLD);
  const Field x(field(2, true));
  const auto text = [&](bool writable) { return refusal([&] { x.vectors(rows, Copy::never, nullptr, writable); }); };
  const std::string bytes = std::to_string(8 * x.count());
  expect_says(text(false), "pass copy=if_needed, which copies " + bytes + " bytes on this process, or an array");
  expect_says(text(true), "copies " + std::to_string(16 * x.count()) + " bytes on this process, the initial guess");
}
