#pragma once

#include <gtest/gtest.h>

extern "C" {
#include <ga-mpi.h>
#include <ga.h>
#include <macdecls.h>
}

#include <cstdint>
#include <numeric>
#include <vector>

namespace ga_test {

using List = std::vector<std::int64_t>;

/// A Global Array that GA's own calls make.
struct Spec {
  List shape;
  int type = C_LONG;
  List widths = {};  ///< of ghost cells; empty: none
  std::vector<List> starts =
      {};                        ///< where the blocks of each axis begin; empty: as GA cuts it, or blocks of one length
  List block = {};               ///< the length of the blocks that are distributed cyclically; empty: `starts`
  List grid = {};                ///< of the processes, if it is cyclic; empty: blocks one after the other
  bool tiled = false;            ///< each block of one length is contiguous
  std::vector<int> owners = {};  ///< empty: all
  bool by_range = false;         ///< the owners are set by the first and the last one
  int group = GA_Pgroup_get_world();

  int make() const {
    List dims = shape, ghosts = widths, lengths = block, places = grid, map, counts;
    std::vector<int> ranks = owners;
    for (const List& axis : starts) {
      map.insert(map.end(), axis.begin(), axis.end());
      counts.push_back(static_cast<std::int64_t>(axis.size()));
    }
    const int handle = GA_Create_handle();
    GA_Set_data64(handle, static_cast<int>(dims.size()), dims.data(), type);
    GA_Set_pgroup(handle, group);
    if (!ghosts.empty()) GA_Set_ghosts64(handle, ghosts.data());
    if (!lengths.empty() && places.empty()) GA_Set_block_cyclic64(handle, lengths.data());
    if (!lengths.empty() && !places.empty())
      (tiled ? GA_Set_tiled_proc_grid64 : GA_Set_block_cyclic_proc_grid64)(handle, lengths.data(), places.data());
    if (!map.empty() && places.empty()) GA_Set_irreg_distr64(handle, map.data(), counts.data());
    if (!map.empty() && !places.empty())
      GA_Set_tiled_irreg_proc_grid64(handle, map.data(), counts.data(), places.data());
    if (by_range)
      GA_Set_restricted_range(handle, ranks.front(), ranks.back());
    else if (!ranks.empty())
      GA_Set_restricted(handle, ranks.data(), static_cast<int>(ranks.size()));
    EXPECT_NE(GA_Allocate(handle), 0);
    return handle;
  }
};

/// Where blocks of these lengths begin.
inline std::vector<List> starts_of(const std::vector<List>& extents) {
  std::vector<List> starts;
  for (const List& axis : extents) {
    starts.emplace_back(axis.size());
    std::exclusive_scan(axis.begin(), axis.end(), starts.back().begin(), std::int64_t{0});
  }
  return starts;
}

}  // namespace ga_test
