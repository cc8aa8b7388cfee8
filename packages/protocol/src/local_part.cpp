#include "checking.hpp"
#include "cyclic.hpp"
#include <tridap/local_part.hpp>
#include <tridap/report.hpp>

#include <array>
#include <string>

namespace tridap {

namespace {

Range part_of(const Dimension& dimension, const Block& block, Part part, Version version) {
  const std::array<Index, 2> communication = communication_widths(dimension, version);
  Range range{0, block.stop - block.start};
  if (version == Version::v0_9) range.end += communication[0] + communication[1];
  if (part == Part::local) return range;
  range = {range.begin + communication[0], range.end - communication[1]};
  if (part == Part::owned || !dimension.periodic || version == Version::v0_9 || !block.padding) return range;
  const auto [left, right] = *block.padding;  // what does not communicate is owned and holds mirrors
  return {range.begin + left - communication[0], range.end - right + communication[1]};
}

Index held(const Dimension& dimension, const Cyclic& cyclic) {
  if (cyclic.start >= dimension.size) return 0;
  return cyclic_count(dimension.size, dimension.proc_grid_size, cyclic.block_size, cyclic.start / cyclic.block_size);
}

}  // namespace

std::array<Index, 2> communication_widths(const Dimension& dimension, Version version) {
  const auto [left, right] = std::get<Block>(dimension.dist).padding.value_or(std::array<Index, 2>{0, 0});
  const bool wraps = dimension.periodic && version == Version::v0_9;  // every edge has a neighbour
  const bool first = dimension.proc_grid_rank == 0,
             last = dimension.proc_grid_size > 0 && dimension.proc_grid_rank == dimension.proc_grid_size - 1;
  return {first && !wraps ? 0 : left, last && !wraps ? 0 : right};
}

Range local_part(const Dimension& dimension, Part part, Version version) {
  if (const auto* block = std::get_if<Block>(&dimension.dist)) return part_of(dimension, *block, part, version);
  if (const auto* cyclic = std::get_if<Cyclic>(&dimension.dist)) return {0, held(dimension, *cyclic)};
  return {0, std::get<Unstructured>(dimension.dist).indices.buffer.shape[0]};
}

Index global_index(const Dimension& dimension, Index local) {
  if (const auto* block = std::get_if<Block>(&dimension.dist)) return block->start + local;
  if (const auto* cyclic = std::get_if<Cyclic>(&dimension.dist)) {
    const Index round = local / cyclic->block_size;
    return cyclic->start + round * dimension.proc_grid_size * cyclic->block_size + local % cyclic->block_size;
  }
  return read_indices(std::get<Unstructured>(dimension.dist).indices).value().at(static_cast<std::size_t>(local));
}

Dimension in_version(Dimension dimension, Version from, Version to, Index axis) {
  auto* block = std::get_if<Block>(&dimension.dist);
  if (from == to || block == nullptr) return dimension;
  const auto [left, right] = block->padding.value_or(std::array<Index, 2>{0, 0});
  if (dimension.periodic && (left != 0 || right != 0))
    throw Error(key_fault(
        Rule::conversion, axis, "padding", "(" + std::to_string(left) + ", " + std::to_string(right) + ")",
        std::string("but on a periodic axis the values of ") + stamp(to) + " also depend on the neighbours' padding",
        "gather the array's distribution over its communicator first"));
  const Index sign = to == Version::v0_10 ? 1 : -1;
  const auto [before, behind] = communication_widths(dimension, from);
  block->start -= sign * before;
  block->stop += sign * behind;
  if (to == Version::v0_9 && dimension.proc_grid_size > 1) block->padding = {left, right};
  return dimension;
}

}  // namespace tridap
