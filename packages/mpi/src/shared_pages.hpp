#pragma once

#include <tridap/index.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::mpi {

/// The page size of this system in bytes: 4096, 16384 or 65536. The length of each segment is a multiple of it.
Index page_bytes();

/// Throws Error with the fault, what must hold, and how to give a process more shared memory.
[[noreturn]] void refuse_shared(std::string fault, std::string must);

/// The free bytes of the file system for POSIX shared memory; nothing: not known.
std::optional<Index> shared_bytes_left();

/// Allocates private memory of this process in whole pages. Throws Error if the system has no more.
std::shared_ptr<std::byte> own_pages(Index bytes);

/// A segment of POSIX shared memory that this process makes. It is filled with zeros, and all its pages are allocated
/// near this process.
///
/// Another process of the node can map it with open_pages() as long as this object lives. The memory exists as long as
/// any process has it mapped, even after MPI_Finalize.
class SharedPages {
 public:
  /// Throws Error, with the system's own message, if there is no shared memory or too little of it.
  SharedPages(std::string name, Index bytes);
  ~SharedPages();
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;

  const std::shared_ptr<std::byte>& memory() const { return memory_; }

 private:
  std::string name_;
  std::shared_ptr<std::byte> memory_;
};

/// Maps the segment with a name. Throws Error if this process cannot see it, for example from another container.
std::shared_ptr<std::byte> open_pages(const std::string& name, Index bytes);

}  // namespace tridap::mpi

#pragma GCC visibility pop
