// rates [N]: how fast arrays move between the processes that share a GPU, beside a copy on the device of the same bytes
// in the same run. N x N doubles; 8192 without an argument. Each line has its bound; what is below it is marked.

#include "module.hpp"
#include <tridap/device/device.hpp>
#include <tridap/internal/driver.hpp>
#include <tridap/make.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;
using tridap::Memory;
using tridap::redistribute::Options;
using tridap::redistribute::Redistribution;
namespace driver = tridap::driver;

const Memory cuda{Memory::Kind::cuda, 0};
int rank = 0, processes = 1, below = 0, lines = 0;

void start_driver() {
  const char* const path = std::getenv("TRIDAP_TEST_DRIVER");
  void* const library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  auto* const start = library == nullptr ? nullptr : reinterpret_cast<void (*)(int)>(dlsym(library, "stand_in_start"));
  if (start == nullptr) {
    std::fprintf(stderr, "TRIDAP_TEST_DRIVER names no driver\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  start(0);
}

DistArray array_of(const Distribution& of, tridap::Order order, Index bytes) {
  DistArray made;
  if (rank >= of.processes()) return made;
  made.dim_data = of.dim_data(rank);
  made.buffer.type = {tridap::ElementType::Kind::opaque, bytes, true};
  made.buffer.shape = of.local_shape(rank);
  made.buffer.strides = order == tridap::Order::row_major ? tridap::row_major_strides(made.buffer.shape, bytes)
                                                          : tridap::column_major_strides(made.buffer.shape, bytes);
  made.buffer.memory = cuda;
  made.buffer.owner = driver::allocate(cuda, element_count(made.buffer) * bytes, true);
  made.buffer.data = made.buffer.owner.get();
  return made;
}

/// The median of some seconds, each those of the slowest process.
double seconds(const std::function<void()>& step) {
  std::vector<double> all;
  step();
  for (int i = 0; i < 7; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    step();
    double time = MPI_Wtime() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    all.push_back(time);
  }
  std::nth_element(all.begin(), all.begin() + 3, all.end());
  return all[3];
}

void copy_on_device(void* to, const void* from, Index bytes) {
  const driver::Table& table = driver::need_table(cuda);
  const driver::InContext in(table, 0);
  const auto address = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at); };
  driver::need_success(
      table, table.copy_on_device(address(to), address(from), static_cast<std::size_t>(bytes), nullptr), "a copy");
  driver::need_success(table, table.synchronize_stream(nullptr), "a copy");
}

/// A copy to pinned memory of the host and back, of bytes that this process holds.
void copy_there_and_back(void* on_device, Index bytes) {
  static std::vector<char> pinned;
  const driver::Table& table = driver::need_table(cuda);
  const driver::InContext in(table, 0);
  const auto length = static_cast<std::size_t>(bytes);
  if (pinned.empty()) {
    pinned.resize(length);
    driver::need_success(table, table.register_host(pinned.data(), length, driver::for_all_contexts), "pinning memory");
  }
  const auto address = reinterpret_cast<std::uintptr_t>(on_device);
  driver::need_success(table, table.copy_to_host(pinned.data(), address, length, nullptr), "a copy to the host");
  driver::need_success(table, table.copy_to_device(address, pinned.data(), length, nullptr), "a copy to the device");
  driver::need_success(table, table.synchronize_stream(nullptr), "copies");
}

void say(const std::string& name, double ours, double floor, Index bytes, double bound) {
  const double ratio = floor / ours;
  ++lines;
  below += ratio < bound;
  if (rank == 0)
    std::printf("%-58s %8.1f GB/s  copy %8.1f  ratio %.2f  at least %.2f%s\n", name.c_str(),
                static_cast<double>(bytes) / ours / 1e9, static_cast<double>(bytes) / floor / 1e9, ratio, bound,
                ratio < bound ? "  BELOW" : "");
}

struct Side {
  Distribution of;
  tridap::Order order = tridap::Order::row_major;
};

void compare(const std::string& name, const Side& from, const Side& to, Index bytes, double bound,
             const Options& options = {}) {
  Redistribution plan(from.of, to.of, bytes, MPI_COMM_WORLD, options);
  const DistArray source = array_of(from.of, from.order, bytes), target = array_of(to.of, to.order, bytes);
  const Index here = element_count(target.buffer) * bytes;
  const double ours = seconds([&] { plan(source, target); });
  const DistArray other = array_of(to.of, to.order, bytes);
  const double floor = seconds([&] { copy_on_device(target.buffer.data, other.buffer.data, here); });
  say(name, ours, floor, here, bound);
}

/// What goes to other processes passes through pinned memory of the host. The floor copies as many bytes there and
/// back.
void compare_slots(const Side& rows, const Side& columns) {
  if (processes == 1) return;
  Options staged;
  staged.path = tridap::redistribute::Path::staged;
  Redistribution plan(rows.of, columns.of, 8, MPI_COMM_WORLD, staged);
  const DistArray source = array_of(rows.of, rows.order, 8), target = array_of(columns.of, columns.order, 8);
  const Index here = element_count(target.buffer) * 8, others = here / processes * (processes - 1);
  const double ours = seconds([&] { plan(source, target); });
  const double floor = seconds([&] { copy_there_and_back(target.buffer.data, others); });
  say("rows to columns, slots; beside pinned copies", ours, floor, others, 0.80);
}

/// The extents of a grid of all processes, the longer one first.
std::vector<Index> grid() { return processes == 4 ? std::vector<Index>{2, 2} : std::vector<Index>{processes, 1}; }

void compare_matrices(Index n) {
  using tridap::block, tridap::cyclic, tridap::whole;
  const auto make = [&](std::vector<tridap::AxisSpec> axes, std::vector<Index> extents) {
    return Side{Distribution::make({n, n}, std::move(axes), std::move(extents))};
  };
  const Side rows = make({block(), whole()}, {processes, 1}), columns = make({whole(), block()}, {1, processes});
  const Side tiles = make({block(), block()}, grid());
  std::vector<Index> turned = grid();
  std::reverse(turned.begin(), turned.end());
  compare("rows to columns", rows, columns, 8, 0.90);
  compare("block x block to 64 x 64 cyclic", tiles, make({cyclic(64), cyclic(64)}, grid()), 8, 0.65);
  compare("32 x 32 cyclic to 100 x 100 cyclic, transposed grid", make({cyclic(32), cyclic(32)}, grid()),
          make({cyclic(100), cyclic(100)}, turned), 8, 0.60);
  compare("rows to block x block", rows, tiles, 8, 0.90);
  Side column_major = columns;
  column_major.order = tridap::Order::column_major;
  compare("rows to columns, stored column-major", rows, column_major, 8, 0.85);
  compare_slots(rows, columns);
}

void compare_pencils(Index n) {
  using tridap::block, tridap::whole;
  const std::vector<Index> two = grid();
  const Distribution x = Distribution::make({n, n, n}, {whole(), block(), block()}, {1, two[0], two[1]});
  const Distribution y = Distribution::make({n, n, n}, {block(), whole(), block()}, {two[0], 1, two[1]});
  compare("complex pencils, x to y", {x}, {y}, 16, 0.85);
  compare("complex pencils, x to y, memory order turned", {x}, {y, tridap::Order::column_major}, 16, 0.85);
}

void compare_small() {
  const Distribution of = Distribution::make({1024}, {tridap::block()}, {processes});
  Redistribution plan(of, of, 8, MPI_COMM_WORLD);
  const DistArray source = array_of(of, tridap::Order::row_major, 8),
                  target = array_of(of, tridap::Order::row_major, 8);
  const double ours = seconds([&] { plan(source, target); });
  const double empty = seconds([] {
    int nothing = 0;
    tridap::device::launch(cuda, "tridap_nothing", 1, 1, &nothing);
    driver::synchronize(cuda, nullptr);
  });
  const double most = std::max(30e-6, 3 * empty);
  if (rank == 0)
    std::printf("%-58s %8.1f us, an empty kernel %.1f us%s\n", "a move of 8 KB", ours * 1e6, empty * 1e6,
                processes > 1 ? ""
                : ours > most ? "  ABOVE 30 us and 3 of them"
                              : "  at most 30 us, or 3 of them");
  below += processes == 1 && ours > most;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  start_driver();
  const Index n = argc > 1 ? std::atol(argv[1]) : 8192;
  compare_matrices(n);
  compare_pencils(n / 16);
  compare_small();
  tridap::device::close(MPI_COMM_WORLD);
  if (rank == 0) std::printf("%d processes: %d of %d below their bound\n", processes, below, lines + 1);
  MPI_Finalize();
}
