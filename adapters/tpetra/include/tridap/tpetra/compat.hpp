#pragma once

#include <tridap/detail/refuse.hpp>
#include <tridap/index.hpp>

#include <TeuchosCore_config.h>
#include <Teuchos_DefaultMpiComm.hpp>
#include <Tpetra_Map.hpp>
#include <Trilinos_version.h>

#include <cassert>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

/// The differences between versions of Trilinos, and between its global ids of 64 and of 32 bits.
namespace tridap::tpetra::compat {

/// Whether Trilinos has the faults of 13.2 that later versions may have corrected.
constexpr bool is_13_2 = TRILINOS_MAJOR_MINOR_VERSION < 130400;
/// Whether MueLu's prolongator and its Chebyshev smoother must scale by the same diagonal.
constexpr bool muelu_has_one_scaling = TRILINOS_MAJOR_MINOR_VERSION >= 170000;

/// Whether a timer of Teuchos is a region of Kokkos' tools.
#if defined(HAVE_TEUCHOS_KOKKOS_PROFILING) && (defined(HAVE_TEUCHOSCORE_KOKKOSCORE) || defined(HAVE_TEUCHOSCORE_KOKKOS))
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

/// A global index of Tpetra: `long long`, or `int` if Trilinos was built without ids of 64 bits.
using Id = Tpetra::Map<>::global_ordinal_type;

/// Whether each Index can be an id.
template <class Of = Id>
inline constexpr bool ids_are_long = sizeof(Of) == sizeof(Index);

/// Throws Error unless a map can have the ids from `base` on that span `span` numbers (nothing: they do not fit 64
/// bits). Tpetra computes the number behind the largest id, which must fit too. `instead`: other remedies than another
/// Trilinos, in words.
template <class Of = Id>
void need_ids(Index base, std::optional<Index> span, const std::string& instead = "") {
  static_assert(std::is_signed_v<Of>, "ids of Tpetra are signed");
  constexpr Index limit = std::numeric_limits<Of>::max();
  const std::optional<Index> end = span ? checked_add(base, *span) : std::nullopt;
  if (base < 0 || (span && !end))
    refuse("the index base is " + std::to_string(base) + ", for ids that span " +
               (span ? std::to_string(*span) : "2^63 or more") + " numbers",
           "must not be negative, and the largest id must be below 2^63", "set a smaller index_base");
  if (ids_are_long<Of> || (end && *end <= limit)) return;
  refuse("the largest id is " + (end ? std::to_string(*end - 1) : "2^63 or more"),
         "must be less than " + std::to_string(limit) + ", because the ids of this Trilinos have " +
             std::to_string(8 * sizeof(Of)) + " bits",
         std::string(span && *span <= limit ? "set a smaller index_base, or " : "") +
             "build Trilinos with Tpetra_INST_INT_LONG_LONG=ON, and then TriDAP again" +
             (instead.empty() ? "" : "; " + instead));
}

/// A number that need_ids() allows, as an id.
template <class Of = Id>
constexpr Of id_of(Index number) {
  assert(number == static_cast<Index>(static_cast<Of>(number)));
  return static_cast<Of>(number);
}

/// Ids as indices: in the same memory if they have 64 bits, otherwise in `copy`.
template <class Of>
const Index* as_indices(const Of* ids, std::size_t count, std::vector<Index>& copy) {
  if constexpr (ids_are_long<Of>) {
    return reinterpret_cast<const Index*>(ids);
  } else {
    copy.assign(ids, ids + count);
    return copy.data();
  }
}

}  // namespace tridap::tpetra::compat
