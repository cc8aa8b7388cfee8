#include "find_axes.hpp"

#include <tridap/detail/refuse.hpp>
#include <tridap/internal/number_texts.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace tridap::infer {

namespace {

using Shares = std::vector<Share>;

// Block axis: the shares are ranges that follow one another from 0 to `size`. If neighbours share an even number of
// indices, the blocks are padded, and each neighbour owns the half on its own side [block.padding].
std::optional<BlockKind> as_block(const Shares& shares, std::optional<Index> size) {
  const std::size_t grid = shares.size();
  std::vector<Index> bounds{0};
  std::vector<std::array<Index, 2>> padding(grid, {0, 0});
  Index end = 0;
  bool padded = false;
  for (std::size_t c = 0; c < grid; ++c) {
    const Share& share = shares[c];
    if (!share.one_run()) return std::nullopt;
    const Index begin = share.count > 0 ? share.first : end, shared = end - begin, width = shared / 2;
    if (shared < 0 || shared % 2 != 0 || (c == 0 && shared != 0)) return std::nullopt;
    padded = padded || width > 0;
    if (c > 0) {
      padding[c - 1][1] = padding[c][0] = width;
      bounds.push_back(begin + width);
    }
    end = begin + share.count;
  }
  bounds.push_back(end);
  if (size && end != *size) return std::nullopt;
  for (std::size_t c = 0; c < grid; ++c)  // coordinate c must own the indices that are padding of its neighbours
    if (const Index owned = bounds[c + 1] - bounds[c]; owned < padding[c][0] || owned < padding[c][1])
      return std::nullopt;
  BlockKind block(std::move(bounds));
  return padded ? block.padded(std::move(padding), false) : block;
}

// Cyclic axis: blocks are distributed round the coordinates. The coordinate that holds index 0 has the first block,
// which is a full one [cyclic.start].
std::optional<CyclicKind> as_cyclic(const Shares& shares, std::optional<Index> size) {
  const auto begins = [](const Share& share) { return share.count > 0 && share.first == 0; };
  const auto first = std::find_if(shares.begin(), shares.end(), begins);
  if (first == shares.end() || first->listed()) return std::nullopt;
  std::optional<Index> total = 0;
  for (const Share& share : shares)
    if (total) total = checked_add(*total, share.count);
  if (!total || (size && *size != *total)) return std::nullopt;
  const auto grid = static_cast<Index>(shares.size());
  const std::optional<Index> round = checked_multiply(grid, first->block);
  const CyclicKind cyclic(*total, grid, first->block, first - shares.begin());
  for (Index c = 0; c < grid; ++c) {
    const Share& share = shares[static_cast<std::size_t>(c)];
    if (share.count != cyclic.count(c)) return std::nullopt;
    if (share.count == 0) continue;
    const bool same =
        share.count <= first->block ? share.one_run() : share.block == first->block && share.stride == round;
    if (!same || share.first != cyclic.start(c)) return std::nullopt;
  }
  return cyclic;
}

// Finds the kind of an axis, and returns its cost: the simpler the kind, the lower.
Index classify(FoundAxis& found, std::optional<Index> size) {
  if (auto block = as_block(found.shares, size)) {
    const bool padded = block->is_padded();
    found.axis.emplace(std::move(*block));
    found.size = found.axis->size();
    return padded ? 1 : 0;
  }
  if (const auto cyclic = as_cyclic(found.shares, size)) {
    found.axis.emplace(*cyclic);
    found.size = found.axis->size();
    return 2;
  }
  std::optional<Index> total = 0;
  for (const Share& share : found.shares)
    if (total) total = checked_add(*total, share.count);
  if (!total) refuse("the sum of the ids' counts does not fit 64 bits", "", "");
  found.axis.reset();
  found.size = *total;
  return 1000;
}

// Makes an axis of even blocks, for an array without elements.
void make_even_blocks(FoundAxis& found, Index size) {
  const Index length = std::max<Index>(1, size / found.grid + (size % found.grid != 0 ? 1 : 0));
  found.axis.emplace(BlockKind(size, found.grid, length));
  found.size = size;
}

// Tries all process grids. It begins with grids that have few processes along the last axes.
class Search {
 public:
  Search(const Everyone& everyone, const InferenceHints& how) : all_(everyone), how_(how), same_(everyone.ndim) {
    for (std::size_t k = 0; k < all_.ndim; ++k) number_shares(k);
    nobody_ = std::all_of(all_.count.begin(), all_.count.end(), [](Index count) { return count == 0; });
  }

  std::vector<FoundAxis> run() {
    if (all_.ndim == 0 && nobody_) refuse();
    grid_.assign(all_.ndim, 1);
    if (how_.grid) {
      grid_ = *how_.grid;
      consider();
    } else {
      try_grids(all_.ndim, 1);
    }
    if (!best_) refuse();
    return std::move(*best_);
  }

 private:
  // Two processes at the same coordinate of an axis that hold different shares of it.
  struct Misfit {
    Index process = 0, other = 0;
    std::size_t axis = 0;
  };

  // Gives equal shares of an axis equal numbers; -1: the process holds no elements, so its share is not known.
  void number_shares(std::size_t k) {
    using Key = std::tuple<Index, Index, Index, Index, Index>;
    std::map<Key, Index> numbers;
    for (Index r = 0; r < all_.processes(); ++r) {
      const Share& s = all_.share(r, k);
      const bool empty = all_.count[static_cast<std::size_t>(r)] == 0;
      same_[k].push_back(
          empty ? -1
                : numbers.try_emplace(Key{s.count, s.first, s.block, s.stride, s.hash}, numbers.size()).first->second);
    }
  }

  void try_grids(std::size_t axes, Index pace) {
    const Index rest = all_.processes() / pace;
    if (axes == 0) {
      if (rest == 1) consider();
      return;
    }
    for (Index extent = axes == 1 ? rest : 1; extent <= rest && !enough_; ++extent) {
      if (rest % extent != 0) continue;
      grid_[axes - 1] = extent;
      try_grids(axes - 1, pace * extent);
    }
  }

  // The first process whose share of an axis contradicts a grid; nothing: the shares fit.
  const std::optional<Misfit>& misfit(std::size_t k, Index extent, Index pace) {
    const auto [at, fresh] = misfits_.try_emplace({k, extent, pace});
    if (!fresh) return at->second;
    std::vector<Index> holder(static_cast<std::size_t>(extent), -1);
    for (Index r = 0; r < all_.processes(); ++r) {
      const Index share = same_[k][static_cast<std::size_t>(r)];
      if (share < 0) continue;
      Index& first = holder[static_cast<std::size_t>(r / pace % extent)];
      if (first < 0) first = r;
      if (same_[k][static_cast<std::size_t>(first)] == share) continue;
      at->second = Misfit{r, first, k};
      break;
    }
    return at->second;
  }

  // Keeps the current grid if it fits and gives simpler axes than the best one until now.
  void consider() {
    Index pace = 1;
    std::optional<Misfit> earliest;
    for (std::size_t k = all_.ndim; k-- > 0; pace *= grid_[k])
      if (const auto& here = misfit(k, grid_[k], pace); here && (!earliest || here->process < earliest->process))
        earliest = here;
    if (earliest) {
      if (!furthest_ || furthest_->process < earliest->process) {
        furthest_ = earliest;
        furthest_grid_ = grid_;
      }
      return;
    }
    std::vector<FoundAxis> axes = over_grid();
    if (const auto contradiction = missing(axes)) {
      if (!missing_) missing_ = contradiction;
      return;
    }
    const Index score = simplify(axes);
    if (!best_ || score < best_score_) {
      best_ = std::move(axes);
      best_score_ = score;
    }
    enough_ = best_score_ == 0 || nobody_;
  }

  std::vector<FoundAxis> over_grid() const {
    std::vector<FoundAxis> axes(all_.ndim);
    Index pace = 1;
    for (std::size_t k = all_.ndim; k-- > 0; pace *= grid_[k]) {
      FoundAxis& found = axes[k];
      found.grid = grid_[k];
      found.pace = pace;
      found.shares.resize(static_cast<std::size_t>(found.grid));
      found.first_owner.assign(static_cast<std::size_t>(found.grid), -1);
      for (Index r = 0; r < all_.processes(); ++r) {
        if (all_.count[static_cast<std::size_t>(r)] == 0) continue;
        const auto c = static_cast<std::size_t>(found.coordinate(r));
        if (found.first_owner[c] >= 0) continue;
        found.first_owner[c] = r;
        found.shares[c] = all_.share(r, k);
      }
    }
    return axes;
  }

  // A process without elements although every one of its coordinates has some: its part of the array is missing.
  std::optional<Index> missing(const std::vector<FoundAxis>& axes) const {
    for (Index r = 0; r < all_.processes() && !nobody_; ++r) {
      if (all_.count[static_cast<std::size_t>(r)] > 0) continue;
      const auto empty = [r](const FoundAxis& found) {
        return found.first_owner[static_cast<std::size_t>(found.coordinate(r))] < 0;
      };
      if (std::none_of(axes.begin(), axes.end(), empty)) return r;
    }
    return std::nullopt;
  }

  // Finds the kind of each axis, and returns the sum of their costs.
  Index simplify(std::vector<FoundAxis>& axes) const {
    const bool has_elements = !how_.shape || checked_product(*how_.shape) != Index{0};
    Index score = 0;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const std::optional<Index> size = how_.shape ? std::optional<Index>((*how_.shape)[k]) : std::nullopt;
      if (nobody_ && size && (k > 0 || !has_elements)) {
        make_even_blocks(axes[k], *size);
      } else {
        score += classify(axes[k], size);
      }
    }
    return score;
  }

  Index first_id(Index process) const {
    const Numbering numbering = numbering_of(how_);
    Index id = how_.base;
    for (std::size_t k = 0; k < all_.ndim; ++k) id += numbering.weight[k] * all_.share(process, k).first;
    return id;
  }

  [[noreturn]] void refuse() const {
    if (furthest_) {
      const auto [r, other, k] = *furthest_;
      throw Error(Finding{Rule::conversion, r, static_cast<Index>(k), "",
                          "its indices (ids from " + std::to_string(first_id(r)) +
                              " on) differ from those of process " + std::to_string(other) + " (ids from " +
                              std::to_string(first_id(other)) + " on), which is at the same coordinate of a " +
                              joined(furthest_grid_, " x ") + " grid",
                          how_.grid ? "" : "and no other grid fits better",
                          "number the processes in the row-major order of their grid"});
    }
    if (missing_)
      throw Error(Finding{Rule::conversion,
                          missing_,
                          {},
                          "",
                          "the process has no ids, but other processes at each of its coordinates have some",
                          "",
                          "give the shape whose elements the ids number"});
    tridap::refuse("there are " + std::to_string(all_.processes()) + " processes, and process 0 has " +
                       std::to_string(all_.count[0]) + " ids",
                   "must be one process with one id, because the array has no axes", "");
  }

  const Everyone& all_;
  const InferenceHints& how_;
  std::vector<std::vector<Index>> same_;  // by axis and process
  bool nobody_ = false, enough_ = false;
  std::vector<Index> grid_;
  std::map<std::tuple<std::size_t, Index, Index>, std::optional<Misfit>> misfits_;
  std::optional<std::vector<FoundAxis>> best_;
  Index best_score_ = 0;
  std::optional<Misfit> furthest_;
  std::vector<Index> furthest_grid_;
  std::optional<Index> missing_;
};

}  // namespace

std::vector<FoundAxis> find_axes(const Everyone& everyone, const InferenceHints& how) {
  return Search(everyone, how).run();
}

}  // namespace tridap::infer
