#pragma once

#include "argument.hpp"
#include <tridap/internal/duplicates.hpp>
#include <tridap/scalapack/array.hpp>

#include <utility>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::scalapack {

/// The process grid on which a routine computes: that of a place, or its transpose. Ranks are those of `comm`.
class Frame {
 public:
  /// **Collective**, and so are close() and the destructor, as those of ProcessGrid are.
  Frame(MPI_Comm comm, const Place& place);

  MPI_Comm comm() const { return mpi::ours(grid_.comm()); }
  int context() const { return transposed_ ? grid_.transposed_context() : grid_.context(); }
  bool is_transposed() const { return transposed_; }
  Index nprow() const { return transposed_ ? grid_.npcol() : grid_.nprow(); }
  Index npcol() const { return transposed_ ? grid_.nprow() : grid_.npcol(); }
  Index process() const { return process_; }                  ///< the number of this process, along the rows
  const std::vector<Index>& ranks() const { return ranks_; }  ///< of the processes, along the rows
  bool in_order() const { return in_order_; }                 ///< process r is rank r
  void close() { grid_.close(); }

 private:
  ProcessGrid grid_;
  bool transposed_, in_order_ = true;
  std::vector<Index> ranks_;
  Index process_ = 0;
};

/// Makes the frame of a place, calls `step` with it, and closes it, also if the step throws, which it must do on every
/// process or on none. **Collective.**
template <class Step>
auto in_frame(MPI_Comm comm, const Place& place, Step&& step) {
  Frame frame(comm, place);
  try {
    auto result = std::forward<Step>(step)(frame);
    frame.close();
    return result;
  } catch (...) {
    frame.close();
    throw;
  }
}

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

/// An argument as a matrix, at its place. The receipt counts what is copied. **Collective.**
Work take(const Argument& argument, const Place& place, const Frame& frame, Receipt& receipt);

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

/// For each local row and each local column of a matrix on this process, its global number.
std::pair<std::vector<Index>, std::vector<Index>> numbers_of(const Work& work, const Frame& frame);

}  // namespace tridap::scalapack

#pragma GCC visibility pop
