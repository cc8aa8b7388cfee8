#include "axis_parts.hpp"
#include <tridap/axis.hpp>
#include <tridap/check.hpp>

#include <new>
#include <string>

namespace tridap {

/// Makes one axis from the dimensions of all grid coordinates, or reports why that is impossible.
class AxisBuilder {
 public:
  explicit AxisBuilder(const AxisParts& parts) : parts_(parts) {}

  std::optional<Axis> build() {
    const Index before = parts_.report.errors();
    agree();
    if (parts_.report.errors() > before) return std::nullopt;
    const Dimension& any = parts_.dims.front();
    size_ = any.size;
    Axis::Kind kind = any.dist_type() == 'b' ? block_kind(parts_, size_) : any.dist_type() == 'c' ? cyclic() : listed();
    if (parts_.report.errors() > before) return std::nullopt;
    Axis axis(std::move(kind), any.periodic);
    axis.size_ = size_;
    return axis;
  }

 private:
  // Checks that each coordinate's dimension is valid alone, is in its place, and agrees with the first one.
  void agree() {
    if (parts_.dims.empty()) return parts_.add(Rule::grid_size, {}, "proc_grid_size", "0", "must be at least 1");
    const Dimension& first = parts_.dims.front();
    for (Index c = 0; c < parts_.grid(); ++c) {
      const Dimension& d = parts_.dim(c);
      Report alone;
      check_dimension(d, parts_.axis, alone, parts_.version);
      alone.set_process(c);
      if (!alone.ok()) parts_.report.merge(alone);  // check() gives its warnings
      if (d.proc_grid_rank != c)
        parts_.add(Rule::grid_rank, c, "proc_grid_rank", std::to_string(d.proc_grid_rank),
                   "must be the coordinate " + std::to_string(c));
      if (d.proc_grid_size != parts_.grid())
        parts_.add(Rule::grid_size, c, "proc_grid_size", std::to_string(d.proc_grid_size),
                   "must be the " + std::to_string(parts_.grid()) + " coordinates given");
      same(Rule::agree_dist_type, c, "dist_type", d.dist_type(), first.dist_type());
      same(Rule::agree_size, c, "size", d.size, first.size);
      same(Rule::agree_periodic, c, "periodic", d.periodic, first.periodic);
      if (d.dist_type() != first.dist_type()) continue;
      if (const auto* cyclic = std::get_if<Cyclic>(&d.dist))
        same(Rule::agree_block_size, c, "block_size", cyclic->block_size, std::get<Cyclic>(first.dist).block_size);
      if (const auto* unstructured = std::get_if<Unstructured>(&d.dist))
        same(Rule::agree_one_to_one, c, "one_to_one", unstructured->one_to_one,
             std::get<Unstructured>(first.dist).one_to_one);
    }
  }

  template <class T>
  void same(Rule rule, Index c, const char* key, T value, T first) {
    const auto say = [](T v) {
      if constexpr (std::is_same_v<T, bool>)
        return std::string(v ? "true" : "false");
      else if constexpr (std::is_same_v<T, char>)
        return "'" + std::string(1, v) + "'";
      else
        return std::to_string(v);
    };
    if (value != first)
      parts_.add(rule, c, key, say(value) + " at coordinate " + std::to_string(c),
                 "but at coordinate 0 it is " + say(first));
  }

  // All `start`s must follow from one coordinate `first` [cyclic.start].
  Axis::Kind cyclic() {
    const Index block_size = std::get<Cyclic>(parts_.dims.front().dist).block_size;
    const Index first = most_frequent_first(block_size);
    const CyclicKind kind(size_, parts_.grid(), block_size, first);
    Index fitting = 0;
    const auto fits = [&](Index c) {
      const Index start = std::get<Cyclic>(parts_.dim(c).dist).start, expected = kind.start(c);
      return expected < size_ ? start == expected : start >= size_;
    };
    for (Index c = 0; c < parts_.grid(); ++c) fitting += fits(c) ? 1 : 0;
    for (Index c = 0; c < parts_.grid(); ++c) {
      if (fits(c)) continue;
      const Index start = std::get<Cyclic>(parts_.dim(c).dist).start, expected = kind.start(c);
      parts_.add(Rule::cyclic_start, c, "start", std::to_string(start) + " at coordinate " + std::to_string(c),
                 "must be " + (expected < size_ ? std::to_string(expected) : "at least size " + std::to_string(size_)) +
                     " if coordinate " + std::to_string(first) + " has the first block" +
                     (fitting > 0 ? ", as " + std::to_string(fitting) + " of " + std::to_string(parts_.grid()) +
                                        " coordinates say"
                                  : ""));
    }
    return kind;
  }

  // The coordinate that has the first block if the `start` of most coordinates is right; of several, the one that the
  // lowest coordinate says.
  Index most_frequent_first(Index block_size) const {
    std::vector<Index> said(place(parts_.grid()), 0);  // by coordinate: how often it has the first block
    std::optional<Index> best;
    for (Index c = 0; c < parts_.grid(); ++c) {
      const Index start = std::get<Cyclic>(parts_.dim(c).dist).start;
      if (start < size_) ++said[place((c - start / block_size + parts_.grid()) % parts_.grid())];
    }
    for (Index c = 0; c < parts_.grid(); ++c) {
      const Index start = std::get<Cyclic>(parts_.dim(c).dist).start;
      if (start >= size_) continue;
      const Index first = (c - start / block_size + parts_.grid()) % parts_.grid();
      if (!best || said[place(first)] > said[place(*best)]) best = first;
    }
    return best.value_or(0);
  }

  Axis::Kind listed() {
    std::vector<std::vector<Index>> lists;
    for (const Dimension& d : parts_.dims) {
      auto list = read_indices(std::get<Unstructured>(d.dist).indices);
      if (!list) throw std::bad_alloc();  // they have been read before
      lists.push_back(std::move(*list));
    }
    UnstructuredKind kind(std::move(lists), std::get<Unstructured>(parts_.dims.front().dist).one_to_one);
    const auto& entries = kind.entries();
    for (std::size_t i = 1; kind.one_to_one() && i < entries.size(); ++i) {
      if (entries[i].global != entries[i - 1].global) continue;
      const Index c = entries[i].place.coordinate;
      parts_.add(Rule::unstructured_one_to_one, c, "indices",
                 "listing " + std::to_string(entries[i].global) + " at coordinates " +
                     std::to_string(entries[i - 1].place.coordinate) + " and " + std::to_string(c),
                 "but 'one_to_one' is true");
    }
    if (size_ != kind.total()) {
      const bool distinct = kind.shares_indices() && size_ == kind.distinct();
      parts_.add(distinct ? Rule::unstructured_distinct : Rule::unstructured_size, {}, "size", std::to_string(size_),
                 "but the coordinates list " + std::to_string(kind.total()) + " indices, " +
                     std::to_string(kind.distinct()) + " of them distinct");
    }
    return kind;
  }

  static std::size_t place(Index i) { return static_cast<std::size_t>(i); }

  AxisParts parts_;
  Index size_ = 0;
};

std::optional<Axis> Axis::make(const std::vector<Dimension>& of_each_coordinate, Index axis, Report& report,
                               Version version) {
  return make_axis_in_buffers(of_each_coordinate, {}, axis, report, version);
}

std::optional<Axis> make_axis_in_buffers(const std::vector<Dimension>& of_each_coordinate, const Extents& extents,
                                         Index axis, Report& report, Version version) {
  return AxisBuilder({of_each_coordinate, extents, axis, version, report}).build();
}

}  // namespace tridap
