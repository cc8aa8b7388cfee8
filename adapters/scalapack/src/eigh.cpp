#include "info.hpp"
#include "memory.hpp"
#include "routines.hpp"
#include "work.hpp"
#include "work_space.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace tridap::scalapack {

namespace {

// P?SYEV, P?HEEV. With lwork = -1 it returns the lengths of the work space only.
template <class T>
int call(const Work& a, const Work& z, bool lower, Real<T>* values, T* work, int lwork, Real<T>* real_work,
         int real_lwork) {
  const int n = a.desc[2];
  int info = 0;
  const char* const triangle = lower ? "L" : "U";
  if constexpr (is_complex_v<T>) {
    Routines<T>::eigenvalues_of("V", triangle, &n, a.data<T>(), &one, &one, a.desc.data(), values, z.data<T>(), &one,
                                &one, z.desc.data(), work, &lwork, real_work, &real_lwork, &info, 1, 1);
  } else {
    static_cast<void>(real_work), static_cast<void>(real_lwork);
    Routines<T>::eigenvalues_of("V", triangle, &n, a.data<T>(), &one, &one, a.desc.data(), values, z.data<T>(), &one,
                                &one, z.desc.data(), work, &lwork, &info, 1, 1);
  }
  return info;
}

// Makes the values, and returns the vectors.
template <class T>
Work decompose(const Argument& matrix, const DistArray& brought, const Place& place, const Frame& frame, bool lower,
               Eigen& made) {
  const MPI_Comm comm = frame.comm();
  const Index n = matrix.size(0);
  Work a, z;
  std::vector<Real<T>> values;
  mpi::collectively(comm, [&] {
    check_finite(matrix, frame.rank());
    a = take(matrix, brought, place, frame, made.receipt);
    z = make_work(frame, a.buffer().type, n, n, a.rows, a.columns);
    values.resize(static_cast<std::size_t>(n));
    made.values.resize(static_cast<std::size_t>(n));
  });
  const Ended ended{Routines<T>::letter, is_complex_v<T> ? "HEEV" : "SYEV", 0, Positive::not_converged, n};
  T answer[2] = {};
  Real<T> real_answer[2] = {};
  const int asked = call<T>(a, z, lower, values.data(), answer, -1, real_answer, -1);
  // PZHEEV of ScaLAPACK 2.2 asks for too little real work space: its text says 4 n - 2.
  WorkSpace<T> space = mpi::collectively(comm, [&] {
    must_succeed_here(with_info(ended, asked));
    return WorkSpace<T>(work_elements(answer[0]), std::max<Index>(work_elements(real_answer[0]), 4 * n));
  });
  must_succeed(with_info(ended, call<T>(a, z, lower, values.data(), space.data(), space.length(), space.real_data(),
                                        space.real_length())),
               comm);
  if (n == 1 && element_count(z.buffer()) == 1) *z.data<T>() = T(1);  // PZHEEV of ScaLAPACK 2.2 leaves 0
  std::copy(values.begin(), values.end(), made.values.begin());
  return z;
}

}  // namespace

Eigen eigh(const DistArray& a, MPI_Comm comm, bool lower, const DenseOptions& options) {
  const mpi::Region region("tridap::scalapack::eigh");
  Given given{"a", a, options.of_a, options.overwrite_a};
  return make_routine("scalapack::eigh", comm, number_of(options, lower ? 1 : 0), given, nullptr, [&](auto& call) {
    const Argument matrix = read_argument(given, call, 0);
    need_square(matrix, "pass a square matrix; svd() takes others");
    const Place place = place_of(matrix, Need::squares_from_zero, false, options.copy);
    Eigen made;
    if (matrix.size(0) == 0) {
      made.vectors = a;
    } else {
      const Frame frame(call, place);
      const DistArray brought = bring(matrix, place, frame, made.receipt);
      Work vectors = with_scalar(a.buffer.type, [&](auto* of) {
        return decompose<std::remove_pointer_t<decltype(of)>>(matrix, brought, place, frame, lower, made);
      });
      made.vectors =
          give({std::move(vectors), matrix.whole, place.way, nullptr}, frame, Order::column_major, made.receipt);
    }
    made.receipt.shared = made.receipt.same_address = false;
    return made;
  });
}

}  // namespace tridap::scalapack
