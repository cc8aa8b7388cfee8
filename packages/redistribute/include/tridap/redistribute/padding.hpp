#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

#include <mpi.h>

#include <memory>

namespace tridap::redistribute {

/// Fills an array's padding from the interior elements that it repeats: communication padding from its owners, the
/// mirrors of periodic axes from what they mirror, corners included. Planned once, by padding_plan(), which asks
/// nobody; an update is one message to each process that repeats something of ours, and allocates nothing. What stands
/// in a row in memory travels from and to where it stands; all else is packed, in memory that the plan keeps.
///
/// 8 doubles on a periodic axis over 2 processes, padded by 1 everywhere: process 0 holds 0 to 4, of which 0 mirrors 6
/// and 4 is process 1's. update() sends its elements 3 and 1 to process 1 in one message of 16 bytes, and receives as
/// many: bytes_sent() == bytes_received() == 16. On one process, the two mirrors are copies that it makes by itself.
///
/// Made and destroyed while MPI runs, or destroyed after it. Destroying it communicates nothing, unless an update is
/// under way: that is waited for, since the other processes and MPI still work on the buffer.
class PaddingUpdate {
 public:
  /// `buffer`: this process's part of an array of `distribution`, rank `r` of `comm` being process `r`. It may have any
  /// strides, on each process its own; its memory must outlive this, unless it has an owner. `comm` must not be freed
  /// before the last update; our messages never meet the caller's on it.
  ///
  /// **Collective**: throws the same Error on every process or on none. It names a process whose buffer is not in host
  /// memory, read-only, not of the shape that it holds there or with elements that may share memory; element types or
  /// distributions that are not the same everywhere.
  PaddingUpdate(Buffer buffer, const Distribution& distribution, MPI_Comm comm);
  PaddingUpdate(PaddingUpdate&&) noexcept;  ///< one moved from may be destroyed or assigned to, no more
  PaddingUpdate& operator=(PaddingUpdate&&) noexcept;
  ~PaddingUpdate();

  /// Fills all padding: start(), then wait(). **Collective**.
  void update();
  /// Begins an update. Until wait(), padding has no values to read, and the interior may be read alone. **Collective**:
  /// plans on one communicator may be started and waited for in any order. Throws Error, on this process alone, where
  /// one is under way already.
  void start();
  /// Ends it. Throws Error, on this process alone, where none is under way.
  void wait();

  Index bytes_sent() const;      ///< of elements, by each update, from this process to others
  Index bytes_received() const;  ///< of elements, by each update, from others to this process

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Fills an array's padding once: gathers its Distribution, plans, and updates. **Collective**: throws the same Error
/// on every process or on none, as mpi::gather_distribution() and PaddingUpdate do.
void update_padding(const DistArray& array, MPI_Comm comm);

}  // namespace tridap::redistribute
