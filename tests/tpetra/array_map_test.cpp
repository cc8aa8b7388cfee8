#include "support/padded_axes.hpp"
#include "tpetra/support.hpp"

using namespace tpetra_test;
using oracle::List;
using oracle::of;
using tridap::Copy;
using tridap::tpetra::ArrayMap;
using tridap::tpetra::ArrayMapOptions;
using tridap::tpetra::import_vector;
using tridap::tpetra::make_map;

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
  const oracle::Array array({oracle::block(of(p, 4))});
  const tridap::DistArray part = stamped(array);
  const auto block = tridap::Distribution::make({4 * p}, {tridap::block()}, {p});
  const auto dealt = tridap::Distribution::make({4 * p}, {tridap::cyclic()}, {p});
  if (p == 1) {  // the same elements
    EXPECT_NO_THROW(ArrayMap(part, dealt, MPI_COMM_WORLD));
  } else {
    const std::string text = refusal([&] { ArrayMap(part, rank() == p - 1 ? dealt : block, MPI_COMM_WORLD); });
    expect_says(text, "(rank " + std::to_string(p - 1) + ")");
    expect_says(text, "the array has dist_type 'b', the map was made for dist_type 'c'");
  }
  tridap::tpetra::ArrayMapOptions options;
  options.index_base = rank() == p - 1 ? 1 : 0;
  const std::string of_options = p == 1 ? "" : refusal([&] { ArrayMap(part, block, MPI_COMM_WORLD, options); });
  EXPECT_TRUE(p == 1 || says(of_options, "the processes have different options"));
}

TEST(ArrayMap, AColumnMajorPartOnOneProcessIsNoRangeForAnyProcess) {
  const Index p = processes();
  const oracle::Array array({oracle::block(of(p, 2)), oracle::block({3})});
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
    expect_refused([&] { ArrayMap(part, MPI_COMM_WORLD); }, "grid.product");
  }
}

TEST(ArrayMap, AnArrayWithoutElementsIsAnEmptyMap) {
  const oracle::Array array({oracle::block(of(processes(), 0)), oracle::block({3})});
  EXPECT_EQ(tridap::tpetra::make_map(stamped(array), MPI_COMM_WORLD)->getGlobalNumElements(), 0U);
}

TEST(ArrayMap, IdsThatNoDirectoryCanHoldAreRefusedBeforeTpetraHangs) {
  std::vector<oracle::List> lists(static_cast<std::size_t>(processes()));
  for (Index c = 0; c < processes(); ++c) lists[static_cast<std::size_t>(c)] = {c, (Index{1} << 40) + c};
  const oracle::Array array({oracle::unstructured(lists, true)});
  tridap::DistArray part;
  part.dim_data = dim_data(array, rank());
  part.buffer = tridap::allocate(tridap::element_type<double>(), {2});
  expect_refused([&] { ArrayMap(part, MPI_COMM_WORLD); },
                 long_ids ? "Tpetra's directory holds 2^31" : "must be less than 2147483647");
}

TEST(ArrayMap, FlatNumbersBeyondSixtyFourBitsAreRefused) {
  std::vector<oracle::List> lists(static_cast<std::size_t>(processes()));
  lists[0] = {-(Index{1} << 62), Index{1} << 62};
  const oracle::Array array({oracle::unstructured(lists, true)});
  tridap::DistArray part;
  part.dim_data = dim_data(array, rank());
  part.buffer = tridap::allocate(tridap::element_type<double>(), {rank() == 0 ? 2 : 0});
  expect_refused([&] { ArrayMap(part, MPI_COMM_WORLD); }, "do not fit 64 bits");
}

TEST(LayoutMaps, ListsAndDealtBlocksThatAreOneRangeAreContiguous) {
  const Index p = processes();
  std::vector<List> lists;
  for (Index c = 0; c < p; ++c) lists.push_back({3 * c - 7, 3 * c - 6, 3 * c - 5});
  for (const oracle::Axis& axis : {oracle::unstructured(lists, true), oracle::cyclic(3 * p, 3, p)}) {
    const oracle::Array array({axis, oracle::block({2})});
    const tridap::DistArray part = stamped(array);
    const auto map = make_map(part, MPI_COMM_WORLD);
    EXPECT_TRUE(map->isContiguous());
    EXPECT_EQ(ids_of(*map), ids_by_address(array, part.buffer));
  }
}

TEST(LayoutMaps, OfManyAxesListTheirFlatNumbers) {
  const Index p = processes();
  for (const std::size_t ndim : {std::size_t{5}, std::size_t{8}}) {
    std::vector<oracle::Axis> axes(ndim, oracle::block({2}));
    axes[1] = oracle::cyclic(2 * p + 1, 1, p);
    axes[ndim - 1] = oracle::unstructured({{5, -2}}, true);
    const oracle::Array array(axes);
    tridap::DistArray part = stamped(array);
    const auto imported = import_vector<double>(part, MPI_COMM_WORLD);
    EXPECT_EQ(ids_of(*imported.vector->getMap()), ids_by_address(array, part.buffer));
    part.buffer.strides = tridap::column_major_strides(part.buffer.shape, 8);
    EXPECT_EQ(ids_of(*make_map(part, MPI_COMM_WORLD)), ids_by_address(array, part.buffer));
  }
}

TEST(LayoutGaps, ClosedMakeIdsOfPlacesAmongAllIndicesAndLeadBack) {
  const Index p = processes(), far = Index{1} << 40;
  std::vector<List> lists;
  for (Index c = 0; c < p; ++c) lists.push_back({far * (c + 1), -far * (c + 1)});
  tridap::DistArray part;  // whose flat numbers are too many to be written out by stamped()
  part.dim_data = {oracle::unstructured(lists, true).dims[static_cast<std::size_t>(rank())]};
  part.buffer = tridap::allocate(tridap::element_type<double>(), {2});
  expect_refused([&] { ArrayMap(part, MPI_COMM_WORLD); }, "unstructured_ids = compact");
  ArrayMapOptions options = based(7);
  options.unstructured_ids = tridap::UnstructuredIds::compact;
  const ArrayMap layout(part, MPI_COMM_WORLD, options);
  EXPECT_EQ(ids_of(*layout.map()), (List{7 + p + rank(), 7 + p - 1 - rank()}));
  const auto numbers = layout.numbers();
  EXPECT_EQ(numbers.global_index(p + rank()), (tridap::Indices{far * (rank() + 1)}));
  EXPECT_EQ(numbers.global_index(p - 1 - rank()), (tridap::Indices{-far * (rank() + 1)}));
}

TEST(ArrayMapOptions, ThatDifferBetweenProcessesAreRefusedOnAll) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  const tridap::DistArray part = stamped(oracle::Array({oracle::block(of(processes(), 2)), oracle::block({3})}));
  const bool odd = rank() == 1;
  const std::vector<std::function<void(ArrayMapOptions&)>> changes = {
      [](ArrayMapOptions& o) { o.reorder = true; },
      [](ArrayMapOptions& o) { o.shared = true; },
      [](ArrayMapOptions& o) { o.index_base = 1; },
      [](ArrayMapOptions& o) { o.vectors_axis = 1; },
      [](ArrayMapOptions& o) { o.unstructured_ids = tridap::UnstructuredIds::compact; },
      [](ArrayMapOptions& o) { o.numbering = tridap::tpetra::Numbering::by_process; }};
  for (const auto& change : changes) {
    ArrayMapOptions options;
    if (odd) change(options);
    expect_refused([&] { ArrayMap(part, MPI_COMM_WORLD, options); }, "the processes have different options");
  }
}

TEST(LayoutReorder, ThatNotAllAllowIsNotDone) {
  const Index p = processes();
  if (p == 1) GTEST_SKIP() << "needs at least 2 processes";
  const oracle::Array array({oracle::block(of(p, 2))});
  tridap::DistArray part = stamped(array);
  part.dim_data = dim_data(array, p - 1 - rank());
  ArrayMapOptions options;
  options.reorder = rank() == 0;
  expect_refused([&] { ArrayMap(part, MPI_COMM_WORLD, options); }, "grid.order");
}

TEST(LayoutReorder, IsNamedByTheReceiptsOfPaddedVectorsToo) {
  const Index p = processes();
  if (p == 1) GTEST_SKIP() << "needs at least 2 processes";
  const oracle::Array array({oracle::block(of(p, 2), of(p - 1, 1))});
  tridap::DistArray part = stamped(array);
  part.dim_data = dim_data(array, p - 1 - rank());
  part.buffer = tridap::allocate(tridap::element_type<double>(), array.local_shape(p - 1 - rank()));
  const auto padded = tridap::tpetra::import_padded<double>(part, MPI_COMM_WORLD, Copy::never, reordered());
  EXPECT_EQ(padded.receipt().losses, std::vector<std::string>{"the order of the processes"});
}
