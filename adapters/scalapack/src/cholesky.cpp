#include "info.hpp"
#include "memory.hpp"
#include "routines.hpp"
#include "work.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/mpi/agree.hpp>

#include <string>

namespace tridap::scalapack {

namespace {

// Sets the elements above or below the diagonal to 0.
template <class T>
void clear_triangle(const Work& work, const Frame& frame, bool upper) {
  const auto [rows, columns] = numbers_of(work, frame);
  const Index line = work.desc[8];
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (upper ? rows[i] < columns[j] : rows[i] > columns[j])
        work.data<T>()[static_cast<Index>(i) + static_cast<Index>(j) * line] = T(0);
}

// The transpose of a Hermitian matrix is its conjugate, and the transpose of the factor is in the other triangle.
template <class T>
void factor(const Work& a, const Frame& frame, bool lower) {
  using Of = Routines<T>;
  const bool in_lower = lower != frame.is_transposed();
  int info = 0;
  const int n = a.desc[2];
  Of::potrf(in_lower ? "L" : "U", &n, a.data<T>(), &one, &one, a.desc.data(), &info, 1);
  must_succeed({Of::letter, "POTRF", info, Positive::not_definite}, frame.comm());
  mpi::collectively(frame.comm(), [&] { clear_triangle<T>(a, frame, in_lower); });
}

}  // namespace

Factor cholesky(const DistArray& a, MPI_Comm comm, bool lower, const DenseOptions& options) {
  const double begin = now();
  const mpi::Call call(comm, "scalapack::cholesky", mpi::Library::blacs, recorded(options, lower ? 1 : 0));
  comm = call.comm();
  need_same_options(call);
  const Argument matrix = read_argument("a", a, options.overwrite_a, false, comm);
  const Place place = mpi::collectively(comm, [&] {
    need_square(matrix, "pass a square matrix");
    return place_of(matrix, Need::squares, true, options.copy);
  });
  Factor made;
  if (matrix.size(0) == 0)
    made.factor = mpi::collectively(comm, [&] { return a; });
  else
    made.factor = in_frame(comm, place, [&](const Frame& frame) {
      const Work work = take(matrix, place, frame, made.receipt);
      with_scalar(a.buffer.type, [&](auto* of) { factor<std::remove_pointer_t<decltype(of)>>(work, frame, lower); });
      const Answer answer = mpi::collectively(comm, [&] {
        return Answer{work, matrix.whole, place.way, matrix.overwritten ? &matrix.array : nullptr};
      });
      return give(answer, frame, matrix.columns ? Order::column_major : Order::row_major, made.receipt);
    });
  made.receipt.shared = made.receipt.same_address = options.overwrite_a;
  made.receipt.seconds = now() - begin;
  return made;
}

}  // namespace tridap::scalapack
