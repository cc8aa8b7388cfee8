#include <dap/check.hpp>
#include <dap/mpi/agree.hpp>
#include <dap/mpi/gather.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <new>

namespace dap::mpi {

namespace {

// What a process says of one axis beyond what all agree on: five numbers, of which unused ones are 0.
using AxisRecord = std::array<Index, 5>;
enum Field : std::size_t {
  start,
  stop,
  padded,
  left,
  right
};  // an unstructured axis: `stop` is the length of its list

AxisRecord record_of(const Dimension& dimension) {
  if (const auto* block = std::get_if<Block>(&dimension.dist)) {
    const auto [lower, upper] = block->padding.value_or(std::array<Index, 2>{0, 0});
    return {block->start, block->stop, block->padding.has_value(), lower, upper};
  }
  if (const auto* cyclic = std::get_if<Cyclic>(&dimension.dist)) return {cyclic->start, 0, 0, 0, 0};
  return {0, std::get<Unstructured>(dimension.dist).indices.buffer.shape[0], 0, 0, 0};
}

// What all processes must say alike: of the array, whether it is right alone and in its place; and six keys of each
// axis. The first `axes_at_once` axes travel with the rest, in a reduction of fixed size.
constexpr std::size_t array_keys = 6, axis_keys = 6, axes_at_once = 8;
const char* const axis_key_names[axis_keys] = {"dist_type",  "size",     "proc_grid_size",
                                               "block_size", "periodic", "one_to_one"};

void say(std::vector<Index>& said, const Dimension& d) {
  const auto* cyclic = std::get_if<Cyclic>(&d.dist);
  const auto* unstructured = std::get_if<Unstructured>(&d.dist);
  said.insert(said.end(), {d.dist_type(), d.size, d.proc_grid_size, cyclic ? cyclic->block_size : 0, d.periodic ? 1 : 0,
                           unstructured && unstructured->one_to_one ? 1 : 0});
}

// Reduces numbers over all processes, in place, in pieces that MPI can count.
void reduce(Index* numbers, std::size_t count, MPI_Op operation, MPI_Comm comm) {
  constexpr std::size_t piece = std::size_t{1} << 26;
  for (std::size_t done = 0; done < count; done += piece)
    MPI_Allreduce(MPI_IN_PLACE, numbers + done, static_cast<int>(std::min(piece, count - done)), MPI_INT64_T, operation,
                  comm);
}

// One collective check of one array, step by step; every process takes the same steps.
class Gathering {
 public:
  Gathering(const DistArray& array, MPI_Comm comm) : array_(array), comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &processes_);
  }

  std::optional<Distribution> run() {
    if (!everybody_says_the_same() || !exchange_records() || !exchange_indices()) return std::nullopt;
    if (!has_lists_) return put_together();
    std::optional<Distribution> made;  // with lists there is memory to run out of
    return everywhere([&] { made = put_together(); }) ? made : std::nullopt;
  }
  Report take_report() { return std::move(report_); }

 private:
  bool everybody_says_the_same() {
    try {
      report_ = dap::check(array_);
    } catch (const std::exception& error) {
      fault(Rule::process_failure, {}, "", error.what(), "");
    }
    report_.set_process(rank_);
    const bool right = report_.ok();
    const Place place = right ? place_in_grid() : Place{};
    const ElementType& type = array_.buffer.type;
    std::vector<Index> said{right ? 0 : 1, array_.ndim(),     static_cast<Index>(type.kind),
                            type.bytes,    type.native_order, place.ravel == rank_ ? 0 : 1};
    for (std::size_t axis = 0; right && axis < std::min(array_.dim_data.size(), axes_at_once); ++axis)
      say(said, array_.dim_data[axis]);
    said.resize(array_keys + axes_at_once * axis_keys);
    std::vector<Spread> spreads = spread(said, comm_);
    const auto differ = [](const Spread& s) { return !s.same(); };

    if (rank_ == 0 && differ(spreads[1])) both(Rule::agree_ndim, {}, two_say("the number of axes", spreads[1]));
    const auto type_part = std::find_if(spreads.begin() + 2, spreads.begin() + 5, differ);
    const bool types = type_part == spreads.begin() + 5;
    if (!types && (rank_ == type_part->smallest_rank || rank_ == type_part->largest_rank))
      fault(Rule::agree_element_type, {}, "", "the element type is " + type.name(), "but not so on every process");
    if (spreads[0].largest != 0 || differ(spreads[1]) || !types) return false;

    if (array_.dim_data.size() > axes_at_once) {
      std::vector<Index> more;
      for (std::size_t axis = axes_at_once; axis < array_.dim_data.size(); ++axis) say(more, array_.dim_data[axis]);
      const std::vector<Spread> rest = spread(more, comm_);
      spreads.insert(spreads.end(), rest.begin(), rest.end());
    }
    bool same = true;
    for (std::size_t i = array_keys; i < spreads.size(); ++i) {
      if (spreads[i].same()) continue;
      same = false;
      const std::size_t key = i - array_keys, kind = i - key % axis_keys;
      const bool of_a_kind = key % axis_keys == 3 || key % axis_keys == 5;  // keys that only one dist_type has
      if (rank_ == 0 && !(of_a_kind && differ(spreads[kind])))
        both(Rule::agree_axis, static_cast<Index>(key / axis_keys),
             two_say(axis_key_names[key % axis_keys], spreads[i]));
    }
    return same && grid_is_the_processes(place, spreads[5].largest == 0);
  }

  struct Place {
    Index product = 1, ravel = 0;
  };

  Place place_in_grid() const {
    Place place;  // check() has seen that the product fits
    for (const Dimension& d : array_.dim_data) {
      place.product *= d.proc_grid_size;
      place.ravel = place.ravel * d.proc_grid_size + d.proc_grid_rank;
    }
    return place;
  }

  // All agree on the grid by now, so each process's own place is all there is to say.
  bool grid_is_the_processes(const Place& place, bool all_in_place) {
    if (place.product != processes_) {
      if (rank_ == 0)
        both(Rule::grid_product, {},
             "the process grid has " + std::to_string(place.product) + " places and the communicator " +
                 std::to_string(processes_) + " processes");
      return false;
    }
    if (place.ravel != rank_)
      fault(Rule::grid_order, {}, "", "the grid coordinates ravel to " + std::to_string(place.ravel),
            "must be the rank");
    return all_in_place;
  }

  // The smallest and the largest of what the processes at each coordinate of each axis say: one reduction in proportion
  // to the sum of the axes' process counts, after which all know whether somebody differs.
  bool exchange_records() {
    std::vector<AxisRecord> largest;
    std::vector<std::size_t> own;
    for (const Dimension& d : array_.dim_data) {
      own.push_back(largest.size() + static_cast<std::size_t>(d.proc_grid_rank));
      AxisRecord nothing;
      nothing.fill(std::numeric_limits<Index>::min());
      largest.resize(largest.size() + static_cast<std::size_t>(d.proc_grid_size), nothing);
    }
    const std::size_t count = largest.size();
    largest.resize(2 * count, AxisRecord{});  // the second half is of all bits turned: its largest are the smallest
    for (std::size_t i = count; i < 2 * count; ++i) largest[i].fill(std::numeric_limits<Index>::min());
    for (std::size_t axis = 0; axis < own.size(); ++axis) {
      const AxisRecord record = record_of(array_.dim_data[axis]);
      largest[own[axis]] = record;
      for (std::size_t field = 0; field < record.size(); ++field) largest[count + own[axis]][field] = ~record[field];
    }
    reduce(largest.empty() ? nullptr : largest.front().data(), 2 * count * std::tuple_size_v<AxisRecord>, MPI_MAX,
           comm_);

    bool same = true;
    std::size_t first = 0;
    for (std::size_t axis = 0; axis < own.size(); ++axis) {
      const Dimension& d = array_.dim_data[axis];
      records_.emplace_back();
      for (Index c = 0; c < d.proc_grid_size; ++c, ++first) {
        AxisRecord smallest;
        for (std::size_t field = 0; field < smallest.size(); ++field) smallest[field] = ~largest[count + first][field];
        for (const Field field : {start, stop, left, right})
          if (smallest[field] != largest[first][field] && must_be_same(d, c, field)) same = false;
        smallest[padded] = largest[first][padded];  // absent is (0, 0)
        records_.back().push_back(smallest);
      }
      compare(static_cast<Index>(axis), largest[own[axis]]);
    }
    return same;
  }

  // [axis.same] Boundary widths may differ, but on a periodic axis they say which index mirrors which.
  static bool must_be_same(const Dimension& d, Index c, Field field) {
    return d.periodic || !((field == left && c == 0) || (field == right && c == d.proc_grid_size - 1));
  }

  void compare(Index axis, const AxisRecord& largest) {
    const Dimension& d = array_.dim_data[static_cast<std::size_t>(axis)];
    const AxisRecord own = record_of(d);
    const char* const names[] = {"start", d.dist_type() == 'u' ? "len(indices)" : "stop", "", "padding[0]",
                                 "padding[1]"};
    for (const Field field : {start, stop, left, right})
      if (own[field] != largest[field] && must_be_same(d, d.proc_grid_rank, field))
        fault(Rule::axis_same, axis, names[field], std::to_string(own[field]),
              "but " + std::to_string(largest[field]) + " on another process at coordinate " +
                  std::to_string(d.proc_grid_rank));
  }

  // The first process at each coordinate speaks for it.
  bool speaks_for(std::size_t axis) const {
    for (std::size_t other = 0; other < array_.dim_data.size(); ++other)
      if (other != axis && array_.dim_data[other].proc_grid_rank != 0) return false;
    return true;
  }

  // True where `step` succeeds on every process; what it throws is a finding. One reduction.
  template <class Step>
  bool everywhere(Step step) {
    try {
      step();
    } catch (const std::exception& error) {
      fault(Rule::process_failure, {}, "", error.what(), "");
    }
    return spread({report_.ok() ? 0 : 1}, comm_).front().largest == 0;
  }

  bool exchange_indices() {
    lists_.resize(array_.dim_data.size());
    for (std::size_t axis = 0; axis < lists_.size(); ++axis)
      has_lists_ = has_lists_ || array_.dim_data[axis].dist_type() == 'u';
    if (!has_lists_) return true;
    if (!everywhere([this] { prepare_lists(); })) return false;  // memory first, on every process
    for (std::vector<Index>& lists : lists_) reduce(lists.data(), lists.size(), MPI_SUM, comm_);
    return everywhere([this] { compare_lists(); });
  }

  struct OwnList {
    std::vector<Index> indices;
    std::size_t first = 0;  // where it stands in the lists of all coordinates
  };

  OwnList own_list(std::size_t axis) const {
    const Dimension& d = array_.dim_data[axis];
    OwnList own;
    for (Index c = 0; c < d.proc_grid_rank; ++c)
      own.first += static_cast<std::size_t>(records_[axis][static_cast<std::size_t>(c)][stop]);
    std::optional<std::vector<Index>> indices = read_indices(std::get<Unstructured>(d.dist).indices);
    if (!indices) throw std::bad_alloc();  // check() has read them before
    own.indices = std::move(*indices);
    return own;
  }

  void prepare_lists() {
    for (std::size_t axis = 0; axis < lists_.size(); ++axis) {
      if (array_.dim_data[axis].dist_type() != 'u') continue;
      std::size_t total = 0;
      for (const AxisRecord& record : records_[axis]) total += static_cast<std::size_t>(record[stop]);
      lists_[axis].resize(total);
      if (!speaks_for(axis)) continue;
      const OwnList own = own_list(axis);
      std::copy(own.indices.begin(), own.indices.end(), lists_[axis].begin() + static_cast<std::ptrdiff_t>(own.first));
    }
  }

  void compare_lists() {
    for (std::size_t axis = 0; axis < lists_.size(); ++axis) {
      if (array_.dim_data[axis].dist_type() != 'u') continue;
      const OwnList own = own_list(axis);
      const auto said = lists_[axis].begin() + static_cast<std::ptrdiff_t>(own.first);
      if (!std::equal(own.indices.begin(), own.indices.end(), said))
        fault(Rule::axis_same, static_cast<Index>(axis), "indices", "another list",
              "but must be that of the first process at coordinate " +
                  std::to_string(array_.dim_data[axis].proc_grid_rank));
    }
  }

  // From here on every process knows the same and comes to the same conclusion; what is wrong, the first one says.
  std::optional<Distribution> put_together() {
    std::vector<Axis> axes;
    Index stride = processes_;  // from one coordinate to the next, in ranks
    for (std::size_t axis = 0; axis < array_.dim_data.size(); ++axis) {
      stride /= array_.dim_data[axis].proc_grid_size;
      Report found;
      std::optional<Axis> made = Axis::make(dimensions(axis), static_cast<Index>(axis), found);
      if (made) axes.push_back(std::move(*made));
      std::vector<Finding> findings = found.findings();
      for (Finding& finding : findings)
        if (finding.process) *finding.process *= stride;  // the first process at that coordinate
      if (rank_ == 0) report_.merge(Report::from_parts(std::move(findings), found.counts()));
    }
    if (axes.size() != array_.dim_data.size()) return std::nullopt;
    return Distribution(std::move(axes));
  }

  std::vector<Dimension> dimensions(std::size_t axis) const {
    std::vector<Dimension> all;
    Index first = 0;
    for (const AxisRecord& record : records_[axis]) {
      Dimension d = array_.dim_data[axis];
      d.extras.clear();
      d.proc_grid_rank = static_cast<Index>(all.size());
      if (auto* block = std::get_if<Block>(&d.dist)) {
        *block = {record[start], record[stop], {}};
        if (record[padded] != 0) block->padding = {record[left], record[right]};
      } else if (auto* cyclic = std::get_if<Cyclic>(&d.dist)) {
        cyclic->start = record[start];
      } else {
        std::get<Unstructured>(d.dist).indices = row_major(lists_[axis].data() + first, {record[stop]});
        first += record[stop];
      }
      all.push_back(std::move(d));
    }
    return all;
  }

  void fault(Rule rule, std::optional<Index> axis, std::string key, std::string value, std::string must) {
    report_.add({rule, rank_, axis, std::move(key), std::move(value), std::move(must), ""});
  }

  void both(Rule rule, std::optional<Index> axis, std::string value) {
    report_.add({rule, {}, axis, "", std::move(value), "but must be the same", ""});
  }

  static std::string two_say(const std::string& what, const Spread& s) {
    const auto show = [&](Index value) {
      if (what == "dist_type") return "'" + std::string(1, static_cast<char>(value)) + "'";
      if (what == "periodic" || what == "one_to_one") return std::string(value != 0 ? "true" : "false");
      return std::to_string(value);
    };
    return "'" + what + "' is " + show(s.smallest) + " on rank " + std::to_string(s.smallest_rank) + " and " +
           show(s.largest) + " on rank " + std::to_string(s.largest_rank);
  }

  const DistArray& array_;
  MPI_Comm comm_;
  int rank_ = 0, processes_ = 1;
  Report report_;                                 // of this process
  std::vector<std::vector<AxisRecord>> records_;  // by axis and coordinate
  std::vector<std::vector<Index>> lists_;         // by axis: all its lists, in the order of coordinates
  bool has_lists_ = false;
};

}  // namespace

Report check(const DistArray& array, MPI_Comm comm) {
  Gathering gathering(array, comm);
  gathering.run();
  return agree(gathering.take_report(), comm);
}

Distribution gather(const DistArray& array, MPI_Comm comm) {
  Gathering gathering(array, comm);
  std::optional<Distribution> distribution = gathering.run();
  if (!distribution) throw Error(agree(gathering.take_report(), comm));
  return std::move(*distribution);
}

}  // namespace dap::mpi
