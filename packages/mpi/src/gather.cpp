#include <dap/check.hpp>
#include <dap/mpi/agree.hpp>
#include <dap/mpi/gather.hpp>

#include <algorithm>

namespace dap::mpi {

namespace {

// What a process says of one axis beyond what all agree on: five numbers, of which unused ones are 0.
struct AxisRecord {
  Index start = 0, stop = 0;  // an unstructured axis: 0 and the length of its list
  Index padded = 0, left = 0, right = 0;
};
static_assert(sizeof(AxisRecord) == 5 * sizeof(Index), "records travel as rows of five numbers");

AxisRecord record_of(const Dimension& dimension) {
  if (const auto* block = std::get_if<Block>(&dimension.dist)) {
    const auto [left, right] = block->padding.value_or(std::array<Index, 2>{0, 0});
    return {block->start, block->stop, block->padding.has_value(), left, right};
  }
  if (const auto* cyclic = std::get_if<Cyclic>(&dimension.dist)) return {cyclic->start, 0, 0, 0, 0};
  return {0, std::get<Unstructured>(dimension.dist).indices.buffer.shape[0], 0, 0, 0};
}

// Adds up numbers over all processes, in place, in pieces that MPI can count.
void sum(Index* numbers, std::size_t count, MPI_Comm comm) {
  constexpr std::size_t piece = std::size_t{1} << 26;
  for (std::size_t done = 0; done < count; done += piece)
    MPI_Allreduce(MPI_IN_PLACE, numbers + done, static_cast<int>(std::min(piece, count - done)), MPI_INT64_T, MPI_SUM,
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
    if (!everybody_is_right_alone() || !everybody_says_the_same()) return std::nullopt;
    exchange_records();
    exchange_indices();
    return put_together();
  }
  Report take_report() { return std::move(report_); }

 private:
  bool everybody_is_right_alone() {
    try {
      report_ = dap::check(array_);
      report_.set_process(rank_);
    } catch (const std::exception& error) {
      fault(Rule::process_failure, {}, "", error.what(), "");
    }
    const ElementType& type = array_.buffer.type;
    const auto spreads = spread(
        {report_.ok() ? 0 : 1, array_.ndim(), static_cast<Index>(type.kind), type.bytes, type.native_order ? 1 : 0},
        comm_);
    const auto differ = [&](const Spread& s) { return !s.same(); };
    if (rank_ == 0 && differ(spreads[1])) both(Rule::agree_ndim, {}, two_say("the number of axes", spreads[1]));
    const auto type_part = std::find_if(spreads.begin() + 2, spreads.end(), differ);
    if (type_part != spreads.end() && (rank_ == type_part->smallest_rank || rank_ == type_part->largest_rank))
      fault(Rule::agree_element_type, {}, "", "the element type is " + type.name(), "but not so on every process");
    return spreads[0].largest == 0 && std::none_of(spreads.begin() + 1, spreads.end(), differ);
  }

  bool everybody_says_the_same() {
    static const char* const keys[] = {"dist_type", "size", "proc_grid_size", "block_size", "periodic", "one_to_one"};
    std::vector<Index> said;
    for (const Dimension& d : array_.dim_data) {
      const auto* cyclic = std::get_if<Cyclic>(&d.dist);
      const auto* unstructured = std::get_if<Unstructured>(&d.dist);
      said.insert(said.end(), {d.dist_type(), d.size, d.proc_grid_size, cyclic ? cyclic->block_size : 0,
                               d.periodic ? 1 : 0, unstructured && unstructured->one_to_one ? 1 : 0});
    }
    const std::vector<Spread> spreads = spread(said, comm_);
    bool same = true;
    for (std::size_t i = 0; i < spreads.size(); ++i) {
      if (spreads[i].same()) continue;
      same = false;
      if (rank_ == 0) both(Rule::agree_axis, static_cast<Index>(i / 6), two_say(keys[i % 6], spreads[i]));
    }
    if (!same) return false;
    return grid_is_the_processes();
  }

  // All agree on the grid by now, so each process's own place is all there is to check.
  bool grid_is_the_processes() {
    Index product = 1, ravel = 0;  // check() has seen that the product fits
    for (const Dimension& d : array_.dim_data) {
      product *= d.proc_grid_size;
      ravel = ravel * d.proc_grid_size + d.proc_grid_rank;
    }
    if (product != processes_ && rank_ == 0)
      both(Rule::grid_product, {},
           "the process grid has " + std::to_string(product) + " places and the communicator " +
               std::to_string(processes_) + " processes");
    if (product == processes_ && ravel != rank_)
      fault(Rule::grid_order, {}, "", "the grid coordinates ravel to " + std::to_string(ravel), "must be the rank");
    return spread({report_.ok() ? 0 : 1}, comm_).front().largest == 0;
  }

  // The first process at each coordinate speaks for it.
  bool speaks_for(std::size_t axis) const {
    for (std::size_t other = 0; other < array_.dim_data.size(); ++other)
      if (other != axis && array_.dim_data[other].proc_grid_rank != 0) return false;
    return true;
  }

  void exchange_records() {
    std::vector<AxisRecord> all;
    for (std::size_t axis = 0; axis < array_.dim_data.size(); ++axis) {
      const Dimension& d = array_.dim_data[axis];
      const std::size_t first = all.size();
      all.resize(first + static_cast<std::size_t>(d.proc_grid_size));
      if (speaks_for(axis)) all[first + static_cast<std::size_t>(d.proc_grid_rank)] = record_of(d);
    }
    sum(reinterpret_cast<Index*>(all.data()), 5 * all.size(), comm_);
    std::size_t first = 0;
    for (std::size_t axis = 0; axis < array_.dim_data.size(); ++axis) {
      const Dimension& d = array_.dim_data[axis];
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
      records_.emplace_back(begin, begin + d.proc_grid_size);
      first += static_cast<std::size_t>(d.proc_grid_size);
      compare(static_cast<Index>(axis), record_of(d), records_.back()[static_cast<std::size_t>(d.proc_grid_rank)]);
    }
  }

  // [axis.same] Boundary widths may differ, but on a periodic axis they say which index mirrors which.
  void compare(Index axis, const AxisRecord& own, const AxisRecord& said) {
    const Dimension& d = array_.dim_data[static_cast<std::size_t>(axis)];
    const auto same = [&](const char* key, Index mine, Index theirs) {
      if (mine != theirs)
        fault(Rule::axis_same, axis, key, std::to_string(mine),
              "but " + std::to_string(theirs) + " on the first process at coordinate " +
                  std::to_string(d.proc_grid_rank));
    };
    same("start", own.start, said.start);
    same(d.dist_type() == 'u' ? "len(indices)" : "stop", own.stop, said.stop);
    if (d.proc_grid_rank > 0 || d.periodic) same("padding[0]", own.left, said.left);
    if (d.proc_grid_rank < d.proc_grid_size - 1 || d.periodic) same("padding[1]", own.right, said.right);
  }

  void exchange_indices() {
    for (std::size_t axis = 0; axis < array_.dim_data.size(); ++axis) {
      lists_.emplace_back();
      const Dimension& d = array_.dim_data[axis];
      if (d.dist_type() != 'u') continue;
      std::vector<Index>& lists = lists_.back();
      Index total = 0, own_first = 0;
      for (Index c = 0; c < d.proc_grid_size; ++c) {
        if (c == d.proc_grid_rank) own_first = total;
        total += records_[axis][static_cast<std::size_t>(c)].stop;
      }
      lists.resize(static_cast<std::size_t>(total));
      const std::vector<Index> own = *read_indices(std::get<Unstructured>(d.dist).indices);
      const auto place = lists.begin() + static_cast<std::ptrdiff_t>(own_first);
      if (speaks_for(axis)) std::copy(own.begin(), own.end(), place);
      sum(lists.data(), lists.size(), comm_);
      const Index length = records_[axis][static_cast<std::size_t>(d.proc_grid_rank)].stop;
      if (length == static_cast<Index>(own.size()) && !std::equal(own.begin(), own.end(), place))
        fault(Rule::axis_same, static_cast<Index>(axis), "indices", "another list",
              "but must be that of the first process at coordinate " + std::to_string(d.proc_grid_rank));
    }
  }

  // From here on every process knows the same and comes to the same conclusion; what is wrong, the first one says.
  std::optional<Distribution> put_together() {
    std::vector<Axis> axes;
    bool right = true;
    Index stride = processes_;  // from one coordinate to the next, in ranks
    for (Index axis = 0; axis < array_.ndim(); ++axis) {
      stride /= array_.dim_data[static_cast<std::size_t>(axis)].proc_grid_size;
      Report found;
      std::optional<Axis> made = Axis::make(dimensions(static_cast<std::size_t>(axis)), axis, found);
      right = right && made;
      if (made) axes.push_back(std::move(*made));
      std::vector<Finding> findings = found.findings();
      for (Finding& finding : findings)
        if (finding.process) *finding.process *= stride;  // the first process at that coordinate
      if (rank_ == 0) report_.merge(Report::from_parts(std::move(findings), found.counts()));
    }
    if (spread({right && report_.ok() ? 0 : 1}, comm_).front().largest != 0) return std::nullopt;
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
        *block = {record.start, record.stop, {}};
        if (record.padded != 0) block->padding = {record.left, record.right};
      } else if (auto* cyclic = std::get_if<Cyclic>(&d.dist)) {
        cyclic->start = record.start;
      } else {
        std::get<Unstructured>(d.dist).indices = row_major(lists_[axis].data() + first, {record.stop});
        first += record.stop;
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
