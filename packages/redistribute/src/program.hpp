#pragma once

#include "fan.hpp"
#include "walk.hpp"
#include <tridap/redistribute/redistribution.hpp>

#include <optional>
#include <vector>

namespace tridap::redistribute {

/// Which processes access the memory of others directly in a move. The same on every process.
struct Reaching {
  enum class Mode {
    streams,  ///< none: elements are transferred through rings or messages
    push,     ///< each process writes into the targets of the others on its node
    pull,     ///< each process reads from the sources of the others on its node
  };
  Mode mode = Mode::streams;
  Order order = Order::row_major;  ///< in which these are dense
  Index stream_order = 0;          ///< of axes in which elements travel, as order_of_number() says it

  Index source_bytes = 0, target_bytes = 0;  ///< of an element: who holds none of a side knows it from the others

  friend bool operator==(const Reaching& a, const Reaching& b) {
    return a.mode == b.mode && a.order == b.order && a.stream_order == b.stream_order &&
           a.source_bytes == b.source_bytes && a.target_bytes == b.target_bytes;
  }
};

/// A plan made ready for buffers that stand in memory in one way: what a process does in a move.
class Program {
 public:
  /// `near`: by rank, whether its memory is reached in a push or a pull, and a ring of slots of `slot_bytes` else.
  Program(const PlanData& parts, const Buffer& source, const Buffer& target, const Reaching& how,
          const std::vector<bool>& near, Index slot_bytes);
  Program(const Program&) = delete;

  bool suits(const Buffer& source, const Buffer& target, const Reaching& how) const;

  struct Stream {
    Index rank = 0;
    Walk walk;
  };
  std::vector<Stream> out, in;  ///< by ((their rank - ours) mod P), and ((ours - theirs) mod P): the first meet first
  std::optional<Walk> own_out, own_in;  ///< where the own part takes the way of a stream too
  std::optional<Fan> fan;
  std::vector<Index> fan_ranks;  ///< by reach of the fan: whose buffer it is
  /// Where rows are no longer than slots: one pass over our source that fills the rings of all processes of the node,
  /// and our own target, so that each line of it is read once. It stands for `fan`, and for what of `out` is on the
  /// node.
  std::optional<Fan> sweep;
  std::vector<Index> sweep_ranks;  ///< by reach of the sweep
  /// Where a row of our target is made of short runs from several processes, ourselves among them: one pass over it
  /// that empties their rings together, so that its lines are written whole. It stands for what of `in` is on the node,
  /// and for our own part: where the rows of our source are each for one process alone, it takes it from there, and the
  /// sweep leaves it out; else the sweep feeds us as it does the others.
  std::optional<Fan> drain;
  std::vector<Index> drain_ranks;  ///< by reach of the drain

 private:
  void add_streams(const PlanData& parts, const PlanSide& side, std::vector<std::vector<AxisWalk>>& walks, End end,
                   const Buffer& buffer, const std::vector<bool>& near);
  void add_fan(const PlanData& parts, const Buffer& source, const Buffer& target, const std::vector<bool>& near);
  void add_sweep(const PlanData& parts, const Buffer& source, const Buffer& target, const std::vector<bool>& near,
                 Index slot_bytes);
  void add_drain(const PlanData& parts, const Buffer& source, const Buffer& target, const std::vector<bool>& near,
                 Index slot_bytes);
  std::vector<Index> stream_order(const PlanData& parts) const;

  struct Stand {  // how a buffer stands in memory
    IndexList shape, strides;
    Index bytes = 0;
    explicit Stand(const Buffer& buffer) : shape(buffer.shape), strides(buffer.strides), bytes(buffer.type.bytes) {}
    bool is(const Buffer& b) const { return bytes == b.type.bytes && shape == b.shape && strides == b.strides; }
  };
  Stand source_, target_;
  Reaching how_;
  std::vector<std::vector<AxisWalk>> source_walks_, target_walks_;
};

}  // namespace tridap::redistribute
