#include "joint_check.hpp"

#include <algorithm>
#include <string>

namespace tridap {

namespace {

// [axis.same] Boundary widths may differ, except on a periodic axis, where they decide which index mirrors which.
bool must_be_same(const Dimension& d, Index coordinate, Field field) {
  if (field == padded || (d.dist_type() == 'u' && field != stop && field != unknown)) return false;
  return d.periodic || !((field == left && coordinate == 0) || (field == right && coordinate == d.proc_grid_size - 1));
}

// Finds the smallest and the largest numbers of the processes at each coordinate of each agreed axis. One reduction, of
// a size proportional to the sum of the axes' process counts, tells every process whether some process differs.
class RecordExchange {
 public:
  explicit RecordExchange(JointCheck& check)
      : check_(check), first_(check.numbers_of_coordinates(check.agreed)), ends_(record_width * first_.back()) {}

  AxisRecords run() {
    std::vector<Index> of_first(record_width * first_.back(), no_number);
    write(of_first);
    ends_.reduce(check_.collectives);
    AxisRecords records;
    std::vector<bool> same;
    for (std::size_t axis = 0; axis < check_.agreed.size(); ++axis) {
      records.emplace_back();
      same.push_back(!check_.agreed[axis] || read(axis, records.back()));
    }
    if (std::find(same.begin(), same.end(), false) == same.end()) return records;
    check_.collectives.max(of_first);
    std::vector<Index> equal = count_equal(of_first);
    check_.collectives.sum(equal);
    for (std::size_t axis = 0; axis < same.size(); ++axis) {
      if (same[axis]) continue;
      check_.disagree(axis);
      for (std::size_t k = 0; k < check_.members.size(); ++k)
        compare_with_first(k, axis, &of_first[place(k, axis)], &equal[place(k, axis)]);
    }
    return records;
  }

 private:
  // The place of the record of a member's coordinate among all numbers.
  std::size_t place(std::size_t k, std::size_t axis) const {
    return record_width * (first_[axis] + check_.coordinate(k, axis));
  }

  // Calls `visit(k, axis, place, number)` for each number of the members' records.
  template <class Visit>
  void for_each_number(Visit visit) const {
    for (std::size_t k = 0; k < check_.members.size(); ++k)
      for (std::size_t axis = 0; axis < check_.agreed.size(); ++axis) {
        if (!check_.agreed[axis]) continue;
        const AxisRecord record = record_of(check_.dim(k, axis), check_.summaries[k][axis]);
        for (std::size_t field = 0; field < record_width; ++field)
          visit(k, axis, place(k, axis) + field, record[field]);
      }
  }

  // `of_first` are the records of the first process at each coordinate.
  void write(std::vector<Index>& of_first) {
    for_each_number([&](std::size_t k, std::size_t axis, std::size_t at, Index number) {
      ends_.add(at, number);
      if (check_.represents(k, axis)) of_first[at] = number;
    });
  }

  // How many processes say the same as the first one at their coordinate, for each number of `of_first`.
  std::vector<Index> count_equal(const std::vector<Index>& of_first) const {
    std::vector<Index> equal(of_first.size(), 0);
    for_each_number([&](std::size_t, std::size_t, std::size_t at, Index number) {
      if (number == of_first[at]) ++equal[at];
    });
    return equal;
  }

  // Returns whether the records at each coordinate of an axis are the same.
  bool read(std::size_t axis, std::vector<AxisRecord>& records) {
    bool same = true;
    const Dimension& d = check_.dim(0, axis);
    std::size_t at = record_width * first_[axis];
    for (Index c = 0; c < d.proc_grid_size; ++c, at += record_width) {
      AxisRecord record;
      for (const Field field : {start, stop, padded, left, right, unknown}) {
        const Index largest = ends_.largest(at + field), smallest = ends_.smallest(at + field);
        if (smallest != largest && must_be_same(d, c, field)) same = false;
        if (smallest != largest && d.dist_type() == 'u' && field == start) check_.lists_differ[axis] = true;
        // absent padding is (0, 0) in 0.10, and a separate fault in 0.9
        record[field] = field == padded ? largest : smallest;
        if (field == padded && smallest != largest && check_.version() == Version::v0_9) pad_everywhere(axis, c);
      }
      records.push_back(record);
    }
    return same;
  }

  void pad_everywhere(std::size_t axis, Index c) {
    check_.disagree(axis);
    check_.add_for_all(
        key_fault(Rule::block_padding_everywhere, static_cast<Index>(axis), "padding",
                  "present on some processes at coordinate " + std::to_string(c) + " and absent on others",
                  "but must be the same"));
  }

  // `equal` are the numbers of processes that say the same as the first one.
  void compare_with_first(std::size_t k, std::size_t axis, const Index* of_first, const Index* equal) {
    const Dimension& d = check_.dim(k, axis);
    const AxisRecord own = record_of(d, check_.summaries[k][axis]);
    const char* const names[] = {
        "start", d.dist_type() == 'u' ? "len(indices)" : "stop", "", "padding[0]", "padding[1]", ""};
    for (const Field field : {start, stop, left, right, unknown}) {
      if (own[field] == of_first[field] || !must_be_same(d, d.proc_grid_rank, field)) continue;
      const bool keys = field == unknown;
      const Index first = check_.first_at(axis, d.proc_grid_rank);
      check_.add(k, Rule::axis_same, static_cast<Index>(axis), names[field],
                 keys ? "the unknown keys are {" + text_of(d.extras) + "}" : std::to_string(own[field]),
                 there(d, equal[field]), {{keys ? "others" : std::to_string(of_first[field]), first}});
    }
  }

  // Where a difference is, and how many processes there say `same` as the first one.
  std::string there(const Dimension& d, Index same) const {
    const Index all = check_.collectives.processes() / d.proc_grid_size;
    const std::string of_all = " of the " + std::to_string(all) + " processes there";
    std::string text = "at coordinate " + std::to_string(d.proc_grid_rank);
    if (same > all - same) text += ", as on " + std::to_string(same) + of_all;
    if (same == 1 && all > 2) text += ", and on no other" + of_all;
    return text;
  }

  JointCheck& check_;
  std::vector<std::size_t> first_;  // by axis: the number of the record of coordinate 0
  Ends ends_;
};

}  // namespace

AxisRecords exchange_records(JointCheck& check) { return RecordExchange(check).run(); }

}  // namespace tridap
