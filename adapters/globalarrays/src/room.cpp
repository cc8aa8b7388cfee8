#include "room.hpp"

#include <tridap/internal/room.hpp>

#include <unistd.h>

namespace tridap::globalarrays {

namespace {

// The folder in which GA's windows are files. std::nullopt: they are a process's own memory, because it is one process,
// or because a component of Open MPI for networks makes them. Open MPI takes the first of these two components that it
// may use.
std::optional<std::string> folder_of_windows(bool shared) {
  for (const char* const component : {"rdma", "sm"})
    if (shared && mpi::may_make_windows_by(component)) return mpi::backing_folder(component);
  return std::nullopt;
}

std::string memory_is_short(Index wanted) {
  const auto pages = checked_multiply(sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGESIZE));
  if (!pages || *pages >= wanted) return "";
  return mpi::node_name() + " has " + std::to_string(*pages) + " bytes of memory";
}

}  // namespace

std::string room_is_missing(Index wanted, bool shared) {
  const std::optional<Index> spared = mpi::with_spare(wanted);
  if (!spared || !mpi::addresses_left(*spared))
    return "a process on " + mpi::node_name() + " has less address space left";
  const std::optional<std::string> folder = folder_of_windows(shared);
  const std::optional<Index> left = folder ? mpi::bytes_left(*folder) : std::nullopt;
  if (!left) return memory_is_short(*spared);
  return *left >= *spared ? "" : *folder + " on " + mpi::node_name() + " has " + std::to_string(*left) + " bytes left";
}

bool room_is_ample(Index wanted, bool shared) {
  const auto several = checked_multiply(wanted, 4);
  const auto memory = checked_multiply(sysconf(_SC_AVPHYS_PAGES), sysconf(_SC_PAGESIZE));
  if (!several || !memory || *memory < *several) return false;
  const std::optional<std::string> folder = folder_of_windows(shared);
  const std::optional<Index> left = folder ? mpi::bytes_left(*folder) : std::nullopt;
  return !left || *left >= *several;
}

}  // namespace tridap::globalarrays
