#pragma once

#include "form.hpp"
#include "group.hpp"
#include <tridap/globalarrays/array.hpp>

#include <mpi.h>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// A Global Array, and how it was made.
struct Created {
  GlobalArray array;
  Form form;
  Group group;
};

/// The same ownership, with GA's ranks in place of the communicator's.
redistribute::PlacedDistribution in_group(const redistribute::PlacedDistribution& placed, const Group& group);

/// GA's group of the communicator's processes. Throws Error if there is none, or if GA is not initialised. Local.
Group require_group(MPI_Comm comm);

/// create() with `placed` in the ranks of `comm`. **Collective.**
Created create_in(const redistribute::PlacedDistribution& placed, const ElementType& type, MPI_Comm comm);

/// This process's memory in a Global Array, row-major, with all ghost cells. If the process holds none, the buffer has
/// no elements and no axes. The buffer keeps nothing alive. Local.
Buffer own_memory(const GlobalArray& array, const Form& form);

/// The array's buffer in this memory: without outer ghost cells that the array does not have. Local.
Buffer own_part(const GlobalArray& array, const Form& form);
Buffer own_part(const GlobalArray& array);

/// The part of the distribution that this process holds; std::nullopt: it holds none.
std::optional<Index> own_process(const GlobalArray& array);

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
