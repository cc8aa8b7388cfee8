#pragma once

#include "blocks.hpp"
#include <tridap/detail/clock.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/scalapack/dense.hpp>

#include <mpi.h>

#include <cstddef>
#include <optional>

#pragma GCC visibility push(hidden)

namespace tridap::scalapack {

/// An array that a function of dense.hpp was given, as a matrix.
struct Argument {
  const char* name = "";
  DistArray array;  ///< this process's part; a vector is a matrix of one column
  Distribution whole;
  bool columns = false, rows = false;  ///< whether its memory is column-major, row-major, on all processes
  bool overwritten = false;            ///< whether its memory may be written
  bool vector = false;                 ///< whether it was given with one axis
  bool turned = false;                 ///< whether this is the transpose of what was given

  Index size(Index axis) const { return whole.axis(axis).size(); }
};

/// An array as a function of dense.hpp is given it.
struct Given {
  const char* name;
  const DistArray& array;
  const std::optional<Distribution>& distribution;  ///< where it is known
  bool overwritten = false;
  bool vectors = false;  ///< it may have one axis instead of two
  DistArray matrix = {};
};

/// The step of a mpi::Call: checks what was given, and records what must be the same on all processes, `options` first.
void add(mpi::Record& record, MPI_Comm comm, Index options, Given& a, Given* b);

/// A number for the options, and for `flags` that each function has for itself.
Index number_of(const DenseOptions& options, Index flags);

/// Throws Error, on every process, if the processes pass different options.
void need_same_options(const mpi::Call& call);

/// Makes a function of dense.hpp: checks what was given, runs `body(call)`, writes the time into the receipt of the
/// result, and returns the result. `options` is a number that must be the same on all processes. **Collective**: throws
/// the same Error on every process or on none.
template <class Body>
auto make_routine(const char* name, MPI_Comm comm, Index options, Given& a, Given* b, Body&& body) {
  const double begin = tridap::detail::now();
  const mpi::Call call(comm, name, mpi::Library::blacs, [&](mpi::Record& record) { add(record, comm, options, a, b); });
  return call.run([&] {
    need_same_options(call);
    auto made = body(call);
    made.receipt.seconds = tridap::detail::now() - begin;
    return made;
  });
}

/// What was given as number `i`. Collective, unless its distribution is known: throws the same Error on every process
/// or on none.
Argument read_argument(Given& given, const mpi::Call& call, std::size_t i);

/// Throws Error, on this process alone, if an element is not finite. Local.
void check_finite(const Argument& argument, Index rank);

/// Throws Error unless the elements of both have one type. Local.
void need_one_type(const Argument& a, const Argument& b);

/// An answer with as many axes as the argument had: without the second axis that read_argument() gave a vector.
DistArray as_given(DistArray array, Index axes);

/// Throws Error unless a matrix is square; the same on every process. Local.
void need_square(const Argument& matrix, const char* remedy);

/// What a routine needs of the blocks of a matrix.
enum class Need {
  blocks,            ///< P?GEQRF: of one length along each axis
  squares,           ///< P?GETRF, P?POTRF: and of the same length along both
  squares_from_zero  ///< P?SYEV, P?GESVD: and the first one is on process (0, 0)
};

/// How ScaLAPACK gets an argument.
enum class Way {
  in_place,    ///< in its memory
  transposed,  ///< in its memory, as the transpose of the array on the transposed grid
  copied,      ///< in a column-major copy of each process's part
  moved        ///< in another distribution
};

/// Where a matrix is while ScaLAPACK computes.
struct Place {
  Way way = Way::in_place;
  Index nprow = 1, npcol = 1;  ///< processes along the axes of the array
  Blocks rows, columns;        ///< of the axes of the array
};

/// Where an argument is computed with. `transposable`: the routine can also use the transpose. Local; throws Error if
/// the options do not allow what is needed, with the nearest distribution.
Place place_of(const Argument& argument, Need need, bool transposable, Copy copy);

/// The length of blocks for an axis or a matrix of this size over so many processes.
Index block_length(Index size, Index processes);

/// A distribution of another shape with the same blocks along each axis; an axis that ScaLAPACK cannot use gets even
/// blocks.
Distribution resized(const Distribution& whole, Index rows, Index columns);

/// An array without elements. Local.
DistArray empty_answer(const Distribution& to, const ElementType& type, Index rank);

}  // namespace tridap::scalapack

#pragma GCC visibility pop
