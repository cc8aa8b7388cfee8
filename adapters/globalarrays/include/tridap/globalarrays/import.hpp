#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/globalarrays/array.hpp>
#include <tridap/receipt.hpp>

#include <mpi.h>

#include <optional>
#include <string>

namespace tridap::globalarrays {

/// Makes the processes of `comm` known to GA as a group, and returns GA's number of it; nothing where they are all of
/// GA's.
/// **Collective** over GA's processes, all of them, each with its own `comm` or MPI_COMM_NULL: several disjoint groups
/// may be made at once. The group is kept until GA ends. What nobody holds any more is freed, as collect() does.
///
/// A process may have arrays of one group at a time, beside those of all processes, since GA's fences abort on two of
/// them: create() refuses. With Open MPI 4, disjoint groups of one node create() one after the other: the files behind
/// their windows may have one name.
std::optional<int> make_group(MPI_Comm comm);

/// Makes a Global Array with exactly that ownership. Its elements are whatever the memory holds. **Collective** over
/// `comm`, whose processes are all of GA's in any order, or a group of make_group(). Throws the same Error on every
/// process where GA cannot hold it, with the reason and the nearest distribution that it can.
///
/// It holds: block x ... x block, irregular and empty shares included, on any processes; cyclic x ... x cyclic over all
/// processes, dealt from the first one, with at least one block for each; cyclic on the first axis with block on the
/// others; 1 to 7 axes of at least one element. Communication padding becomes ghost cells where it is the same on both
/// sides of an axis and everywhere, and the parts stand on GA's first processes in order; the mirrors of a periodic
/// axis, where they are as wide, become GA's outer ghost cells.
GlobalArray create(const redistribute::PlacedDistribution& placed, const ElementType& type, MPI_Comm comm);

/// Why GA cannot hold it on so many processes, in GA's order; nothing: it can. Local, and needs neither MPI nor GA.
std::optional<std::string> refusal(const redistribute::PlacedDistribution& placed, const ElementType& type,
                                   Index processes);
/// The distribution of the same shape that GA can hold and that leaves the most where it is, by axis: itself, where GA
/// can hold it. Throws Error where there is none: 0 axes, more than 7, an axis of no elements. Local.
redistribute::PlacedDistribution nearest(const redistribute::PlacedDistribution& placed, const ElementType& type,
                                         Index processes);

/// An array with its ownership, that of this library's own.
struct ImportedArray {
  GlobalArray array;
  Receipt receipt;
};

/// What import_array() does where GA cannot hold a distribution.
enum class Fit {
  exact,    ///< throws Error, saying which one it could hold
  nearest,  ///< moves the elements to that one
};

/// A Global Array of an array's elements and ownership. Memory that is a Global Array's (allocate(), export_array()) is
/// shared, and the array the same, where it was made here. Other memory GA cannot take over, and an export of somebody
/// else's array is freed by its maker: both are refused, unless `copy` allows each process to copy its part, which
/// needs no communication. **Collective** over `comm`, whose rank `r` holds process `r` of the array's grid: throws the
/// same Error on every process where any process's array is wrong.
ImportedArray import_array(const DistArray& array, MPI_Comm comm, Copy copy = Copy::never, Fit fit = Fit::exact);

/// An array in memory of a Global Array, zeroed, so that import_array() of it is free: the protocol's array is ours,
/// and GA's array is the same memory. **Collective** over `comm`; throws as create().
DistArray allocate(const redistribute::PlacedDistribution& placed, const ElementType& type, MPI_Comm comm);

}  // namespace tridap::globalarrays
