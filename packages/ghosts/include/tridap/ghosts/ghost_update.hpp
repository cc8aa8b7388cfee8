#pragma once

#include <tridap/device_stream.hpp>
#include <tridap/ghosts/ghosted_array.hpp>

#include <mpi.h>

#include <memory>

namespace tridap {

/// Brings the values of ghosts from the processes that own the elements, and adds the values of ghosts to the elements
/// of which they are copies, as the assembly of finite elements needs it.
///
/// The plan is made once. Each process finds the owners of its ghosts from the distribution, and tells each owner which
/// elements it wants. An update sends one message to each process that has ghosts of this process's elements, and
/// allocates nothing. Ghosts of one owner that are neighbours in memory are received and sent in place.
///
/// In the example of GhostedArray, update_ghosts() sends element 0 from process 0 to process 1 and the elements 4 and 3
/// from process 1 to process 0: bytes_sent() is 8 on process 0 and 16 on process 1. sum_ghosts() sends the same
/// elements the opposite way.
///
/// The constructor needs MPI to be initialised; the destructor may run after MPI_Finalize. The destructor is local. But
/// if an update is in progress, it waits for it, because MPI still reads and writes the buffer.
class GhostUpdate {
 public:
  /// Every process gives its part. Rank `r` of `comm` is process `r` of the row-major process grid. The memory must
  /// outlive this object, unless its buffer has an owner. Messages are sent on a duplicate of `comm`, so that you may
  /// free `comm` after this call.
  ///
  /// **Collective**: throws the same Error on every process or on none. It throws if the dim_data or the element types
  /// of the processes do not fit together, if an id is no element of the array, is an element of the process that lists
  /// it, or is listed twice by one process, if numbered axes share indices or the array has communication padding, or
  /// if the memory of a process is read-only, has elements that may share memory, or is on a device in a program
  /// without TriDAP::device.
  GhostUpdate(const GhostedArray& array, MPI_Comm comm);
  GhostUpdate(GhostUpdate&&) noexcept;  ///< a moved-from object may only be destroyed or assigned to
  GhostUpdate& operator=(GhostUpdate&&) noexcept;
  ~GhostUpdate();

  /// Each ghost gets the value of its element, with all components: start_update(stream), then wait(). **Collective.**
  void update_ghosts(DeviceStream stream = {});
  /// The value of each ghost is added to its element; ghosts keep their values. An element with several ghosts gets
  /// them in the order of the ranks, so that the sum is the same each time: start_sum(stream), then wait().
  /// **Collective.** Throws Error on every process if elements of this type cannot be added.
  void sum_ghosts(DeviceStream stream = {});

  /// Begins an update of the ghosts. Until wait() returns, the ghosts must not be accessed, and owned elements may be
  /// read but not written. **Collective.** Several plans on one communicator may be started and waited for in any
  /// order; if memory is on devices, in the same order on every process. Throws Error, on this process alone, if an
  /// update of this plan is in progress.
  ///
  /// `stream`: on which memory on a device was last written or read; the update waits for it.
  void start_update(DeviceStream stream = {});
  /// Begins a sum. Until wait() returns, the ghosts may be read but not written, and owned elements must not be
  /// accessed. **Collective**, and in everything else as start_update().
  void start_sum(DeviceStream stream = {});
  /// Ends what was begun. **Collective.** Throws Error, on this process alone, if nothing is in progress. If memory is
  /// on devices, it ends in a reduction, and throws the same Error on every process if a device has failed.
  void wait();

  Index bytes_sent() const;      ///< by each update_ghosts(), from this process to others; received by sum_ghosts()
  Index bytes_received() const;  ///< by each update_ghosts(), from others to this process; sent by sum_ghosts()

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Plans and updates once. **Collective**: throws as GhostUpdate does.
void update_ghosts(const GhostedArray& array, MPI_Comm comm, DeviceStream stream = {});
void sum_ghosts(const GhostedArray& array, MPI_Comm comm, DeviceStream stream = {});

}  // namespace tridap
