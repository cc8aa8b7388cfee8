#pragma once

#include <tridap/device_stream.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>
#include <tridap/receipt.hpp>
#include <tridap/solvers/copy_memory.hpp>
#include <tridap/solvers/matrix.hpp>

#include <memory>
#include <optional>
#include <string>

namespace tridap::solvers {

/// An array of `double` for a solver: the right-hand sides or the solutions of a matrix.
struct SolverArray {
  const DistArray& array;            ///< this process's part, checked
  const Distribution& distribution;  ///< of the whole array
  std::string name;                  ///< for messages: "b"
  bool writable = false;             ///< whether the solver writes to its memory
  DeviceStream stream = {};  ///< on which an array in memory of a device was last written: the import waits for it
};

/// Vectors over the elements of an array, without its padding.
struct Vectors {
  Teuchos::RCP<MultiVector> vectors;  ///< one for each index of the vectors' axis, on the map of the rows
  Receipt receipt;
  Buffer elements;  ///< of the array, in the order of the map; the last axis is that of the vectors

  /// Copies the vectors into the memory of the array, unless they share it. Local; throws Error if the memory is a
  /// device's, and its driver fails.
  void write_back() const;
};

/// The axis of `array` that the rows of a matrix do not have; nothing: there is none. It is not distributed, and each
/// of its indices is one vector. If several axes could be it, the last one is. The other axes must have the same
/// elements on every process as those of `rows`; their padding may differ. Throws Error that names the difference.
/// Local.
std::optional<Index> vectors_axis(const SolverArray& array, const tridap::tpetra::ArrayMap& rows);

/// Whether two maps have the same ids on this process for the same elements, in the same order: operators on them then
/// work on the same vectors. Local.
bool have_same_rows(const tridap::tpetra::ArrayMap& a, const tridap::tpetra::ArrayMap& b);

/// Makes vectors over the elements of an array that has one element for each row, or an axis of vectors besides. With
/// Copy::never they share the array's memory: the elements of each vector must be one piece of it, in the order of
/// `rows`. **Collective**: throws the same Error on every process if the elements of any process differ from the rows
/// there, are not `double`, or cannot be shared.
///
/// Example: the rows are 6 elements in blocks of 3, without padding. An array of the same blocks with padding of 1 has
/// 4 elements of memory on each process, of which the vector has 3: they are one piece, and are not copied.
///
/// A copy is in `memory` if that is given. Memory that is free and of the right size is used again, so that a second
/// solve of the same arrays allocates none for them.
Vectors import_vectors(const SolverArray& array, const tridap::tpetra::ArrayMap& rows, Copy copy = Copy::never,
                       CopyMemory* memory = nullptr);

/// The local half of import_vectors(), with the same arguments. A call makes it before its own record, which says
/// whether every process has made it. The constructor must be called inside of Trilinos, and throws Error if this
/// process's elements cannot be those of vectors. The ArrayMap must live longer than this object.
class LocalVectors {
 public:
  LocalVectors(const SolverArray& array, const tridap::tpetra::ArrayMap& rows, Copy copy, CopyMemory* memory);
  /// The vectors, once every process has made its half. To be called once. **Collective.**
  Vectors join();

 private:
  struct Half;
  std::shared_ptr<Half> half_;
};

}  // namespace tridap::solvers
