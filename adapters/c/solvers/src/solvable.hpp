#pragma once

#include <tridap/c/objects.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/solvers/matrix.hpp>
#include <tridap/solvers/solve.hpp>
#include <tridap/solvers/vectors.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::c {

/// What is made once for a matrix, in the first solve that needs it.
struct Prepared {
  Teuchos::RCP<const solvers::Operator> preconditioner;
  std::string made_of;  ///< name, method and parameters
  std::unique_ptr<solvers::DirectSolver> factors;
};

/// A matrix, an operator or a preconditioner on the elements of a distribution. It exists inside of Trilinos alone.
struct Solvable {
  /// **Collective** as tpetra::ArrayMap.
  Solvable(const DistArray& part, const Distribution& whole, MPI_Comm comm, const tpetra::ArrayMapOptions& options);
  Solvable(const Solvable& of, Teuchos::RCP<const solvers::Operator> with);  ///< another operator on the same rows
  Solvable(const Solvable&) = delete;
  Solvable& operator=(const Solvable&) = delete;
  ~Solvable();

  tpetra::ArrayMap rows;
  Teuchos::RCP<solvers::CrsMatrix> matrix;  ///< null for an operator
  Teuchos::RCP<const solvers::Operator> op;
  Prepared prepared = {};
  solvers::CopyMemory copies = {};  ///< of vectors that cannot be shared
  Order order = Order::row_major;   ///< of numbers and rows
  Index serial = 0;                 ///< the same on all processes, and another one for each object of a communicator
};

/// A handle's object. Whichever thread lets go last, its content is released inside of Trilinos.
template <Kind of>
struct SolvableObject final : Object {
  static constexpr Kind kind = of;
  explicit SolvableObject(std::shared_ptr<Solvable> made) : content(std::move(made)) {}
  ~SolvableObject() override { mpi::release_inside(mpi::Library::trilinos, std::move(content)); }
  std::shared_ptr<Solvable> content;
};
using MatrixObject = SolvableObject<Kind::matrix>;
using PreconditionerObject = SolvableObject<Kind::preconditioner>;

/// An option that is not 0, which would mean its default.
template <class Number>
Number or_zero(Number given) {
  return given == TRIDAP_ZERO ? Number{0} : given;
}

/// A number for a Solvable of a communicator; all processes make them in the same order.
Index next_serial(const Comm& comm);
/// Initialises Kokkos if nobody has; MPI_Finalize then finalises it. Local: it may fail on one process, as without a
/// GPU.
void need_kokkos();
std::shared_ptr<Solvable> make_solvable(const DistributionObject& rows, Order order, const Comm& comm);

/// A Solvable on the elements of a distribution, still without an operator, in the object of a handle. The call has no
/// name of its own. **Collective**: throws the same Error on every process, also if their distributions differ.
template <class Made>
std::shared_ptr<Made> solvable_over(const DistributionObject& rows, tridap_order order, const Comm& comm) {
  return std::make_shared<Made>(make_solvable(rows, order_of(order), comm));
}

/// An array for a solver; `name` is that of the argument.
inline solvers::SolverArray solver_array(const ArrayObject& of, const char* name, bool writable) {
  return {of.array, *of.distribution, name, writable, of.stream};
}

/// Throws Error unless an array can be written. Local.
void need_writable(const ArrayObject& array, const char* name);

/// Throws Error, the same on every process, if number `i` of a record differs: it was of `what`.
void need_same(const mpi::Call& call, std::size_t i, const char* what);

/// Throws Error unless two operators have the same rows in the same order. Local.
void need_rows_of(const Solvable& a, const Solvable& other, const char* name);

/// The receipt of a call that reads `in` and reads and writes `out`; one of both may be null.
Receipt receipt_of(const Receipt* in, const Receipt* out);

}  // namespace tridap::c

#pragma GCC visibility pop
