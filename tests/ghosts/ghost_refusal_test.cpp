#include "ghosts/ghost_case.hpp"
#include "support/expect_refused.hpp"
#include "support/inter_communicator.hpp"
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/make.hpp>
#include <tridap/redistribute/padding.hpp>

namespace {

using tridap::block;
using tridap::Buffer;
using tridap::DimData;
using tridap::Distribution;
using tridap::GhostedArray;
using tridap::GhostUpdate;
using tridap::Index;

Index rank() { return on::rank(MPI_COMM_WORLD); }
Index processes() { return on::processes(MPI_COMM_WORLD); }

/// 4 elements on each process, and the first one of the next process as ghost.
struct Parts {
  std::vector<double> memory = std::vector<double>(5, 7.0);
  Distribution distribution = Distribution::make({4 * processes()}, {block(4)}, {processes()});
  DimData dim_data = distribution.dim_data(rank());
  std::vector<Index> ghosts{4 * ((rank() + 1) % processes())};
  Buffer local = tridap::row_major(memory.data(), {5});
};

/// A plan is refused on every process, and nothing is written.
void expect_refused(const Parts& parts, const std::string& words) {
  on::expect_refused(
      [&] { GhostUpdate(GhostedArray(parts.local, parts.dim_data, parts.ghosts), MPI_COMM_WORLD).update_ghosts(); },
      words);
  EXPECT_EQ(parts.memory, std::vector<double>(5, 7.0));
}

/// What is wrong on one process alone, and what every process reads.
void expect_refused_by_all(const std::function<void(Parts&)>& spoil, const std::string& text) {
  for (Index bad = 0; bad < processes(); ++bad) {
    Parts parts;
    if (rank() == bad) spoil(parts);
    expect_refused(parts, text);
  }
}

}  // namespace

TEST(GhostRefusal, AnIdThatNoProcessOwns) {
  expect_refused_by_all([](Parts& parts) { parts.ghosts = {-1}; }, "ghost 0 has the id -1, which no process owns");
  expect_refused_by_all([](Parts& parts) { parts.ghosts = {4 * processes()}; },
                        "must be a global index, from 0 to " + std::to_string(4 * processes() - 1));
}

TEST(GhostRefusal, AnElementOfTheProcessItself) {
  expect_refused_by_all([](Parts& parts) { parts.ghosts = {4 * rank() + 3}; },
                        "an element that this process owns itself");
}

TEST(GhostRefusal, AnIdThatIsListedTwice) {
  if (processes() < 2) GTEST_SKIP() << "needs at least 2 processes";
  expect_refused_by_all(
      [](Parts& parts) {
        const Index next = (rank() + 1) % processes();
        parts.ghosts = {4 * next, 4 * next + 1, 4 * next};
        parts.local = tridap::allocate(tridap::element_type<double>(), {7});
      },
      "and so has ghost 0");
}

TEST(GhostRefusal, MemoryThatCannotBeWritten) {
  expect_refused_by_all([](Parts& parts) { parts.local.read_only = true; }, "the local buffer is read-only");
  expect_refused_by_all([](Parts& parts) { parts.local.strides[0] = 0; },
                        "the local buffer's elements may share memory");
  expect_refused_by_all([](Parts& parts) { parts.local.memory.kind = tridap::Memory::Kind::cuda; }, "cuda:0 memory");
}

TEST(GhostRefusal, ElementTypesThatDiffer) {
  if (processes() < 2) GTEST_SKIP() << "needs at least 2 processes";
  expect_refused_by_all([](Parts& parts) { parts.local.type = tridap::element_type<std::int64_t>(); }, "int64");
}

TEST(GhostRefusal, DimDataThatDoNotFitTogether) {
  expect_refused_by_all([](Parts& parts) { parts.dim_data[0].size += 1; }, "'size'");
}

TEST(GhostRefusal, NumberedAxesThatDiffer) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  const Distribution two = Distribution::make({4 * processes(), 1}, {block(4), tridap::whole()}, {processes(), 1});
  for (Index bad = 0; bad < processes(); ++bad) {
    Parts parts;
    parts.dim_data = two.dim_data(rank());
    if (rank() != bad) parts.local = tridap::row_major(parts.memory.data(), {5, 1});
    expect_refused(parts, "must be the same on every process");
  }
}

TEST(GhostRefusal, OrdersOfNumbersThatDiffer) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  const Distribution two = Distribution::make({4 * processes(), 1}, {block(4), tridap::whole()}, {processes(), 1});
  for (Index bad = 0; bad < processes(); ++bad) {
    const Parts parts;
    const auto order = rank() == bad ? tridap::Order::column_major : tridap::Order::row_major;
    on::expect_refused(
        [&] {
          GhostUpdate(GhostedArray(parts.local, two.dim_data(rank()), parts.ghosts, "0.10.0", order), MPI_COMM_WORLD);
        },
        "row-major numbers on some processes");
  }
}

TEST(GhostRefusal, PaddingAndSharedIndices) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  std::vector<double> memory(8, 7.0);
  const Distribution padded = Distribution::make({4 * processes()}, {tridap::padded_block(1)}, {processes()});
  const auto refused = [&](const Distribution& distribution, const std::string& words) {
    const Buffer local = tridap::row_major(memory.data(), {distribution.local_shape(rank())[0]});
    on::expect_refused([&] { GhostUpdate(GhostedArray(local, distribution.dim_data(rank()), {}), MPI_COMM_WORLD); },
                       words);
  };
  refused(padded, "axis 0: the array has communication padding");
  std::vector<std::vector<Index>> lists;
  for (Index r = 0; r < processes(); ++r) lists.push_back({r, r + 1});
  refused(Distribution::make({2 * processes()}, {tridap::unstructured(lists)}, {processes()}),
          "axis 0: an index is on several processes");
}

TEST(GhostRefusal, SumsOfElementsThatCannotBeAdded) {
  std::vector<std::array<char, 8>> memory(4);
  GhostUpdate plan(tridap::make_ghosted(tridap::row_major(memory.data(), {4}), {}, MPI_COMM_WORLD), MPI_COMM_WORLD);
  plan.update_ghosts();
  on::expect_refused([&] { plan.sum_ghosts(); }, "not converted, scaled or added");
  plan.update_ghosts();
}

TEST(GhostRefusal, InterCommunicatorsInEveryCall) {
  if (processes() < 2) GTEST_SKIP() << "needs at least 2 processes";
  Parts parts;
  const GhostedArray array(parts.local, parts.dim_data, parts.ghosts);
  expect_needs_communicator("GhostUpdate", [&](MPI_Comm comm) { GhostUpdate(array, comm); });
  expect_needs_communicator("update_ghosts", [&](MPI_Comm comm) { tridap::update_ghosts(array, comm); });
  expect_needs_communicator("sum_ghosts", [&](MPI_Comm comm) { tridap::sum_ghosts(array, comm); });
  expect_needs_communicator("make_ghosted",
                            [&](MPI_Comm comm) { tridap::make_ghosted(parts.local, parts.ghosts, comm); });
  expect_needs_communicator("copy_with_ghosts",
                            [&](MPI_Comm comm) { tridap::copy_with_ghosts(array.owned(), parts.ghosts, comm); });
}
