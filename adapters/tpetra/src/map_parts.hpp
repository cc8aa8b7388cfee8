#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/tpetra/array_map.hpp>
#include <tridap/tpetra/reserved_object.hpp>

#include <exception>
#include <functional>
#include <optional>
#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::tpetra::detail {

/// Properties of a process's own memory. They go in the messages that make an ArrayMap anyway.
enum Flag : Index {
  row_major = 1,        ///< dense, the last axis varying fastest, and no axis padded
  shareable = 2,        ///< it can be the memory of the requested vectors without a copy
  map_reserved = 4,     ///< the memory of ReservedMap is allocated
  vector_reserved = 8,  ///< the memory of Reserved (import.hpp) is allocated
};

/// Memory that an ArrayMap needs after the processes have agreed. It is allocated before, so that their first message
/// says whether every process has it, and no second message is needed.
struct ReservedMap {
  ReservedObject<Map> map;
  MemoryOrder order;  ///< row-major
};

/// row_major if it holds, else 0; for an array that may still be wrong.
Index memory_flags(const DistArray& array);

/// mpi::collectively() for a step whose Errors are the same on every process: each process throws its own, without the
/// number of a process. If memory ends on a process, all processes throw that. **Collective.**
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

/// Checks Tpetra's limits before a call of Tpetra, which finds them on some processes only, so that the others hang.
/// `span` is that of the ids (nothing: it does not fit 64 bits), `largest` the elements of the process with most of
/// them.
void check_limits(std::optional<Index> span, Index largest, Index processes, bool one_range);

/// A map that lists the flat numbers of a part, shifted by `base`. `numbers` gives them, or throws an Error that is the
/// same on every process. A std::ref is passed without allocation. **Collective**, with one message of its own.
Teuchos::RCP<const Map> list_map(const std::function<const FlatNumbers&()>& numbers, Index process, Part part,
                                 const MemoryOrder& order, Index base, const Communicator& comm);

/// The elements of a part on the process that has most of them; the largest number where they do not fit 64 bits.
Index largest_part(const Distribution& distribution, Part part);

}  // namespace tridap::tpetra::detail

#pragma GCC visibility pop
