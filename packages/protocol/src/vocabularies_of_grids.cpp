// The extensions of HPF 2.0, the default grids of Chapel and Julia, and X10's distribution over two axes.

#include "axis_translator.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/vocabularies.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

namespace tridap {

namespace {

// The prime factors of a number, ascending.
std::vector<Index> prime_factors(Index number) {
  std::vector<Index> factors;
  for (Index factor = 2; factor <= number / factor;) {
    if (number % factor == 0) {
      factors.push_back(factor);
      number /= factor;
    } else {
      ++factor;
    }
  }
  if (number > 1) factors.push_back(number);
  return factors;
}

void at_least(const char* key, Index value, Index least) {
  if (value < least) refuse_key(key, std::to_string(value), "must be at least " + std::to_string(least), "");
}

}  // namespace

namespace hpf {

TranslatedAxis gen_block(IndexBounds array, const std::vector<Index>& sizes, Index axis) {
  AxisTranslator translator(axis);
  const Index size = translator.size(array, "high"), processors = static_cast<Index>(sizes.size());
  translator.at_least(Rule::grid_size, "proc_grid_size", processors, 1);
  std::vector<Index> starts;
  Index end = 0;
  for (const Index length : sizes) {
    translator.at_least(Rule::block_tiling, "an entry of sizes", length, 0);
    starts.push_back(end);
    end += std::min(std::max<Index>(length, 0), size - end);
  }
  if (end < size && processors > 0)
    translator.wrong(Rule::block_tiling, "the sum of sizes", end,
                     "must be at least " + std::to_string(size) + ", the size of the array", "give longer blocks");
  translator.check();
  return translator.make(size, block_at(std::move(starts)), processors, array.low);
}

TranslatedAxis indirect(IndexBounds array, Index processors, const std::vector<Index>& map, Index axis) {
  AxisTranslator translator(axis);
  const Index size = translator.size(array, "high");
  translator.at_least(Rule::grid_size, "proc_grid_size", processors, 1);
  translator.listed("size", size, "use GEN_BLOCK if the shares are contiguous");
  translator.listed("proc_grid_size", processors, "use fewer processors");
  if (static_cast<Index>(map.size()) != size)
    translator.wrong(Rule::conversion, "the length of map", static_cast<Index>(map.size()),
                     "must be " + std::to_string(size) + ", the size of the array",
                     "give a processor for each element");
  for (const Index processor : map)
    if (processor < 1 || processor > processors) {
      translator.wrong(Rule::conversion, "an entry of map", processor,
                       "must be a processor, from 1 to " + std::to_string(processors), "count processors from 1");
      break;
    }
  translator.check();
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(processors));
  Index global = 0;
  for (const Index processor : map) lists[static_cast<std::size_t>(processor - 1)].push_back(global++);
  return translator.make(size, UnstructuredSpec{std::move(lists), true}, processors, array.low);
}

TranslatedAxis shadow(const TranslatedAxis& of, Index width, Index axis) {
  AxisTranslator translator(axis);
  translator.at_least(Rule::block_padding, "width", width, 0);
  const auto* block = of.axis.block();
  const Index grid = of.axis.proc_grid_size();
  if (block == nullptr || block->is_padded())
    translator.wrong(Rule::conversion, "width", width, "but only BLOCK, GEN_BLOCK and * have a shadow here",
                     "leave out the shadow of this axis");
  if (grid > 1 && width > 0) translator.listed("proc_grid_size", grid, "use fewer processors, or no shadow");
  translator.check();
  if (grid == 1 || width == 0) return of;
  std::vector<Index> starts;
  for (Index c = 0; c < grid; ++c) starts.push_back(block->begin(c));
  return translator.make(of.axis.size(), fringed(std::move(starts), width, 0, false), grid, of.index_base, of.losses);
}

}  // namespace hpf

namespace chapel {

std::vector<Index> default_grid(Index ndim, Index locales) {
  at_least("ndim", ndim, 1);
  at_least("locales", locales, 1);
  std::vector<Index> grid(static_cast<std::size_t>(ndim), 1);
  for (const Index factor : prime_factors(locales)) *std::min_element(grid.begin(), grid.end()) *= factor;
  std::sort(grid.begin(), grid.end(), std::greater<>());
  return grid;
}

}  // namespace chapel

namespace julia {

std::vector<Index> default_grid(const std::vector<Index>& size, Index processes) {
  at_least("the number of axes", static_cast<Index>(size.size()), 1);
  for (const Index extent : size) at_least("size", extent, 0);
  at_least("processes", processes, 1);
  std::vector<Index> chunk = size, grid(size.size(), 1);
  const std::vector<Index> factors = prime_factors(processes);
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
    const auto longest = std::max_element(chunk.rbegin(), chunk.rend());  // the first one from behind
    if (*longest < *factor) continue;
    *longest /= *factor;
    grid[static_cast<std::size_t>(chunk.rend() - longest) - 1] *= *factor;
  }
  return grid;
}

}  // namespace julia

namespace x10 {

namespace {

// 2 to the power of ceil(log2(places) / 2).
Index square_power(Index places) {
  Index exponent = 0;  // ceil(log2(places))
  while (exponent < 62 && Index{1} << exponent < places) ++exponent;
  return Index{1} << (exponent + 1) / 2;
}

// Block k begins at ceil(k * size / blocks).
TranslatedAxis even_blocks(IndexBounds region, Index blocks, Index axis) {
  AxisTranslator translator(axis);
  const Index size = translator.size(region, "high");
  translator.listed("proc_grid_size", blocks, "use fewer places");
  translator.check();
  if (blocks == 1) return translator.make(size, whole(), 1, region.low);
  std::vector<Index> starts;
  for (Index k = 0; k < blocks; ++k)  // without the overflow of k * size
    starts.push_back(k * (size / blocks) + (k * (size % blocks) + blocks - 1) / blocks);
  return translator.make(size, block_at(std::move(starts)), blocks, region.low);
}

}  // namespace

Translation block_block(const std::vector<IndexBounds>& region, Index first, Index second, Index places) {
  const auto ndim = static_cast<Index>(region.size());
  at_least("places", places, 1);
  for (const Index axis : {first, second}) refuse_axis(axis, ndim, "give two axes of the region, counted from 0");
  if (first == second)
    refuse("both axes are " + std::to_string(first), "must be different", "give two axes of the region");
  const auto extent = [&](Index axis) {
    AxisTranslator translator(axis);
    const Index size = translator.size(region[static_cast<std::size_t>(axis)], "high");
    translator.check();
    return size;
  };
  const Index rows = extent(first), columns = extent(second);
  const Index even = rows > 1 ? rows - rows % 2 : 1;
  const std::optional<Index> most = checked_multiply(even, columns);
  if (most && places > *most)
    refuse("there are " + std::to_string(places) + " places, but only " + std::to_string(*most) + " blocks",
           "X10 gives no block to the last places", "use at most as many places as blocks");
  const Index d0 = rows > 1 ? std::min(even, square_power(places)) : 1;
  const Index d1 = std::min(columns, places / d0 + (places % d0 != 0 ? 1 : 0));
  if (d0 * d1 != places)
    refuse("X10 makes " + std::to_string(d0) + " x " + std::to_string(d1) + " blocks for " + std::to_string(places) +
               " places, and some of these have two blocks",
           "must be as many blocks as places, since the protocol has one block for each process",
           "use " + std::to_string(d0 * d1) + " places");
  return translation(every_axis(region.size(),
                                [&](std::size_t i) {
                                  const auto axis = static_cast<Index>(i);
                                  return even_blocks(region[i], axis == first ? d0 : axis == second ? d1 : 1, axis);
                                }),
                     first < second ? Order::column_major : Order::row_major, Order::row_major);
}

}  // namespace x10

}  // namespace tridap
