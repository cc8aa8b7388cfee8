#pragma once

#include "pass.hpp"
#include "pieces.hpp"
#include "stream.hpp"
#include <tridap/redistribute/redistribution.hpp>

#include <optional>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// How the elements of a move reach other processes. The same on every process.
struct Way {
  enum class Direct {
    none,  ///< each process accesses only its own memory: elements pass through a Transport
    push,  ///< each process writes into the targets of the other processes of its node
    pull,  ///< each process reads from the sources of the other processes of its node
  };
  Direct direct = Direct::none;
  Order order = Order::row_major;  ///< memory order of the buffers that others access; they are contiguous
  Index stream_order = 0;          ///< of the axes in which elements travel, as order_of_number() gives it

  Index source_bytes = 0, target_bytes = 0;  ///< length of an element, also for a process that holds none of a side

  friend bool operator==(const Way& a, const Way& b) {
    return a.direct == b.direct && a.order == b.order && a.stream_order == b.stream_order &&
           a.source_bytes == b.source_bytes && a.target_bytes == b.target_bytes;
  }
};

/// How this process reaches the other processes, by rank.
struct Reach {
  std::vector<bool> memory;  ///< through shared memory
  std::vector<bool> types;   ///< otherwise, by messages of derived types, because they are on our node
};

/// What this process does in a move of buffers with one layout in memory: with which processes it exchanges elements,
/// and how.
class Schedule {
 public:
  Schedule(const PlanData& parts, const Buffer& source, const Buffer& target, const Way& way, const Reach& reach);
  Schedule(const Schedule&) = delete;

  bool suits(const Buffer& source, const Buffer& target, const Way& way) const;

  /// The elements that pass between this process and one other.
  struct Exchange {
    Index rank = 0;
    Pieces pieces;
    DerivedType type;  ///< null, unless Reach::types has the rank and elements keep their length
  };
  std::vector<Exchange> out, in;  ///< through a Transport, in the order of Transport::begin()

  /// The elements of our buffer at `end` that a Pass serves.
  struct PassPlan {
    End end;
    Pieces pieces;
    std::vector<Destination> peers;
  };
  std::optional<PassPlan> pass;  ///< nothing: there are none

 private:
  std::vector<std::size_t> axis_order(const PlanData& parts, std::size_t axes) const;
  void add_streams(const PlanData& parts, End end, const Buffer& buffer, const Reach& reach);
  void add_pass(const PlanData& parts, End end, const Buffer& here, const Buffer& there,
                const std::vector<bool>& on_node);

  struct Layout {
    IndexList shape, strides;
    Index bytes = 0;
    explicit Layout(const Buffer& buffer) : shape(buffer.shape), strides(buffer.strides), bytes(buffer.type.bytes) {}
    bool is(const Buffer& b) const { return bytes == b.type.bytes && shape == b.shape && strides == b.strides; }
  };
  Layout source_, target_;
  Way way_;
  std::vector<std::vector<AxisPieces>> out_axes_, in_axes_;  // that the Pieces refer to
  std::vector<AxisPieces> pass_axes_;
};

}  // namespace tridap::redistribute

#pragma GCC visibility pop
