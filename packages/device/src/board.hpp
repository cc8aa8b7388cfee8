#pragma once

#include "opened.hpp"
#include "target_memory.hpp"
#include <tridap/internal/device_moves.hpp>
#include <tridap/internal/driver.hpp>
#include <tridap/internal/shared_allocation.hpp>

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::device {

/// An array in the memory of a device, as other processes of the node read it.
struct Entry {
  static constexpr int most_axes = 16;

  Exported memory;          ///< its allocation; number 0: no entry
  std::int64_t offset = 0;  ///< bytes from its beginning to element (0, ..., 0)
  std::int64_t ndim = 0;
  std::array<std::int64_t, most_axes> strides{};  ///< bytes
};

/// What a process tells the others of its node, in memory that they share. They read it only while they know, from an
/// agreement of all, that it does not change.
struct Board {
  static constexpr int most = 15;  ///< entries, and arrays of one move

  std::atomic<std::uint64_t> done;     ///< 2 * the number of the last move that has ended here, and 1 if it has failed
  std::atomic<bool> closed;            ///< this process has no memory of others open, and opens none
  std::array<std::uint8_t, 16> now{};  ///< the entries of this move's sources
  std::array<Entry, most> entries;
};
static_assert(sizeof(Board) <= 4096);

/// What moves on one communicator know of the devices of its processes. It is attached to the communicator.
class Boards {
 public:
  /// Null: make() was not called yet, or has failed. Local.
  static std::shared_ptr<Boards> made(MPI_Comm comm);
  /// Null if there is no shared memory, on every process or on none. **Collective.**
  static std::shared_ptr<Boards> make(MPI_Comm comm);

  Boards(MPI_Comm comm, std::shared_ptr<const mpi::SharedAllocation> memory);
  Boards(const Boards&) = delete;
  ~Boards();

  Board& board(Index rank) const { return *reinterpret_cast<Board*>(memory_->base(static_cast<int>(rank))); }
  Board& ours() const { return board(rank_); }
  Index rank() const { return rank_; }
  Index processes() const { return processes_; }

  /// The position of an array among this process's entries, if it is there.
  std::optional<std::uint8_t> find(const Entry& entry) const;
  /// Adds it, in place of none or of the one that was added first, but of none of the first `arrays` of this move.
  std::uint8_t add(const Entry& entry, std::size_t arrays);
  /// Removes this process's entries of memory that was freed, or that no array uses any more.
  void drop_freed();
  /// Frees the memory of entries that are gone. All processes have closed it since.
  void free_dropped() { dropped_.clear(); }
  /// The address in this process of another one's array, for kernels of the device `from`. Throws Error if this process
  /// cannot open it.
  const char* open(Index rank, const Entry& entry, const Memory& from);
  /// Lets go of the memory of others that no entry of theirs names any more.
  void close_unnamed();
  /// Lets go of all memory of others, and of all that ours names. free_dropped() must follow when all have.
  void clear();
  /// Lets go of all memory of others, and of what no array of ours uses, after drop_unused_targets(). free_dropped()
  /// must follow when all have.
  void close();

  bool takes_slots = false;  ///< processes of the node cannot read one another's memory; the same on all
  bool moving = false;       ///< a move is in progress
  std::uint64_t number = 0;  ///< of the last move

 private:
  void let_go(std::size_t entry);

  std::shared_ptr<const mpi::SharedAllocation> memory_;
  Index rank_, processes_;
  std::uint8_t next_ = 0;
  std::array<std::shared_ptr<TargetMemory>, Board::most> held_;  // of the entries; null: another's memory
  std::vector<std::shared_ptr<TargetMemory>> dropped_;           // others may have it open
  std::map<std::pair<Index, std::uint64_t>, std::shared_ptr<const Opened>> opened_;  // by rank and allocation
};

}  // namespace tridap::device

#pragma GCC visibility pop
