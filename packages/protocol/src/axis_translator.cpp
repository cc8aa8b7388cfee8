#include "axis_translator.hpp"

#include <tridap/detail/refuse.hpp>

#include <algorithm>

namespace tridap {

void AxisTranslator::wrong(Rule rule, const char* key, Index value, std::string must, std::string remedy) {
  report_.add({rule, {}, axis_, key, std::to_string(value), std::move(must), std::move(remedy)});
}

void AxisTranslator::at_least(Rule rule, const char* key, Index value, Index least) {
  if (value < least) wrong(rule, key, value, "must be at least " + std::to_string(least));
}

void AxisTranslator::coordinate(const char* key, Index value, Index grid) {
  if (value < 0 || (grid > 0 && value >= grid))
    wrong(Rule::cyclic_start, key, value, "must be a coordinate: at least 0 and less than " + std::to_string(grid),
          "give the coordinate of the first block");
}

Index AxisTranslator::size(IndexBounds bounds, const char* key) {
  if (bounds.high < bounds.low) return 0;
  Index size = 0;
  if (!__builtin_sub_overflow(bounds.high, bounds.low, &size) && !__builtin_add_overflow(size, 1, &size)) return size;
  wrong(Rule::conversion, key, bounds.high,
        "but the number of indices from " + std::to_string(bounds.low) + " on does not fit 64 bits",
        "give narrower bounds");
  return 0;
}

Index AxisTranslator::block_length(Index size, Index grid, std::optional<Index> length, const char* key) {
  at_least(Rule::size, "size", size, 0);
  at_least(Rule::grid_size, "proc_grid_size", grid, 1);
  if (length && *length < 1) wrong(Rule::block_tiling, key, *length, "must be at least 1", "give a longer block");
  if (size < 0 || grid < 1 || (length && *length < 1)) return 1;
  const Index fair = size / grid + (size % grid != 0 ? 1 : 0);
  if (length && *length < fair)
    wrong(Rule::block_tiling, key, *length,
          "must be at least " + std::to_string(fair) + " for " + std::to_string(grid) + " coordinates to hold size " +
              std::to_string(size),
          "give a longer block, or more processes");
  return std::max<Index>(length.value_or(fair), 1);
}

void AxisTranslator::listed(const char* key, Index count, const char* remedy) {
  if (count > most_listed)
    wrong(Rule::conversion, key, count, "must be at most " + std::to_string(most_listed) + " if all are written out",
          remedy);
}

AxisSpec AxisTranslator::round_robin(Index size, Index grid, Index block_size, Index served, Index skipped,
                                     std::vector<std::string>& losses) {
  if (skipped == 0 || grid == 1 || size <= block_size - skipped) return CyclicSpec{block_size, served};
  listed("size", size, "make the axis begin with a whole block");
  listed("proc_grid_size", grid, "make the axis begin with a whole block");
  check();
  losses.push_back("axis " + std::to_string(axis_) + " begins " + std::to_string(skipped) +
                   " elements into a block of " + std::to_string(block_size) +
                   ", so its indices are written out as lists");
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(grid));
  Index left = block_size - skipped;  // in this block
  for (Index global = 0; global < size; ++global, --left) {
    if (left == 0) {
      left = block_size;
      if (++served == grid) served = 0;
    }
    lists[static_cast<std::size_t>(served)].push_back(global);
  }
  return UnstructuredSpec{std::move(lists), true};
}

BlockSpec AxisTranslator::balanced(Index size, Index grid) {
  const Index share = size / grid, rest = size % grid;
  if (rest == 0) return block(share);
  if (share == 0 || rest == grid - 1) return block(share + 1);
  return block_at(balanced_starts(size, grid));
}

std::vector<Index> AxisTranslator::balanced_starts(Index size, Index grid) {
  listed("proc_grid_size", grid, "use a grid that divides the size, and no padding");
  check();
  std::vector<Index> starts;
  for (Index c = 0; c < grid; ++c) starts.push_back(c * (size / grid) + std::min(c, size % grid));
  return starts;
}

void refuse_axis(Index axis, Index ndim, std::string remedy) {
  if (axis < 0 || axis >= ndim)
    refuse("the region has " + std::to_string(ndim) + (ndim == 1 ? " axis" : " axes"), "so this is not one of its axes",
           std::move(remedy), axis, Rule::shape_ndim);
}

BlockSpec fringed(std::vector<Index> starts, Index padding, Index edge, bool periodic) {
  for (std::size_t c = 1; c < starts.size(); ++c) starts[c] += edge;
  return {{}, std::move(starts), padding, {edge, edge}, periodic};
}

TranslatedAxis AxisTranslator::make(Index size, AxisSpec spec, Index grid, Index base,
                                    std::vector<std::string> losses) {
  if (size > 0 && !checked_add(base, size - 1))
    wrong(Rule::conversion, "size", size, "but the indices from " + std::to_string(base) + " on do not fit 64 bits",
          "begin at a smaller index");
  std::optional<Axis> axis;
  if (auto* unstructured = std::get_if<UnstructuredSpec>(&spec))  // valid by construction; a check would be slow
    axis = Axis(UnstructuredKind(std::move(unstructured->lists), unstructured->one_to_one));
  else if (report_.ok())
    axis = make_axis(size, spec, grid, axis_, report_);
  check();
  return {std::move(*axis), base, std::move(losses)};
}

}  // namespace tridap
