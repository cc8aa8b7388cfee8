#pragma once

#include <tridap/buffer.hpp>
#include <tridap/distribution.hpp>
#include <tridap/ghosts/ghosted_array.hpp>
#include <tridap/make.hpp>

#include <mpi.h>

#include <algorithm>
#include <random>
#include <vector>

namespace bench {

using tridap::Index;

/// The part of one process: it owns the ids `[start, start + owned)`, and has ghosts of others, ascending.
struct GhostCase {
  Index start = 0, owned = 0;
  std::vector<Index> ghosts;
};

/// The nodes of a mesh of n x n x n, distributed in boxes and numbered process after process, as mesh partitioners
/// number them. A process has the nodes around its box as ghosts: those of a stencil of 27 points.
inline GhostCase mesh_ghosts(Index n, int rank, int processes) {
  const auto boxes = tridap::Distribution::make({n, n, n}, {tridap::block(), tridap::block(), tridap::block()},
                                                tridap::near_square_grid(processes, 3));
  std::vector<Index> starts{0};
  for (Index p = 0; p < processes; ++p) starts.push_back(starts.back() + boxes.count(p));
  const std::vector<Index> shape = boxes.local_shape(rank);
  GhostCase made{starts[static_cast<std::size_t>(rank)], boxes.count(rank), {}};
  if (made.owned == 0) return made;
  const std::vector<Index> low = boxes.global_index(rank, {0, 0, 0});
  for (Index i = low[0] - 1; i <= low[0] + shape[0]; ++i)
    for (Index j = low[1] - 1; j <= low[1] + shape[1]; ++j)
      for (Index k = low[2] - 1; k <= low[2] + shape[2]; ++k) {
        if (std::min({i, j, k}) < 0 || std::max({i, j, k}) >= n) continue;
        const Index owner = *boxes.owner({i, j, k});
        if (owner == rank) continue;
        const std::vector<Index> at = *boxes.local_index(owner, {i, j, k}), extent = boxes.local_shape(owner);
        made.ghosts.push_back(starts[static_cast<std::size_t>(owner)] + (at[0] * extent[1] + at[1]) * extent[2] +
                              at[2]);
      }
  std::sort(made.ghosts.begin(), made.ghosts.end());
  return made;
}

/// `owned` elements on each process, and as ghosts up to `count` of other processes, chosen at random.
inline GhostCase scattered_ghosts(Index owned, std::size_t count, int rank, int processes) {
  GhostCase made{rank * owned, owned, {}};
  if (processes == 1) return made;
  std::mt19937_64 random(static_cast<std::uint64_t>(rank));
  std::uniform_int_distribution<Index> any(0, owned * processes - 1);
  while (made.ghosts.size() < count) {
    const Index id = any(random);
    if (id < made.start || id >= made.start + owned) made.ghosts.push_back(id);
  }
  std::sort(made.ghosts.begin(), made.ghosts.end());
  made.ghosts.erase(std::unique(made.ghosts.begin(), made.ghosts.end()), made.ghosts.end());
  return made;
}

/// Makes an array that has the ghosts `of`, with `dof` numbers for each element. All numbers are set to 1. Otherwise
/// the memory might hold very small numbers, and to add these can take several times as long. **Collective.**
template <class Number>
tridap::GhostedArray ghosted(const GhostCase& of, Index dof, MPI_Comm comm) {
  const Index all = of.owned + static_cast<Index>(of.ghosts.size());
  const tridap::Buffer local = tridap::allocate(tridap::element_type<Number>(), {all, dof});
  std::fill_n(static_cast<Number*>(local.data), all * dof, Number(1));
  return tridap::make_ghosted(local, of.ghosts, comm);
}

}  // namespace bench
