#include "schedule.hpp"

#include <tridap/internal/axis_moves.hpp>
#include <tridap/memory_order.hpp>

#include <algorithm>
#include <cstdlib>

namespace tridap::redistribute {

namespace {

constexpr Index most_axes = 16;  // with more, only row-major order has a number

IndexList contiguous_strides(const IndexList& shape, Index bytes, Order order) {
  return order == Order::row_major ? row_major_strides(shape, bytes) : column_major_strides(shape, bytes);
}

}  // namespace

std::optional<Index> order_number(const Buffer& buffer) {
  bool falling = true, rising = true;  // row-major, column-major, as far as axes of several elements say
  Index last = 0, axes = 0;
  for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
    if (buffer.shape[i] == 0) return std::nullopt;
    if (buffer.shape[i] == 1) continue;
    const Index stride = std::abs(buffer.strides[i]);
    falling = falling && (axes == 0 || stride <= last);
    rising = rising && (axes == 0 || stride >= last);
    last = stride;
    ++axes;
  }
  if (axes < 2) return std::nullopt;
  if (falling || buffer.ndim() >= most_axes) return 0;
  if (rising) return 1;
  Index number = 0;
  for (const Index axis : memory_order(buffer).axes) number = number * buffer.ndim() + axis;
  return number + 2;
}

std::vector<Index> order_of_number(Index number, Index ndim) {
  std::vector<Index> axes;
  if (number == 0) return axes;
  axes.resize(static_cast<std::size_t>(ndim));
  if (number == 1) {
    for (Index i = 0; i < ndim; ++i) axes[static_cast<std::size_t>(i)] = ndim - 1 - i;
    return axes;
  }
  number -= 2;
  for (std::size_t k = axes.size(); k-- > 0; number /= ndim) axes[k] = number % ndim;
  return axes;
}

Schedule::Schedule(const PlanData& parts, const Buffer& source, const Buffer& target, const Agreed& agreed,
                   const std::vector<Way>& ways, DeviceMove& on_device)
    : source_(source), target_(target), agreed_(agreed) {
  add_streams(parts, End::source, source, ways, on_device);
  add_streams(parts, End::target, target, ways, on_device);
  if (parts.mapping.ravel || agreed.streams_only) return;
  if (agreed.direct == End::source)
    add_pass(parts, End::target, target, source, ways);
  else
    add_pass(parts, End::source, source, target, ways);
}

bool Schedule::suits(const Buffer& source, const Buffer& target, const Agreed& agreed) const {
  return source_.is(source) && target_.is(target) && agreed_ == agreed;
}

// The order of the product's axes, outermost first.
std::vector<std::size_t> Schedule::axis_order(const PlanData& parts, std::size_t axes) const {
  const std::vector<Index> order = order_of_number(agreed_.stream_order, parts.target.placed.distribution().ndim());
  std::vector<std::size_t> outermost_first;
  for (std::size_t k = 0; k < axes; ++k) outermost_first.push_back(order.size() == axes ? at(order[k]) : k);
  return outermost_first;
}

// Streams to and from other nodes. Within the node a Pass sends, and streams receive, unless memory is accessed
// directly. Ravelled arrays, and those on a device, have no Pass: also our own part is a stream.
void Schedule::add_streams(const PlanData& parts, End end, const Buffer& buffer, const std::vector<Way>& ways,
                           DeviceMove& on_device) {
  const bool sends = end == End::source, streams_only = parts.mapping.ravel.has_value() || agreed_.streams_only;
  const std::vector<AxisMoves>& moves = parts.side(end).axes;
  std::vector<std::vector<AxisPieces>>& by_peer = sends ? out_axes_ : in_axes_;
  std::vector<Peer>& streams = sends ? out : in;
  parts.each_peer(end, [&](Index rank, const std::vector<Index>& peers, Index) {
    Way way = ways[at(rank)];
    const bool passed = rank == parts.rank || (way == Way::ring && (sends || agreed_.direct));
    if (passed && !streams_only) return;
    if (by_peer.empty()) by_peer = axis_pieces_by_peer(parts, buffer, end);
    std::vector<const AxisPieces*> axes;
    for (const std::size_t i : axis_order(parts, by_peer.size())) axes.push_back(&by_peer[i][moves[i].slot(peers[i])]);
    std::unique_ptr<DevicePieces> device;
    if (!buffer.memory.is_on_host()) device = device_engine()->pieces(axes, buffer, on_device.step, on_device.faults);
    Pieces pieces(std::move(axes), buffer.type.bytes, 0, {PeerBuffer{}});
    if (way == Way::typed && (agreed_.source_bytes != agreed_.target_bytes || agreed_.streams_only)) way = Way::message;
    DerivedType type = way == Way::typed ? DerivedType(pieces) : DerivedType();
    streams.push_back({rank, way, std::move(pieces), std::move(type), std::move(device)});
  });
  const auto processes = static_cast<Index>(ways.size());
  const auto distance = [&](const Peer& peer) {
    return ((sends ? 1 : -1) * (peer.rank - parts.rank) + processes) % processes;
  };
  std::sort(streams.begin(), streams.end(), [&](const Peer& a, const Peer& b) { return distance(a) < distance(b); });
}

// Where source and target have their memory in different orders, a walk in the target's order reads a line of cache for
// each element. The source's nearest axis moves next to the target's in `order`, so that the two make matrices. False:
// both have the same nearest axis, or the order must stay as it is, because both ends of a ring have agreed on it.
bool Schedule::join_nearest(std::vector<std::size_t>& order, const PlanData& parts, End end, const Buffer& here,
                            const std::vector<Way>& ways) const {
  const Distribution& source = parts.source.placed.distribution();  // which others access directly, if we do not send
  const IndexList shape = end == End::source ? here.shape : IndexList(source.shape());
  const IndexList strides = end == End::source ? here.strides : contiguous_strides(shape, 1, agreed_.order);
  const auto axis_of = [&](std::size_t k) { return at(parts.axis_of(End::source, order[k])); };
  std::size_t last = order.size();
  while (last > 0 && shape[axis_of(last - 1)] == 1) --last;
  if (last-- < 2) return false;
  std::size_t nearest = last;
  for (std::size_t k = 0; k < last; ++k)
    if (shape[axis_of(k)] > 1 && std::abs(strides[axis_of(k)]) < std::abs(strides[axis_of(nearest)])) nearest = k;
  bool joins = nearest != last;
  if (nearest + 1 < last && !agreed_.direct)
    parts.each_peer(end, [&](Index rank, const std::vector<Index>&, Index) {
      joins = joins && (rank == parts.rank || ways[at(rank)] != Way::ring);
    });
  const auto place = [&](std::size_t k) { return order.begin() + static_cast<std::ptrdiff_t>(k); };
  if (joins) std::rotate(place(nearest), place(nearest + 1), place(last));
  return joins;
}

// One walk over our buffer `here` for all processes of the node. `there`: our own buffer at the other end.
void Schedule::add_pass(const PlanData& parts, End end, const Buffer& here, const Buffer& there,
                        const std::vector<Way>& ways) {
  const std::vector<AxisMoves>& moves = parts.side(end).axes;
  const PlacedDistribution& others = parts.side(other(end)).placed;
  const Index there_bytes = end == End::source ? agreed_.target_bytes : agreed_.source_bytes;
  std::vector<std::size_t> order = axis_order(parts, moves.size());
  const bool joined = join_nearest(order, parts, end, here, ways);
  std::vector<std::vector<bool>> served;
  std::size_t count = 1;
  for (const AxisMoves& axis : moves) {
    served.emplace_back(axis.shares.size(), false);
    count *= axis.shares.size();
  }
  std::vector<PeerBuffer> buffers(count);
  std::vector<Destination> destinations(count);
  bool any = false, rings = false;
  parts.each_peer(end, [&](Index rank, const std::vector<Index>& peers, Index) {
    const bool own = rank == parts.rank;
    if (!own && ways[at(rank)] != Way::ring) return;
    std::size_t number = 0;
    for (const std::size_t i : order) {
      const std::size_t slot = moves[i].slot(peers[i]);
      served[i][slot] = true;
      number = number * moves[i].shares.size() + slot;
    }
    any = true;
    destinations[number].rank = rank;
    destinations[number].way = own || agreed_.direct ? Way::memory : Way::ring;
    rings = rings || destinations[number].way == Way::ring;
    if (destinations[number].way == Way::ring) return;
    const IndexList strides =
        own ? there.strides
            : contiguous_strides(others.distribution().local_shape(*others.process(rank)), there_bytes, agreed_.order);
    buffers[number].accessed = true;
    for (const std::size_t i : order) buffers[number].strides.push_back(strides[at(parts.axis_of(other(end), i))]);
  });
  if (!any) return;
  pass_axes_ = axis_pieces(parts, here, end, served);
  std::vector<const AxisPieces*> axes;
  for (const std::size_t i : order) axes.push_back(&pass_axes_[i]);
  pass.emplace(PassPlan{end, Pieces(std::move(axes), here.type.bytes, there_bytes, std::move(buffers)),
                        std::move(destinations)});
  if (joined) pass->pieces.join_rows(rings);
}

}  // namespace tridap::redistribute
