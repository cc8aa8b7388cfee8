#include "room.hpp"

#include <mpi.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace dap::mpi {

namespace {

constexpr Index page = 4096;

// Where the MPI puts the files behind its shared windows: what Open MPI says, or the place where Linux keeps them.
std::string backing_folder() {
  std::string folder = "/dev/shm";
  int level = 0, which = 0, letters = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &level) != MPI_SUCCESS) return folder;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  if (MPI_T_cvar_get_index("osc_sm_backing_directory", &which) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(which, nullptr, &handle, &letters) == MPI_SUCCESS) {
    std::vector<char> name(static_cast<std::size_t>(std::max(letters, 0)) + 1, '\0');
    if (MPI_T_cvar_read(handle, name.data()) == MPI_SUCCESS && name.front() == '/') folder = name.data();
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return folder;
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
  const Index spare = wanted / 16 + (Index{1} << 20);  // Open MPI itself wants a twentieth more, and keeps some state
  static const std::string folder = backing_folder();
  struct statvfs system = {};
  if (statvfs(folder.c_str(), &system) == 0) {
    const auto left = checked_multiply(static_cast<Index>(system.f_bavail), static_cast<Index>(system.f_frsize));
    if (left && *left - spare < wanted) return folder + " has " + std::to_string(*left) + " left";
  }
  if (!addresses_left(wanted + spare)) return "a process has fewer addresses left";
  return "";
}

bool touch(std::byte* begin, Index bytes) {
#ifdef MADV_POPULATE_WRITE
  if (madvise(begin, static_cast<std::size_t>(bytes), MADV_POPULATE_WRITE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
#endif
  for (Index at = 0; at < bytes; at += page) *static_cast<volatile std::byte*>(begin + at) = std::byte{0};
  return true;
}

std::shared_ptr<std::byte> own_pages(Index bytes) {
  const auto length = static_cast<std::size_t>(bytes);
  void* const memory = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  return {static_cast<std::byte*>(memory), [length](std::byte* begin) { munmap(begin, length); }};
}

}  // namespace dap::mpi
