#include "room.hpp"

#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

namespace dap::globalarrays {

namespace {

// Where the files behind GA's windows are: as a user tells Open MPI, or where Linux has them.
std::string backing_folder() {
  const char* const said = std::getenv("OMPI_MCA_osc_rdma_backing_directory");
  return said != nullptr ? said : "/dev/shm";
}

bool addresses_left(Index bytes) {
  const auto length = static_cast<std::size_t>(bytes);
  void* const there = mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (there == MAP_FAILED) return false;
  munmap(there, length);
  return true;
}

std::string memory_is_short(Index wanted) {
  const auto pages = checked_multiply(sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGESIZE));
  if (!pages || *pages >= wanted) return "";
  return "the node has " + std::to_string(*pages) + " bytes of memory";
}

}  // namespace

std::string room_is_missing(Index wanted, bool shared) {
  const Index spare = wanted / 16 + (Index{1} << 20);  // Open MPI wants a twentieth more, and some state
  const auto with_spare = checked_add(wanted, spare);
  if (!with_spare || !addresses_left(*with_spare)) return "a process has fewer addresses left";
  if (!shared) return memory_is_short(*with_spare);
  struct statvfs system = {};
  if (statvfs(backing_folder().c_str(), &system) != 0) return memory_is_short(*with_spare);
  const auto left = checked_multiply(static_cast<Index>(system.f_bavail), static_cast<Index>(system.f_frsize));
  if (!left || *left >= *with_spare) return "";
  return backing_folder() + " has " + std::to_string(*left) + " bytes left";
}

bool room_is_ample(Index wanted, bool shared) {
  const auto several = checked_multiply(wanted, 4);
  const auto memory = checked_multiply(sysconf(_SC_AVPHYS_PAGES), sysconf(_SC_PAGESIZE));
  if (!several || !memory || *memory < *several) return false;
  struct statvfs system = {};
  if (!shared || statvfs(backing_folder().c_str(), &system) != 0) return true;
  const auto left = checked_multiply(static_cast<Index>(system.f_bavail), static_cast<Index>(system.f_frsize));
  return left && *left >= *several;
}

bool touch([[maybe_unused]] void* begin, [[maybe_unused]] Index bytes) {
#ifdef MADV_POPULATE_WRITE
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;  // the whole pages inside
  const auto last = (reinterpret_cast<std::uintptr_t>(begin) + static_cast<std::uintptr_t>(bytes)) / page * page;
  if (first >= last || madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE) == 0) return true;
  return errno == EINVAL || errno == ENOSYS;
#else
  return true;
#endif
}

}  // namespace dap::globalarrays
