#include <dap/axis.hpp>
#include <dap/check.hpp>

#include <algorithm>

namespace dap {

/// Puts together what each grid coordinate says about one axis, or says why that cannot be.
class AxisBuilder {
 public:
  AxisBuilder(const std::vector<Dimension>& dimensions, Index axis, Report& report)
      : dims_(dimensions), axis_number_(axis), report_(report) {}

  std::optional<Axis> build() {
    const Index before = report_.errors();
    agree();
    if (report_.errors() > before) return std::nullopt;
    const Dimension& any = dims_.front();
    axis_.size_ = any.size;
    axis_.proc_grid_size_ = any.proc_grid_size;
    axis_.periodic_ = any.periodic && any.dist_type() == 'b';
    switch (any.dist_type()) {
      case 'b':
        block();
        break;
      case 'c':
        cyclic();
        break;
      default:
        unstructured();
        break;
    }
    if (report_.errors() > before) return std::nullopt;
    return axis_;
  }

 private:
  // Each coordinate is right alone, in its place, and says of the axis what the first one says.
  void agree() {
    if (dims_.empty()) return add(Rule::grid_size, {}, "proc_grid_size", "0", "must be at least 1");
    const Dimension& first = dims_.front();
    for (Index c = 0; c < static_cast<Index>(dims_.size()); ++c) {
      const Dimension& d = dim(c);
      Report alone;
      check_dimension(d, axis_number_, alone);
      alone.set_process(c);
      if (!alone.ok()) report_.merge(alone);  // its warnings are for check() to tell
      if (d.proc_grid_rank != c)
        add(Rule::grid_rank, c, "proc_grid_rank", number(d.proc_grid_rank), "must be the coordinate " + number(c));
      if (d.proc_grid_size != static_cast<Index>(dims_.size()))
        add(Rule::grid_size, c, "proc_grid_size", number(d.proc_grid_size),
            "must be the " + number(static_cast<Index>(dims_.size())) + " coordinates given");
      same(c, "dist_type", d.dist_type(), first.dist_type());
      same(c, "size", d.size, first.size);
      same(c, "periodic", d.periodic, first.periodic);
      if (d.dist_type() != first.dist_type()) continue;
      if (const auto* cyclic = std::get_if<Cyclic>(&d.dist))
        same(c, "block_size", cyclic->block_size, std::get<Cyclic>(first.dist).block_size);
      if (const auto* unstructured = std::get_if<Unstructured>(&d.dist))
        same(c, "one_to_one", unstructured->one_to_one, std::get<Unstructured>(first.dist).one_to_one);
    }
  }

  template <class T>
  void same(Index c, const char* key, T value, T first) {
    const auto say = [](T v) {
      if constexpr (std::is_same_v<T, bool>)
        return std::string(v ? "true" : "false");
      else if constexpr (std::is_same_v<T, char>)
        return "'" + std::string(1, v) + "'";
      else
        return number(v);
    };
    if (value != first)
      add(Rule::agree_axis, c, key, say(value) + " at coordinate " + number(c), "but coordinate 0 says " + say(first));
  }

  void block() {
    const Index grid = axis_.proc_grid_size_, size = axis_.size_;
    auto kind = std::make_shared<Axis::BlockKind>();
    const bool padded = std::any_of(dims_.begin(), dims_.end(),
                                    [](const Dimension& d) { return std::get<Block>(d.dist).padding.has_value(); });
    if (padded)
      for (const Dimension& d : dims_)
        kind->padding.push_back(std::get<Block>(d.dist).padding.value_or(std::array<Index, 2>{0, 0}));

    Index cursor = 0;  // where the next owned range must start
    for (Index c = 0; c < grid; ++c) {
      const auto [left, right] = axis_.communication_padding(*kind, c);
      const auto& stamped = std::get<Block>(dim(c).dist);
      const Index begin = stamped.start + left, end = stamped.stop - right;
      const bool empty = begin == end;  // [block.bounds]: in its place, or at `size`
      if (begin != cursor && !(empty && begin == size))
        add(Rule::block_tiling, c, "start", number(stamped.start) + " at coordinate " + number(c),
            "so it owns from " + number(begin) + ", but the shares before it end at " + number(cursor));
      kind->bounds.push_back(empty ? cursor : begin);
      if (!empty) cursor = end;
    }
    if (cursor != size)
      add(Rule::block_tiling, grid - 1, "stop",
          number(std::get<Block>(dims_.back().dist).stop) + " at the last coordinate",
          "but the owned shares end at " + number(cursor) + " and size is " + number(size));
    kind->bounds.push_back(cursor);
    if (padded) padding(*kind);
    axis_.kind_ = std::shared_ptr<const Axis::BlockKind>(std::move(kind));
  }

  void padding(const Axis::BlockKind& kind) {
    const auto owned = [&](Index c) { return kind.bounds[at(c + 1)] - kind.bounds[at(c)]; };
    for (Index c = 0; c + 1 < axis_.proc_grid_size_; ++c) {
      const Index right = kind.padding[at(c)][1], left = kind.padding[at(c + 1)][0];
      const std::string where = " between coordinates " + number(c) + " and " + number(c + 1);
      if (right != left)
        add(Rule::block_padding, c, "padding",
            number(right) + " on the right and " + number(left) + " on the left" + where, "but both must be equal");
      else if (right > owned(c) || left > owned(c + 1))
        add(Rule::block_padding, c, "padding", number(right) + where,
            "but these own " + number(owned(c)) + " and " + number(owned(c + 1)) + " elements");
    }
    if (!axis_.periodic_) return;
    const Index left = kind.padding.front()[0], right = kind.padding.back()[1];
    const Index period = axis_.size_ - left - right;  // none of the three exceeds size: no overflow
    if (left > period || right > period)
      add(Rule::block_periodic, {}, "padding", "(" + number(left) + ", " + number(right) + ") at the edges",
          "but the period is size - left - right = " + number(period));
  }

  // One coordinate `first` explains every `start` [cyclic.start].
  void cyclic() {
    const Index grid = axis_.proc_grid_size_, size = axis_.size_;
    const Index block_size = std::get<Cyclic>(dims_.front().dist).block_size;
    Axis::CyclicKind kind{block_size, 0};
    for (Index c = 0; c < grid; ++c) {
      const Index start = std::get<Cyclic>(dim(c).dist).start;
      if (start >= size) continue;
      kind.first = (c - start / block_size + grid) % grid;
      break;
    }
    for (Index c = 0; c < grid; ++c) {
      const Index start = std::get<Cyclic>(dim(c).dist).start;
      const Index expected = axis_.stamped_start(kind, c);
      if (expected < size ? start != expected : start < size)
        add(Rule::cyclic_start, c, "start", number(start) + " at coordinate " + number(c),
            "must be " + (expected < size ? number(expected) : "at least size " + number(size)) + " where coordinate " +
                number(kind.first) + " is dealt to first");
    }
    axis_.kind_ = kind;
  }

  void unstructured() {
    auto kind = std::make_shared<Axis::UnstructuredKind>();
    kind->one_to_one = std::get<Unstructured>(dims_.front().dist).one_to_one;
    for (Index c = 0; c < axis_.proc_grid_size_; ++c) {
      kind->lists.push_back(*read_indices(std::get<Unstructured>(dim(c).dist).indices));
      Index local = 0;
      for (Index global : kind->lists.back()) kind->places.push_back({global, c, local++});
    }
    const auto less = [](const Axis::Place& a, const Axis::Place& b) {
      return a.global != b.global ? a.global < b.global : a.coordinate < b.coordinate;
    };
    std::vector<Axis::Place>& places = kind->places;
    if (!std::is_sorted(places.begin(), places.end(), less)) std::sort(places.begin(), places.end(), less);

    Index repeated = 0;  // how many more places than distinct indices
    for (std::size_t i = 1; i < places.size(); ++i) {
      if (places[i].global != places[i - 1].global) continue;
      ++repeated;
      if (kind->one_to_one)
        add(Rule::unstructured_one_to_one, places[i].coordinate, "indices",
            "listing " + number(places[i].global) + " at coordinates " + number(places[i - 1].coordinate) + " and " +
                number(places[i].coordinate),
            "but 'one_to_one' is true");
    }
    kind->shared = repeated > 0;
    const auto total = static_cast<Index>(places.size());
    if (axis_.size_ != total) {
      const bool distinct = kind->shared && axis_.size_ == total - repeated;
      add(distinct ? Rule::unstructured_distinct : Rule::unstructured_size, {}, "size", number(axis_.size_),
          "but the coordinates list " + number(total) + " indices, " + number(total - repeated) + " of them distinct");
    }
    axis_.kind_ = std::shared_ptr<const Axis::UnstructuredKind>(std::move(kind));
  }

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  static std::string number(Index value) { return std::to_string(value); }
  const Dimension& dim(Index c) const { return dims_[at(c)]; }
  void add(Rule rule, std::optional<Index> c, std::string key, std::string value, std::string must) {
    report_.add({rule, c, axis_number_, std::move(key), std::move(value), std::move(must), ""});
  }

  const std::vector<Dimension>& dims_;
  Index axis_number_;
  Report& report_;
  Axis axis_;
};

std::optional<Axis> Axis::make(const std::vector<Dimension>& of_each_coordinate, Index axis, Report& report) {
  return AxisBuilder(of_each_coordinate, axis, report).build();
}

}  // namespace dap
