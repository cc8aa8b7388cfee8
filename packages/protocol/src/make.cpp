#include <tridap/detail/refuse.hpp>
#include <tridap/make.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace tridap {

namespace {

// Makes one axis from a spec, or reports why the spec is wrong.
class AxisMaker {
 public:
  AxisMaker(Index size, Index grid, Index axis, Report& report)
      : size_(size), grid_(grid), axis_(axis), report_(report) {}

  std::optional<Axis> make(const AxisSpec& spec) {
    const Index before = report_.errors();
    if (size_ < 0) wrong(Rule::size, "size", size_, "must be at least 0");
    if (grid_ < 1) wrong(Rule::grid_size, "proc_grid_size", grid_, "must be at least 1");
    if (report_.errors() > before) return std::nullopt;
    const std::optional<Axis> made = std::visit([this](const auto& kind) { return of(kind); }, spec);
    return report_.errors() > before ? std::nullopt : made;
  }

 private:
  std::optional<Axis> of(const WholeSpec&) {
    if (grid_ != 1) wrong(Rule::grid_size, "proc_grid_size", grid_, "must be 1 on an axis that is not distributed");
    return Axis(BlockKind(size_, 1, size_));
  }

  std::optional<Axis> of(const CyclicSpec& spec) {
    if (spec.block_size < 1) wrong(Rule::cyclic_block_size, "block_size", spec.block_size, "must be at least 1");
    if (spec.first < 0 || spec.first >= grid_)
      wrong(Rule::cyclic_start, "first", spec.first,
            "must be a coordinate: at least 0 and less than proc_grid_size " + std::to_string(grid_));
    if (spec.block_size < 1 || spec.first < 0 || spec.first >= grid_) return std::nullopt;
    return Axis(CyclicKind(size_, grid_, spec.block_size, spec.first));
  }

  std::optional<Axis> of(const UnstructuredSpec& spec) {
    if (static_cast<Index>(spec.lists.size()) != grid_) {
      wrong(Rule::grid_size, "proc_grid_size", grid_,
            "but there are lists for " + std::to_string(static_cast<Index>(spec.lists.size())) + " coordinates");
      return std::nullopt;
    }
    std::vector<Dimension> dimensions(spec.lists.size());
    for (Index c = 0; c < grid_; ++c) {
      Dimension& d = dimensions[static_cast<std::size_t>(c)];
      d.size = size_;
      d.proc_grid_size = grid_;
      d.proc_grid_rank = c;
      d.dist = Unstructured{IndexBuffer(spec.lists[static_cast<std::size_t>(c)]), spec.one_to_one};
    }
    return Axis::make(dimensions, axis_, report_);
  }

  std::optional<Axis> of(const BlockSpec& spec) {
    const std::optional<BlockKind> shares = spec.starts                                    ? at(*spec.starts)
                                            : spec.length || !lacks_room_for_padding(spec) ? of_length(spec.length)
                                                                                           : even();
    if (!shares) return std::nullopt;
    if (spec.padding == 0 && spec.edges == std::array<Index, 2>{0, 0}) return Axis(*shares, spec.periodic);
    const Index before = report_.errors();
    check_padding(spec, *shares);
    if (report_.errors() > before) return std::nullopt;
    std::vector<std::array<Index, 2>> widths(static_cast<std::size_t>(grid_), {spec.padding, spec.padding});
    widths.front()[0] = spec.edges[0];
    widths.back()[1] = spec.edges[1];
    return Axis(shares->padded(std::move(widths), spec.periodic), spec.periodic);
  }

  Index fair() const { return size_ / grid_ + (size_ % grid_ != 0 ? 1 : 0); }

  // True if the last block of length fair() is too short for its padding.
  bool lacks_room_for_padding(const BlockSpec& spec) const {
    const Index wanted = std::max(spec.padding, spec.edges[1]);
    if (wanted <= 0 || grid_ > most_listed) return false;
    const std::optional<Index> before = checked_multiply(fair(), grid_ - 1);
    return !before || *before > size_ || size_ - *before < wanted;
  }

  BlockKind even() const {
    std::vector<Index> bounds{0};
    for (Index c = 0; c < grid_; ++c) bounds.push_back(bounds.back() + size_ / grid_ + (c < size_ % grid_ ? 1 : 0));
    return BlockKind(std::move(bounds));
  }

  std::optional<BlockKind> of_length(std::optional<Index> wanted) {
    if (wanted && *wanted < fair()) {
      wrong(Rule::block_tiling, "length", *wanted,
            "must be at least " + std::to_string(fair()) + " for " + std::to_string(grid_) +
                " coordinates to hold size " + std::to_string(size_));
      return std::nullopt;
    }
    return BlockKind(size_, grid_, wanted.value_or(fair()));
  }

  std::optional<BlockKind> at(const std::vector<Index>& starts) {
    const Index before = report_.errors();
    if (static_cast<Index>(starts.size()) != grid_)
      wrong(Rule::grid_size, "proc_grid_size", grid_,
            "but there are starts for " + std::to_string(static_cast<Index>(starts.size())) + " coordinates");
    else if (starts.front() != 0)
      wrong(Rule::block_tiling, "start", starts.front(), "must be 0 at coordinate 0");
    Index last = 0;
    for (const Index start : starts) {
      if (start < last)
        wrong(Rule::block_tiling, "start", start, "must not be less than the previous start " + std::to_string(last));
      if (start > size_) wrong(Rule::block_bounds, "start", start, "must be at most size " + std::to_string(size_));
      last = start;
    }
    if (report_.errors() > before) return std::nullopt;
    std::vector<Index> bounds = starts;
    bounds.push_back(size_);
    return BlockKind(std::move(bounds));
  }

  void check_padding(const BlockSpec& spec, const BlockKind& shares) {
    if (grid_ > most_listed)
      return wrong(Rule::grid_size, "proc_grid_size", grid_,
                   "must be at most " + std::to_string(most_listed) + " if shares are padded");
    const auto [left, right] = spec.edges;
    const auto owned = [&](Index c) { return shares.begin(c + 1) - shares.begin(c); };
    const std::string edges = "(" + std::to_string(left) + ", " + std::to_string(right) + ") at the edges";
    if (spec.padding < 0 || left < 0 || right < 0)
      return add(Rule::block_padding, "padding", std::to_string(spec.padding) + " and " + edges,
                 "must be widths of at least 0");
    if (left > owned(0) || right > owned(grid_ - 1) || (grid_ == 1 && right > size_ - left))
      add(Rule::block_padding, "padding", edges,
          "but the edge coordinates own " + std::to_string(owned(0)) + " and " + std::to_string(owned(grid_ - 1)) +
              " elements");
    for (Index c = 0; c + 1 < grid_ && spec.padding > 0; ++c)
      if (spec.padding > owned(c) || spec.padding > owned(c + 1))
        add(Rule::block_padding_owned, "padding",
            std::to_string(spec.padding) + " between coordinates " + std::to_string(c) + " and " +
                std::to_string(c + 1),
            "but these own " + std::to_string(owned(c)) + " and " + std::to_string(owned(c + 1)) + " elements");
    const Index period = size_ - std::min(left, size_) - std::min(right, size_);
    if (spec.periodic && (left > period || right > period))
      add(Rule::block_periodic, "padding", edges, "but the period is size - left - right = " + std::to_string(period));
  }

  void wrong(Rule rule, const char* key, Index value, std::string must) {
    add(rule, key, std::to_string(value), std::move(must));
  }
  void add(Rule rule, std::string key, std::string value, std::string must) {
    report_.add({rule, {}, axis_, std::move(key), std::move(value), std::move(must), ""});
  }

  Index size_, grid_, axis_;
  Report& report_;
};

[[noreturn]] void no_grid(const std::string& why, const std::string& remedy) {
  throw Error(Finding{Rule::grid_product, {}, {}, "", why, "", remedy});
}

// Writes a number as a product of a given number of factors in descending order. The first factor is as small as
// possible, then the second, and so on.
class Factoriser {
 public:
  explicit Factoriser(Index number) {
    for (Index d = 1; d <= number / d; ++d) {
      if (number % d != 0) continue;
      divisors_.push_back(d);
      if (d != number / d) divisors_.push_back(number / d);
    }
    std::sort(divisors_.begin(), divisors_.end());
  }

  // Appends the factors, each at most `largest`. Returns false and appends nothing if that is impossible.
  bool split(Index left, Index factors, Index largest, std::vector<Index>& grid) {
    if (factors == 1) {
      if (left > largest) return false;
      grid.push_back(left);
      return true;
    }
    Index& failed = failed_[{left, factors}];
    for (auto divisor = std::upper_bound(divisors_.begin(), divisors_.end(), failed);
         divisor != divisors_.end() && *divisor <= largest; ++divisor) {
      if (left % *divisor == 0 && reaches(*divisor, factors, left)) {
        grid.push_back(*divisor);
        if (split(left / *divisor, factors - 1, *divisor, grid)) return true;
        grid.pop_back();
      }
      failed = *divisor;
    }
    return false;
  }

 private:
  // True if the product of `factors` numbers, each at most `largest`, can be `left`.
  static bool reaches(Index largest, Index factors, Index left) {
    Index reach = 1;
    for (; factors > 0 && reach < left && largest > 1; --factors)
      reach = checked_multiply(reach, largest).value_or(left);
    return reach >= left;
  }

  std::vector<Index> divisors_;
  std::map<std::pair<Index, Index>, Index>
      failed_;  // by number and factors: no first factor up to this one is possible
};

}  // namespace

std::optional<Axis> make_axis(Index size, const AxisSpec& spec, Index grid, Index axis, Report& report) {
  return AxisMaker(size, grid, axis, report).make(spec);
}

std::vector<Index> near_square_grid(Index processes, Index ndim) {
  if (processes < 1)
    no_grid("a process grid cannot have " + std::to_string(processes) + " processes", "give at least one process");
  if (ndim < 1) {
    if (processes != 1)
      no_grid("an array without axes is on one process, not on " + std::to_string(processes), "use one process");
    return {};
  }
  if (processes > Index{1} << 40)  // finding its divisors would take long
    no_grid(std::to_string(processes) + " processes are too many to choose a grid", "give the process grid");
  std::vector<Index> grid;
  Factoriser(processes).split(processes, std::min<Index>(ndim, 40), processes, grid);
  grid.resize(static_cast<std::size_t>(ndim), 1);  // at most 40 factors are larger than 1
  return grid;
}

std::vector<Index> default_grid(Index processes, const std::vector<AxisSpec>& specs) {
  std::vector<Index> grid(specs.size(), 1);
  std::vector<std::size_t> open;
  Index left = processes;
  for (std::size_t axis = 0; axis < specs.size(); ++axis) {
    const auto* block = std::get_if<BlockSpec>(&specs[axis]);
    if (const auto* lists = std::get_if<UnstructuredSpec>(&specs[axis]))
      grid[axis] = static_cast<Index>(lists->lists.size());
    else if (block != nullptr && block->starts)
      grid[axis] = static_cast<Index>(block->starts->size());
    else if (!std::holds_alternative<WholeSpec>(specs[axis]))
      open.push_back(axis);
    if (grid[axis] < 1 || left % grid[axis] != 0)
      no_grid(std::to_string(processes) + " processes cannot be divided over the " + std::to_string(grid[axis]) +
                  " shares of axis " + std::to_string(static_cast<Index>(axis)),
              "give a grid, or another number of processes");
    left /= grid[axis];
  }
  if (open.empty() && !specs.empty() && left != 1) {
    const std::string needed = std::to_string(processes / left) + (processes / left == 1 ? " process" : " processes");
    no_grid("the axes need " + needed + " (one for each start or list), but " + std::to_string(processes) +
                " processes are given",
            "use " + needed + ", or one start or list for each process");
  }
  const std::vector<Index> shared = near_square_grid(left, static_cast<Index>(open.size()));
  for (std::size_t i = 0; i < open.size(); ++i) grid[open[i]] = shared[i];
  return grid;
}

Distribution Distribution::make(const std::vector<Index>& shape, const std::vector<AxisSpec>& specs,
                                const std::vector<Index>& grid) {
  Report report;
  if (shape.size() != specs.size() || shape.size() != grid.size())
    refuse("the shape has " + std::to_string(shape.size()) + " axes, there are " + std::to_string(specs.size()) +
               " specs, and the grid has " + std::to_string(grid.size()) + " axes",
           "but the numbers must be the same", "give an extent, a spec and a grid extent for every axis", {},
           Rule::shape_ndim);
  std::vector<Axis> axes;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (auto made = make_axis(shape[axis], specs[axis], grid[axis], static_cast<Index>(axis), report))
      axes.push_back(std::move(*made));
  throw_if_wrong(report);
  return Distribution(std::move(axes));
}

}  // namespace tridap
