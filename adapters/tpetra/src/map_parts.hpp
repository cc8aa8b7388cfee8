#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/tpetra/array_map.hpp>

#include <exception>
#include <optional>
#include <string>

namespace tridap::tpetra::detail {

/// What a process says of its own memory while a ArrayMap is made, in one message with all the rest.
enum Flag : Index {
  row_major = 1,  ///< dense, the last axis varying fastest, and no axis padded
  shareable = 2,  ///< it can be the memory of what is asked for as it stands
};

/// Which of row_major holds; for an array that may yet be wrong.
Index memory_flags(const DistArray& array);

/// mpi::collectively() for a step whose Errors are the same on every process, and so name none: each throws its own.
/// Where memory ends on any process, all throw that. **Collective.**
template <class Step>
void run_alike(MPI_Comm comm, Step&& step) {
  std::exception_ptr of_all;
  mpi::collectively(comm, [&] {
    try {
      std::forward<Step>(step)();
    } catch (const Error&) {
      of_all = std::current_exception();
    }
  });
  if (of_all) std::rethrow_exception(of_all);
}

/// Tpetra's limits, checked before Tpetra is called: it finds them on some processes only, and hangs the others. `span`
/// is that of the ids (nothing: no 64 bits hold it), `largest` the elements of the fullest process.
void check_limits(std::optional<Index> span, Index largest, Index processes, bool one_range);

/// A map that lists the flat numbers of a part, shifted by `base`. **Collective.**
Teuchos::RCP<const Map> list_map(const FlatNumbers& numbers, Index process, Part part, const MemoryOrder& order,
                                 Index base, const Communicator& comm);

/// The elements of a part on the process that has most of them; the largest number where they do not fit 64 bits.
Index largest_part(const Distribution& distribution, Part part);

}  // namespace tridap::tpetra::detail
