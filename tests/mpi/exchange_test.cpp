#include "mpi/support.hpp"
#include "support/thrown.hpp"
#include <tridap/internal/exchange.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <random>
#include <stdexcept>
#include <vector>

namespace {

using tridap::Index;
using tridap::Message;

/// How the lengths are told, for the time of a test.
class Most {
 public:
  explicit Most(Index told_by_alltoall) : before_(tridap::mpi::most_told_by_alltoall()) {
    tridap::mpi::most_told_by_alltoall() = told_by_alltoall;
  }
  Most(const Most&) = delete;
  Most& operator=(const Most&) = delete;
  ~Most() { tridap::mpi::most_told_by_alltoall() = before_; }

 private:
  Index before_;
};

/// What one process sends to another in a round: known everywhere, so that nothing has to be exchanged to check it.
std::vector<std::vector<Index>> of_pair(Index from, Index to, Index round) {
  std::mt19937_64 random(static_cast<std::uint64_t>((from * 64 + to) * 4096 + round));
  std::vector<std::vector<Index>> all;
  if (random() % 3 == 0) return all;
  for (std::uint64_t count = random() % 4 == 0 ? 1 + random() % 3 : 1; count > 0; --count) {
    std::vector<Index> content(1 + random() % (round % 5 == 0 ? 30000 : 5));
    for (Index& number : content) number = static_cast<Index>(random());
    all.push_back(std::move(content));
  }
  return all;
}

void exchange_rounds(Index rounds) {
  const Index rank = on::rank(MPI_COMM_WORLD), processes = on::processes(MPI_COMM_WORLD);
  for (Index round = 0; round < rounds; ++round) {
    std::vector<Message> out, wanted;
    for (Index other = processes; other-- > 0;)  // in any order
      for (std::vector<Index>& content : of_pair(rank, other, round)) out.push_back({rank, other, std::move(content)});
    for (Index other = 0; other < processes; ++other)
      for (std::vector<Index>& content : of_pair(other, rank, round))
        wanted.push_back({other, rank, std::move(content)});
    const std::vector<Message> in = tridap::mpi::exchange(std::move(out), MPI_COMM_WORLD);
    ASSERT_EQ(in.size(), wanted.size()) << "in round " << round;
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(in[i].from, wanted[i].from) << "in round " << round;
      ASSERT_EQ(in[i].to, rank);
      ASSERT_EQ(in[i].content, wanted[i].content) << "in round " << round << " from " << in[i].from;
    }
  }
}

TEST(Exchange, BringsEachMessageToItsProcess) { exchange_rounds(40); }

// A process that has received all of its messages begins the next round while others still wait in this one.
TEST(Exchange, FindsOutTogetherThatNothingMoreComes) {
  const Most none(0);
  exchange_rounds(200);
}

TEST(Exchange, FaultsOfOneProcessAreAnErrorOnAll) {
  const Index rank = on::rank(MPI_COMM_WORLD), processes = on::processes(MPI_COMM_WORLD);
  for (const Index most : {Index{0}, Index{1000}}) {
    const Most told(most);
    for (Index bad = 0; bad < processes; ++bad) {
      tridap::mpi::Faults faults;
      if (rank == bad) faults.attempt([] { throw std::runtime_error("no letters"); });
      const std::string text = on::thrown([&] {
        tridap::mpi::exchange({{rank, (rank + 1) % processes, {1, 2}}}, MPI_COMM_WORLD, std::move(faults));
      });
      on::expect_says(text, "no letters");
      on::expect_says(text, "rank " + std::to_string(bad));
    }
  }
  exchange_rounds(3);
}

TEST(Exchange, OfNothing) {
  for (const Index most : {Index{0}, Index{1000}}) {
    const Most told(most);
    EXPECT_TRUE(tridap::mpi::exchange({}, MPI_COMM_WORLD).empty());
    const Index rank = on::rank(MPI_COMM_WORLD);
    EXPECT_TRUE(tridap::mpi::exchange({{rank, 0, {}}}, MPI_COMM_WORLD).empty());
  }
}

}  // namespace
