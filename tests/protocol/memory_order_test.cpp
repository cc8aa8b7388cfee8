#include "support/oracle.hpp"
#include <tridap/memory_order.hpp>

#include <gtest/gtest.h>

#include <random>

namespace {

using oracle::List;
using tridap::Buffer;
using tridap::ElementType;
using tridap::Index;
using tridap::MemoryOrder;

const ElementType float64 = tridap::element_type<double>();
std::array<std::byte, 4096> memory = {};

/// The addresses of all elements in the order that `order` claims.
std::vector<std::byte*> walk(const Buffer& buffer, const MemoryOrder& order) {
  List extents;
  for (Index axis : order.axes) extents.push_back(buffer.shape[static_cast<std::size_t>(axis)]);
  std::vector<std::byte*> all;
  oracle::for_each_index(extents, [&](const List& step) {
    List at(step.size());
    for (std::size_t k = 0; k < step.size(); ++k) {
      const auto axis = static_cast<std::size_t>(order.axes[k]);
      at[axis] = order.reversed[axis] ? buffer.shape[axis] - 1 - step[k] : step[k];
    }
    all.push_back(oracle::address(buffer, at));
  });
  return all;
}

/// The addresses in ascending order, if they stand in a row without holes, each once.
std::optional<std::vector<std::byte*>> in_a_row(const Buffer& buffer) {
  std::vector<std::byte*> all = oracle::addresses(buffer);
  std::sort(all.begin(), all.end());
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i] - all[i - 1] != buffer.type.bytes) return {};
  return all;
}

void expect_order(const Buffer& buffer) {
  const MemoryOrder order = tridap::memory_order(buffer);
  const auto row = in_a_row(buffer);
  std::vector<std::byte*> all = oracle::addresses(buffer);
  const auto shown = ::testing::PrintToString(buffer.shape) + ::testing::PrintToString(buffer.strides);
  ASSERT_EQ(order.is_contiguous, row.has_value()) << shown;
  ASSERT_EQ(order.obstacle.empty(), order.is_contiguous) << shown;
  ASSERT_EQ(order.data, all.empty() ? buffer.data : *std::min_element(all.begin(), all.end())) << shown;
  if (row) {
    ASSERT_EQ(walk(buffer, order), *row) << shown;
  }
  const Buffer seen = tridap::in_order(buffer, order);
  ASSERT_EQ(oracle::addresses(seen), walk(buffer, order)) << shown;
  for (std::size_t k = 0; k < seen.shape.size(); ++k)
    ASSERT_TRUE(seen.strides[k] >= 0 || seen.shape[k] < 2 || all.empty());
  if (!row) return;
  const Buffer back = tridap::from_order(order.data, buffer.type, buffer.shape, order);
  ASSERT_EQ(back.shape, buffer.shape);
  ASSERT_EQ(back.type, buffer.type);
  ASSERT_EQ(oracle::addresses(back), oracle::addresses(buffer)) << shown;
}

TEST(MemoryOrder, EveryOrderOfDenseMemoryIsFound) {
  oracle::for_each_index({4, 4, 4}, [&](const List& shape) {
    oracle::for_each_memory_order(3, [&](const auto& axes, const auto& backwards) {
      for (const ElementType& type : {float64, ElementType{ElementType::Kind::opaque, 3, true}})
        ASSERT_NO_FATAL_FAILURE(expect_order(oracle::dense_buffer(memory.data(), type, shape, axes, backwards)));
    });
  });
}

TEST(MemoryOrder, TheMemoryOrderOfEverySubBoxIsFound) {
  oracle::for_each_memory_order(3, [&](const auto& axes, const auto& backwards) {
    const Buffer whole = oracle::dense_buffer(memory.data(), float64, {2, 3, 4}, axes, backwards);
    oracle::for_each_index({2, 3, 4, 3, 4, 5}, [&](const List& v) {
      if (v[0] > v[3] || v[1] > v[4] || v[2] > v[5]) return;
      ASSERT_NO_FATAL_FAILURE(expect_order(tridap::sub_buffer(whole, {{v[0], v[3]}, {v[1], v[4]}, {v[2], v[5]}})));
    });
  });
}

TEST(MemoryOrder, DenseIsExactlyInARowWhateverTheStrides) {
  std::mt19937 random(7);
  const List strides = {-32, -24, -16, -8, 0, 8, 16, 24, 32, 48, 4};
  for (int round = 0; round < 20000; ++round) {
    Buffer buffer;
    buffer.type = float64;
    buffer.data = memory.data() + memory.size() / 2;
    for (std::size_t axis = 0; axis < 1 + static_cast<std::size_t>(round % 3); ++axis) {
      buffer.shape.push_back(static_cast<Index>(random() % 4));
      buffer.strides.push_back(strides[random() % strides.size()]);
    }
    ASSERT_NO_FATAL_FAILURE(expect_order(buffer));
  }
}

TEST(MemoryOrder, AxesFallFromTheLargestStrideToTheSmallest) {
  Buffer buffer = tridap::row_major(memory.data(), {2, 3});
  EXPECT_EQ(tridap::memory_order(buffer).axes, (List{0, 1}));
  buffer.strides = tridap::column_major_strides(buffer.shape, 1);
  EXPECT_EQ(tridap::memory_order(buffer).axes, (List{1, 0}));
  EXPECT_EQ(tridap::memory_order(buffer).reversed, (std::vector<bool>{false, false}));
  buffer.data = memory.data() + 5;
  buffer.strides = {-1, -2};
  EXPECT_EQ(tridap::memory_order(buffer).axes, (List{1, 0}));
  EXPECT_EQ(tridap::memory_order(buffer).reversed, (std::vector<bool>{true, true}));
  EXPECT_EQ(tridap::memory_order(buffer).data, memory.data());
}

TEST(MemoryOrder, ObstacleNamesTheAxisAndItsStride) {
  Buffer buffer = tridap::row_major(memory.data(), {3});
  buffer.type = float64;
  const auto obstacle = [&](const List& shape, const List& strides) {
    buffer.shape = shape;
    buffer.strides = strides;
    EXPECT_FALSE(tridap::memory_order(buffer).is_contiguous);
    return tridap::memory_order(buffer).obstacle;
  };
  EXPECT_EQ(obstacle({3}, {16}).rfind("axis 0 has stride 16 bytes", 0), 0u);
  EXPECT_EQ(obstacle({3}, {0}).rfind("axis 0 has stride 0 bytes", 0), 0u);
  EXPECT_EQ(obstacle({3, 2}, {24, 8}).rfind("axis 0 has stride 24 bytes", 0), 0u);
  EXPECT_EQ(obstacle({3, 2}, {8, 40}).rfind("axis 1 has stride 40 bytes", 0), 0u);
  EXPECT_EQ(obstacle({2, 2}, {8, 8}).find("has stride 8 bytes"), 7u);
}

TEST(MemoryOrder, ObstacleReadsAsTheHeaderSays) {
  Buffer buffer;
  buffer.data = memory.data();
  buffer.type = float64;
  buffer.shape = {3};
  buffer.strides = {16};
  EXPECT_EQ(tridap::memory_order(buffer).obstacle, "axis 0 has stride 16 bytes for 8-byte elements");
}

TEST(MemoryOrder, StridesOfSingleElementsAndOfNothingDoNotMatter) {
  Buffer buffer;
  buffer.data = memory.data();
  buffer.type = float64;
  buffer.shape = {1, 2, 1};
  buffer.strides = {-(Index{1} << 62), 8, Index{1} << 62};
  EXPECT_TRUE(tridap::memory_order(buffer).is_contiguous);
  EXPECT_EQ(tridap::memory_order(buffer).data, memory.data());
  EXPECT_EQ(tridap::memory_order(buffer).axes.back(), 1);
  buffer.shape = {5, 0, 7};
  buffer.data = nullptr;
  EXPECT_TRUE(tridap::memory_order(buffer).is_contiguous);
  EXPECT_EQ(tridap::memory_order(buffer).data, nullptr);
  buffer.shape = buffer.strides = {};
  buffer.data = memory.data();
  EXPECT_TRUE(tridap::memory_order(buffer).is_contiguous);
}

}  // namespace
