#include "room.hpp"

#include <tridap/internal/room.hpp>

#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <optional>

namespace tridap::globalarrays {

namespace {

#ifdef OPEN_MPI
constexpr bool open_mpi = true;
#else
constexpr bool open_mpi = false;
#endif

// The folder in which MPI keeps the files behind its windows. It is the folder that the environment sets for Open MPI's
// component ("sm", "rdma"), else /dev/shm, else (if /dev/shm cannot be written) Open MPI's folder for temporary files.
// It does not query MPI (MPI_T), because that takes 0.2 s and leaks memory in Open MPI.
std::string backing_folder(const std::string& component) {
  const char* const setting =
      open_mpi ? std::getenv(("OMPI_MCA_osc_" + component + "_backing_directory").c_str()) : nullptr;
  if (setting != nullptr) return setting;
  if (!open_mpi || access("/dev/shm", W_OK) == 0) return "/dev/shm";
  for (const char* const name : {"OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base", "TMPDIR", "TEMP", "TMP"})
    if (const char* const folder = std::getenv(name)) return folder;
  return "/tmp";
}

// Whether the environment variable OMPI_MCA_osc allows Open MPI to make windows with a component ("sm", "rdma"). True
// if it is not set, and for other MPI libraries.
bool may_make_windows_by(const std::string& component) {
  const char* const setting = open_mpi ? std::getenv("OMPI_MCA_osc") : nullptr;
  if (setting == nullptr || *setting == '\0') return true;
  const bool all_but = *setting == '^';
  const std::string listed = "," + std::string(setting + (all_but ? 1 : 0)) + ",";
  return (listed.find("," + component + ",") != std::string::npos) != all_but;
}

// The folder in which GA's windows are files. std::nullopt: they are a process's own memory, because it is one process,
// or because a component of Open MPI for networks makes them. Open MPI takes the first of these two components that it
// may use.
std::optional<std::string> folder_of_windows(bool shared) {
  for (const char* const component : {"rdma", "sm"})
    if (shared && may_make_windows_by(component)) return backing_folder(component);
  return std::nullopt;
}

// Whether this process may map `bytes` more bytes of address space, which can be limited (ulimit -v).
bool addresses_left(Index bytes) {
  const auto length = static_cast<std::size_t>(bytes);
  void* const there = mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (there == MAP_FAILED) return false;
  munmap(there, length);
  return true;
}

Index memory_of(int pages) {
  return checked_multiply(sysconf(pages), sysconf(_SC_PAGESIZE)).value_or(std::numeric_limits<Index>::max());
}

}  // namespace

std::string windows_between_nodes() {
  return open_mpi ? "set OMPI_MCA_osc=ucx in the environment, or run on one node" : "run on one node";
}

Room room_for(Index wanted, bool shared) {
  const std::string node = mpi::node_name();
  const std::optional<Index> spared = mpi::with_spare(wanted);
  if (!spared || !addresses_left(*spared)) return {"a process on " + node + " has less address space left", false};
  const std::optional<std::string> folder = folder_of_windows(shared);
  const std::optional<Index> left = folder ? mpi::bytes_left(*folder) : std::nullopt;
  if (left && *left < *spared)
    return {*folder + " on " + node + " has " + std::to_string(*left) + " bytes left", false};
  if (const Index all = memory_of(_SC_PHYS_PAGES); !left && all < *spared)
    return {node + " has " + std::to_string(all) + " bytes of memory", false};
  const Index several = checked_multiply(wanted, 4).value_or(std::numeric_limits<Index>::max());
  return {"", memory_of(_SC_AVPHYS_PAGES) >= several && (!left || *left >= several)};
}

}  // namespace tridap::globalarrays
