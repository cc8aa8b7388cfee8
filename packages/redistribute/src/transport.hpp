#pragma once

#include "node_context.hpp"
#include "stream.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <vector>

namespace tridap::redistribute {

/// Carries streams between this process and others, in slots: the sender packs a slot, and the receiver unpacks it. A
/// transport does not wait: its user calls progress() until done().
class Transport {
 public:
  virtual ~Transport() = default;

  /// Begins a move, and sends nothing yet. The streams must outlive it. `out` is in the order of (their rank - our
  /// rank) mod P, and `in` in the order of (our rank - their rank) mod P. Allocates only if there are more streams than
  /// in any move before.
  virtual void begin(const std::vector<Stream*>& out, const std::vector<Stream*>& in) = 0;
  /// Carries what it can without waiting; false: nothing.
  virtual bool progress() = 0;
  /// Whether all was carried: we may use the memory of the streams again.
  virtual bool done() const = 0;
};

/// Carries streams between the processes of a node, through a Ring for each ordered pair of processes.
class SharedMemoryTransport : public Transport {
 public:
  explicit SharedMemoryTransport(NodeContext& context, const ElementStep& step) : context_(context), step_(step) {}

  void begin(const std::vector<Stream*>& out, const std::vector<Stream*>& in) override;
  bool progress() override;
  bool done() const override { return left_ == 0; }

 private:
  bool send(Stream& stream);
  bool receive(Stream& stream);

  NodeContext& context_;
  const ElementStep& step_;  // of the move
  std::vector<Stream*> out_, in_;
  std::size_t left_ = 0;  // streams that have not ended
};

/// Carries streams between any processes as MPI messages. Each message is one slot of a fixed number of slots, so that
/// 10 000 peers need no more memory than one.
///
/// In each direction, at most eight streams are active at a time, and share the slots. Sends begin in the order of
/// (their rank - our rank) mod P, receives in the order of (our rank - their rank) mod P. So there is always a stream
/// that is active at both ends, and the transfers cannot deadlock.
class MessageTransport : public Transport {
 public:
  MessageTransport(NodeContext& context, const Channel& channel, const ElementStep& step)
      : context_(context),
        channel_(channel),
        step_(step),
        slots_(slots_for(static_cast<std::size_t>(context.processes()))),
        slot_bytes_(slots_bytes / (2 * static_cast<Index>(slots_)) / line * line) {}

  void begin(const std::vector<Stream*>& out, const std::vector<Stream*>& in) override;
  bool progress() override;
  bool done() const override { return out_.left + in_.left == 0; }

 private:
  static constexpr std::size_t most_active = 8, all_slots = 16;
  static constexpr Index line = 128;  // bytes, so that no cache line is in two slots
  // Each message is a handshake, so slots are few and large: four for each other process, two if there are many.
  static constexpr std::size_t slots_for(std::size_t processes) {
    const std::size_t others = std::clamp<std::size_t>(processes - 1, 1, most_active);
    return others <= all_slots / 4 ? 4 * others : 2 * others;
  }

  struct Active {  // a stream that is active, and its slots, which are used in turn
    Stream* stream = nullptr;
    std::byte* slots = nullptr;
    std::array<MPI_Request, all_slots> request;
    std::array<Index, all_slots> units;  // in each slot
    Index unposted = 0;                  // units of the stream that are in no message yet
    std::size_t next = 0, used = 0;
  };
  struct Direction {
    bool sends = false;
    std::vector<Stream*> streams;
    std::size_t begun = 0, left = 0;  // streams
    std::array<Active, most_active> active;
    std::size_t slots_each = all_slots;
  };
  void begin(Direction& direction, const std::vector<Stream*>& streams, std::byte* slots);
  bool progress(Direction& direction, Active& active);
  void post(Direction& direction, Active& active);
  bool finish_oldest(Direction& direction, Active& active);

  NodeContext& context_;
  Channel channel_;
  const ElementStep& step_;  // of the move
  const std::size_t slots_;  // in each direction
  const Index slot_bytes_;   // the same on every process
  Direction out_, in_;
};

}  // namespace tridap::redistribute
