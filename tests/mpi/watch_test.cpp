#include "mpi/support.hpp"
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/shown_call.hpp>
#include <tridap/mpi/watch.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace {

int here() { return on::rank(MPI_COMM_WORLD); }
int all() { return on::processes(MPI_COMM_WORLD); }

void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// What the watches of all processes print while `body` runs.
std::string watched(const std::function<void()>& body) {
  tridap::mpi::watch(0.3);
  testing::internal::CaptureStderr();
  body();
  MPI_Barrier(MPI_COMM_WORLD);
  std::string text = testing::internal::GetCapturedStderr();
  tridap::mpi::watch(0);
  text.resize(4096);
  std::string joined(text.size() * static_cast<std::size_t>(all()), '\0');
  MPI_Allgather(text.data(), 4096, MPI_CHAR, joined.data(), 4096, MPI_CHAR, MPI_COMM_WORLD);
  return joined;
}

}  // namespace

TEST(Watch, ShowsAStoppedProcessAndGoesOn) {
  if (all() < 2) GTEST_SKIP() << "needs at least 2 processes";
  int process = getpid();
  MPI_Bcast(&process, 1, MPI_INT, 1, MPI_COMM_WORLD);
  tridap::Index largest = 0;
  const std::string text = watched([&] {
    { const tridap::mpi::Call first(MPI_COMM_WORLD, "save"); }
    std::thread continuing;
    if (here() == 0)
      continuing = std::thread([&] {
        pause(2.5);
        kill(process, SIGCONT);
      });
    pause(0.5);  // until the watches have written where their processes are
    if (here() == 1) raise(SIGSTOP);
    pause(0.2);
    const tridap::mpi::Call call(MPI_COMM_WORLD, "sum", {},
                                 [](tridap::mpi::Record& record) { record.add(10 + here()); });
    largest = call.largest(0);
    if (continuing.joinable()) continuing.join();
  });
  EXPECT_EQ(largest, 10 + all() - 1);
  on::expect_says(text, "rank 0: in sum for ");
  on::expect_says(text, "rank 1: the process is stopped; ");
  on::expect_says(text, " ago it was in no call of TriDAP; last call save ");
}

TEST(Watch, ShowsACallThatMakesNoReduction) {
  if (all() < 2) GTEST_SKIP() << "needs at least 2 processes";
  const std::string text = watched([] {
    const tridap::mpi::ShownCall shown("GhostUpdate::wait");
    if (here() == 0) pause(1);
  });
  on::expect_says(text, "rank 0: in GhostUpdate::wait for ");
}
