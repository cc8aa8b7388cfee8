// Saving and loading arrays against plain HDF5 with the same hyperslabs, and the memory that this takes.
//
// The files are in /dev/shm if it exists, where no disk hides what a call costs; TRIDAP_BENCH_FOLDER names another
// folder.

#include "support/pairs.hpp"
#include <tridap/hdf5.hpp>
#include <tridap/make.hpp>

#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

using tridap::Distribution;
using tridap::Index;
namespace h5 = tridap::hdf5;

int processes = 1, rank = 0;

std::string folder() {
  const char* const given = std::getenv("TRIDAP_BENCH_FOLDER");
  struct stat found {};
  if (given != nullptr) return given;
  return ::stat("/dev/shm", &found) == 0 ? "/dev/shm" : "/tmp";
}

tridap::DistArray make(const Distribution& distribution, bool fortran = false) {
  tridap::DistArray array;
  array.buffer = tridap::allocate(tridap::element_type<double>(), tridap::IndexList(distribution.local_shape(rank)));
  if (fortran) array.buffer.strides = tridap::column_major_strides(array.buffer.shape, 8);
  std::fill_n(static_cast<double*>(array.buffer.data), tridap::element_count(array.buffer), rank + 0.5);
  array.dim_data = distribution.dim_data(rank);
  return array;
}

void need(bool ok) {
  if (!ok) MPI_Abort(MPI_COMM_WORLD, 1);
}

// One hyperslab for each process, by hand.
struct ByHand {
  std::string path;
  std::vector<hsize_t> shape, start, count;

  ByHand(std::string file, const Distribution& distribution) : path(std::move(file)) {
    for (const Index extent : distribution.shape()) shape.push_back(static_cast<hsize_t>(extent));
    const tridap::Indices at = distribution.coordinates(rank);
    for (Index i = 0; i < distribution.ndim(); ++i) {
      const auto owned = distribution.axis(i).part(at[static_cast<std::size_t>(i)], tridap::Part::owned);
      start.push_back(owned.size() == 0
                          ? 0
                          : static_cast<hsize_t>(distribution.global_index(rank, {0, 0})[static_cast<std::size_t>(i)]));
      count.push_back(static_cast<hsize_t>(owned.size()));
    }
  }

  void move(double* data, bool write) const {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), list = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_dxpl_mpio(list, H5FD_MPIO_COLLECTIVE);
    const hid_t file = write ? H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access)
                             : H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
    const hid_t space = H5Screate_simple(2, shape.data(), nullptr), memory = H5Screate_simple(2, count.data(), nullptr);
    const hid_t dataset = write ? H5Dcreate2(file, "a", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
                                : H5Dopen2(file, "a", H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    const herr_t status = write ? H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, list, data)
                                : H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, list, data);
    need(status >= 0);
    H5Dclose(dataset);
    H5Sclose(memory);
    H5Sclose(space);
    need(H5Fclose(file) >= 0);
    H5Pclose(list);
    H5Pclose(access);
  }
};

// Both have the same memory, and load the same file: where its pages are makes a difference of up to 15 %.
bool compare(const std::string& name, double bound, const Distribution& distribution, bool fortran = false) {
  const std::string path = folder() + "/tridap_bench_" + std::to_string(processes) + ".h5", theirs = path + ".by_hand";
  const tridap::DistArray array = make(distribution, fortran);
  auto* const data = static_cast<double*>(array.buffer.data);
  const ByHand save_by_hand(theirs, distribution), load_by_hand(path, distribution);
  bool ok = bench::compare(
      "hdf5: save, " + name, bound,
      [&] {
        h5::save(path, {{"a", array}}, MPI_COMM_WORLD);
      },
      [&] { save_by_hand.move(data, true); }, 1, 24);
  const auto load = [&] {
    const h5::Stored stored = h5::find(path, "a", MPI_COMM_WORLD);
    h5::load_into(array.buffer, path, stored, distribution, MPI_COMM_WORLD);
  };
  ok = bench::compare(
           "hdf5: load, " + name, bound, load, [&] { load_by_hand.move(data, false); }, 1, 24) &&
       ok;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    std::remove(path.c_str());
    std::remove(theirs.c_str());
  }
  return ok;
}

// The largest memory of this process since the last forget_memory(), MiB.
double most_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:" && status >> word) return std::stod(word) / 1024;
  return 0;
}

void forget_memory() { std::ofstream("/proc/self/clear_refs") << 5; }

// The growth of this process's memory, without that of a small file, which loads MPI's components.
bool memory(const std::string& name, const Distribution& distribution, bool fortran = false) {
  const std::string path = folder() + "/tridap_bench_memory.h5";
  const auto small = Distribution::make({4 * processes, 4}, {tridap::block(), tridap::whole()}, {processes, 1});
  h5::save(path, {{"a", make(small)}}, MPI_COMM_WORLD);
  h5::load(path, "a", MPI_COMM_WORLD);
  const tridap::DistArray array = make(distribution, fortran);
  forget_memory();
  const double before = most_memory();
  h5::save(path, {{"a", array}}, MPI_COMM_WORLD);
  h5::load_into(array.buffer, path, h5::find(path, "a", MPI_COMM_WORLD), distribution, MPI_COMM_WORLD);
  double grown = most_memory() - before;
  MPI_Allreduce(MPI_IN_PLACE, &grown, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::remove(path.c_str());
  return bench::line("hdf5: memory beyond the array, " + name, grown, 16, "MiB");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  constexpr Index n = 4096;
  const auto near = tridap::near_square_grid(processes, 2);
  const auto rows = Distribution::make({n, n}, {tridap::block(), tridap::whole()}, {processes, 1});
  const auto square = Distribution::make({n, n}, {tridap::block(), tridap::block()}, near);
  const auto cyclic = Distribution::make({n, n}, {tridap::cyclic(64), tridap::cyclic(64)}, near);
  const auto fine = Distribution::make({n * 256}, {tridap::cyclic(3)}, {processes});
  bool ok = memory("block rows", rows);
  ok = memory("block x block", square) && ok;
  ok = memory("block x block, Fortran order", square, true) && ok;
  ok = memory("cyclic(64) x cyclic(64)", cyclic) && ok;
  ok = memory("cyclic(3)", fine) && ok;
  ok = compare("block rows", 1.1, rows) && ok;
  ok = compare("block x block", 1.25, square) && ok;
  compare("block x block, Fortran order", INFINITY, square, true);
  MPI_Finalize();
  return ok ? 0 : 1;
}
