#pragma once

#include "form.hpp"
#include "group.hpp"
#include <tridap/globalarrays/array.hpp>

#include <mpi.h>

#include <optional>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// This process's memory in a Global Array. The buffers keep nothing alive. If it holds none, they have no axes.
struct OwnMemory {
  std::optional<Index> process;  ///< the part of the distribution that this process holds; std::nullopt: none
  Buffer whole;                  ///< row-major, with all ghost cells
  Buffer part;                   ///< of the array: without outer ghost cells that the array does not have
};
/// `placed`: in the ranks of the Global Array's group, and with this form. Local.
OwnMemory own_memory(int handle, const redistribute::PlacedDistribution& placed, const ElementType& type,
                     const Form& form);

/// A Global Array, and how it was made.
struct Created {
  GlobalArray array;
  Form form;
  Group group;
  OwnMemory own;
};

/// The same ownership, with GA's ranks in place of the communicator's.
redistribute::PlacedDistribution in_group(const redistribute::PlacedDistribution& placed, const Group& group);

/// create() with `placed` in the ranks of `comm`. **Collective.**
Created create_in(const redistribute::PlacedDistribution& placed, const ElementType& type, MPI_Comm comm);

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
