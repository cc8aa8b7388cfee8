#pragma once

#include <tridap/distribution.hpp>
#include <tridap/internal/spread_lists.hpp>

#include <mpi.h>

#include <functional>
#include <vector>

namespace tridap::mpi {

/// Where the indices of an unstructured axis are, spread over the processes: the process that the hash of an index gives
/// stores all its entries. So each process stores about as much as it lists, and a question goes to one process. A plain
/// remainder would put all multiples of the number of processes on one of them.
class Directory : public DirectoryOfLists {
 public:
  using Entry = UnstructuredKind::Entry;

  /// Makes the directory of one axis. **Collective** over the processes of the array, whose ranks in `comm` are their
  /// numbers: three collective calls of MPI, and five more if coordinates share indices. Throws the same Error on every
  /// process or on none.
  static SpreadLists make(ListHere here, MPI_Comm comm);

  /// All entries of some indices, ascending and each once: an index that nobody holds has one, of coordinate -1. The
  /// result is sorted as Own::entries. `rank` gives the rank in `comm` of a process of the array; those of `comm` that
  /// are none may ask too. **Collective** over `comm`: five collective calls of MPI. Throws the same Error on every
  /// process or on none.
  std::vector<Entry> find(const std::vector<Index>& indices, MPI_Comm comm,
                          const std::function<Index(Index process)>& rank) const;
  std::vector<Entry> find(const std::vector<Index>& indices, MPI_Comm comm) const;

 private:
  Index processes_ = 1;
  bool shares_ = false;        // some index is on several coordinates
  std::vector<Entry> stored_;  // ascending by index, then by coordinate
};

/// By axis of a distribution: indices.
using OfAxes = std::vector<std::vector<Index>>;

/// The same distribution, of which this process also knows where the `wanted` indices of axes in the directory form
/// are; other axes are not looked at. They may be in any order, known, and wanted several times. **Collective** over
/// `comm`, on which every process has a distribution with the same axes in the directory form: Directory::find() for
/// each of them.
Distribution learned(const Distribution& distribution, OfAxes wanted, MPI_Comm comm,
                     const std::function<Index(Index process)>& rank);

/// Whether some axis of the distribution is in the directory form.
bool has_directory(const Distribution& distribution);

}  // namespace tridap::mpi
