#include "random_arrays.hpp"
#include <dap/globalarrays/array.hpp>
#include <dap/globalarrays/export.hpp>
#include <dap/globalarrays/import.hpp>
#include <dap/report.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

extern "C" {
#include <ga.h>
}

#include <algorithm>
#include <complex>
#include <cstring>
#include <map>
#include <string>

namespace {

using arrays::expect_said;
using arrays::Index;
using arrays::List;
using arrays::processes;
using arrays::Random;
using arrays::rank;
using arrays::real;
using arrays::rows;
using arrays::thrown;
using dap::Copy;
using dap::DistArray;
using dap::globalarrays::allocate;
using dap::globalarrays::create;
using dap::globalarrays::Fit;
using dap::globalarrays::GlobalArray;
using dap::globalarrays::import_array;
using dap::globalarrays::ImportedArray;
using dap::redistribute::Placed;

[[maybe_unused]] const auto* const session = testing::AddGlobalTestEnvironment(new arrays::WithSession);

// A communicator of these processes of the world, in this order; MPI_COMM_NULL on the others.
MPI_Comm communicator(const List& world_ranks) {
  int key = -1;
  for (std::size_t r = 0; r < world_ranks.size(); ++r)
    if (world_ranks[r] == rank()) key = static_cast<int>(r);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, key < 0 ? MPI_UNDEFINED : 0, key, &comm);
  return comm;
}

double value_at(const List& global) {
  double value = 1;
  for (const Index index : global) value = value * 64 + static_cast<double>(index);
  return value;
}

// The part of process `process`, in memory of its own with strides of `random`'s choice: any order of axes, backwards,
// with holes.
DistArray part_of(const oracle::Array& whole, Index process, Random& random) {
  DistArray array;
  for (std::size_t i = 0; i < whole.axes.size(); ++i)
    array.dim_data.push_back(whole.axes[i].dims[static_cast<std::size_t>(whole.coordinates(process)[i])]);
  const List shape = whole.local_shape(process);
  const std::vector<Index> order = random.permutation(static_cast<Index>(shape.size()));
  const Index hole = random.from_to(1, 2);
  std::vector<bool> backwards;
  Index length = 8 * hole;
  for (const Index extent : shape) {
    backwards.push_back(random.below(2) == 1);
    length *= std::max<Index>(extent, 1);
  }
  const auto memory = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(length));
  dap::ElementType step = real;
  step.bytes *= hole;
  array.buffer = oracle::dense_buffer(memory->data(), step, shape, order, backwards);
  array.buffer.type = real;
  array.buffer.owner = memory;
  for (const auto& element : whole.elements(process, dap::Part::local)) {
    const double value = value_at(element.global);
    std::memcpy(oracle::address(array.buffer, element.local), &value, sizeof value);
  }
  return array;
}

// What every process reads of the whole array through GA.
std::vector<double> read(int handle, const List& shape) {
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

void expect_read(const GlobalArray& array, const List& shape) {
  const std::vector<double> all = read(array.handle(), shape);
  std::size_t next = 0;
  oracle::for_each_index(shape, [&](const List& at) { EXPECT_EQ(all[next++], value_at(at)); });
}

List shape_of(const oracle::Array& whole) {
  List shape;
  for (const oracle::Axis& axis : whole.axes) shape.push_back(axis.size());
  return shape;
}

// Of an array that needs as many processes as `comm` has.
void expect_imported(const oracle::Array& whole, Random& random, MPI_Comm comm = MPI_COMM_WORLD) {
  std::vector<DistArray> parts;  // all, so that the random numbers are the same everywhere
  for (Index process = 0; process < whole.processes(); ++process) parts.push_back(part_of(whole, process, random));
  if (comm == MPI_COMM_NULL) return;
  const DistArray& mine = parts[static_cast<std::size_t>(arrays::rank_in(comm))];
  const ImportedArray imported = import_array(mine, comm);
  EXPECT_FALSE(imported.receipt.shared);
  Index bytes = 8;
  for (const Index extent : mine.buffer.shape) bytes *= extent;
  EXPECT_EQ(imported.receipt.bytes_copied, bytes);
  expect_read(imported.array, shape_of(whole));
  MPI_Barrier(comm);
}

std::vector<oracle::Axis> random_blocks(Random& random, Index places_in_all) {
  std::vector<oracle::Axis> axes;
  for (const Index places : random.grid(random.from_to(1, 4), places_in_all, true))
    axes.push_back(oracle::block(random.counts(places, 0, 4)));
  return axes;
}

TEST(Import, EveryByteOfRandomBlocksIsReadBack) {
  Random random(11);
  for (int turn = 0; turn < arrays::cases && !HasFailure(); ++turn)
    expect_imported(oracle::Array(random_blocks(random, processes())), random);
}

TEST(Import, ProcessesMayStandInAnyOrder) {
  Random random(14);
  for (int turn = 0; turn < arrays::cases / 5 && !HasFailure(); ++turn) {
    MPI_Comm comm = communicator(random.permutation(processes()));
    expect_imported(oracle::Array(random_blocks(random, processes())), random, comm);
    MPI_Comm_free(&comm);
  }
}

TEST(Import, GroupsMayStandInAnyOrder) {
  Random random(15);
  for (int turn = 0; turn < arrays::cases / 5 && !HasFailure(); ++turn) {
    List members = random.permutation(processes());
    members.resize(static_cast<std::size_t>(random.from_to(1, processes())));
    MPI_Comm comm = communicator(members);
    dap::globalarrays::make_group(comm);
    expect_imported(oracle::Array(random_blocks(random, static_cast<Index>(members.size()))), random, comm);
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
}

TEST(Import, EveryByteOfRandomDealingsIsReadBack) {
  Random random(12);
  for (int turn = 0; turn < arrays::cases && !HasFailure(); ++turn) {
    std::vector<oracle::Axis> axes;
    for (const Index places : random.grid(random.from_to(1, 4), processes(), true)) {
      const Index length = random.from_to(1, 3);
      axes.push_back(oracle::cyclic(length * (places - 1) + random.from_to(1, 2 * length * places), length, places));
    }
    expect_imported(oracle::Array(axes), random);
  }
}

TEST(Import, EveryByteOfRandomDealingsOfUnevenBlocksIsReadBack) {
  Random random(13);
  for (int turn = 0; turn < arrays::cases && !HasFailure(); ++turn) {
    std::vector<oracle::Axis> axes;
    for (const Index places : random.grid(random.from_to(1, 4), processes(), true)) {
      const Index length = random.from_to(1, 3);
      axes.push_back(axes.empty()
                         ? oracle::cyclic(length * places + random.from_to(1, 2 * length * places), length, places)
                         : oracle::block(random.counts(places, 1, 4)));
    }
    expect_imported(oracle::Array(axes), random);
  }
}

// GA's own dealing crashes where a process has no block: what is dealt in fewer blocks is blocks in GA, too.
TEST(Import, DealingsOfFewBlocksAreReadBack) {
  Random random(19);
  const Index n = processes();
  for (const Index length : {1, 2, 5})
    for (Index size = 1; size <= length * n; ++size) {
      const oracle::Axis few = oracle::cyclic(size, length, n);
      expect_imported(oracle::Array({few}), random);
      expect_imported(oracle::Array({oracle::block({3}), few}), random);
      expect_imported(oracle::Array({few, oracle::cyclic(7, 2, 1)}), random);
      if (HasFailure()) return;
    }
}

// GA has no lists of indices: those of ranges, one after the other, are blocks in GA.
TEST(Import, ListsThatAreRangesAreReadBack) {
  Random random(20);
  for (int turn = 0; turn < 20 && !HasFailure(); ++turn) {
    std::vector<List> lists;
    Index next = 0;
    for (const Index count : random.counts(processes(), 0, 4)) {
      lists.emplace_back(static_cast<std::size_t>(count));
      for (Index& index : lists.back()) index = next++;
    }
    expect_imported(oracle::Array({oracle::unstructured(lists), oracle::block({2})}), random);
  }
}

// A padded axis: GA's indices are the array's less `shift`, and wrap round.
struct Padded {
  oracle::Axis axis;
  Index width = 0, shift = 0;

  Index size() const { return axis.size() - 2 * shift; }
};

Padded random_padded(Random& random, Index places) {
  Padded padded;
  padded.width = random.from_to(0, 2);
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

double value_of(const List& global, const std::vector<Padded>& axes) {
  List wrapped;
  for (std::size_t i = 0; i < axes.size(); ++i)
    wrapped.push_back((global[i] - axes[i].shift + axes[i].size()) % axes[i].size());
  return value_at(wrapped);
}

// Every cell of this process's memory in GA: right where the array has it, or everywhere.
void expect_cells(int handle, const std::vector<Padded>& axes, bool everywhere) {
  std::vector<int64_t> lo(axes.size()), hi(axes.size()), dims(axes.size()), ld(axes.size());
  NGA_Distribution64(handle, GA_Pgroup_nodeid(GA_Get_pgroup(handle)), lo.data(), hi.data());
  const double* cells = nullptr;
  NGA_Access_ghosts64(handle, dims.data(), &cells, ld.data());
  List shape;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    shape.push_back(hi[i] - lo[i] + 1 + 2 * axes[i].width);
    ASSERT_EQ(shape[i], dims[i]);
  }
  std::size_t next = 0;
  oracle::for_each_index(shape, [&](const List& at) {
    List global;
    bool inside = true;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      global.push_back(lo[i] - axes[i].width + at[i] + axes[i].shift);
      inside = inside && global[i] >= 0 && global[i] < axes[i].axis.size();
    }
    const double cell = cells[next++];
    if (inside || everywhere) {
      for (std::size_t i = 0; i < axes.size(); ++i) global[i] += inside ? 0 : axes[i].size();
      EXPECT_EQ(cell, value_of(global, axes));
    }
  });
}

TEST(Import, PaddingBecomesGhostCellsThatGaKeepsFresh) {
  Random random(16);
  for (int turn = 0; turn < arrays::cases / 2 && !HasFailure(); ++turn) {
    const List members = arrays::in_order(random.from_to(1, processes()));
    std::vector<Padded> padded;
    std::vector<oracle::Axis> axes;
    bool ghosts = false;
    for (const Index places : random.grid(random.from_to(1, 3), static_cast<Index>(members.size()), true)) {
      padded.push_back(random_padded(random, places));
      axes.push_back(padded.back().axis);
      ghosts = ghosts || padded.back().width > 0;
    }
    MPI_Comm comm = communicator(members);
    dap::globalarrays::make_group(comm);
    if (comm == MPI_COMM_NULL) continue;
    const oracle::Array whole(axes);
    Random own(static_cast<unsigned>(turn));
    DistArray mine = part_of(whole, arrays::rank_in(comm), own);
    for (const auto& element : whole.elements(arrays::rank_in(comm), dap::Part::local)) {
      const double value = value_of(element.global, padded);
      std::memcpy(oracle::address(mine.buffer, element.local), &value, sizeof value);
    }
    const ImportedArray imported = import_array(mine, comm);
    const int handle = imported.array.handle();
    EXPECT_EQ(GA_Has_ghosts(handle) != 0, ghosts);
    expect_cells(handle, padded, false);
    MPI_Barrier(comm);
    if (ghosts) GA_Update_ghosts(handle);
    expect_cells(handle, padded, true);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
  }
}

DistArray array_of(const Placed& placed, dap::ElementType type = real) {
  DistArray array;
  array.dim_data = placed.distribution.dim_data(rank());
  array.buffer = dap::allocate(type, placed.distribution.local_shape(rank()));
  return array;
}

// Those that GA has, and others: of its own for char and long double it aborts.
std::vector<dap::ElementType> every_type() {
  const auto of = [](auto... one) { return std::vector<dap::ElementType>{dap::element_type<decltype(one)>()...}; };
  std::vector<dap::ElementType> all = of(int{}, long{}, 0LL, float{}, double{}, std::complex<float>{},
                                         std::complex<double>{}, char{}, static_cast<signed char>(0), short{}, bool{},
                                         static_cast<unsigned char>(0), 0U, 0UL, 0.0L, std::complex<long double>{});
  all.push_back({dap::ElementType::Kind::opaque, 24, true});
  all.push_back({dap::ElementType::Kind::floating, 8, false});  // the other order of bytes
  return all;
}

TEST(Allocate, IsZeroAndImportedForNothing) {
  Random random(17);
  for (int turn = 0; turn < arrays::cases / 2 && !HasFailure(); ++turn) {
    std::vector<oracle::Axis> axes;
    const Index kind = random.below(4);
    for (const Index places : random.grid(random.from_to(1, 3), processes(), true))
      axes.push_back(kind == 0                    ? oracle::cyclic(2 * places + random.below(5), 2, places)
                     : kind == 1                  ? random_padded(random, places).axis
                     : kind == 2 && !axes.empty() ? oracle::block(random.counts(places, 1, 3))
                     : kind == 2                  ? oracle::cyclic(2 * places + 1, 1, places)
                                                  : oracle::block(random.counts(places, 0, 4)));
    const oracle::Array whole(axes);
    const DistArray array = allocate(Placed(whole.distribution()), real, MPI_COMM_WORLD);
    EXPECT_EQ(array.buffer.shape, whole.local_shape(rank()));
    for (const std::byte* const at : oracle::addresses(array.buffer)) {
      double value = 1;
      std::memcpy(&value, at, sizeof value);
      EXPECT_EQ(value, 0);
    }
    for (const auto& element : whole.elements(rank(), dap::Part::owned)) {
      const double value = value_at(element.global);
      std::memcpy(oracle::address(array.buffer, element.local), &value, sizeof value);
    }
    GA_Sync();
    ImportedArray imported = import_array(array, MPI_COMM_WORLD, Copy::never);
    EXPECT_TRUE(imported.receipt.shared && imported.receipt.same_address);
    EXPECT_EQ(imported.receipt.bytes_copied, 0);
    EXPECT_EQ(import_array(array, MPI_COMM_WORLD).array.handle(), imported.array.handle());
    const ImportedArray other = import_array(array, MPI_COMM_WORLD, Copy::always);
    EXPECT_NE(other.array.handle(), imported.array.handle());
    if (kind != 1) expect_read(imported.array, shape_of(whole));
    if (kind != 1) expect_read(other.array, shape_of(whole));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// GA_Fill and GA_Zero abort where GA knows but the length of a type.
TEST(Allocate, OfEveryTypeIsZero) {
  for (const dap::ElementType& type : every_type()) {
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
    for (int turn = 0; turn < 3; ++turn) dap::globalarrays::collect();
    imported = import_array(array, MPI_COMM_WORLD, Copy::never).array;
  }
  EXPECT_EQ(dap::globalarrays::collect(), 0);
  EXPECT_EQ(imported.type(), real);
  imported = {};
  EXPECT_EQ(dap::globalarrays::collect(), 1);
}

TEST(Import, MemoryThatIsNotAllTheSameArrayIsCopied) {
  const Placed placed = rows();
  const DistArray one = allocate(placed, real, MPI_COMM_WORLD), other = allocate(placed, real, MPI_COMM_WORLD);
  const bool differs = processes() > 1;
  const DistArray& mixed = rank() == 0 ? one : other;
  EXPECT_EQ(import_array(mixed, MPI_COMM_WORLD).receipt.shared, !differs);
  if (differs) expect_said(thrown([&] { import_array(mixed, MPI_COMM_WORLD, Copy::never); }), "copy=never, but");
  const DistArray outside = array_of(placed);
  EXPECT_FALSE(import_array(rank() == 0 ? outside : one, MPI_COMM_WORLD).receipt.shared);
  expect_said(thrown([&] { import_array(rank() == 0 ? outside : one, MPI_COMM_WORLD, Copy::never); }),
              "the memory is no Global Array's");
  DistArray other_type = one;
  other_type.buffer.type = dap::element_type<Index>();
  EXPECT_FALSE(import_array(other_type, MPI_COMM_WORLD).receipt.shared);
  DistArray elsewhere = outside;
  elsewhere.buffer.owner = one.buffer.owner;
  EXPECT_FALSE(import_array(elsewhere, MPI_COMM_WORLD).receipt.shared);
  DistArray reading = one;
  reading.buffer.read_only = true;
  EXPECT_FALSE(import_array(reading, MPI_COMM_WORLD).receipt.shared);
  DistArray part = one;  // the first column alone
  part.buffer.shape[1] = 1;
  part.dim_data[1] = dap::undistributed(1);
  EXPECT_FALSE(import_array(part, MPI_COMM_WORLD).receipt.shared);
  MPI_Comm backwards = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank(), &backwards);
  DistArray turned = one;
  turned.dim_data = placed.distribution.dim_data(processes() - 1 - rank());
  EXPECT_EQ(import_array(turned, backwards).receipt.shared, !differs);
  MPI_Comm_free(&backwards);
}

TEST(Import, MemoryOfAnotherOrderDealingOrPeriodIsCopied) {
  const List counts(static_cast<std::size_t>(processes()), 2), one(static_cast<std::size_t>(processes() - 1), 1);
  DistArray turned =
      allocate(Placed(oracle::Array({oracle::block(counts), oracle::block({2})}).distribution()), real, MPI_COMM_WORLD);
  EXPECT_TRUE(import_array(turned, MPI_COMM_WORLD).receipt.shared);
  std::swap(turned.buffer.strides[0], turned.buffer.strides[1]);
  EXPECT_FALSE(import_array(turned, MPI_COMM_WORLD).receipt.shared);
  DistArray flat =
      allocate(Placed(oracle::Array({oracle::block(counts), oracle::block({1})}).distribution()), real, MPI_COMM_WORLD);
  flat.dim_data.pop_back();
  flat.buffer.shape.pop_back();
  flat.buffer.strides.pop_back();
  EXPECT_FALSE(import_array(flat, MPI_COMM_WORLD).receipt.shared);
  if (processes() < 2) return;
  DistArray dealt = allocate(Placed(oracle::Array({oracle::block(counts)}).distribution()), real, MPI_COMM_WORLD);
  EXPECT_TRUE(import_array(dealt, MPI_COMM_WORLD).receipt.shared);
  dealt.dim_data = Placed(oracle::Array({oracle::cyclic(2 * processes(), 1, processes())}).distribution())
                       .distribution.dim_data(rank());
  EXPECT_FALSE(import_array(dealt, MPI_COMM_WORLD).receipt.shared);
  const auto periodic = [&](bool is) {
    return Placed(
        oracle::Array({oracle::block(List(static_cast<std::size_t>(processes()), 3), one, {1, 1}, is)}).distribution());
  };
  DistArray wrapped = allocate(periodic(true), real, MPI_COMM_WORLD);
  EXPECT_TRUE(import_array(wrapped, MPI_COMM_WORLD).receipt.shared);
  wrapped.dim_data = periodic(false).distribution.dim_data(rank());
  EXPECT_FALSE(import_array(wrapped, MPI_COMM_WORLD).receipt.shared);
}

// The last process has nothing in either, but only the Global Array is on it, too.
TEST(Import, MemoryOfMoreProcessesIsCopied) {
  if (processes() < 2) return;
  List counts(static_cast<std::size_t>(processes()), 2);
  counts.back() = 0;
  DistArray array = allocate(Placed(oracle::Array({oracle::block(counts)}).distribution()), real, MPI_COMM_WORLD);
  counts.pop_back();
  MPI_Comm comm = communicator(arrays::in_order(processes() - 1));
  dap::globalarrays::make_group(comm);
  if (comm == MPI_COMM_NULL) return;
  array.dim_data = oracle::Array({oracle::block(counts)}).distribution().dim_data(rank());
  EXPECT_FALSE(import_array(array, comm).receipt.shared);
  MPI_Comm_free(&comm);
}

TEST(Import, OneBadProcessFailsEveryProcess) {
  const int bad = processes() - 1;
  const Placed placed = rows();
  DistArray array = array_of(placed);
  DistArray wrong = array;
  wrong.buffer.shape[0] += 1;
  EXPECT_NE(thrown([&] { import_array(rank() == bad ? wrong : array, MPI_COMM_WORLD); }), "nothing");
  wrong = array;
  wrong.buffer.memory.kind = dap::Memory::Kind::cuda;
  expect_said(thrown([&] { import_array(rank() == bad ? wrong : array, MPI_COMM_WORLD); }), "cuda");
  wrong = array;
  wrong.buffer.data = nullptr;
  EXPECT_NE(thrown([&] { import_array(rank() == bad ? wrong : array, MPI_COMM_WORLD); }), "nothing");
  EXPECT_NE(thrown([&] { import_array(rank() == bad ? DistArray{} : array, MPI_COMM_WORLD); }), "nothing");
  EXPECT_THROW(import_array(array, MPI_COMM_NULL), dap::Error);
  EXPECT_EQ(import_array(array, MPI_COMM_WORLD).receipt.bytes_copied, 48);  // and all goes on
}

// What stands where in the Global Array is what nearest() says of the world's ranks.
void expect_nearest(const oracle::Array& whole, const List& world_ranks, Random& random) {
  MPI_Comm comm = communicator(world_ranks);
  const DistArray mine = part_of(whole, arrays::rank_in(comm), random);
  const Placed placed(whole.distribution(), world_ranks);
  const bool held = !dap::globalarrays::refusal(placed, real, processes());
  if (!held) expect_said(thrown([&] { import_array(mine, comm, Copy::if_needed); }), "nearest");
  const ImportedArray imported = import_array(mine, comm, Copy::if_needed, Fit::nearest);
  const std::vector<std::string>& losses = imported.receipt.losses;
  EXPECT_EQ(std::none_of(losses.begin(), losses.end(),
                         [](const std::string& loss) { return loss.find("the distribution") == 0; }),
            held);
  EXPECT_FALSE(imported.receipt.shared);
  Index bytes = imported.receipt.bytes_copied;
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, comm);
  EXPECT_EQ(bytes, 8 * shape_of(whole)[0] * shape_of(whole)[1]);
  const Placed other = dap::globalarrays::nearest(placed, real, processes());
  oracle::for_each_index(shape_of(whole), [&](const List& at) {
    EXPECT_EQ(imported.array.placed().rank(*imported.array.placed().distribution.owner(at)),
              other.rank(*other.distribution.owner(at)));
  });
  expect_read(imported.array, shape_of(whole));
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
}

TEST(Import, WhatGaHasNotMovesToTheNearest) {
  const Index n = processes();
  std::vector<List> lists(static_cast<std::size_t>(n));
  for (Index i = 0; i < 20; ++i) lists[static_cast<std::size_t>((i * 7 + 3) % n)].push_back(19 - i);
  Random random(18);
  for (const oracle::Axis& axis : {oracle::unstructured(lists), oracle::cyclic(20, 2, n, n - 1),
                                   oracle::cyclic(n, 1, n, n - 1), oracle::cyclic(20, 2, n)})
    for (const List& world_ranks : {arrays::in_order(n), random.permutation(n), random.permutation(n)})
      expect_nearest(oracle::Array({axis, oracle::block({3})}), world_ranks, random);
}

int ga_type_of(const GlobalArray& array) {
  int type = 0, ndim = 0;
  int64_t dims[GA_MAX_DIM];
  NGA_Inquire64(array.handle(), &type, &ndim, dims);
  return type;
}

TEST(Import, TypesOfCAreGas) {
  const std::vector<std::pair<dap::ElementType, int>> types = {{dap::element_type<int>(), C_INT},
                                                               {dap::element_type<long>(), C_LONG},
                                                               {dap::element_type<float>(), C_FLOAT},
                                                               {dap::element_type<double>(), C_DBL},
                                                               {dap::element_type<std::complex<float>>(), C_SCPL},
                                                               {dap::element_type<std::complex<double>>(), C_DCPL}};
  for (const auto& [type, number] : types) {
    const ImportedArray imported = import_array(array_of(rows(), type), MPI_COMM_WORLD);
    EXPECT_EQ(ga_type_of(imported.array), number) << type.name();
    EXPECT_TRUE(imported.receipt.losses.empty());
    dap::ElementType swapped = type;  // is none of them, nor is a type of the same length
    swapped.native_order = false;
    const dap::ElementType opaque{dap::ElementType::Kind::opaque, type.bytes, true};
    const GlobalArray other = import_array(array_of(rows(), swapped), MPI_COMM_WORLD).array;
    const GlobalArray third = import_array(array_of(rows(), opaque), MPI_COMM_WORLD).array;
    EXPECT_NE(ga_type_of(other), number) << type.name();
    EXPECT_NE(ga_type_of(other), ga_type_of(third)) << type.name();
    EXPECT_EQ(dap::globalarrays::export_array(other).array.buffer.type, swapped);
    EXPECT_EQ(dap::globalarrays::export_array(third).array.buffer.type, opaque);
  }
}

// Each process's bytes are of one value; what GA brings is compared with them.
void expect_type_imported(const dap::ElementType& type) {
  SCOPED_TRACE(type.name());
  const auto part = static_cast<std::size_t>(6 * type.bytes);
  const DistArray array = array_of(rows(), type);
  std::memset(array.buffer.data, 40 + rank(), part);
  const ImportedArray imported = import_array(array, MPI_COMM_WORLD);
  EXPECT_EQ(imported.array.type(), type);
  EXPECT_EQ(dap::globalarrays::export_array(imported.array).array.buffer.type, type);
  std::vector<unsigned char> all(part * static_cast<std::size_t>(processes()));
  int64_t lo[] = {0, 0}, hi[] = {2 * processes() - 1, 2}, ld[] = {3};
  NGA_Get64(imported.array.handle(), lo, hi, all.data(), ld);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], 40 + i / part);
}

TEST(Import, EveryTypeIsReadBack) {
  for (const dap::ElementType& type : every_type()) {
    expect_type_imported(type);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// Axes of one element stand nowhere: what is stored in the other order of them is stored the same.
TEST(Import, TheStorageOrderIsLostWhereItIsAnother) {
  const auto losses = [](const List& shape, bool fortran) {
    List counts(static_cast<std::size_t>(processes()), shape[0]);
    std::vector<oracle::Axis> axes{oracle::block(counts)};
    for (std::size_t i = 1; i < shape.size(); ++i) axes.push_back(oracle::block({shape[i]}));
    DistArray array = array_of(Placed(oracle::Array(axes).distribution()));
    if (fortran) array.buffer.strides = dap::column_major_strides(array.buffer.shape, 8);
    return import_array(array, MPI_COMM_WORLD).receipt.losses;
  };
  const std::vector<std::string> nothing, order{"the storage order"};
  for (const bool fortran : {false, true}) {
    EXPECT_EQ(losses({3, 1}, fortran), nothing);
    EXPECT_EQ(losses({1, 1, 4, 1}, fortran), nothing);
    EXPECT_EQ(losses({3, 4}, fortran), fortran ? order : nothing);
    EXPECT_EQ(losses({3, 1, 2}, fortran), fortran ? order : nothing);
  }
}

// Padding that another axis does not cost the array is filled, too: from the owners.
TEST(Import, WhatMovesToTheNearestHasItsGhostCellsFilled) {
  const Index n = processes();
  if (n == 1) return;
  List shared(static_cast<std::size_t>(n - 1), 1);
  std::vector<List> lists(1);
  for (Index i = 0; i < 5; ++i) lists[0].push_back(4 - i);
  const oracle::Axis rows = oracle::block(List(static_cast<std::size_t>(n), 3), shared);
  const oracle::Array whole({rows, oracle::unstructured(lists)});
  Random random(19);
  DistArray mine = part_of(whole, rank(), random);
  const auto padding = mine.buffer;  // what stands in the source's own padding is not asked for
  for (const auto& element : whole.elements(rank(), dap::Part::local))
    if (!rows.find(rank(), element.global[0], dap::Part::owned))
      std::memset(oracle::address(padding, element.local), 0xff, 8);
  const ImportedArray imported = import_array(mine, MPI_COMM_WORLD, Copy::if_needed, Fit::nearest);
  EXPECT_NE(GA_Has_ghosts(imported.array.handle()), 0);
  const DistArray back = dap::globalarrays::export_array(imported.array).array;
  const Index begin = 3 * rank() - (rank() > 0 ? 1 : 0);
  EXPECT_EQ(back.buffer.shape[0], 3 + (rank() > 0 ? 1 : 0) + (rank() < n - 1 ? 1 : 0));
  oracle::for_each_index(back.buffer.shape, [&](const List& at) {
    double value = 0;
    std::memcpy(&value, oracle::address(back.buffer, at), sizeof value);
    EXPECT_EQ(value, value_at({begin + at[0], at[1]}));
  });
  expect_read(imported.array, shape_of(whole));
  MPI_Barrier(MPI_COMM_WORLD);
}

// Whether it was lost, by its first words.
bool lost(const ImportedArray& imported, const std::string& what) {
  const std::vector<std::string>& losses = imported.receipt.losses;
  return std::any_of(losses.begin(), losses.end(), [&](const std::string& loss) { return loss.find(what) == 0; });
}

TEST(Import, SaysWhatIsLost) {
  const List counts(static_cast<std::size_t>(processes()), 3);
  const auto import = [](const oracle::Axis& axis) {
    return import_array(array_of(Placed(oracle::Array({axis}).distribution())), MPI_COMM_WORLD);
  };
  const std::string padding = "the boundary padding of axis 0", period = "the period of axis 0";
  const List none(static_cast<std::size_t>(processes() - 1), 0), one(static_cast<std::size_t>(processes() - 1), 1);
  EXPECT_TRUE(import(oracle::block(counts)).receipt.losses.empty());
  EXPECT_TRUE(lost(import(oracle::block(counts, none, {1, 0})), padding));
  EXPECT_TRUE(lost(import(oracle::block(counts, one, {1, 1})), padding));
  EXPECT_TRUE(lost(import(oracle::block(counts, {}, {0, 0}, true)), period));
  EXPECT_TRUE(import(oracle::block(counts, one)).receipt.losses.empty());
  if (processes() > 1) {
    EXPECT_TRUE(import(oracle::block(counts, one, {1, 1}, true)).receipt.losses.empty());
  }
  DistArray array = array_of(rows());
  array.dim_data[1].extras.push_back({"colour", "\"red\""});
  EXPECT_TRUE(lost(import_array(array, MPI_COMM_WORLD), "the key 'colour'"));
  array = array_of(rows());
  array.buffer.strides = {8, 16};
  const ImportedArray imported = import_array(array, MPI_COMM_WORLD);
  EXPECT_TRUE(lost(imported, "the storage order"));
  EXPECT_EQ(imported.receipt.losses.size(), 1U);
}

TEST(Import, OfAnArrayThatWasDestroyedIsRefused) {
  const GlobalArray first = create(rows(), real, MPI_COMM_WORLD);
  int64_t dims[] = {2 * processes()};
  char name[] = "theirs";
  const int theirs = NGA_Create64(C_DBL, 1, dims, name, nullptr);
  const DistArray array = dap::globalarrays::export_array(theirs).array;
  expect_said(thrown([&] { import_array(array, MPI_COMM_WORLD, Copy::never); }), "its maker will free it");
  EXPECT_EQ(import_array(array, MPI_COMM_WORLD).receipt.bytes_copied, 16);
  GA_Destroy(theirs);
  for (const Copy copy : {Copy::never, Copy::if_needed, Copy::always})
    expect_said(thrown([&] { import_array(array, MPI_COMM_WORLD, copy); }), "has been destroyed");
}

TEST(Import, OtherTypesAreKnownByTheirLength) {
  for (const Index bytes : {1, 2, 3, 16, 40}) {
    const dap::ElementType type{dap::ElementType::Kind::opaque, bytes, true};
    const DistArray array = array_of(rows(), type);
    std::memset(array.buffer.data, static_cast<int>(bytes) + rank(), static_cast<std::size_t>(6 * bytes));
    const ImportedArray imported = import_array(array, MPI_COMM_WORLD);
    EXPECT_EQ(imported.array.type(), type);
    ASSERT_EQ(imported.receipt.losses.size(), 1U);
    std::vector<unsigned char> all(static_cast<std::size_t>(6 * bytes * processes()));
    int64_t lo[] = {0, 0}, hi[] = {2 * processes() - 1, 2}, ld[] = {3};
    NGA_Get64(imported.array.handle(), lo, hi, all.data(), ld);
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(all[i], static_cast<std::size_t>(bytes) + i / static_cast<std::size_t>(6 * bytes));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

}  // namespace
