#pragma once

#include <tridap/index.hpp>

#include <array>
#include <cstdint>
#include <utility>

#pragma GCC visibility push(hidden)

namespace tridap::mpi {

/// What the other processes of a node need to open a file of shared memory: numbers, which its maker sends.
struct FileAddress {
  Index process = 0, number = -1;  ///< of its maker; of the descriptor there
  Index device = 0, inode = 0;     ///< of the file; inode 0: any file that the maker has shown_as() this descriptor
  Index kernel = 0;                ///< of the system that counts all of these
};

/// The maker of files with names: "/tridap-ID-RANK-NUMBER" in /dev/shm.
struct FileMaker {
  std::uint64_t id = 0;  ///< random
  int rank = 0;
};

/// An open file in /dev/shm for the memory of one process; its destructor closes it. Without a name it exists as long
/// as a process has it open or mapped: if processes are killed at any time, the system frees it.
///
/// Processes that cannot open each other's files without a name (each is in a container with numbers of its own, /proc
/// is not there, the kernel is older than Linux 3.11) give it one, which its maker's destructor removes. A maker that
/// is killed earlier leaves it, and remove_abandoned_files() of a later program removes it.
///
/// All of it is local, throws nothing and allocates no memory of the process.
class SharedFile {
 public:
  SharedFile() = default;
  SharedFile(SharedFile&& other) noexcept { swap(other); }
  SharedFile& operator=(SharedFile&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SharedFile();

  /// Makes an empty file without a name.
  static SharedFile make();
  /// Makes an empty file with a name. It is locked until it is closed, so that other processes see that its maker
  /// lives.
  static SharedFile make(const FileMaker& maker, Index number);
  /// Opens a file of another process, which has it open.
  static SharedFile open(const FileAddress& address);
  static SharedFile open(const FileMaker& maker, Index number);
  /// The same file once more, with another descriptor.
  SharedFile again() const;
  /// Makes the descriptor of `slot` one of this file, so that other processes find it at an address that they know.
  bool show_as(const SharedFile& slot) const;

  int descriptor() const { return descriptor_; }  ///< -1: none
  int error() const { return error_; }            ///< errno, if there is none
  Index bytes() const;                            ///< its length; -1 if there is none
  FileAddress address() const;                    ///< its `number` is -1 if there is none

 private:
  void swap(SharedFile& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(error_, other.error_);
    std::swap(name_, other.name_);
  }

  int descriptor_ = -1, error_ = 0;
  std::array<char, 80> name_{};  // that the destructor removes; empty: none
};

/// Removes the files with names in /dev/shm that this user's killed processes have left.
void remove_abandoned_files();

}  // namespace tridap::mpi

#pragma GCC visibility pop
