#pragma once

#include <Teuchos_DefaultMpiComm.hpp>
#include <Tpetra_Map.hpp>
#include <Trilinos_version.h>

#include <cstddef>

/// The differences between versions of Tpetra.
namespace tridap::tpetra::compat {

// The number of ids of a map on this process, and the ids, in the order of its local indices.
#if TRILINOS_MAJOR_MINOR_VERSION >= 130400
template <class Map>
std::size_t local_count(const Map& map) {
  return map.getLocalNumElements();
}
template <class Map>
auto local_ids(const Map& map) {
  return map.getLocalElementList();
}
#else
template <class Map>
std::size_t local_count(const Map& map) {
  return map.getNodeNumElements();
}
template <class Map>
auto local_ids(const Map& map) {
  return map.getNodeElementList();
}
#endif

}  // namespace tridap::tpetra::compat
