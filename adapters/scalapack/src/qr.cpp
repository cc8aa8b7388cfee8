#include "info.hpp"
#include "memory.hpp"
#include "routines.hpp"
#include "work.hpp"
#include "work_space.hpp"
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace tridap::scalapack {

namespace {

// The first k rows, with 0 below the diagonal.
template <class T>
Work triangle_of(const Work& a, const Frame& frame) {
  const int n = a.desc[3], k = std::min(a.desc[2], n);
  Work r = make_work(frame, a.buffer().type, k, n, a.rows, a.columns);
  const auto [rows, columns] = numbers_of(r, frame);
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (std::size_t i = 0; i < rows.size() && rows[i] <= columns[j]; ++i)
      r.data<T>()[static_cast<Index>(i) + static_cast<Index>(j) * r.desc[8]] =
          a.data<T>()[static_cast<Index>(i) + static_cast<Index>(j) * a.desc[8]];
  return r;
}

// Replaces the matrix by q in its first k columns, and returns r.
template <class T>
Work decompose(const Work& a, const Frame& frame) {
  using Of = Routines<T>;
  const MPI_Comm comm = frame.comm();
  const int m = a.desc[2], n = a.desc[3], k = std::min(m, n), ask = -1;
  int info = 0;
  T answer[2] = {};
  std::vector<T> tau = mpi::collectively(
      comm, [&] { return std::vector<T>(static_cast<std::size_t>(a.buffer().shape[1] + a.columns.length)); });
  const auto with_space = [&](const char* name, auto&& call) {
    call(answer, ask);
    must_succeed({Of::letter, name, info}, comm);
    WorkSpace<T> space = mpi::collectively(comm, [&] { return WorkSpace<T>(work_elements(answer[0])); });
    call(space.data(), space.length());
    must_succeed({Of::letter, name, info}, comm);
  };
  with_space("GEQRF", [&](T* work, const int& length) {
    Of::geqrf(&m, &n, a.data<T>(), &one, &one, a.desc.data(), tau.data(), work, &length, &info);
  });
  Work r = mpi::collectively(comm, [&] { return triangle_of<T>(a, frame); });
  with_space(is_complex_v<T> ? "UNGQR" : "ORGQR", [&](T* work, const int& length) {
    Of::form_q(&m, &k, &k, a.data<T>(), &one, &one, a.desc.data(), tau.data(), work, &length, &info);
  });
  return r;
}

void compute(const Argument& matrix, const Place& place, const Frame& frame, Qr& made) {
  const MPI_Comm comm = frame.comm();
  const Work work = take(matrix, place, frame, made.receipt);
  Work triangle = with_scalar(matrix.array.buffer.type,
                              [&](auto* of) { return decompose<std::remove_pointer_t<decltype(of)>>(work, frame); });
  const Index m = matrix.size(0), n = matrix.size(1), k = std::min(m, n);
  const auto [q, r] = mpi::collectively(comm, [&] {
    const bool over = matrix.overwritten && k == n;
    return std::pair(
        Answer{corner_of(work, frame, m, k), resized(matrix.whole, m, k), place.way, over ? &matrix.array : nullptr},
        Answer{std::move(triangle), resized(matrix.whole, k, n), place.way, nullptr});
  });
  made.q = give(q, frame, Order::column_major, made.receipt);
  made.r = give(r, frame, Order::column_major, made.receipt);
  made.receipt.shared = place.way == Way::in_place || q.into != nullptr;
}

}  // namespace

Qr qr(const DistArray& a, MPI_Comm comm, const DenseOptions& options) {
  const double begin = now();
  const mpi::Call call(comm, "scalapack::qr", mpi::Library::blacs, recorded(options, 0));
  comm = call.comm();
  need_same_options(call);
  const Argument matrix = read_argument("a", a, options.overwrite_a, false, comm);
  const Place place = mpi::collectively(comm, [&] { return place_of(matrix, Need::blocks, false, options.copy); });
  Qr made;
  const Index m = matrix.size(0), n = matrix.size(1);
  made.receipt.shared = false;
  if (m == 0 || n == 0)
    mpi::collectively(comm, [&] {
      const Index rank = mpi::rank_of(comm);
      made.q = empty_answer(resized(matrix.whole, m, 0), a.buffer.type, rank);
      made.r = empty_answer(resized(matrix.whole, 0, n), a.buffer.type, rank);
    });
  else
    in_frame(comm, place, [&](const Frame& frame) {
      compute(matrix, place, frame, made);
      return 0;
    });
  made.receipt.same_address = made.receipt.shared;
  made.receipt.seconds = now() - begin;
  return made;
}

}  // namespace tridap::scalapack
