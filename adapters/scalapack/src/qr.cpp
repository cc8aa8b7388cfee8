#include "info.hpp"
#include "memory.hpp"
#include "routines.hpp"
#include "work.hpp"
#include "work_space.hpp"
#include <tridap/internal/region.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace tridap::scalapack {

namespace {

// The routines work on `a` in place.
template <class T>
struct Factored {
  Work a, r;
  std::vector<T> tau;
  WorkSpace<T> space;
};

// The first k rows of the matrix, which are 0 below the diagonal.
template <class T>
void copy_triangle(const Work& a, const Work& r, const Frame& frame) {
  for_each_element(r, frame, [&](Index i, Index j, Index row, Index column) {
    if (row <= column) r.data<T>()[i + j * r.desc[8]] = a.data<T>()[i + j * a.desc[8]];
  });
}

// P?GEQRF. With length = -1 it returns the length of the work space only.
template <class T>
Ended factor(Factored<T>& with, T* work, int length) {
  using Of = Routines<T>;
  const int m = with.a.desc[2], n = with.a.desc[3];
  int info = 0;
  Of::geqrf(&m, &n, with.a.template data<T>(), &one, &one, with.a.desc.data(), with.tau.data(), work, &length, &info);
  return {Of::letter, "GEQRF", info};
}

// P?ORGQR, P?UNGQR in the same way: the first k columns become q.
template <class T>
Ended form_q(Factored<T>& with, T* work, int length) {
  using Of = Routines<T>;
  const int m = with.a.desc[2], k = std::min(m, with.a.desc[3]);
  int info = 0;
  Of::form_q(&m, &k, &k, with.a.template data<T>(), &one, &one, with.a.desc.data(), with.tau.data(), work, &length,
             &info);
  return {Of::letter, is_complex_v<T> ? "UNGQR" : "ORGQR", info};
}

// The matrix with q in its first k columns, and r.
template <class T>
std::pair<Work, Work> decompose(const Argument& matrix, const DistArray& brought, const Place& place,
                                const Frame& frame, Receipt& receipt) {
  const MPI_Comm comm = frame.comm();
  const Index m = matrix.size(0), n = matrix.size(1);
  Factored<T> with;
  mpi::collectively(comm, [&] {
    check_finite(matrix, frame.rank());
    with.a = take(matrix, brought, place, frame, receipt);
    with.r = make_work(frame, with.a.buffer().type, std::min(m, n), n, with.a.rows, with.a.columns);
    with.tau.resize(static_cast<std::size_t>(with.a.buffer().shape[1] + with.a.columns.length));
  });
  T factor_answer[2] = {}, form_answer[2] = {};
  const Ended factor_asked = factor(with, factor_answer, -1), form_asked = form_q(with, form_answer, -1);
  mpi::collectively(comm, [&] {
    must_succeed_here(factor_asked);
    must_succeed_here(form_asked);
    with.space.allocate(std::max(work_elements(factor_answer[0]), work_elements(form_answer[0])));
  });
  must_succeed(factor(with, with.space.data(), with.space.length()), comm);
  copy_triangle<T>(with.a, with.r, frame);
  must_succeed(form_q(with, with.space.data(), with.space.length()), comm);
  return {std::move(with.a), std::move(with.r)};
}

void compute(const Argument& matrix, const Place& place, const Frame& frame, Qr& made) {
  const DistArray brought = bring(matrix, place, frame, made.receipt);
  auto [work, triangle] = with_scalar(matrix.array.buffer.type, [&](auto* of) {
    return decompose<std::remove_pointer_t<decltype(of)>>(matrix, brought, place, frame, made.receipt);
  });
  const Index m = matrix.size(0), n = matrix.size(1), k = std::min(m, n);
  const bool over = matrix.overwritten && k == n;
  const Answer q{corner_of(work, frame, m, k), made.of_q, place.way, over ? &matrix.array : nullptr};
  made.q = give(q, frame, Order::column_major, made.receipt);
  made.r = give({std::move(triangle), made.of_r, place.way, nullptr}, frame, Order::column_major, made.receipt);
  made.receipt.shared = place.way == Way::in_place || q.into != nullptr;
}

}  // namespace

Qr qr(const DistArray& a, MPI_Comm comm, const DenseOptions& options) {
  const mpi::Region region("tridap::scalapack::qr");
  Given given{"a", a, options.of_a, options.overwrite_a};
  return make_routine("scalapack::qr", comm, number_of(options, 0), given, nullptr, [&](auto& call) {
    const Argument matrix = read_argument(given, call, 0);
    const Place place = place_of(matrix, Need::blocks, false, options.copy);
    Qr made;
    const Index m = matrix.size(0), n = matrix.size(1), k = std::min(m, n);
    made.of_q = resized(matrix.whole, m, k);
    made.of_r = resized(matrix.whole, k, n);
    made.receipt.shared = false;
    if (k == 0) {
      const Index rank = mpi::rank_of(call.comm());
      made.q = empty_answer(made.of_q, a.buffer.type, rank);
      made.r = empty_answer(made.of_r, a.buffer.type, rank);
    } else {
      compute(matrix, place, Frame(call, place), made);
    }
    made.receipt.same_address = made.receipt.shared;
    return made;
  });
}

}  // namespace tridap::scalapack
