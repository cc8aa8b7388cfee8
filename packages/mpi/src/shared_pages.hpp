#pragma once

#include <tridap/index.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace tridap::mpi {

/// Bytes of a page of this system: 4096, 16384 or 65536. The length of each segment is a multiple of it.
Index page_bytes();

/// Throws Error: the fault, what holds, and what gives a process more shared memory.
[[noreturn]] void refuse_shared(std::string fault, std::string must);

/// Bytes that the system's file system for POSIX shared memory has left; nothing: not known.
std::optional<Index> shared_bytes_left();

/// Memory of this process alone, on whole pages. Throws Error if the system has no more.
std::shared_ptr<std::byte> own_pages(Index bytes);

/// A segment of POSIX shared memory that this process makes, of zeros, with all its pages allocated near this process.
///
/// Another process of the node maps it with open_pages() while the name exists, which is as long as this object. The
/// memory exists as long as one of the processes has it mapped, whatever becomes of MPI.
class SharedPages {
 public:
  /// Throws Error, with the system's own words, where there is no shared memory or too little of it.
  SharedPages(std::string name, Index bytes);
  ~SharedPages();
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;

  const std::shared_ptr<std::byte>& memory() const { return memory_; }

 private:
  std::string name_;
  std::shared_ptr<std::byte> memory_;
};

/// Maps the segment of a name. Throws Error where this process cannot see it: in a container of its own, say.
std::shared_ptr<std::byte> open_pages(const std::string& name, Index bytes);

}  // namespace tridap::mpi
