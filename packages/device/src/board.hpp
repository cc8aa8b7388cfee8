#pragma once

#include <tridap/buffer.hpp>
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

using Outcome = redistribute::DeviceMoves::Outcome;

/// An array in the memory of a device, as other processes of the node read it.
struct Entry {
  static constexpr int most_axes = 16;

  driver::Handle handle;         ///< of the allocation
  driver::Uuid uuid;             ///< of the device
  std::uint64_t allocation = 0;  ///< its number in the process that has it; 0: no entry
  std::uint64_t begin = 0;       ///< its address there
  std::int64_t offset = 0;       ///< bytes from its beginning to element (0, ..., 0)
  std::int64_t ndim = 0;
  std::array<std::int64_t, most_axes> strides{};  ///< bytes
};

/// What a process tells the others of its node, in memory that they share. They read it only while they know, from an
/// agreement of all, that it does not change.
struct Board {
  static constexpr int most = 15;  ///< entries, and arrays of one move

  std::atomic<std::uint64_t> done[2];  ///< by the parity of a move's number: number * 4 + Outcome
  std::array<std::uint8_t, 16> now{};  ///< the entries of this move's sources
  std::array<Entry, most> entries;
};
static_assert(sizeof(Board) <= 4096);

/// What moves on one communicator know of the devices of its processes. It is attached to the communicator.
class Boards {
 public:
  /// **Collective** the first time for a communicator, and local then. Throws the same Error on every process or on
  /// none, if there is no shared memory.
  static std::shared_ptr<Boards> of(MPI_Comm comm);
  /// Null: of() was not called yet. Local.
  static std::shared_ptr<Boards> made(MPI_Comm comm);

  Boards(MPI_Comm comm, std::shared_ptr<const mpi::SharedAllocation> memory);
  Boards(const Boards&) = delete;
  ~Boards();

  Board& board(Index rank) const { return *reinterpret_cast<Board*>(memory_->base(static_cast<int>(rank))); }
  Index rank() const { return rank_; }
  Index processes() const { return processes_; }

  /// The position of an array among this process's entries, if it is there.
  std::optional<std::uint8_t> find(const Entry& entry) const;
  /// Adds it, in place of the one that was added first.
  std::uint8_t add(const Entry& entry);
  /// Removes this process's entries of memory that was freed.
  void drop_freed(Memory::Kind kind);
  /// The address in this process of another one's array. Throws Error if this process cannot open it.
  const char* open(Index rank, const Entry& entry, const Memory& from);
  /// Closes the memory of others that no entry of theirs names any more.
  void close_unnamed();
  /// Closes all memory of others.
  void close();

  bool closed = false;       ///< processes of the node cannot read one another's memory; the same on all
  std::uint64_t number = 0;  ///< of the last move

 private:
  struct Opened {
    std::uintptr_t address = 0;
    Memory memory;
  };
  static void close(const Opened& opened) noexcept;

  std::shared_ptr<const mpi::SharedAllocation> memory_;
  Index rank_, processes_;
  std::uint8_t next_ = 0;
  std::map<std::pair<Index, std::uint64_t>, Opened> opened_;  // by rank and allocation
};

/// The number of a device of this process; nothing: it cannot use this one.
std::optional<Index> device_of(const driver::Table& table, const driver::Uuid& uuid);

}  // namespace tridap::device

#pragma GCC visibility pop
