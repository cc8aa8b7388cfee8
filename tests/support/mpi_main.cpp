#include "support/effort.hpp"
#include "support/test_files.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <string>
#include <vector>

#ifdef TRIDAP_TEST_KOKKOS
#include <Kokkos_Core.hpp>
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace {

/// Makes a test's verdict that of all processes: a failure on one fails the test on all, and names the process. A test
/// is skipped on all processes or on none: else it fails, and the processes that skipped it are named.
class OneVerdict : public testing::EmptyTestEventListener {
 public:
  explicit OneVerdict(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    const int mine = test.result()->Failed() ? failed : test.result()->Skipped() ? skipped : passed;
    std::vector<int> all(static_cast<std::size_t>(size_));
    MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, comm_);
    if (rank_ != 0) return;  // the first process speaks for all, and the exit code is that of all
    const std::string others = ranks_of(failed, all, 1), skipping = ranks_of(skipped, all, 0);
    if (!others.empty()) ADD_FAILURE() << "failed on rank" << others;
    if (const std::string running = ranks_of(passed, all, 0); !skipping.empty() && !running.empty())
      ADD_FAILURE() << "skipped on rank" << skipping << ", but run on rank" << running;
  }

 private:
  enum Outcome { passed, failed, skipped };

  static std::string ranks_of(Outcome outcome, const std::vector<int>& all, std::size_t first) {
    std::string ranks;
    for (std::size_t r = first; r < all.size(); ++r)
      if (all[r] == outcome) ranks += " " + std::to_string(r);
    return ranks;
  }

  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
};

/// Prints failures alone, with the rank and the test in front: for every process but the first.
class FailuresOnly : public testing::EmptyTestEventListener {
 public:
  explicit FailuresOnly(int rank) : rank_(rank) {}
  void OnTestStart(const testing::TestInfo& test) override {
    name_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  void OnTestPartResult(const testing::TestPartResult& part) override {  // may ask GoogleTest nothing: it holds a lock
    if (!part.failed()) return;
    std::fprintf(stderr, "[rank %d] %s %s:%d: %s\n", rank_, name_.c_str(), part.file_name() ? part.file_name() : "?",
                 part.line_number(), part.message());
  }

 private:
  int rank_;
  std::string name_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!test_files::select(&argc, argv)) return 2;
#ifdef __SANITIZE_ADDRESS__  // what MPI keeps from its start is not ours, and its modules may be gone when leaks are
                             // told
  __lsan_disable();
  MPI_Init(&argc, &argv);
  __lsan_enable();
#else
  MPI_Init(&argc, &argv);
#endif
#ifdef TRIDAP_TEST_KOKKOS
  Kokkos::initialize(argc, argv);
#endif
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly(rank));
  }
  listeners.Append(new OneVerdict(comm));

  if (rank == 0 && effort::sampled())
    std::puts("sweeps: a sample, the first cases from fixed seeds; all: TRIDAP_TEST_EFFORT=all");
  int status = RUN_ALL_TESTS(), processes = 1;
  MPI_Comm_size(comm, &processes);
  if (rank == 0) test_files::print_again(processes);
#ifdef __SANITIZE_ADDRESS__  // now, before MPI unloads the modules whose leaks are not ours
  if (__lsan_do_recoverable_leak_check() != 0) status = 1;
#endif
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, comm);
  MPI_Comm_free(&comm);
#ifdef TRIDAP_TEST_KOKKOS
  Kokkos::finalize();
#endif
  MPI_Finalize();
  return status;
}
