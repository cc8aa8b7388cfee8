#include "support/stand_in_driver.hpp"
#include "tpetra/stand_in_spaces.hpp"
#include "tpetra/support.hpp"
#include <tridap/internal/driver.hpp>

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

constexpr tridap::Memory cuda{tridap::Memory::Kind::cuda, 0};

// The array with its elements in memory of the device.
tridap::DistArray on_device(tridap::DistArray array) {
  stand_in::Driver::loaded();
  array.buffer = tridap::driver::copy_to(array.buffer, cuda);
  return array;
}

std::vector<double> values_of(const tridap::Buffer& buffer) {
  const tridap::Buffer host = buffer.memory.is_on_host() ? buffer : tridap::driver::copy_to(buffer, {});
  std::vector<double> values(static_cast<std::size_t>(element_count(host)));
  pack(host, values.data());
  return values;
}

ImportRequest on_host(Copy copy) { return tridap::tpetra::detail::wanted<double>(ImportRequest::Form::vector, copy); }

// The part of a Tpetra vector that export_array() uses, on a node with memory of a device: with Tpetra's rules for the
// two sides of a vector. An access brings its side up to date, and throws as long as a view of the other side is alive.
class FarVector {
 public:
  using scalar_type = double;
  using dual_view_type = Far;
  using execution_space = Kokkos::HostSpace::execution_space;

  explicit FarVector(Far dual) : dual_(std::move(dual)) {}

  bool isConstantStride() const { return true; }
  std::size_t getLocalLength() const { return dual_.extent(0); }
  std::size_t getNumVectors() const { return dual_.extent(1); }
  std::size_t getStride() const { return dual_.view_device().stride(1); }
  bool need_sync_host() const { return dual_.need_sync_host(); }
  bool need_sync_device() const { return dual_.need_sync_device(); }
  Teuchos::RCP<FarVector> getVector(std::size_t) const { return Teuchos::null; }
  auto getLocalViewHost(Tpetra::Access::ReadWriteStruct) {
    const auto view = getLocalViewHost(Tpetra::Access::ReadOnly);
    dual_.clear_sync_state();
    dual_.modify_host();
    return Far::t_host(dual_.view_host());
  }
  auto getLocalViewDevice(Tpetra::Access::ReadWriteStruct) {
    const auto view = getLocalViewDevice(Tpetra::Access::ReadOnly);
    dual_.clear_sync_state();
    dual_.modify_device();
    return Far::t_dev(dual_.view_device());
  }
  Far::t_host::const_type getLocalViewHost(Tpetra::Access::ReadOnlyStruct) const {
    if (dual_.view_device().use_count() > dual_.view_host().use_count())
      throw std::runtime_error("a view of the device is alive");
    if (need_sync_host()) {
      tridap::driver::copy(device(), host());
      dual_.clear_sync_state();
    }
    return dual_.view_host();
  }
  Far::t_dev::const_type getLocalViewDevice(Tpetra::Access::ReadOnlyStruct) const {
    if (dual_.view_host().use_count() > dual_.view_device().use_count())
      throw std::runtime_error("a view of the host is alive");
    if (need_sync_device()) {
      tridap::driver::copy(host(), device());
      dual_.clear_sync_state();
    }
    return dual_.view_device();
  }

  tridap::Buffer host() const { return side(dual_.view_host().data(), {}); }
  tridap::Buffer device() const { return side(dual_.view_device().data(), cuda); }

 private:
  tridap::Buffer side(double* data, tridap::Memory memory) const {
    tridap::Buffer buffer = tridap::row_major<double>(data, {static_cast<Index>(dual_.view_device().size())});
    buffer.memory = memory;
    return buffer;
  }

  mutable Far dual_;
};

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
    EXPECT_NE(static_cast<const void*>(made.view_device().data()), part.buffer.data);
    EXPECT_NE(static_cast<const void*>(made.view_host().data()), part.buffer.data);
    EXPECT_TRUE(made.need_sync_device());
    ASSERT_EQ(made.extent(0), 6U);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(made.view_host()(i, 0), raw(part)[i]);
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
  EXPECT_EQ(made.view_device().data(), made.view_host().data());
  EXPECT_NE(static_cast<const void*>(made.view_device().data()), part.buffer.data);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(made.view_host()(i, 0), raw(part)[i]);
}

TEST(DeviceNode, ColumnsApartInMemoryAreCopiedColumnByColumn) {
  tridap::DistArray part = stamped(threes());
  turn(part.buffer, {1, 0}, {false, false});  // column-major: what stands there is then of no matter
  const PreparedImport arrival(part, MPI_COMM_WORLD, {}, on_far(ImportRequest::Form::multivector, Copy::if_needed));
  const auto made = dual_view<Far>(arrival.dense().buffer);
  ASSERT_EQ(made.extent(1), 3U);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_EQ(made.view_host()(i, j), element_at(part.buffer, {static_cast<Index>(i), static_cast<Index>(j)}));
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
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(made.view_host()(i, 0), raw(part)[i]);
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
    EXPECT_EQ(interior.view_host().data(), whole.view_host().data() + first);
    EXPECT_EQ(interior.view_device().data(), whole.view_device().data() + first);
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
  EXPECT_EQ(static_cast<const void*>(made.view_device().data()), part.buffer.data);
  EXPECT_EQ(static_cast<const void*>(made.view_host().data()), part.buffer.data);
}

TEST(DeviceNode, ADeviceArrayIsTheDevicesSideOfTheVector) {
  const tridap::DistArray part = on_device(stamped(threes()));
  const PreparedImport arrival(part, MPI_COMM_WORLD, {}, on_far(ImportRequest::Form::vector, Copy::never));
  auto dense = arrival.dense();
  const long owners = part.buffer.owner.use_count();
  {
    const auto made = dual_view<Far>(dense.buffer);
    EXPECT_EQ(static_cast<const void*>(made.view_device().data()), part.buffer.data);
    EXPECT_NE(static_cast<const void*>(made.view_host().data()), part.buffer.data);
    EXPECT_EQ(made.extent(0), 6U);
    EXPECT_TRUE(made.need_sync_host());
    EXPECT_FALSE(made.need_sync_device());
    EXPECT_GT(part.buffer.owner.use_count(), owners);
  }
  EXPECT_EQ(part.buffer.owner.use_count(), owners);
  const tridap::Receipt receipt = arrival.receipt(std::move(dense));
  EXPECT_TRUE(receipt.shared && receipt.same_address);
  EXPECT_EQ(receipt.bytes_copied, 0);
}

// The host and the device copy the whole of a vector from each other, as one piece.
TEST(DeviceNode, DeviceColumnsApartAreOnePieceInACopyOnTheDevice) {
  tridap::DistArray part = stamped(threes());
  part.buffer = stand_in::numbers({3, 5});
  part.buffer.shape = {2, 3};
  part.buffer.strides = {8, 40};  // columns of 2, 5 elements apart
  const auto never = on_far(ImportRequest::Form::multivector, Copy::never);
  expect_refused([&] { PreparedImport(part, MPI_COMM_WORLD, {}, never).dense(); },
                 "vectors without memory between them");
  const PreparedImport arrival(part, MPI_COMM_WORLD, {}, on_far(ImportRequest::Form::multivector, Copy::if_needed));
  const auto packed = arrival.dense();
  EXPECT_EQ(values_of(packed.buffer), (std::vector<double>{0, 5, 10, 1, 6, 11}));  // row-major
  part.buffer.strides = {8, 16};
  const PreparedImport again(part, MPI_COMM_WORLD, {}, never);
  const auto made = dual_view<Far>(again.dense().buffer);
  EXPECT_EQ(static_cast<const void*>(made.view_device().data()), part.buffer.data);
  EXPECT_TRUE(made.view_device().span_is_contiguous() && made.view_host().span_is_contiguous());
}

TEST(DeviceNode, AnEmptyShareInDeviceMemoryIsNoObstacle) {
  oracle::List counts(static_cast<std::size_t>(processes()), 2);
  counts.back() = 0;
  for (const bool owned : {true, false}) {
    tridap::DistArray part = on_device(stamped(oracle::Array({oracle::block(counts)})));
    const std::shared_ptr<void> kept = part.buffer.owner;
    if (!owned) part.buffer.owner = nullptr;
    const auto imported = tridap::tpetra::import_vector<double>(part, MPI_COMM_WORLD, Copy::if_needed);
    EXPECT_EQ(imported.vector->getLocalLength(), static_cast<std::size_t>(counts[static_cast<std::size_t>(rank())]));
    const PreparedImport arrival(part, MPI_COMM_WORLD, {}, on_far(ImportRequest::Form::vector, Copy::never));
    FarVector vector(dual_view<Far>(arrival.dense().buffer));
    vector.getLocalViewHost(Tpetra::Access::ReadWrite);
    vector.getLocalViewDevice(Tpetra::Access::ReadWrite);
    EXPECT_EQ(vector.getLocalLength(), static_cast<std::size_t>(counts[static_cast<std::size_t>(rank())]));
  }
}

TEST(DeviceNode, DeviceMemoryWithGapsIsPackedOnTheDevice) {
  tridap::DistArray part = stamped(threes());
  part.buffer = stand_in::numbers({2, 7});
  part.buffer.shape = {2, 3};
  part.buffer.strides = {56, 16};  // elements 2 apart, rows 7 apart
  const auto never = on_far(ImportRequest::Form::vector, Copy::never);
  expect_refused([&] { PreparedImport(part, MPI_COMM_WORLD, {}, never).dense(); }, "copy=never, but a Vector needs");
  const PreparedImport arrival(part, MPI_COMM_WORLD, {}, on_far(ImportRequest::Form::vector, Copy::if_needed));
  auto dense = arrival.dense();
  EXPECT_EQ(dense.buffer.memory.name(), "cuda:0");
  EXPECT_EQ(values_of(dense.buffer), (std::vector<double>{0, 2, 4, 7, 9, 11}));
  const auto made = dual_view<Far>(dense.buffer);
  EXPECT_EQ(static_cast<const void*>(made.view_device().data()), dense.buffer.data);
  EXPECT_TRUE(made.need_sync_host());
  EXPECT_EQ(arrival.receipt(std::move(dense)).bytes_copied, 48);
}

TEST(DeviceNode, DeviceMemoryIsCopiedToANodeOfTheHostIfAsked) {
  const tridap::DistArray host = stamped(threes()), part = on_device(host);
  const std::string text = refusal([&] { PreparedImport(part, MPI_COMM_WORLD, {}, on_host(Copy::never)).dense(); });
  expect_says(text, "copy=never, but a Vector of this node is in host memory and the buffer is in cuda:0 memory");
  expect_says(text, "pass copy=if_needed, or copy it to host memory");
  const PreparedImport arrival(part, MPI_COMM_WORLD, {}, on_host(Copy::if_needed));
  auto dense = arrival.dense();
  EXPECT_TRUE(dense.buffer.memory.is_on_host());
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(static_cast<const double*>(dense.buffer.data)[i], raw(host)[i]);
  const tridap::Receipt receipt = arrival.receipt(std::move(dense));
  EXPECT_FALSE(receipt.shared);
  EXPECT_EQ(receipt.bytes_copied, 48);
  const auto imported = tridap::tpetra::import_vector<double>(part, MPI_COMM_WORLD, Copy::if_needed);
  const auto values = imported.vector->getLocalViewHost(Tpetra::Access::ReadOnly);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(values(i, 0), raw(host)[i]);
}

// A stream is named that wrote the array, or not; the import ends with the values there, or without them.
TEST(DeviceNode, AnImportWaitsForTheStreamThatIsNamed) {
  for (const tridap::DeviceStream stream :
       {tridap::DeviceStream(), tridap::DeviceStream(-1), tridap::DeviceStream(600)}) {
    const std::vector<double> expected =
        stream.number == 600 ? std::vector<double>{0, 1, 2, 3, 4, 5} : std::vector<double>(6);
    const auto late = [&] {
      tridap::DistArray part = stamped(threes());
      part.buffer = stand_in::numbers({2, 3}, cuda, stand_in::device, 600);
      return part;
    };
    auto wanted = on_far(ImportRequest::Form::vector, Copy::never);
    wanted.stream = stream;
    const tridap::DistArray shared = late();
    PreparedImport(shared, MPI_COMM_WORLD, {}, wanted).dense();
    EXPECT_EQ(values_of(shared.buffer), expected);
    wanted.copy = Copy::always;
    EXPECT_EQ(values_of(PreparedImport(late(), MPI_COMM_WORLD, {}, wanted).dense().buffer), expected);
    const auto imported = tridap::tpetra::import_vector<double>(late(), MPI_COMM_WORLD, {Copy::if_needed, stream});
    const auto values = imported.vector->getLocalViewHost(Tpetra::Access::ReadOnly);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(values(i, 0), expected[i]);
  }
}

TEST(DeviceNode, AStreamThatOneProcessGetsWrongIsAnErrorOnAll) {
  const tridap::DistArray part = on_device(stamped(threes()));
  const tridap::DeviceStream stream = rank() == processes() - 1 ? Index{0} : Index{1};
  expect_refused(
      [&] {
        tridap::tpetra::import_vector<double>(part, MPI_COMM_WORLD, {Copy::if_needed, stream});
      },
      "the stream is 0, must be 1 (the legacy default stream), 2");
}

TEST(DeviceNode, AnotherDeviceIsRefused) {
  tridap::DistArray part = on_device(stamped(threes()));
  auto other = on_far(ImportRequest::Form::vector, Copy::if_needed);
  other.node.device = 1;
  expect_refused([&] { PreparedImport(part, MPI_COMM_WORLD, {}, other).dense(); }, "copy it to the node's memory");
}

TEST(DeviceNode, APaddedDeviceArrayIsSharedWithItsInterior) {
  for (const oracle::Axis& axis : padded_axes(processes())) {
    const tridap::DistArray part = on_device(stamped(oracle::Array({axis})));
    const tridap::tpetra::PaddedArrayMap layout(part, MPI_COMM_WORLD);
    const auto dense = dense_padded(part, layout, on_far(ImportRequest::Form::vector, Copy::never));
    ASSERT_TRUE(dense.interior_obstacle.ok());
    const auto whole = dual_view<Far>(dense.whole.buffer);
    const auto interior = tridap::tpetra::detail::within(whole, dense.whole.buffer, dense.interior.buffer);
    const auto first = static_cast<const double*>(dense.interior.buffer.data) - raw(part);
    EXPECT_EQ(static_cast<const void*>(whole.view_device().data()), part.buffer.data);
    EXPECT_EQ(interior.view_device().data(), whole.view_device().data() + first);
    EXPECT_EQ(interior.view_host().data(), whole.view_host().data() + first);
  }
}

TEST(DeviceNode, AnExportIsOverTheSideThatIsAskedFor) {
  using tridap::tpetra::Side;
  using tridap::tpetra::detail::columns;
  const tridap::DistArray part = on_device(stamped(threes()));
  const std::vector<double> values = values_of(part.buffer);
  const PreparedImport arrival(part, MPI_COMM_WORLD, {}, on_far(ImportRequest::Form::vector, Copy::never));
  const Teuchos::RCP<FarVector> vector = Teuchos::rcp(new FarVector(dual_view<Far>(arrival.dense().buffer)));

  auto newest = columns(vector, {});  // the device has the newest values
  EXPECT_EQ(newest.buffer.data, part.buffer.data);
  EXPECT_EQ(newest.buffer.memory.name(), "cuda:0");
  EXPECT_EQ(newest.buffer.shape, (tridap::IndexList{6, 1}));
  EXPECT_EQ(newest.bytes_synchronized, 0);
  EXPECT_TRUE(vector->need_sync_host());

  const auto host = columns(vector, {Copy::never, Side::host});  // though the first buffer lives
  EXPECT_TRUE(host.buffer.memory.is_on_host());
  EXPECT_EQ(host.bytes_synchronized, 48);
  EXPECT_EQ(values_of(host.buffer), values);
  EXPECT_TRUE(vector->need_sync_device());
  static_cast<double*>(host.buffer.data)[2] = -1;

  const auto still = columns(vector, {});  // now the host has them
  EXPECT_TRUE(still.buffer.memory.is_on_host());
  EXPECT_EQ(still.bytes_synchronized, 0);

  auto device = columns(vector, {Copy::never, Side::device});
  EXPECT_EQ(device.buffer.data, part.buffer.data);
  EXPECT_EQ(device.bytes_synchronized, 48);
  EXPECT_EQ(values_of(part.buffer)[2], -1);
  const auto strong = vector.strong_count();
  device = {};
  EXPECT_EQ(vector.strong_count(), strong - 1);  // the buffer kept the vector

  const auto readable = columns(Teuchos::RCP<const FarVector>(vector), {});
  EXPECT_TRUE(readable.buffer.read_only);
  EXPECT_EQ(readable.buffer.data, part.buffer.data);
}

TEST(DeviceNode, TheStreamThatAnExportNamesWaitsForTheVector) {
  using tridap::tpetra::Side;
  const tridap::DistArray part = on_device(stamped(threes()));
  const PreparedImport arrival(part, MPI_COMM_WORLD, {}, on_far(ImportRequest::Form::vector, Copy::never));
  const Teuchos::RCP<FarVector> vector = Teuchos::rcp(new FarVector(dual_view<Far>(arrival.dense().buffer)));
  const auto& driver = stand_in::Driver::loaded();
  const auto address = reinterpret_cast<std::uintptr_t>(part.buffer.data);
  for (const Index stream : {601, 602, -1}) {
    const double late = 100 + static_cast<double>(stream);
    driver.write(address, &late, sizeof(late), 1);  // as a kernel of the vector's
    tridap::tpetra::detail::columns(vector, {Copy::never, Side::device, stream});
    double seen = 0;
    driver.read(&seen, address, sizeof(seen), stream == -1 ? 603 : static_cast<std::uintptr_t>(stream));
    EXPECT_EQ(seen, stream == -1 ? 702 : late);
  }
  EXPECT_THROW(tridap::tpetra::detail::columns(vector, {Copy::never, Side::device, 0}), tridap::Error);
}

TEST(DeviceNode, WorkOnTheHostSideEndsInTheDevicesMemory) {
  const tridap::DistArray part = on_device(stamped(threes()));
  const std::vector<double> values = values_of(part.buffer);
  const PreparedImport arrival(part, MPI_COMM_WORLD, {}, on_far(ImportRequest::Form::vector, Copy::never));
  FarVector vector(dual_view<Far>(arrival.dense().buffer));
  tridap::tpetra::detail::on_host_side(vector, MPI_COMM_WORLD, [&] {
    EXPECT_EQ(values_of(vector.host()), values);
    static_cast<double*>(vector.host().data)[5] = -2;
  });
  EXPECT_EQ(values_of(part.buffer)[5], -2);
  EXPECT_FALSE(vector.need_sync_device() || vector.need_sync_host());
}

TEST(DeviceNode, AViewThatOneProcessKeepsIsAnErrorOnAll) {
  const tridap::DistArray part = on_device(stamped(threes()));
  const PreparedImport arrival(part, MPI_COMM_WORLD, {}, on_far(ImportRequest::Form::vector, Copy::never));
  FarVector vector(dual_view<Far>(arrival.dense().buffer));
  for (const bool device : {false, true}) {
    Far::t_host host;
    Far::t_dev far;
    if (rank() == processes() - 1 && device) far = vector.getLocalViewDevice(Tpetra::Access::ReadWrite);
    if (rank() == processes() - 1 && !device) host = vector.getLocalViewHost(Tpetra::Access::ReadWrite);
    expect_refused([&] { tridap::tpetra::detail::on_host_side(vector, MPI_COMM_WORLD, [] {}); },
                   device ? "a view of the device is alive" : "a view of the host is alive");
  }
  tridap::tpetra::detail::on_host_side(vector, MPI_COMM_WORLD, [] {});
}

TEST(DeviceNode, ACopyOfADeviceArrayStaysThere) {
  const tridap::DistArray part = on_device(stamped(threes()));
  tridap::tpetra::ExportedArray exported;
  exported.array.buffer = part.buffer;
  tridap::tpetra::detail::Columns columns{part.buffer};
  columns.bytes_synchronized = 48;
  settle(exported, columns, Copy::always);
  EXPECT_EQ(exported.array.buffer.memory.name(), "cuda:0");
  EXPECT_NE(exported.array.buffer.data, part.buffer.data);
  EXPECT_EQ(values_of(exported.array.buffer), values_of(part.buffer));
  EXPECT_EQ(exported.receipt.bytes_copied, 48);
  expect_says(exported.receipt.text(), "48 bytes synchronized");
}
