#include "tpetra/support.hpp"
#include <tridap/make.hpp>
#include <tridap/tpetra/matrix.hpp>
#include <tridap/tpetra/operator.hpp>

#include <cstdint>
#include <limits>

using namespace tpetra_test;
using tridap::UnstructuredIds;
using tridap::tpetra::ArrayMap;
using tridap::tpetra::ArrayMapOptions;
using tridap::tpetra::Numbering;
using tridap::tpetra::compat::as_indices;
using tridap::tpetra::compat::need_ids;

namespace {

constexpr Index largest_int = std::numeric_limits<std::int32_t>::max();
constexpr const char* long_ids_remedy = "build Trilinos with Tpetra_INST_INT_LONG_LONG=ON, and then TriDAP again";

// Two indices of each process, of which the second ones are `far` behind.
tridap::DistArray far_apart(Index far) {
  std::vector<oracle::List> lists;
  for (Index c = 0; c < processes(); ++c) lists.push_back({c, far + c});
  tridap::DistArray part;
  part.dim_data = dim_data(oracle::Array({oracle::unstructured(lists, true)}), rank());
  part.buffer = tridap::allocate(tridap::element_type<double>(), {2});
  return part;
}

ArrayMapOptions without_gaps() {
  ArrayMapOptions options;
  options.unstructured_ids = UnstructuredIds::compact;
  return options;
}

ArrayMapOptions counted_by_process() {
  ArrayMapOptions options;
  options.numbering = Numbering::by_process;
  return options;
}

// Bounds of which the last process has all but one number of each other process.
tridap::Bounds wide_bounds(Index total) {
  tridap::Bounds bounds;
  for (Index c = 0; c < processes(); ++c) bounds.push_back(c);
  bounds.push_back(total);
  return bounds;
}

constexpr const char* why_not_narrow = "the ids of this Trilinos have 64 bits";

}  // namespace

TEST(NarrowIds, EndBeforeTheLargestNumberOfTheirType) {
  EXPECT_NO_THROW(need_ids<std::int32_t>(0, largest_int));
  EXPECT_NO_THROW(need_ids<std::int32_t>(largest_int, 0));
  EXPECT_NO_THROW(need_ids<std::int16_t>(100, 32667));
  EXPECT_NO_THROW(need_ids<std::int64_t>(largest_int, largest_int));
  EXPECT_NO_THROW(need_ids<std::int64_t>(0, std::nullopt)) << "what does not fit 64 bits is refused elsewhere";
  expect_refused([] { need_ids<std::int32_t>(0, largest_int + 1); },
                 "the largest id is 2147483647, must be less than 2147483647, because the ids of this Trilinos have 32 "
                 "bits [conversion]: build Trilinos with Tpetra_INST_INT_LONG_LONG=ON, and then TriDAP again");
  expect_refused([] { need_ids<std::int32_t>(0, 3000000000, "or wait"); }, "then TriDAP again; or wait");
  expect_refused([] { need_ids<std::int32_t>(0, std::nullopt); }, "the largest id is 2^63 or more, must be less than");
  expect_refused([] { need_ids<std::int16_t>(1, 32767); },
                 "the largest id is 32767, must be less than 32767, because the ids of this Trilinos have 16 bits "
                 "[conversion]: set a smaller index_base, or build Trilinos");
}

TEST(NarrowIds, NeedAnIndexBaseOfAtLeast0AndASumOf64Bits) {
  const Index most = std::numeric_limits<Index>::max();
  for (const Index base : {Index{-1}, most}) {
    expect_refused([&] { need_ids<std::int32_t>(base, 5); }, "the index base is " + std::to_string(base));
    expect_refused([&] { need_ids<std::int64_t>(base, 5); }, "the index base is " + std::to_string(base));
  }
}

TEST(NarrowIds, AreCopiedToIndicesAndLongOnesAreNot) {
  std::vector<Index> copy;
  const std::vector<std::int32_t> narrow{5, -7, 2147483647};
  const Index* const copied = as_indices(narrow.data(), narrow.size(), copy);
  EXPECT_EQ(copied, copy.data());
  EXPECT_EQ(copy, (std::vector<Index>{5, -7, largest_int}));
  const std::vector<long long> wide{5, -7};
  EXPECT_EQ(static_cast<const void*>(as_indices(wide.data(), wide.size(), copy)), wide.data());
  EXPECT_EQ(copy.size(), 3U);
}

TEST(NarrowIds, OfListsWithWideGapsAreRefusedAndTheRemediesWork) {
  const tridap::DistArray part = far_apart(3000000000);
  if (!long_ids) {
    const std::string text = refusal([&] { ArrayMap(part, MPI_COMM_WORLD); });
    expect_says(text, "the largest id is " + std::to_string(3000000000 + processes() - 1));
    expect_says(text, long_ids_remedy);
    expect_says(text, "C++ callers can instead set numbering = by_process or unstructured_ids = compact");
    EXPECT_FALSE(says(refusal([&] { ArrayMap(part, MPI_COMM_WORLD, based(7)); }), "set a smaller index_base"));
  }
  for (const ArrayMapOptions& options : {without_gaps(), counted_by_process()}) {
    const ArrayMap layout(part, MPI_COMM_WORLD, options);
    EXPECT_EQ(static_cast<Index>(layout.map()->getGlobalNumElements()), 2 * processes());
    EXPECT_LT(layout.map()->getMaxAllGlobalIndex(), 2 * processes());
  }
  const ArrayMap nearer(far_apart(largest_int - processes()), MPI_COMM_WORLD);
  EXPECT_EQ(ids_of(*nearer.map()), (std::vector<Index>{rank(), largest_int - processes() + rank()}));
}

TEST(NarrowIds, AtTheLargestNumberComeBackAsTheirArray) {
  const tridap::DistArray part = far_apart(largest_int - processes());
  const auto imported = tridap::tpetra::import_vector<double>(part, MPI_COMM_WORLD);
  EXPECT_TRUE(imported.receipt.shared);
  const auto exported = tridap::tpetra::export_array(imported.vector);
  EXPECT_EQ(exported.array.buffer.data, part.buffer.data);
  const auto& found = std::get<tridap::Unstructured>(exported.array.dim_data.at(0).dist);
  EXPECT_EQ(tridap::read_indices(found.indices), (std::vector<Index>{rank(), largest_int - processes() + rank()}));
}

TEST(NarrowIds, OfEveryCallThatMakesAMapAreRefused) {
  if (long_ids) GTEST_SKIP() << why_not_narrow;
  const Index p = processes();
  tridap::Dimension dimension = oracle::dimension(p * (largest_int / p + 1), p, rank());
  dimension.dist = tridap::Block{rank() * (largest_int / p + 1), (rank() + 1) * (largest_int / p + 1), {}};
  if (p > 1) {
    expect_refused([&] { tridap::tpetra::make_map({dimension}, MPI_COMM_WORLD); }, long_ids_remedy);
    expect_refused([&] { tridap::tpetra::make_map({dimension}, MPI_COMM_WORLD, counted_by_process()); },
                   long_ids_remedy);
  }
  const tridap::DistArray part = stamped(oracle::Array({oracle::block(oracle::List(static_cast<std::size_t>(p), 3))}));
  expect_refused([&] { ArrayMap(part, MPI_COMM_WORLD, based(largest_int - 3 * p + 1)); }, "set a smaller index_base");
  EXPECT_EQ(ids_of(*ArrayMap(part, MPI_COMM_WORLD, based(largest_int - 3 * p)).map()).back(),
            largest_int - 3 * p + 3 * rank() + 2);

  const tridap::DistArray blocks = stamped(oracle::Array({oracle::cyclic(3 * p, 1, p), oracle::block({4})}));
  const Index base =
      p > 1 ? largest_int / 4 : largest_int - 5;  // Tpetra multiplies listed ids by 4, and counts on from a range
  if (p > 1) ArrayMap(blocks, MPI_COMM_WORLD, based(base));
  expect_refused(
      [&] { tridap::tpetra::import_block_vector<double>(blocks, MPI_COMM_WORLD, tridap::Copy::never, based(base)); },
      long_ids_remedy);
  const tridap::DistArray padded = stamped(oracle::Array({padded_axes(p)[2]}));
  const auto mirrors = tridap::tpetra::PaddedArrayMap(padded, MPI_COMM_WORLD, [&] {
    ArrayMapOptions options = counted_by_process();
    options.index_base = largest_int - 3 * p;  // the ids of mirrors are behind those of the elements
    return options;
  }());
  expect_refused([&] { mirrors.overlap_map(); }, "set a smaller index_base");
}

TEST(NarrowIds, OfMatricesAndOperatorsAreRefused) {
  if (long_ids) GTEST_SKIP() << why_not_narrow;
  tridap::LinearOperator op;
  op.row_bounds = op.column_bounds = wide_bounds(largest_int + 1);
  op.process = rank();
  op.type = tridap::element_type<double>();
  op.apply = [](const tridap::DistArray&, const tridap::DistArray&) {};
  expect_refused([&] { tridap::tpetra::import_operator(op, MPI_COMM_WORLD); }, long_ids_remedy);

  const std::vector<Index> starts{0, 0};
  tridap::SparseRows rows;
  rows.process = rank();
  rows.type = tridap::element_type<double>();
  rows.column_bounds = wide_bounds(largest_int + 1);
  for (Index c = 0; c <= processes(); ++c) rows.row_bounds.push_back(c);
  rows.parts.resize(1);
  rows.parts[0].row_starts = tridap::integers(starts.data(), 2);
  expect_refused([&] { tridap::tpetra::import_matrix(rows, MPI_COMM_WORLD); }, long_ids_remedy);
}
