#pragma once

#include "messages.hpp"
#include "node_context.hpp"
#include "program.hpp"
#include <tridap/internal/shared_allocation.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace tridap::redistribute {

/// The memory of one array on this process during a move.
struct Transferred {
  Program* program = nullptr;
  std::byte *source = nullptr, *target = nullptr;
  const mpi::SharedAllocation* shared = nullptr;  ///< what is pushed into or pulled from
};

/// What all arrays of a move have in common.
struct Manner {
  Reaching::Mode mode = Reaching::Mode::streams;
  bool rings = true;          ///< within a node; else everything is a message
  Combine combine = nullptr;  ///< null: elements are copied
  Scaling scaling;
  Index source_bytes = 1, target_bytes = 1;  ///< of an element; where nobody has any, of none
};

/// One move under way. Its memory is kept from one move to the next.
class Transfer {
 public:
  Transfer(std::shared_ptr<NodeContext> context, const Channel& channel)
      : context_(std::move(context)), channel_(channel), messages_(*context_, channel) {}
  Transfer(const Transfer&) = delete;

  /// Lays out a move, and allocates what it needs; nothing where a move like it was laid out before.
  void ready(const std::vector<Transferred>& arrays, const Manner& manner);
  /// Does what needs nobody, and begins the rest. Everybody's arrays are ready.
  void begin();
  /// Goes on as far as it can without waiting; true: finish() has nothing to wait for.
  bool test();
  /// Ends it: nobody reads our sources or writes our targets any more.
  void finish();

 private:
  bool step();
  bool over() const { return lanes_left_ == 0 && messages_.over(); }
  void run_fan(const Transferred& array);
  bool own_streams() const;
  void begin_own(const Transferred& array);
  void run_own(const Transferred& array);
  bool send(Lane& lane);
  bool receive(Lane& lane);
  bool sweep();
  bool drain();
  bool find_more(std::size_t reach);
  void take(std::size_t reach);
  bool find_room(std::size_t reach);
  void post(std::size_t reach);
  void start(std::vector<Lane>& lanes, std::vector<Lane*>& far, End end);
  bool others_done() const;
  bool idle();

  std::shared_ptr<NodeContext> context_;
  Channel channel_;
  Messages messages_;
  std::vector<Transferred> arrays_;
  Manner manner_;
  std::vector<Lane> out_, in_;
  std::vector<Lane*> out_far_, in_far_;
  std::size_t lanes_left_ = 0;
  bool sweeping_ = false;         // one pass fills the rings
  std::size_t swept_ = 0;         // arrays
  std::vector<Feed> feeds_;       // by reach of the sweep
  bool draining_ = false;         // one pass empties the rings
  std::size_t drained_ = 0;       // arrays
  std::vector<Supply> supplies_;  // by reach of the drain
  bool taken_ = false;
  bool posted_ = false;
  std::uint64_t number_ = 0;
  unsigned idle_ = 0;  // how often there was nothing to do
  std::vector<std::byte*> far_;
  std::vector<std::byte> through_;  // what the own part passes through where it is a stream
  Lane own_from_, own_to_;
};

}  // namespace tridap::redistribute
