#pragma once

#include <Teuchos_DefaultMpiComm.hpp>
#include <Tpetra_Map.hpp>
#include <Trilinos_version.h>

#include <cstddef>

/// What differs between Tpetra versions, and nothing else.
namespace tridap::tpetra::compat {

// How many ids a map has on this process, and which, in the order of its local indices.
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
