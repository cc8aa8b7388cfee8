#pragma once

#include <tridap/distribution.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/collectives.hpp>
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

  /// The indices that this process stores, ascending, each once. Local; throws std::bad_alloc.
  std::vector<Index> stored_indices() const;

  /// A question of this process: all entries of some indices, ascending and each once.
  struct Question {
    const Directory* of;
    std::vector<Index> indices;
    /// The rank in the communicator of a process of the array. That of this process is this one's: each process stores
    /// a part of the directory.
    std::function<Index(Index process)> rank;
  };
  /// The answers to questions that all processes have together: each asks the same directories.
  class Answers {
   public:
    /// **Collective** over `comm`: four collective calls of MPI, for any number of questions. Throws the same Error on
    /// every process or on none, also if a process brings `faults`.
    Answers(std::vector<Question> questions, MPI_Comm comm, Faults faults = {});
    /// What was asked, sorted as Own::entries: an index that no process has is one entry, of coordinate -1. Local;
    /// throws std::bad_alloc.
    std::vector<Entry> entries(std::size_t question) const;

   private:
    std::vector<Message> letters(MPI_Comm comm);

    std::vector<Question> asked_;
    std::vector<std::vector<Index>> ranks_;  // of each question: by process of the array
    std::vector<Message> told_;
  };

 private:
  void answer(const Index* asked, const Index* end, std::vector<Index>& answer) const;

  Index processes_ = 1, process_ = 0;
  bool shares_ = false;        // some index is on several coordinates
  std::vector<Entry> stored_;  // ascending by index, then by coordinate
};

/// By axis of a distribution: indices.
using OfAxes = std::vector<std::vector<Index>>;

/// What this process wants to know of distributions: where the wanted indices of axes in the directory form are. Other
/// axes are not looked at.
class Inquiry {
 public:
  struct Wanted {
    Distribution distribution;
    OfAxes indices;                            ///< in any order, known ones and repeated ones too
    std::function<Index(Index process)> rank;  ///< as Directory::Question::rank
  };
  /// **Collective** over `comm`, on which every process has distributions with the same axes in the directory form:
  /// four collective calls of MPI, or none if there is no such axis. Throws the same Error on every process or on none,
  /// also if a process brings `faults`.
  Inquiry(std::vector<Wanted> wanted, MPI_Comm comm, Faults faults = {});
  Inquiry(const Distribution& distribution, OfAxes wanted, MPI_Comm comm, std::function<Index(Index process)> rank,
          Faults faults = {});

  /// Distribution number `number`, of which this process also knows what it asked for. Local; throws std::bad_alloc.
  Distribution learned(std::size_t number = 0) const;

 private:
  struct Of {
    Distribution distribution;
    std::vector<std::optional<std::size_t>> questions;  // by axis
  };
  std::vector<Of> of_;
  std::optional<Directory::Answers> answers_;
};

using tridap::has_directory;

/// The same distribution with all lists on every process, for what needs them there. **Collective** over the processes
/// of the array if has_directory(), which need_same_directory() makes sure of. Throws the same Error on every process
/// or on none.
Distribution completed(const Distribution& distribution, MPI_Comm comm);

/// What a process says, in the record of a call, of a distribution that it was given: 0 if it has no directory.
Index said_of_directory(const std::optional<Distribution>& distribution);
/// Throws an Error on every process if they have said different things as number `i` of a record.
void need_same_directory(const Call& call, std::size_t i);

}  // namespace tridap::mpi
