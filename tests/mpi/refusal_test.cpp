#include "mpi/support.hpp"
#include "support/inter_communicator.hpp"
#include <tridap/mpi/allocate_shared.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/mpi/write_capture.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <set>

namespace {

using oracle::List;
using tridap::Block;
using tridap::Cyclic;
using tridap::DistArray;
using tridap::Finding;
using tridap::Index;
using tridap::Report;
using tridap::Rule;
using tridap::Unstructured;

constexpr Index big = Index{1} << 62;

/// Block with padding x cyclic whose dealing starts at the last column, all shares alike.
oracle::Array block_cyclic(const List& grid) {
  const auto rows = static_cast<std::size_t>(grid[0]);
  return oracle::Array(
      {oracle::block(List(rows, 3), List(rows - 1, 1)), oracle::cyclic(4 * grid[1], 2, grid[1], grid[1] - 1)});
}

/// Unstructured x block.
oracle::Array unstructured_block(const List& grid) {
  std::vector<List> lists;
  for (Index c = 0; c < grid[0]; ++c) lists.push_back({10 * c + 3, -10 * c - 4, 10 * c + 5});
  return oracle::Array({oracle::unstructured(lists, true), oracle::block(List(static_cast<std::size_t>(grid[1]), 2))});
}

/// Gives the buffer another extent on one axis, over memory enough.
void resize(DistArray& array, std::size_t axis, Index by) {
  std::vector<Index> shape = array.buffer.shape;
  shape[axis] += by;
  const auto memory = std::make_shared<std::vector<double>>(10000);
  array.buffer = tridap::row_major(memory->data(), shape, memory);
}

/// Where process `r` stands, and with whom.
struct Location {
  Index rows, columns, row, column;
  bool alone() const { return rows * columns == 1; }
};

/// One way for one process to be wrong, and what must be said of it.
struct Fault {
  std::string name;
  std::function<void(DistArray&)> commit;
  std::function<std::optional<Rule>(const Location&)> rule;  // nothing: that is no fault in such a grid
  std::optional<Index> axis = {};
  std::string key = "";      // of the finding; "*": any
  std::string says = "";     // somewhere in the message
  bool names_rank = true;    // the one that is wrong
  std::set<Rule> also = {};  // rules that are broken by the same fault, where the first process of a coordinate says it
};

template <class Kind>
Kind& kind(DistArray& array, std::size_t axis) {
  return std::get<Kind>(array.dim_data[axis].dist);
}

std::function<std::optional<Rule>(const Location&)> always(Rule rule) {
  return [rule](const Location&) { return rule; };
}

/// Others disagree, or where there are none: `alone`.
std::function<std::optional<Rule>(const Location&)> differs(Rule rule, std::optional<Rule> alone = {}) {
  return [=](const Location& place) { return place.alone() ? alone : rule; };
}

/// Every process in turn commits the fault, over every 2-D grid: all get the same report, the rule, axis, key and rank
/// are named, and the communicator works on.
void expect_refused(const Fault& fault, const std::function<oracle::Array(const List&)>& base, MPI_Comm comm) {
  const int here = on::rank(comm), processes = on::processes(comm);
  for (const List& grid : on::grids(processes, 2)) {
    const oracle::Array truth = base(grid);
    for (int r = 0; r < processes; ++r) {
      const Location place{grid[0], grid[1], truth.coordinates(r)[0], truth.coordinates(r)[1]};
      const std::optional<Rule> rule = fault.rule(place);
      if (!rule) continue;
      SCOPED_TRACE(fault.name + " on rank " + std::to_string(r) + " of " + std::to_string(grid[0]) + " x " +
                   std::to_string(grid[1]));
      DistArray array = on::stamped(truth, here);
      if (here == r) fault.commit(array);
      const Report report = tridap::mpi::check(array, comm);
      const auto error = on::error_of([&] { tridap::mpi::gather_distribution(array, comm); });
      EXPECT_TRUE(on::same_everywhere(on::all_of(report), comm));
      EXPECT_FALSE(report.ok());
      EXPECT_TRUE(error.has_value());
      EXPECT_EQ(error ? on::all_of(error->report()) : "", on::all_of(report));
      EXPECT_GT(report.count(*rule), 0) << report.text();
      for (const auto& [broken, count] : report.counts())
        EXPECT_TRUE(broken == *rule || fault.also.count(broken)) << count << " times:\n" << report.text();
      bool named = false, named_rank = false;
      for (const Finding& f : report.findings()) {
        const std::string text = f.text();
        if (f.rule != *rule || f.axis != fault.axis || (f.key != fault.key && fault.key != "*") ||
            text.find(fault.says) == std::string::npos)
          continue;
        named = true;
        named_rank |= f.process == r || text.find("rank " + std::to_string(r)) != std::string::npos;
      }
      EXPECT_TRUE(named) << report.text();
      EXPECT_TRUE(named_rank || !fault.names_rank) << report.text();

      int sum = 1;
      MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
      EXPECT_EQ(sum, processes);
      EXPECT_EQ(tridap::mpi::gather_distribution(on::stamped(truth, here), comm).processes(), processes);
    }
  }
}

// One for each way in which a fault is found; protocol's tests have those of every rule, and Whole those of all
// processes.
const std::vector<Fault> faults_of_one_process = {
    {"unread version", [](auto& a) { a.version = "0.8.0"; }, always(Rule::version_read), {}, "__version__"},
    {"null data", [](auto& a) { a.buffer.data = nullptr; }, always(Rule::buffer_data)},
    {"coordinate outside", [](auto& a) { a.dim_data[0].proc_grid_rank = a.dim_data[0].proc_grid_size; },
     always(Rule::grid_rank), 0, "proc_grid_rank"},
    {"elements of no bytes",
     [](auto& a) { a.buffer.type.bytes = 0; },
     always(Rule::buffer_type),
     {},
     "",
     "0 bytes",
     true,
     {Rule::agree_element_type}},
    {"huge grid",
     [](auto& a) { a.dim_data[0].proc_grid_size = a.dim_data[1].proc_grid_size = big; },
     always(Rule::grid_product),
     {},
     "",
     "does not fit",
     true,
     {Rule::shape_extent}},
    {"huge buffer",
     [](auto& a) {
       a.buffer.shape = {big, big};
     },
     always(Rule::buffer_layout)},
    {"cyclic between blocks", [](auto& a) { kind<Cyclic>(a, 1).start = 1; }, always(Rule::cyclic_start), 1, "start"},
};

TEST(OneBadProcess, BreakingARuleAloneFailsEveryProcess) {
  for (const Fault& fault : faults_of_one_process) expect_refused(fault, block_cyclic, MPI_COMM_WORLD);
}

TEST(OneBadProcess, FailsEveryProcessOfAnyCommunicator) {
  on::every_communicator([](MPI_Comm comm) {
    expect_refused(faults_of_one_process[0], block_cyclic, comm);
    expect_refused(faults_of_one_process[1], block_cyclic, comm);
  });
}

TEST(OneBadProcess, SayingOtherThanTheOthersFailsEveryProcess) {
  const std::vector<Fault> faults = {
      {"huge size", [](auto& a) { a.dim_data[0].size = big; }, differs(Rule::agree_size, Rule::block_tiling), 0, "*",
       "size"},
      {"no axes at all",
       [](auto& a) {
         a.dim_data.clear();
         a.buffer = tridap::row_major(static_cast<double*>(a.buffer.data), {});
       },
       differs(Rule::agree_ndim),
       {},
       "len(dim_data)"},
      {"another description",
       [](auto& a) { a.buffer.type.description = "datetime64[s]"; },
       differs(Rule::agree_element_type),
       {},
       "",
       "float64 (datetime64[s])"},
      {"swapped bytes",
       [](auto& a) { a.buffer.type.native_order = false; },
       differs(Rule::agree_element_type),
       {},
       "",
       "f8"},
      {"huge proc_grid_size", [](auto& a) { a.dim_data[0].proc_grid_size = Index{1} << 40; },
       differs(Rule::agree_proc_grid_size), 0, "proc_grid_size", "rank"},
      {"huge block_size",
       [](auto& a) {
         kind<Cyclic>(a, 1) = {0, big};
         resize(a, 1, a.dim_data[1].size - 4);
       },
       differs(Rule::agree_block_size), 1, "block_size", "rank"},
  };
  for (const Fault& fault : faults) expect_refused(fault, block_cyclic, MPI_COMM_WORLD);
}

TEST(OneBadProcess, AGridOfOtherThanAllProcessesFailsEveryProcess) {
  const int here = on::rank(MPI_COMM_WORLD), processes = on::processes(MPI_COMM_WORLD);
  for (const Index places : {processes + 1, 2 * processes, processes - 1}) {
    if (places < 1) continue;
    const oracle::Array truth({oracle::cyclic(2 * places, 2, places)});
    const DistArray array = on::stamped(truth, std::min<Index>(here, places - 1));
    const Report report = tridap::mpi::check(array, MPI_COMM_WORLD);
    EXPECT_EQ(report.counts(), (oracle::Counts{{Rule::grid_product, 1}})) << report.text();
    on::expect_says(report.text(), "has " + std::to_string(places) + " process");
    on::expect_says(report.text(), "is on " + std::to_string(processes) + ",");
    EXPECT_TRUE(on::same_everywhere(on::all_of(report), MPI_COMM_WORLD));
    EXPECT_TRUE(on::error_of([&] { tridap::mpi::gather_distribution(array, MPI_COMM_WORLD); }).has_value());
  }
}

TEST(OneBadProcess, HoldingWrongIndicesFailsEveryProcess) {
  static const double numbers[3] = {0, 1, 2};
  static const Index three[3] = {3, -4, 5};
  const auto buffer = [](const tridap::Buffer& b) {
    return [b](DistArray& a) { kind<Unstructured>(a, 0).indices = b; };
  };
  tridap::Buffer nowhere = tridap::row_major(three, {3}), in_two_axes = tridap::row_major(three, {3, 1}),
                 cuda = nowhere;
  nowhere.data = nullptr;
  cuda.memory.kind = tridap::Memory::Kind::cuda;
  const auto same = [](const Location& p) { return p.columns > 1 ? std::optional(Rule::axis_same) : std::nullopt; };
  const auto bad_list = always(Rule::unstructured_indices);
  const std::vector<Fault> faults = {
      {"indices of another type", buffer(tridap::row_major(numbers, {3})), bad_list, 0, "indices"},
      {"no indices", buffer(nowhere), bad_list, 0, "indices"},
      {"indices in two axes", buffer(in_two_axes), bad_list, 0, "indices"},
      {"indices elsewhere", buffer(cuda), bad_list, 0, "indices"},
      {"the same list in another order",
       [](auto& a) {
         List list = *tridap::read_indices(kind<Unstructured>(a, 0).indices);
         std::reverse(list.begin(), list.end());
         kind<Unstructured>(a, 0).indices = list;
       },
       same, 0, "indices", "", false},
  };
  for (const Fault& fault : faults) expect_refused(fault, unstructured_block, MPI_COMM_WORLD);
}

TEST(OneBadProcess, ClaimingAloneWhatAnotherListsFailsEveryProcess) {
  const int here = on::rank(MPI_COMM_WORLD), processes = on::processes(MPI_COMM_WORLD);
  for (int r = 0; r < processes && processes > 1; ++r) {
    DistArray array = on::stamped(unstructured_block({processes, 1}), here);
    const int other = (r + 1) % processes;
    if (here == r) kind<Unstructured>(array, 0).indices = List{77, 10 * other + 3, 78};
    const Report report = tridap::mpi::check(array, MPI_COMM_WORLD);
    EXPECT_EQ(report.counts(), (oracle::Counts{{Rule::unstructured_one_to_one, 1}})) << report.text();
    EXPECT_EQ(report.findings().at(0).axis, 0);
    EXPECT_EQ(report.findings().at(0).key, "indices");
    EXPECT_EQ(report.findings().at(0).process, std::max(r, other));
    on::expect_says(report.text(), " " + std::to_string(10 * other + 3) + " ");
    EXPECT_TRUE(on::same_everywhere(on::all_of(report), MPI_COMM_WORLD));
  }
}

TEST(OneBadProcess, AnotherKindOfAxisIsToldOnce) {
  const int here = on::rank(MPI_COMM_WORLD), processes = on::processes(MPI_COMM_WORLD);
  for (int r = 0; r < processes && processes > 1; ++r) {
    DistArray array = on::stamped(block_cyclic({processes, 1}), here);
    if (here == r) array.dim_data[1].dist = Block{0, 4, {}};  // says nothing of block_size
    const Report report = tridap::mpi::check(array, MPI_COMM_WORLD);
    EXPECT_EQ(report.counts(), (oracle::Counts{{Rule::agree_dist_type, 1}})) << report.text();
  }
}

TEST(OneBadProcess, SeveralFaultsOnSeveralProcessesAreAllTold) {
  const int here = on::rank(MPI_COMM_WORLD), processes = on::processes(MPI_COMM_WORLD);
  DistArray array = on::stamped(block_cyclic({1, processes}), here);
  array.version = here % 2 == 0 ? "0.8.0" : "0.10.0";
  array.dim_data[0].extras = {{"name", "1"}};
  if (here % 2 == 1) array.buffer.data = nullptr;
  const Report report = tridap::mpi::check(array, MPI_COMM_WORLD);
  oracle::Counts expected = {{Rule::version_read, (processes + 1) / 2}, {Rule::extra_key, processes}};
  if (processes > 1) expected[Rule::buffer_data] = processes / 2;
  EXPECT_EQ(report.counts(), expected) << report.text();
  Index last = 0;
  for (const Finding& finding : report.findings()) {
    EXPECT_GE(finding.process.value_or(-1), last);
    last = finding.process.value_or(-1);
  }
}

// Blocks without padding are gathered in one message from each process, and the bounds alone do not tell another size.
TEST(OneBadProcess, AnotherSizeOfPlainBlocksFailsEveryProcess) {
  const int here = on::rank(MPI_COMM_WORLD), processes = on::processes(MPI_COMM_WORLD);
  if (processes == 1) GTEST_SKIP() << "one process cannot differ from another";
  List uneven;
  for (int c = 0; c < processes; ++c) uneven.push_back(1 + c % 2);
  for (const List& lengths : {List(static_cast<std::size_t>(processes), 3), uneven})
    for (int r = 0; r < processes; ++r) {
      DistArray array = on::stamped(oracle::Array({oracle::block(lengths), oracle::block({2})}), here);
      if (here == r) array.dim_data[0].size += 1;
      const auto error = on::error_of([&] { tridap::mpi::gather_distribution(array, MPI_COMM_WORLD); });
      ASSERT_TRUE(error.has_value()) << r;
      EXPECT_EQ(error->report().counts(), (oracle::Counts{{Rule::agree_size, 1}})) << error->report().text();
      EXPECT_TRUE(on::same_everywhere(on::all_of(error->report()), MPI_COMM_WORLD));
    }
}

TEST(MpiRefusal, InterCommunicatorsInEveryCall) {
  if (on::processes(MPI_COMM_WORLD) < 2) GTEST_SKIP() << "needs at least 2 processes";
  tridap::DistArray array;
  array.buffer = tridap::allocate(tridap::element_type<double>(), {2});
  array.dim_data.resize(1);
  array.dim_data[0].size = 2 * on::processes(MPI_COMM_WORLD);
  expect_needs_communicator("check", [&](MPI_Comm comm) { tridap::mpi::check(array, comm); });
  expect_needs_communicator("gather_distribution",
                            [&](MPI_Comm comm) { tridap::mpi::gather_distribution(array, comm); });
  expect_needs_communicator("write_capture", [&](MPI_Comm comm) { tridap::mpi::write_capture(array, "", comm); });
  expect_needs_communicator("allocate_shared",
                            [&](MPI_Comm comm) { tridap::mpi::allocate_shared(array.buffer.type, {2}, comm); });
}

}  // namespace
