#pragma once

#include "node_context.hpp"
#include "pass.hpp"
#include "schedule.hpp"
#include "transport.hpp"
#include <tridap/internal/shared_allocation.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// One array of a move on this process, as the caller has it.
struct MovedArray {
  const DistArray *source, *target;
  const Schedule* schedule = nullptr;
};

/// One move in progress. Its memory is kept from one move to the next.
class Carrier {
 public:
  Carrier(std::shared_ptr<NodeContext> context, const mpi::Channel& channel)
      : context_(std::move(context)),
        channel_(channel),
        within_node_(step_),
        typed_(channel),
        messages_(*context_, channel, step_) {}
  Carrier(const Carrier&) = delete;

  /// Prepares a move, and allocates what it needs: nothing if a similar move was prepared before. `shared`: the targets
  /// or sources of the node, if they are accessed directly; otherwise null. `on_devices`: the slots of a move that has
  /// arrays on devices on any process; otherwise null.
  void ready(const std::vector<MovedArray>& arrays, const ElementStep& step, const mpi::SharedAllocation* shared,
             DeviceSlots* on_devices);
  /// Copies what needs no other process, and begins the rest. The arrays of all processes are ready.
  void begin();
  /// Continues as far as possible without waiting; true: finish() has nothing to wait for.
  bool test();
  /// Ends the move: no process reads our sources or writes our targets any more.
  void finish();
  /// Lets MPI make progress now and then; false.
  bool wait_a_little();
  /// Where the slots of the last move were.
  const char* slots_text() const;
  /// Ends a move in which MPI has failed. Local.
  void abandon();

 private:
  void begin_pass(const MovedArray& array);
  void connect(End end);
  bool all_on_device() const;
  void move_own();
  bool walk(Index units);
  void post_what_waits();
  bool progress();
  bool others_done() const;

  std::shared_ptr<NodeContext> context_;
  mpi::Channel channel_;
  ElementStep step_;
  const mpi::SharedAllocation* shared_ = nullptr;
  DeviceSlots* on_devices_ = nullptr;
  bool stays_on_device_ = false, messages_on_device_ = false;
  SharedMemoryTransport within_node_;
  TypedTransport typed_;
  MessageTransport messages_;
  std::vector<MovedArray> arrays_;
  std::size_t passed_ = 0;  // arrays whose pass has ended
  Pass pass_;               // of the next one
  std::vector<Destination> destinations_;
  struct Direction {
    std::vector<Stream> streams;
    std::vector<Stream*> within_node, typed, messages;  // by their transport
    std::vector<Stream*> own;                           // of elements that stay on a device of this process
  };
  std::vector<Stream*>* transport_of(const Schedule::Peer& peer, Direction& direction) const;
  Direction out_, in_;
  std::uint64_t number_ = 0;  // of the move
  unsigned waited_ = 0;       // how often there was nothing to do
};

}  // namespace tridap::redistribute

#pragma GCC visibility pop
