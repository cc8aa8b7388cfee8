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

namespace {}  // namespace

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
  EXPECT_TRUE(says(refusal([&] { ArrayMap(part, MPI_COMM_WORLD); }), "unstructured_ids = compact"));
  ArrayMapOptions options = based(7);
  options.unstructured_ids = tridap::UnstructuredIds::compact;
  const ArrayMap layout(part, MPI_COMM_WORLD, options);
  EXPECT_EQ(ids_of(*layout.map()), (List{7 + p + rank(), 7 + p - 1 - rank()}));
  const tridap::FlatNumbers numbers = layout.numbers();
  EXPECT_EQ(numbers.global_index(p + rank()), (tridap::Indices{far * (rank() + 1)}));
  EXPECT_EQ(numbers.global_index(p - 1 - rank()), (tridap::Indices{-far * (rank() + 1)}));
}

TEST(ArrayMapOptions, ThatDifferBetweenProcessesAreRefusedOnAll) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  const tridap::DistArray part = stamped(oracle::Array({oracle::block(of(processes(), 2)), oracle::block({3})}));
  const bool odd = rank() == 1;
  const std::vector<std::function<void(ArrayMapOptions&)>> changes = {
      [](ArrayMapOptions& o) { o.reorder = true; }, [](ArrayMapOptions& o) { o.shared = true; },
      [](ArrayMapOptions& o) { o.index_base = 1; }, [](ArrayMapOptions& o) { o.vectors_axis = 1; },
      [](ArrayMapOptions& o) { o.unstructured_ids = tridap::UnstructuredIds::compact; }};
  for (const auto& change : changes) {
    ArrayMapOptions options;
    if (odd) change(options);
    EXPECT_TRUE(
        says(refusal([&] { ArrayMap(part, MPI_COMM_WORLD, options); }), "the processes have different options"));
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
  EXPECT_TRUE(says(refusal([&] { ArrayMap(part, MPI_COMM_WORLD, options); }), "grid.order"));
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
