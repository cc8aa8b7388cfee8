#include "program.hpp"

#include "node_context.hpp"
#include "votes.hpp"
#include <tridap/memory_order.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tridap::redistribute {

namespace {

constexpr Index short_run = 1024;  // bytes: lines that two processes share are many among so few

// Elements of a side's stream as a product of our walks, outermost first.
std::vector<const AxisWalk*> product(const PlanSide& side, const std::vector<std::vector<AxisWalk>>& walks,
                                     const std::vector<Index>& order, const std::vector<Index>& peers) {
  std::vector<const AxisWalk*> axes;
  for (std::size_t k = 0; k < walks.size(); ++k) {
    const std::size_t i = order.size() == walks.size() ? static_cast<std::size_t>(order[k]) : k;
    axes.push_back(&walks[i][side.axes[i].slot(peers[i])]);
  }
  return axes;
}

IndexList dense_strides(const IndexList& shape, Index bytes, Order order) {
  return order == Order::row_major ? row_major_strides(shape, bytes) : column_major_strides(shape, bytes);
}

// Processes of our node that share elements with us, ourselves too, and how they are reached.
struct Sharers {
  std::vector<Reach> reaches;
  std::vector<Index> ranks;
};

// All but ourselves are fed; `own`: the strides of our own buffer at the other end, none: we are fed, too; null: left
// out.
Sharers sharers_of(const PlanData& parts, End end, const std::vector<bool>& near, const std::optional<IndexList>& own) {
  Sharers found;
  parts.each_peer(end == End::source ? parts.out : parts.in, [&](const std::vector<Index>& peers, Index) {
    const Index rank = end == End::source ? parts.target_rank(peers) : parts.source_rank(peers);
    const bool is_own = rank == parts.rank;
    if (is_own ? !own : !near[static_cast<std::size_t>(rank)]) return;
    found.reaches.push_back({peers, is_own ? *own : IndexList{}});
    found.ranks.push_back(rank);
  });
  return found;
}

// Whether going through a buffer in the order of its memory is going through it in the order of a stream.
bool walks_in(const std::vector<Index>& order, const PlanData& parts, const Buffer& buffer, End end) {
  std::vector<Index> streamed, stands;
  const auto longer = [&](Index axis) { return buffer.shape[static_cast<std::size_t>(axis)] > 1; };
  for (std::size_t k = 0; k < buffer.shape.size(); ++k) {
    const std::size_t number = order.empty() ? k : static_cast<std::size_t>(order[k]);
    const Index axis = end == End::source ? parts.source_axis(number) : static_cast<Index>(number);
    if (longer(axis)) streamed.push_back(axis);
  }
  for (const Index axis : memory_order(buffer).axes)
    if (longer(axis)) stands.push_back(axis);
  return streamed == stands;
}

// Whether the elements of all streams ascend by their global indices: not where an axis is listed, and padding may be
// filled from the other end of an axis.
bool ascends(const PlanData& parts) {
  const auto listed = [](const PlacedDistribution& side) {
    bool found = false;
    for (Index i = 0; i < side.distribution.ndim(); ++i) found = found || side.distribution.axis(i).dist_type() == 'u';
    return found;
  };
  return !parts.mapping.fill_padding && !listed(parts.source) && !listed(parts.target);
}

}  // namespace

Program::Program(const PlanData& parts, const Buffer& source, const Buffer& target, const Reaching& how,
                 const std::vector<bool>& near, Index slot_bytes)
    : source_(source), target_(target), how_(how) {
  source_walks_ = axis_walks(parts, source, End::source);
  target_walks_ = axis_walks(parts, target, End::target);
  add_streams(parts, parts.out, source_walks_, End::source, source, near);
  add_streams(parts, parts.in, target_walks_, End::target, target, near);
  const auto processes = static_cast<Index>(near.size());
  const auto sort = [&](std::vector<Stream>& streams, Index sign) {
    std::sort(streams.begin(), streams.end(), [&](const Stream& a, const Stream& b) {
      const auto turn = [&](const Stream& s) { return (sign * (s.rank - parts.rank) + processes) % processes; };
      return turn(a) < turn(b);
    });
  };
  sort(out, 1);
  sort(in, -1);
  if (parts.mapping.ravel) return;
  add_fan(parts, source, target, near);
  if (how.mode != Reaching::Mode::streams || !parts.out.process) return;
  if (parts.in.process) add_drain(parts, source, target, near, slot_bytes);
  add_sweep(parts, source, target, near, slot_bytes);
}

bool Program::suits(const Buffer& source, const Buffer& target, const Reaching& how) const {
  return source_.is(source) && target_.is(target) && how_ == how;
}

void Program::add_streams(const PlanData& parts, const PlanSide& side, std::vector<std::vector<AxisWalk>>& walks,
                          End end, const Buffer& buffer, const std::vector<bool>& near) {
  const std::vector<Index> order = order_of_number(how_.stream_order, parts.target.distribution.ndim());
  parts.each_peer(side, [&](const std::vector<Index>& peers, Index elements) {
    const Index rank = end == End::source ? parts.target_rank(peers) : parts.source_rank(peers);
    Walk walk(product(side, walks, order, peers), buffer.type.bytes, elements);
    if (rank == parts.rank) {
      if (parts.mapping.ravel) (end == End::source ? own_out : own_in) = std::move(walk);
    } else if (how_.mode == Reaching::Mode::streams || !near[static_cast<std::size_t>(rank)]) {
      (end == End::source ? out : in).push_back({rank, std::move(walk)});
    }
  });
}

// One pass over our source for all targets that we reach, or over our target for all sources; or the own part alone.
void Program::add_fan(const PlanData& parts, const Buffer& source, const Buffer& target,
                      const std::vector<bool>& near) {
  const bool pull = how_.mode == Reaching::Mode::pull, alone = how_.mode == Reaching::Mode::streams;
  const Index far_bytes = pull ? how_.source_bytes : how_.target_bytes;
  std::vector<Reach> reaches;
  parts.each_peer(pull ? parts.in : parts.out, [&](const std::vector<Index>& peers, Index) {
    const Index rank = pull ? parts.source_rank(peers) : parts.target_rank(peers);
    if (rank != parts.rank && (alone || !near[static_cast<std::size_t>(rank)])) return;
    const Buffer& own = pull ? source : target;
    const PlacedDistribution& far = pull ? parts.source : parts.target;
    const IndexList shape =
        rank == parts.rank ? own.shape : IndexList(far.distribution.local_shape(*far.process(rank)));
    reaches.push_back({peers, rank == parts.rank ? own.strides : dense_strides(shape, far_bytes, how_.order)});
    fan_ranks.push_back(rank);
  });
  if (!reaches.empty())
    fan.emplace(parts, pull ? target : source, pull ? End::target : End::source, reaches, far_bytes);
}

std::vector<Index> Program::stream_order(const PlanData& parts) const {
  return order_of_number(how_.stream_order, parts.target.distribution.ndim());
}

// Only where a slot has room for several rows.
void Program::add_sweep(const PlanData& parts, const Buffer& source, const Buffer& target,
                        const std::vector<bool>& near, Index slot_bytes) {
  if (!walks_in(stream_order(parts), parts, source, End::source)) return;
  std::optional<IndexList> own;
  if (!drain) own = target.strides;
  if (drain && drain->only_fed()) own.emplace();
  const Sharers sharers = sharers_of(parts, End::source, near, own);
  if (sharers.ranks.empty()) return;
  Fan pass(parts, source, End::source, sharers.reaches, how_.target_bytes);
  if (pass.widest() == 0 || pass.widest() > slot_bytes / 2) return;
  sweep = std::move(pass);
  sweep_ranks = sharers.ranks;
}

void Program::add_drain(const PlanData& parts, const Buffer& source, const Buffer& target,
                        const std::vector<bool>& near, Index slot_bytes) {
  if (!ascends(parts) || !walks_in(stream_order(parts), parts, target, End::target)) return;
  // Where rows of our source are not divided, another pass reads none of its lines twice.
  const Sharers others = sharers_of(parts, End::source, near, std::nullopt);
  const bool apart =
      !others.ranks.empty() && Fan(parts, source, End::source, others.reaches, how_.target_bytes).apart();
  const Sharers sharers = sharers_of(parts, End::target, near, apart ? source.strides : IndexList{});
  if (std::find(sharers.ranks.begin(), sharers.ranks.end(), parts.rank) == sharers.ranks.end()) return;
  Fan pass(parts, target, End::target, sharers.reaches, how_.source_bytes);
  // Who is not needed for long finds its ring full, and must wait.
  const bool takes_turns = pass.stretch() <= 2 * ring_slots * slot_bytes;
  if (!pass.dense() || pass.mean_run() > short_run || !takes_turns) return;
  drain = std::move(pass);
  drain_ranks = sharers.ranks;
}

}  // namespace tridap::redistribute
