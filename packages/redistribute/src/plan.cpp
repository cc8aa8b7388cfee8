#include <tridap/detail/refuse.hpp>
#include <tridap/internal/placement.hpp>
#include <tridap/internal/plan_data.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tridap::redistribute {

void check_missing(const AxisMoves& moves, End end, Index axis, const Mapping& mapping) {
  if (mapping.partial || !moves.missing) return;
  const std::string here = name_of(end), there = name_of(other(end));
  refuse("index " + std::to_string(*moves.missing) + " of the " + here + " is held by no process of the " + there,
         "must be held on both sides", "add it to the " + there + ", or set the option `partial` to leave it out",
         axis);
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

std::vector<Index> PlanData::peers(End end, Index process) const {
  if (mapping.ravel) return {process};
  const Indices at = side(end).placed.distribution().coordinates(process);
  std::vector<Index> peers(at.size());
  for (std::size_t i = 0; i < at.size(); ++i) peers[i] = at[static_cast<std::size_t>(axis_of(end, i))];
  return peers;
}

void PlanData::each_peer(End end, const Visit& visit) const {
  const PlanSide& here = side(end);
  if (!here.process || here.elements() == 0) return;
  const PlacedDistribution& placed = side(other(end)).placed;
  std::vector<std::size_t> at(here.axes.size(), 0);
  std::vector<Index> peers(at.size());
  Indices coordinates(at.size());
  for (;;) {
    Index elements = 1;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Share& share = here.axes[i].shares[at[i]];
      peers[i] = coordinates[static_cast<std::size_t>(axis_of(other(end), i))] = share.peer;
      elements *= share.count;
    }
    visit(placed.rank(mapping.ravel ? peers[0] : placed.distribution().process(coordinates)), peers, elements);
    std::size_t axis = at.size();
    while (axis > 0 && ++at[axis - 1] == here.axes[axis - 1].shares.size()) at[--axis] = 0;
    if (axis == 0) return;
  }
}

void place(PlanData& parts) {
  if (parts.element_bytes < 1)
    refuse("element_bytes is " + std::to_string(parts.element_bytes), "must be at least 1",
           "pass the length of an element in bytes");
  for (const End end : {End::source, End::target}) {
    PlanSide& side = parts.side(end);
    side.process = side.placed.process(parts.rank);
  }
}

void check_counts(const PlanData& parts) {
  for (const End end : {End::source, End::target}) {
    const std::optional<Index> elements = parts.side(end).counted();
    if (elements && checked_multiply(*elements, parts.element_bytes)) continue;
    refuse(std::string("process ") + std::to_string(parts.rank) + " holds of the " + name_of(end) + " " +
               (elements ? std::to_string(*elements) + " elements" : "more than 2^63 elements") + " of " +
               std::to_string(parts.element_bytes) + " bytes",
           "must be a number of bytes that fits 64 bits", "distribute the array over more processes");
  }
}

void check_ranks(const Plan& plan, Index processes) { check_ranks(plan.source(), plan.target(), processes); }

void check_ranks(const PlacedDistribution& source, const PlacedDistribution& target, Index processes) {
  need_ranks(source, processes, std::string("the ") + name_of(End::source));
  need_ranks(target, processes, std::string("the ") + name_of(End::target));
}

Plan::Plan(PlacedDistribution source, PlacedDistribution target, Index element_bytes, Index rank,
           const Mapping& mapping) {
  *this = plan_of({{std::move(source)}, {std::move(target)}, element_bytes, rank, mapping}, moves_on);
}

AxisMoves moves_on(const PlanData& parts, End end, std::size_t i) {
  const Axis& from = parts.source.placed.distribution().axis(parts.axis_of(End::source, i));
  const Axis& to = parts.target.placed.distribution().axis(static_cast<Index>(i));
  const Index c = parts.peers(end, *parts.side(end).process)[i];
  const Part part = parts.target_part();
  return end == End::source ? moves_from(from, c, to, part) : moves_to(from, to, c, part);
}

Plan plan_of(PlanData all, const MovesOn& moves, const std::array<PlacedDistribution, 2>* named) {
  auto parts = std::make_shared<PlanData>(std::move(all));
  place(*parts);
  if (parts->mapping.ravel) {
    redistribute::ravel(*parts);
  } else {
    const Distribution &from = parts->source.placed.distribution(), &to = parts->target.placed.distribution();
    check_axes(from, to, parts->mapping);
    for (std::size_t i = 0; i < static_cast<std::size_t>(to.ndim()); ++i)
      for (const End end : {End::source, End::target}) {
        PlanSide& side = parts->side(end);
        if (!side.process) continue;
        side.axes.push_back(moves(*parts, end, i));
        check_missing(side.axes.back(), end, static_cast<Index>(i), parts->mapping);
      }
  }
  check_counts(*parts);
  if (named != nullptr)
    for (const End end : {End::source, End::target}) parts->side(end).placed = (*named)[end == End::source ? 0 : 1];
  return PlanData::plan(std::move(parts));
}

const PlacedDistribution& Plan::source() const { return data_->source.placed; }
const PlacedDistribution& Plan::target() const { return data_->target.placed; }
const Mapping& Plan::mapping() const { return data_->mapping; }
Index Plan::element_bytes() const { return data_->element_bytes; }
Index Plan::rank() const { return data_->rank; }

namespace {

// What this process shares, at an end, with the process `rank` at the other end.
Index bytes_shared(const PlanData& parts, End end, Index rank) {
  const PlanSide& side = parts.side(end);
  const std::optional<Index> process = parts.side(other(end)).placed.process(rank);
  if (!process || !side.process) return 0;
  const std::vector<Index> peers = parts.peers(other(end), *process);
  Index elements = 1;  // it fits, since the side's sum does, unless another factor is 0: check_counts()
  for (std::size_t i = 0; i < peers.size(); ++i)
    elements = checked_multiply(elements, side.axes[i].count(peers[i])).value_or(0);
  return elements * parts.element_bytes;
}

std::vector<Traffic> traffic(const PlanData& parts, End end) {
  std::vector<Traffic> all;
  parts.each_peer(end, [&](Index rank, const std::vector<Index>&, Index elements) {
    all.push_back({rank, elements * parts.element_bytes});
  });
  std::sort(all.begin(), all.end(), [](const Traffic& a, const Traffic& b) { return a.rank < b.rank; });
  return all;
}

}  // namespace

Index Plan::bytes_to(Index rank) const { return bytes_shared(*data_, End::source, rank); }
Index Plan::bytes_from(Index rank) const { return bytes_shared(*data_, End::target, rank); }

Index Plan::messages() const {
  if (data_->source.elements() == 0) return 0;
  Index peers = 1;
  for (const AxisMoves& axis : data_->source.axes) peers *= static_cast<Index>(axis.shares.size());
  return peers - (bytes_kept() > 0 ? 1 : 0);
}

Index Plan::bytes_kept() const { return bytes_to(rank()); }
Index Plan::bytes_sent() const { return data_->source.elements() * element_bytes() - bytes_kept(); }
Index Plan::bytes_received() const { return data_->target.elements() * element_bytes() - bytes_kept(); }

std::vector<Traffic> Plan::sends() const { return traffic(*data_, End::source); }
std::vector<Traffic> Plan::receives() const { return traffic(*data_, End::target); }

Index Plan::memory() const {
  std::size_t bytes = sizeof(PlanData);
  for (const PlanSide* side : {&data_->source, &data_->target}) {
    bytes += static_cast<std::size_t>(side->placed.memory());
    for (const AxisMoves& axis : side->axes) {
      bytes += sizeof(AxisMoves) + axis.shares.capacity() * sizeof(Share);
      for (const Section& section : axis.sections) bytes += sizeof(Section) + section.pieces.capacity() * sizeof(Piece);
    }
  }
  return static_cast<Index>(bytes);
}

}  // namespace tridap::redistribute
