#include "tpetra/support.hpp"

using namespace tpetra_test;
using tridap::tpetra::ArrayMap;

TEST(ArrayMap, ListsTheFlatNumbersOfEveryKindInMemoryOrder) {
  for_each_array(plain_axes, [](const oracle::Array& array) {
    const tridap::DistArray part = stamped(array);
    const ArrayMap layout(part, MPI_COMM_WORLD);
    EXPECT_EQ(ids_of(*layout.map()), ids_by_address(array, part.buffer));
    EXPECT_EQ(layout.process(), rank());
  });
}

TEST(ArrayMap, FollowsEveryMemoryOrderOfATwoDimensionalArray) {
  const Index p = processes();
  const oracle::Array array({oracle::cyclic(2 * p + 1, 1, p), oracle::block({3})});
  oracle::for_each_memory_order(2, [&](const std::vector<Index>& axes, const std::vector<bool>& backwards) {
    tridap::DistArray part = stamped(array);
    turn(part.buffer, axes, backwards);
    EXPECT_EQ(ids_of(*tridap::tpetra::make_map(part, MPI_COMM_WORLD)), ids_by_address(array, part.buffer));
  });
}

TEST(ArrayMap, PaddingHasNoIdsAndMirrorsNeither) {
  for_each_array(padded_axes, [](const oracle::Array& array) {
    const tridap::DistArray part = stamped(array);
    const ArrayMap layout(part, MPI_COMM_WORLD);
    EXPECT_EQ(ids_of(*layout.map()), ids_by_address(array, part.buffer));
    EXPECT_TRUE(layout.map()->isOneToOne());
  });
}

TEST(ArrayMap, OfAKnownDistributionIsTheSame) {
  for (const auto axes : {plain_axes, padded_axes})
    for_each_array(axes, [](const oracle::Array& array) {
      for (const bool turned : {false, true}) {
        tridap::DistArray part = stamped(array);
        if (turned && part.ndim() == 2 && rank() == processes() - 1) turn(part.buffer, {1, 0}, {false, false});
        const ArrayMap gathered(part, MPI_COMM_WORLD);
        const ArrayMap known(part, gathered.distribution(), MPI_COMM_WORLD);
        EXPECT_TRUE(known.map()->isSameAs(*gathered.map()));
        EXPECT_EQ(known.map()->isContiguous(), gathered.map()->isContiguous());
        EXPECT_EQ(known.map()->isUniform(), gathered.map()->isUniform());
        EXPECT_EQ(known.order().axes, gathered.order().axes);
        EXPECT_EQ(known.losses(), gathered.losses());
      }
    });
}

TEST(ArrayMap, OfAnotherKnownDistributionIsRefusedEverywhere) {
  const Index p = processes();
  const oracle::Array array({oracle::block(oracle::List(static_cast<std::size_t>(p), 4))});
  const tridap::DistArray part = stamped(array);
  const auto block = tridap::Distribution::make({4 * p}, {tridap::block()}, {p});
  const auto dealt = tridap::Distribution::make({4 * p}, {tridap::cyclic()}, {p});
  const std::string text = refusal([&] { ArrayMap(part, rank() == p - 1 ? dealt : block, MPI_COMM_WORLD); });
  EXPECT_TRUE(says(text, "(rank " + std::to_string(p - 1) + ")"));
  EXPECT_TRUE(says(text, "the array has dist_type 'b', the map was made for dist_type 'c'"));
  tridap::tpetra::ArrayMapOptions options;
  options.index_base = rank() == p - 1 ? 1 : 0;
  const std::string of_options = p == 1 ? "" : refusal([&] { ArrayMap(part, block, MPI_COMM_WORLD, options); });
  EXPECT_TRUE(p == 1 || says(of_options, "the processes have different options"));
}

TEST(ArrayMap, OneRangeOverAllProcessesIsAContiguousMap) {
  const Index p = processes();
  const oracle::Array rows({oracle::block(oracle::List(static_cast<std::size_t>(p), 2)), oracle::block({5})});
  EXPECT_TRUE(tridap::tpetra::make_map(stamped(rows), MPI_COMM_WORLD)->isContiguous());
  const oracle::Array columns({oracle::block({5}), oracle::block(oracle::List(static_cast<std::size_t>(p), 2))});
  EXPECT_EQ(tridap::tpetra::make_map(stamped(columns), MPI_COMM_WORLD)->isContiguous(), p == 1);
}

TEST(ArrayMap, AColumnMajorPartOnOneProcessIsNoRangeForAnyProcess) {
  const Index p = processes();
  const oracle::Array array({oracle::block(oracle::List(static_cast<std::size_t>(p), 2)), oracle::block({3})});
  tridap::DistArray part = stamped(array);
  if (rank() == p - 1) turn(part.buffer, {1, 0}, {false, false});
  const auto map = tridap::tpetra::make_map(part, MPI_COMM_WORLD);
  EXPECT_FALSE(map->isContiguous());
  EXPECT_EQ(ids_of(*map), ids_by_address(array, part.buffer));
}

TEST(ArrayMap, AnArrayWithoutAxesIsOneElementOnOneProcess) {
  tridap::DistArray part;
  part.buffer = tridap::allocate(tridap::element_type<double>(), {});
  if (processes() == 1) {
    EXPECT_EQ(ids_of(*tridap::tpetra::make_map(part, MPI_COMM_WORLD)), std::vector<Index>{0});
  } else {
    EXPECT_TRUE(says(refusal([&] { ArrayMap(part, MPI_COMM_WORLD); }), "grid.product"));
  }
}

TEST(ArrayMap, AnArrayWithoutElementsIsAnEmptyMap) {
  const oracle::Array array(
      {oracle::block(oracle::List(static_cast<std::size_t>(processes()), 0)), oracle::block({3})});
  EXPECT_EQ(tridap::tpetra::make_map(stamped(array), MPI_COMM_WORLD)->getGlobalNumElements(), 0U);
}

TEST(ArrayMap, SharedIndicesAreRefusedEverywhere) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";  // one process shares with nobody
  const std::vector<oracle::List> lists(static_cast<std::size_t>(processes()), {4, 2});
  const oracle::Array array({oracle::unstructured(lists)});
  EXPECT_TRUE(says(refusal([&] { ArrayMap(stamped(array), MPI_COMM_WORLD); }), "axis 0: an index is on several"));
}

TEST(ArrayMap, IdsThatNoDirectoryCanHoldAreRefusedBeforeTpetraHangs) {
  std::vector<oracle::List> lists(static_cast<std::size_t>(processes()));
  for (Index c = 0; c < processes(); ++c) lists[static_cast<std::size_t>(c)] = {c, (Index{1} << 40) + c};
  const oracle::Array array({oracle::unstructured(lists, true)});
  tridap::DistArray part;
  part.dim_data = dim_data(array, rank());
  part.buffer = tridap::allocate(tridap::element_type<double>(), {2});
  EXPECT_TRUE(says(refusal([&] { ArrayMap(part, MPI_COMM_WORLD); }), "Tpetra's directory holds 2^31"));
}

TEST(ArrayMap, FlatNumbersBeyondSixtyFourBitsAreRefused) {
  std::vector<oracle::List> lists(static_cast<std::size_t>(processes()));
  lists[0] = {-(Index{1} << 62), Index{1} << 62};
  const oracle::Array array({oracle::unstructured(lists, true)});
  tridap::DistArray part;
  part.dim_data = dim_data(array, rank());
  part.buffer = tridap::allocate(tridap::element_type<double>(), {rank() == 0 ? 2 : 0});
  EXPECT_TRUE(says(refusal([&] { ArrayMap(part, MPI_COMM_WORLD); }), "do not fit 64 bits"));
}

TEST(ArrayMap, OneBadProcessFailsEveryProcess) {
  const oracle::Array array({oracle::block(oracle::List(static_cast<std::size_t>(processes()), 3))});
  for (Index bad = 0; bad < processes(); ++bad) {
    tridap::DistArray part = stamped(array);
    if (rank() == bad) std::get<tridap::Block>(part.dim_data[0].dist).stop += 1;
    const std::string text = refusal([&] { ArrayMap(part, MPI_COMM_WORLD); });
    EXPECT_TRUE(says(text, "(rank " + std::to_string(bad) + ")"));
  }
}

TEST(ArrayMap, WorksOnACommunicatorOfSomeProcesses) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(rank() % 2), static_cast<int>(-rank()), &half);  // and turned round
  int members = 1;
  MPI_Comm_size(half, &members);
  const Index place = tridap::mpi::rank_of(half);
  const oracle::Axis axis = oracle::cyclic(2 * members + 1, 1, members);
  tridap::DistArray part;
  part.dim_data = {axis.dims[static_cast<std::size_t>(place)]};
  part.buffer = tridap::allocate(tridap::element_type<double>(), {static_cast<Index>(axis.held_by(place).size())});
  {
    const ArrayMap layout(part, half);
    EXPECT_EQ(ids_of(*layout.map()), axis.held_by(place));
  }
  MPI_Comm_free(&half);
}
