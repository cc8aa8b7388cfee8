#include "support/inter_communicator.hpp"
#include "support/padded_axes.hpp"
#include "tpetra/same_dims.hpp"
#include "tpetra/support.hpp"
#include <tridap/compare.hpp>

#include <Teuchos_DefaultSerialComm.hpp>

#include <limits>

using namespace tpetra_test;
using oracle::all_padded;
using oracle::List;
using oracle::of;
using tridap::Copy;
using tridap::tpetra::ArrayMap;
using tridap::tpetra::ArrayMapOptions;
using tridap::tpetra::Communicator;
using tridap::tpetra::export_array;
using tridap::tpetra::import_vector;
using tridap::tpetra::make_map;
using tridap::tpetra::Map;
using tridap::tpetra::TeuchosComm;

namespace {

ArrayMapOptions shared() {
  ArrayMapOptions options;
  options.shared = true;
  return options;
}

Teuchos::RCP<const Map> list_map(const std::vector<Index>& ids, Index base, const TeuchosComm& comm) {
  const std::vector<Map::global_ordinal_type> list(ids.begin(), ids.end());
  return Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                              Teuchos::ArrayView<const Map::global_ordinal_type>(list), id_of(base), comm));
}

// Whether the lists of all processes, one after the other, rise by one.
bool one_range(const std::vector<Index>& ids) {
  bool here = true;
  for (std::size_t i = 0; i + 1 < ids.size(); ++i) here = here && ids[i + 1] == ids[i] + 1;
  const Index own[3] = {static_cast<Index>(ids.size()), ids.empty() ? 0 : ids.front(), here ? 1 : 0};
  std::vector<Index> all(static_cast<std::size_t>(3 * processes()));
  MPI_Allgather(own, 3, MPI_INT64_T, all.data(), 3, MPI_INT64_T, MPI_COMM_WORLD);
  std::optional<Index> next;
  for (std::size_t p = 0; p < all.size(); p += 3) {
    if (all[p + 2] == 0 || (all[p] > 0 && next && all[p + 1] != *next)) return false;
    if (all[p] > 0) next = all[p + 1] + all[p];
  }
  return true;
}

// Axes whose ids are, or are not, one range, for reasons of all kinds.
std::vector<oracle::Axis> plain_and_padded(Index grid) {
  std::vector<oracle::Axis> axes = plain_axes(grid);
  for (const oracle::Axis& axis : all_padded(grid)) axes.push_back(axis);
  axes.push_back(oracle::block(of(grid, grid == 1 ? 1 : 0)));                               // one element, or none
  axes.push_back(oracle::block(of(grid, 1)));                                               // one for each
  axes.push_back(oracle::block(grid == 1 ? List{3} : of(grid, 2), {}, {1, 0}, grid == 1));  // mirrors at one end
  return axes;
}

}  // namespace

TEST(LayoutMaps, EqualAListedMapAndAreContiguousForOneRange) {
  Index count = 0;
  for_each_pair(plain_and_padded, [&](const oracle::Array& array) {
    if (array.flat_numbers().empty()) return;
    SCOPED_TRACE(tridap::describe(array.distribution()));
    const tridap::DistArray part = stamped(array);
    const std::vector<Index> ids = ids_by_address(array, part.buffer);
    const Index each = count++ % 2;
    for (const Index base : array.axes.size() == 1 ? List{0, 3} : List{3 * each}) {
      const ArrayMap layout(part, MPI_COMM_WORLD, based(base));
      std::vector<Index> expected = ids;
      for (Index& id : expected) id += base;
      EXPECT_EQ(ids_of(*layout.map()), expected);
      EXPECT_EQ(layout.process(), rank());
      EXPECT_TRUE(layout.map()->isOneToOne());
      const Index said = layout.map()->getIndexBase();  // Tpetra's contiguous maps begin at theirs
      EXPECT_EQ(said, layout.map()->isContiguous() ? layout.map()->getMinAllGlobalIndex() : base);
      EXPECT_TRUE(layout.map()->isSameAs(*list_map(expected, said, layout.communicator().teuchos())));
      std::size_t total = expected.size();
      MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_EQ(layout.map()->getGlobalNumElements(), total);
      if (total == 0) continue;
      EXPECT_EQ(layout.map()->isContiguous(), one_range(expected));
    }
  });
}

TEST(LayoutMaps, AColumnMajorArrayIsOneRangeOnlyWhereItsOrderMakesOne) {
  const Index p = processes();
  for (const oracle::Array& array : {oracle::Array({oracle::block({1}), oracle::block(of(p, 3))}),
                                     oracle::Array({oracle::block(of(p, 3)), oracle::block({1})}),
                                     oracle::Array({oracle::block(of(p, 1)), oracle::block({3})}),
                                     oracle::Array({oracle::block(of(p, 2)), oracle::block({3})}),
                                     oracle::Array({oracle::cyclic(2 * p + 1, 1, p), oracle::block({3})})})
    oracle::for_each_memory_order(2, [&](const std::vector<Index>& axes, const std::vector<bool>& backwards) {
      tridap::DistArray part = stamped(array);
      turn(part.buffer, axes, backwards);
      const auto map = make_map(part, MPI_COMM_WORLD);
      const std::vector<Index> ids = ids_by_address(array, part.buffer);
      EXPECT_EQ(ids_of(*map), ids);
      EXPECT_EQ(map->isContiguous(), one_range(ids));
      EXPECT_TRUE(map->isSameAs(*list_map(ids, 0, map->getComm())));
      const ArrayMap layout(part, MPI_COMM_WORLD);
      const tridap::Buffer out = export_array(import_vector<double>(part, layout).vector, layout).array.buffer;
      EXPECT_EQ(oracle::addresses(out), oracle::addresses(part.buffer));
    });
}

TEST(LayoutMaps, OfDimDataAreThoseOfRowMajorArrays) {
  for_each_pair(plain_and_padded, [](const oracle::Array& array) {
    const auto map = make_map(dim_data(array, rank()), MPI_COMM_WORLD, based(2));
    const auto expected = make_map(stamped(array), MPI_COMM_WORLD, based(2));
    EXPECT_EQ(ids_of(*map), ids_of(*expected));
    EXPECT_TRUE(map->isSameAs(*expected));
  });
}

TEST(LayoutMaps, OfDimDataMayBeLongerThanAnyMemory) {
  const Index p = processes(), n = long_ids ? Index{1} << 30 : (Index{1} << 30) / p;
  tridap::Dimension dimension = oracle::dimension(n * p, p, rank());
  dimension.dist = tridap::Block{n * rank(), n * (rank() + 1), {}};
  const auto map = make_map({dimension}, MPI_COMM_WORLD);
  EXPECT_TRUE(map->isContiguous());
  EXPECT_EQ(static_cast<Index>(map->getGlobalNumElements()), n * p);
}

TEST(LayoutReorder, GivesEachProcessTheIdsOfItsGridCoordinates) {
  const Index p = processes();
  for_each_array(plain_axes, [&](const oracle::Array& array) {
    for (const Index place : {p - 1 - rank(), (rank() + 1) % p, rank()}) {
      const tridap::DistArray part = stamped(array, place);
      const ArrayMap layout(part, MPI_COMM_WORLD, reordered());
      const std::vector<Index> ids = ids_by_address(array, part.buffer, place);
      EXPECT_EQ(ids_of(*layout.map()), ids);
      EXPECT_TRUE(layout.map()->isSameAs(*list_map(ids, 0, layout.communicator().teuchos())));
      EXPECT_EQ(layout.process(), place);
      std::vector<Index> places(static_cast<std::size_t>(p));
      MPI_Allgather(&place, 1, MPI_INT64_T, places.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
      for (Index r = 0; r < p; ++r) EXPECT_EQ(layout.rank(places[static_cast<std::size_t>(r)]), r);
      const bool moved = places[0] != 0 || places.back() != p - 1;
      EXPECT_EQ(layout.is_reordered(), moved);
      const auto imported = import_vector<double>(part, layout);
      EXPECT_EQ(
          std::count(imported.receipt.losses.begin(), imported.receipt.losses.end(), "the order of the processes"),
          moved ? 1 : 0);
      EXPECT_TRUE(imported.receipt.shared);
      for (std::size_t i = 0; i < ids.size(); ++i)
        EXPECT_EQ(data_of(*imported.vector)[i], static_cast<double>(ids[i]) + 0.5);

      const auto [out, receipt] = export_array(imported.vector, layout);
      EXPECT_EQ(receipt.bytes_copied, 0);
      EXPECT_EQ(differs(out.dim_data, part.dim_data), "");
      EXPECT_EQ(oracle::addresses(out.buffer), oracle::addresses(part.buffer));
    }
  });
}

TEST(LayoutReorder, ServesEveryCallThatMakesALayout) {
  const Index p = processes(), place = p - 1 - rank();
  const oracle::Array array({oracle::cyclic(3 * p, 1, p), oracle::block({2})});
  const tridap::DistArray part = stamped(array, place);
  EXPECT_EQ(ids_of(*make_map(part, MPI_COMM_WORLD, reordered())), ids_by_address(array, part.buffer, place));
  EXPECT_EQ(ids_of(*make_map(part.dim_data, MPI_COMM_WORLD, reordered())), ids_by_address(array, part.buffer, place));
  EXPECT_EQ(data_of(*import_vector<double>(part, MPI_COMM_WORLD, Copy::never, reordered()).vector), part.buffer.data);
  EXPECT_TRUE(
      tridap::tpetra::import_block_vector<double>(part, MPI_COMM_WORLD, Copy::never, reordered()).receipt.shared);
  EXPECT_EQ(tridap::tpetra::import_multivector<double>(part, MPI_COMM_WORLD, Copy::if_needed, reordered())
                .receipt.bytes_copied,
            48);
}

TEST(LayoutReorder, IsNeverDoneUnasked) {
  const Index p = processes();
  if (p == 1) GTEST_SKIP() << "needs at least 2 processes";
  const oracle::Array array({oracle::block(of(p, 3))});
  for (const Index place : {p - 1 - rank(), (rank() + 1) % p}) {
    const tridap::DistArray part = stamped(array, place);
    expect_refused([&] { ArrayMap(part, MPI_COMM_WORLD); }, "[grid.order]");
    expect_refused([&] { import_vector<double>(part, MPI_COMM_WORLD); }, "[grid.order]");
    expect_refused([&] { make_map(part.dim_data, MPI_COMM_WORLD); }, "[grid.order]");
  }
}

TEST(LayoutReorder, MessagesNameTheRankAndNotThePlace) {
  const Index p = processes();
  const oracle::Array array({oracle::block(of(p, 3)), oracle::block({2})});
  for (Index bad = 0; bad < p; ++bad) {
    const std::string named = "(rank " + std::to_string(bad) + ")";
    const auto refused = [&](const tridap::DistArray& part) {
      return refusal([&] { import_vector<double>(part, MPI_COMM_WORLD, Copy::never, reordered()); });
    };
    tridap::DistArray part = stamped(array, (rank() + 1) % p);
    if (rank() == bad) part.buffer.shape[0] += 1;
    expect_says(refused(part), named);
    part = stamped(array, (rank() + 1) % p);
    if (rank() == bad) part.dim_data[1].size = 5;
    expect_says(refused(part), p == 1 ? "[block.tiling]" : "5 on rank " + std::to_string(bad));
    part = stamped(array, (rank() + 1) % p);
    if (rank() == bad) part.buffer.read_only = true;
    expect_says(refused(part), named);
  }
}

TEST(LayoutReorder, TwoProcessesAtOnePlaceOrOneAtNoneAreRefusedOnAll) {
  const Index p = processes();
  const oracle::Array array({oracle::block(of(p, 3))});
  for (Index bad = 0; bad < p; ++bad) {
    const auto refused = [&](const tridap::DistArray& part) {
      return refusal([&] { ArrayMap(part, MPI_COMM_WORLD, reordered()); });
    };
    tridap::DistArray part = stamped(array, rank() == bad ? (rank() + 1) % p : rank());
    if (p > 1) {
      EXPECT_FALSE(refused(part).empty());
    }
    for (const Index wrong : {Index{-1}, p, std::numeric_limits<Index>::max(), std::numeric_limits<Index>::min()}) {
      part = stamped(array);
      if (rank() == bad) part.dim_data[0].proc_grid_rank = wrong;
      expect_says(refused(part), "(rank " + std::to_string(bad) + ")");
      part = stamped(array);
      if (rank() == bad) part.dim_data[0].proc_grid_size = wrong;
      if (wrong != p) {
        EXPECT_FALSE(refused(part).empty());
      }
    }
    part = stamped(array);
    if (rank() == bad) part.dim_data.clear();
    EXPECT_FALSE(refused(part).empty());
  }
}

TEST(LayoutReorder, WorksOnCommunicatorsOfSomeProcessesInAnyOrder) {
  const auto color = static_cast<int>(rank() % 2);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, color, static_cast<int>(-rank()), &half);  // turned round
  int members = 1;
  MPI_Comm_size(half, &members);
  const Index here = tridap::mpi::rank_of(half), place = members - 1 - here;
  {
    const oracle::Array array({oracle::cyclic(2 * members + 1, 1, members)});
    const tridap::DistArray part = stamped(array, place);
    const auto imported = import_vector<double>(part, half, Copy::never, reordered());
    EXPECT_EQ(ids_of(*imported.vector->getMap()), array.axes[0].held_by(place));
    EXPECT_EQ(imported.vector->getMap()->getComm()->getSize(), members);
    double sum = 0;
    for (Index g = 0; g < 2 * members + 1; ++g) sum += static_cast<double>(g) + 0.5;
    EXPECT_DOUBLE_EQ(imported.vector->norm1(), sum);
  }
  MPI_Comm_free(&half);
}

TEST(LayoutShared, IndicesAreAllowedOnlyWhenAskedForAndTheLossIsNamed) {
  const Index p = processes();
  std::vector<List> lists;
  for (Index c = 0; c < p; ++c) lists.push_back({c + 1, c, 30 - c});
  const oracle::Array array({oracle::unstructured(lists)});
  const tridap::DistArray part = stamped(array);
  const ArrayMap layout(part, MPI_COMM_WORLD, shared());
  EXPECT_EQ(ids_of(*layout.map()), ids_by_address(array, part.buffer));
  EXPECT_EQ(layout.map()->isOneToOne(), p == 1);
  const auto imported = import_vector<double>(part, layout);
  EXPECT_EQ(data_of(*imported.vector), part.buffer.data);
  EXPECT_EQ(imported.receipt.losses,
            p == 1 ? std::vector<std::string>{} : std::vector<std::string>{"uniqueness of elements"});
  if (p > 1) {
    expect_refused([&] { import_vector<double>(part, MPI_COMM_WORLD); }, "axis 0: an index is on several processes");
  }
  const auto out = export_array(imported.vector, layout);
  EXPECT_EQ(differs(out.array.dim_data, part.dim_data), "");
}

TEST(LayoutShared, WhatIsNotSharedIsNoLoss) {
  const oracle::Array array({plain_axes(processes())[4]});
  EXPECT_TRUE(ArrayMap(stamped(array), MPI_COMM_WORLD, shared()).losses().empty());
}

TEST(LayoutShared, AnIndexTwiceOnOneProcessIsRefusedAllTheSame) {
  for (Index bad = 0; bad < processes(); ++bad) {
    tridap::DistArray part;
    tridap::Dimension dimension = oracle::dimension(2 * processes(), processes(), rank());
    dimension.dist = tridap::Unstructured{
        rank() == bad ? std::vector<Index>{5, 5} : std::vector<Index>{10 + 2 * rank(), 11 + 2 * rank()}, false};
    part.dim_data = {dimension};
    part.buffer = tridap::allocate(tridap::element_type<double>(), {2});
    expect_refused([&] { ArrayMap(part, MPI_COMM_WORLD, shared()); }, "[unstructured.unique]");
  }
}

TEST(LayoutIndexBase, ShiftsTheIdsAndComesBackWithItsShape) {
  for_each_array(plain_axes, [](const oracle::Array& array) {
    const tridap::DistArray part = stamped(array);
    const ArrayMap layout(part, MPI_COMM_WORLD, based(5));
    const auto imported = import_vector<double>(part, layout);
    EXPECT_EQ(imported.vector->getMap()->getIndexBase(), 5);
    const auto out = export_array(imported.vector, layout);
    EXPECT_EQ(differs(out.array.dim_data, part.dim_data), "");
    EXPECT_TRUE(make_map(out.array, MPI_COMM_WORLD, based(5))->isSameAs(*layout.map()));
    if (layout.map()->getGlobalNumElements() > 0) {
      EXPECT_FALSE(make_map(out.array, MPI_COMM_WORLD)->isSameAs(*layout.map()));
    }
  });
}

TEST(LayoutIndexBase, ThatIsNegativeOrPastTheEndOfNumbersIsRefusedOnEveryProcess) {
  const Index most = std::numeric_limits<Index>::max();
  for (const oracle::Array& array : {oracle::Array({oracle::block(of(processes(), 3))}),
                                     oracle::Array({oracle::cyclic(3 * processes(), 1, processes())})}) {
    const tridap::DistArray part = stamped(array);
    expect_refused([&] { ArrayMap(part, MPI_COMM_WORLD, based(-1)); }, "the index base is -1");
    expect_refused([&] { ArrayMap(part, MPI_COMM_WORLD, based(most - 2)); }, "the index base is");
  }
}

TEST(LayoutCommunicators, OfMpiAndOfTeuchosAreTheSame) {
  const oracle::Array array({oracle::cyclic(3 * processes(), 1, processes())});
  const tridap::DistArray part = stamped(array);
  const auto mpi = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
  const Teuchos::RCP<const Teuchos::MpiComm<int>> constant = mpi;
  const TeuchosComm general = mpi;
  const auto expected = make_map(part, MPI_COMM_WORLD);
  for (const Communicator& comm : {Communicator(mpi), Communicator(constant), Communicator(general)}) {
    const ArrayMap layout(part, comm);
    EXPECT_EQ(layout.map()->getComm().get(), mpi.get());
    EXPECT_TRUE(layout.map()->isSameAs(*expected));
    EXPECT_EQ(data_of(*import_vector<double>(part, layout).vector), part.buffer.data);
  }
  EXPECT_EQ(make_map(part, MPI_COMM_WORLD)->getComm().get(), expected->getComm().get()) << "made once, and kept";
}

TEST(LayoutCommunicators, ASplitOneOfTeuchosServesItsProcesses) {
  const auto mpi = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
  const TeuchosComm half = mpi->split(static_cast<int>(rank() % 2), static_cast<int>(rank()));
  const oracle::Array array({oracle::cyclic(3 * half->getSize(), 1, half->getSize())});
  const tridap::DistArray part = stamped(array, half->getRank());
  const auto imported = import_vector<double>(part, half);
  EXPECT_EQ(ids_of(*imported.vector->getMap()), array.axes[0].held_by(half->getRank()));
  EXPECT_EQ(export_array(imported.vector).array.dim_data[0].proc_grid_size, half->getSize());
}

TEST(LayoutCommunicators, WhatDuplicateAndSplitReturnIsTakenAsItIs) {
  const Teuchos::RCP<Teuchos::Comm<int>> copy = world()->duplicate(),
                                         alone = world()->split(static_cast<int>(rank()), 0);
  const tridap::DistArray part = stamped(oracle::Array({oracle::cyclic(3 * processes() + 1, 2, processes())}));
  EXPECT_TRUE(tridap::tpetra::make_map(part, copy)->isSameAs(*tridap::tpetra::make_map(part, MPI_COMM_WORLD)));
  EXPECT_TRUE(tridap::tpetra::import_vector<double>(part, copy).receipt.shared);
  EXPECT_EQ(tridap::tpetra::make_map(stamped(oracle::Array({oracle::block({4})}), 0), alone)->getGlobalNumElements(),
            4U);
  const auto serial = Teuchos::rcp(new Teuchos::SerialComm<int>);
  EXPECT_EQ(Communicator(serial).caller(), MPI_COMM_SELF);
}

TEST(LayoutCommunicators, ASerialOneIsOneProcess) {
  const TeuchosComm serial = Teuchos::rcp(new Teuchos::SerialComm<int>());
  const oracle::Array array({oracle::block({3}, {}, {1, 1}, true), oracle::unstructured({{4, -2}}, true)});
  const tridap::DistArray part = stamped(array, 0);
  const ArrayMap layout(part, serial);
  EXPECT_EQ(ids_of(*layout.map()), ids_by_address(array, part.buffer, 0));
  EXPECT_EQ(layout.map()->getComm().get(), serial.get());
  const oracle::Array line({oracle::block({4})});
  const tridap::DistArray dense = stamped(line, 0);
  const auto imported = import_vector<double>(dense, serial);
  EXPECT_EQ(export_array(imported.vector).array.buffer.data, dense.buffer.data);
  auto padded = tridap::tpetra::import_padded<double>(part, serial);
  padded.update_padding();
  EXPECT_EQ(*static_cast<double*>(part.buffer.data), *(static_cast<double*>(part.buffer.data) + 2));
}

TEST(LayoutCommunicators, NoneAtAllIsRefused) {
  const TeuchosComm general;
  const Teuchos::RCP<Teuchos::MpiComm<int>> mpi;
  const MPI_Comm raw = MPI_COMM_NULL;
  expect_refused([&] { Communicator made(general); }, "the communicator is null");
  expect_refused([&] { Communicator made(mpi); }, "the communicator is null");
  expect_refused([&] { Communicator made(raw); }, "the communicator is MPI_COMM_NULL");
}

TEST(LayoutCommunicators, InterCommunicatorsAreRefused) {
  if (processes() < 2) GTEST_SKIP() << "needs at least 2 processes";
  const tridap::DistArray part = stamped(oracle::Array({oracle::cyclic(3 * processes(), 1, processes())}));
  expect_needs_communicator("ArrayMap", [&](MPI_Comm comm) { ArrayMap(part, comm); });
  expect_needs_communicator("import_vector", [&](MPI_Comm comm) { import_vector<double>(part, comm); });
}

TEST(LayoutCommunicators, MapsOutliveTheCommunicator) {
  const tridap::DistArray part = stamped(oracle::Array({oracle::cyclic(3 * processes(), 1, processes())}));
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const auto imported = import_vector<double>(part, comm);
  const ArrayMap layout(part, comm);
  EXPECT_EQ(layout.comm(), comm);
  MPI_Comm_free(&comm);
  imported.vector->putScalar(2);
  EXPECT_EQ(imported.vector->norm1(), 6.0 * static_cast<double>(processes()));
  EXPECT_TRUE(imported.vector->getMap()->isSameAs(*layout.map()));
  EXPECT_EQ(export_array(imported.vector).array.buffer.data, part.buffer.data);
  int size = 0;
  MPI_Comm_size(layout.comm(), &size);
  EXPECT_EQ(size, processes());
}
