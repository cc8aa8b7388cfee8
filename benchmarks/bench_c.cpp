// What the interfaces of C and Fortran add to C++: moves of the same arrays, and questions of one process.

#include "support/pairs.hpp"
#include <tridap/gather_distribution.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/padding.hpp>
#include <tridap/redistribute/redistribution.hpp>
#include <tridap/tridap.h>

#include <chrono>
#include <cstdlib>
#include <vector>

#ifdef TRIDAP_HAVE_FORTRAN
extern "C" {
void fortran_begin(std::int64_t n, int processes, void* source, void* target);
void fortran_move();
std::int64_t fortran_owner();
std::int64_t fortran_count();
void fortran_end();
}
#endif

namespace {

using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;

void ok(int status) {
  if (status == TRIDAP_OK) return;
  std::fprintf(stderr, "%s\n", tridap_message());
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

// Nanoseconds of one call of each, the medians of 101 samples of 1000 calls, which alternate.
bool difference_of(const char* name, double bound, const std::function<void()>& ours,
                   const std::function<void()>& theirs) {
  constexpr int calls = 1000;
  std::vector<double> samples[2];
  for (int pair = 0; pair < 101; ++pair)
    for (const int turn : {pair % 2, 1 - pair % 2}) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < calls; ++i) (turn == 0 ? ours : theirs)();
      samples[turn].push_back(
          std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / calls);
    }
  return bench::line(name, bench::median(samples[0]).value - bench::median(samples[1]).value, bound,
                     "nanoseconds more");
}

struct Sides {
  Distribution rows, columns;
  DistArray source, target;
  tridap_distribution from{}, to{};
  tridap_array in{}, out{};

  Sides(Index n, int processes)
      : rows(Distribution::make({n, n}, {tridap::block(), tridap::whole()}, {processes, 1})),
        columns(Distribution::make({n, n}, {tridap::whole(), tridap::block()}, {1, processes})) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const Index shape[] = {n, n};
    const std::int64_t grid[][2] = {{processes, 1}, {1, processes}};
    for (const bool first : {true, false}) {
      DistArray& array = first ? source : target;
      const Distribution& of = first ? rows : columns;
      array.buffer = tridap::allocate(tridap::element_type<double>(), tridap::IndexList(of.local_shape(rank)));
      array.dim_data = of.dim_data(rank);
      tridap_distribute_options options{};
      options.grid = grid[first ? 0 : 1];
      ok(tridap_distribute(2, shape, first ? "b,*" : "*,b", MPI_COMM_WORLD, &options, first ? &from : &to));
      tridap_memory memory{};
      memory.data = array.buffer.data;
      memory.type = TRIDAP_FLOAT64;
      ok(tridap_array_of(first ? from : to, &memory, first ? &in : &out));
    }
  }
};

bool moves(int processes) {
  const Sides large(1448, processes);  // 16 MB
  tridap::redistribute::Redistribution plan(large.rows, large.columns, 8, MPI_COMM_WORLD);
  tridap_plan other{};
  ok(tridap_plan_make(large.from, large.to, TRIDAP_FLOAT64, nullptr, &other));
  bool holds = bench::compare_closely(
      "c: move of 16 MB, rows to columns", 1.05, [&] { ok(tridap_plan_move(other, large.in, large.out, nullptr)); },
      [&] { plan(large.source, large.target); }, 2);
#ifdef TRIDAP_HAVE_FORTRAN
  fortran_begin(1448, processes, large.source.buffer.data, large.target.buffer.data);
  holds = bench::compare_closely(
              "fortran: move of 16 MB, rows to columns", 1.05, fortran_move, [&] { plan(large.source, large.target); },
              2) &&
          holds;
#endif
  return holds;
}

bool questions(int processes) {
  const Sides of(1448, processes);
  const std::int64_t global[] = {700, 800};
  std::int64_t process = 0, count = 0;
  const tridap::Indices at = {700, 800};
  bool holds = difference_of(
      "c: tridap_owner, against Distribution::owner", 50, [&] { ok(tridap_owner(of.from, global, &process)); },
      [&] { process = *of.rows.owner(at); });
  holds = difference_of(
              "c: tridap_count, against Distribution::count", 50,
              [&] { ok(tridap_count(of.from, 0, TRIDAP_OWNED, &count)); }, [&] { count = of.rows.count(0); }) &&
          holds;
#ifdef TRIDAP_HAVE_FORTRAN
  holds = difference_of(
              "fortran: layout%owner, against Distribution::owner", 50, [&] { process = fortran_owner(); },
              [&] { process = *of.rows.owner(at); }) &&
          holds;
  holds = difference_of(
              "fortran: layout%count, against Distribution::count", 50, [&] { count = fortran_count(); },
              [&] { count = of.rows.count(0); }) &&
          holds;
  fortran_end();
#endif
  std::int64_t local[2];
  int held = 0;
  tridap::Indices found;
  return difference_of(
             "c: tridap_local_index, against Distribution", 50,
             [&] { ok(tridap_local_index(of.from, process, global, TRIDAP_OWNED, local, &held)); },
             [&] { found = *of.rows.local_index(process, at); }) &&
         holds;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int processes = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  bool holds = moves(processes);
  holds = questions(processes) && holds;
  MPI_Finalize();
  return holds ? 0 : 1;
}
