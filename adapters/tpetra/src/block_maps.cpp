#include "block_maps.hpp"

#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>

#include <Tpetra_CrsMatrix.hpp>

#include <string>

namespace tridap::tpetra::detail {

Teuchos::RCP<const Map> block_map(const Bounds& bounds, Index process, const Communicator& comm) {
  compat::need_ids(0, bounds.back());
  const auto p = static_cast<std::size_t>(process);
  return Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(bounds.back()),
                              static_cast<std::size_t>(bounds[p + 1] - bounds[p]), 0, comm.teuchos()));
}

void need_count(const Map& map, Index count, const char* what) {
  if (const auto ids = static_cast<Index>(compat::local_count(map)); ids != count)
    refuse("the map of the " + std::string(what) + " has " + std::to_string(ids) + " ids on this process",
           "must have " + std::to_string(count) + ", as many as there are " + what,
           "give the map of these " + std::string(what));
}

void need_host_node() {
  using Space = Tpetra::CrsMatrix<>::device_type::memory_space;
  if (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space>::accessible)
    refuse(std::string("the values of this node's matrices are in ") + Space::name() + " memory", "",
           "use a node type whose memory the host can access");
}

Communicator communicator_of(const Teuchos::RCP<const Map>& map, const char* what) {
  if (map.is_null()) refuse("the map of the " + std::string(what) + " is null", "", "give a map");
  return Communicator(map->getComm());
}

}  // namespace tridap::tpetra::detail
