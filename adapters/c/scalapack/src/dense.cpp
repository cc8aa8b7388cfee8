#include <tridap/c/objects.hpp>
#include <tridap/scalapack/dense.hpp>

#include <algorithm>
#include <optional>
#include <vector>

using namespace tridap;
using namespace tridap::c;

namespace {

scalapack::Op op_of(tridap_op op) {
  switch (op) {
    case TRIDAP_OP_NONE:
      return scalapack::Op::none;
    case TRIDAP_OP_TRANSPOSE:
      return scalapack::Op::transpose;
    case TRIDAP_OP_ADJOINT:
      return scalapack::Op::adjoint;
  }
  refuse_key("op", std::to_string(static_cast<int>(op)), "must be one of tridap_op", "pass TRIDAP_OP_NONE");
}

// One of the functions: its arguments, and the arrays that it makes.
class DenseCall {
 public:
  DenseCall(const char* name, tridap_array first, const tridap_array* second, const tridap_dense_options* options,
            std::initializer_list<tridap_array*> results)
      : name_(name),
        numbers_{first.number, second == nullptr ? 0 : second->number},
        has_b_(second != nullptr),
        results_(results) {
    if (options != nullptr) given = *options;
    made.resize(results_.size());
  }

  // Runs `compute` on all processes, which makes the results. `check` is local.
  template <class Check, class Compute>
  int run(Check&& check, Compute&& compute) noexcept {
    int status = locally([&] { comm_ = comm_of({numbers_[0], numbers_[1]}); });
    if (status == TRIDAP_OK)
      status = collectively(
          name_, comm_, mpi::Library::blacs,
          [&] {
            read();
            check();
          },
          [&](MPI_Comm caller) { compute(caller); });
    for (std::size_t i = 0; i < results_.size(); ++i)
      status = give<ArrayObject>(status, number_in(results_[i]), comm_, std::move(made[i]));
    return status;
  }

  void keep(std::size_t i, const DistArray& array, const Distribution& distribution) {
    made[i] = array_over(array.buffer, std::make_shared<const Distribution>(distribution), a->process);
  }

  scalapack::DenseOptions options() const {
    scalapack::DenseOptions all;
    all.copy = copy_of(given.copy);
    all.overwrite_a = given.overwrite_a != 0;
    all.overwrite_b = given.overwrite_b != 0;
    all.of_a = *a->distribution;
    if (b != nullptr) all.of_b = *b->distribution;
    return all;
  }

  std::shared_ptr<ArrayObject> a, b;
  std::vector<std::shared_ptr<ArrayObject>> made;
  tridap_dense_options given{};

 private:
  void read() {
    for (const tridap_array* const result : results_) need(result, "the address of the result");
    a = find<ArrayObject>(numbers_[0]);
    if (has_b_) b = find<ArrayObject>(numbers_[1]);
    if (b != nullptr && b->comm != a->comm)
      refuse("b has another communicator than a", "must have the same one", "move it to a distribution of this one");
    static_cast<void>(options());
  }

  const char* name_;
  std::uint64_t numbers_[2];
  bool has_b_;
  std::vector<tridap_array*> results_;
  Comm comm_;
};

const auto nothing = [] {};

}  // namespace

int tridap_dense_solve(tridap_array a, tridap_array b, const tridap_dense_options* options, tridap_array* x,
                       tridap_receipt* receipt) {
  DenseCall call("tridap_dense_solve", a, &b, options, {x});
  return call.run(nothing, [&](MPI_Comm comm) {
    const scalapack::Solved done = scalapack::solve(call.a->array, call.b->array, comm, call.options());
    call.keep(0, done.x, *call.b->distribution);
    write_receipt(done.receipt, receipt);
  });
}

int tridap_cholesky(tridap_array a, const tridap_dense_options* options, tridap_array* factor,
                    tridap_receipt* receipt) {
  DenseCall call("tridap_cholesky", a, nullptr, options, {factor});
  return call.run(nothing, [&](MPI_Comm comm) {
    const auto done = scalapack::cholesky(call.a->array, comm, call.given.upper == 0, call.options());
    call.keep(0, done.factor, *call.a->distribution);
    write_receipt(done.receipt, receipt);
  });
}

int tridap_eigh(tridap_array a, const tridap_dense_options* options, double* values, tridap_array* vectors,
                tridap_receipt* receipt) {
  DenseCall call("tridap_eigh", a, nullptr, options, {vectors});
  return call.run([&] { need(values, "values"); },
                  [&](MPI_Comm comm) {
                    const auto done = scalapack::eigh(call.a->array, comm, call.given.upper == 0, call.options());
                    call.keep(0, done.vectors, *call.a->distribution);
                    std::copy(done.values.begin(), done.values.end(), values);
                    write_receipt(done.receipt, receipt);
                  });
}

int tridap_svd(tridap_array a, const tridap_dense_options* options, tridap_array* u, double* values, tridap_array* vh,
               tridap_receipt* receipt) {
  DenseCall call("tridap_svd", a, nullptr, options, {u, vh});
  return call.run([&] { need(values, "values"); },
                  [&](MPI_Comm comm) {
                    const auto done = scalapack::svd(call.a->array, comm, call.options());
                    call.keep(0, done.u, done.of_u);
                    call.keep(1, done.vh, done.of_vh);
                    std::copy(done.values.begin(), done.values.end(), values);
                    write_receipt(done.receipt, receipt);
                  });
}

int tridap_qr(tridap_array a, const tridap_dense_options* options, tridap_array* q, tridap_array* r,
              tridap_receipt* receipt) {
  DenseCall call("tridap_qr", a, nullptr, options, {q, r});
  return call.run(nothing, [&](MPI_Comm comm) {
    const auto done = scalapack::qr(call.a->array, comm, call.options());
    call.keep(0, done.q, done.of_q);
    call.keep(1, done.r, done.of_r);
    write_receipt(done.receipt, receipt);
  });
}

int tridap_matmul(tridap_array a, tridap_array b, const tridap_dense_options* options, tridap_array* c,
                  tridap_receipt* receipt) {
  DenseCall call("tridap_matmul", a, &b, options, {c});
  scalapack::MatmulOptions how;
  return call.run(
      [&] {
        how.copy = copy_of(call.given.copy);
        how.a = op_of(call.given.op_a);
        how.b = op_of(call.given.op_b);
        how.of_a = *call.a->distribution;
        how.of_b = *call.b->distribution;
      },
      [&](MPI_Comm comm) {
        const auto done = scalapack::matmul(call.a->array, call.b->array, comm, how);
        call.keep(0, done.c, done.of_c);
        write_receipt(done.receipt, receipt);
      });
}
