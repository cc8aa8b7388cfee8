#include "room.hpp"

#include <mpi.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstdlib>

namespace dap::mpi {

namespace {

constexpr Index page = 4096;

// Where the files behind shared windows are: as a user tells Open MPI, or where Linux has them. MPI itself could be
// asked (MPI_T), for a fifth of a second and what Open MPI forgets to free then.
std::string backing_folder() {
  const char* const said = std::getenv("OMPI_MCA_osc_sm_backing_directory");
  return said != nullptr ? said : "/dev/shm";
}

// Whether a folder is known to have fewer bytes left, and how many it has.
bool is_short(const std::string& folder, Index wanted, std::string& why) {
  struct statvfs system = {};
  if (statvfs(folder.c_str(), &system) != 0) return false;
  const auto left = checked_multiply(static_cast<Index>(system.f_bavail), static_cast<Index>(system.f_frsize));
  if (!left || *left >= wanted) return false;
  why = folder + " has " + std::to_string(*left) + " left";
  return true;
}

// Whether this process has so many addresses left, which a limit may forbid.
bool addresses_left(Index bytes) {
  const auto length = static_cast<std::size_t>(bytes);
  void* const there = mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (there == MAP_FAILED) return false;
  munmap(there, length);
  return true;
}

}  // namespace

std::string room_is_missing(Index wanted) {
  const Index with_spare = wanted + wanted / 16 + (Index{1} << 20);  // Open MPI wants a twentieth more, and some state
  std::string why;
  if (!is_short(backing_folder(), with_spare, why) && !addresses_left(with_spare))
    why = "a process has fewer addresses left";
  return why;
}

bool touch(std::byte* begin, Index bytes) {
#ifdef MADV_POPULATE_WRITE
  if (madvise(begin, static_cast<std::size_t>(bytes), MADV_POPULATE_WRITE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
#endif
  for (Index at = 0; at < bytes; at += page) *static_cast<volatile std::byte*>(begin + at) = std::byte{0};
  return true;
}

namespace {

std::shared_ptr<std::byte> owned(void* memory, std::size_t length) {
  if (memory == MAP_FAILED) return nullptr;
  return {static_cast<std::byte*>(memory), [length](std::byte* begin) { munmap(begin, length); }};
}

}  // namespace

std::shared_ptr<std::byte> own_pages(Index bytes) {
  const auto length = static_cast<std::size_t>(bytes);
  return owned(mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), length);
}

std::shared_ptr<std::byte> same_pages([[maybe_unused]] std::byte* begin, [[maybe_unused]] Index bytes) {
#ifdef MREMAP_MAYMOVE  // Linux: of a shared mapping, nothing that grows is a second mapping
  const auto length = static_cast<std::size_t>(bytes);
  return owned(mremap(begin, 0, length, MREMAP_MAYMOVE), length);
#else
  return nullptr;
#endif
}

}  // namespace dap::mpi
