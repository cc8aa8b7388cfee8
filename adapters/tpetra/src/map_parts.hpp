#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/tpetra/array_map.hpp>

#include <array>
#include <functional>
#include <optional>
#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::tpetra::detail {

/// Properties of a process's own memory. They go in the messages that make an ArrayMap anyway.
enum Flag : Index {
  row_major = 1,        ///< dense, the last axis varying fastest, and no axis padded
  shareable = 2,        ///< it can be the memory of the requested vectors without a copy
  in_row_order = 4,     ///< its elements are in row-major order, with or without memory between them; or there are none
  in_column_order = 8,  ///< the same in column-major order
};

/// How many elements a map has: on this process, on the largest one, on those before this one, on all. Computed axis
/// by axis, without communication: a process is before this one if its coordinate is less on some axis and equal on the
/// axes before that.
struct Counts {
  Index local = 1, largest = 1, before = 0, total = 1;
};

/// One range of ids over all processes.
struct OneRange {
  Index first = 0;      ///< the first id of all
  bool uniform = true;  ///< Tpetra's uniform distribution, which needs no message, is that of the ids
};

/// How the ids of a map may lie, as one process sees it.
struct MapIds {
  Counts counts;
  std::optional<OneRange> range;  ///< if the memory of all processes is row-major
  bool may_ascend = false;        ///< the processes must ask one another whether they have one range
  /// What they then reduce by MPI_MAX: 1 if this process's ids are no range; where the ids of all begin if they are,
  /// and the same negated.
  std::array<Index, 3> asked{};

  std::optional<OneRange> found(const std::array<Index, 3>& largest) const {
    if (!may_ascend || largest[0] != 0 || largest[1] != -largest[2]) return std::nullopt;
    return OneRange{largest[1], false};
  }
};

/// The flags row_major, in_row_order and in_column_order that hold; for an array that may still be wrong. The last two
/// do not count the vectors' axis, if it is known.
Index memory_flags(const DistArray& array, std::optional<Index> vectors_axis);

/// Checks Tpetra's limits before a call of Tpetra, which finds them on some processes only, so that the others hang.
/// The ids begin at `base`.
struct Limits {
  Index base = 0;
  std::optional<Index> span;  ///< of the ids; nothing: it does not fit 64 bits
  Index largest = 0;          ///< elements of the process with most of them
  Index processes = 1;
  bool one_range = false;
  std::string instead = {};  ///< remedies other than ids of 64 bits, in words
};
void check_limits(const Limits& limits);

/// The ids of a map on this process, less the index base.
struct ListedIds {
  Index count = 0;
  std::function<void()> prepare;  ///< allocates what `write` needs; throws an Error that is the same on every process
  std::function<void(Map::global_ordinal_type*)> write;  ///< writes `count` ids
};

/// A map that lists ids, shifted by `base`. **Collective**, with one message of its own.
Teuchos::RCP<const Map> list_map(const ListedIds& ids, Index base, const Communicator& comm);

/// The elements of a part on the process that has most of them; the largest number where they do not fit 64 bits.
Index largest_part(const Distribution& distribution, Part part);

}  // namespace tridap::tpetra::detail

#pragma GCC visibility pop
