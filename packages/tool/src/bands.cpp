#include "bands.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace tridap::drawing {

namespace {

/// The first step not less than `least` that is easy to read: one that divides `unit` if there is a near one, else a
/// round number.
Index even_step(Index least, Index unit) {
  if (least <= 1) return 1;
  for (Index parts = unit / least; 2 * parts > unit / least; --parts)
    if (unit % parts == 0) return unit / parts;
  if (least > std::numeric_limits<Index>::max() / 20) return least;
  Index ten = 1;
  while (least > 10 * ten) ten *= 10;
  for (Index digit : {1, 2, 3, 4, 5, 6, 8})
    if (digit * ten >= least) return digit * ten;
  return 10 * ten;
}

Index divided_up(Index count, Index by) { return count / by + (count % by != 0); }

/// The end of the range of a regular axis that contains `first` and is owned by one coordinate.
Index border_after(const Axis& axis, Index first) {
  if (axis.proc_grid_size() == 1) return axis.size();
  const Index c = *axis.owner(first);
  const Range owned = axis.part(c, Part::owned);
  const Run run = axis.run_from(c, *axis.local_index(c, first), owned.end);
  return first + run.length;
}

/// A step that cuts a regular axis into at most `most` bands, each owned by one coordinate. Returns nullopt if there
/// are more borders than `most`.
std::optional<Index> step_within_borders(const Axis& axis, Index most) {
  std::vector<Index> stretches;
  for (Index first = 0; first < axis.size();) {
    if (static_cast<Index>(stretches.size()) == most) return std::nullopt;
    const Index border = border_after(axis, first);
    stretches.push_back(border - first);
    first = border;
  }
  const auto fits = [&](Index step) {
    Index bands = 0;  // at most 2 * `most`
    for (Index stretch : stretches) bands += divided_up(stretch, step);
    return bands <= most;
  };
  Index too_small = divided_up(axis.size(), most) - 1, step = axis.size();
  while (step - too_small > 1) {
    const Index middle = too_small + (step - too_small) / 2;
    (fits(middle) ? step : too_small) = middle;
  }
  return even_step(step, *std::max_element(stretches.begin(), stretches.end()));
}

Bands regular_bands(const Axis& axis, Index most) {
  Bands bands;
  if (axis.size() == 0) return bands;
  const std::optional<Index> within = step_within_borders(axis, most);
  bands.step = within ? *within : even_step(divided_up(axis.size(), most), 0);
  const auto [left, right] = axis.edges();
  for (Index first = 0; first < axis.size();) {
    Band band;
    const Index border = border_after(axis, first);
    band.first = first;
    band.count = std::min(bands.step, (within ? border : axis.size()) - first);
    const Index last = first + (band.count - 1);
    band.owner = *axis.owner(first);
    if (last >= border) band.ownership = Ownership::mixed;
    band.boundary = bands.step == 1 && (first < left || first >= axis.size() - right);
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
  bands.step = even_step(divided_up(distinct, most), 0);
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

/// Cuts the local indices of `range` into bands. All indices of a range are padding of the same kind, or none is
/// padding.
void cut(const Axis& axis, Index c, Range range, const Band& like, Bands& bands) {
  for (Index local = range.begin; local < range.end; local += bands.list.back().count) {
    Band band = like;
    band.local = local;
    band.count = std::min(bands.step, range.end - local);
    band.first = axis.global_index(c, local);
    band.owner = band.communication ? *axis.owner(band.first) : c;  // the padding is owned by one neighbour
    if (axis.shares_indices())
      for (Index i = 0; i < band.count; ++i) {
        const auto [begin, end] = axis.unstructured()->entries(axis.global_index(c, local + i));
        if (end - begin > 1) band.ownership = Ownership::shared;
      }
    bands.list.push_back(band);
  }
}

}  // namespace

bool has_boundary_padding(const Axis& axis) { return axis.size() > 0 && axis.has_edges(); }

Bands global_bands(const Axis& axis, Index most) {
  return axis.dist_type() == 'u' ? unstructured_bands(axis, most) : regular_bands(axis, most);
}

std::vector<Bands> local_bands(const Axis& axis, Index coordinates, Index most) {
  Index longest = 0;
  for (Index c = 0; c < coordinates; ++c) longest = std::max(longest, axis.part(c, Part::local).size());
  const Index step = even_step(divided_up(longest, most), longest);
  const auto [left, right] = axis.edges();
  Band owned, communication, boundary;
  communication.communication = boundary.boundary = true;

  std::vector<Bands> all;
  for (Index c = 0; c < coordinates; ++c) {
    const Range buffer = axis.part(c, Part::local), mine = axis.part(c, Part::owned);
    Range inner = mine;
    if (mine.size() > 0 && axis.dist_type() == 'b') {
      const Index first = axis.global_index(c, mine.begin);  // [left, size - right) is not boundary padding
      inner.begin = mine.begin + std::clamp(left - first, Index{0}, mine.size());
      inner.end = std::max(inner.begin, mine.begin + std::clamp(axis.size() - right - first, Index{0}, mine.size()));
    }
    Bands bands;
    bands.step = step;
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
  bool mixed = false, shared = view.shared();
  for (const Band& band : bands) {
    coordinates.push_back(band.owner);
    mixed = mixed || band.ownership == Ownership::mixed;
    shared = shared || band.ownership == Ownership::shared;
    cell.communication = cell.communication || band.communication;
    cell.boundary = cell.boundary || band.boundary;
  }
  cell.boundary = cell.boundary && !cell.communication;  // boundary padding is owned
  cell.process = view.process(coordinates);
  if (mixed || shared) cell.ownership = mixed ? Ownership::mixed : Ownership::shared;
  return cell;
}

std::string cell_text(const Cell& cell) {
  if (cell.ownership == Ownership::mixed) return "*";
  return std::to_string(cell.process) + (cell.ownership == Ownership::shared ? "+" : "");
}

}  // namespace tridap::drawing
