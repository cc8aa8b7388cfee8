#include "python_line.hpp"

#include "blocks.hpp"
#include <tridap/make.hpp>

#include <variant>

namespace tridap::scalapack {

namespace {

// True if these are the blocks that "b" makes.
bool is_default(const Axis& axis) {
  const Distribution made = Distribution::make({axis.size()}, {BlockSpec{}}, {axis.proc_grid_size()});
  for (Index c = 0; c < axis.proc_grid_size(); ++c)
    if (made.axis(0).count(c) != axis.count(c)) return false;
  return true;
}

std::string python_axis(const Axis& axis) {
  if (axis.dist_type() == 'b') {
    if (axis.proc_grid_size() == 1) return "*";
    if (is_default(axis)) return "b";
  }
  const Blocks blocks = *blocks_of(axis);
  return "c:" + std::to_string(blocks.length) + (blocks.first > 0 ? "@" + std::to_string(blocks.first) : "");
}

}  // namespace

std::string python_line(const std::string& name, const Distribution& to) {
  std::string axes, grid;
  for (Index i = 0; i < to.ndim(); ++i) {
    axes += (i > 0 ? "," : "") + python_axis(to.axis(i));
    grid += (i > 0 ? ", " : "") + std::to_string(to.axis(i).proc_grid_size());
  }
  return name + " = " + name + ".redistribute(\"" + axes + "\", grid=(" + grid + "))";
}

}  // namespace tridap::scalapack
