#include "bands.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace dap::drawing {

namespace {

/// The narrowest bands that cut `count` elements into at most `most`: a divisor of `unit`, the elements that belong
/// together, where one is near, so that no band lies across a border; else a round number.
Index step_for(Index count, Index most, Index unit) {
  const Index least = count / most + (count % most != 0);
  if (least <= 1) return 1;
  if (unit >= least)
    for (Index parts = unit / least; 2 * parts > unit / least; --parts)
      if (unit % parts == 0) return unit / parts;
  if (least > std::numeric_limits<Index>::max() / 20) return least;
  Index ten = 1;
  while (least > 10 * ten) ten *= 10;
  for (Index digit : {1, 2, 3, 4, 5, 6, 8})
    if (digit * ten >= least) return digit * ten;
  return 10 * ten;
}

/// The elements that belong together: the block of a cyclic axis, the first share of a block axis.
Index unit_of(const Axis& axis) {
  if (axis.dist_type() == 'b') return axis.count(0);
  if (axis.dist_type() == 'u') return 1;
  return std::get<Cyclic>(axis.dimension(0).dist).block_size;
}

/// Widths of the boundary padding at both ends.
std::array<Index, 2> edges(const Axis& axis) {
  if (axis.dist_type() != 'b') return {0, 0};
  const Index last = axis.proc_grid_size() - 1;
  const std::array<Index, 2> none = {0, 0};
  return {std::get<Block>(axis.dimension(0).dist).padding.value_or(none)[0],
          std::get<Block>(axis.dimension(last).dist).padding.value_or(none)[1]};
}

/// True where no border between two coordinates lies in [first, last] of a regular axis.
bool one_owner(const Axis& axis, Index first, Index last) {
  if (axis.proc_grid_size() == 1) return true;
  if (axis.dist_type() == 'b') return axis.owner(first) == axis.owner(last);
  const Index block = std::get<Cyclic>(axis.dimension(0).dist).block_size;
  return first / block == last / block;
}

Bands regular_bands(const Axis& axis, Index most) {
  Bands bands;
  bands.step = step_for(axis.size(), most, unit_of(axis));
  const auto [left, right] = edges(axis);
  for (Index first = 0; first < axis.size();) {
    Band band;
    band.first = first;
    band.count = std::min(bands.step, axis.size() - first);
    const Index last = first + (band.count - 1);
    band.owner = *axis.owner(first);
    if (!one_owner(axis, first, last)) band.ownership = Ownership::mixed;
    band.boundary = last < left || first >= axis.size() - right;
    bands.list.push_back(band);
    first += band.count;
  }
  return bands;
}

Bands unstructured_bands(const Axis& axis, Index most) {
  std::vector<std::pair<Index, Index>> held;  // global index, coordinate
  for (Index c = 0; c < axis.proc_grid_size(); ++c)
    for (Index local = 0; local < axis.count(c); ++local) held.emplace_back(axis.global_index(c, local), c);
  std::sort(held.begin(), held.end());
  Index distinct = 0;
  for (std::size_t i = 0; i < held.size(); ++i) distinct += i == 0 || held[i].first != held[i - 1].first;

  Bands bands;
  bands.step = step_for(distinct, most, 1);
  for (std::size_t i = 0; i < held.size(); ++i) {
    const auto [global, coordinate] = held[i];
    const bool again = i > 0 && global == held[i - 1].first;
    if (!again && (bands.list.empty() || bands.list.back().count == bands.step)) {
      Band band;
      band.first = global;
      band.owner = coordinate;
      bands.list.push_back(band);
      continue;
    }
    Band& band = bands.list.back();
    if (!again) ++band.count;
    if (coordinate != band.owner) band.ownership = Ownership::mixed;
  }
  for (Band& band : bands.list)
    if (band.count == 1 && band.ownership == Ownership::mixed) band.ownership = Ownership::shared;
  return bands;
}

/// Cuts the local indices of `range` into bands; those of one range are padding of one kind, or none.
void cut(const Axis& axis, Index c, Range range, const Band& like, Bands& bands) {
  for (Index local = range.begin; local < range.end; local += bands.list.back().count) {
    Band band = like;
    band.local = local;
    band.count = std::min(bands.step, range.end - local);
    band.first = axis.global_index(c, local);
    band.owner = band.communication ? *axis.owner(band.first) : c;  // a neighbour owns at least what pads with it
    bands.list.push_back(band);
  }
}

}  // namespace

bool has_boundary_padding(const Axis& axis) { return axis.size() > 0 && edges(axis) != std::array<Index, 2>{0, 0}; }

Bands global_bands(const Axis& axis, Index most) {
  return axis.dist_type() == 'u' ? unstructured_bands(axis, most) : regular_bands(axis, most);
}

std::vector<Bands> local_bands(const Axis& axis, Index coordinates, Index most) {
  Index longest = 0;
  for (Index c = 0; c < coordinates; ++c) longest = std::max(longest, axis.part(c, Part::local).size());
  const auto [left, right] = edges(axis);
  Band owned, communication, boundary;
  communication.communication = boundary.boundary = true;

  std::vector<Bands> all;
  for (Index c = 0; c < coordinates; ++c) {
    const Range buffer = axis.part(c, Part::local), mine = axis.part(c, Part::owned);
    Range inner = mine;
    if (mine.size() > 0) {
      const Index first = axis.global_index(c, mine.begin);  // [left, size - right) is not boundary
      inner.begin = mine.begin + std::clamp(left - first, Index{0}, mine.size());
      inner.end = std::max(inner.begin, mine.begin + std::clamp(axis.size() - right - first, Index{0}, mine.size()));
    }
    Bands bands;
    bands.step = step_for(longest, most, unit_of(axis));
    cut(axis, c, {buffer.begin, mine.begin}, communication, bands);
    cut(axis, c, {mine.begin, inner.begin}, boundary, bands);
    cut(axis, c, inner, owned, bands);
    cut(axis, c, {inner.end, mine.end}, boundary, bands);
    cut(axis, c, {mine.end, buffer.end}, communication, bands);
    all.push_back(std::move(bands));
  }
  return all;
}

Cell cell_of(const View& view, const std::vector<Band>& bands) {
  Cell cell;
  Indices coordinates;
  bool mixed = false, shared = view.shared(), several = false;
  for (const Band& band : bands) {
    coordinates.push_back(band.owner);
    mixed = mixed || band.ownership == Ownership::mixed;
    shared = shared || band.ownership == Ownership::shared;
    several = several || band.count > 1;
    cell.communication = cell.communication || band.communication;
    cell.boundary = cell.boundary || band.boundary;
  }
  cell.boundary = cell.boundary && !cell.communication;  // who does not own it has no boundary
  cell.process = view.process(coordinates);
  if (mixed || shared) cell.ownership = mixed || several ? Ownership::mixed : Ownership::shared;
  return cell;
}

std::string cell_text(const Cell& cell) {
  if (cell.ownership == Ownership::mixed) return "*";
  return std::to_string(cell.process) + (cell.ownership == Ownership::shared ? "+" : "");
}

}  // namespace dap::drawing
