#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>
#include <tridap/internal/state.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/receipt.hpp>

#include <mpi.h>
#include <petscsys.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#pragma GCC visibility push(hidden)

namespace tridap::petsc {

/// An array that all processes have checked, for a Vec of its elements.
struct Source {
  Distribution distribution;
  Index rank = 0;          ///< this process
  bool row_major = false;  ///< on every process the elements are in row-major order
  bool on_device = false;  ///< on every process they are in memory of a device, or there are none

  bool is_padded() const;  ///< on any process
  /// Whether PETSc's numbers of the elements are the array's row-major flat numbers.
  bool keeps_numbers() const;
  Index total() const;  ///< elements of all processes, if no two have the same
  Index count() const { return distribution.count(rank, Part::interior); }  ///< elements of this process
};

/// Throws Error if the communicator is null or an inter-communicator.
void need_communicator(MPI_Comm comm);

/// Runs a local step that calls PETSc before a collective call begins, while no other thread is in PETSc.
template <class Step>
void inside_petsc(Step&& step) {
  const mpi::Inside inside(mpi::Library::petsc);
  std::forward<Step>(step)();
}

/// What a call says of memory that a Vec cannot have in place: before the fault, and the remedies.
struct InPlace {
  const char* before = "";
  const char* memory = "";   ///< for memory that is read-only, not contiguous or not aligned
  const char* padding = "";  ///< for memory with padding
  bool device = false;       ///< memory of a device is used, if PETSc has Vecs there
};
/// Of a call that has the argument `copy`.
inline constexpr InPlace or_copied{"copy=never, but ",
                                   "pass copy=if_needed, or an array with contiguous, writable memory",
                                   "pass copy=if_needed, or the DMDA whose local Vec has this padding", true};
/// Of a call that has no such argument.
inline constexpr InPlace never_copied{
    "", "give contiguous, writable memory (in Python array = array.copy(order=\"C\"))",
    "make a Vec of a copy (in Python vec, receipt = tridap.petsc.import_array(array, copy=\"if_needed\"))"};

/// Throws Error unless a type is PetscScalar: `what` are of another type. Local.
void need_scalars(const ElementType& type, const std::string& what, const std::string& remedy);
/// Throws Error if a Vec cannot have a buffer's elements: in place, or, if `copy` allows it, in a copy. Local.
void need_buffer(const Buffer& buffer, Copy copy, const InPlace& says = or_copied);
/// A number as an integer of PETSc. Throws Error if PETSc was built with integers that cannot hold it: "the matrix has"
/// this number of "rows".
PetscInt petsc_int(Index number, const char* owner = "the array has", const char* counted = "elements",
                   const char* remedy = "use a PETSc that was built with 64-bit indices");

/// Checks an array of every process: its rules, its element type, and that a Vec can have its elements in place, or, if
/// `copy` allows it, in a copy. `padding`: padding is allowed. **Collective**, inside of a Call on `comm`, which is its
/// duplicate: throws the same Error on every process or on none.
Source need_source(const DistArray& array, MPI_Comm comm, Copy copy, const InPlace& says = or_copied,
                   bool padding = false);

/// The elements of this process, dense, in memory that `owner` keeps.
struct Elements {
  PetscScalar* data = nullptr;
  std::shared_ptr<void> owner;
};

/// The array's own memory, or a row-major copy of the interior if a Vec cannot have it. Local.
Elements elements_of(const DistArray& array, const Source& source, Copy copy, Receipt& receipt);

/// The order in which elements_of() has the elements. Local.
MemoryOrder order_of(const DistArray& array, const Source& source, Copy copy);

/// Names it if the Vec has other numbers than the array. Local.
void add_numbering(const Source& source, Receipt& receipt);
/// The properties of an array that a Vec does not have, and the keys that only its user knows. Local.
void add_losses(const DistArray& array, const Distribution& distribution, Receipt& receipt);

}  // namespace tridap::petsc

#pragma GCC visibility pop
