// What is shared and what is copied, and that one bad process fails all.

#include "import_support.hpp"
#include <tridap/globalarrays/export.hpp>
#include <tridap/globalarrays/import.hpp>
#include <tridap/make.hpp>

#include <utility>
#include <vector>

using namespace import_test;
using tridap::Copy;
using tridap::globalarrays::allocate;
using tridap::globalarrays::create;
using tridap::globalarrays::import_array;
using tridap::globalarrays::ImportedArray;

namespace {

bool is_shared(const DistArray& array, MPI_Comm comm = MPI_COMM_WORLD) {
  return import_array(array, comm, Copy::if_needed).receipt.shared;
}

DistArray allocated(const std::vector<oracle::Axis>& axes) {
  return allocate(PlacedDistribution(oracle::Array(axes).distribution()), real, MPI_COMM_WORLD);
}

TEST(Allocate, IsZeroAndImportedForNothing) {
  Random random(17);
  for (int turn = 0; turn < arrays::cases / 2 && !HasFailure(); ++turn) {
    std::vector<oracle::Axis> axes;
    const Index kind = random.below(4);
    for (const Index places : random.grid(random.between(1, 3), processes(), true))
      axes.push_back(kind == 0                    ? oracle::cyclic(2 * places + random.below(5), 2, places)
                     : kind == 1                  ? random_padded(random, places).axis
                     : kind == 2 && !axes.empty() ? oracle::block(random.counts(places, 1, 3))
                     : kind == 2                  ? oracle::cyclic(2 * places + 1, 1, places)
                                                  : oracle::block(random.counts(places, 0, 4)));
    const oracle::Array whole(axes);
    const DistArray array = allocate(PlacedDistribution(whole.distribution()), real, MPI_COMM_WORLD);
    EXPECT_EQ(array.buffer.shape, whole.local_shape(rank()));
    for (const std::byte* const at : oracle::addresses(array.buffer)) {
      double value = 1;
      std::memcpy(&value, at, sizeof value);
      EXPECT_EQ(value, 0);
    }
    for (const auto& element : whole.elements(rank(), tridap::Part::owned)) {
      const double value = value_at(element.global);
      std::memcpy(oracle::address(array.buffer, element.local), &value, sizeof value);
    }
    GA_Sync();
    ImportedArray imported = import_array(array, MPI_COMM_WORLD, Copy::never);
    EXPECT_TRUE(imported.receipt.shared && imported.receipt.same_address);
    EXPECT_EQ(imported.receipt.bytes_copied, 0);
    EXPECT_EQ(import_array(array, MPI_COMM_WORLD, Copy::if_needed).array.handle(), imported.array.handle());
    const ImportedArray other = import_array(array, MPI_COMM_WORLD, Copy::always);
    EXPECT_NE(other.array.handle(), imported.array.handle());
    if (kind != 1) expect_read(imported.array, shape_of(whole));
    if (kind != 1) expect_read(other.array, shape_of(whole));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// GA_Fill aborts where GA knows but the length of a type.
TEST(Allocate, OfEveryTypeIsZero) {
  for (const tridap::ElementType& type : every_type()) {
    const DistArray array = allocate(rows(), type, MPI_COMM_WORLD);
    EXPECT_EQ(array.buffer.type, type);
    const auto* const bytes = static_cast<const unsigned char*>(array.buffer.data);
    EXPECT_EQ(std::count(bytes, bytes + 6 * type.bytes, 0), 6 * type.bytes) << type.name();
    EXPECT_TRUE(import_array(array, MPI_COMM_WORLD, Copy::never).receipt.shared);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST(Allocate, LivesAsLongAsItsArray) {
  GlobalArray imported;
  {
    const DistArray array = allocate(rows(), real, MPI_COMM_WORLD);
    for (int turn = 0; turn < 3; ++turn) tridap::globalarrays::collect();
    imported = import_array(array, MPI_COMM_WORLD, Copy::never).array;
  }
  EXPECT_EQ(tridap::globalarrays::collect(), 0);
  EXPECT_EQ(imported.type(), real);
  imported = {};
  EXPECT_EQ(tridap::globalarrays::collect(), 1);
}

TEST(Import, MemoryThatIsNotAllTheSameArrayIsCopied) {
  const PlacedDistribution placed = rows();
  const DistArray one = allocate(placed, real, MPI_COMM_WORLD), other = allocate(placed, real, MPI_COMM_WORLD);
  const bool differs = processes() > 1;
  const DistArray& mixed = rank() == 0 ? one : other;
  EXPECT_EQ(is_shared(mixed), !differs);
  if (differs) expect_says(thrown([&] { import_array(mixed, MPI_COMM_WORLD, Copy::never); }), "copy=never, but");
  const DistArray outside = array_of(placed);
  EXPECT_FALSE(is_shared(rank() == 0 ? outside : one));
  expect_says(thrown([&] { import_array(rank() == 0 ? outside : one, MPI_COMM_WORLD); }),
              "copy=never, but the memory is not that of a Global Array [conversion]: pass copy=if_needed");
  DistArray other_type = one;
  other_type.buffer.type = tridap::element_type<Index>();
  EXPECT_FALSE(is_shared(other_type));
  DistArray elsewhere = outside;
  elsewhere.buffer.owner = one.buffer.owner;
  EXPECT_FALSE(is_shared(elsewhere));
  DistArray reading = one;
  reading.buffer.read_only = true;
  EXPECT_FALSE(is_shared(reading));
  DistArray part = one;  // the first column alone
  part.buffer.shape[1] = 1;
  part.dim_data[1] = tridap::undistributed(1);
  EXPECT_FALSE(is_shared(part));
  MPI_Comm backwards = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank(), &backwards);
  DistArray turned = one;
  turned.dim_data = placed.distribution().dim_data(processes() - 1 - rank());
  EXPECT_EQ(is_shared(turned, backwards), !differs);
  MPI_Comm_free(&backwards);
}

TEST(Import, MemoryOfAnotherOrderIsCopied) {
  const List counts(static_cast<std::size_t>(processes()), 2);
  DistArray turned = allocated({oracle::block(counts), oracle::block({2})});
  EXPECT_TRUE(import_array(turned, MPI_COMM_WORLD).receipt.shared);
  std::swap(turned.buffer.strides[0], turned.buffer.strides[1]);
  EXPECT_FALSE(is_shared(turned));
  DistArray flat = allocated({oracle::block(counts), oracle::block({1})});
  flat.dim_data.pop_back();
  flat.buffer.shape.pop_back();
  flat.buffer.strides.pop_back();
  EXPECT_FALSE(is_shared(flat));
}

TEST(Import, MemoryOfAnotherDealingOrPeriodIsCopied) {
  if (processes() < 2) GTEST_SKIP() << "needs at least 2 processes";
  const List counts(static_cast<std::size_t>(processes()), 2), one(static_cast<std::size_t>(processes() - 1), 1);
  DistArray dealt = allocated({oracle::block(counts)});
  EXPECT_TRUE(import_array(dealt, MPI_COMM_WORLD).receipt.shared);
  dealt.dim_data = PlacedDistribution(oracle::Array({oracle::cyclic(2 * processes(), 1, processes())}).distribution())
                       .distribution()
                       .dim_data(rank());
  EXPECT_FALSE(is_shared(dealt));
  const auto periodic = [&](bool is) {
    return PlacedDistribution(
        oracle::Array({oracle::block(List(static_cast<std::size_t>(processes()), 3), one, {1, 1}, is)}).distribution());
  };
  DistArray wrapped = allocate(periodic(true), real, MPI_COMM_WORLD);
  EXPECT_TRUE(import_array(wrapped, MPI_COMM_WORLD).receipt.shared);
  wrapped.dim_data = periodic(false).distribution().dim_data(rank());
  EXPECT_FALSE(is_shared(wrapped));
}

// The last process has nothing in either, but only the Global Array is on it, too.
TEST(Import, MemoryOfMoreProcessesIsCopied) {
  if (processes() < 2) GTEST_SKIP() << "needs at least 2 processes";
  List counts(static_cast<std::size_t>(processes()), 2);
  counts.back() = 0;
  DistArray array = allocated({oracle::block(counts)});
  counts.pop_back();
  MPI_Comm comm = communicator(arrays::in_order(processes() - 1));
  tridap::globalarrays::make_group(comm);
  if (comm != MPI_COMM_NULL) {
    array.dim_data = oracle::Array({oracle::block(counts)}).distribution().dim_data(rank());
    EXPECT_FALSE(is_shared(array, comm));
    MPI_Comm_free(&comm);
  }
}

TEST(Import, OneBadProcessFailsEveryProcess) {
  const int bad = processes() - 1;
  const PlacedDistribution placed = rows();
  DistArray array = array_of(placed);
  DistArray wrong = array;
  wrong.buffer.shape[0] += 1;
  EXPECT_NE(thrown([&] { import_array(rank() == bad ? wrong : array, MPI_COMM_WORLD, Copy::if_needed); }), "nothing");
  wrong = array;
  wrong.buffer.memory.kind = tridap::Memory::Kind::cuda;
  expect_says(thrown([&] { import_array(rank() == bad ? wrong : array, MPI_COMM_WORLD, Copy::if_needed); }), "cuda");
  wrong = array;
  wrong.buffer.data = nullptr;
  EXPECT_NE(thrown([&] { import_array(rank() == bad ? wrong : array, MPI_COMM_WORLD, Copy::if_needed); }), "nothing");
  EXPECT_NE(thrown([&] { import_array(rank() == bad ? DistArray{} : array, MPI_COMM_WORLD, Copy::if_needed); }),
            "nothing");
  EXPECT_THROW(import_array(array, MPI_COMM_NULL), tridap::Error);
  EXPECT_EQ(import_array(array, MPI_COMM_WORLD, Copy::if_needed).receipt.bytes_copied, 48);  // and all goes on
}

TEST(Import, OfAnArrayThatWasDestroyedIsRefused) {
  const GlobalArray first = create(rows(), real, MPI_COMM_WORLD);
  int64_t dims[] = {2 * processes()};
  char name[] = "theirs";
  const int theirs = NGA_Create64(C_DBL, 1, dims, name, nullptr);
  const DistArray array = tridap::globalarrays::export_array(theirs).array;
  expect_says(thrown([&] { import_array(array, MPI_COMM_WORLD, Copy::never); }),
              "that another library made, and will free");
  EXPECT_EQ(import_array(array, MPI_COMM_WORLD, Copy::if_needed).receipt.bytes_copied, 16);
  GA_Destroy(theirs);
  for (const Copy copy : {Copy::never, Copy::if_needed, Copy::always})
    expect_says(thrown([&] { import_array(array, MPI_COMM_WORLD, copy); }), "has been destroyed");
}

TEST(Export, TheReceiptNamesTheGhostCellsThatAreLeftOut) {
  const tridap::Index all = processes();
  const auto ring = tridap::Distribution::make({8 * all + 2}, {tridap::padded_block(1, true)}, {all});
  const auto array = tridap::globalarrays::create({ring}, tridap::element_type<double>(), MPI_COMM_WORLD);
  const auto losses = [&](bool ghosts, bool outer) {
    return tridap::globalarrays::export_array(array, {ghosts, outer}).receipt.losses;
  };
  EXPECT_EQ(losses(false, false), std::vector<std::string>{"the ghost cells"});
  EXPECT_EQ(losses(true, false), std::vector<std::string>{"the ghost cells at the outer edges"});
  EXPECT_TRUE(losses(true, true).empty());
  EXPECT_FALSE(tridap::globalarrays::export_array(array, {false, false}).receipt.same_address);
  EXPECT_TRUE(tridap::globalarrays::export_array(array, {true, true}).receipt.same_address);
}

// GA numbers arrays from -1000 on: there is one of the number -1. The last test, since GA frees no handle without an
// array.
TEST(Import, OfAnyHandleIsShared) {
  tridap::globalarrays::collect();
  int taken = -1000;
  while (taken < -2) taken = GA_Create_handle();  // each process takes its own, and communicates nothing
  ASSERT_EQ(taken, -2);
  {
    const DistArray array = allocate(rows(), real, MPI_COMM_WORLD);
    const ImportedArray imported = import_array(array, MPI_COMM_WORLD, Copy::never);
    EXPECT_EQ(imported.array.handle(), -1);
    EXPECT_EQ(imported.receipt.bytes_copied, 0);
  }
  tridap::globalarrays::collect();
  int64_t dims[] = {2 * processes()};
  char name[] = "theirs";
  ASSERT_EQ(NGA_Create64(C_DBL, 1, dims, name, nullptr), -1);
  const DistArray array = tridap::globalarrays::export_array(-1).array;
  GA_Destroy(-1);
  expect_says(thrown([&] { import_array(array, MPI_COMM_WORLD, Copy::if_needed); }), "has been destroyed");
}

}  // namespace
