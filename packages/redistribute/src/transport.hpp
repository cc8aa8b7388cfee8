#pragma once

#include "node_context.hpp"
#include "stream.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <vector>

#pragma GCC visibility push(hidden)

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
  /// After MPI has failed: cancels the messages that have not come, so that none is written into the caller's memory
  /// later.
  virtual void abandon() = 0;
};

/// Carries streams between the processes of a node, through a Ring for each ordered pair of processes.
class SharedMemoryTransport : public Transport {
 public:
  explicit SharedMemoryTransport(const ElementStep& step) : step_(step) {}

  void use(const Rings& rings) { rings_ = &rings; }  ///< of the next move

  void begin(const std::vector<Stream*>& out, const std::vector<Stream*>& in) override;
  bool progress() override;
  bool done() const override { return left_ == 0; }
  void abandon() override { left_ = 0; }

 private:
  bool send(Stream& stream);
  bool receive(Stream& stream);

  const Rings* rings_ = nullptr;
  const ElementStep& step_;  // of the move
  std::vector<Stream*> out_, in_;
  std::size_t left_ = 0;  // streams that have not ended
};

/// Carries streams between the processes of a node that share no memory. Each array is one message of a derived type,
/// so that MPI copies the elements from their places and to their places, and we do not.
class TypedTransport : public Transport {
 public:
  explicit TypedTransport(const mpi::Channel& channel) : channel_(channel) {}

  void begin(const std::vector<Stream*>& out, const std::vector<Stream*>& in) override;
  bool progress() override;
  bool done() const override { return left_ == 0; }
  void abandon() override;

 private:
  void post();

  mpi::Channel channel_;
  std::vector<Stream*> out_, in_;
  std::vector<MPI_Request> requests_;  // none: nothing was posted yet
  std::vector<int> arrived_;           // for MPI_Testsome
  std::size_t left_ = 0;               // messages
};

/// Carries streams between any processes as MPI messages. Each message is one slot of a fixed number of slots, so that
/// 10 000 peers need no more memory than one.
///
/// In each direction, at most eight streams are active at a time, and share the slots. Sends begin in the order of
/// (their rank - our rank) mod P, receives in the order of (our rank - their rank) mod P. So there is always a stream
/// that is active at both ends, and the transfers cannot deadlock.
///
/// MPI keeps what arrives before its receipt is posted, in as much memory as that needs. So the receiver of a stream
/// gives its sender credit, in messages of their own: how many receipts it has posted since the last one. The sender
/// sends no slot without credit, and so nothing of a stream that is not active at its receiver. A sender never waits
/// for credit alone, but goes on with what it receives. Short streams need no credit: all of them that a process can
/// receive in a move are not longer than its slots together.
class MessageTransport : public Transport {
 public:
  MessageTransport(NodeContext& context, const mpi::Channel& channel, const ElementStep& step)
      : context_(context), channel_(channel), step_(step) {}

  /// The slots of the next move: those of an array on a device, or the communicator's.
  void use(DeviceSlots* on_devices) { on_devices_ = on_devices; }
  void begin(const std::vector<Stream*>& out, const std::vector<Stream*>& in) override;
  bool progress() override;
  bool done() const override { return out_.left + in_.left == 0; }
  void abandon() override;

 private:
  static constexpr std::size_t most_active = 8;

  struct Active {  // a stream that is active, and its slots, which are used in turn
    Stream* stream = nullptr;
    std::byte* slots = nullptr;     // of this one
    std::byte* packed = nullptr;    // a message that waits for a device, or is sent
    std::byte* in_place = nullptr;  // the next elements in our buffer, if all of the stream is in a row there
    std::array<MPI_Request, message_slots> request;
    std::array<Index, message_slots> units;  // in each slot
    Index unposted = 0;                      // units of the stream that are in no message yet
    std::size_t next = 0, used = 0;
    Index slots_left = 0;  // of the stream, for which there was no credit yet
    Index credit = 0;      // slots that may be sent, or that were posted since credit was given
    Index told = 0;        // a message of credit; MPI reads or writes it until the request is null
    MPI_Request credit_request = MPI_REQUEST_NULL;
  };
  struct Direction {
    bool sends = false;
    std::vector<Stream*> streams;
    std::size_t begun = 0, left = 0;  // streams
    std::array<Active, most_active> active;
    std::size_t slots_each = message_slots;
    std::byte *slots = nullptr, *on_device = nullptr;  // of all streams, for those that have them there
  };
  void begin(Direction& direction, const std::vector<Stream*>& streams, std::byte* slots, std::byte* on_device);
  bool activate(Direction& direction, Active& active);
  void exchange_credit(const Direction& direction, Active& active);
  Index units_in_slot() const { return slot_bytes_ / step_.slot_unit(); }
  bool progress(Direction& direction, Active& active);
  bool may_post(const Direction& direction, const Active& active) const;
  void post(Direction& direction, Active& active);
  bool send_packed(Active& active);
  bool finish_oldest(Direction& direction, Active& active);

  NodeContext& context_;
  mpi::Channel channel_;
  const ElementStep& step_;  // of the move
  DeviceSlots* on_devices_ = nullptr;
  Index slot_bytes_ = message_slot_bytes;
  Direction out_, in_;
};

}  // namespace tridap::redistribute

#pragma GCC visibility pop
