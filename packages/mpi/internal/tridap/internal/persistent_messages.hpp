#pragma once

#include <tridap/index.hpp>
#include <tridap/internal/duplicates.hpp>

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace tridap::mpi {

/// Messages that a plan sends and receives any number of times, each from and to the same memory. Of two processes,
/// either both have a message between them, of the same length, or neither. A start allocates nothing.
///
/// The memory must outlive this object. If failed(), it must never be freed, because MPI may access it still. The
/// destructor is local. It waits for messages that are under way, and may run after MPI_Finalize.
class PersistentMessages {
 public:
  PersistentMessages() = default;
  PersistentMessages(const PersistentMessages&) = delete;
  PersistentMessages& operator=(const PersistentMessages&) = delete;
  ~PersistentMessages();

  /// Adds a message of `bytes` from this process to `rank`, or one from there. Throws before anything is added if
  /// memory ends. All receipts must be added before the first send. Local.
  void add_receipt(int rank, std::byte* data, Index bytes, const Channel& channel);
  void add_send(int rank, const std::byte* data, Index bytes, const Channel& channel);

  /// All messages set out. Throws on this process alone if MPI fails.
  void start();
  /// Returns when all have arrived and `data` of sends may be written again. Throws as start().
  void wait();
  bool started() const { return started_; }
  bool failed() const { return failed_; }

 private:
  template <class Step>
  void or_give_up(Step step);
  template <class Init>
  void add(Index bytes, const Channel& channel, Init&& init);

  std::shared_ptr<Duplicates> owner_;  // of the communicator
  std::vector<MPI_Request> requests_;
  bool started_ = false, failed_ = false;
};

}  // namespace tridap::mpi
