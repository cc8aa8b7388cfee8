#include "form.hpp"

#include <tridap/compare.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/globalarrays/import.hpp>
#include <tridap/internal/placement.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace tridap::globalarrays {

namespace {

using redistribute::PlacedDistribution;

constexpr Index most_axes = 7;                // GA_MAX_DIM, which the Fortran interface has
constexpr Index most_tiles = Index{1} << 26;  // along an axis: a list of 512 MiB

[[noreturn]] void refuse_key(Index axis, std::string key, std::string value, std::string must, std::string remedy) {
  throw Error(
      Finding{Rule::conversion, {}, axis, std::move(key), std::move(value), std::move(must), std::move(remedy)});
}

// One axis as GA may have it: in ranges, or cyclic, or either of them.
struct AxisForm {
  Index size = 0;             // GA's extent
  std::vector<Index> bounds;  // of the ranges; empty: the axis is cyclic and not block
  Index block_size = 0;       // if cyclic from coordinate 0, with at least one block for each coordinate; 0: it is not
  Index width = 0, shift = 0;

  bool in_ranges() const { return !bounds.empty(); }
  bool is_dealt() const { return block_size > 0; }
  Index grid() const { return static_cast<Index>(bounds.size()) - 1; }
  Index count(Index c) const { return bounds[static_cast<std::size_t>(c) + 1] - bounds[static_cast<std::size_t>(c)]; }
  bool has_empty_share() const { return std::adjacent_find(bounds.begin(), bounds.end()) != bounds.end(); }
};

// The width of GA's ghost cells that the padding requires, and whether the array's periodic padding at the edges
// becomes ghost cells, too.
AxisForm padded(const BlockKind& block, bool periodic, Index axis) {
  const std::string remedy = "use the same padding on both sides of every border, or no padding";
  AxisForm form;
  const Index grid = block.grid();
  const auto [lower, upper] = block.edges();
  form.width = grid > 1 ? block.communication(0)[1] : periodic && lower == upper ? lower : 0;
  for (Index c = 0; c + 1 < grid; ++c) {
    const Index right = block.communication(c)[1];  // equal to the left padding of the next coordinate
    if (right != form.width)
      refuse_key(axis, "padding", std::to_string(right) + " on grid coordinate " + std::to_string(c),
                 "must be " + std::to_string(form.width) +
                     " as elsewhere: GA's ghost cells have one width on both sides of every border",
                 remedy);
  }
  if (!periodic || (lower == 0 && upper == 0)) return form;
  if (lower != form.width || upper != form.width)
    refuse_key(axis, "padding", std::to_string(lower) + " and " + std::to_string(upper) + " at the edges",
               "must be " + std::to_string(form.width) +
                   " as between the processes: GA's ghost cells have one width everywhere",
               remedy);
  form.shift = form.width;  // the period that remains is at least as long: see [block.periodic]
  return form;
}

AxisForm in_ranges(const Axis& axis, const BlockKind& block, Index number) {
  AxisForm form;
  if (block.is_padded()) form = padded(block, axis.periodic(), number);
  form.size = block.size() - 2 * form.shift;
  for (Index c = 0; c <= block.grid(); ++c)
    form.bounds.push_back(std::clamp<Index>(block.begin(c) - form.shift, 0, form.size));
  const Index length = form.bounds[1];  // the block length, if it is cyclic with one block for each coordinate
  bool dealt = length > 0;
  for (Index c = 1; c < block.grid() && dealt; ++c)
    dealt = checked_multiply(c, length) == form.bounds[static_cast<std::size_t>(c)];
  if (dealt && !form.has_empty_share() && form.size - form.bounds[form.bounds.size() - 2] <= length)
    form.block_size = length;
  return form;
}

AxisForm one_axis(const Axis& given, Index number) {
  const Axis axis = simplest(given);
  if (const auto* block = axis.block()) return in_ranges(axis, *block, number);
  if (const auto* cyclic = axis.cyclic()) {
    if (cyclic->first() != 0)
      refuse_key(number, "start", std::to_string(cyclic->start(0)) + " on grid coordinate 0",
                 "must be 0: GA distributes blocks from its first process on", "begin at the first coordinate");
    AxisForm form;  // every coordinate has a block, or simplest() would return a simpler axis
    form.size = cyclic->size();
    form.block_size = cyclic->block_size();
    return form;
  }
  refuse_key(number, "dist_type", given.shares_indices() ? "u, with indices on several processes" : "u",
             "must be b or c: GA has no lists of indices", "redistribute it to block or cyclic");
}

Form common_form(const std::vector<AxisForm>& axes, const std::vector<Index>& grid) {
  Form form;
  for (const AxisForm& axis : axes) {
    form.dims.push_back(axis.size);
    form.widths.push_back(axis.width);
    form.shift.push_back(axis.shift);
    form.has_ghosts = form.has_ghosts || axis.width > 0;
  }
  form.grid = grid;
  return form;
}

// The ranks of the blocks with elements, row-major.
std::vector<int> owners_of(const PlacedDistribution& placed, const std::vector<AxisForm>& axes) {
  std::vector<int> owners;
  for (Index process = 0; process < placed.distribution().processes(); ++process) {
    const Indices coordinates = placed.distribution().coordinates(process);
    bool owns = true;
    for (std::size_t i = 0; i < axes.size(); ++i) owns = owns && axes[i].count(coordinates[i]) > 0;
    if (owns) owners.push_back(static_cast<int>(placed.rank(process)));
  }
  return owners;
}

// GA's ghost cells need every process, each with the part of its rank.
void check_ghosts(const std::vector<int>& owners, bool ordered, Index processes, bool leading) {
  const Index idle = processes - static_cast<Index>(owners.size());
  if (idle != 0)
    refuse("the array is padded, and " + std::to_string(idle) + " of " + std::to_string(processes) +
               " processes own nothing: GA's ghost cells need them all",
           "", "distribute it over all processes, or use no padding");
  if (!leading)
    refuse(
        "the array is padded, and its group leaves out one of GA's first processes: GA has ghost cells only "
        "on its first processes",
        "", "make a group of GA's first processes, or use no padding");
  if (!ordered)
    refuse(
        "the array is padded, and the order of its processes differs from GA's, so that ghost cells would be "
        "filled from the wrong processes",
        "", "place part r on the process of rank r, or use no padding");
}

Form irregular(const PlacedDistribution& placed, const std::vector<AxisForm>& axes, Index processes, bool leading) {
  Form form = common_form(axes, {});
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const AxisForm& axis = axes[i];
    Index smallest = axis.size, kept = 0;
    for (Index c = 0; c < axis.grid(); ++c) {
      smallest = std::min(smallest, axis.count(c));
      if (axis.count(c) == 0) continue;
      ++kept;
      form.map.push_back(axis.bounds[static_cast<std::size_t>(c)]);
    }
    form.grid.push_back(kept);
    if (axis.width > smallest)
      refuse_key(static_cast<Index>(i), "padding", std::to_string(axis.width),
                 "must be at most the " + std::to_string(smallest) + " elements of the smallest block",
                 "distribute it over fewer processes, or use less padding");
  }
  form.blocks = form.grid;
  form.owners = owners_of(placed, axes);
  bool ordered = true;
  for (std::size_t r = 0; r < form.owners.size(); ++r) ordered = ordered && form.owners[r] == static_cast<int>(r);
  if (form.has_ghosts) check_ghosts(form.owners, ordered, processes, leading);
  if (ordered) form.owners.clear();
  return form;
}

// What both cyclic forms require.
void check_dealt(const PlacedDistribution& placed, Index processes, bool leading) {
  if (placed.distribution().processes() != processes)
    refuse("the array is cyclic on " + std::to_string(placed.distribution().processes()) + " of " +
               std::to_string(processes) + " processes, and GA distributes blocks to all of them",
           "", "distribute it over all processes");
  if (!placed.ranks().empty())
    refuse("the array is cyclic, and the order of its processes differs from GA's", "",
           "place part r on the process of rank r");
  if (!leading)
    refuse("the array is cyclic, and its group leaves out one of GA's first processes", "",
           "make a group of GA's first processes");
}

// GA counts blocks with an int, and reports no error if there are more.
void check_blocks(const std::vector<AxisForm>& axes) {
  std::optional<Index> blocks = 1;
  for (const AxisForm& axis : axes)
    if (blocks)
      blocks = checked_multiply(*blocks, axis.is_dealt() ? (axis.size - 1) / axis.block_size + 1 : axis.grid());
  if (blocks && *blocks <= std::numeric_limits<int>::max()) return;
  refuse("the array is cyclic in more blocks than the 2147483647 that Global Arrays can count", "",
         "use longer blocks");
}

Form cyclic_form(const PlacedDistribution& placed, const std::vector<AxisForm>& axes) {
  Form form = common_form(axes, placed.distribution().proc_grid_shape());
  form.kind = Form::Kind::cyclic;
  for (const AxisForm& axis : axes) form.blocks.push_back(axis.block_size);
  return form;
}

Form tiled_form(const PlacedDistribution& placed, const std::vector<AxisForm>& axes) {
  Form form = common_form(axes, placed.distribution().proc_grid_shape());
  form.kind = Form::Kind::tiled;
  for (Index start = 0; start < axes[0].size; start += axes[0].block_size) form.map.push_back(start);
  form.blocks.push_back(static_cast<Index>(form.map.size()));
  for (std::size_t i = 1; i < axes.size(); ++i) {
    form.map.insert(form.map.end(), axes[i].bounds.begin(), axes[i].bounds.end() - 1);
    form.blocks.push_back(axes[i].grid());
  }
  return form;
}

Form dealt(const PlacedDistribution& placed, const std::vector<AxisForm>& axes, Index processes, bool leading) {
  check_dealt(placed, processes, leading);
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i].width > 0)
      refuse_key(static_cast<Index>(i), "padding", std::to_string(axes[i].width),
                 "must be 0 if another axis is cyclic: GA has no ghost cells there", "use no padding");
  check_blocks(axes);
  if (std::all_of(axes.begin(), axes.end(), [](const AxisForm& axis) { return axis.is_dealt(); }))
    return cyclic_form(placed, axes);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto number = static_cast<Index>(i);
    if (i > 0 && !axes[i].in_ranges())
      refuse_key(number, "dist_type", "c",
                 "must be b if another axis has uneven blocks: beside those, GA has a cyclic axis 0 only",
                 "make the other axes' blocks even, or this axis a block");
    if (axes[i].in_ranges() && axes[i].has_empty_share())
      refuse_key(number, "stop", "its start on one grid coordinate",
                 "must be more if another axis is cyclic: GA distributes blocks to all processes",
                 "give every process along the axis an element");
  }
  const Index tiles = (axes[0].size - 1) / axes[0].block_size + 1;
  if (tiles > most_tiles)
    refuse_key(Index{0}, "block_size", std::to_string(axes[0].block_size),
               "must be long enough for at most " + std::to_string(most_tiles) +
                   " blocks if another axis has uneven ones: GA lists all of them on every process",
               "use longer blocks, or even ones on the other axes");
  return tiled_form(placed, axes);
}

void check_bytes(const PlacedDistribution& placed, const std::vector<AxisForm>& axes, const ElementType& type) {
  std::optional<Index> bytes = type.bytes, elements = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Index longest = 0;
    const Axis& axis = placed.distribution().axis(static_cast<Index>(i));
    for (Index c = 0; c < axis.proc_grid_size(); ++c) longest = std::max(longest, axis.count(c));
    if (bytes) bytes = checked_multiply(*bytes, longest + 2 * axes[i].width);
    if (elements) elements = checked_multiply(*elements, axes[i].size);
  }
  if (bytes && elements) return;
  refuse("the number of elements, or of bytes of a part, does not fit 64 bits", "", "use a smaller array");
}

// What does not depend on the distribution of the axes.
void check_shape(const PlacedDistribution& placed, const ElementType& type, Index processes) {
  const Index ndim = placed.distribution().ndim();
  if (ndim < 1 || ndim > most_axes)
    refuse("the array has " + std::to_string(ndim) + " axes, and Global Arrays holds 1 to 7", "",
           ndim < 1 ? "give it an axis of one element" : "combine several axes into one");
  if (type.bytes < 1)
    refuse("an element has " + std::to_string(type.bytes) + " bytes, and Global Arrays' have 1 or more", "",
           "give an element type with its length");
  for (Index i = 0; i < ndim; ++i)
    if (placed.distribution().axis(i).size() < 1)
      refuse_key(i, "size", std::to_string(placed.distribution().axis(i).size()), "must be at least 1",
                 "do not create an empty array");
  redistribute::need_ranks(placed, processes, "the array");
}

}  // namespace

void check_hope(const PlacedDistribution& placed, const ElementType& type, Index processes) {
  check_shape(placed, type, processes);
  for (Index i = 0; i < placed.distribution().ndim(); ++i) {
    const auto* lists = placed.distribution().axis(i).unstructured();
    if (lists == nullptr) continue;
    const Index last = placed.distribution().axis(i).size() - 1;
    const auto& entries = lists->entries();
    if (lists->shares_indices() || entries.front().global != 0 || entries.back().global != last)
      refuse_key(i, "indices", std::to_string(entries.front().global) + " to " + std::to_string(entries.back().global),
                 "must be 0 to " + std::to_string(last) + ", each once, as in GA", "number the elements without gaps");
  }
}

Form form_of(const PlacedDistribution& placed, const ElementType& type, Index processes, bool leading) {
  check_shape(placed, type, processes);
  std::vector<AxisForm> axes;
  for (Index i = 0; i < placed.distribution().ndim(); ++i) axes.push_back(one_axis(placed.distribution().axis(i), i));
  check_bytes(placed, axes, type);
  const bool ranges = std::all_of(axes.begin(), axes.end(), [](const AxisForm& axis) { return axis.in_ranges(); });
  return ranges ? irregular(placed, axes, processes, leading) : dealt(placed, axes, processes, leading);
}

std::optional<Finding> why_not(const PlacedDistribution& placed, const ElementType& type, Index processes,
                               bool leading) {
  try {
    form_of(placed, type, processes, leading);
  } catch (const Error& error) {
    return error.report().findings().front();
  }
  return std::nullopt;
}

Extent extent(const PlacedDistribution& placed, const Form& form, Index process) {
  const Distribution& distribution = placed.distribution();
  const Indices coordinates = distribution.coordinates(process);
  Extent extent;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const auto a = static_cast<std::size_t>(i);
    const Axis& axis = distribution.axis(i);
    const Index held = axis.part(coordinates[a], tridap::Part::local).size();
    const Index width = form.widths[a];
    Index before = 0, after = 0;  // ghost cells at the outer edges that the array does not have
    if (form.shift[a] == 0) {
      before = coordinates[a] == 0 ? width : 0;
      after = coordinates[a] == axis.proc_grid_size() - 1 ? width : 0;
    }
    extent.shape.push_back(before + held + after);
    extent.box.push_back({before, before + held});
  }
  return extent;
}

}  // namespace tridap::globalarrays
