#include "schedule.hpp"

#include "agreement.hpp"
#include <tridap/internal/axis_moves.hpp>
#include <tridap/memory_order.hpp>

#include <algorithm>

namespace tridap::redistribute {

namespace {

IndexList contiguous_strides(const IndexList& shape, Index bytes, Order order) {
  return order == Order::row_major ? row_major_strides(shape, bytes) : column_major_strides(shape, bytes);
}

}  // namespace

Schedule::Schedule(const PlanData& parts, const Buffer& source, const Buffer& target, const Way& way,
                   const Reach& reach)
    : source_(source), target_(target), way_(way) {
  add_streams(parts, End::source, source, reach);
  add_streams(parts, End::target, target, reach);
  if (parts.mapping.ravel) return;
  if (way.direct == Way::Direct::pull)
    add_pass(parts, End::target, target, source, reach.memory);
  else
    add_pass(parts, End::source, source, target, reach.memory);
}

bool Schedule::suits(const Buffer& source, const Buffer& target, const Way& way) const {
  return source_.is(source) && target_.is(target) && way_ == way;
}

// The order of the product's axes, outermost first.
std::vector<std::size_t> Schedule::axis_order(const PlanData& parts, std::size_t axes) const {
  const std::vector<Index> order = order_of_number(way_.stream_order, parts.target.distribution.ndim());
  std::vector<std::size_t> outermost_first;
  for (std::size_t k = 0; k < axes; ++k) outermost_first.push_back(order.size() == axes ? at(order[k]) : k);
  return outermost_first;
}

// Streams to and from other nodes. Within the node a Pass sends, and streams receive, unless memory is accessed
// directly. Ravelled arrays have no Pass: also our own part is a stream.
void Schedule::add_streams(const PlanData& parts, End end, const Buffer& buffer, const Reach& reach) {
  const bool sends = end == End::source, ravelled = parts.mapping.ravel.has_value();
  const PlanSide& side = sends ? parts.out : parts.in;
  std::vector<std::vector<AxisPieces>>& by_peer = sends ? out_axes_ : in_axes_;
  std::vector<Exchange>& exchanges = sends ? out : in;
  parts.each_peer(side, [&](const std::vector<Index>& peers, Index) {
    const Index rank = sends ? parts.target_rank(peers) : parts.source_rank(peers);
    const bool passed = rank == parts.rank || (reach.memory[at(rank)] && (sends || way_.direct != Way::Direct::none));
    if (passed && !ravelled) return;
    if (by_peer.empty()) by_peer = axis_pieces_by_peer(parts, buffer, end);
    std::vector<const AxisPieces*> axes;
    for (const std::size_t i : axis_order(parts, by_peer.size()))
      axes.push_back(&by_peer[i][side.axes[i].slot(peers[i])]);
    Pieces pieces(std::move(axes), buffer.type.bytes, 0, {PeerBuffer{}});
    DerivedType type;
    if (reach.types[at(rank)] && way_.source_bytes == way_.target_bytes) type = DerivedType(pieces);
    exchanges.push_back({rank, std::move(pieces), std::move(type)});
  });
  const auto processes = static_cast<Index>(reach.memory.size());
  const auto distance = [&](const Exchange& exchange) {
    return ((sends ? 1 : -1) * (exchange.rank - parts.rank) + processes) % processes;
  };
  std::sort(exchanges.begin(), exchanges.end(),
            [&](const Exchange& a, const Exchange& b) { return distance(a) < distance(b); });
}

// One walk over our buffer `here` for all processes of the node. `there`: our own buffer at the other end.
void Schedule::add_pass(const PlanData& parts, End end, const Buffer& here, const Buffer& there,
                        const std::vector<bool>& on_node) {
  const bool sends = end == End::source;
  const PlanSide& side = sends ? parts.out : parts.in;
  const PlacedDistribution& others = sends ? parts.target : parts.source;
  const Index there_bytes = sends ? way_.target_bytes : way_.source_bytes;
  const std::vector<std::size_t> order = axis_order(parts, side.axes.size());
  std::vector<std::vector<bool>> served;
  std::size_t count = 1;
  for (const AxisMoves& axis : side.axes) {
    served.emplace_back(axis.shares.size(), false);
    count *= axis.shares.size();
  }
  std::vector<PeerBuffer> buffers(count);
  std::vector<Destination> destinations(count);
  bool any = false;
  parts.each_peer(side, [&](const std::vector<Index>& peers, Index) {
    const Index rank = sends ? parts.target_rank(peers) : parts.source_rank(peers);
    const bool own = rank == parts.rank;
    if (!own && !on_node[at(rank)]) return;
    std::size_t number = 0;
    for (const std::size_t i : order) {
      const std::size_t slot = side.axes[i].slot(peers[i]);
      served[i][slot] = true;
      number = number * side.axes[i].shares.size() + slot;
    }
    any = true;
    destinations[number].rank = rank;
    destinations[number].kind =
        own || way_.direct != Way::Direct::none ? Destination::Kind::memory : Destination::Kind::ring;
    if (destinations[number].kind == Destination::Kind::ring) return;
    const IndexList strides =
        own ? there.strides
            : contiguous_strides(others.distribution.local_shape(*others.process(rank)), there_bytes, way_.order);
    buffers[number].accessed = true;
    for (const std::size_t i : order) buffers[number].strides.push_back(strides[sends ? i : at(parts.source_axis(i))]);
  });
  if (!any) return;
  pass_axes_ = axis_pieces(parts, here, end, served);
  std::vector<const AxisPieces*> axes;
  for (const std::size_t i : order) axes.push_back(&pass_axes_[i]);
  pass.emplace(PassPlan{end, Pieces(std::move(axes), here.type.bytes, there_bytes, std::move(buffers)),
                        std::move(destinations)});
}

}  // namespace tridap::redistribute
