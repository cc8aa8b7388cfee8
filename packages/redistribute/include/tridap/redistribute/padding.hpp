#pragma once

#include <tridap/device_stream.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/redistribute/plan.hpp>

#include <mpi.h>

#include <memory>
#include <vector>

namespace tridap::redistribute {

/// What an update of padding does.
enum class PaddingOperation {
  fill,  ///< padding gets the values of the elements that it copies
  sum,   ///< the values of padding are added to the elements that it copies; padding keeps its values
};

/// This process's part of an array with a distribution, which has a part on each rank of a communicator. The buffer may
/// have any strides, different on each process.
struct PaddedBuffer {
  Buffer buffer;
  PlacedDistribution distribution;
};

/// Fills the padding of an array with the elements that it copies, corners included: communication padding from the
/// owners of the elements, and padding at the ends of a periodic axis from the other end. With PaddingOperation::sum,
/// values go the opposite way, as the assembly of finite elements needs it.
///
/// The plan is made once, by padding_plan(), without communication. An update sends one message to each process whose
/// padding copies elements of this process, and allocates nothing. Elements that are contiguous in memory are sent and
/// received in place. All others are packed into memory that the plan keeps.
///
/// Example: 8 doubles on a periodic axis over 2 processes, with padding 1 everywhere. Process 0 holds local elements 0
/// to 4: element 0 is a mirror of global element 6, and element 4 is owned by process 1. update() sends elements 3 and
/// 1 to process 1 in one message of 16 bytes, and receives 16 bytes: bytes_sent() == bytes_received() == 16. On one
/// process, the two mirrors are filled by local copies.
///
/// The constructor needs MPI to be initialised; the destructor may run after MPI_Finalize. The destructor is local. But
/// if an update is in progress, it waits for it, because MPI still reads and writes the buffer.
class PaddingUpdate {
 public:
  /// `buffer` is this process's part of an array with this `distribution`, which has a part on each rank of `comm`. The
  /// buffer may have any strides, different on each process. Its memory must outlive this object, unless the buffer has
  /// an owner. Messages are sent on a duplicate of `comm`, so that you may free `comm` after this call.
  ///
  /// **Collective**: throws the same Error on every process or on none. It throws if the element types, the
  /// distributions or the operations differ between processes, if elements of this type cannot be added, if an
  /// unstructured axis has an index on several coordinates (these copies are no padding: see GhostedArray in
  /// tridap/ghosts/ghosted_array.hpp), or if the buffer of a process is read-only, does not have the local shape of
  /// that process, has elements that may share memory, or is on a device in a program without TriDAP::device.
  PaddingUpdate(Buffer buffer, const PlacedDistribution& distribution, MPI_Comm comm,
                PaddingOperation operation = PaddingOperation::fill);
  /// The same for several arrays, of any types and distributions, as one: there is one message to each process, for all
  /// of them. Their number and order are the same on every process.
  PaddingUpdate(std::vector<PaddedBuffer> arrays, MPI_Comm comm, PaddingOperation operation = PaddingOperation::fill);
  /// The same for one array, where rank `r` of `comm` has the part of process `r`.
  PaddingUpdate(Buffer buffer, const Distribution& distribution, MPI_Comm comm,
                PaddingOperation operation = PaddingOperation::fill);
  PaddingUpdate(PaddingUpdate&&) noexcept;  ///< a moved-from object may only be destroyed or assigned to
  PaddingUpdate& operator=(PaddingUpdate&&) noexcept;
  ~PaddingUpdate();

  /// Fills all padding, or adds it: start(stream), then wait(). **Collective**.
  void update(DeviceStream stream = {});
  /// Begins an update. Until wait() returns, the padding must not be accessed, and the interior may be read but not
  /// written; with PaddingOperation::sum, neither may be written, and the interior must not be read. **Collective.**
  /// Several plans on one communicator may be started and waited for in any order; if buffers are on devices, in the
  /// same order on every process. Throws Error, on this process alone, if an update of this plan is in progress.
  ///
  /// `stream`: on which a buffer on a device was last written or read; the update waits for it.
  void start(DeviceStream stream = {});
  /// Ends the update. **Collective.** Throws Error, on this process alone, if no update is in progress. If buffers are
  /// on devices, it ends in a reduction, and throws the same Error on every process if a device has failed.
  void wait();

  /// The same on every process, at least 0, and another one for each plan of a communicator.
  Index number() const;
  Index bytes_sent() const;      ///< by each update, from this process to others
  Index bytes_received() const;  ///< by each update, from others to this process

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Fills the padding of an array once: it gathers the Distribution, plans and updates, in 4 reductions (6 with lists).
/// To update an array often, keep a PaddingUpdate: its updates need no
/// reduction, or one if buffers are on devices. **Collective**: throws the same Error
/// on every process or on none, as mpi::gather_distribution() and PaddingUpdate do. `stream` as in
/// PaddingUpdate::start().
void update_padding(const DistArray& array, MPI_Comm comm, DeviceStream stream = {});

}  // namespace tridap::redistribute
