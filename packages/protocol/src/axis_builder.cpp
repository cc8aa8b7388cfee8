#include "block_borders.hpp"
#include "checking.hpp"
#include <tridap/axis.hpp>
#include <tridap/check.hpp>

#include <algorithm>
#include <new>
#include <string>

namespace tridap {

/// Makes one axis from the dimensions of all grid coordinates, or reports why that is impossible.
class AxisBuilder {
 public:
  AxisBuilder(const std::vector<Dimension>& dimensions, Index axis, Report& report, Version version,
              const Extents& extents)
      : dims_(dimensions), axis_number_(axis), report_(report), version_(version), extents_(extents) {}

  std::optional<Axis> build() {
    before_ = report_.errors();
    agree();
    if (wrong()) return std::nullopt;
    const Dimension& any = dims_.front();
    grid_ = any.proc_grid_size;
    size_ = any.size;
    periodic_ = any.periodic;
    std::optional<Axis::Kind> kind = any.dist_type() == 'b' ? block() : any.dist_type() == 'c' ? cyclic() : listed();
    if (wrong()) return std::nullopt;
    Axis axis(std::move(*kind), periodic_);
    axis.size_ = size_;
    return axis;
  }

 private:
  // Checks that each coordinate's dimension is valid alone, is in its place, and agrees with the first one.
  void agree() {
    if (dims_.empty()) return add(Rule::grid_size, {}, "proc_grid_size", "0", "must be at least 1");
    const Dimension& first = dims_.front();
    for (Index c = 0; c < static_cast<Index>(dims_.size()); ++c) {
      const Dimension& d = dim(c);
      Report alone;
      check_dimension(d, axis_number_, alone, version_);
      alone.set_process(c);
      if (!alone.ok()) report_.merge(alone);  // check() gives its warnings
      if (d.proc_grid_rank != c)
        add(Rule::grid_rank, c, "proc_grid_rank", std::to_string(d.proc_grid_rank),
            "must be the coordinate " + std::to_string(c));
      if (d.proc_grid_size != static_cast<Index>(dims_.size()))
        add(Rule::grid_size, c, "proc_grid_size", std::to_string(d.proc_grid_size),
            "must be the " + std::to_string(static_cast<Index>(dims_.size())) + " coordinates given");
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
      add(rule, c, key, say(value) + " at coordinate " + std::to_string(c), "but at coordinate 0 it is " + say(first));
  }

  Axis::Kind block() {
    const auto padded = [](const Dimension& d) { return std::get<Block>(d.dist).padding.has_value(); };
    const bool some = std::any_of(dims_.begin(), dims_.end(), padded);
    if (version_ == Version::v0_9 && some) everywhere();
    for (const Dimension& d : dims_)
      widths_.push_back(std::get<Block>(d.dist).padding.value_or(std::array<Index, 2>{0, 0}));

    for (const Dimension& d : dims_) {
      const std::size_t c = blocks_.size();
      blocks_.push_back(stated_block(d, c < extents_.size() ? extents_[c] : std::nullopt, version_));
    }
    for (Finding& finding : unmet_borders(blocks_, size_, axis_number_, version_)) report_.add(std::move(finding));
    Index cursor = 0;  // where the ranges so far end
    for (const StatedBlock& stated : blocks_) {
      const bool empty = stated.begin == stated.end;  // [block.bounds]: in its order, or at `size`
      bounds_.push_back(empty ? cursor : stated.begin);
      if (!empty) cursor = stated.end;
    }
    bounds_.push_back(cursor);
    if (some) padding();
    if (some && version_ == Version::v0_9 && periodic_) count_the_edges();
    if (wrong()) return BlockKind(0, 1, 0);
    if (!some) return BlockKind(std::move(bounds_));
    return BlockKind(std::move(bounds_)).padded(std::move(widths_), periodic_);
  }

  void everywhere() {
    for (Index c = 0; c < grid_; ++c)
      if (!std::get<Block>(dim(c).dist).padding)
        add(Rule::block_padding_everywhere, c, "padding", "absent at coordinate " + std::to_string(c),
            "but present at other coordinates");
  }

  void padding() {
    const bool wraps = version_ == Version::v0_9 && periodic_;
    for (Index c = 0; c + (wraps ? 0 : 1) < grid_; ++c) {
      const Index next = (c + 1) % grid_, right = widths_[at(c)][1], left = widths_[at(next)][0];
      const std::string where = " between coordinates " + std::to_string(c) + " and " + std::to_string(next);
      if (right != left)
        differ(c, next);
      else if (right > count(c) || left > count(next))
        add(Rule::block_padding_owned, c, "padding", std::to_string(right) + where,
            "but these own " + std::to_string(count(c)) + " and " + std::to_string(count(next)) + " elements");
    }
    if (!periodic_ || wraps) return;
    const Index left = widths_.front()[0], right = widths_.back()[1];
    const Index period = size_ - left - right;  // none of the three exceeds size: no overflow
    if (left > period || right > period)
      add(Rule::block_periodic, {}, "padding",
          "(" + std::to_string(left) + ", " + std::to_string(right) + ") at the edges",
          "but the period is size - left - right = " + std::to_string(period));
  }

  // The two widths at one border differ.
  void differ(Index c, Index next) {
    const Support support = supported_width(blocks_, c, next, version_);
    const bool wrong_left = support == Support::of_right;
    const std::string upper = std::to_string(widths_[at(c)][1]) + " at the upper end",
                      lower = std::to_string(widths_[at(next)][0]) + " at the lower end";
    Finding found{Rule::block_padding_neighbour,
                  wrong_left || support == Support::neither ? c : next,
                  axis_number_,
                  "padding",
                  support == Support::of_left ? lower : upper,
                  "and both must be equal",
                  ""};
    if (support == Support::of_left)
      found.others = {{upper, c}};
    else
      found.others = {{lower, next}};
    if (support != Support::neither)
      found.remedy = "give the " + std::string(wrong_left ? "upper" : "lower") + " end the width " +
                     std::to_string(wrong_left ? widths_[at(next)][0] : widths_[at(c)][1]) +
                     ", which 'start' and 'stop' or the other processes support";
    report_.add(std::move(found));
  }

  // In 0.9 `size` does not include the edge padding of a periodic axis; in 0.10 it does (PROTOCOL, Versions).
  void count_the_edges() {
    const Index left = widths_.front()[0], right = widths_.back()[1];
    const auto grown = checked_add(size_, left), size = grown ? checked_add(*grown, right) : std::nullopt;
    if (!size)
      return add(Rule::conversion, {}, "size", std::to_string(size_),
                 "but with the edge padding it does not fit 64 bits");
    size_ = *size;
    for (Index c = 1; c < grid_; ++c) bounds_[at(c)] += left;
    bounds_.back() = size_;
  }

  // All `start`s must follow from one coordinate `first` [cyclic.start].
  Axis::Kind cyclic() {
    const Index block_size = std::get<Cyclic>(dims_.front().dist).block_size;
    const Index first = most_frequent_first(block_size);
    const CyclicKind kind(size_, grid_, block_size, first);
    Index fitting = 0;
    const auto fits = [&](Index c) {
      const Index start = std::get<Cyclic>(dim(c).dist).start, expected = kind.start(c);
      return expected < size_ ? start == expected : start >= size_;
    };
    for (Index c = 0; c < grid_; ++c) fitting += fits(c) ? 1 : 0;
    for (Index c = 0; c < grid_; ++c) {
      if (fits(c)) continue;
      const Index start = std::get<Cyclic>(dim(c).dist).start, expected = kind.start(c);
      add(Rule::cyclic_start, c, "start", std::to_string(start) + " at coordinate " + std::to_string(c),
          "must be " + (expected < size_ ? std::to_string(expected) : "at least size " + std::to_string(size_)) +
              " if coordinate " + std::to_string(first) + " has the first block" +
              (fitting > 0 ? ", as " + std::to_string(fitting) + " of " + std::to_string(grid_) + " coordinates say"
                           : ""));
    }
    return kind;
  }

  // The coordinate that has the first block if the `start` of most coordinates is right; of several, the one that the
  // lowest coordinate says.
  Index most_frequent_first(Index block_size) const {
    std::vector<Index> said(at(grid_), 0);  // by coordinate: how often it has the first block
    std::optional<Index> best;
    for (Index c = 0; c < grid_; ++c) {
      const Index start = std::get<Cyclic>(dim(c).dist).start;
      if (start < size_) ++said[at((c - start / block_size + grid_) % grid_)];
    }
    for (Index c = 0; c < grid_; ++c) {
      const Index start = std::get<Cyclic>(dim(c).dist).start;
      if (start >= size_) continue;
      const Index first = (c - start / block_size + grid_) % grid_;
      if (!best || said[at(first)] > said[at(*best)]) best = first;
    }
    return best.value_or(0);
  }

  Axis::Kind listed() {
    std::vector<std::vector<Index>> lists;
    for (const Dimension& d : dims_) {
      auto list = read_indices(std::get<Unstructured>(d.dist).indices);
      if (!list) throw std::bad_alloc();  // they have been read before
      lists.push_back(std::move(*list));
    }
    UnstructuredKind kind(std::move(lists), std::get<Unstructured>(dims_.front().dist).one_to_one);
    const auto& entries = kind.entries();
    for (std::size_t i = 1; kind.one_to_one() && i < entries.size(); ++i) {
      if (entries[i].global != entries[i - 1].global) continue;
      const Index c = entries[i].place.coordinate;
      add(Rule::unstructured_one_to_one, c, "indices",
          "listing " + std::to_string(entries[i].global) + " at coordinates " +
              std::to_string(entries[i - 1].place.coordinate) + " and " + std::to_string(c),
          "but 'one_to_one' is true");
    }
    if (size_ != kind.total()) {
      const bool distinct = kind.shares_indices() && size_ == kind.distinct();
      add(distinct ? Rule::unstructured_distinct : Rule::unstructured_size, {}, "size", std::to_string(size_),
          "but the coordinates list " + std::to_string(kind.total()) + " indices, " + std::to_string(kind.distinct()) +
              " of them distinct");
    }
    return kind;
  }

  bool wrong() const { return report_.errors() > before_; }
  Index count(Index c) const { return bounds_[at(c + 1)] - bounds_[at(c)]; }
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  const Dimension& dim(Index c) const { return dims_[at(c)]; }
  void add(Rule rule, std::optional<Index> c, std::string key, std::string value, std::string must) {
    report_.add({rule, c, axis_number_, std::move(key), std::move(value), std::move(must), ""});
  }

  const std::vector<Dimension>& dims_;
  Index axis_number_;
  Report& report_;
  Version version_;
  const Extents& extents_;
  Index before_ = 0, grid_ = 1, size_ = 0;
  bool periodic_ = false;
  std::vector<StatedBlock> blocks_;           // by coordinate
  std::vector<Index> bounds_;                 // of the owned ranges
  std::vector<std::array<Index, 2>> widths_;  // of the padding, by coordinate
};

std::optional<Axis> Axis::make(const std::vector<Dimension>& of_each_coordinate, Index axis, Report& report,
                               Version version) {
  return AxisBuilder(of_each_coordinate, axis, report, version, {}).build();
}

std::optional<Axis> make_axis_in_buffers(const std::vector<Dimension>& of_each_coordinate, const Extents& extents,
                                         Index axis, Report& report, Version version) {
  return AxisBuilder(of_each_coordinate, axis, report, version, extents).build();
}

}  // namespace tridap
