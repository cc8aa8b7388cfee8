// What a program of C does at its end: `ends MODE` with a mode of main().

#include <tridap/tridap.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

int released = 0;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, tridap_message());
  std::exit(3);
}

void ok(int status) {
  if (status != TRIDAP_OK) fail("a call has failed");
}

struct Objects {
  std::vector<double> memory = std::vector<double>(8);
  tridap_distribution layout{};
  tridap_array array{};
  tridap_padding padding{};
  tridap_plan plan{};

  Objects() {
    int processes = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    const std::int64_t shape[] = {6 * processes};
    tridap_distribute_options options{};
    options.padding = 1;
    ok(tridap_distribute(1, shape, "b", MPI_COMM_WORLD, &options, &layout));
    tridap_memory of{};
    of.data = memory.data();
    of.type = TRIDAP_FLOAT64;
    of.release = [](void*) { ++released; };
    ok(tridap_array_of(layout, &of, &array));
    ok(tridap_update_padding(array));
    ok(tridap_padding_make(1, &array, 0, &padding));
    ok(tridap_plan_make(layout, layout, TRIDAP_FLOAT64, nullptr, &plan));
  }
};

// Nothing is released by the program.
void keeps_all() {
  const Objects all;
  MPI_Finalize();
  if (released != 1) fail("the memory was not released once");
  if (tridap_held() != 0) fail("handles are left");
  double sum = 0;
  if (tridap_sum(all.array, &sum) == TRIDAP_OK) fail("a call after MPI_Finalize has not failed");
  if (std::string(tridap_message()).find("MPI is finalised") == std::string::npos) fail("another text");
}

// Moves and updates are in progress.
void ends_in_progress() {
  const Objects all;
  tridap_array target{};
  ok(tridap_allocate(all.layout, TRIDAP_FLOAT64, TRIDAP_ROW_MAJOR, &target));
  ok(tridap_padding_start(all.padding));
  ok(tridap_plan_start(all.plan, all.array, target, nullptr));
  MPI_Finalize();
  if (tridap_held() != 0) fail("handles are left");
}

// All is released after MPI_Finalize, in the order that does not suit it.
void releases_late() {
  const Objects all;
  MPI_Finalize();
  for (const std::uint64_t each : {all.layout.number, all.array.number, all.padding.number, all.plan.number})
    if (tridap_release(each) == TRIDAP_OK) fail("a handle has outlived MPI");
}

// One process gives a wrong handle to a call that makes no reduction.
void ends_job() {
  const Objects all;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ok(tridap_padding_start(rank == 0 ? tridap_padding{all.plan.number} : all.padding));
  ok(tridap_padding_wait(all.padding));
  MPI_Finalize();
}

// A call before MPI_Init.
void begins_late() {
  tridap_distribution layout{};
  const std::int64_t shape[] = {6};
  if (tridap_distribute(1, shape, "b", MPI_COMM_WORLD, nullptr, &layout) == TRIDAP_OK) fail("a call before MPI_Init");
  if (std::string(tridap_message()).find("call MPI_Init first") == std::string::npos) fail("another text");
  if (layout.number != 0) fail("a handle without a communicator");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "begins_late") begins_late();
  MPI_Init(&argc, &argv);
  if (mode == "keeps_all")
    keeps_all();
  else if (mode == "releases_late")
    releases_late();
  else if (mode == "ends_in_progress")
    ends_in_progress();
  else if (mode == "ends_job")
    ends_job();
  else
    MPI_Finalize();
  std::printf("as it should\n");
  return 0;
}
