#pragma once

#include "mpi/support.hpp"
#include "support/memory_meter.hpp"
#include <tridap/buffer.hpp>
#include <tridap/dist_array.hpp>

#include <algorithm>
#include <random>
#include <vector>

/// Long lists, and how much memory a process may hold of them if they stay on their processes.
namespace long_lists {

using namespace tridap;

inline constexpr Index of_each = 100'000;

/// The ids of this process: multiples of `step`. Each id is on one process, chosen at random, and in a random place of
/// its list.
inline std::vector<Index> random_ids(MPI_Comm comm, Index step = 1, std::uint64_t seed = 5) {
  const auto processes = static_cast<std::uint64_t>(on::processes(comm));
  std::mt19937_64 random(seed);
  std::vector<Index> ids;
  for (Index id = 0; id < of_each * on::processes(comm); ++id)
    if (static_cast<int>(random() % processes) == on::rank(comm)) ids.push_back(step * id);
  std::shuffle(ids.begin(), ids.end(), random);
  return ids;
}

inline DistArray listed(const std::vector<Index>& ids, MPI_Comm comm) {
  Dimension dimension{of_each * on::processes(comm), on::processes(comm), on::rank(comm), false, {}, {}};
  const auto count = static_cast<Index>(ids.size());
  dimension.dist = Unstructured{row_major(ids.data(), {count}), true};
  DistArray array;
  array.dim_data = {dimension};
  array.buffer = allocate(element_type<double>(), {count});
  return array;
}

/// The bytes that `step` holds at once beyond what is held before.
template <class Step>
double most_held_by(Step&& step) {
  const std::size_t before = memory_meter::held;
  memory_meter::most_held = before;
  step();
  return static_cast<double>(memory_meter::most_held - before);
}

/// Of a process with n ids of N, on P processes: 48 (n + N / P) bytes and 1 MB.
inline double bound(const std::vector<Index>& ids) { return 48 * (static_cast<double>(ids.size()) + of_each) + 1e6; }

}  // namespace long_lists
