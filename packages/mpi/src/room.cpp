#include <tridap/internal/room.hpp>

#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace tridap::mpi {

std::string node_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "this node";
}

std::optional<Index> bytes_left(const std::string& folder) {
  struct statvfs system = {};
  if (statvfs(folder.c_str(), &system) != 0) return std::nullopt;
  return checked_multiply(static_cast<Index>(system.f_bavail), static_cast<Index>(system.f_frsize));
}

std::optional<Index> with_spare(Index bytes) { return checked_add(bytes, bytes / 16 + (Index{1} << 20)); }

bool touch(void* begin, Index bytes) {
  if (bytes <= 0) return true;
  const auto page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(begin), end = first + static_cast<std::uintptr_t>(bytes);
#ifdef MADV_POPULATE_WRITE
  const std::uintptr_t first_page = first / page_size * page_size;
  if (madvise(reinterpret_cast<void*>(first_page), end - first_page, MADV_POPULATE_WRITE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
#endif
  for (std::uintptr_t at = first; at < end; at = (at / page_size + 1) * page_size)
    *reinterpret_cast<volatile std::byte*>(at) = std::byte{0};
  return true;
}

}  // namespace tridap::mpi
