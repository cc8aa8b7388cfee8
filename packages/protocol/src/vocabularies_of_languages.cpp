#include "axis_translator.hpp"
#include <tridap/vocabularies.hpp>

#include <algorithm>
#include <limits>

namespace tridap {

namespace {

__extension__ using Wide = __int128;  // holds any product and difference of two indices

[[noreturn]] void refuse_shapes(const std::string& fault, const std::string& remedy) {
  throw Error(Finding{Rule::shape_ndim, {}, {}, "", fault, "but the numbers must be the same", remedy});
}

}  // namespace

namespace chapel {

namespace {

// `a mod b` with the sign of b > 0.
Index true_modulus(Wide a, Wide b) { return static_cast<Index>((a % b + b) % b); }

struct Shares {
  Index size = 0;                   // of the domain
  bool even = false;                // all have ceil(size / locales) elements
  std::vector<Index> starts = {0};  // counted from the domain's low; only the first if there is a shorter form
};

// The share of each locale under blockDist. The starts are written out if `listed`, or if there is no shorter form.
Shares shares(AxisTranslator& translator, IndexBounds domain, IndexBounds box, Index locales, bool listed) {
  Shares shares;
  shares.size = translator.size(domain, "high");
  const Index n = translator.size(box, "box high");
  translator.at_least(Rule::grid_size, "proc_grid_size", locales, 1);
  if (box.high < box.low)
    translator.wrong(Rule::conversion, "box high", box.high,
                     "must be at least its low " + std::to_string(box.low) + ", since an empty box cannot be divided",
                     "give a bounding box that holds an index");
  translator.check();
  shares.even =
      shares.size == 0 || locales == 1 || (domain.low == box.low && domain.high == box.high && n % locales == 0);
  if (shares.even && !listed) return shares;
  translator.listed("proc_grid_size", locales,
                    "make the domain equal to the bounding box, and its size a multiple of the locales");
  translator.check();
  for (Index c = 1; c < locales; ++c) {  // the first index i with floor((i - box.low) * locales / n) >= c
    const Wide first = Wide{box.low} + (Wide{c} * n + locales - 1) / locales - domain.low;
    shares.starts.push_back(static_cast<Index>(std::clamp<Wide>(first, 0, shares.size)));
  }
  return shares;
}

}  // namespace

TranslatedAxis block_dist(IndexBounds domain, IndexBounds box, Index locales, Index axis) {
  AxisTranslator translator(axis);
  Shares blocks = shares(translator, domain, box, locales, false);
  const BlockSpec spec = blocks.even ? block() : block_at(std::move(blocks.starts));
  return translator.make(blocks.size, spec, locales, domain.low);
}

namespace {

// An axis in blocks that are distributed round-robin from a start index on.
struct ChapelBlocks {
  Index size, block_size, locales;
  Wide offset;  // domain.low minus the start index

  Wide round() const { return Wide{block_size} * locales; }
  Index skipped() const { return true_modulus(offset, block_size); }                         // of the first block
  Index served() const { return true_modulus((offset - skipped()) / block_size, locales); }  // first

  // The position of an index in the memory of its locale under BlockCycDist.
  Index slot(Index global) const { return static_cast<Index>(global / round() * block_size) + global % block_size; }
  // The number of elements that a locale allocates: whole blocks, from the last one that begins at or before the
  // domain.
  Index allocated(Index locale) const {
    Wide first = Wide{locale} * block_size - offset;
    if (first <= 0) first = -(-first % round());
    if (size == 0 || first >= size) return 0;
    const Wide elements = ((size - 1 - first) / round() + 1) * block_size;
    return static_cast<Index>(std::min<Wide>(elements, std::numeric_limits<Index>::max()));
  }
};

ChapelBlocks chapel_blocks(AxisTranslator& translator, IndexBounds domain, Index start_idx, Index block_size,
                           Index locales) {
  const Index size = translator.size(domain, "high");
  translator.at_least(Rule::cyclic_block_size, "block_size", block_size, 1);
  translator.at_least(Rule::grid_size, "proc_grid_size", locales, 1);
  translator.check();
  return {size, block_size, locales, Wide{domain.low} - start_idx};
}

// Sorts each locale's indices in the order of its memory, and adds a loss if the memory has a gap. Only the locale
// whose last block is incomplete can have one.
void in_order_of_slots(std::vector<std::vector<Index>>& lists, const ChapelBlocks& all_blocks, Index axis,
                       std::vector<std::string>& losses) {
  const Index length = all_blocks.block_size;
  const Index round = checked_multiply(length, all_blocks.locales).value_or(std::numeric_limits<Index>::max());
  for (std::size_t c = 0; c < lists.size(); ++c) {
    std::vector<Index>& list = lists[c];
    for (auto begin = list.begin(); begin != list.end();) {  // the slots of one block in each round
      const Index turn = *begin / round;
      const auto end = std::find_if(begin, list.end(), [&](Index global) { return global / round != turn; });
      const auto by_slot = [&](Index a, Index b) { return a % length < b % length; };
      std::rotate(begin, std::min_element(begin, end, by_slot), end);
      begin = end;
    }
    const Index held = static_cast<Index>(list.size()), gap = held == 0 ? 0 : all_blocks.slot(list.back()) + 1 - held;
    if (gap == 0) continue;
    Index local = std::max<Index>(held - length, 0);  // the first after the gap
    while (all_blocks.slot(list[static_cast<std::size_t>(local)]) == local) ++local;
    losses.push_back("the storage of coordinate " + std::to_string(static_cast<Index>(c)) + " on axis " +
                     std::to_string(axis) + " has a gap of " + std::to_string(gap) +
                     (gap == 1 ? " element" : " elements") + " before local index " + std::to_string(local) +
                     ", which a buffer of the protocol cannot have");
  }
}

}  // namespace

TranslatedAxis cyclic_dist(IndexBounds domain, Index start_idx, Index locales, Index axis) {
  AxisTranslator translator(axis);
  const ChapelBlocks all_blocks = chapel_blocks(translator, domain, start_idx, 1, locales);
  return translator.make(all_blocks.size, cyclic(1, all_blocks.served()), locales, domain.low);
}

TranslatedAxis block_cyc_dist(IndexBounds domain, Index start_idx, Index block_size, Index locales, Index axis) {
  AxisTranslator translator(axis);
  const ChapelBlocks all_blocks = chapel_blocks(translator, domain, start_idx, block_size, locales);
  std::vector<std::string> losses;
  const bool before = all_blocks.offset < 0 && all_blocks.size > 0;
  if (before)
    losses.push_back("axis " + std::to_string(axis) + " begins at index " + std::to_string(domain.low) +
                     ", before startIdx " + std::to_string(start_idx) + ", and Chapel halts for such a domain");
  AxisSpec spec =
      translator.round_robin(all_blocks.size, locales, block_size, all_blocks.served(), all_blocks.skipped(), losses);
  if (auto* listed = std::get_if<UnstructuredSpec>(&spec)) in_order_of_slots(listed->lists, all_blocks, axis, losses);
  TranslatedAxis made = translator.make(all_blocks.size, std::move(spec), locales, domain.low, std::move(losses));
  if (!before) made.allocated = [all_blocks](Index locale) { return all_blocks.allocated(locale); };
  return made;
}

TranslatedAxis stencil_dist(IndexBounds domain, IndexBounds box, Index fluff, bool periodic, Index locales,
                            Index axis) {
  AxisTranslator translator(axis);
  translator.at_least(Rule::block_padding, "fluff", fluff, 0);
  Shares blocks = shares(translator, domain, box, locales, fluff > 0);
  if (fluff == 0 || blocks.size == 0) {
    const BlockSpec spec = blocks.even ? block() : block_at(std::move(blocks.starts));
    return translator.make(blocks.size, spec, locales, domain.low);
  }
  for (Index c = 0; c < locales; ++c) {
    const auto next = static_cast<std::size_t>(c) + 1;
    const Index end = next < blocks.starts.size() ? blocks.starts[next] : blocks.size;
    if (blocks.starts[next - 1] < end) continue;
    translator.wrong(Rule::conversion, "fluff", fluff,
                     "but locale " + std::to_string(c) + " has no index, and Chapel gives it no fluff",
                     "use fewer locales, or no fluff");
    translator.check();
  }
  Index base = 0, size = 0;
  if (__builtin_sub_overflow(domain.low, fluff, &base) || __builtin_add_overflow(blocks.size, fluff, &size) ||
      __builtin_add_overflow(size, fluff, &size))
    translator.wrong(Rule::conversion, "fluff", fluff, "but the indices with the fluff do not fit 64 bits",
                     "reduce the fluff");
  translator.check();
  std::vector<std::string> losses;
  if (!periodic)
    losses.push_back("the outer fluff of axis " + std::to_string(axis) + ", " + std::to_string(fluff) +
                     " elements at each end, is not a part of the array in Chapel, but is owned here");
  return translator.make(size, fringed(std::move(blocks.starts), fluff, fluff, periodic), locales, base,
                         std::move(losses));
}

}  // namespace chapel

namespace julia {

TranslatedAxis range(Index n, Index p, Index axis) {
  AxisTranslator translator(axis);
  translator.at_least(Rule::size, "size", n, 0);
  translator.at_least(Rule::grid_size, "proc_grid_size", p, 1);
  translator.check();
  return translator.make(n, translator.balanced(n, p), p, 1);
}

Translation darray(const std::vector<Index>& size, const std::vector<Index>& grid) {
  if (size.size() != grid.size())
    refuse_shapes("the array has " + std::to_string(static_cast<Index>(size.size())) + " axes and the grid has " +
                      std::to_string(static_cast<Index>(grid.size())),
                  "give an extent of the grid for every axis");
  return translation(
      every_axis(size.size(), [&](std::size_t i) { return range(size[i], grid[i], static_cast<Index>(i)); }),
      Order::column_major, Order::column_major);
}

}  // namespace julia

namespace x10 {

TranslatedAxis block(IndexBounds region, Index places, Index axis) {
  AxisTranslator translator(axis);
  const Index size = translator.size(region, "high");
  translator.at_least(Rule::grid_size, "proc_grid_size", places, 1);
  translator.check();
  return translator.make(size, translator.balanced(size, places), places, region.low);
}

Translation block_along(const std::vector<IndexBounds>& region, Index along, Index places) {
  refuse_axis(along, static_cast<Index>(region.size()), "give an axis of the region, counted from 0");
  return translation(every_axis(region.size(), [&](std::size_t i) {
    const Index axis = static_cast<Index>(i);
    return block(region[i], axis == along ? places : 1, axis);
  }));
}

}  // namespace x10

namespace mpi_cart {

Translation block(const std::vector<Index>& shape, const Grid& grid, Index width) {
  if (shape.size() != grid.dims.size() || shape.size() != grid.periods.size())
    refuse_shapes("the shape has " + std::to_string(static_cast<Index>(shape.size())) + " axes, 'dims' has " +
                      std::to_string(static_cast<Index>(grid.dims.size())) + " and 'periods' has " +
                      std::to_string(static_cast<Index>(grid.periods.size())),
                  "give one of each for every axis");
  Translation made = translation(every_axis(shape.size(), [&](std::size_t i) {
    AxisTranslator translator(static_cast<Index>(i));
    const bool periodic = grid.periods[i];
    translator.at_least(Rule::size, "size", shape[i], 0);
    translator.at_least(Rule::grid_size, "dims", grid.dims[i], 1);
    translator.at_least(Rule::block_padding, "width", width, 0);
    translator.check();
    const Index edge = periodic ? width : 0;
    const auto with_one = checked_add(shape[i], edge), size = with_one ? checked_add(*with_one, edge) : std::nullopt;
    if (!size)
      translator.wrong(Rule::conversion, "width", width, "but the size with the width does not fit 64 bits",
                       "reduce the width");
    translator.check();
    BlockSpec spec = width == 0 || (grid.dims[i] == 1 && !periodic)
                         ? translator.balanced(shape[i], grid.dims[i])
                         : fringed(translator.balanced_starts(shape[i], grid.dims[i]), width, edge, periodic);
    spec.periodic = periodic;
    return translator.make(*size, spec, grid.dims[i], -edge);
  }));
  if (grid.reorder)
    made.losses.push_back("with 'reorder', MPI may number the processes differently from the old communicator");
  return made;
}

}  // namespace mpi_cart

}  // namespace tridap
