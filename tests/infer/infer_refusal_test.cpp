#include "infer_support.hpp"
#include "support/inter_communicator.hpp"

#include <limits>

namespace {

using given::all_processes;
using given::Array;
using given::listed;
using given::our_rank;
using given::pick;
using given::Random;
using oracle::List;
using tridap::GlobalIds;
using tridap::Index;
using tridap::Order;
using tridap::Rule;
using tridap::infer::infer_dim_data;
using tridap::infer::InferenceHints;
using tridap::infer::InferredDimData;

const MPI_Comm all = MPI_COMM_WORLD;

InferenceHints of_shape(List shape, Order numbering = Order::row_major, Index base = 0) {
  return {std::move(shape), {}, numbering, base};
}

/// The report of the Error that every process gets; nothing: there was none on any.
std::optional<tridap::Error> refused(const GlobalIds& ids, const InferenceHints& how, MPI_Comm comm = all) {
  auto error = on::error_of([&] { infer_dim_data(ids, comm, how); });
  const std::string text = error ? on::all_of(error->report()) : "";
  EXPECT_TRUE(on::same_everywhere(text, comm)) << text;
  return error;
}

void expect_refused(const GlobalIds& ids, const InferenceHints& how, const std::string& why) {
  const auto error = refused(ids, how);
  ASSERT_TRUE(error) << why;
  on::expect_says(error->what(), why);
}

/// Rows of a (2 * processes) x 5 array: our two, whole, as a list that may be spoiled.
List two_rows() {
  List ids;
  for (Index i = 0; i < 10; ++i) ids.push_back(10 * our_rank() + i);
  return ids;
}
InferenceHints rows_of_five() { return of_shape({2 * all_processes(), 5}); }

/// Changes the ids of the last process alone.
void on_last(List& ids, const std::function<void(List&)>& change) {
  if (our_rank() == all_processes() - 1) change(ids);
}

TEST(InferDimDataRefuses, OneWrongIdOnOneProcessAndNamesBothEverywhere) {
  const Index last = all_processes() - 1;
  const std::string rank = "(rank " + std::to_string(last) + "): ";
  const std::string array = " does not fit the array of shape (" + std::to_string(2 * all_processes()) + ", 5), ";
  List ids = two_rows();
  on_last(ids, [](List& list) { list[7] -= 5; });
  expect_refused(listed(ids), rows_of_five(),
                 rank + "id " + std::to_string(10 * last + 2) + " at local index 7" + array + "expected " +
                     std::to_string(10 * last + 7));
  ids = two_rows();
  on_last(ids, [](List& list) { list[1] += 5; });
  expect_refused(listed(ids), rows_of_five(),
                 rank + "id " + std::to_string(10 * last + 6) + " at local index 1" + array + "must differ from id " +
                     std::to_string(10 * last) + " on one axis only, on which all ids before it agree");
  ids = two_rows();
  on_last(ids, [](List& list) { list.pop_back(); });
  expect_refused(listed(ids), rows_of_five(),
                 rank + "the list ends at local index 9, in the middle of a line of the array of shape (" +
                     std::to_string(2 * all_processes()) + ", 5), expected id " + std::to_string(10 * last + 9));
  ids = two_rows();
  on_last(ids, [](List& list) {
    list.pop_back();
    std::swap(list[6], list[7]);
  });
  expect_refused(listed(ids), rows_of_five(),
                 rank + "id " + std::to_string(10 * last + 7) + " at local index 6" + array + "expected " +
                     std::to_string(10 * last + 6));
}

TEST(InferDimDataRefuses, IdsThatCannotBeCounted) {
  const Index last = all_processes() - 1, highest = std::numeric_limits<Index>::max();
  const std::string rank = "(rank " + std::to_string(last) + "): ";
  const auto ours = [&](const GlobalIds& wrong) { return our_rank() == last ? wrong : GlobalIds{}; };
  expect_refused(ours({-5}), {}, rank + "there are -5 ids, must be 0 or more");
  expect_refused(ours({2, nullptr, highest}), {}, rank + "the 2 ids from 9223372036854775807 on, must fit 64 bits");
}

TEST(InferDimDataRefuses, IdsOutsideTheArrayAndRepeatedIds) {
  const Index last = all_processes() - 1, end = 10 * all_processes();
  const std::string rank = "(rank " + std::to_string(last) + "): id ";
  for (const Index wrong : {Index{-1}, end, std::numeric_limits<Index>::max(), std::numeric_limits<Index>::min()})
    for (const std::size_t at : {0U, 1U, 3U, 5U, 9U})
      for (const Index base : {0, 2}) {
        List ids = two_rows();
        on_last(ids, [&](List& list) { list[at] = wrong; });
        for (Index& id : ids) id += id == std::numeric_limits<Index>::max() ? 0 : base;
        const Index said = wrong + (wrong == std::numeric_limits<Index>::max() ? 0 : base);
        expect_refused(listed(ids), {rows_of_five().shape, {}, Order::row_major, base},
                       rank + std::to_string(said) + " at local index " + std::to_string(at) +
                           " is outside the array of shape (" + std::to_string(2 * all_processes()) +
                           ", 5), must be at least " + std::to_string(base) + " and below " +
                           std::to_string(base + end));
      }
  for (const bool shape : {false, true})
    for (const std::size_t at : {1U, 3U, 9U}) {
      List ids = two_rows();
      on_last(ids, [&](List& list) { list[at] = list[at - 1]; });
      const auto error = refused(listed(ids), shape ? of_shape({end}) : InferenceHints{});
      ASSERT_TRUE(error);
      EXPECT_EQ(error->report().count(Rule::unstructured_unique), 1) << error->what();
      EXPECT_EQ(error->report().findings().front().process, last);
    }
  List ids(3, our_rank());  // as the first of a line
  expect_refused(listed(ids), of_shape({4, 10}), "is also at local index 0 [unstructured.unique]");
}

TEST(InferDimDataRefuses, BlocksThatOverlapAndAxesWalkedTwice) {
  const List overlapping = {0, 1, 2, 1, 2, 3}, twice = {0, 1, 5, 6, 2, 3, 7, 8}, lines = {0, 1, 10, 11, 5, 7},
             again = {0, 1, 0, 1}, cut = {0, 1, 5, 6, 10};
  const auto ours = [](const List& list) { return our_rank() == 0 ? listed(list) : GlobalIds{}; };
  for (const List& list : {overlapping, again})
    for (const InferenceHints& how : {InferenceHints{}, of_shape({9})}) {
      const auto error = refused(ours(list), how);
      ASSERT_TRUE(error);
      EXPECT_EQ(error->report().count(Rule::unstructured_unique), 2) << error->what();
    }
  expect_refused(
      ours(cut), of_shape({4, 5}),
      "the list ends at local index 5, in the middle of a line of the array of shape (4, 5), expected id 11");
  expect_refused(
      ours(twice), of_shape({4, 5}),
      "id 2 at local index 4 does not fit the array of shape (4, 5), must differ from id 0 on one axis only, on "
      "which all ids before it agree");
  expect_refused(ours(lines), of_shape({4, 5}),
                 "id 7 at local index 5 does not fit the array of shape (4, 5), expected 6");
}

/// Wrong ids on the last process of `comm`.
void expect_every_wrong_id(MPI_Comm comm) {
  const Index processes = on::processes(comm), rank = on::rank(comm);
  const Index rows = 13, columns = 97, width = columns * processes;
  List ids;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) ids.push_back((i + 2) * width + j * processes + rank);
  const InferenceHints how = of_shape({40, width});
  EXPECT_FALSE(refused(listed(ids), how, comm));
  for (std::size_t i = 0; i < ids.size(); i += 5) {
    List wrong = ids;
    if (rank == processes - 1) wrong[i] += i % 2 == 0 ? 1 : -width;
    const auto error = refused(listed(wrong), how, comm);
    ASSERT_TRUE(error) << i;
    const auto at = static_cast<Index>(i);
    if (at <= 2 * columns || at % columns == 0) continue;  // else it may show later that it was wrong
    on::expect_says(error->what(), "at local index " + std::to_string(i) + " does not fit");
  }
}

TEST(InferDimDataRefuses, EveryWrongIdInLongLists) {
  MPI_Comm two = MPI_COMM_NULL;  // or the only one
  MPI_Comm_split(all, our_rank() < 2 ? 0 : MPI_UNDEFINED, 0, &two);
  if (two != MPI_COMM_NULL) expect_every_wrong_id(two);
  if (two != MPI_COMM_NULL) MPI_Comm_free(&two);
}

TEST(InferDimDataRefuses, ProcessesThatAreNoGrid) {
  const Index r = our_rank(), processes = all_processes();
  if (processes == 1) GTEST_SKIP() << "needs at least 2 processes";
  // Rows of a shape whose first process has a column less.
  List ids = two_rows();
  if (r == 0) ids = {0, 1, 2, 3, 5, 6, 7, 8};
  expect_refused(listed(ids), rows_of_five(), "differ from those of process ");
  InferenceHints how = rows_of_five();
  how.grid = List{processes, 1};
  expect_refused(
      listed(ids), how,
      "axis 1 (rank 1): its indices (ids from 10 on) differ from those of process 0 (ids from 0 on), which is at "
      "the same coordinate of a " +
          std::to_string(processes) + " x 1 grid [conversion]");
  how.grid = List{1, processes};
  expect_refused(listed(two_rows()), how, "axis 0 (rank 1): its indices (ids from 10 on) differ");
}

TEST(InferDimDataRefuses, ProcessesInTheColumnMajorOrderOfTheirGrid) {
  if (all_processes() != 4) GTEST_SKIP() << "needs 4 processes";
  const Index r = our_rank(), corner = (r % 2 * 4 + r / 2) * 2;  // of a quarter of a 4 x 4 array
  const List ids = {corner, corner + 1, corner + 4, corner + 5};
  expect_refused(listed(ids), of_shape({4, 4}), "number the processes in the row-major order of their grid");
}

TEST(InferDimDataRefuses, WhatIsKnownOfTheArrayAndIsNoArray) {
  const Index processes = all_processes(), most = std::numeric_limits<Index>::max();
  const List ids = {our_rank()};
  expect_refused(listed(ids), of_shape({-1}), "the shape is (-1)");
  expect_refused(listed(ids), of_shape({3, -1, 0}), "the shape is (3, -1, 0)");
  expect_refused(listed(ids), of_shape({most, 2}), "whose product, plus the base, fits 64 bits");
  expect_refused(listed(ids), of_shape({most}, Order::row_major, 1), "and the index base 1");
  for (const List& grid : {List{}, List{processes + 1}, List{-processes}, List{1, processes}, List{0}})
    expect_refused(listed(ids), {List{processes}, grid, Order::row_major, 0}, "the grid is (");
  expect_refused(listed(ids), {{}, List{processes, 1}, Order::row_major, 0}, "the grid is (");
  expect_refused({-1, nullptr, 0}, {}, "there are -1 ids");
  expect_refused({2, nullptr, most}, {}, "must fit 64 bits");
  expect_refused(listed({Index{1} << 62}), {}, "is outside the array of one axis, must be less than 2^62");
  expect_refused(listed({5, 3, most}), {{}, {}, Order::row_major, -5}, "is outside the array of one axis");
  expect_refused({1, nullptr, std::numeric_limits<Index>::min()}, {{}, {}, Order::row_major, 1}, "is outside");
}

TEST(InferDimDataRefuses, ProcessesThatKnowDifferentThings) {
  const Index r = our_rank(), processes = all_processes();
  if (processes == 1) GTEST_SKIP() << "needs at least 2 processes";
  const bool odd = r == processes - 1;
  const List ids = {r};
  const std::string why = " give different shapes, grids, numberings or bases";
  expect_refused(listed(ids), odd ? of_shape({processes}) : InferenceHints{}, why);
  expect_refused(listed(ids), of_shape(odd ? List{processes, 1} : List{processes}), why);
  expect_refused(listed(ids), of_shape({processes, odd ? 2 : 1}), why);
  expect_refused(listed(ids), of_shape({processes}, odd ? Order::column_major : Order::row_major), why);
  expect_refused(listed(ids), of_shape({processes}, Order::row_major, odd ? -1 : 0), why);
  expect_refused(listed(ids), of_shape(odd ? List{-1} : List{processes}), why);
  InferenceHints how = of_shape({processes, 1});
  how.grid = odd ? List{1, processes} : List{processes, 1};
  expect_refused(listed(ids), how, "processes 0 and " + std::to_string(processes - 1) + why);
}

TEST(InferDimDataRefuses, OrFindsWhatIsTrueOfRandomLists) {
  Random shared(7), own(11 + static_cast<unsigned>(our_rank()));
  for (int round = 0; round < 300; ++round) {
    const Index span = 1 + pick(shared, 30), kind = pick(shared, 4);
    List ids(static_cast<std::size_t>(pick(own, std::min<Index>(span, 8))));
    if (kind == 0) {  // any
      for (Index& id : ids) id = pick(own, span);
    } else {  // each once
      List numbers;
      for (Index i = 0; i < span; ++i) numbers.push_back(i);
      std::shuffle(numbers.begin(), numbers.end(), own);
      std::copy_n(numbers.begin(), ids.size(), ids.begin());
      if (kind == 2) std::sort(ids.begin(), ids.end());
    }
    InferenceHints how{{}, {}, Order::row_major, pick(shared, 3) - 1};
    for (Index& id : ids) id += how.base;
    if (pick(shared, 2) == 0) how.shape = List{span / 3 + 1, 3};
    std::optional<InferredDimData> inferred;
    const auto error = on::error_of([&] { inferred = infer_dim_data(listed(ids), all, how); });
    ASSERT_TRUE(on::same_everywhere(error ? on::all_of(error->report()) : "", all));
    if (inferred) given::expect_true(*inferred, ids, how, all);
    const bool repeats = std::set<Index>(ids.begin(), ids.end()).size() < ids.size();
    EXPECT_TRUE(error || !repeats);
  }
}

TEST(InferDimDataRefuses, OrFindsASpoiledArrayTrue) {
  Random shared(17);
  for (int round = 0; round < 200; ++round) {
    const std::vector<List> grids = on::grids(all_processes(), 2);
    const List grid = grids[static_cast<std::size_t>(pick(shared, static_cast<Index>(grids.size())))];
    const Array array({oracle::cyclic(3 * grid[0] + 1, 1 + pick(shared, 2), grid[0], pick(shared, grid[0])),
                       oracle::block(List(static_cast<std::size_t>(grid[1]), 2))});
    InferenceHints how = of_shape(array.extent);
    List ids = array.ids(our_rank(), given::some_walking(2, shared), how);
    const Index who = pick(shared, all_processes()), what = pick(shared, 3), at = pick(shared, 100),
                by = pick(shared, 9) - 4;
    const Index other = pick(shared, 100);
    const auto size = static_cast<Index>(ids.size());
    if (our_rank() == who && size > 0) {
      if (what == 0) ids[static_cast<std::size_t>(at % size)] += by;
      if (what == 1) std::swap(ids[static_cast<std::size_t>(at % size)], ids[static_cast<std::size_t>(other % size)]);
      if (what == 2) ids.pop_back();
    }
    std::optional<InferredDimData> inferred;
    const auto error = on::error_of([&] { inferred = infer_dim_data(listed(ids), all, how); });
    ASSERT_TRUE(on::same_everywhere(error ? on::all_of(error->report()) : "", all));
    if (inferred) given::expect_true(*inferred, ids, how, all);
  }
}

TEST(InferDimDataRefuses, InterCommunicators) {
  if (all_processes() < 2) GTEST_SKIP() << "needs at least 2 processes";
  const List ids = two_rows();
  expect_needs_communicator("infer_dim_data",
                            [&](MPI_Comm comm) { infer_dim_data(listed(ids), comm, rows_of_five()); });
}

}  // namespace
