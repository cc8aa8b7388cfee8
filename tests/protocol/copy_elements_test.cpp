#include "support/effort.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include <tridap/internal/copy_elements.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

namespace {

using on::Random;
using oracle::List;
using tridap::Index;

List permutation(Index size, Random& random) {
  List order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), Index{0});
  random.shuffle(order);
  return order;
}

// A buffer over memory of its own, all bytes of which are `fill`: any order of axes, backwards, with holes.
tridap::Buffer buffer_of(const List& shape, Index bytes, Random& random, int fill) {
  std::vector<bool> backwards;
  const Index hole = random.between(1, 2);
  Index length = bytes * hole;
  for (const Index extent : shape) {
    backwards.push_back(random.below(2) == 1);
    length *= extent;
  }
  const auto memory = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(length), std::byte(fill));
  const tridap::ElementType step{tridap::ElementType::Kind::opaque, bytes * hole, true};
  tridap::Buffer buffer = oracle::dense_buffer(memory->data(), step, shape,
                                               permutation(static_cast<Index>(shape.size()), random), backwards);
  buffer.type.bytes = bytes;
  buffer.owner = memory;
  return buffer;
}

// Bytes of an element that tell it from the others.
std::vector<unsigned char> element(Index number, Index bytes) {
  std::vector<unsigned char> made;
  for (Index b = 0; b < bytes; ++b) made.push_back(static_cast<unsigned char>((number >> (8 * (b % 2))) + 3 * b));
  return made;
}

void expect_copied(const List& shape, Index bytes, Random& random) {
  const tridap::Buffer from = buffer_of(shape, bytes, random, 0x11), to = buffer_of(shape, bytes, random, 0x22);
  Index number = 0;
  oracle::for_each_index(shape, [&](const List& at) {
    std::memcpy(oracle::address(from, at), element(number++, bytes).data(), static_cast<std::size_t>(bytes));
  });
  EXPECT_EQ(tridap::copy_elements(from, to), number * bytes);
  auto& memory = *static_cast<std::vector<std::byte>*>(to.owner.get());
  number = 0;
  oracle::for_each_index(shape, [&](const List& at) {
    std::byte* const there = oracle::address(to, at);
    ASSERT_EQ(std::memcmp(there, element(number++, bytes).data(), static_cast<std::size_t>(bytes)), 0);
    std::memset(there, 0x22, static_cast<std::size_t>(bytes));
  });
  EXPECT_EQ(std::count(memory.begin(), memory.end(), std::byte{0x22}), static_cast<std::ptrdiff_t>(memory.size()));
}

TEST(CopyElements, EveryElementArrivesAndNoOtherByteIsTouched) {
  Random random(31);
  for (int turn = 0; turn < effort::of(50, 5) && !HasFailure(); ++turn)
    for (const Index bytes : {1, 2, 3, 4, 8, 16, 40, 200}) {
      List shape;
      const Index ndim = random.between(1, 4);
      for (Index axis = 0; axis < ndim; ++axis) shape.push_back(random.between(1, 120 / (ndim * ndim)));
      expect_copied(shape, bytes, random);
    }
}

TEST(CopyElements, LongAxesAndThinOnes) {
  Random random(32);
  for (int turn = 0; turn < 4 && !HasFailure(); ++turn)
    for (const List& shape : {List{600}, List{1, 600}, List{257, 33}, List{33, 257}, List{2, 300, 3}, List{40, 3, 70},
                              List{5, 1, 130, 1, 2}, List{3, 3, 3, 3, 3, 3, 3}, List{0, 4}, List{}})
      expect_copied(shape, 8, random);
}

// As NumPy broadcasts: the strides of what is read are 0.
TEST(CopyElements, StridesOfZeroCopyOneElementToMany) {
  double one = 7;
  for (const List& shape : {List{2}, List{600}, List{2, 600}, List{600, 2}, List{3, 40, 5, 7}}) {
    Index count = 1;
    for (const Index extent : shape) count *= extent;
    std::vector<double> many(static_cast<std::size_t>(count), 0);
    tridap::Buffer from, to;
    from.type = to.type = tridap::element_type<double>();
    from.shape = to.shape = shape;
    from.data = &one;
    from.strides = List(shape.size(), 0);
    to.data = many.data();
    to.strides = tridap::row_major_strides(shape, 8);
    tridap::copy_elements(from, to);
    EXPECT_EQ(many, std::vector<double>(many.size(), 7));
  }
}

}  // namespace
