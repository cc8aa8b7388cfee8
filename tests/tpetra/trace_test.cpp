#include "support/parts.hpp"
#include "support/ranks.hpp"
#include <tridap/kokkos/trace.hpp>
#include <tridap/make.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/redistribute/ids.hpp>
#include <tridap/redistribute/padding.hpp>
#include <tridap/redistribute/redistribution.hpp>
#include <tridap/tpetra/redistribute.hpp>
#include <tridap/tpetra/trace.hpp>

#include <Kokkos_Core.hpp>
#include <Teuchos_TimeMonitor.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace trace_test {
namespace {

using namespace tridap;
using Names = std::vector<std::string>;

// What a tool of Kokkos sees: the names of regions, in which a region inside of another one has a blank before it.
struct Seen {
  Names names;
  std::size_t depth = 0;
} seen;

class Trace : public testing::Test {
 protected:
  Trace() {
    seen = {};
    Kokkos::Tools::Experimental::set_push_region_callback([](const char* name) {
      const std::string text = name;
      if (text.rfind("tridap::", 0) == 0) seen.names.push_back(std::string(seen.depth, ' ') + text);
      ++seen.depth;
    });
    Kokkos::Tools::Experimental::set_pop_region_callback([] { --seen.depth; });
  }
  ~Trace() override {
    mpi::trace({});
    Kokkos::Tools::Experimental::set_push_region_callback(nullptr);
    Kokkos::Tools::Experimental::set_pop_region_callback(nullptr);
    EXPECT_EQ(seen.depth, 0U);
  }

  const Index processes = on::processes(MPI_COMM_WORLD);
  const Distribution rows = Distribution::make({4 * processes, 3}, {padded_block(1), whole()}, {processes, 1});
  const Distribution dealt = Distribution::make({4 * processes, 3}, {cyclic(1), whole()}, {processes, 1});
  const DistArray x = on::part_of(rows, on::rank(MPI_COMM_WORLD)), y = on::part_of(dealt, on::rank(MPI_COMM_WORLD));
};

TEST_F(Trace, EachCallIsARegionByItsPublicName) {
  redistribute::Redistribution move(rows, dealt, 8, MPI_COMM_WORLD);
  kokkos::trace();
  move(x, y);
  move.start({{x, y}});
  move.wait();
  redistribute::gather(x, rows, MPI_COMM_WORLD, 0);
  redistribute::allgather(x, MPI_COMM_WORLD);
  redistribute::PaddingUpdate update(x.buffer, rows, MPI_COMM_WORLD);
  update.start();
  update.wait();
  update.update();
  EXPECT_EQ(seen.names,
            (Names{"tridap::redistribute::Redistribution::operator()", "tridap::redistribute::Redistribution::start",
                   "tridap::redistribute::Redistribution::wait", "tridap::redistribute::gather",
                   "tridap::redistribute::allgather", "tridap::redistribute::PaddingUpdate::start",
                   "tridap::redistribute::PaddingUpdate::wait", "tridap::redistribute::PaddingUpdate::update",
                   " tridap::redistribute::PaddingUpdate::start", " tridap::redistribute::PaddingUpdate::wait"}));
}

TEST_F(Trace, MovesByIdsAndToVectorsAreRegionsToo) {
  const Distribution line = Distribution::make({4 * processes}, {block()}, {processes});
  const DistArray part = on::part_of(line, on::rank(MPI_COMM_WORLD));
  const auto map = Teuchos::rcp(new tpetra::Map(4 * processes, 0, tpetra::Communicator(MPI_COMM_WORLD).teuchos()));
  kokkos::trace();
  const auto vector = tpetra::redistribute_to<double>(map, part);
  tpetra::redistribute_from(vector, line);
  const GlobalIds ids{4, nullptr, 4 * Index{on::rank(MPI_COMM_WORLD)}};
  redistribute::to_ids(line, ids, 8, MPI_COMM_WORLD);
  redistribute::from_ids(ids, line, 8, MPI_COMM_WORLD);
  Names outer;
  for (const std::string& name : seen.names)
    if (name.front() != ' ') outer.push_back(name);
  EXPECT_EQ(outer, (Names{"tridap::tpetra::redistribute_to", "tridap::tpetra::redistribute_from",
                          "tridap::redistribute::to_ids", "tridap::redistribute::from_ids"}));
}

TEST_F(Trace, ARegionEndsWhenItsCallThrows) {
  kokkos::trace();
  EXPECT_THROW(redistribute::gather(x, rows, MPI_COMM_WORLD, static_cast<int>(processes)), Error);
  EXPECT_EQ(seen.depth, 0U);
  EXPECT_EQ(seen.names, Names{"tridap::redistribute::gather"});
}

TEST_F(Trace, IsOfTheThreadThatAsks) {
  kokkos::trace();
  std::thread([&] { redistribute::gather(x, rows, MPI_COMM_WORLD, 0); }).join();
  EXPECT_EQ(seen.names, Names{});
}

TEST_F(Trace, EndsAndGivesBackWhatWasThere) {
  kokkos::trace();
  const mpi::Regions before = mpi::trace({});
  redistribute::gather(x, rows, MPI_COMM_WORLD, 0);
  EXPECT_EQ(seen.names, Names{});
  mpi::trace(before);
  redistribute::gather(x, rows, MPI_COMM_WORLD, 0);
  EXPECT_EQ(seen.names, Names{"tridap::redistribute::gather"});
}

TEST_F(Trace, TimersOfTeuchosHaveTheSameNames) {
  tpetra::trace();
  const std::string name = "tridap::redistribute::Redistribution::start";
  redistribute::Redistribution move(rows, dealt, 8, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) {
    move.start({{x, y}});
    move.wait();
  }
  const auto timer = Teuchos::TimeMonitor::lookupCounter(name);
  ASSERT_FALSE(timer.is_null());
  EXPECT_EQ(timer->numCalls(), 3);
  EXPECT_FALSE(timer->isRunning());
  const auto is_same = [&](const std::string& each) { return each.find(name) != std::string::npos; };
  EXPECT_EQ(std::count_if(seen.names.begin(), seen.names.end(), is_same), 3);  // once for each call, not twice
}

TEST_F(Trace, ARegionThatDidNotBeginHasNoEnd) {
  std::vector<std::string> all;
  static std::vector<std::string>* told = nullptr;
  told = &all;
  mpi::trace({[](const char* name) {
                told->push_back(name);
                return told->size() != 2;  // the second one does not begin
              },
              [] { told->push_back("end"); }});
  redistribute::PaddingUpdate update(x.buffer, rows, MPI_COMM_WORLD);
  update.update();
  EXPECT_EQ(all, (Names{"tridap::redistribute::PaddingUpdate::update", "tridap::redistribute::PaddingUpdate::start",
                        "tridap::redistribute::PaddingUpdate::wait", "end", "end"}));
}

}  // namespace
}  // namespace trace_test
