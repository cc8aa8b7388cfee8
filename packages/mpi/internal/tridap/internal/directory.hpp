#pragma once

#include <tridap/distribution.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/spread_lists.hpp>
#include <tridap/mpi/agree.hpp>

#include <mpi.h>

#include <functional>
#include <optional>
#include <vector>

namespace tridap::mpi {

/// Where the indices of an unstructured axis are, spread over the processes: the process that the hash of an index
/// gives stores all its entries. So each process stores about as much as it lists, and a question goes to one process.
/// A plain remainder would put all multiples of the number of processes on one of them.
class Directory : public DirectoryOfLists {
 public:
  using Entry = UnstructuredKind::Entry;

  /// Makes the directory of one axis. **Collective** over the processes of the array, whose ranks in `comm` are their
  /// numbers: three collective calls of MPI, and five more if coordinates share indices. Throws the same Error on every
  /// process or on none.
  static SpreadLists make(ListHere here, MPI_Comm comm);

  /// The answer to a question.
  class Answer {
   public:
    /// All entries of the indices, sorted as Own::entries. Local; throws std::bad_alloc.
    std::vector<Entry> entries() const;

   private:
    friend class Directory;
    std::vector<Index> indices_;
    std::vector<std::vector<Index>> of_process_;  // that stores some of them
    bool shares_ = false;
  };
  /// Asks for all entries of some indices, ascending and each once: an index that nobody holds has one, of coordinate
  /// -1. `rank` gives the rank in `comm` of a process of the array, and that of this process is this one's: each stores
  /// a part of the directory.
  /// **Collective** over `comm`: four collective calls of MPI. Throws the same Error on every process or on none, also
  /// if a process brings `faults`.
  Answer ask(std::vector<Index> indices, MPI_Comm comm, const std::function<Index(Index process)>& rank,
             Faults faults = {}) const;

 private:
  Index processes_ = 1, process_ = 0;
  bool shares_ = false;        // some index is on several coordinates
  std::vector<Entry> stored_;  // ascending by index, then by coordinate
};

/// By axis of a distribution: indices.
using OfAxes = std::vector<std::vector<Index>>;

/// What this process wants to know of a distribution: where the `wanted` indices of axes in the directory form are.
/// Other axes are not looked at. The indices may be in any order, known, and wanted several times.
class Inquiry {
 public:
  /// **Collective** over `comm`, on which every process has a distribution with the same axes in the directory form:
  /// Directory::ask() for each of them. `rank` and `faults` are as there.
  Inquiry(const Distribution& distribution, OfAxes wanted, MPI_Comm comm, std::function<Index(Index process)> rank,
          Faults faults = {});

  /// The same distribution, of which this process also knows what it asked for. Local; throws std::bad_alloc.
  Distribution learned() const;

 private:
  Distribution distribution_;
  std::vector<std::optional<Directory::Answer>> answers_;  // by axis
};

using tridap::has_directory;

/// The same distribution with all lists on every process, for what needs them there. **Collective** over the processes
/// of the array if has_directory(), which need_same_directory() makes sure of. Throws the same Error on every process
/// or on none.
Distribution completed(const Distribution& distribution, MPI_Comm comm);
/// The same for the axes of which `wanted` is true, the same ones on every process.
Distribution completed(const Distribution& distribution, MPI_Comm comm,
                       const std::function<bool(const Axis& axis)>& wanted);

/// What a process says, in the record of a call, of a distribution that it was given: 0 if it has no directory.
Index said_of_directory(const std::optional<Distribution>& distribution);
/// Throws an Error on every process if they have said different things as number `i` of a record.
void need_same_directory(const Call& call, std::size_t i);

}  // namespace tridap::mpi
