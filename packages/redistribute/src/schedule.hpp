#pragma once

#include "pass.hpp"
#include "pieces.hpp"
#include "stream.hpp"
#include "way.hpp"
#include <tridap/internal/device_moves.hpp>

#include <memory>
#include <optional>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// What a move of buffers on a device does, and what has failed in it here.
struct DeviceMove {
  DeviceStep step;
  mpi::Faults faults;
};

/// What all processes have agreed on for a move.
struct Agreed {
  /// The end whose memory the processes of a node access directly: they write into the targets of the others, or read
  /// from their sources; nothing: each accesses only its own memory.
  std::optional<End> direct;
  Order order = Order::row_major;  ///< memory order of the buffers that others access; they are contiguous
  bool streams_only = false;       ///< all elements travel in slots, also this process's own
  Index stream_order = 0;          ///< of the axes in which elements travel, as order_of_number() gives it

  Index source_bytes = 0, target_bytes = 0;  ///< length of an element, also for a process that holds none of a side

  friend bool operator==(const Agreed& a, const Agreed& b) {
    return a.direct == b.direct && a.order == b.order && a.stream_order == b.stream_order &&
           a.streams_only == b.streams_only && a.source_bytes == b.source_bytes && a.target_bytes == b.target_bytes;
  }
};

/// The order of the axes of a buffer in memory as a number; nothing where it does not matter. 0: row-major.
std::optional<Index> order_number(const Buffer& buffer);
/// The axes, outermost first, behind such a number; empty for 0.
std::vector<Index> order_of_number(Index number, Index ndim);

/// What this process does in a move of buffers with one layout in memory: with which processes it exchanges elements,
/// and how.
class Schedule {
 public:
  /// `ways`: by rank, that of a Stream to it; a Way::typed one is a Way::message if elements change their length, or if
  /// they travel in slots only. `on_device`: of moves of buffers on a device; it must outlive this.
  Schedule(const PlanData& parts, const Buffer& source, const Buffer& target, const Agreed& agreed,
           const std::vector<Way>& ways, DeviceMove& on_device);
  Schedule(const Schedule&) = delete;

  bool suits(const Buffer& source, const Buffer& target, const Agreed& agreed) const;

  /// One process with which we exchange elements in a Stream.
  struct Peer {
    Index rank = 0;
    Way way = Way::message;
    Pieces pieces;
    DerivedType type;                      ///< of Way::typed; otherwise null
    std::unique_ptr<DevicePieces> device;  ///< of a buffer on a device; otherwise null
  };
  std::vector<Peer> out, in;  ///< in the order of Transport::begin()

  /// The elements of our buffer at `end` that a Pass serves.
  struct PassPlan {
    End end;
    Pieces pieces;
    std::vector<Destination> peers;
  };
  std::optional<PassPlan> pass;  ///< nothing: there are none

 private:
  std::vector<std::size_t> axis_order(const PlanData& parts, std::size_t axes) const;
  bool join_nearest(std::vector<std::size_t>& order, const PlanData& parts, End end, const Buffer& here,
                    const std::vector<Way>& ways) const;
  void add_streams(const PlanData& parts, End end, const Buffer& buffer, const std::vector<Way>& ways,
                   DeviceMove& on_device);
  void add_pass(const PlanData& parts, End end, const Buffer& here, const Buffer& there, const std::vector<Way>& ways);

  struct Layout {
    IndexList shape, strides;
    Index bytes = 0;
    Memory memory;
    explicit Layout(const Buffer& buffer)
        : shape(buffer.shape), strides(buffer.strides), bytes(buffer.type.bytes), memory(buffer.memory) {}
    bool is(const Buffer& b) const {
      return bytes == b.type.bytes && shape == b.shape && strides == b.strides && memory.kind == b.memory.kind &&
             memory.device == b.memory.device;
    }
  };
  Layout source_, target_;
  Agreed agreed_;
  std::vector<std::vector<AxisPieces>> out_axes_, in_axes_;  // that the Pieces refer to
  std::vector<AxisPieces> pass_axes_;
};

}  // namespace tridap::redistribute

#pragma GCC visibility pop
