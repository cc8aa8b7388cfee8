// That what is imported is what was given: every element, its type, and what is said to be lost.

#include "import_support.hpp"
#include <tridap/globalarrays/export.hpp>
#include <tridap/globalarrays/import.hpp>

#include <complex>
#include <utility>
#include <vector>

using namespace import_test;
using tridap::Copy;
using tridap::globalarrays::Fit;
using tridap::globalarrays::import_array;
using tridap::globalarrays::ImportedArray;

namespace {

// Of an array that needs as many processes as `comm` has.
void expect_imported(const oracle::Array& whole, Random& random, MPI_Comm comm = MPI_COMM_WORLD) {
  std::vector<DistArray> parts;  // all, so that the random numbers are the same everywhere
  for (Index process = 0; process < whole.processes(); ++process) parts.push_back(part_of(whole, process, random));
  if (comm == MPI_COMM_NULL) return;
  const DistArray& mine = parts[static_cast<std::size_t>(on::rank(comm))];
  const ImportedArray imported = import_array(mine, comm, Copy::if_needed);
  EXPECT_FALSE(imported.receipt.shared);
  Index bytes = 8;
  for (const Index extent : mine.buffer.shape) bytes *= extent;
  EXPECT_EQ(imported.receipt.bytes_copied, bytes);
  expect_read(imported.array, shape_of(whole));
  MPI_Barrier(comm);
}

std::vector<oracle::Axis> random_blocks(Random& random, Index places_in_all) {
  std::vector<oracle::Axis> axes;
  for (const Index places : random.grid(random.between(1, 4), places_in_all, true))
    axes.push_back(oracle::block(random.counts(places, 0, 4)));
  return axes;
}

TEST(Import, EveryByteOfRandomBlocksIsReadBack) {
  Random random(11);
  for (int turn = 0; turn < arrays::cases && !HasFailure(); ++turn)
    expect_imported(oracle::Array(random_blocks(random, processes())), random);
}

TEST(Import, ProcessesMayBeInAnyOrder) {
  Random random(14);
  for (int turn = 0; turn < arrays::cases / 5 && !HasFailure(); ++turn) {
    MPI_Comm comm = communicator(random.permutation(processes()));
    expect_imported(oracle::Array(random_blocks(random, processes())), random, comm);
    MPI_Comm_free(&comm);
  }
}

TEST(Import, GroupsMayBeInAnyOrder) {
  Random random(15);
  for (int turn = 0; turn < arrays::cases / 5 && !HasFailure(); ++turn) {
    List members = random.permutation(processes());
    members.resize(static_cast<std::size_t>(random.between(1, processes())));
    MPI_Comm comm = communicator(members);
    tridap::globalarrays::make_group(comm);
    expect_imported(oracle::Array(random_blocks(random, static_cast<Index>(members.size()))), random, comm);
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
}

TEST(Import, EveryByteOfRandomDealingsIsReadBack) {
  Random random(12);
  for (int turn = 0; turn < arrays::cases && !HasFailure(); ++turn) {
    std::vector<oracle::Axis> axes;
    for (const Index places : random.grid(random.between(1, 4), processes(), true)) {
      const Index length = random.between(1, 3);
      axes.push_back(oracle::cyclic(length * (places - 1) + random.between(1, 2 * length * places), length, places));
    }
    expect_imported(oracle::Array(axes), random);
  }
}

TEST(Import, EveryByteOfRandomDealingsOfUnevenBlocksIsReadBack) {
  Random random(13);
  for (int turn = 0; turn < arrays::cases && !HasFailure(); ++turn) {
    std::vector<oracle::Axis> axes;
    for (const Index places : random.grid(random.between(1, 4), processes(), true)) {
      const Index length = random.between(1, 3);
      axes.push_back(axes.empty()
                         ? oracle::cyclic(length * places + random.between(1, 2 * length * places), length, places)
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
    const List members = arrays::in_order(random.between(1, processes()));
    std::vector<Padded> padded;
    std::vector<oracle::Axis> axes;
    bool ghosts = false;
    for (const Index places : random.grid(random.between(1, 3), static_cast<Index>(members.size()), true)) {
      padded.push_back(random_padded(random, places));
      axes.push_back(padded.back().axis);
      ghosts = ghosts || padded.back().width > 0;
    }
    MPI_Comm comm = communicator(members);
    tridap::globalarrays::make_group(comm);
    if (comm == MPI_COMM_NULL) continue;
    const oracle::Array whole(axes);
    Random own(static_cast<unsigned>(turn));
    DistArray mine = part_of(whole, on::rank(comm), own);
    for (const auto& element : whole.elements(on::rank(comm), tridap::Part::local)) {
      const double value = value_of(element.global, padded);
      std::memcpy(oracle::address(mine.buffer, element.local), &value, sizeof value);
    }
    const ImportedArray imported = import_array(mine, comm, Copy::if_needed);
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

// What stands where in the Global Array is what nearest() says of the world's ranks.
void expect_nearest(const oracle::Array& whole, const List& world_ranks, Random& random) {
  MPI_Comm comm = communicator(world_ranks);
  const DistArray mine = part_of(whole, on::rank(comm), random);
  const PlacedDistribution placed(whole.distribution(), world_ranks);
  const bool held = !tridap::globalarrays::refusal(placed, real, processes());
  if (!held) expect_says(thrown([&] { import_array(mine, comm, Copy::if_needed); }), "nearest");
  const ImportedArray imported = import_array(mine, comm, Copy::if_needed, Fit::nearest);
  const std::vector<std::string>& losses = imported.receipt.losses;
  EXPECT_EQ(std::none_of(losses.begin(), losses.end(),
                         [](const std::string& loss) { return loss.find("the distribution") == 0; }),
            held);
  EXPECT_FALSE(imported.receipt.shared);
  Index bytes = imported.receipt.bytes_copied;
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, comm);
  EXPECT_EQ(bytes, 8 * shape_of(whole)[0] * shape_of(whole)[1]);
  const PlacedDistribution other = tridap::globalarrays::nearest(placed, real, processes());
  oracle::for_each_index(shape_of(whole), [&](const List& at) {
    EXPECT_EQ(imported.array.placed().rank(*imported.array.placed().distribution().owner(at)),
              other.rank(*other.distribution().owner(at)));
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
  const std::vector<std::pair<tridap::ElementType, int>> types = {
      {tridap::element_type<int>(), C_INT},
      {tridap::element_type<long>(), C_LONG},
      {tridap::element_type<float>(), C_FLOAT},
      {tridap::element_type<double>(), C_DBL},
      {tridap::element_type<std::complex<float>>(), C_SCPL},
      {tridap::element_type<std::complex<double>>(), C_DCPL}};
  for (const auto& [type, number] : types) {
    const ImportedArray imported = import_array(array_of(rows(), type), MPI_COMM_WORLD, Copy::if_needed);
    EXPECT_EQ(ga_type_of(imported.array), number) << type.name();
    EXPECT_TRUE(imported.receipt.losses.empty());
    tridap::ElementType swapped = type;  // is none of them, nor is a type of the same length
    swapped.native_order = false;
    const tridap::ElementType opaque{tridap::ElementType::Kind::opaque, type.bytes, true};
    const GlobalArray other = import_array(array_of(rows(), swapped), MPI_COMM_WORLD, Copy::if_needed).array;
    const GlobalArray third = import_array(array_of(rows(), opaque), MPI_COMM_WORLD, Copy::if_needed).array;
    EXPECT_NE(ga_type_of(other), number) << type.name();
    EXPECT_NE(ga_type_of(other), ga_type_of(third)) << type.name();
    EXPECT_EQ(tridap::globalarrays::export_array(other).array.buffer.type, swapped);
    EXPECT_EQ(tridap::globalarrays::export_array(third).array.buffer.type, opaque);
  }
}

// Whether it was lost, by its first words.
bool lost(const ImportedArray& imported, const std::string& what) {
  const std::vector<std::string>& losses = imported.receipt.losses;
  return std::any_of(losses.begin(), losses.end(), [&](const std::string& loss) { return loss.find(what) == 0; });
}

TEST(Import, SaysWhatIsLost) {
  const List counts(static_cast<std::size_t>(processes()), 3);
  const auto import = [](const oracle::Axis& axis) {
    return import_array(array_of(PlacedDistribution(oracle::Array({axis}).distribution())), MPI_COMM_WORLD,
                        Copy::if_needed);
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
  EXPECT_TRUE(lost(import_array(array, MPI_COMM_WORLD, Copy::if_needed), "the key 'colour'"));
  array = array_of(rows());
  array.buffer.strides = {8, 16};
  const ImportedArray imported = import_array(array, MPI_COMM_WORLD, Copy::if_needed);
  EXPECT_TRUE(lost(imported, "the storage order"));
  EXPECT_EQ(imported.receipt.losses.size(), 1U);
}

// Each process's bytes are of one value; what GA brings is compared with them.
void expect_type_imported(const tridap::ElementType& type) {
  SCOPED_TRACE(type.name());
  const auto part = static_cast<std::size_t>(6 * type.bytes);
  const DistArray array = array_of(rows(), type);
  std::memset(array.buffer.data, 40 + rank(), part);
  const ImportedArray imported = import_array(array, MPI_COMM_WORLD, Copy::if_needed);
  EXPECT_EQ(imported.array.type(), type);
  if (type.kind == tridap::ElementType::Kind::opaque) {
    EXPECT_EQ(imported.receipt.losses.size(), 1U);  // GA knows the length alone
  }
  EXPECT_EQ(tridap::globalarrays::export_array(imported.array).array.buffer.type, type);
  std::vector<unsigned char> all(part * static_cast<std::size_t>(processes()));
  int64_t lo[] = {0, 0}, hi[] = {2 * processes() - 1, 2}, ld[] = {3};
  NGA_Get64(imported.array.handle(), lo, hi, all.data(), ld);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], 40 + i / part);
}

TEST(Import, EveryTypeIsReadBack) {
  for (const tridap::ElementType& type : every_type()) {
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
    DistArray array = array_of(PlacedDistribution(oracle::Array(axes).distribution()));
    if (fortran) array.buffer.strides = tridap::column_major_strides(array.buffer.shape, 8);
    return import_array(array, MPI_COMM_WORLD, Copy::if_needed).receipt.losses;
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
  if (n == 1) GTEST_SKIP() << "needs at least 2 processes";
  List shared(static_cast<std::size_t>(n - 1), 1);
  std::vector<List> lists(1);
  for (Index i = 0; i < 5; ++i) lists[0].push_back(4 - i);
  const oracle::Axis rows = oracle::block(List(static_cast<std::size_t>(n), 3), shared);
  const oracle::Array whole({rows, oracle::unstructured(lists)});
  Random random(19);
  DistArray mine = part_of(whole, rank(), random);
  const auto padding = mine.buffer;  // what stands in the source's own padding is not asked for
  for (const auto& element : whole.elements(rank(), tridap::Part::local))
    if (!rows.find(rank(), element.global[0], tridap::Part::owned))
      std::memset(oracle::address(padding, element.local), 0xff, 8);
  const ImportedArray imported = import_array(mine, MPI_COMM_WORLD, Copy::if_needed, Fit::nearest);
  EXPECT_NE(GA_Has_ghosts(imported.array.handle()), 0);
  const DistArray back = tridap::globalarrays::export_array(imported.array).array;
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

}  // namespace
