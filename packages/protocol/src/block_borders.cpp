#include "block_borders.hpp"

#include "checking.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace tridap {

namespace {

std::size_t place(Index c) { return static_cast<std::size_t>(c); }

// A border whose two sides differ. The beginning of the axis is the coordinate -1, its end the number of coordinates.
struct UnmetBorder {
  Index left = 0, right = 0;  // coordinates
  Index end = 0, begin = 0;   // where the left one ends, and the right one begins
};

// [block.bounds] An empty block is at its place, or at `size`.
std::vector<UnmetBorder> find_unmet(const std::vector<StatedBlock>& blocks, Index size) {
  std::vector<UnmetBorder> found;
  const auto grid = static_cast<Index>(blocks.size());
  Index cursor = 0, last = -1;  // the coordinate `last` ends at `cursor`
  for (Index c = 0; c < grid; ++c) {
    const StatedBlock& block = blocks[place(c)];
    const bool empty = block.begin == block.end;
    if (empty && block.begin == size) continue;
    if (block.begin != cursor) {
      found.push_back({last, c, cursor, block.begin});
      if (empty && c + 1 < grid && blocks[place(c + 1)].begin == cursor) continue;  // those around it do meet
    }
    cursor = block.end;
    last = c;
  }
  if (cursor != size) found.push_back({last, last + 1, cursor, size});
  return found;
}

// How an axis is often divided: where each border is, and the name.
struct Division {
  enum class Kind { longest_first, shortest_first, ceiling, floor, rounded_up, rest_on_last, length } kind;
  Index length = 0;  // of Kind::length
};

constexpr Division even_divisions[] = {{Division::Kind::longest_first}, {Division::Kind::shortest_first},
                                       {Division::Kind::ceiling},       {Division::Kind::floor},
                                       {Division::Kind::rounded_up},    {Division::Kind::rest_on_last}};

// The border before coordinate `c` of `grid`. No product exceeds size + grid, or grid * grid.
Index border_of(const Division& division, Index c, Index size, Index grid) {
  if (c == grid) return size;
  const Index quotient = size / grid, rest = size % grid;
  const auto equal = [&](Index length) { return std::min(checked_multiply(c, length).value_or(size), size); };
  switch (division.kind) {
    case Division::Kind::longest_first:
      return c * quotient + std::min(c, rest);
    case Division::Kind::shortest_first:
      return c * quotient + std::max<Index>(c - (grid - rest), 0);
    case Division::Kind::ceiling:
      return equal(quotient + (rest > 0 ? 1 : 0));
    case Division::Kind::floor:
      return c * quotient + c * rest / grid;
    case Division::Kind::rounded_up:
      return c * quotient + (c * rest + grid - 1) / grid;
    case Division::Kind::rest_on_last:
      return c * quotient;
    default:
      return equal(division.length);
  }
}

std::string number_text(Index number) { return std::to_string(number); }

std::string pair_text(Index lower, Index upper) {
  return "(" + std::to_string(lower) + ", " + std::to_string(upper) + ")";
}

// Finds which side of each unmet border the other numbers support, and writes the findings.
class UnmetBorders {
 public:
  UnmetBorders(const std::vector<StatedBlock>& blocks, Index size, Index axis, Version version)
      : blocks_(blocks),
        grid_(static_cast<Index>(blocks.size())),
        size_(size),
        axis_(axis),
        version_(version),
        unmet_(find_unmet(blocks, size)) {}

  std::vector<Finding> findings() {
    if (unmet_.empty()) return {};
    find_met();
    if (every_stop_is_inclusive()) return {inclusive()};
    judge();
    if (const std::optional<Finding> halo = overlaps_everywhere()) return {*halo};
    std::vector<Finding> all;
    for (std::size_t i = 0; i < unmet_.size(); ++i)
      if (!widths_explain(unmet_[i])) all.push_back(finding(unmet_[i], verdicts_[i]));
    return all;
  }

 private:
  struct Verdict {
    Support support = Support::neither;
    std::string why;  // in brackets after the supported number
    bool by_buffers = false;
  };

  const StatedBlock& block(Index c) const { return blocks_[place(c)]; }
  bool inside(const UnmetBorder& border) const { return border.left >= 0 && border.right < grid_; }

  void find_met() {
    met_.resize(place(grid_ + 1));
    met_[0] = 0;
    met_[place(grid_)] = size_;
    for (Index c = 1; c < grid_; ++c)
      if (block(c - 1).end == block(c).begin) met_[place(c)] = block(c).begin;
  }

  // Every block ends one element before the next one begins, and the last one before `size`. A single block may be one
  // element short for any reason, unless its buffer has this element.
  bool every_stop_is_inclusive() const {
    if (block(0).begin != 0 || block(grid_ - 1).end != size_ - 1) return false;
    for (Index c = 1; c < grid_; ++c)
      if (block(c).begin - 1 != block(c - 1).end) return false;
    return grid_ > 1 || block(0).room == size_;
  }

  Finding inclusive() const {
    Finding found{Rule::block_tiling,
                  {},
                  axis_,
                  "stop",
                  "",
                  "the last index in place of the index after it, as on every process",
                  "add 1 to 'stop' on every process"};
    for (Index c = 0; c < std::min<Index>(grid_, 2); ++c) found.others.push_back({number_text(block(c).stop), c});
    return found;
  }

  void judge() {
    for (const UnmetBorder& border : unmet_) {
      Verdict verdict;
      if (border.left < 0) {
        verdict.support = Support::of_left;
      } else if (border.right == grid_) {
        verdict.support = Support::of_right;
      } else {
        verdict = by_buffers(border);
        if (verdict.support == Support::neither) verdict = by_pattern(border);
      }
      verdicts_.push_back(std::move(verdict));
    }
  }

  static Verdict one_of(bool left, bool right, std::string why) {
    if (left == right) return {};
    return {left ? Support::of_left : Support::of_right, std::move(why), false};
  }

  // With the right number both buffers have the extents that they need.
  Verdict by_buffers(const UnmetBorder& border) const {
    const StatedBlock &left = block(border.left), &right = block(border.right);
    const auto fits = [&](Index at) {
      return (!left.room || *left.room == at - left.begin) && (!right.room || *right.room == right.end - at);
    };
    Verdict verdict = one_of(fits(border.end), fits(border.begin), "the extents of the buffers");
    verdict.by_buffers = verdict.support != Support::neither;
    return verdict;
  }

  bool follows(const Division& division) const {
    for (Index c = 0; c <= grid_; ++c)
      if (met_[place(c)] && *met_[place(c)] != border_of(division, c, size_, grid_)) return false;
    return true;
  }

  // All borders that are met, and one of the two numbers, are those of one pattern; with the other number they are of
  // none.
  Verdict by_pattern(const UnmetBorder& border) const {
    bool left = false, right = false;
    const auto vote = [&](const Division& division) {
      if (!follows(division)) return;
      const Index expected = border_of(division, border.right, size_, grid_);
      left = left || expected == border.end;
      right = right || expected == border.begin;
    };
    for (const Division& division : even_divisions) vote(division);
    if (left || right)
      return one_of(left, right, number_text(size_) + " elements evenly over " + number_text(grid_) + " processes");
    for (Index c = 1; c < grid_; ++c) {
      const std::optional<Index>& met = met_[place(c)];
      if (!met || *met >= size_) continue;
      if (*met == 0) return {};
      vote({Division::Kind::length, *met / c});
      return one_of(left, right, "blocks of " + number_text(*met / c) + " elements");
    }
    return {};
  }

  bool is_padded() const {
    return std::any_of(blocks_.begin(), blocks_.end(),
                       [](const StatedBlock& b) { return b.widths[0] > 0 || b.widths[1] > 0; });
  }

  // The middle of an overlap is where an even distribution has its border.
  bool middle_is_even(const UnmetBorder& border) const {
    const Index middle = border.begin + (border.end - border.begin) / 2;
    return std::any_of(std::begin(even_divisions), std::end(even_divisions),
                       [&](const Division& p) { return border_of(p, border.right, size_, grid_) == middle; });
  }

  // Blocks that overlap by the same width at every border, like a halo that 'padding' does not mention. One border may
  // have one wrong number instead: then only an even distribution without the halo tells.
  std::optional<Finding> overlaps_everywhere() const {
    if (static_cast<Index>(unmet_.size()) != grid_ - 1 || is_padded()) return std::nullopt;
    const Index overlap = unmet_.front().end - unmet_.front().begin;
    Index lefts = 0, rights = 0;
    for (std::size_t i = 0; i < unmet_.size(); ++i) {
      if (!inside(unmet_[i]) || unmet_[i].end - unmet_[i].begin != overlap || overlap <= 0 || verdicts_[i].by_buffers)
        return std::nullopt;
      lefts += verdicts_[i].support == Support::of_left ? 1 : 0;
      rights += verdicts_[i].support == Support::of_right ? 1 : 0;
    }
    const Index all = grid_ - 1;
    if (lefts > 0 && rights > 0 && lefts + rights == all) return std::nullopt;  // each border has one wrong number
    const bool one_sided = lefts == all || rights == all || overlap % 2 != 0;
    if (grid_ == 2 && (one_sided || !middle_is_even(unmet_.front()))) return std::nullopt;
    const Index width = overlap / 2;
    Finding found{Rule::block_tiling, 0, axis_, "stop", number_text(block(0).stop), "", ""};
    found.others = {{"'start' is " + number_text(block(1).start), 1}};
    found.must = "and all blocks overlap by " + number_text(overlap) + ", like a halo ";
    found.must += one_sided ? "on one side without 'padding'" : "of " + number_text(width) + " without 'padding'";
    const std::string widths = "give 'padding' " + pair_text(0, width) + " on the first process" +
                               (grid_ > 2 ? ", " + pair_text(width, width) + " between" : "") + " and " +
                               pair_text(width, 0) + " on the last";
    if (one_sided)
      found.remedy = "leave the halo out: each 'start' is the 'stop' before it; 'padding' has one width on both sides";
    else
      found.remedy = version_ == Version::v0_10 ? widths : "leave the halo out of 'start' and 'stop', and " + widths;
    return found;
  }

  // One wrong padding width moves the owned range, too.
  bool widths_explain(const UnmetBorder& border) const {
    if (version_ == Version::v0_9 || !inside(border) || border.right != border.left + 1) return false;
    return supported_width(blocks_, border.left, border.right, version_) != Support::neither;
  }

  // "21", or with padding "23 (21 without padding)".
  static std::string value_text(Index stated, Index owned) {
    return number_text(stated) + (stated == owned ? "" : " (" + number_text(owned) + " without padding)");
  }
  std::string stop_text(Index c) const { return value_text(block(c).stop, block(c).end); }
  std::string start_text(Index c) const { return value_text(block(c).start, block(c).begin); }

  Finding finding(const UnmetBorder& border, const Verdict& verdict) const {
    Finding found{Rule::block_tiling, border.left, axis_, "stop", "", "", ""};
    if (border.left < 0) {
      found.process = border.right;
      found.key = "start";
      found.value = start_text(border.right);
      found.must = "must be 0, where the axis begins";
      found.remedy = "set 'start' to " + number_text(block(border.right).start - block(border.right).begin);
      return found;
    }
    if (border.right == grid_) {
      found.value = stop_text(border.left);
      found.must = "must be size " + number_text(size_) + ", where the axis ends";
      found.remedy = block(border.left).room == size_ - block(border.left).begin
                         ? "set 'stop' to size: it is the index after the last element"
                         : "set 'stop' to size, or correct 'size' on every process";
      return found;
    }
    const bool wrong_start = verdict.support == Support::of_left;
    const Index wrong = wrong_start ? border.right : border.left, other = wrong_start ? border.left : border.right;
    found.process = wrong;
    found.key = wrong_start ? "start" : "stop";
    found.value = wrong_start ? start_text(wrong) : stop_text(wrong);
    found.others = {{wrong_start ? "'stop' is " + stop_text(other) : "'start' is " + start_text(other), other}};
    const Index met = wrong_start ? border.end : border.begin;
    if (verdict.support == Support::neither) {
      found.must = "and both must be equal; the other processes do not show which is wrong";
      found.remedy = "correct one of the two";
      if (border.end > border.begin) found.remedy += ", or give 'padding' if the blocks overlap as a halo";
      return found;
    }
    const bool padded = wrong_start ? start_text(wrong) != number_text(block(wrong).start)
                                    : stop_text(wrong) != number_text(block(wrong).stop);
    const Index shift = wrong_start ? block(wrong).start - block(wrong).begin : block(wrong).stop - block(wrong).end;
    found.must = "and both must be equal: the others support " + number_text(met) +
                 (padded ? " without padding (" : " (") + verdict.why + ")";
    found.remedy = "set '" + found.key + "' to " + number_text(met + shift);
    return found;
  }

  const std::vector<StatedBlock>& blocks_;
  Index grid_, size_, axis_;
  Version version_;
  std::vector<UnmetBorder> unmet_;
  std::vector<Verdict> verdicts_;          // by unmet border
  std::vector<std::optional<Index>> met_;  // by border: where its two sides meet
};

}  // namespace

StatedBlock stated_block(const Dimension& dimension, std::optional<Index> extent, Version version) {
  const auto& block = std::get<Block>(dimension.dist);
  StatedBlock stated;
  stated.start = block.start;
  stated.stop = block.stop;
  stated.widths = communication_widths(dimension, version);
  const bool inside = version == Version::v0_10;
  stated.begin = block.start + (inside ? stated.widths[0] : 0);
  stated.end = block.stop - (inside ? stated.widths[1] : 0);
  if (extent && *extent >= 0) stated.room = checked_add(*extent - stated.widths[0], -stated.widths[1]);
  return stated;
}

std::vector<Finding> unmet_borders(const std::vector<StatedBlock>& blocks, Index size, Index axis, Version version) {
  return UnmetBorders(blocks, size, axis, version).findings();
}

Support supported_width(const std::vector<StatedBlock>& blocks, Index left, Index right, Version version) {
  const StatedBlock &a = blocks[place(left)], &b = blocks[place(right)];
  const Index upper = a.widths[1], lower = b.widths[0];
  if (upper == lower) return Support::neither;
  const auto one_of = [](bool of_left, bool of_right) {
    return of_left == of_right ? Support::neither : of_left ? Support::of_left : Support::of_right;
  };
  if (version == Version::v0_10) {
    const Index overlap = a.stop - b.start;  // both are at least 0
    return one_of(overlap % 2 == 0 && overlap / 2 == upper, overlap % 2 == 0 && overlap / 2 == lower);
  }
  if (const Support found = one_of(a.room == a.end - a.begin, b.room == b.end - b.begin); found != Support::neither)
    return found;
  bool of_left = false, of_right = false, others = false;  // all other widths
  for (std::size_t c = 0; c + 1 < blocks.size(); ++c) {
    if (static_cast<Index>(c) == left) continue;
    for (const Index width : {blocks[c].widths[1], blocks[c + 1].widths[0]}) {
      of_left = (!others || of_left) && width == upper;
      of_right = (!others || of_right) && width == lower;
      others = true;
    }
  }
  return one_of(of_left, of_right);
}

}  // namespace tridap
