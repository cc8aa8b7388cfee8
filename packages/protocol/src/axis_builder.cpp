#include "axis_parts.hpp"
#include <tridap/axis.hpp>
#include <tridap/check.hpp>
#include <tridap/internal/spread_lists.hpp>

#include <new>
#include <string>

namespace tridap {

namespace {

template <class T>
void same(const AxisParts& parts, Rule rule, Index c, const char* key, T value, T first) {
  const auto say = [](T v) {
    if constexpr (std::is_same_v<T, bool>)
      return std::string(v ? "true" : "false");
    else if constexpr (std::is_same_v<T, char>)
      return "'" + std::string(1, v) + "'";
    else
      return std::to_string(v);
  };
  if (value != first)
    parts.add(rule, c, key, say(value) + " at coordinate " + std::to_string(c),
              "but at coordinate 0 it is " + say(first));
}

// Checks that each coordinate's dimension is valid alone, is in its place, and agrees with the first one.
void agree(const AxisParts& parts) {
  if (parts.dims.empty()) return parts.add(Rule::grid_size, {}, "proc_grid_size", "0", "must be at least 1");
  const Dimension& first = parts.dims.front();
  for (Index c = 0; c < parts.grid(); ++c) {
    const Dimension& d = parts.dim(c);
    Report alone;
    check_dimension(d, parts.axis, alone, parts.version);
    alone.set_process(c);
    if (!alone.ok()) parts.report.merge(alone);  // check() gives its warnings
    if (d.proc_grid_rank != c)
      parts.add(Rule::grid_rank, c, "proc_grid_rank", std::to_string(d.proc_grid_rank),
                "must be the coordinate " + std::to_string(c));
    if (d.proc_grid_size != parts.grid())
      parts.add(Rule::grid_size, c, "proc_grid_size", std::to_string(d.proc_grid_size),
                "must be the " + std::to_string(parts.grid()) + " coordinates given");
    same(parts, Rule::agree_dist_type, c, "dist_type", d.dist_type(), first.dist_type());
    same(parts, Rule::agree_size, c, "size", d.size, first.size);
    same(parts, Rule::agree_periodic, c, "periodic", d.periodic, first.periodic);
    if (d.dist_type() != first.dist_type()) continue;
    if (const auto* cyclic = std::get_if<Cyclic>(&d.dist))
      same(parts, Rule::agree_block_size, c, "block_size", cyclic->block_size, std::get<Cyclic>(first.dist).block_size);
    if (const auto* unstructured = std::get_if<Unstructured>(&d.dist))
      same(parts, Rule::agree_one_to_one, c, "one_to_one", unstructured->one_to_one,
           std::get<Unstructured>(first.dist).one_to_one);
  }
}

// The coordinate that has the first block if the `start` of most coordinates is right; of several, the one that the
// lowest coordinate says.
Index most_frequent_first(const AxisParts& parts, Index size, Index block_size) {
  std::vector<Index> said(AxisParts::place(parts.grid()), 0);  // by coordinate: how often it has the first block
  std::optional<Index> best;
  for (Index c = 0; c < parts.grid(); ++c) {
    const Index start = std::get<Cyclic>(parts.dim(c).dist).start;
    if (start < size) ++said[AxisParts::place((c - start / block_size + parts.grid()) % parts.grid())];
  }
  for (Index c = 0; c < parts.grid(); ++c) {
    const Index start = std::get<Cyclic>(parts.dim(c).dist).start;
    if (start >= size) continue;
    const Index first = (c - start / block_size + parts.grid()) % parts.grid();
    if (!best || said[AxisParts::place(first)] > said[AxisParts::place(*best)]) best = first;
  }
  return best.value_or(0);
}

// All `start`s must follow from one coordinate `first` [cyclic.start].
CyclicKind cyclic_kind(const AxisParts& parts, Index size) {
  const Index block_size = std::get<Cyclic>(parts.dims.front().dist).block_size;
  const Index first = most_frequent_first(parts, size, block_size);
  const CyclicKind kind(size, parts.grid(), block_size, first);
  Index fitting = 0;
  const auto fits = [&](Index c) {
    const Index start = std::get<Cyclic>(parts.dim(c).dist).start, expected = kind.start(c);
    return expected < size ? start == expected : start >= size;
  };
  for (Index c = 0; c < parts.grid(); ++c) fitting += fits(c) ? 1 : 0;
  for (Index c = 0; c < parts.grid(); ++c) {
    if (fits(c)) continue;
    const Index start = std::get<Cyclic>(parts.dim(c).dist).start, expected = kind.start(c);
    parts.add(Rule::cyclic_start, c, "start", std::to_string(start) + " at coordinate " + std::to_string(c),
              "must be " + (expected < size ? std::to_string(expected) : "at least size " + std::to_string(size)) +
                  " if coordinate " + std::to_string(first) + " has the first block" +
                  (fitting > 0
                       ? ", as " + std::to_string(fitting) + " of " + std::to_string(parts.grid()) + " coordinates say"
                       : ""));
  }
  return kind;
}

UnstructuredKind unstructured_kind(const AxisParts& parts, Index size) {
  std::vector<std::vector<Index>> lists;
  for (const Dimension& d : parts.dims) {
    auto list = read_indices(std::get<Unstructured>(d.dist).indices);
    if (!list) throw std::bad_alloc();  // they have been read before
    lists.push_back(std::move(*list));
  }
  UnstructuredKind kind(std::move(lists), std::get<Unstructured>(parts.dims.front().dist).one_to_one);
  const auto& entries = kind.entries();
  for (std::size_t i = 1; kind.one_to_one() && i < entries.size(); ++i) {
    if (entries[i].global != entries[i - 1].global) continue;
    const Index c = entries[i].place.coordinate;
    parts.add(Rule::unstructured_one_to_one, c, "indices",
              "listing " + std::to_string(entries[i].global) + " at coordinates " +
                  std::to_string(entries[i - 1].place.coordinate) + " and " + std::to_string(c),
              "but 'one_to_one' is true");
  }
  if (size != kind.total()) {
    const bool distinct = kind.shares_indices() && size == kind.distinct();
    parts.add(distinct ? Rule::unstructured_distinct : Rule::unstructured_size, {}, "size", std::to_string(size),
              "but the coordinates list " + std::to_string(kind.total()) + " indices, " +
                  std::to_string(kind.distinct()) + " of them distinct");
  }
  return kind;
}

}  // namespace

/// Makes one axis from the dimensions of all grid coordinates, or reports why that is impossible.
class AxisBuilder {
 public:
  static std::optional<Axis> build(const AxisParts& parts) {
    const Index before = parts.report.errors();
    agree(parts);
    if (parts.report.errors() > before) return std::nullopt;
    const Dimension& any = parts.dims.front();
    Index size = any.size;
    std::optional<Axis::Kind> kind;
    if (any.dist_type() == 'b')
      kind = block_kind(parts, size);
    else if (any.dist_type() == 'c')
      kind = cyclic_kind(parts, size);
    else
      kind = unstructured_kind(parts, size);
    if (parts.report.errors() > before) return std::nullopt;
    return of_size(std::move(*kind), size, any.periodic);
  }
  static Axis of_size(Axis::Kind kind, Index size, bool periodic) {
    Axis axis(std::move(kind), periodic);
    axis.size_ = size;
    return axis;
  }
};

Axis listed_axis(UnstructuredKind kind, Index size, bool periodic) {
  return AxisBuilder::of_size(std::move(kind), size, periodic);
}

std::optional<Axis> Axis::make(const std::vector<Dimension>& of_each_coordinate, Index axis, Report& report,
                               Version version) {
  return make_axis_in_buffers(of_each_coordinate, {}, axis, report, version);
}

std::optional<Axis> make_axis_in_buffers(const std::vector<Dimension>& of_each_coordinate, const Extents& extents,
                                         Index axis, Report& report, Version version) {
  return AxisBuilder::build({of_each_coordinate, extents, axis, version, report});
}

}  // namespace tridap
