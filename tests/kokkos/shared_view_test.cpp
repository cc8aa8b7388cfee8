#include "kokkos/kokkos_environment.hpp"
#include "kokkos/support.hpp"
#include "support/thrown.hpp"
#include <tridap/kokkos/view.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace {

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;
using support::numbers;
using support::Shape;
using support::strided;
using tridap::Block;
using tridap::Buffer;
using tridap::Dimension;
using tridap::DistArray;
using tridap::Index;
using tridap::kokkos::export_buffer;
using tridap::kokkos::export_view;
using tridap::kokkos::shared_as;
using tridap::kokkos::shared_view;
using tridap::kokkos::view;

std::string refusal_before_initialisation;

const auto* const kokkos_environment = testing::AddGlobalTestEnvironment(new support::KokkosEnvironment([] {
  double memory[2] = {};
  refusal_before_initialisation = support::refusal_of([&] {
    const Buffer buffer = tridap::row_major(memory, {2}, std::make_shared<int>(1));
    shared_view<double*>(buffer);
  });
}));

/// Memory that says when it is given back.
struct Owned {
  int released = 0;
  std::vector<double> memory = numbers(24);

  std::shared_ptr<void> owner() {
    return {memory.data(), [this](void*) { ++released; }};
  }
};

TEST(SharedView, IsRefusedBeforeKokkosIsInitialised) {
  on::expect_says(refusal_before_initialisation, "not initialised");
}

template <class DataType, class Layout>
void expect_owner_lives_with(const Shape& shape) {
  Owned owned;
  {
    Kokkos::View<DataType, Layout, Kokkos::HostSpace> copy;
    {
      Buffer buffer = tridap::row_major(owned.memory.data(), shape, owned.owner());
      const auto shared = shared_view<DataType, Layout>(buffer);
      EXPECT_EQ(shared.data(), owned.memory.data());
      buffer.owner.reset();
      EXPECT_EQ(owned.released, 0);
      copy = shared;
    }
    EXPECT_EQ(owned.released, 0);
    EXPECT_EQ(copy.data(), owned.memory.data());
    EXPECT_GT(copy.use_count(), 0);
  }
  EXPECT_EQ(owned.released, 1);
}

TEST(SharedView, OwnerLivesExactlyAsLongAsTheLastCopy) {
  expect_owner_lives_with<double, LayoutStride>({});
  expect_owner_lives_with<double*, LayoutStride>({24});
  expect_owner_lives_with<double*, LayoutLeft>({24});
  expect_owner_lives_with<double**, LayoutRight>({4, 6});
  expect_owner_lives_with<const double**, LayoutRight>({4, 6});
  expect_owner_lives_with<double* [6], LayoutRight>({4, 6});
  expect_owner_lives_with<double********, LayoutRight>({1, 2, 1, 3, 1, 2, 2, 1});
  expect_owner_lives_with<double**, LayoutRight>({0, 6});
}

TEST(SharedView, OwnerLivesExactlyAsLongAsTheLastSubview) {
  Owned owned;
  {
    Kokkos::View<double*, LayoutStride, Kokkos::HostSpace> column;
    {
      Kokkos::View<double*, LayoutRight, Kokkos::HostSpace> row;
      {
        const Buffer buffer = tridap::row_major(owned.memory.data(), {4, 6}, owned.owner());
        const auto shared = shared_view<double**, LayoutRight>(buffer);
        row = Kokkos::subview(shared, 2, Kokkos::ALL());
        column = Kokkos::subview(shared, std::make_pair(1, 3), 5);
      }
      EXPECT_EQ(owned.released, 0);
      EXPECT_EQ(row(3), 15);
    }
    EXPECT_EQ(owned.released, 0);
    EXPECT_EQ(column(1), 17);
  }
  EXPECT_EQ(owned.released, 1);
}

TEST(SharedView, EveryDerivedViewSharesInTheOwner) {
  Owned owned;
  {
    Kokkos::View<const double**, LayoutRight, Kokkos::HostSpace> constant;
    decltype(Kokkos::create_mirror_view(Kokkos::View<double**, LayoutRight, Kokkos::HostSpace>())) mirror;
    std::vector<Kokkos::View<double**, LayoutRight, Kokkos::HostSpace>> many;
    {
      auto shared = shared_as<Kokkos::View<double**, LayoutRight, Kokkos::HostSpace>>(
          tridap::row_major(owned.memory.data(), {4, 6}, owned.owner()));
      constant = shared;
      mirror = Kokkos::create_mirror_view(shared);
      many.assign(50, shared);
      auto moved = std::move(shared);
      Kokkos::parallel_for("touch", Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, 4),
                           [moved](int i) { moved(i, 0) = -1; });
    }
    EXPECT_EQ(owned.released, 0);
    EXPECT_EQ(mirror.data(), owned.memory.data());
    constant = {};
    mirror = {};
    EXPECT_EQ(owned.released, 0);
    EXPECT_EQ(many[49](3, 0), -1);
  }
  EXPECT_EQ(owned.released, 1);
}

TEST(SharedView, WithoutAnOwnerOwnsNothing) {
  std::vector<double> memory = numbers(3);
  const auto shared = shared_view<double*>(tridap::row_major(memory.data(), {3}));
  EXPECT_EQ(shared.data(), memory.data());
  EXPECT_EQ(shared.use_count(), 0);
}

template <class Layout>
void expect_kokkos_steps_over_padding(const Buffer& buffer, const std::vector<double>& memory) {
  const auto padded = shared_view<double***, Layout>(buffer);
  Kokkos::deep_copy(padded, 100);
  EXPECT_EQ(std::count(memory.begin(), memory.end(), 100), 24);
  const Kokkos::View<double***, Layout, Kokkos::HostSpace> dense("dense", 2, 3, 4);
  dense(1, 2, 3) = 7;
  Kokkos::deep_copy(padded, dense);
  EXPECT_EQ(padded(1, 2, 3), 7);
  EXPECT_EQ(std::count(memory.begin(), memory.end(), 0), 23);
  Kokkos::deep_copy(dense, padded);
  EXPECT_EQ(dense(1, 2, 3), 7);
  EXPECT_EQ(std::count(memory.begin(), memory.end(), -1), static_cast<std::ptrdiff_t>(memory.size()) - 24);
}

TEST(SharedView, KokkosOwnCopiesLeavePaddingAlone) {
  std::vector<double> memory(80, -1);
  const Shape rows = support::pads_last_rows ? Shape{15, 5, 1} : Shape{17, 4, 1};
  expect_kokkos_steps_over_padding<LayoutRight>(strided(memory.data(), {2, 3, 4}, rows), memory);
  memory.assign(80, -1);
  expect_kokkos_steps_over_padding<LayoutLeft>(strided(memory.data(), {2, 3, 4}, {1, 5, 15}), memory);
}

/// Kokkos' own padding, exported and imported again, is the same view.
template <class Layout>
void expect_own_padding_comes_back(std::size_t a, std::size_t b, std::size_t c) {
  const Kokkos::View<double***, Layout, Kokkos::HostSpace> own(Kokkos::view_alloc("own", Kokkos::AllowPadding), a, b,
                                                               c);
  ASSERT_FALSE(own.span_is_contiguous());
  const Buffer buffer = export_buffer(own);
  const auto back = shared_view<double***, Layout>(buffer);
  EXPECT_EQ(back.span(), own.span());
  for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(back.stride(axis), own.stride(axis));
  EXPECT_EQ(&back(1, 1, 1), &own(1, 1, 1));
}

TEST(SharedView, PaddingOfKokkosOwnComesBack) {
  expect_own_padding_comes_back<LayoutLeft>(101, 3, 2);
  expect_own_padding_comes_back<LayoutRight>(3, 2, 51);
}

TEST(SharedView, ReleasesTheOwnerOfARefusedBuffer) {
  Owned owned;
  EXPECT_REFUSED((shared_view<float*>(tridap::row_major(owned.memory.data(), {3}, owned.owner()))), "float64");
  EXPECT_REFUSED((shared_view<double*, LayoutRight>(strided(owned.memory.data(), {3}, {2}, owned.owner()))), "stride");
  EXPECT_EQ(owned.released, 2);
}

TEST(ExportBuffer, ManagedViewLivesAsLongAsTheBuffer) {
  Buffer buffer;
  {
    const Kokkos::View<double**, LayoutRight, Kokkos::HostSpace> managed("managed", 3, 4);
    managed(2, 1) = 21;
    buffer = export_buffer(managed);
    EXPECT_EQ(managed.use_count(), 2);
    EXPECT_EQ(buffer.data, managed.data());
  }
  EXPECT_EQ(buffer.shape, (Shape{3, 4}));
  EXPECT_EQ(buffer.strides, (Shape{32, 8}));
  EXPECT_EQ(buffer.type, tridap::element_type<double>());
  EXPECT_FALSE(buffer.read_only);
  EXPECT_EQ(buffer.memory.kind, tridap::Memory::Kind::host);
  EXPECT_EQ(static_cast<double*>(buffer.data)[9], 21);  // under AddressSanitizer: still allocated
  const Kokkos::View<double**, LayoutRight, Kokkos::HostSpace> again = shared_view<double**, LayoutRight>(buffer);
  buffer = {};
  EXPECT_EQ(again(2, 1), 21);
}

TEST(ExportBuffer, OwnerGivenIsKeptInsteadOfTheView) {
  Owned owned;
  {
    const Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> unmanaged(
        owned.memory.data(), 5);
    const Buffer buffer = export_buffer(unmanaged, owned.owner());
    EXPECT_EQ(buffer.data, owned.memory.data());
    EXPECT_EQ(buffer.owner.use_count(), 1);
    EXPECT_EQ(owned.released, 0);
  }
  EXPECT_EQ(owned.released, 1);
}

TEST(ExportBuffer, UnmanagedViewWithoutAnOwnerIsRefused) {
  std::vector<double> memory = numbers(5);
  const Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> unmanaged(memory.data(), 5);
  const Kokkos::View<double*, Kokkos::HostSpace> of_pointer(memory.data(), 5);
  const Buffer buffer = tridap::row_major(memory.data(), {5});
  EXPECT_REFUSED(export_buffer(unmanaged), "pass the owner of its memory");
  EXPECT_REFUSED(export_buffer(of_pointer), "unmanaged");
  EXPECT_REFUSED(export_buffer(view<double*>(buffer)), "unmanaged");
  EXPECT_EQ(export_buffer(Kokkos::View<double*, Kokkos::HostSpace>()).shape, Shape{0});
}

// Kokkos gives such a view the use_count of the one it was made from, but no share in it.
TEST(ExportBuffer, UnmanagedViewOfAManagedOneWithoutAnOwnerIsRefused) {
  const Kokkos::View<double*, Kokkos::HostSpace> managed("managed", 5);
  const Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> borrowed = managed;
  const Kokkos::View<double*, Kokkos::HostSpace> of_borrowed = borrowed;
  EXPECT_REFUSED(export_buffer(borrowed), "unmanaged");
  EXPECT_REFUSED(export_buffer(of_borrowed), "unmanaged");
}

TEST(ExportBuffer, SubviewHasItsStridesInBytes) {
  Buffer every_other, row, scalar;
  {
    const Kokkos::View<float***, LayoutRight, Kokkos::HostSpace> managed("managed", 2, 3, 4);
    for (int i = 0; i < 24; ++i) managed.data()[i] = static_cast<float>(i);
    const Kokkos::View<float***, LayoutStride, Kokkos::HostSpace> strided_view = managed;
    const auto part = Kokkos::subview(managed, Kokkos::ALL(), 1, std::make_pair(1, 3));
    every_other = export_buffer(part);
    row = export_buffer(Kokkos::subview(strided_view, 1, Kokkos::ALL(), 2));
    scalar = export_buffer(Kokkos::subview(managed, 1, 2, 3));
  }
  EXPECT_EQ(every_other.shape, (Shape{2, 2}));
  EXPECT_EQ(every_other.strides, (Shape{48, 4}));
  EXPECT_EQ(row.shape, Shape{3});
  EXPECT_EQ(row.strides, Shape{16});
  EXPECT_EQ(scalar.shape, Shape{});
  EXPECT_EQ(static_cast<float*>(every_other.data)[0], 5);
  EXPECT_EQ(static_cast<float*>(row.data)[8], 22);
  EXPECT_EQ(*static_cast<float*>(scalar.data), 23);
}

TEST(ExportBuffer, ColumnMajorPaddedConstAndStaticViewsSaySo) {
  const Kokkos::View<int**, LayoutLeft, Kokkos::HostSpace> left("left", 2, 3);
  EXPECT_EQ(export_buffer(left).strides, (Shape{4, 8}));
  const Kokkos::View<double**, LayoutLeft, Kokkos::HostSpace> padded(Kokkos::view_alloc("padded", Kokkos::AllowPadding),
                                                                     101, 3);
  EXPECT_EQ(export_buffer(padded).strides, (Shape{8, 8 * static_cast<Index>(padded.stride(1))}));
  const Kokkos::View<const int**, LayoutLeft, Kokkos::HostSpace> constant = left;
  EXPECT_TRUE(export_buffer(constant).read_only);
  EXPECT_EQ(export_buffer(constant).type, tridap::element_type<int>());
  const Kokkos::View<double* [3], LayoutRight, Kokkos::HostSpace> fixed("fixed", 2);
  EXPECT_EQ(export_buffer(fixed).shape, (Shape{2, 3}));
  EXPECT_EQ(export_buffer(fixed).strides, (Shape{24, 8}));
  const Kokkos::View<Kokkos::complex<double>*, Kokkos::HostSpace> numbers_of_two("complex", 2);
  EXPECT_EQ(export_buffer(numbers_of_two).type, tridap::element_type<std::complex<double>>());
  const Kokkos::View<double********, LayoutRight, Kokkos::HostSpace> deep("deep", 1, 2, 1, 2, 1, 2, 1, 2);
  EXPECT_EQ(export_buffer(deep).strides, (Shape{128, 64, 64, 32, 32, 16, 16, 8}));
}

TEST(ExportBuffer, ViewsWithoutElementsAreValidBuffers) {
  using Extents = std::pair<std::size_t, std::size_t>;
  for (const auto& [rows, columns] : {Extents{0, 3}, Extents{3, 0}, Extents{0, 0}}) {
    DistArray array;
    array.buffer = export_buffer(Kokkos::View<double**, LayoutRight, Kokkos::HostSpace>("none", rows, columns));
    array.dim_data = {tridap::undistributed(static_cast<Index>(rows)),
                      tridap::undistributed(static_cast<Index>(columns))};
    EXPECT_EQ(tridap::check(array).text(), "");
    array.buffer = export_buffer(Kokkos::View<double**, LayoutLeft, Kokkos::HostSpace>("none", rows, columns));
    EXPECT_EQ(tridap::check(array).text(), "");
  }
}

/// Rows [2, 5) of 8, over three processes.
std::vector<Dimension> three_rows_of_eight() {
  Dimension rows;
  rows.size = 8;
  rows.proc_grid_size = 3;
  rows.proc_grid_rank = 1;
  rows.dist = Block{2, 5, {}};
  return {rows, tridap::undistributed(4)};
}

TEST(ExportView, DimDataThatDoesNotFitIsRefused) {
  const Kokkos::View<double**, LayoutRight, Kokkos::HostSpace> managed("managed", 3, 4), other("other", 3, 5);
  const Kokkos::View<double*, LayoutRight, Kokkos::HostSpace> flat("flat", 12);
  EXPECT_EQ(export_view(managed, three_rows_of_eight()).ndim(), 2);
  EXPECT_REFUSED(export_view(other, three_rows_of_eight()), "axis 1: the buffer's extent is 5");
  EXPECT_REFUSED(export_view(flat, three_rows_of_eight()), "shape.ndim");
  std::vector<Dimension> wrong = three_rows_of_eight();
  wrong[0].proc_grid_rank = 3;
  EXPECT_REFUSED(export_view(managed, wrong), "proc_grid_rank");
  EXPECT_REFUSED(export_view(managed, {}), "shape.ndim");
  EXPECT_EQ(managed.use_count(), 1);
}

TEST(ExportView, RoundTripIsTheSameMemory) {
  Owned owned;
  {
    DistArray back;
    {
      DistArray array;
      array.dim_data = three_rows_of_eight();
      array.buffer = strided(owned.memory.data(), {3, 4}, {1, 5}, owned.owner());
      const auto shared = shared_view<double**>(array.buffer);
      shared(2, 3) = -1;
      back = export_view(shared, array.dim_data);
      const DistArray borrowed = export_view(view<double**>(array), array.dim_data, array.buffer.owner);
      EXPECT_EQ(borrowed.buffer.data, array.buffer.data);
      EXPECT_EQ(borrowed.buffer.strides, array.buffer.strides);
    }
    EXPECT_EQ(owned.released, 0);
    EXPECT_EQ(owned.memory[17], -1);
    EXPECT_EQ(back.version, "0.10.0");
    EXPECT_EQ(back.buffer.data, owned.memory.data());
    EXPECT_EQ(back.buffer.shape, (Shape{3, 4}));
    EXPECT_EQ(back.buffer.strides, (Shape{8, 40}));
    EXPECT_EQ(std::get<Block>(back.dim_data[0].dist).start, 2);
    EXPECT_EQ(view<double**>(back)(2, 3), -1);
  }
  EXPECT_EQ(owned.released, 1);
}

TEST(ExportBuffer, AnOwnerBesideAManagedViewIsKeptWithIt) {
  const auto owner = std::make_shared<int>(1);
  Buffer buffer;
  {
    const Kokkos::View<double*, Kokkos::HostSpace> managed("managed", 3);
    managed(2) = 5;
    buffer = export_buffer(managed, owner);
  }
  EXPECT_EQ(static_cast<double*>(buffer.data)[2], 5);
  EXPECT_EQ(owner.use_count(), 2);
  buffer = {};
  EXPECT_EQ(owner.use_count(), 1);
}

}  // namespace
