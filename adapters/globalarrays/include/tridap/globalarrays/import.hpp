#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/globalarrays/array.hpp>
#include <tridap/receipt.hpp>

#include <mpi.h>

#include <optional>
#include <string>

namespace tridap::globalarrays {

/// Makes a group of GA from the processes of `comm`, and returns GA's number of the group; nothing if these are all of
/// GA's processes. **Collective** over all of GA's processes, each with its own `comm` or MPI_COMM_NULL: several
/// disjoint groups may be made at once. GA keeps the group until it is terminated. The call also frees arrays that no
/// process holds, as collect() does.
///
/// Besides arrays of all processes, a process may have arrays of one group at a time, since GA's fences abort on two
/// groups: create() refuses a second one. With Open MPI 4, disjoint groups of one node must not call create() at the
/// same time, because the files behind their windows may have the same name.
std::optional<int> make_group(MPI_Comm comm);

/// Makes a Global Array with exactly the ownership `placed`. Its elements are not initialised. **Collective** over
/// `comm`, whose processes are all of GA's in any order, or a group of make_group(). Throws the same Error on every
/// process if GA cannot hold the distribution, with the reason and the nearest distribution that it can hold.
///
/// GA can hold:
/// - block x ... x block on any processes, irregular and empty shares included;
/// - cyclic x ... x cyclic over all processes, from the first one on, with at least one block for each process;
/// - cyclic on the first axis with block on the others;
/// - 1 to 7 axes of at least one element.
///
/// Communication padding becomes ghost cells if it has one width on both sides and everywhere along an axis, and part r
/// is on GA's process r. The mirrors of a periodic axis become GA's outer ghost cells if they have the same width.
GlobalArray create(const redistribute::PlacedDistribution& placed, const ElementType& type, MPI_Comm comm);

/// Why GA cannot hold a distribution on `processes` processes, in GA's order; nothing: it can. Local, and needs neither
/// MPI nor GA.
std::optional<std::string> refusal(const redistribute::PlacedDistribution& placed, const ElementType& type,
                                   Index processes);
/// The distribution of the same shape that GA can hold and that moves the fewest elements along each axis; `placed`
/// itself if GA can hold it. Throws Error if there is none: 0 axes, more than 7, an axis of no elements. Local.
redistribute::PlacedDistribution nearest(const redistribute::PlacedDistribution& placed, const ElementType& type,
                                         Index processes);

/// A Global Array with the array's ownership, and what the import did.
struct ImportedArray {
  GlobalArray array;
  Receipt receipt;
};

/// What import_array() does if GA cannot hold a distribution.
enum class Fit {
  exact,    ///< throws Error, which names the nearest distribution that it can hold
  nearest,  ///< moves the elements to that distribution
};

/// A Global Array with an array's elements and ownership. If the array's memory belongs to a Global Array that was made
/// here (allocate(), export_array()), the result is that Global Array, and nothing is copied. GA cannot use other
/// memory, and a Global Array that another library made may be destroyed by it: both are refused, unless `copy` allows
/// each process to copy its part, which needs no communication. **Collective** over `comm`, whose rank `r` holds
/// process `r` of the array's grid: throws the same Error on every process if any process's array is wrong.
ImportedArray import_array(const DistArray& array, MPI_Comm comm, Copy copy = Copy::never, Fit fit = Fit::exact);

/// An array of zeros in the memory of a new Global Array, so that import_array() of it copies nothing. **Collective**
/// over `comm`; throws as create().
DistArray allocate(const redistribute::PlacedDistribution& placed, const ElementType& type, MPI_Comm comm);

}  // namespace tridap::globalarrays
