#include "info.hpp"
#include "memory.hpp"
#include "routines.hpp"
#include "work.hpp"
#include "work_space.hpp"
#include <tridap/internal/call.hpp>
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

template <class T>
std::vector<double> decompose(const Works& with, const Frame& frame) {
  const MPI_Comm comm = frame.comm();
  const Index m = with.a.desc[2], n = with.a.desc[3], k = std::min(m, n), reals = 1 + 4 * std::max(m, n);
  const Ended ended{Routines<T>::letter, "GESVD", 0, Positive::not_converged, k};
  T answer[2] = {};
  WorkSpace<T> query = mpi::collectively(comm, [&] { return WorkSpace<T>(1, reals); });
  std::vector<Real<T>> values =
      mpi::collectively(comm, [&] { return std::vector<Real<T>>(static_cast<std::size_t>(k)); });
  must_succeed(with_info(ended, call<T>(with, values.data(), answer, -1, query.real_data())), comm);
  WorkSpace<T> space = mpi::collectively(comm, [&] { return WorkSpace<T>(work_elements(answer[0]), reals); });
  int info = call<T>(with, values.data(), space.data(), space.length(), space.real_data());
  // LAPACK's ?BDSQR uses another algorithm on a process that has no vectors, so its values have other rounding errors.
  // Rank 0 always has vectors.
  if (info == k + 1) info = 0;
  must_succeed(with_info(ended, info), comm);
  const MPI_Datatype real = sizeof(Real<T>) == 4 ? MPI_FLOAT : MPI_DOUBLE;
  mpi::must_succeed(MPI_Bcast(values.data(), static_cast<int>(k), real, 0, comm), "MPI_Bcast");
  return mpi::collectively(comm, [&] { return std::vector<double>(values.begin(), values.end()); });
}

Works works_of(Work a, const Frame& frame) {
  const int m = a.desc[2], n = a.desc[3], k = std::min(m, n);
  const ElementType& type = a.buffer().type;
  Work u = make_work(frame, type, m, k, a.rows, a.columns), vt = make_work(frame, type, k, n, a.rows, a.columns);
  return {std::move(a), std::move(u), std::move(vt)};
}

// The transpose of a = u s vh is vh^T s u^T: then ScaLAPACK's u is the transpose of vh, and its vt is that of u.
void compute(const Argument& matrix, const Place& place, const Frame& frame, Svd& made) {
  const MPI_Comm comm = frame.comm();
  Work work = take(matrix, place, frame, made.receipt);
  const Works works = mpi::collectively(comm, [&] { return works_of(std::move(work), frame); });
  made.values = with_scalar(matrix.array.buffer.type,
                            [&](auto* of) { return decompose<std::remove_pointer_t<decltype(of)>>(works, frame); });
  const bool turned = frame.is_transposed();
  const Index m = matrix.size(0), n = matrix.size(1), k = std::min(m, n);
  const auto [u, vh] = mpi::collectively(comm, [&] {
    return std::pair(Answer{turned ? works.vt : works.u, resized(matrix.whole, m, k), place.way, nullptr},
                     Answer{turned ? works.u : works.vt, resized(matrix.whole, k, n), place.way, nullptr});
  });
  made.u = give(u, frame, Order::column_major, made.receipt);
  made.vh = give(vh, frame, Order::column_major, made.receipt);
}

}  // namespace

Svd svd(const DistArray& a, MPI_Comm comm, const DenseOptions& options) {
  const double begin = now();
  const mpi::Call call(comm, "scalapack::svd", mpi::Library::blacs, recorded(options, 0));
  comm = call.comm();
  need_same_options(call);
  const Argument matrix = read_argument("a", a, options.overwrite_a, false, comm);
  const Place place =
      mpi::collectively(comm, [&] { return place_of(matrix, Need::squares_from_zero, true, options.copy); });
  Svd made;
  const Index m = matrix.size(0), n = matrix.size(1);
  if (m == 0 || n == 0)
    mpi::collectively(comm, [&] {
      const Index rank = mpi::rank_of(comm);
      made.u = empty_answer(resized(matrix.whole, m, 0), a.buffer.type, rank);
      made.vh = empty_answer(resized(matrix.whole, 0, n), a.buffer.type, rank);
    });
  else
    in_frame(comm, place, [&](const Frame& frame) {
      compute(matrix, place, frame, made);
      return 0;
    });
  made.receipt.shared = made.receipt.same_address = false;
  made.receipt.seconds = now() - begin;
  return made;
}

}  // namespace tridap::scalapack
