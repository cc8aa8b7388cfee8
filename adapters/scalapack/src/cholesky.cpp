#include "info.hpp"
#include "memory.hpp"
#include "routines.hpp"
#include "work.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/mpi/agree.hpp>

#include <string>

namespace tridap::scalapack {

namespace {

// Sets the elements above or below the diagonal to 0.
template <class T>
void clear_triangle(const Work& work, const Frame& frame, bool upper) {
  for_each_element(work, frame,
                   [&, data = work.data<T>(), lld = work.desc[8]](Index i, Index j, Index row, Index column) {
                     if (upper ? row < column : row > column) data[i + j * lld] = T(0);
                   });
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
  clear_triangle<T>(a, frame, in_lower);
}

}  // namespace

Factor cholesky(const DistArray& a, MPI_Comm comm, bool lower, const DenseOptions& options) {
  const mpi::Region region("tridap::scalapack::cholesky");
  Given given{"a", a, options.of_a, options.overwrite_a};
  return make_routine("scalapack::cholesky", comm, number_of(options, lower ? 1 : 0), given, nullptr, [&](auto& call) {
    const Argument matrix = read_argument(given, call, 0);
    need_square(matrix, "pass a square matrix");
    const Place place = place_of(matrix, Need::squares, true, options.copy);
    Factor made;
    if (matrix.size(0) == 0) {
      made.factor = a;
    } else {
      const Frame frame(call, place);
      const DistArray brought = bring(matrix, place, frame, made.receipt);
      const Work work = mpi::collectively(frame.comm(), [&] {
        check_finite(matrix, frame.rank());
        return take(matrix, brought, place, frame, made.receipt);
      });
      with_scalar(a.buffer.type, [&](auto* of) { factor<std::remove_pointer_t<decltype(of)>>(work, frame, lower); });
      const Answer answer{work, matrix.whole, place.way, matrix.overwritten ? &matrix.array : nullptr};
      made.factor = give(answer, frame, matrix.columns ? Order::column_major : Order::row_major, made.receipt);
    }
    made.receipt.shared = made.receipt.same_address = options.overwrite_a;
    return made;
  });
}

}  // namespace tridap::scalapack
