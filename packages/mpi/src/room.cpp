#include <tridap/internal/room.hpp>

#include <mpi.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace tridap::mpi {

namespace {

#ifdef OPEN_MPI
constexpr bool open_mpi = true;
#else
constexpr bool open_mpi = false;
#endif

}  // namespace

std::string node_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "this node";
}

std::string more_shared_memory() {
  return "give " + node_name() + " a larger /dev/shm" +
         (open_mpi ? ", or Open MPI another folder (set OMPI_MCA_osc_sm_backing_directory)" : "");
}

std::string windows_between_nodes() {
  return open_mpi ? "set OMPI_MCA_osc=ucx in the environment, or run on one node" : "run on one node";
}

std::string backing_folder(const std::string& component) {
  const char* const setting =
      open_mpi ? std::getenv(("OMPI_MCA_osc_" + component + "_backing_directory").c_str()) : nullptr;
  if (setting != nullptr) return setting;
  if (!open_mpi || access("/dev/shm", W_OK) == 0) return "/dev/shm";
  for (const char* const name : {"OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base", "TMPDIR", "TEMP", "TMP"})
    if (const char* const folder = std::getenv(name)) return folder;
  return "/tmp";
}

bool may_make_windows_by(const std::string& component) {
  const char* const setting = open_mpi ? std::getenv("OMPI_MCA_osc") : nullptr;
  if (setting == nullptr || *setting == '\0') return true;
  const bool all_but = *setting == '^';
  const std::string listed = "," + std::string(setting + (all_but ? 1 : 0)) + ",";
  return (listed.find("," + component + ",") != std::string::npos) != all_but;
}

std::optional<Index> bytes_left(const std::string& folder) {
  struct statvfs system = {};
  if (statvfs(folder.c_str(), &system) != 0) return std::nullopt;
  return checked_multiply(static_cast<Index>(system.f_bavail), static_cast<Index>(system.f_frsize));
}

bool addresses_left(Index bytes) {
  const auto length = static_cast<std::size_t>(bytes);
  void* const there = mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (there == MAP_FAILED) return false;
  munmap(there, length);
  return true;
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
