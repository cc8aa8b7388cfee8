#include <tridap/detail/refuse.hpp>
#include <tridap/internal/plan_data.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tridap::redistribute {

namespace {

// By rank, the process that it holds; empty where each holds that of its own number.
std::unordered_map<Index, Index> processes_by_rank(const PlacedDistribution& placed, const char* side) {
  std::unordered_map<Index, Index> by_rank;
  if (placed.ranks.empty()) return by_rank;
  if (static_cast<Index>(placed.ranks.size()) != placed.distribution.processes())
    refuse(std::string("the ") + side + "'s PlacedDistribution::ranks has " +
               std::to_string(static_cast<Index>(placed.ranks.size())) + " ranks",
           "must have one for each of its " + std::to_string(placed.distribution.processes()) + " processes",
           "give a rank for each process, or leave the list empty");
  for (std::size_t p = 0; p < placed.ranks.size(); ++p) {
    const Index rank = placed.ranks[p];
    if (rank < 0)
      refuse(std::string("the ") + side + "'s process " + std::to_string(static_cast<Index>(p)) + " has rank " +
                 std::to_string(rank),
             "must be at least 0", "give ranks of the communicator");
    if (!by_rank.emplace(rank, static_cast<Index>(p)).second)
      refuse(std::string("the ") + side + "'s PlacedDistribution::ranks has rank " + std::to_string(rank) + " twice",
             "must have each rank once", "give each process another rank");
  }
  return by_rank;
}

std::optional<Index> process_of(const PlacedDistribution& placed, const std::unordered_map<Index, Index>& by_rank,
                                Index rank) {
  if (placed.ranks.empty())
    return rank >= 0 && rank < placed.distribution.processes() ? std::optional(rank) : std::nullopt;
  const auto found = by_rank.find(rank);
  return found == by_rank.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

void check_missing(const AxisMoves& moves, const char* here, const char* there, Index axis, const Mapping& mapping) {
  if (mapping.partial || !moves.missing) return;
  refuse("index " + std::to_string(*moves.missing) + " of the " + here + " is held by no process of the " + there,
         "must be held on both sides",
         "add it to the " + std::string(there) + ", or set the option `partial` to leave it out", axis);
}

void check_axes(const Distribution& source, const Distribution& target, const Mapping& mapping) {
  const Index ndim = source.ndim();
  if (target.ndim() != ndim)
    refuse("the target has " + std::to_string(target.ndim()) + " axes",
           "must have " + std::to_string(ndim) + ", as the source",
           "if one side has one axis of flat numbers, set Mapping::ravel");
  std::vector<Index> sorted = mapping.axes;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (static_cast<Index>(sorted.size()) != ndim || sorted[i] != static_cast<Index>(i))
      refuse("Mapping::axes is not a permutation of the " + std::to_string(ndim) + " axes",
             "must name each axis of the source once",
             "let axes[i] be the axis of the source that is axis i of the target");
  for (Index i = 0; i < ndim && !mapping.partial; ++i) {
    const Axis &from = source.axis(mapping.axes.empty() ? i : mapping.axes[at(i)]), &to = target.axis(i);
    if (from.dist_type() != 'u' && to.dist_type() != 'u' && from.size() != to.size())
      refuse("the target's size is " + std::to_string(to.size()),
             "must be the source's size, " + std::to_string(from.size()),
             "use distributions of one shape, or set the option `partial`", i);
  }
}

std::optional<Index> PlacedDistribution::process(Index of) const {
  if (ranks.empty()) return of >= 0 && of < distribution.processes() ? std::optional(of) : std::nullopt;
  const auto found = std::find(ranks.begin(), ranks.end(), of);
  return found == ranks.end() ? std::nullopt : std::optional(static_cast<Index>(found - ranks.begin()));
}

std::optional<Index> PlanSide::counted() const {
  if (!process) return 0;
  std::vector<Index> on_axes;
  for (const AxisMoves& axis : axes) {
    std::optional<Index> count = 0;
    for (const Share& share : axis.shares)
      if (count) count = checked_add(*count, share.count);
    if (!count) return std::nullopt;
    on_axes.push_back(*count);
  }
  return checked_product(on_axes);
}

std::vector<Index> PlanData::peers_of_target(Index process) const {
  return mapping.ravel ? Indices{process} : target.distribution.coordinates(process);
}

std::vector<Index> PlanData::peers_of_source(Index process) const {
  if (mapping.ravel) return {process};
  const Indices at = source.distribution.coordinates(process);
  Indices peers(at.size());
  for (std::size_t i = 0; i < at.size(); ++i) peers[i] = at[static_cast<std::size_t>(source_axis(i))];
  return peers;
}

Index PlanData::target_rank(const std::vector<Index>& peers) const {
  return target.rank(mapping.ravel ? peers[0] : target.distribution.process(peers));
}

Index PlanData::source_rank(const std::vector<Index>& peers) const {
  if (mapping.ravel) return source.rank(peers[0]);
  Indices at(peers.size());
  for (std::size_t i = 0; i < at.size(); ++i) at[static_cast<std::size_t>(source_axis(i))] = peers[i];
  return source.rank(source.distribution.process(at));
}

void PlanData::each_peer(const PlanSide& side,
                         const std::function<void(const std::vector<Index>&, Index)>& visit) const {
  if (!side.process || side.elements() == 0) return;
  std::vector<std::size_t> at(side.axes.size(), 0);
  std::vector<Index> peers(side.axes.size());
  for (;;) {
    Index elements = 1;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Share& share = side.axes[i].shares[at[i]];
      peers[i] = share.peer;
      elements *= share.count;
    }
    visit(peers, elements);
    std::size_t axis = at.size();
    while (axis > 0 && ++at[axis - 1] == side.axes[axis - 1].shares.size()) at[--axis] = 0;
    if (axis == 0) return;
  }
}

void place(PlanData& parts) {
  if (parts.element_bytes < 1)
    refuse("element_bytes is " + std::to_string(parts.element_bytes), "must be at least 1",
           "pass the length of an element in bytes");
  parts.source_processes = processes_by_rank(parts.source, "source");
  parts.target_processes = processes_by_rank(parts.target, "target");
  parts.out.process = process_of(parts.source, parts.source_processes, parts.rank);
  parts.in.process = process_of(parts.target, parts.target_processes, parts.rank);
}

void check_counts(const PlanData& parts) {
  for (const PlanSide* side : {&parts.out, &parts.in}) {
    const std::optional<Index> elements = side->counted();
    if (elements && checked_multiply(*elements, parts.element_bytes)) continue;
    const char* const name = side == &parts.out ? "source" : "target";
    refuse(std::string("process ") + std::to_string(parts.rank) + " holds of the " + name + " " +
               (elements ? std::to_string(*elements) + " elements" : "more than 2^63 elements") + " of " +
               std::to_string(parts.element_bytes) + " bytes",
           "must be a number of bytes that fits 64 bits", "distribute the array over more processes");
  }
}

void check_ranks(const Plan& plan, Index processes) {
  for (const PlacedDistribution* side : {&plan.source(), &plan.target()}) {
    const Index highest = side->ranks.empty() ? side->distribution.processes() - 1
                                              : *std::max_element(side->ranks.begin(), side->ranks.end());
    if (highest < processes) continue;
    const std::string name = side == &plan.source() ? "source" : "target";
    throw Error(Finding{Rule::conversion,
                        {},
                        {},
                        "",
                        "the " + name + " has a part on rank " + std::to_string(highest),
                        "must be less than the " + std::to_string(processes) + " processes of the communicator",
                        "pass a communicator with all processes of both sides"});
  }
}

Plan::Plan(PlacedDistribution source, PlacedDistribution target, Index element_bytes, Index rank,
           const Mapping& mapping) {
  auto parts = std::make_shared<PlanData>(
      PlanData{std::move(source), std::move(target), element_bytes, rank, mapping, {}, {}, false, {}, {}});
  const PlacedDistribution &from = parts->source, &to = parts->target;
  place(*parts);
  if (mapping.ravel) {
    ravel(*parts);
  } else {
    check_axes(from.distribution, to.distribution, mapping);
    for (std::size_t i = 0; i < static_cast<std::size_t>(to.distribution.ndim()); ++i) {
      const auto axis = static_cast<Index>(i);
      const Index from_axis = parts->source_axis(i);
      const Axis &theirs = from.distribution.axis(from_axis), &ours = to.distribution.axis(axis);
      if (parts->out.process) {
        const Index s = from.distribution.coordinates(*parts->out.process)[static_cast<std::size_t>(from_axis)];
        parts->out.axes.push_back(moves_from(theirs, s, ours, parts->target_part()));
        check_missing(parts->out.axes.back(), "source", "target", axis, mapping);
      }
      if (parts->in.process) {
        const Index t = to.distribution.coordinates(*parts->in.process)[i];
        parts->in.axes.push_back(moves_to(theirs, ours, t, parts->target_part()));
        check_missing(parts->in.axes.back(), "target", "source", axis, mapping);
      }
    }
  }
  check_counts(*parts);
  data_ = std::move(parts);
}

const PlacedDistribution& Plan::source() const { return data_->source; }
const PlacedDistribution& Plan::target() const { return data_->target; }
const Mapping& Plan::mapping() const { return data_->mapping; }
Index Plan::element_bytes() const { return data_->element_bytes; }
Index Plan::rank() const { return data_->rank; }

namespace {

Index shared(const PlanSide& side, const std::vector<Index>& peers) {
  if (!side.process) return 0;
  Index elements = 1;  // it fits, since the side's sum does, unless another factor is 0: check_counts()
  for (std::size_t i = 0; i < peers.size(); ++i)
    elements = checked_multiply(elements, side.axes[i].count(peers[i])).value_or(0);
  return elements;
}

}  // namespace

Index Plan::bytes_to(Index rank) const {
  const auto process = process_of(data_->target, data_->target_processes, rank);
  return process && data_->out.process ? shared(data_->out, data_->peers_of_target(*process)) * element_bytes() : 0;
}

Index Plan::bytes_from(Index rank) const {
  const auto process = process_of(data_->source, data_->source_processes, rank);
  return process && data_->in.process ? shared(data_->in, data_->peers_of_source(*process)) * element_bytes() : 0;
}

Index Plan::messages() const {
  if (!data_->out.process || data_->out.elements() == 0) return 0;
  Index peers = 1;
  for (const AxisMoves& axis : data_->out.axes) peers *= static_cast<Index>(axis.shares.size());
  return peers - (bytes_kept() > 0 ? 1 : 0);
}

Index Plan::bytes_kept() const { return bytes_to(rank()); }
Index Plan::bytes_sent() const { return data_->out.elements() * element_bytes() - bytes_kept(); }
Index Plan::bytes_received() const { return data_->in.elements() * element_bytes() - bytes_kept(); }

namespace {

std::vector<Traffic> sorted(std::vector<Traffic> all) {
  std::sort(all.begin(), all.end(), [](const Traffic& a, const Traffic& b) { return a.rank < b.rank; });
  return all;
}

}  // namespace

std::vector<Traffic> Plan::sends() const {
  std::vector<Traffic> all;
  data_->each_peer(data_->out, [&](const std::vector<Index>& peers, Index elements) {
    all.push_back({data_->target_rank(peers), elements * element_bytes()});
  });
  return sorted(std::move(all));
}

std::vector<Traffic> Plan::receives() const {
  std::vector<Traffic> all;
  data_->each_peer(data_->in, [&](const std::vector<Index>& peers, Index elements) {
    all.push_back({data_->source_rank(peers), elements * element_bytes()});
  });
  return sorted(std::move(all));
}

Index Plan::memory() const {
  std::size_t bytes =
      sizeof(PlanData) + (data_->source.ranks.capacity() + data_->target.ranks.capacity()) * sizeof(Index);
  bytes += (data_->source_processes.size() + data_->target_processes.size()) * 4 * sizeof(Index);
  for (const PlanSide* side : {&data_->out, &data_->in})
    for (const AxisMoves& axis : side->axes) {
      bytes += sizeof(AxisMoves) + axis.shares.capacity() * sizeof(Share);
      for (const Section& section : axis.sections)
        bytes += sizeof(Section) + section.pieces.capacity() * sizeof(RunPair);
    }
  return static_cast<Index>(bytes);
}

}  // namespace tridap::redistribute
