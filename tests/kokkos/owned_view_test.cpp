#include "kokkos/support.hpp"
#include "support/oracle.hpp"
#include <tridap/kokkos/view.hpp>

#include <gtest/gtest.h>

namespace {

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using support::Shape;
using tridap::Block;
using tridap::DistArray;
using tridap::Index;
using tridap::Part;
using tridap::kokkos::owned_view;
using tridap::kokkos::view;

template <class Argument, class = void>
struct CanOwn : std::false_type {};
template <class Argument>
struct CanOwn<Argument, std::void_t<decltype(owned_view<double*>(std::declval<Argument>()))>> : std::true_type {};
static_assert(CanOwn<DistArray&>::value && CanOwn<const DistArray&>::value);
static_assert(!CanOwn<DistArray>::value && !CanOwn<const DistArray>::value);

/// Process `rank` of two axes; each element is 100 times its global row plus its global column.
struct Share {
  std::vector<double> memory;
  DistArray array;

  Share(const oracle::Array& whole, Index rank) {
    const oracle::List shape = whole.local_shape(rank);
    for (const auto& element : whole.elements(rank, Part::local))
      memory.push_back(static_cast<double>(100 * element.global[0] + element.global[1]));
    for (std::size_t axis = 0; axis < 2; ++axis)
      array.dim_data.push_back(whole.axes[axis].dims[static_cast<std::size_t>(whole.coordinates(rank)[axis])]);
    array.buffer = tridap::row_major(memory.data(), shape);
  }
};

TEST(OwnedView, OfEveryMixOfAxesHasExactlyTheOwnedElements) {
  for (const oracle::Axis& rows : oracle::mixed_axes())
    for (const oracle::Axis& columns : oracle::mixed_axes()) {
      const oracle::Array whole({rows, columns});
      for (Index rank = 0; rank < whole.processes(); ++rank) {
        const Share share(whole, rank);
        const auto v = owned_view<double**>(share.array);
        const auto right = owned_view<const double**, LayoutRight>(share.array);
        const auto owned = whole.elements(rank, Part::owned);
        ASSERT_EQ(v.size(), owned.size());
        ASSERT_EQ(right.size(), owned.size());
        std::size_t next = 0;
        for (std::size_t i = 0; i < v.extent(0); ++i)
          for (std::size_t j = 0; j < v.extent(1); ++j, ++next) {
            const auto value = static_cast<double>(100 * owned[next].global[0] + owned[next].global[1]);
            ASSERT_EQ(v(i, j), value);
            ASSERT_EQ(&right(i, j), &v(i, j));
          }
      }
    }
}

/// Local 5 of which one on each side is the neighbours'.
DistArray padded(std::vector<double>& memory, const std::string& version = "0.10.0") {
  DistArray array;
  array.version = version;
  const bool inside = version == "0.10.0";
  tridap::Dimension d = oracle::dimension(9, 3, 1);
  d.dist = Block{inside ? 2 : 3, inside ? 7 : 6, {{1, 1}}};
  array.dim_data = {d};
  array.buffer = tridap::row_major(memory.data(), {5});
  return array;
}

TEST(OwnedView, IsTheArraysOwnMemoryInBothVersions) {
  std::vector<double> memory = support::numbers(5);
  for (const char* version : {"0.10.0", "0.9.0"}) {
    const DistArray array = padded(memory, version);
    const auto v = owned_view<double*, LayoutLeft>(array);
    EXPECT_EQ(v.data(), memory.data() + 1);
    EXPECT_EQ(v.extent(0), 3u);
    EXPECT_EQ(view<double*>(array).extent(0), 5u);
  }
}

TEST(OwnedView, OfAnArrayWithoutAxesIsItsElement) {
  double value = 7;
  DistArray array;
  array.buffer = tridap::row_major(&value, {});
  EXPECT_EQ(&owned_view<double>(array)(), &value);
}

TEST(OwnedView, ChecksTheWholeArray) {
  std::vector<double> memory = support::numbers(6);
  DistArray array = padded(memory);
  array.buffer.shape = {6};
  EXPECT_REFUSED(owned_view<double*>(array), "axis 0: the buffer's extent is 6");
  array = padded(memory);
  std::get<Block>(array.dim_data[0].dist).stop = 12;
  EXPECT_REFUSED(owned_view<double*>(array), "block.bounds");
  array = padded(memory);
  array.version = "1.0";
  EXPECT_REFUSED(owned_view<double*>(array), "1.0");
  array = padded(memory);
  array.buffer.data = nullptr;
  array.buffer.memory.kind = tridap::Memory::Kind::nowhere;
  EXPECT_REFUSED(owned_view<double*>(array), "described only");
  array = padded(memory);
  EXPECT_REFUSED(owned_view<float*>(array), "float64");
}

}  // namespace
