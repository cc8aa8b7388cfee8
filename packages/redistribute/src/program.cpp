#include "program.hpp"

#include "team.hpp"
#include "votes.hpp"
#include <dap/memory_order.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace dap::redistribute {

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

std::vector<Index> dense_strides(const std::vector<Index>& shape, Index bytes, Order order) {
  return order == Order::row_major ? row_major_strides(shape, bytes) : column_major_strides(shape, bytes);
}

// Whether going through a buffer in the order of its memory is going through it in the order of a stream.
bool walks_in(const std::vector<Index>& order, const Plan::Parts& parts, const Buffer& buffer, End end) {
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
bool ascends(const Plan::Parts& parts) {
  const auto listed = [](const Placed& side) {
    bool found = false;
    for (Index i = 0; i < side.distribution.ndim(); ++i) found = found || side.distribution.axis(i).dist_type() == 'u';
    return found;
  };
  return !parts.mapping.fill_padding && !listed(parts.source) && !listed(parts.target);
}

}  // namespace

Program::Program(const Plan::Parts& parts, const Buffer& source, const Buffer& target, const Reaching& how,
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
  if (parts.in.process) add_drain(parts, target, near, slot_bytes);
  add_sweep(parts, source, target, near, slot_bytes);
}

bool Program::suits(const Buffer& source, const Buffer& target, const Reaching& how) const {
  return source_.is(source) && target_.is(target) && how_ == how;
}

void Program::add_streams(const Plan::Parts& parts, const PlanSide& side, std::vector<std::vector<AxisWalk>>& walks,
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
void Program::add_fan(const Plan::Parts& parts, const Buffer& source, const Buffer& target,
                      const std::vector<bool>& near) {
  const bool pull = how_.mode == Reaching::Mode::pull, alone = how_.mode == Reaching::Mode::streams;
  const Index far_bytes = pull ? how_.source_bytes : how_.target_bytes;
  std::vector<Reach> reaches;
  parts.each_peer(pull ? parts.in : parts.out, [&](const std::vector<Index>& peers, Index) {
    const Index rank = pull ? parts.source_rank(peers) : parts.target_rank(peers);
    if (rank != parts.rank && (alone || !near[static_cast<std::size_t>(rank)])) return;
    const Buffer& own = pull ? source : target;
    const Placed& far = pull ? parts.source : parts.target;
    const std::vector<Index> shape = rank == parts.rank ? own.shape : far.distribution.local_shape(*far.process(rank));
    reaches.push_back({peers, rank == parts.rank ? own.strides : dense_strides(shape, far_bytes, how_.order)});
    fan_ranks.push_back(rank);
  });
  if (!reaches.empty())
    fan.emplace(parts, pull ? target : source, pull ? End::target : End::source, reaches, far_bytes);
}

// Only where a slot has room for several rows.
void Program::add_sweep(const Plan::Parts& parts, const Buffer& source, const Buffer& target,
                        const std::vector<bool>& near, Index slot_bytes) {
  const std::vector<Index> order = order_of_number(how_.stream_order, parts.target.distribution.ndim());
  if (!walks_in(order, parts, source, End::source)) return;
  std::vector<Reach> reaches;
  parts.each_peer(parts.out, [&](const std::vector<Index>& peers, Index) {
    const Index rank = parts.target_rank(peers);
    if (rank != parts.rank && !near[static_cast<std::size_t>(rank)]) return;
    reaches.push_back({peers, rank == parts.rank && !drain ? target.strides : std::vector<Index>{}});
    sweep_ranks.push_back(rank);
  });
  if (reaches.empty()) return;
  Fan pass(parts, source, End::source, reaches, how_.target_bytes);
  if (pass.widest() > 0 && pass.widest() <= slot_bytes / 2) sweep = std::move(pass);
}

void Program::add_drain(const Plan::Parts& parts, const Buffer& target, const std::vector<bool>& near,
                        Index slot_bytes) {
  const std::vector<Index> order = order_of_number(how_.stream_order, parts.target.distribution.ndim());
  if (!ascends(parts) || !walks_in(order, parts, target, End::target)) return;
  std::vector<Reach> reaches;
  bool own = false;
  parts.each_peer(parts.in, [&](const std::vector<Index>& peers, Index) {
    const Index rank = parts.source_rank(peers);
    if (!near[static_cast<std::size_t>(rank)]) return;
    reaches.push_back({peers, {}});
    drain_ranks.push_back(rank);
    own = own || rank == parts.rank;
  });
  if (!own) return;
  Fan pass(parts, target, End::target, reaches, how_.source_bytes);
  // Who is not needed for long finds its ring full, and must wait.
  const bool takes_turns = pass.stretch() <= 2 * ring_slots * slot_bytes;
  if (pass.dense() && pass.mean_run() <= short_run && takes_turns) drain = std::move(pass);
}

}  // namespace dap::redistribute
