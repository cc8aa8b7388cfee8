#pragma once

#include "form.hpp"
#include "group.hpp"
#include <tridap/globalarrays/array.hpp>

#include <mpi.h>

namespace tridap::globalarrays {

/// A Global Array, and how it was made.
struct Created {
  GlobalArray array;
  Form form;
  Group group;
};

/// The same ownership with GA's ranks for the communicator's.
redistribute::PlacedDistribution in_group(const redistribute::PlacedDistribution& placed, const Group& group);

/// GA's group of the communicator's processes; throws Error where there is none, or GA has not begun. Local.
Group require_group(MPI_Comm comm);

/// create() with `placed` in the ranks of `comm`. **Collective.**
Created create_in(const redistribute::PlacedDistribution& placed, const ElementType& type, MPI_Comm comm);

/// This process's memory in a Global Array, all ghost cells included, row-major; without elements, and without axes,
/// where it holds none. Keeps nothing alive. Local.
Buffer own_memory(const GlobalArray& array, const Form& form);

/// The buffer of an array in it: without the outer ghost cells that the array has not. Local.
Buffer own_part(const GlobalArray& array, const Form& form);
Buffer own_part(const GlobalArray& array);

/// The part of the distribution that this process holds; nothing: none.
std::optional<Index> own_process(const GlobalArray& array);

}  // namespace tridap::globalarrays
