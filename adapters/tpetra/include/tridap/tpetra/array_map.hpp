#pragma once

#include <tridap/detail/clock.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>
#include <tridap/flat_numbers.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/process_numbers.hpp>
#include <tridap/tpetra/compat.hpp>

#include <Teuchos_DefaultMpiComm.hpp>
#include <Tpetra_Map.hpp>
#include <mpi.h>

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tridap::mpi {
class Duplicates;
}

/// Distributed arrays as Tpetra objects, and Tpetra objects as distributed arrays, over the same memory.
namespace tridap::tpetra {

namespace detail {
class Collective;
struct MapIds;
struct OneRange;
struct PreparedImport;
using tridap::detail::now;
}  // namespace detail

using Map = Tpetra::Map<>;
using TeuchosComm = Teuchos::RCP<const Teuchos::Comm<int>>;

/// The processes of a call: an MPI communicator, or a Teuchos communicator of MPI or of one process.
///
/// Our messages go through a duplicate of it. Trilinos gets another duplicate of an MPI communicator, which maps and
/// vectors keep: the caller may free the communicator before them. Of a Teuchos communicator Trilinos gets what the
/// caller passes, which keeps its own MPI communicator or needs it.
class Communicator {
 public:
  /// **Collective** the first time for an MPI communicator. Throws Error on every process if it is an
  /// inter-communicator.
  Communicator(MPI_Comm comm);            // NOLINT: implicit
  Communicator(const TeuchosComm& comm);  // NOLINT: throws Error if it is neither an MPI nor a one-process communicator
  template <class Comm, class = std::enable_if_t<std::is_base_of_v<Teuchos::Comm<int>, Comm>>>
  Communicator(const Teuchos::RCP<Comm>& comm)
      : Communicator(TeuchosComm(comm)) {}  // NOLINT: what split() returns, too

  MPI_Comm caller() const;                ///< the caller's, as long as it exists, then raw()
  MPI_Comm raw() const { return ours_; }  ///< the duplicate for our messages, with the processes in the same order
  const TeuchosComm& teuchos() const { return teuchos_; }

 private:
  friend class detail::Collective;
  std::shared_ptr<mpi::Duplicates> duplicates_;
  MPI_Comm ours_ = MPI_COMM_NULL;
  TeuchosComm teuchos_;
};

namespace detail {

/// A region (mpi::Regions) from here to the end of the scope.
class Region {
 public:
  explicit Region(const char* name);  ///< a literal
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region();

 private:
  alignas(std::max_align_t) unsigned char region_[64];
};

/// The beginning of a collective call that is inside of Trilinos until this object ends: one reduction, in which the
/// processes agree that all make this call, and that no other thread is inside. Nothing, within another one of this
/// thread on the same communicator. **Collective**: throws the same Error on every process or on none.
class Collective {
 public:
  Collective(const Communicator& comm, const char* name);  ///< `name`: of the call, a literal
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;
  ~Collective();

  /// Runs what the call does after its beginning. If an std::bad_alloc leaves it while other processes wait for this
  /// one, the job ends with one line.
  template <class Body>
  decltype(auto) run(Body&& body) const {
    try {
      return std::forward<Body>(body)();
    } catch (const std::bad_alloc&) {
      end_job_of_several();
      throw;
    }
  }

 private:
  void end_job_of_several() const;

  alignas(std::max_align_t) unsigned char call_[1024];
};

/// Inside of Trilinos for a step that does not communicate. Local; it waits for other threads.
class InTrilinos {
 public:
  InTrilinos();
  InTrilinos(const InTrilinos&) = delete;
  InTrilinos& operator=(const InTrilinos&) = delete;
  ~InTrilinos();
};

}  // namespace detail

/// How the ids of a map number the elements of an array.
enum class Numbering {
  row_major,   ///< by flat numbers. The map lists them, unless they ascend by one in memory order over the processes
  by_process,  ///< process after process, in memory order (ProcessNumbers): the map is contiguous and lists nothing
};

/// How an array becomes a map; the same on every process.
struct ArrayMapOptions {
  /// The order of the processes in the communicator may differ from the row-major order of the process grid.
  bool reorder = false;
  /// An index may be on several processes: the map is then not one-to-one, norms count such an element more than
  /// once, and solvers must not be given it.
  bool shared = false;
  /// How the indices of an unstructured axis are numbered in the ids: by `index - min`, or by position among all
  /// indices of the axis, which gives small ids to indices that are far apart.
  UnstructuredIds unstructured_ids = UnstructuredIds::with_gaps;
  /// The axis of a MultiVector's vectors: not distributed, and without ids.
  std::optional<Index> vectors_axis;
  /// The id of the element whose flat number is 0; not negative. For a contiguous map getIndexBase() is its first id.
  /// The two differ if the array begins with mirrors of a periodic axis, because the map does not have these.
  Index index_base = 0;
  /// With Numbering::by_process a map takes no memory for each element. Its ids are no flat numbers: only numbers()
  /// knows which element has an id. Two such maps are the same for Tpetra if each process has equally many elements in
  /// both, also if these are other elements or in another order.
  Numbering numbering = Numbering::row_major;
};

/// The number of each element on the map of an ArrayMap: its id less the index base. Both ways are computed without
/// communication, for elements of any process.
class ElementNumbers {
 public:
  Index count() const { return flat_ ? flat_->count() : of_processes_->count(); }  ///< all are in `[0, count())`
  /// The global indices of the element that has a number. Returns nullopt if no element has it.
  std::optional<Indices> global_index(Index number) const;
  /// The number of an element. Returns nullopt if no process has it.
  std::optional<Index> number(const Indices& global) const;

 private:
  friend class ArrayMap;
  ElementNumbers(Distribution distribution, FlatNumbers flat);
  ElementNumbers(Distribution distribution, ProcessNumbers numbers, const std::vector<int>& ranks);

  Distribution distribution_;
  std::optional<FlatNumbers> flat_;
  std::optional<ProcessNumbers> of_processes_;
  // If the ranks have another order than the processes of the grid: the first number of each rank, and of each process.
  std::vector<Index> processes_;  // by rank
  std::vector<Index> by_rank_, by_process_;
};

/// The Tpetra map of a distributed array, and the way back from its ids. An id is what Tpetra calls a global index. The
/// map has one id for each interior element: the flat row-major number of its global indices, plus `index_base`; or its
/// number process after process, as ArrayMapOptions::numbering says. It has the ids in memory order, so that dense
/// memory can be a vector's memory without a copy.
///
/// A 4 x 6 array, block x block over a 2 x 2 grid, row-major: process 1 has the ids {3, 4, 5, 9, 10, 11}, and with
/// Numbering::by_process the ids 6 to 11. Padding has no ids. Cheap to copy.
class ArrayMap {
 public:
  /// Checks `array` on every process and makes the map. **Collective**: throws the same Error on every process if the
  /// array is wrong, the order of the processes differs from that of the grid, an index is on two processes, the
  /// vectors' axis is distributed, or a map cannot hold the ids.
  ArrayMap(const DistArray& array, const Communicator& comm, const ArrayMapOptions& options = {});
  /// The same with the Distribution of the array, which every process has already (mpi::gather_distribution): it need
  /// not be gathered again. The rank of a process is its number in the process grid. **Collective**: throws the same
  /// Error also if `array` is not a part of this Distribution on any process, or if the Distributions differ.
  ArrayMap(const DistArray& array, const Distribution& distribution, const Communicator& comm,
           const ArrayMapOptions& options = {});

  const Distribution& distribution() const { return distribution_; }           ///< of the whole array
  const Distribution& rows() const { return rows_ ? *rows_ : distribution_; }  ///< without the vectors' axis
  const ArrayMapOptions& options() const { return options_; }
  const Teuchos::RCP<const Map>& map() const { return map_; }
  const Communicator& communicator() const { return comm_; }
  const MemoryOrder& order() const { return order_; }  ///< of the interior elements of rows(), on this process
  MPI_Comm comm() const { return comm_.caller(); }     ///< the caller's, as long as it exists, then a duplicate of it
  Index process() const { return process_; }           ///< this process's number in the row-major process grid
  int rank(Index process) const;                       ///< the rank in comm() of a process of the grid
  bool is_reordered() const { return !ranks_.empty(); }

  /// The properties of the array that the map cannot express, one line for each.
  const std::vector<std::string>& losses() const { return losses_; }
  /// Whether each id is a flat number plus the index base. With Numbering::by_process this is so for row-major arrays
  /// that are distributed by whole rows in blocks.
  bool has_flat_ids() const { return has_flat_ids_; }
  /// The way back: numbers().global_index(id - options().index_base) are the global indices of rows(). Each call makes
  /// a new object, with a table for UnstructuredIds::compact: keep it if you ask for many ids. If lists stay on their
  /// processes, it knows the ids of this process's elements alone.
  ElementNumbers numbers() const { return numbers(rows()); }
  /// The same with `known`, a distribution equal to rows() that knows more about lists of other processes.
  ElementNumbers numbers(const Distribution& known) const;
  /// The row-major flat numbers of the elements of rows(), whatever the ids are.
  FlatNumbers flat_numbers() const {
    return positions_ ? FlatNumbers(rows(), Order::row_major, positions_)
                      : FlatNumbers(rows(), Order::row_major, options_.unstructured_ids);
  }

 private:
  friend struct detail::PreparedImport;
  // `vectors`: if the options name no vectors' axis, it is the last axis that is not distributed.
  ArrayMap(const DistArray& array, const Communicator& comm, const ArrayMapOptions& options, bool vectors, Index flags,
           const detail::Collective& call);
  void arrange(const DistArray& array, bool vectors);
  bool asks_for_positions() const;
  void know_positions();
  detail::MapIds ids() const;
  void number_by_process(const detail::MapIds& ids);
  void find_orders();
  bool may_ascend(detail::MapIds& ids) const;
  void make_map(const detail::MapIds& ids, const std::optional<detail::OneRange>& range);

  // The first two are declared first because gathering `distribution_` fills them.
  Index agreed_ = 0;        // the flags that hold on every process (detail::Flag)
  std::vector<int> ranks_;  // by process of the grid; empty if rank and process are the same
  Distribution distribution_;
  std::optional<Distribution> rows_;  // only if there is a vectors' axis
  PositionsOfAxes positions_;         // of lists in a directory
  ArrayMapOptions options_;
  MemoryOrder order_;
  // For Numbering::by_process, as ProcessNumbers takes them; null if all are row-major.
  std::shared_ptr<const std::vector<MemoryOrder>> orders_;
  Teuchos::RCP<const Map> map_;
  Communicator comm_;
  Index process_ = 0;
  bool has_flat_ids_ = true;
  std::vector<std::string> losses_;
};

/// The map of ArrayMap alone. **Collective.**
Teuchos::RCP<const Map> make_map(const DistArray& array, const Communicator& comm, const ArrayMapOptions& options = {});
/// The same for an array in row-major memory, from its dim_data on this process. **Collective.**
Teuchos::RCP<const Map> make_map(const DimData& dim_data, const Communicator& comm,
                                 const ArrayMapOptions& options = {});

}  // namespace tridap::tpetra
