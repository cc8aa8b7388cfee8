#include "axis_record.hpp"
#include "checking.hpp"
#include "index_lists.hpp"
#include <tridap/gather_distribution.hpp>
#include <tridap/internal/collective_check.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <new>
#include <string>

namespace tridap {

namespace {

// One collective check of one array. Every process makes the same steps.
class CollectiveCheck {
 public:
  CollectiveCheck(const std::vector<LocalArray>& members, Collectives& collectives, const Reading& reading)
      : members_(members), collectives_(collectives), reading_(reading), reports_(members.size()) {
    for (const LocalArray& member : members) ranks_.push_back(member.rank);
  }

  // Without errors, returns the Distribution if it is wanted.
  std::optional<Distribution> run(bool want_distribution) {
    settle_version();
    if (!compare_all()) return std::nullopt;
    exchange_records();
    examine_lists();
    std::vector<Index> lists;
    const bool made_axes = everywhere([&](std::size_t k) {
      if (k == 0) make_axes();
      if (want_distribution && right_ && has_lists()) place_lists(k, lists);
    });
    if (made_axes) explain_axes();
    if (!made_axes || !right_ || !want_distribution) return std::nullopt;
    if (!lists.empty()) collectives_.max(lists);
    std::optional<Distribution> made;  // making it may run out of memory
    if (!alone([&] { made = distribution_of(lists); })) made.reset();
    return made;
  }

  std::vector<Report> take_reports() { return std::move(reports_); }

 private:
  static constexpr std::size_t record_width = std::tuple_size_v<AxisRecord>;
  using Words = std::vector<std::vector<Index>>;  // by member
  using Counts = std::array<Index, 2>;            // of processes that have the smallest and the largest of a number

  const DistArray& array(std::size_t k) const { return *members_[k].array; }
  const Dimension& dim(std::size_t k, std::size_t axis) const { return array(k).dim_data[axis]; }
  std::vector<MinMax> min_max(const Words& values) { return tridap::min_max(ranks_, values, collectives_, not_known); }

  template <class Step>
  bool everywhere(Step step) {
    return tridap::everywhere(members_, collectives_, reports_, step);
  }
  // The same for a step that is done once for all members of this process.
  template <class Step>
  bool alone(Step step) {
    return everywhere([&](std::size_t k) {
      if (k == 0) step();
    });
  }
  // The version that each process's data is read as: the stated one, or with trust_extent the one that fits on every
  // process.
  void settle_version() {
    Words values;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const std::optional<Version> stamped = read_version(array(k).version, reports_[k]);
      versions_.push_back(stamped.value_or(Version::v0_10));
      codes_.push_back(!stamped ? -1 : *stamped == Version::v0_9 ? 9 : 10);
      if (!reading_.trust_extent) continue;
      const bool known = stamped.has_value();
      values.push_back({known && fits_version(array(k), versions_[k]) ? 0 : 1,
                        known && fits_version(array(k), other(versions_[k])) ? 0 : 1, codes_.back()});
    }
    if (!reading_.trust_extent) return;
    const std::vector<MinMax> all = min_max(values);
    if (all[0].largest == 0 || all[1].largest != 0 || !all[2].is_same()) return;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      if (values[k][0] != 0) reports_[k].add(trusted(versions_[k]));
      versions_[k] = other(versions_[k]);
    }
  }

  bool compare_all() {
    Words values, more;
    collect_values(values, more);
    const std::vector<MinMax> spreads = min_max(values);
    std::vector<Counts> counts = count_ends(values, spreads), rest_counts;
    bool versions = false, same_ndim = false, types = false;
    std::vector<MinMax> axes, rest;
    counts.resize(spreads.size());
    versions = compare_versions(spreads[version_code], counts[version_code]);
    same_ndim = compare_ndim(spreads[ndim], counts[ndim]);
    types = compare_types(spreads);
    axes.assign(spreads.begin() + array_keys, spreads.end());
    counts.erase(counts.begin(), counts.begin() + array_keys);
    right_ = spreads[faulty].largest == 0 && types;
    if (!versions || !same_ndim) return right_ = false;

    if (array(0).dim_data.size() > axes_at_once) {
      rest = min_max(more);
      rest_counts = count_ends(more, rest);
    }
    bool comparable = false;
    rest_counts.resize(rest.size());
    axes.insert(axes.end(), rest.begin(), rest.end());
    counts.insert(counts.end(), rest_counts.begin(), rest_counts.end());
    comparable = compare_axes(axes, counts) && compare_grid(spreads[misplaced].largest == 0);
    right_ = right_ && comparable && std::find(agreed_.begin(), agreed_.end(), false) == agreed_.end();
    return comparable;
  }

  void collect_values(Words& values, Words& more) {
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const std::vector<State> states = check_alone(k);
      const ElementType& type = array(k).buffer.type;
      const bool placed = std::find(states.begin(), states.end(), nowhere) != states.end() || ravel(k) == ranks_[k];
      std::vector<Index> words{codes_[k],      array(k).ndim(),         static_cast<Index>(type.kind),
                               type.bytes,     type.native_order,       type.description_number(),
                               placed ? 0 : 1, reports_[k].ok() ? 0 : 1};
      values.push_back(words);
      more.emplace_back();
      for (std::size_t axis = 0; axis < states.size(); ++axis)
        append_values(axis < axes_at_once ? values[k] : more[k], dim(k, axis), states[axis]);
      values[k].resize(array_keys + axes_at_once * per_axis);
    }
  }

  // Checks one process's data alone. Returns for each axis how much of it the other processes can use.
  std::vector<State> check_alone(std::size_t k) {
    std::vector<State> states(array(k).dim_data.size(), nowhere);
    try {
      Report alone;
      if (members_[k].reading != nullptr) alone = *members_[k].reading;
      alone.merge(check_as(array(k), versions_[k]));
      const bool all_kept = alone.count(Rule::grid_product) == 0 && alone.errors() <= Report::kept_per_rule;
      if (all_kept) std::fill(states.begin(), states.end(), sound);
      for (const Finding& finding : alone.findings())
        if (finding.severity() == Severity::error && finding.axis && finding.rule != Rule::shape_extent) {
          State& state = states[static_cast<std::size_t>(*finding.axis)];
          state = std::max(state, hides_the_coordinate(finding) ? nowhere : wrong);
        }
      reports_[k].merge(alone);
    } catch (const std::exception& error) {
      fault(k, Rule::process_failure, {}, "", error.what(), "");
    }
    reports_[k].set_process(ranks_[k]);
    return states;
  }

  static bool hides_the_coordinate(const Finding& finding) {
    return finding.rule == Rule::type_structure || finding.rule == Rule::empty_dict ||
           finding.key == "proc_grid_size" || finding.key == "proc_grid_rank";
  }

  // How many processes have the smallest and the largest of each number: one reduction if some differ, else empty.
  std::vector<Counts> count_ends(const Words& values, const std::vector<MinMax>& spreads) {
    std::vector<Counts> counts;
    if (std::all_of(spreads.begin(), spreads.end(), [](const MinMax& s) { return s.is_same(); })) return counts;
    std::vector<Index> numbers;
    counts.resize(spreads.size());
    numbers.resize(2 * spreads.size());
    for (const std::vector<Index>& of_one : values)
      for (std::size_t i = 0; i < spreads.size(); ++i) {
        if (of_one[i] == spreads[i].smallest) ++numbers[2 * i];
        if (of_one[i] == spreads[i].largest) ++numbers[2 * i + 1];
      }
    collectives_.sum(numbers);
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = {numbers[2 * i], numbers[2 * i + 1]};
    return counts;
  }

  bool compare_versions(const MinMax& s, const Counts& counts) {
    if (s.smallest >= 0 && !s.is_same()) both(Rule::agree_version, {}, "__version__", s, counts);
    return s.smallest >= 0 && s.is_same();
  }

  bool compare_ndim(const MinMax& s, const Counts& counts) {
    if (!s.is_same()) both(Rule::agree_ndim, {}, "len(dim_data)", s, counts);
    return s.is_same();
  }

  bool compare_types(const std::vector<MinMax>& spreads) {
    for (const ArrayKey key : {type_kind, type_bytes, type_order, type_description}) {
      if (spreads[key].is_same()) continue;
      for (std::size_t k = 0; k < members_.size(); ++k)
        if (ranks_[k] == spreads[key].smallest_rank || ranks_[k] == spreads[key].largest_rank)
          fault(k, Rule::agree_element_type, {}, "", "the element type is " + array(k).buffer.type.text(),
                "but is different on another process");
      return false;
    }
    return true;
  }

  // Finds the axes on which all processes agree. Returns false if the process grid is not known to all.
  bool compare_axes(const std::vector<MinMax>& spreads, const std::vector<Counts>& counts) {
    bool grid_known = true;
    for (std::size_t axis = 0; axis < array(0).dim_data.size(); ++axis) {
      const MinMax* const of_axis = &spreads[axis * per_axis];
      const bool all_sound = of_axis[0].largest == sound, placed = of_axis[0].largest < nowhere;
      bool same = all_sound;
      for (std::size_t key = 0; key < axis_key.size(); ++key) {
        const MinMax& s = of_axis[1 + key];
        if (s.is_same()) continue;  // among the known values: an invalid axis only has its proc_grid_size
        same = false;
        const bool of_a_kind = key == block_size_key || key == one_to_one_key;  // keys that only one dist_type has
        if (!(of_a_kind && !of_axis[1 + dist_type_key].is_same()))
          both(axis_key[key].rule, static_cast<Index>(axis), axis_key[key].name, s, counts[axis * per_axis + 1 + key]);
      }
      agreed_.push_back(same);
      grid_known = grid_known && placed && of_axis[1 + grid_key].is_same();
    }
    return grid_known;
  }

  Index ravel(std::size_t k) const {
    Index ravel = 0;
    for (const Dimension& d : array(k).dim_data) ravel = ravel * d.proc_grid_size + d.proc_grid_rank;
    return ravel;
  }

  bool compare_grid(bool all_in_place) {
    Index product = 1;  // check_as() has checked that it fits
    rank_stride_.resize(agreed_.size());
    for (std::size_t axis = agreed_.size(); axis-- > 0;) {
      rank_stride_[axis] = product;
      product *= dim(0, axis).proc_grid_size;
    }
    if (product != collectives_.processes()) {
      add_for_all({Rule::grid_product,
                   {},
                   {},
                   "",
                   "the process grid has " + std::to_string(product) + " processes and the array is on " +
                       std::to_string(collectives_.processes()),
                   "but must be the same",
                   ""});
      return false;
    }
    for (std::size_t k = 0; !all_in_place && k < members_.size(); ++k)
      if (const Index found = ravel(k); found != ranks_[k])
        fault(k, Rule::grid_order, {}, "", "the row-major number of the grid coordinates is " + std::to_string(found),
              "must be the rank");
    return all_in_place;
  }

  // Finds the smallest and the largest values of the processes at each coordinate of each agreed axis. One reduction,
  // of a size proportional to the sum of the axes' process counts, tells every process whether some process differs.
  void exchange_records() {
    std::vector<std::size_t> first;     // the first record of an axis
    std::vector<Index> ends, of_first;  // the second half of `ends` is for the smallest, with all bits inverted
    std::vector<bool> same;
    write_records(first, ends, of_first);
    collectives_.max(ends);
    same = read_records(ends);
    if (std::find(same.begin(), same.end(), false) == same.end()) return;
    collectives_.max(of_first);
    std::vector<Index> equal;  // by number of `of_first`: how many processes have it
    count_equal(first, of_first, equal);
    collectives_.sum(equal);
    for (std::size_t axis = 0; axis < agreed_.size(); ++axis) {
      if (same[axis]) continue;
      disagree(axis);
      for (std::size_t k = 0; k < members_.size(); ++k) {
        const std::size_t at = record_of_coordinate(first, k, axis);
        compare_with_first(k, axis, &of_first[at], &equal[at]);
      }
    }
  }

  std::size_t record_of_coordinate(const std::vector<std::size_t>& first, std::size_t k, std::size_t axis) const {
    return record_width * (first[axis] + static_cast<std::size_t>(dim(k, axis).proc_grid_rank));
  }

  void count_equal(const std::vector<std::size_t>& first, const std::vector<Index>& of_first,
                   std::vector<Index>& equal) const {
    equal.assign(of_first.size(), 0);
    for (std::size_t k = 0; k < members_.size(); ++k)
      for (std::size_t axis = 0; axis < agreed_.size(); ++axis) {
        if (!agreed_[axis]) continue;
        const std::size_t at = record_of_coordinate(first, k, axis);
        const AxisRecord own = record_of(dim(k, axis));
        for (std::size_t field = 0; field < record_width; ++field)
          if (own[field] == of_first[at + field]) ++equal[at + field];
      }
  }

  // `of_first` are the records of the first process at each coordinate.
  void write_records(std::vector<std::size_t>& first, std::vector<Index>& ends, std::vector<Index>& of_first) const {
    first.resize(agreed_.size());
    std::size_t count = 0;
    for (std::size_t axis = 0; axis < agreed_.size(); ++axis) {
      first[axis] = count;
      if (agreed_[axis]) count += static_cast<std::size_t>(dim(0, axis).proc_grid_size);
    }
    constexpr std::size_t width = record_width;
    ends.assign(2 * width * count, lowest);
    of_first.assign(width * count, lowest);
    for (std::size_t k = 0; k < members_.size(); ++k)
      for (std::size_t axis = 0; axis < agreed_.size(); ++axis) {
        if (!agreed_[axis]) continue;
        const std::size_t at = width * (first[axis] + static_cast<std::size_t>(dim(k, axis).proc_grid_rank));
        const AxisRecord record = record_of(dim(k, axis));
        for (std::size_t field = 0; field < width; ++field) {
          ends[at + field] = std::max(ends[at + field], record[field]);
          ends[width * count + at + field] = std::max(ends[width * count + at + field], ~record[field]);
          if (represents(k, axis)) of_first[at + field] = record[field];
        }
      }
  }

  // Returns for each axis whether the records at each coordinate are the same.
  std::vector<bool> read_records(const std::vector<Index>& ends) {
    records_.resize(agreed_.size());
    std::vector<bool> same(agreed_.size(), true);
    std::size_t at = 0;
    for (std::size_t axis = 0; axis < agreed_.size(); ++axis) {
      if (!agreed_[axis]) continue;
      const Dimension& d = dim(0, axis);
      for (Index c = 0; c < d.proc_grid_size; ++c, at += record_width) {
        AxisRecord record;
        for (const Field field : {start, stop, padded, left, right, unknown}) {
          const Index largest = ends[at + field], smallest = ~ends[ends.size() / 2 + at + field];
          if (smallest != largest && must_be_same(d, c, field)) same[axis] = false;
          // absent padding is (0, 0) in 0.10, and a separate fault in 0.9
          record[field] = field == padded ? largest : smallest;
          if (field != padded || versions_[0] == Version::v0_10 || smallest == largest) continue;
          disagree(axis);
          add_for_all({Rule::block_padding_everywhere,
                       {},
                       static_cast<Index>(axis),
                       "padding",
                       "present on some processes at coordinate " + std::to_string(c) + " and absent on others",
                       "but must be the same",
                       ""});
        }
        records_[axis].push_back(record);
      }
    }
    return same;
  }

  void disagree(std::size_t axis) { agreed_[axis] = right_ = false; }

  // [axis.same] Boundary widths may differ, except on a periodic axis, where they decide which index mirrors which.
  static bool must_be_same(const Dimension& d, Index c, Field field) {
    if (field == padded) return false;
    return d.periodic || !((field == left && c == 0) || (field == right && c == d.proc_grid_size - 1));
  }

  // `equal` are the numbers of processes that say the same as the first one.
  void compare_with_first(std::size_t k, std::size_t axis, const Index* of_first, const Index* equal) {
    const Dimension& d = dim(k, axis);
    const AxisRecord own = record_of(d);
    const char* const names[] = {"start", d.dist_type() == 'u' ? "len(indices)" : "stop", "", "padding[0]",
                                 "padding[1]"};
    const Index first = d.proc_grid_rank * rank_stride_[axis];
    const auto there = [&](Field field) {
      const Index all = collectives_.processes() / d.proc_grid_size, same = equal[field];
      const std::string of_all = " of the " + std::to_string(all) + " processes there";
      std::string text = "at coordinate " + std::to_string(d.proc_grid_rank);
      if (same > all - same) text += ", as on " + std::to_string(same) + of_all;
      if (same == 1 && all > 2) text += ", and on no other" + of_all;
      return text;
    };
    for (const Field field : {start, stop, left, right})
      if (own[field] != of_first[field] && must_be_same(d, d.proc_grid_rank, field))
        fault(k, Rule::axis_same, static_cast<Index>(axis), names[field], std::to_string(own[field]), there(field),
              {{std::to_string(of_first[field]), first}});
    if (own[unknown] != of_first[unknown])
      fault(k, Rule::axis_same, static_cast<Index>(axis), "", "the unknown keys are {" + text_of(d.extras) + "}",
            there(unknown), {{"others", first}});
  }

  // True on the first process at a coordinate, which represents all processes there.
  bool represents(std::size_t k, std::size_t axis) const {
    return ranks_[k] == dim(k, axis).proc_grid_rank * rank_stride_[axis];
  }

  bool has_lists() const {
    for (std::size_t axis = 0; axis < agreed_.size(); ++axis)
      if (agreed_[axis] && dim(0, axis).dist_type() == 'u') return true;
    return false;
  }

  // Checks that the lists at one coordinate are the same, that one_to_one is true, and what `size` counts.
  void examine_lists() {
    if (!has_lists()) return;
    std::vector<ListedAxis> axes, counted;
    axes = listed_axes();
    if (std::any_of(axes.begin(), axes.end(), [&](const ListedAxis& a) { return a.grid < collectives_.processes(); })) {
      std::optional<std::vector<bool>> same;
      const auto compare = [&](const IndexLists& lists) { same = lists.compare(collectives_, reports_); };
      if (!with_lists(axes, compare) || !same) return void(right_ = false);
      for (std::size_t i = axes.size(); i-- > 0;) {
        if ((*same)[i]) continue;
        disagree(static_cast<std::size_t>(axes[i].axis));
        axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    std::copy_if(axes.begin(), axes.end(), std::back_inserter(counted),
                 [](const ListedAxis& a) { return a.one_to_one || a.total > a.size; });
    std::optional<std::vector<Index>> distinct;
    const auto count = [&](const IndexLists& lists) { distinct = lists.count_distinct(collectives_, reports_); };
    if (!counted.empty() && (!with_lists(counted, count) || !distinct)) return void(right_ = false);
    for (const ListedAxis& a : axes) {
      const auto at =
          std::find_if(counted.begin(), counted.end(), [&](const ListedAxis& c) { return c.axis == a.axis; });
      std::optional<Index> different;
      if (at != counted.end()) different = (*distinct)[static_cast<std::size_t>(at - counted.begin())];
      compare_size(a, different);
    }
  }

  void compare_size(const ListedAxis& a, std::optional<Index> distinct) {
    if (a.one_to_one && distinct != a.total) right_ = false;  // count_distinct() has reported it
    if (a.total == a.size) return;
    const Rule rule = distinct == a.size ? Rule::unstructured_distinct : Rule::unstructured_size;
    if (rule == Rule::unstructured_size) right_ = false;
    std::string must = "but the lists of the coordinates have " + std::to_string(a.total) + " indices";
    if (distinct) must += ", " + std::to_string(*distinct) + " of them distinct";
    if (ranks_.front() == 0)
      reports_.front().add({rule, {}, a.axis, "size", std::to_string(a.size), std::move(must), ""});
  }

  std::vector<ListedAxis> listed_axes() const {
    std::vector<ListedAxis> axes;
    for (std::size_t axis = 0; axis < agreed_.size(); ++axis) {
      if (!agreed_[axis] || dim(0, axis).dist_type() != 'u') continue;
      const Dimension& d = dim(0, axis);
      axes.push_back({static_cast<Index>(axis), d.proc_grid_size, d.size, rank_stride_[axis], 0,
                      std::get<Unstructured>(d.dist).one_to_one});
      for (const AxisRecord& record : records_[axis]) axes.back().total += record[stop];
    }
    return axes;
  }

  // Reads the lists, on every process or on none, then makes a collective step.
  template <class Step>
  bool with_lists(const std::vector<ListedAxis>& axes, Step step) {
    std::optional<IndexLists> lists;
    return alone([&] { lists.emplace(members_, axes); }) && alone([&] { step(*lists); });
  }

  // From here on every process has the same data and finds the same errors. The first process reports them.
  void make_axes() {
    axes_.resize(agreed_.size());
    for (std::size_t axis = 0; axis < agreed_.size(); ++axis) {
      if (!agreed_[axis] || dim(0, axis).dist_type() == 'u') continue;
      Report found;
      axes_[axis] = Axis::make(dimensions(axis, nullptr), static_cast<Index>(axis), found, versions_[0]);
      if (!axes_[axis]) unmade_.push_back(axis);
    }
    right_ = right_ && unmade_.empty();
  }

  // Reports why axes could not be made. The extents of the buffers show which of two numbers is wrong, so they are
  // compared first: one reduction, of two numbers for each coordinate of these axes.
  void explain_axes() {
    if (unmade_.empty()) return;
    std::vector<Index> ends;
    write_extents(ends);
    collectives_.max(ends);
    std::size_t at = 0;
    for (const std::size_t axis : unmade_) {
      Extents extents;
      for (Index c = 0; c < dim(0, axis).proc_grid_size; ++c, at += 2)
        extents.push_back(ends[at] == ~ends[at + 1] ? std::optional<Index>(ends[at]) : std::nullopt);
      Report found;
      make_axis_in_buffers(dimensions(axis, nullptr), extents, static_cast<Index>(axis), found, versions_[0]);
      std::vector<Finding> findings = found.findings();
      for (Finding& finding : findings) {  // the first process at a coordinate
        if (finding.process) *finding.process *= rank_stride_[axis];
        for (ValueElsewhere& other : finding.others) other.process *= rank_stride_[axis];
      }
      if (ranks_.front() == 0) reports_.front().merge(Report::from_parts(std::move(findings), found.counts()));
    }
  }

  // The largest extent of the buffers at each coordinate of these axes and, with all bits inverted, the smallest.
  void write_extents(std::vector<Index>& ends) const {
    std::size_t count = 0;
    for (const std::size_t axis : unmade_) count += static_cast<std::size_t>(dim(0, axis).proc_grid_size);
    ends.assign(2 * count, lowest);
    for (std::size_t k = 0; k < members_.size(); ++k) {
      std::size_t first = 0;
      for (const std::size_t axis : unmade_) {
        const IndexList& shape = array(k).buffer.shape;
        const Index extent = shape.size() == agreed_.size() ? shape[axis] : -1;  // -1: not known
        const std::size_t at = first + 2 * static_cast<std::size_t>(dim(k, axis).proc_grid_rank);
        ends[at] = std::max(ends[at], extent);
        ends[at + 1] = std::max(ends[at + 1], ~extent);
        first += 2 * static_cast<std::size_t>(dim(0, axis).proc_grid_size);
      }
    }
  }

  // The dimensions of all coordinates. `lists` holds the lists of an unstructured axis, one after the other.
  std::vector<Dimension> dimensions(std::size_t axis, const Index* lists) const {
    std::vector<Dimension> all;
    for (const AxisRecord& record : records_[axis]) {
      const Dimension& any = dim(0, axis);  // its unknown keys are not used
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

  // Finds the offset of each coordinate's list among those of all unstructured axes. Returns the total length.
  std::size_t find_list_places() {
    std::size_t next = 0;
    list_places_.resize(agreed_.size());
    for (std::size_t axis = 0; axis < agreed_.size(); ++axis) {
      if (dim(0, axis).dist_type() != 'u') continue;
      for (const AxisRecord& record : records_[axis]) {
        list_places_[axis].push_back(next);
        next += static_cast<std::size_t>(record[stop]);
      }
    }
    return next;
  }

  // Writes a member's lists at their offsets, if the member represents their coordinate.
  void place_lists(std::size_t k, std::vector<Index>& lists) {
    if (k == 0) lists.resize(find_list_places(), lowest);
    for (std::size_t axis = 0; axis < list_places_.size(); ++axis) {
      if (list_places_[axis].empty() || !represents(k, axis)) continue;
      const std::size_t own = list_places_[axis][static_cast<std::size_t>(dim(k, axis).proc_grid_rank)];
      const auto indices = read_indices(std::get<Unstructured>(dim(k, axis).dist).indices);
      if (!indices) throw std::bad_alloc();  // they could be read before
      std::copy(indices->begin(), indices->end(), lists.begin() + static_cast<std::ptrdiff_t>(own));
    }
  }

  Distribution distribution_of(const std::vector<Index>& lists) {
    std::vector<Axis> axes;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      if (dim(0, axis).dist_type() == 'u') {
        Report known;
        axes_[axis] = Axis::make(dimensions(axis, lists.data() + list_places_[axis].front()), static_cast<Index>(axis),
                                 known, versions_[0]);
      }
      axes.push_back(std::move(axes_[axis].value()));
    }
    return Distribution(std::move(axes));
  }

  void fault(std::size_t k, Rule rule, std::optional<Index> axis, std::string key, std::string value, std::string must,
             std::vector<ValueElsewhere> others = {}) {
    reports_[k].add({rule, ranks_[k], axis, std::move(key), std::move(value), std::move(must), "", std::move(others)});
  }

  // Reports a difference between two processes, on the first process, and the value that most processes have.
  void both(Rule rule, std::optional<Index> axis, const std::string& key, const MinMax& s, const Counts& counts) {
    std::vector<ValueElsewhere> values = two_values(key, s);
    const std::size_t frequent = counts[0] > counts[1] ? 0 : 1;
    const Index all = collectives_.processes();
    std::string must = "but must be the same";
    if (counts[frequent] > all - counts[frequent])
      must += ": it is " + values[frequent].value + " on " + std::to_string(counts[frequent]) + " of " +
              std::to_string(all) + " processes";
    add_for_all({rule, {}, axis, key, "", std::move(must), "", std::move(values)});
  }

  // Reports a fault that is not of a single process, on the first process.
  void add_for_all(Finding finding) {
    if (ranks_.front() == 0) reports_.front().add(std::move(finding));
  }

  static std::vector<ValueElsewhere> two_values(const std::string& what, const MinMax& s) {
    const auto show = [&](Index value) {
      if (what == "__version__") return "0." + std::to_string(value);
      if (what == "dist_type") return "'" + std::string(1, static_cast<char>(value)) + "'";
      if (what == "periodic" || what == "one_to_one") return std::string(value != 0 ? "true" : "false");
      return std::to_string(value);
    };
    return {{show(s.smallest), s.smallest_rank}, {show(s.largest), s.largest_rank}};
  }

  const std::vector<LocalArray>& members_;
  Collectives& collectives_;
  Reading reading_;
  std::vector<Index> ranks_;
  bool right_ = true;               // no process has an error; the same on every process
  std::vector<Report> reports_;     // by member
  std::vector<Version> versions_;   // by member: the version that its data is read as
  std::vector<Index> codes_;        // by member: the minor number of the version; -1: not one that is read
  std::vector<bool> agreed_;        // by axis: valid on each process alone, and the same on all
  std::vector<Index> rank_stride_;  // by axis: from one coordinate to the next, in ranks
  std::vector<std::vector<AxisRecord>> records_;       // by axis and coordinate
  std::vector<std::vector<std::size_t>> list_places_;  // by axis and coordinate, of unstructured axes
  std::vector<std::optional<Axis>> axes_;
  std::vector<std::size_t> unmade_;  // axes whose coordinates contradict one another
};

}  // namespace

CheckOutcome check_collectively(const std::vector<LocalArray>& members, Collectives& collectives,
                                const Reading& reading, bool want_distribution) {
  CollectiveCheck check(members, collectives, reading);
  CheckOutcome outcome;
  outcome.distribution = check.run(want_distribution);
  outcome.reports = check.take_reports();
  return outcome;
}

}  // namespace tridap
