#pragma once

#include "array.hpp"
#include "bindings.hpp"
#include "comm.hpp"
#include "native.hpp"
#include "operator.hpp"
#include "own_numbers.hpp"
#include "text_argument.hpp"
#include "together.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/solvers/matrix.hpp>
#include <tridap/solvers/solve.hpp>
#include <tridap/solvers/vectors.hpp>

#include <array>
#include <cstddef>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tridap::python {

/// Data that is made once for a matrix, in the first solve that needs it.
struct Prepared {
  Teuchos::RCP<const solvers::Operator> preconditioner;
  std::string made_of;  // name, method and parameters
  std::unique_ptr<solvers::DirectSolver> factors;
};

/// The content of a `tridap.Matrix` or a `tridap.LinearOperator`, on the elements of a distributed array.
struct Solvable : EndsWithMpi {
  explicit Solvable(tpetra::ArrayMap map, Teuchos::RCP<solvers::CrsMatrix> of = Teuchos::null,
                    Teuchos::RCP<const solvers::Operator> as = Teuchos::null)
      : array_map(std::move(map)), matrix(std::move(of)), op(std::move(as)) {}
  void let_go() override {
    *prepared = {};
    op = Teuchos::null;
    matrix = Teuchos::null;
  }

  tpetra::ArrayMap array_map;
  Teuchos::RCP<solvers::CrsMatrix> matrix;  // null for an operator
  Teuchos::RCP<const solvers::Operator> op;
  std::shared_ptr<Raised> raised = std::make_shared<Raised>();
  std::shared_ptr<Prepared> prepared = std::make_shared<Prepared>();
  std::optional<OwnNumbers> own_numbers = {};  // of the array that a matrix was made on
  std::optional<Order> order = {};             // of a matrix's rows on each process; nothing: that of the memory
  Receipt receipt = {};                        // of making a matrix
  solvers::CopyMemory copies = {};             // of vectors that cannot be shared; used inside of Trilinos
};

/// The Python object of a Solvable. The thread inside of Trilinos releases its RCPs.
class Handle {
 public:
  Handle(std::shared_ptr<Solvable> solvable, py::object comm, py::object matvec = py::none())
      : solvable_(std::move(solvable)), comm_(std::move(comm)), matvec_(std::move(matvec)) {
    end_with_mpi(solvable_);
  }
  Handle(Handle&&) = default;
  ~Handle() {
    if (solvable_) release_inside(std::move(solvable_));
  }
  const std::shared_ptr<Solvable>& solvable() const { return solvable_; }  ///< after MPI's end without its operator
  const std::shared_ptr<Solvable>& usable() const {
    need_mpi();
    return solvable_;
  }
  const py::object& comm() const { return comm_.object(); }
  const py::object& matvec() const { return matvec_; }  // a solve holds a reference to it

  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(matvec_.ptr());
    return comm_.traverse(visit, arg);
  }
  void clear() {
    comm_.clear();
    matvec_ = py::none();
  }

 private:
  std::shared_ptr<Solvable> solvable_;
  HeldComm comm_;
  py::object matvec_;
};

class Matrix : public Handle {
 public:
  static constexpr const char* name = "tridap.Matrix";
  using Handle::Handle;
};
class LinearOperator : public Handle {
 public:
  static constexpr const char* name = "tridap.LinearOperator";
  using Handle::Handle;
};

class Preconditioner : public Handle {
 public:
  static constexpr const char* name = "tridap.Preconditioner";
  using Handle::Handle;
};

inline std::string text_of(py::handle object) { return utf8_text(py::str(object)); }

/// Runs a step inside of Trilinos on all processes of `comm`. **Collective.**
template <class Step>
auto inside(MPI_Comm comm, Step&& step) {
  const Native native(comm);
  return std::forward<Step>(step)();
}

/// The same for a step that throws the same Error on every process of `comm` or on none.
template <class Step>
auto inside_on_all(MPI_Comm comm, Step&& step) {
  const WithoutPython released;
  return on_all(comm, [&] {
    const mpi::Call call(comm, Native::fallback, mpi::Library::trilinos);
    return std::forward<Step>(step)();
  });
}

/// The C++ value of an object; TypeError if it is not a T, or not initialised.
template <class T>
const T& made(const py::object& self) {
  if (!py::isinstance<T>(self))
    throw py::type_error(std::string("this must be a ") + T::name + ", not a " + Py_TYPE(self.ptr())->tp_name);
  return value_in<T>(self);
}

void need_float64(const Array& array, const std::string& name);

/// Raises an argument that is an exception: Python raised it while computing the argument on this process.
void raise_if_raised(py::handle argument);

void need_callable(py::handle object, const std::string& name);

inline solvers::SolverArray solver_array(const Array& array, const std::string& name, bool writable) {
  return {array.host_array(), *array.distribution(), name, writable};
}

/// The beginning of a call of a Matrix or a LinearOperator with arrays: one record, which says whether every process
/// has all that it needs. Then the call continues without another message. Otherwise it agrees on each step apart, so
/// that an error names what is wrong, and on which process.
///
/// Example, for `A @ x`:
///
///     Beginning begun(a, mpi::Library::trilinos, {x}, [&] { check(x); }, [&] { local.emplace(x, ...); }, kind);
///     if (!begun.is_ready()) {
///       x = asarray(x, a.comm(), py::none());
///       begun.agree([&] { check(x); });
///     }
///     vectors = begun.is_ready() ? local->join() : import_vectors(x, ...);
class Beginning {
 public:
  /// `arrays` may be any objects. If they are arrays that the processes have checked together, `check` reads the
  /// arguments, and then `prepare` runs inside of `libraries`, without the GIL. `add` adds up to 5 numbers of this
  /// process to the record, after `check`; all processes add equally many. **Collective.**
  Beginning(const Handle& a, mpi::Libraries libraries, std::initializer_list<py::handle> arrays,
            const std::function<void()>& check, const std::function<void()>& prepare,
            std::function<void(mpi::Record&)> add);
  ~Beginning();
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;

  bool is_ready() const { return call_->smallest(0) == 1 && call_->is_same(1); }  ///< the same on all processes
  const mpi::Call& call() const { return *call_; }
  bool is_same(std::size_t i) const { return same_[i]; }  ///< of the numbers that `add` added last
  bool any(std::size_t i) const { return any_[i]; }       ///< whether one is not 0
  /// Raises on every process what the first check raised on any process, or what `check` raises now. Then it compares
  /// the numbers again. **Collective.**
  template <class Check>
  void agree(Check&& check) {
    struct Compared {
      Beginning& of;
      void bring(mpi::Record& record) const { of.add_(record); }
      void take(const mpi::Call& call) const { of.compare(call, numbers_of_together); }
    };
    const auto step = [&] {
      if (failed_) std::rethrow_exception(failed_);
      check();
      return true;
    };
    together(call_->comm(), step, nullptr, Compared{*this});
  }

 private:
  static constexpr std::size_t own_numbers = 2, most_added = 5, numbers_of_together = 3;
  void compare(const mpi::Call& call, std::size_t first);

  std::function<void(mpi::Record&)> add_;
  std::exception_ptr failed_;  // what `check` threw
  std::array<bool, most_added> same_{}, any_{};
  std::optional<mpi::Call> call_;
};

/// Raises on every process if any process raised, or has an error. A process raises its own exception if it has one,
/// and otherwise the exception of the lowest rank that has one. **Collective**: one reduction if there is none.
void raise_together(MPI_Comm comm, std::optional<py::error_already_set> own, const std::optional<Error>& error = {});

/// The arguments of one solve on this process, unchecked. `like` is a function: an array for the answer, from `b`, if
/// `x` is None.
struct Asked {
  py::object b, x, like, method, preconditioner, tol, atol, maxiter, options, preconditioner_options, callback,
      progress, copy, raise_on_failure, wrong;
};

template <class Number>
Number number_of(py::handle object, const std::string& name, const std::string& must) {
  try {
    return py::cast<Number>(object);
  } catch (const py::cast_error&) {
    refuse_key(name, text_of(py::repr(object)), must, "");
  }
}

/// The content of a Matrix, a LinearOperator or a Preconditioner; null for any other object.
std::shared_ptr<Solvable> solvable_in(const py::object& object);

/// Calls Python once in each iteration: for signals, the callback, and the progress line.
solvers::Watch watch_of(const std::shared_ptr<Raised>& raised, py::handle callback, py::handle progress);

/// What Python raised, if anything. Called inside of Trilinos.
std::optional<py::error_already_set> taken(Raised& raised);

/// The arguments of `eigsh` on this process, unchecked.
struct EigenAsked {
  py::object mass, preconditioner, which, method, tol, maxiter, sigma, wrong;
};
/// `A._eigsh(...)` of Python; `start` is null if there is no start vector, on all processes alike. **Collective.**
py::dict eigsh_in_place(const Handle& handle, const Array& x, const Array* start, const EigenAsked& asked);

/// A distribution with one more axis, the last one, which is not distributed.
Distribution with_vectors(const Distribution& rows, Index count);

/// `A._solve(...)` of Python. **Collective.**
py::dict solve_in_place(const Handle& handle, Asked asked);

/// The methods of `tridap.Matrix` for rows of other libraries, and for new values.
void bind_matrix(py::module_& module, py::class_<Matrix>& matrix);

/// The methods of `tridap.Matrix` and `tridap.LinearOperator` that multiply.
void bind_multiply(py::class_<Matrix>& matrix, py::class_<LinearOperator>& op);

}  // namespace tridap::python
