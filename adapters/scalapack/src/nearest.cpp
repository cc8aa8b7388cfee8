#include "blocks.hpp"
#include "python_line.hpp"
#include <tridap/compare.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/scalapack/array.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace tridap::scalapack {

namespace {

// The length of the blocks if coordinate c owns [min(c * length, size), min((c + 1) * length, size)); 0: it does not.
Index even_length(const BlockKind& block) {
  const Index length = std::max<Index>(block.begin(1), 1);
  for (Index c = 0; c <= block.grid(); ++c)
    if (block.begin(c) != std::min(checked_multiply(c, length).value_or(block.size()), block.size())) return 0;
  return length;
}

struct Problem {
  Index axis = 0;
  std::string fault;
};

std::optional<Problem> problem_of(const Distribution& distribution) {
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    if (blocks_of(axis)) continue;
    const auto* block = axis.block();
    return Problem{i, block == nullptr     ? "an unstructured axis is not in blocks"
                      : block->is_padded() ? "the blocks of the axis have padding"
                                           : "the blocks of the axis have different lengths"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Blocks> blocks_of(const Axis& axis) {
  if (const auto* cyclic = axis.cyclic()) return Blocks{cyclic->block_size(), cyclic->first()};
  const auto* block = axis.block();
  if (block == nullptr || block->is_padded()) return std::nullopt;
  const Index length = even_length(*block);
  return length > 0 ? std::optional<Blocks>(Blocks{length, 0}) : std::nullopt;
}

std::optional<std::string> refusal(const Distribution& distribution) {
  if (distribution.ndim() != 2) return "the array has " + std::to_string(distribution.ndim()) + " axes, must have 2";
  const auto problem = problem_of(distribution);
  return problem ? std::optional<std::string>(problem->fault) : std::nullopt;
}

void check_usable(const Distribution& distribution) {
  if (distribution.ndim() != 2)
    refuse("the array has " + std::to_string(distribution.ndim()) + " axes", "must have 2",
           "slice or reshape it to a matrix");
  if (const auto problem = problem_of(distribution))
    refuse(problem->fault, "ScaLAPACK needs blocks of one length",
           "move it to " + describe(nearest(distribution)) + " (in Python " +
               python_line("array", nearest(distribution)) + "), or pass Fit::nearest (Python: copy='if_needed')",
           problem->axis);
}

Distribution nearest(const Distribution& distribution) {
  if (distribution.ndim() != 2) check_usable(distribution);
  std::vector<Axis> axes;
  for (Index i = 0; i < 2; ++i) {
    const Axis& axis = distribution.axis(i);
    if (blocks_of(axis)) {
      axes.push_back(axis);
      continue;
    }
    const Index grid = axis.proc_grid_size(), length = std::max<Index>((axis.size() + grid - 1) / grid, 1);
    axes.emplace_back(BlockKind(axis.size(), grid, length));
  }
  return Distribution(std::move(axes));
}

}  // namespace tridap::scalapack
