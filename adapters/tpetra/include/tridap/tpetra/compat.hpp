#pragma once

#include <TeuchosCore_config.h>
#include <Teuchos_DefaultMpiComm.hpp>
#include <Tpetra_Map.hpp>
#include <Trilinos_version.h>

#include <cstddef>

/// The differences between versions of Trilinos.
namespace tridap::tpetra::compat {

/// Whether Trilinos has the faults of 13.2 that later versions may have corrected.
constexpr bool is_13_2 = TRILINOS_MAJOR_MINOR_VERSION < 130400;

/// Whether a timer of Teuchos is a region of Kokkos' tools.
#if defined(HAVE_TEUCHOS_KOKKOS_PROFILING) && defined(HAVE_TEUCHOSCORE_KOKKOSCORE)
constexpr bool timers_are_regions = true;
#else
constexpr bool timers_are_regions = false;
#endif

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
