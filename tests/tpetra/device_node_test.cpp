#include "tpetra/stand_in_spaces.hpp"
#include "tpetra/support.hpp"

using namespace tpetra_test;
using tridap::Copy;
using tridap::tpetra::ArrayMap;
using tridap::tpetra::detail::dual_view;
using tridap::tpetra::detail::ImportRequest;
using tridap::tpetra::detail::over_host;
using tridap::tpetra::detail::PreparedImport;

namespace {

template <class Space>
using Dual = Kokkos::DualView<double**, Kokkos::LayoutLeft, typename Space::device_type>;
using Far = Dual<stand_in::Far>;

static_assert(over_host<Kokkos::HostSpace> && !over_host<stand_in::Far> && !over_host<stand_in::Managed>);

ImportRequest on_far(ImportRequest::Form form, Copy copy) {
  return {form, tridap::element_type<double>(), true, copy, tridap::tpetra::detail::node_memory<stand_in::Far>()};
}

oracle::Array threes() {
  return oracle::Array({oracle::block(oracle::List(static_cast<std::size_t>(processes()), 2)), oracle::block({3})});
}

const double* raw(const tridap::DistArray& array) { return static_cast<const double*>(array.buffer.data); }

}  // namespace

TEST(DeviceNode, HostMemoryIsRefusedUnderNeverOnEveryProcess) {
  const tridap::DistArray part = stamped(threes());
  const ImportRequest wanted = on_far(ImportRequest::Form::vector, Copy::never);
  const std::string text = refusal([&] { PreparedImport(part, MPI_COMM_WORLD, {}, wanted).dense(); });
  expect_says(text, "copy=never, but a Vector of this node is in Far memory and the buffer is in host memory");
  expect_says(text, "pass copy=if_needed, or take a node type whose vectors are in host memory");
  const ArrayMap layout(part, MPI_COMM_WORLD);
  EXPECT_EQ(refusal([&] { PreparedImport(part, layout, wanted).dense(); }), text);
}

TEST(DeviceNode, ACopyIsFilledOnTheHostAndMarkedAsNewerThere) {
  const tridap::DistArray part = stamped(threes());
  for (const Copy copy : {Copy::if_needed, Copy::always}) {
    const PreparedImport arrival(part, MPI_COMM_WORLD, {}, on_far(ImportRequest::Form::vector, copy));
    auto dense = arrival.dense();
    const auto made = dual_view<Far>(dense.buffer);
    EXPECT_NE(static_cast<const void*>(made.d_view.data()), part.buffer.data);
    EXPECT_NE(static_cast<const void*>(made.h_view.data()), part.buffer.data);
    EXPECT_TRUE(made.need_sync_device());
    ASSERT_EQ(made.extent(0), 6U);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(made.h_view(i, 0), raw(part)[i]);
    const tridap::Receipt receipt = arrival.receipt(std::move(dense));
    EXPECT_FALSE(receipt.shared);
    EXPECT_FALSE(receipt.same_address);
    EXPECT_EQ(receipt.bytes_copied, 48);
  }
}

TEST(DeviceNode, MemoryThatBothReachIsFilledOnce) {
  const tridap::DistArray part = stamped(threes());
  const PreparedImport arrival(part, MPI_COMM_WORLD, {}, on_far(ImportRequest::Form::vector, Copy::if_needed));
  const auto made = dual_view<Dual<stand_in::Managed>>(arrival.dense().buffer);
  EXPECT_EQ(made.d_view.data(), made.h_view.data());
  EXPECT_NE(static_cast<const void*>(made.d_view.data()), part.buffer.data);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(made.h_view(i, 0), raw(part)[i]);
}

TEST(DeviceNode, ColumnsApartInMemoryAreCopiedColumnByColumn) {
  tridap::DistArray part = stamped(threes());
  turn(part.buffer, {1, 0}, {false, false});  // column-major: what stands there is then of no matter
  const PreparedImport arrival(part, MPI_COMM_WORLD, {}, on_far(ImportRequest::Form::multivector, Copy::if_needed));
  const auto made = dual_view<Far>(arrival.dense().buffer);
  ASSERT_EQ(made.extent(1), 3U);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_EQ(made.h_view(i, j), element_at(part.buffer, {static_cast<Index>(i), static_cast<Index>(j)}));
}

TEST(DeviceNode, ReadOnlyAndStridedMemoryAreCopiedToo) {
  tridap::DistArray part = stamped(threes());
  part.buffer.read_only = true;
  tridap::Buffer wide = tridap::allocate(part.buffer.type, {2, 5});
  wide.shape[1] = 3;
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 3; ++j) element_at(wide, {i, j}) = element_at(part.buffer, {i, j});
  tridap::DistArray strided = part;
  strided.buffer = wide;
  for (const tridap::DistArray& array : {part, strided}) {
    const PreparedImport arrival(array, MPI_COMM_WORLD, {}, on_far(ImportRequest::Form::vector, Copy::if_needed));
    const auto dense = arrival.dense();
    const auto made = dual_view<Far>(dense.buffer);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(made.h_view(i, 0), raw(part)[i]);
    EXPECT_EQ(dense.receipt.bytes_copied, 48);
  }
}

TEST(DeviceNode, AnEmptyShareIsNoObstacleOfItsOwn) {
  oracle::List counts(static_cast<std::size_t>(processes()), 2);
  counts.back() = 0;
  const tridap::DistArray part = stamped(oracle::Array({oracle::block(counts)}));
  const PreparedImport arrival(part, MPI_COMM_WORLD, {}, on_far(ImportRequest::Form::vector, Copy::if_needed));
  const auto made = dual_view<Far>(arrival.dense().buffer);
  EXPECT_EQ(made.extent(0), static_cast<std::size_t>(counts[static_cast<std::size_t>(rank())]));
}

TEST(DeviceNode, APaddedArraysInteriorIsPartOfTheCopyOfTheWhole) {
  for (const oracle::Axis& axis : padded_axes(processes())) {
    const tridap::DistArray part = stamped(oracle::Array({axis}));
    const tridap::tpetra::PaddedArrayMap layout(part, MPI_COMM_WORLD);
    const auto never = on_far(ImportRequest::Form::vector, Copy::never);
    expect_refused([&] { dense_padded(part, layout, never); }, "in Far memory");
    const auto dense = dense_padded(part, layout, on_far(ImportRequest::Form::vector, Copy::if_needed));
    EXPECT_TRUE(dense.interior_obstacle.ok());
    const auto whole = dual_view<Far>(dense.whole.buffer);
    const auto interior = tridap::tpetra::detail::within(whole, dense.whole.buffer, dense.interior.buffer);
    const auto first = (static_cast<const double*>(dense.interior.buffer.data) - raw(part));
    EXPECT_EQ(interior.h_view.data(), whole.h_view.data() + first);
    EXPECT_EQ(interior.d_view.data(), whole.d_view.data() + first);
    EXPECT_EQ(interior.extent(0), tridap::tpetra::compat::local_count(*layout.interior().map()));
    EXPECT_TRUE(interior.need_sync_device());
  }
}

TEST(DeviceNode, ANodeOfTheHostStillSharesTheMemory) {
  const tridap::DistArray part = stamped(threes());
  const auto made = dual_view<tridap::tpetra::detail::DualView<double>>(
      PreparedImport(part, MPI_COMM_WORLD, {},
                     tridap::tpetra::detail::wanted<double>(ImportRequest::Form::vector, Copy::never))
          .dense()
          .buffer);
  EXPECT_EQ(static_cast<const void*>(made.d_view.data()), part.buffer.data);
  EXPECT_EQ(static_cast<const void*>(made.h_view.data()), part.buffer.data);
}
