#include "joint_check.hpp"

#include <algorithm>
#include <string>

namespace tridap {

namespace {

// Makes the axes. Every process has the same data and finds the same errors; the first process reports them.
class JoinedAxes {
 public:
  JoinedAxes(JointCheck& check, const AxisRecords& records) : check_(check), records_(records) {}

  std::optional<Distribution> run(bool want_distribution) {
    make();
    explain();
    if (!check_.right || !want_distribution) return std::nullopt;
    std::vector<Index> lists;
    if (!any_gathered()) return distribution_of(lists);
    // The lists of all are as large as data: a process may have no memory for them.
    if (!check_.everywhere([&](std::size_t k) { place_lists(k, lists); })) return std::nullopt;
    if (!lists.empty()) check_.collectives.max(lists);
    std::optional<Distribution> made;
    if (!check_.alone([&] { made = distribution_of(lists); })) made.reset();
    return made;
  }

 private:
  // True for an unstructured axis whose lists every process gets.
  bool is_gathered(std::size_t axis) const { return check_.is_listed(axis) && !check_.spread[axis]; }

  bool any_gathered() const {
    for (std::size_t axis = 0; axis < axes_.size(); ++axis)
      if (is_gathered(axis)) return true;
    return false;
  }

  // Makes all axes but the unstructured ones.
  void make() {
    const std::size_t count = check_.agreed.size();
    axes_.resize(count);
    unmade_.resize(count, false);
    for (std::size_t axis = 0; axis < count; ++axis) {
      if (!check_.agreed[axis] || check_.is_listed(axis)) continue;
      Report found;
      axes_[axis] = Axis::make(dimensions(axis, nullptr), static_cast<Index>(axis), found, check_.version());
      unmade_[axis] = !axes_[axis];
      check_.right = check_.right && axes_[axis];
    }
  }

  // Reports why axes could not be made. The extents of the buffers show which of two numbers is wrong, so they are
  // compared first: one reduction, of two numbers for each coordinate of these axes.
  void explain() {
    const std::vector<std::size_t> first = check_.numbers_of_coordinates(unmade_);
    if (first.back() == 0) return;
    Ends ends(first.back());
    for (std::size_t k = 0; k < check_.members.size(); ++k)
      for (std::size_t axis = 0; axis < unmade_.size(); ++axis) {
        if (!unmade_[axis]) continue;
        const IndexList& shape = check_.array(k).buffer.shape;
        const Index extent = shape.size() == unmade_.size() ? shape[axis] : -1;  // -1: not known
        ends.add(first[axis] + check_.coordinate(k, axis), extent);
      }
    ends.reduce(check_.collectives);
    for (std::size_t axis = 0; axis < unmade_.size(); ++axis) {
      Extents extents;
      for (std::size_t i = first[axis]; i < first[axis + 1]; ++i)
        extents.push_back(ends.largest(i) == ends.smallest(i) ? std::optional<Index>(ends.largest(i)) : std::nullopt);
      if (unmade_[axis]) explain(axis, extents);
    }
  }

  void explain(std::size_t axis, const Extents& extents) {
    Report found;
    make_axis_in_buffers(dimensions(axis, nullptr), extents, static_cast<Index>(axis), found, check_.version());
    std::vector<Finding> findings = found.findings();
    for (Finding& finding : findings) {  // the first process at a coordinate
      if (finding.process) finding.process = check_.first_at(axis, *finding.process);
      for (ValueElsewhere& other : finding.others) other.process = check_.first_at(axis, other.process);
    }
    if (check_.ranks.front() == 0)
      check_.reports.front().merge(Report::from_parts(std::move(findings), found.counts()));
  }

  // The dimensions of all coordinates. `lists` holds the lists of an unstructured axis, one after the other.
  std::vector<Dimension> dimensions(std::size_t axis, const Index* lists) const {
    std::vector<Dimension> all;
    for (const AxisRecord& record : records_[axis]) {
      const Dimension& any = check_.dim(0, axis);  // its unknown keys are not used
      Dimension d{any.size, any.proc_grid_size, static_cast<Index>(all.size()), any.periodic, {}, {}};
      if (any.dist_type() == 'b') {
        Block block{record[start], record[stop], {}};
        if (record[padded] != 0) block.padding = {record[left], record[right]};
        d.dist = block;
      } else if (const auto* cyclic = std::get_if<Cyclic>(&any.dist)) {
        d.dist = Cyclic{record[start], cyclic->block_size};
      } else {
        d.dist = Unstructured{row_major(lists, {record[stop]}), std::get<Unstructured>(any.dist).one_to_one};
        lists += record[stop];
      }
      all.push_back(std::move(d));
    }
    return all;
  }

  // Writes a member's lists among those of all unstructured axes, if the member represents their coordinate.
  void place_lists(std::size_t k, std::vector<Index>& lists) {
    if (k == 0) lists.resize(find_list_places(), no_number);
    if (lists.empty()) return;  // the first member had no memory for them
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      if (!is_gathered(axis) || !check_.represents(k, axis)) continue;
      const std::vector<Index> indices = check_.indices(k, axis);
      std::copy(indices.begin(), indices.end(), lists.data() + list_places_[axis][check_.coordinate(k, axis)]);
    }
  }

  // Finds the offset of each coordinate's list among those of all unstructured axes. Returns the total length.
  std::size_t find_list_places() {
    std::size_t next = 0;
    list_places_.resize(axes_.size());
    for (std::size_t axis = 0; axis < axes_.size(); ++axis)
      for (std::size_t c = 0; is_gathered(axis) && c < records_[axis].size(); ++c) {
        list_places_[axis].push_back(next);
        next += static_cast<std::size_t>(records_[axis][c][stop]);
      }
    return next;
  }

  Distribution distribution_of(const std::vector<Index>& lists) {
    std::vector<Axis> axes;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      if (const auto& spread = check_.spread[axis]) {
        const Dimension& any = check_.dim(0, axis);
        axes_[axis] = listed_axis(UnstructuredKind(spread->own, std::get<Unstructured>(any.dist).one_to_one), any.size,
                                  any.periodic);
      } else if (check_.is_listed(axis)) {
        Report known;
        axes_[axis] = Axis::make(dimensions(axis, lists.data() + list_places_[axis].front()), static_cast<Index>(axis),
                                 known, check_.version());
      }
      axes.push_back(std::move(axes_[axis].value()));
    }
    return Distribution(std::move(axes));
  }

  JointCheck& check_;
  const AxisRecords& records_;
  std::vector<std::vector<std::size_t>> list_places_;  // by axis and coordinate, of unstructured axes
  std::vector<std::optional<Axis>> axes_;
  std::vector<bool> unmade_;  // by axis: its coordinates contradict one another
};

}  // namespace

std::optional<Distribution> join_axes(JointCheck& check, const AxisRecords& records, bool want_distribution) {
  return JoinedAxes(check, records).run(want_distribution);
}

}  // namespace tridap
