#include "info.hpp"
#include "memory.hpp"
#include "python_line.hpp"
#include "routines.hpp"
#include "work.hpp"
#include <tridap/compare.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tridap::scalapack {

namespace {

void check_sizes(const Argument& a, const Argument& b) {
  need_square(a, "pass a square matrix; qr() and svd() take others");
  if (b.size(0) != a.size(0))
    refuse("b has " + std::to_string(b.size(0)) + " rows", "must have those of a, " + std::to_string(a.size(0)),
           "pass the right-hand sides of this matrix");
  need_one_type(a, b);
}

// Blocks of the rows of `a` as ScaLAPACK has them: those of the right-hand sides must be the same.
const Blocks& rows_beside(const Place& a) { return a.way == Way::transposed ? a.columns : a.rows; }

bool stands_beside(const Argument& b, const Place& a, const Frame& frame) {
  const Axis &rows = b.whole.axis(0), &columns = b.whole.axis(1);
  if (!frame.in_order() || rows.proc_grid_size() != frame.nprow() || columns.proc_grid_size() != frame.npcol())
    return false;
  const auto of_rows = blocks_of(rows), of_columns = blocks_of(columns);
  if (!of_rows || !of_columns) return false;
  const Blocks& needed = rows_beside(a);
  return frame.nprow() == 1 || (of_rows->length == needed.length && of_rows->first == needed.first);
}

// The line of Python that moves the right-hand sides.
std::string line_for(const Argument& b, const Distribution& to) {
  return python_line("b", b.vector ? Distribution({to.axis(0)}) : to);
}

// Where the right-hand sides are, beside the matrix.
Place place_beside(const Argument& b, const Place& a, const Frame& frame, Copy copy) {
  Place place{Way::copied, frame.nprow(), frame.npcol(), rows_beside(a), {block_length(b.size(1), frame.npcol()), 0}};
  if (!stands_beside(b, a, frame)) {
    if (copy == Copy::never) {
      const Distribution beside = Distribution::make(
          {b.size(0), b.size(1)}, {cyclic(place.rows.length, place.rows.first), cyclic(place.columns.length)},
          {place.nprow, place.npcol});
      const std::string to = "move it to " + describe(beside);
      refuse("the array b is " + describe(b.whole),
             "its rows must be distributed as those of a, over the same processes",
             b.vector && place.npcol > 1 ? "pass copy=if_needed, because a vector is over one column of processes"
             : !frame.in_order()         ? to + ", with the processes down the columns, or pass copy=if_needed"
                                         : to + " (in Python " + line_for(b, beside) + "), or pass copy=if_needed");
    }
    place.way = Way::moved;
    return place;
  }
  if (place.npcol > 1) place.columns = *blocks_of(b.whole.axis(1));
  if (!b.overwritten) return place;
  if (b.columns)
    place.way = Way::in_place;
  else if (copy == Copy::never)
    refuse("the memory of the array b is not column-major on every process", "must be, to be overwritten",
           "pass copy=if_needed, or do not pass overwrite_b");
  return place;
}

// The first and the last byte of column-major or row-major memory that has elements.
std::array<const char*, 2> bytes_of_memory(const Buffer& buffer) {
  const auto* const begin = static_cast<const char*>(buffer.data);
  return {begin, begin + (buffer.shape[0] - 1) * buffer.strides[0] + (buffer.shape[1] - 1) * buffer.strides[1] +
                     buffer.type.bytes - 1};
}

void check_apart(const Argument& a, const Place& place_a, const Argument& b, const Place& place_b) {
  if (place_a.way == Way::copied || place_a.way == Way::moved || place_b.way != Way::in_place) return;
  if (element_count(a.array.buffer) == 0 || element_count(b.array.buffer) == 0) return;
  const auto of_a = bytes_of_memory(a.array.buffer), of_b = bytes_of_memory(b.array.buffer);
  if (of_a[0] <= of_b[1] && of_b[0] <= of_a[1])
    refuse("the arrays a and b share memory, and both are to be overwritten", "must have memory of their own",
           "pass only one of overwrite_a and overwrite_b");
}

// Makes the solution in the memory of the right-hand sides.
template <class T>
Work factor_and_solve(const Argument& a, const Place& place_a, const Argument& b, const Place& place_b,
                      const Frame& frame, Receipt& receipt) {
  using Of = Routines<T>;
  const MPI_Comm comm = frame.comm();
  const DistArray brought_a = bring(a, place_a, frame, receipt), brought_b = bring(b, place_b, frame, receipt);
  Work matrix, right;
  std::vector<int> pivots;
  mpi::collectively(comm, [&] {
    check_finite(a, frame.rank());
    check_finite(b, frame.rank());
    check_apart(a, place_a, b, place_b);
    matrix = take(a, brought_a, place_a, frame, receipt);
    right = take(b, brought_b, place_b, frame, receipt);
    pivots.resize(static_cast<std::size_t>(matrix.buffer().shape[0] + matrix.rows.length));
  });
  const int n = matrix.desc[2], nrhs = right.desc[3];
  int info = 0;
  Of::getrf(&n, &n, matrix.data<T>(), &one, &one, matrix.desc.data(), pivots.data(), &info);
  must_succeed({Of::letter, "GETRF", info, Positive::zero_pivot}, comm);
  const char* const how = frame.is_transposed() ? "T" : "N";
  Of::getrs(how, &n, &nrhs, matrix.data<T>(), &one, &one, matrix.desc.data(), pivots.data(), right.data<T>(), &one,
            &one, right.desc.data(), &info, 1);
  must_succeed({Of::letter, "GETRS", info}, comm);
  return right;
}

DistArray solution(const Argument& a, const Argument& b, const Place& place, const Frame& frame, Copy copy,
                   Receipt& receipt) {
  const Place beside = place_beside(b, place, frame, copy);
  Work right = with_scalar(a.array.buffer.type, [&](auto* of) {
    return factor_and_solve<std::remove_pointer_t<decltype(of)>>(a, place, b, beside, frame, receipt);
  });
  const Answer answer{std::move(right), b.whole, beside.way, b.overwritten ? &b.array : nullptr};
  return give(answer, frame, b.columns ? Order::column_major : Order::row_major, receipt);
}

}  // namespace

Solved solve(const DistArray& a, const DistArray& b, MPI_Comm comm, const DenseOptions& options) {
  const mpi::Region region("tridap::scalapack::solve");
  Given of_a{"a", a, options.of_a, options.overwrite_a}, of_b{"b", b, options.of_b, options.overwrite_b, true};
  return make_routine("scalapack::solve", comm, number_of(options, 0), of_a, &of_b, [&](auto& call) {
    const Argument matrix = read_argument(of_a, call, 0), right = read_argument(of_b, call, 1);
    check_sizes(matrix, right);
    const Place place = place_of(matrix, Need::squares, true, options.copy);
    Solved solved;
    if (matrix.size(0) == 0 || right.size(1) == 0) {
      mpi::collectively(call.comm(), [&] { check_finite(matrix, mpi::rank_of(call.comm())); });
      solved.x = b;
    } else {
      solved.x = as_given(solution(matrix, right, place, Frame(call, place), options.copy, solved.receipt), b.ndim());
    }
    solved.receipt.shared = solved.receipt.same_address = options.overwrite_b;
    return solved;
  });
}

}  // namespace tridap::scalapack
