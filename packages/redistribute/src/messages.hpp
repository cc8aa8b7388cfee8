#pragma once

#include "lane.hpp"
#include "node_context.hpp"

#include <mpi.h>

#include <array>
#include <functional>
#include <vector>

namespace tridap::redistribute {

/// Transfers between nodes as messages. Elements are packed into pieces of up to 120 KiB in a few slots, so that 10 000
/// peers need no more memory than eight.
///
/// In each direction, at most eight lanes are active at a time. Sends begin in the order of (their rank - our rank) mod
/// P, receives in the order of (our rank - their rank) mod P. So there is always a lane that is active at both ends,
/// and the transfers cannot deadlock.
class Messages {
 public:
  Messages(NodeContext& context, const Channel& channel) : context_(&context), channel_(channel) {}

  /// `out` and `in` are in that order. `unpack(lane, from, bytes)` takes what has come.
  using Unpack = std::function<void(Lane&, const std::byte*, Index)>;
  void begin(const std::vector<Lane*>& out, const std::vector<Lane*>& in, Index source_bytes, Index target_bytes,
             Unpack unpack);
  /// Goes on where something has come or gone; false: nothing has.
  bool step();
  bool over() const { return out_.left + in_.left == 0; }

 private:
  static constexpr std::size_t under_way = 8, pieces = 2;
  static constexpr Index piece_bytes = staging_bytes / (2 * under_way * pieces);

  struct Berth {  // a lane that is under way, and its slots, used in turn
    Lane* lane = nullptr;
    std::array<std::byte*, pieces> slot = {};
    std::array<MPI_Request, pieces> request = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    std::array<Index, pieces> bytes = {};  // in each slot
    Index left = 0;                        // bytes of the lane in no message yet, as they travel
    std::size_t next = 0, oldest = 0, used = 0;
  };
  struct Way {
    std::array<Berth, under_way> berths;
    const std::vector<Lane*>* lanes = nullptr;
    std::size_t begun = 0, left = 0;  // lanes
  };
  void open(Way& way, std::byte* slots);
  bool board(Way& way, Berth& berth, Index element_bytes);
  bool serve(Way& way, Berth& berth, bool sends);
  void post(Berth& berth, bool sends);

  NodeContext* context_;
  Channel channel_;
  Way out_, in_;
  Index piece_ = piece_bytes, source_bytes_ = 1, target_bytes_ = 1;
  Unpack unpack_;
};

}  // namespace tridap::redistribute
