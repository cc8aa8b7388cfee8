#include "mpi/support.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include <tridap/make.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/redistribute/padding.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdint>

// More than 2^31 elements on a process, and in one message: MPI counts them by int. An element has one byte, so that
// two processes with 13 GB do.
namespace {

using namespace tridap;
using redistribute::Options;
using redistribute::Path;
using redistribute::Redistribution;

MPI_Comm const world = MPI_COMM_WORLD;
constexpr Index beyond_int = (Index{1} << 31) + 4096;

/// The element with a flat number: its bytes differ in every place, so that a wrapped count would be seen.
std::int8_t element(Index number) {
  return static_cast<std::int8_t>((static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15U) >> 56);
}

std::int8_t* elements_of(const DistArray& array) { return static_cast<std::int8_t*>(array.buffer.data); }

DistArray part_of(const Distribution& all) { return on::part_of(all, on::rank(world), element_type<std::int8_t>()); }

/// The elements of one axis, numbered by it.
void fill(const DistArray& part, const Distribution& all) {
  for (const Run& run : all.axis(0).runs(on::rank(world), Part::owned))
    for (Index i = 0; i < run.length; ++i) elements_of(part)[run.local + i] = element(run.global + i);
}

Index wrong(const DistArray& part, const Distribution& all) {
  Index count = 0;
  for (const Run& run : all.axis(0).runs(on::rank(world), Part::owned))
    for (Index i = 0; i < run.length; ++i) count += elements_of(part)[run.local + i] != element(run.global + i);
  return count;
}

struct BeyondInt : testing::Test {
  void SetUp() override {
    const double gigabytes =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e9;
    if (gigabytes < 20) GTEST_SKIP() << "needs 20 GB of memory, and this machine has " << gigabytes;
  }
};

TEST_F(BeyondInt, ElementsMoveByEachWay) {
  const Index n = 2 * beyond_int;
  const Distribution from = Distribution::make({n}, {block()}, {2});
  const Distribution to = Distribution::make({n}, {block_at({0, 1000})}, {2});  // one message of more than 2^31
  const DistArray source = part_of(from), target = part_of(to);
  fill(source, from);
  for (const Path path : {Path::automatic, Path::staged, Path::messages, Path::derived_types}) {
    Options options;
    options.path = path;
    std::fill_n(elements_of(target), element_count(target.buffer), std::int8_t{0});
    Redistribution(from, to, 1, world, options)(source, target);
    EXPECT_EQ(wrong(target, to), 0) << "path " << static_cast<int>(path);
  }
}

TEST_F(BeyondInt, ElementsAreGathered) {
  const Index n = 2 * beyond_int;
  const Distribution from = Distribution::make({n}, {cyclic(1 << 20)}, {2});
  DistArray source = part_of(from);
  fill(source, from);
  const DistArray whole = redistribute::gather(source, from, world, 1);
  const Index gathered = on::rank(world) == 1 ? n : 0;
  if (gathered > 0) {
    ASSERT_EQ(element_count(whole.buffer), gathered);
  }
  Index count = 0;
  for (Index i = 0; i < gathered; ++i) count += elements_of(whole)[i] != element(i);
  EXPECT_EQ(count, 0);
}

TEST_F(BeyondInt, PaddingOfOneMessageIsFilled) {
  const Distribution padded = Distribution::make({2, beyond_int}, {BlockSpec{{}, {}, 1}, whole()}, {2, 1});
  const DistArray part = part_of(padded);
  ASSERT_EQ(part.buffer.shape[0], 2);
  const Index own = on::rank(world);  // the row that is owned: of process 0 the first, of process 1 the second
  std::int8_t* const row = elements_of(part) + own * beyond_int;
  for (Index i = 0; i < beyond_int; ++i) row[i] = element(own * beyond_int + i);
  redistribute::update_padding(part, world);
  const std::int8_t* const other = elements_of(part) + (1 - own) * beyond_int;
  Index count = 0;
  for (Index i = 0; i < beyond_int; ++i) count += other[i] != element((1 - own) * beyond_int + i);
  EXPECT_EQ(count, 0);
}

}  // namespace
