#include "axis_parts.hpp"
#include "block_borders.hpp"

#include <string>

namespace tridap {

namespace {

class BlockParts {
 public:
  BlockParts(const AxisParts& parts, Index& size)
      : parts_(parts), size_(size), version_(parts.version), periodic_(parts.dims.front().periodic) {}

  BlockKind make() {
    const Index before = parts_.report.errors();
    bool some = false;  // padded
    for (const Dimension& d : parts_.dims) {
      const auto& padding = std::get<Block>(d.dist).padding;
      some = some || padding;
      widths_.push_back(padding.value_or(std::array<Index, 2>{0, 0}));
      const std::size_t c = blocks_.size();
      blocks_.push_back(stated_block(d, c < parts_.extents.size() ? parts_.extents[c] : std::nullopt, version_));
    }
    if (version_ == Version::v0_9 && some) everywhere();
    for (Finding& finding : unmet_borders(blocks_, size_, parts_.axis, version_)) parts_.report.add(std::move(finding));
    Index cursor = 0;  // where the ranges so far end
    for (const StatedBlock& stated : blocks_) {
      const bool empty = stated.begin == stated.end;  // [block.bounds]: in its order, or at `size`
      bounds_.push_back(empty ? cursor : stated.begin);
      if (!empty) cursor = stated.end;
    }
    bounds_.push_back(cursor);
    if (some) padding();
    if (some && version_ == Version::v0_9 && periodic_) count_the_edges();
    if (parts_.report.errors() > before) return BlockKind(0, 1, 0);
    if (!some) return BlockKind(std::move(bounds_));
    return BlockKind(std::move(bounds_)).padded(std::move(widths_), periodic_);
  }

 private:
  void everywhere() {
    for (Index c = 0; c < parts_.grid(); ++c)
      if (!std::get<Block>(parts_.dim(c).dist).padding)
        parts_.add(Rule::block_padding_everywhere, c, "padding", "absent at coordinate " + std::to_string(c),
                   "but present at other coordinates");
  }

  void padding() {
    const bool wraps = version_ == Version::v0_9 && periodic_;
    for (Index c = 0; c + (wraps ? 0 : 1) < parts_.grid(); ++c) {
      const Index next = (c + 1) % parts_.grid(), right = widths_[at(c)][1], left = widths_[at(next)][0];
      const std::string where = " between coordinates " + std::to_string(c) + " and " + std::to_string(next);
      if (right != left)
        differ(c, next);
      else if (right > count(c) || left > count(next))
        parts_.add(Rule::block_padding_owned, c, "padding", std::to_string(right) + where,
                   "but these own " + std::to_string(count(c)) + " and " + std::to_string(count(next)) + " elements");
    }
    if (!periodic_ || wraps) return;
    const Index left = widths_.front()[0], right = widths_.back()[1];
    const Index period = size_ - left - right;  // none of the three exceeds size: no overflow
    if (left > period || right > period)
      parts_.add(Rule::block_periodic, {}, "padding",
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
                  parts_.axis,
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
    parts_.report.add(std::move(found));
  }

  // In 0.9 `size` does not include the edge padding of a periodic axis; in 0.10 it does (PROTOCOL, Versions).
  void count_the_edges() {
    const Index left = widths_.front()[0], right = widths_.back()[1];
    const auto grown = checked_add(size_, left), size = grown ? checked_add(*grown, right) : std::nullopt;
    if (!size)
      return parts_.add(Rule::conversion, {}, "size", std::to_string(size_),
                        "but with the edge padding it does not fit 64 bits");
    size_ = *size;
    for (Index c = 1; c < parts_.grid(); ++c) bounds_[at(c)] += left;
    bounds_.back() = size_;
  }

  Index count(Index c) const { return bounds_[at(c + 1)] - bounds_[at(c)]; }
  static std::size_t at(Index c) { return AxisParts::place(c); }

  const AxisParts& parts_;
  Index& size_;
  Version version_;
  bool periodic_;
  std::vector<StatedBlock> blocks_;           // by coordinate
  std::vector<Index> bounds_;                 // of the owned ranges
  std::vector<std::array<Index, 2>> widths_;  // of the padding, by coordinate
};

}  // namespace

BlockKind block_kind(const AxisParts& parts, Index& size) { return BlockParts(parts, size).make(); }

}  // namespace tridap
