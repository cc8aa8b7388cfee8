#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/flat_numbers.hpp>

#include <mpi.h>

#include <string>
#include <vector>

namespace tridap {

/// One process's part of a distributed array and, behind it in the same memory, its *ghosts*: copies of elements that
/// other processes own, in any order. Vectors of finite elements are stored so, and so are PETSc's ghosted vectors and
/// vectors on an overlapping Tpetra map. A GhostUpdate brings the values of the ghosts.
///
/// 5 doubles over 2 processes: process 0 owns the elements 0, 1 and 2 and has the ghosts {4, 3}, so its buffer holds
/// the elements 0, 1, 2, 4, 3. Process 1 owns 3 and 4 and has the ghost {0}: its buffer holds 3, 4, 0.
///
/// **Ids.** Axis 0 of the local buffer counts first the owned elements and then the ghosts. The other axes are the
/// *components* of each element, such as the degrees of freedom of a node. If the array has one axis more than the
/// components, an id is a global index of axis 0. If it has several more, these are the *numbered* axes, and an id is
/// the flat number of an element's global indices on them (FlatNumbers), row-major unless `order` says otherwise. The
/// owned elements then are in the same order.
///
/// A grid of 4 x 6 nodes with 3 components: the array has the axes 4, 6 and 3, and the node (1, 2) has the id 8. A
/// process with 2 x 3 nodes and 4 ghosts has a local buffer of 10 x 3 elements.
class GhostedArray {
 public:
  /// `local`: all elements of this process; any strides. `dim_data`: of the owned part, one for each axis of the array.
  /// `ghosts`: the id of each ghost. `order`: that of several numbered axes. Local: throws Error on this process alone
  /// if the dim_data are wrong, or if the buffer does not hold as many elements as the dim_data and the ids say. A
  /// GhostUpdate checks the ids.
  GhostedArray(Buffer local, DimData dim_data, std::vector<Index> ghosts, std::string version = "0.10.0",
               Order order = Order::row_major);

  const DistArray& owned() const { return owned_; }  ///< without the ghosts, in the same memory
  const Buffer& local() const { return local_; }     ///< owned elements and ghosts
  const std::vector<Index>& ghosts() const { return ghosts_; }
  Order order() const { return order_; }
  Index numbered() const { return owned_.ndim() - local_.ndim() + 1; }  ///< how many axes the ids number: 1 or more
  Index owned_count() const;                                            ///< the owned elements along axis 0 of local()

 private:
  DistArray owned_;
  Buffer local_;
  std::vector<Index> ghosts_;
  Order order_;
};

/// Makes a GhostedArray on every process. **Collective**: throws the same Error on every process if a process gives
/// wrong arguments.
GhostedArray make_ghosted(const Buffer& local, const DimData& dim_data, const std::vector<Index>& ghosts, MPI_Comm comm,
                          const std::string& version = "0.10.0");
/// The same for an array whose axis 0 is distributed in blocks in the order of the ranks, and whose other axes are
/// components: a process owns the first `local.shape[0] - ghosts.size()` elements along axis 0. **Collective.**
GhostedArray make_ghosted(const Buffer& local, const std::vector<Index>& ghosts, MPI_Comm comm);

/// Copies an array into new memory with room for ghosts, which are zero. Its first `numbered` axes are numbered. The
/// array must not have communication padding. **Collective**, as make_ghosted().
GhostedArray copy_with_ghosts(const DistArray& array, const std::vector<Index>& ghosts, MPI_Comm comm,
                              Index numbered = 1);

}  // namespace tridap
