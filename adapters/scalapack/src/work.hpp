#pragma once

#include "argument.hpp"
#include <tridap/internal/duplicates.hpp>
#include <tridap/scalapack/array.hpp>

#include <utility>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::scalapack {

/// The process grid on which a routine computes: that of a place, or its transpose. Ranks are those of the call's
/// communicator. All of its processes are in the grid.
class Frame {
 public:
  /// **Collective**: throws the same Error on every process or on none.
  Frame(const mpi::Call& call, const Place& place);

  MPI_Comm comm() const { return comm_; }
  Index rank() const { return rank_; }
  int context() const { return context_; }
  bool is_transposed() const { return transposed_; }
  Index nprow() const { return nprow_; }
  Index npcol() const { return npcol_; }
  Index process() const { return process_; }                  ///< the number of this process, along the rows
  const std::vector<Index>& ranks() const { return ranks_; }  ///< of the processes, along the rows
  bool in_order() const { return in_order_; }                 ///< process r is rank r

 private:
  MPI_Comm comm_;
  Index rank_, nprow_, npcol_, process_ = 0;
  bool transposed_, in_order_ = true;
  std::vector<Index> ranks_;
  int context_;
};

/// A matrix of ScaLAPACK.
struct Work {
  Desc desc{};
  DistArray array;         ///< over the memory of the matrix, with its rows and columns as axes
  Distribution whole{{}};  ///< on the processes of the frame
  Blocks rows, columns;

  template <class T>
  T* data() const {
    return static_cast<T*>(array.buffer.data);
  }
  const Buffer& buffer() const { return array.buffer; }
};

/// A new matrix, all 0. Local; throws Error if a number does not fit ScaLAPACK's int.
Work make_work(const Frame& frame, const ElementType& type, Index m, Index n, const Blocks& rows,
               const Blocks& columns);

/// The first `m` rows and `n` columns of a matrix, in its memory. Local.
Work corner_of(const Work& work, const Frame& frame, Index m, Index n);

/// An argument in the distribution of its place, if it is moved there; else it as it is. The receipt counts what is
/// copied. **Collective**: throws the same Error on every process or on none.
DistArray bring(const Argument& argument, const Place& place, const Frame& frame, Receipt& receipt);

/// An argument as a matrix at its place, after bring(). It may be copied. Local; throws Error if a number does not fit
/// ScaLAPACK's int.
Work take(const Argument& argument, const DistArray& brought, const Place& place, const Frame& frame, Receipt& receipt);

/// An answer of a routine as an array of the distribution `to`.
struct Answer {
  Work work;
  Distribution to;
  Way way = Way::copied;  ///< of the argument whose frame and blocks the answer has
  const DistArray* into =
      nullptr;  ///< the array that gets the elements, unless they are in its memory; null: a new one
};
/// The array of an answer. The receipt counts what is copied. **Collective.**
DistArray give(const Answer& answer, const Frame& frame, Order order, Receipt& receipt);

/// Calls `visit(i, j, row, column)` for each element of a matrix on this process: its local and its global indices.
template <class Visit>
void for_each_element(const Work& work, const Frame& frame, Visit&& visit) {
  const Indices place = work.whole.coordinates(frame.process());
  work.whole.axis(1).for_each(place[1], Part::owned, [&](Index j, Index column) {
    work.whole.axis(0).for_each(place[0], Part::owned, [&](Index i, Index row) { visit(i, j, row, column); });
  });
}

}  // namespace tridap::scalapack

#pragma GCC visibility pop
