#include "info.hpp"
#include "memory.hpp"
#include "routines.hpp"
#include "work.hpp"
#include "work_space.hpp"
#include <tridap/internal/call.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace tridap::scalapack {

namespace {

// What P?GESVD takes and makes: a = u s vt.
struct Works {
  Work a, u, vt;
};

// With lwork = -1 it returns the lengths of the work space only.
template <class T>
int call(const Works& with, Real<T>* values, T* work, int lwork, Real<T>* real_work) {
  const auto& [a, u, vt] = with;
  const int m = a.desc[2], n = a.desc[3];
  int info = 0;
  if constexpr (is_complex_v<T>) {
    Routines<T>::gesvd("V", "V", &m, &n, a.template data<T>(), &one, &one, a.desc.data(), values, u.template data<T>(),
                       &one, &one, u.desc.data(), vt.template data<T>(), &one, &one, vt.desc.data(), work, &lwork,
                       real_work, &info, 1, 1);
  } else {
    static_cast<void>(real_work);
    Routines<T>::gesvd("V", "V", &m, &n, a.template data<T>(), &one, &one, a.desc.data(), values, u.template data<T>(),
                       &one, &one, u.desc.data(), vt.template data<T>(), &one, &one, vt.desc.data(), work, &lwork,
                       &info, 1, 1);
  }
  return info;
}

Works works_of(Work a, const Frame& frame) {
  const int m = a.desc[2], n = a.desc[3], k = std::min(m, n);
  const ElementType& type = a.buffer().type;
  Work u = make_work(frame, type, m, k, a.rows, a.columns), vt = make_work(frame, type, k, n, a.rows, a.columns);
  return {std::move(a), std::move(u), std::move(vt)};
}

template <class T>
Works decompose(const Argument& matrix, const DistArray& brought, const Place& place, const Frame& frame, Svd& made) {
  const MPI_Comm comm = frame.comm();
  Works with;
  std::vector<Real<T>> values;
  WorkSpace<T> space;
  mpi::collectively(comm, [&] {
    check_finite(matrix, frame.rank());
    with = works_of(take(matrix, brought, place, frame, made.receipt), frame);
    values.resize(static_cast<std::size_t>(std::min(matrix.size(0), matrix.size(1))));
    made.values.resize(values.size());
    space.allocate(1, 1 + 4 * std::max(matrix.size(0), matrix.size(1)));
  });
  const auto k = static_cast<Index>(values.size());
  const Ended ended{Routines<T>::letter, "GESVD", 0, Positive::not_converged, k};
  T answer[2] = {};
  const int asked = call<T>(with, values.data(), answer, -1, space.real_data());
  mpi::collectively(comm, [&] {
    must_succeed_here(with_info(ended, asked));
    space.allocate(work_elements(answer[0]));
  });
  int info = call<T>(with, values.data(), space.data(), space.length(), space.real_data());
  // LAPACK's ?BDSQR uses another algorithm on a process that has no vectors, so its values have other rounding errors.
  // Rank 0 always has vectors.
  if (info == k + 1) info = 0;
  must_succeed(with_info(ended, info), comm);
  mpi::broadcast(values.data(), static_cast<Index>(k), 0, comm);
  std::copy(values.begin(), values.end(), made.values.begin());
  return with;
}

// The transpose of a = u s vh is vh^T s u^T: then ScaLAPACK's u is the transpose of vh, and its vt is that of u.
void compute(const Argument& matrix, const Place& place, const Frame& frame, Svd& made) {
  const DistArray brought = bring(matrix, place, frame, made.receipt);
  const Works works = with_scalar(matrix.array.buffer.type, [&](auto* of) {
    return decompose<std::remove_pointer_t<decltype(of)>>(matrix, brought, place, frame, made);
  });
  const bool turned = frame.is_transposed();
  made.u = give({turned ? works.vt : works.u, made.of_u, place.way, nullptr}, frame, Order::column_major, made.receipt);
  made.vh =
      give({turned ? works.u : works.vt, made.of_vh, place.way, nullptr}, frame, Order::column_major, made.receipt);
}

}  // namespace

Svd svd(const DistArray& a, MPI_Comm comm, const DenseOptions& options) {
  const mpi::Region region("tridap::scalapack::svd");
  Given given{"a", a, options.of_a, options.overwrite_a};
  return make_routine("scalapack::svd", comm, number_of(options, 0), given, nullptr, [&](auto& call) {
    const Argument matrix = read_argument(given, call, 0);
    const Place place = place_of(matrix, Need::squares_from_zero, true, options.copy);
    Svd made;
    const Index m = matrix.size(0), n = matrix.size(1), k = std::min(m, n);
    made.of_u = resized(matrix.whole, m, k);
    made.of_vh = resized(matrix.whole, k, n);
    if (k == 0) {
      const Index rank = mpi::rank_of(call.comm());
      made.u = empty_answer(made.of_u, a.buffer.type, rank);
      made.vh = empty_answer(made.of_vh, a.buffer.type, rank);
    } else {
      compute(matrix, place, Frame(call, place), made);
    }
    made.receipt.shared = made.receipt.same_address = false;
    return made;
  });
}

}  // namespace tridap::scalapack
