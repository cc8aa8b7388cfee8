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
#include <tridap/internal/spread_lists.hpp>
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
#include <vector>

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

/// How the rows of a matrix or an operator are numbered: process after process, because no user sees the ids
/// of their map. But if the lists of an axis stay on their processes, a process does not know such numbers of others.
inline tpetra::ArrayMapOptions numbering_of(const Array& rows) {
  tpetra::ArrayMapOptions options;
  if (!has_directory(*rows.distribution())) options.numbering = tpetra::Numbering::by_process;
  return options;
}

/// Whether this process is the only one of an operator.
inline bool is_alone(const Solvable& a) { return a.array_map.map()->getComm()->getSize() == 1; }

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
/// Throws Error, which names the copy on the host, if the elements are in memory of a device, and this Trilinos has
/// none. Local.
void need_usable_memory(const Array& array, const std::string& name);

/// Raises an argument that is an exception: Python raised it while computing the argument on this process.
void raise_if_raised(py::handle argument);

void need_callable(py::handle object, const std::string& name);

inline solvers::SolverArray solver_array(const Array& array, const std::string& name, bool writable) {
  return {array.host_array(), *array.distribution(), name, writable};
}

/// The arrays of a call of a Matrix or a LinearOperator: it computes the vectors of `to` from those of `from`.
struct Operands {
  py::object from, to;  ///< any objects; `to` is None if `like(from)` makes it
  py::object like;      ///< a function, which does not communicate
};

/// The beginning of such a call: one record, which says whether every process has all that it needs. Then the call
/// continues without another message. Otherwise it agrees on each step apart, so that an error names what is wrong, and
/// on which process.
///
/// Example, for `A @ x`:
///
///     Beginning begun(a, mpi::Library::trilinos, {"x", "y"}, [&] { return Operands{x, py::none(), like}; },
///                     [&](const Array& from, const Array& to) { return Copy::if_needed; }, kind);
///     const auto [from, to] = begun.join();  // inside of Trilinos
class Beginning {
 public:
  using Names = std::array<const char*, 2>;  ///< of `from` and `to`, for messages
  using Read = std::function<Operands()>;
  using Check = std::function<Copy(const Array& from, const Array& to)>;

  /// `read` returns the operands, and `check` reads the other arguments, and returns whether elements may be copied.
  /// Both use Python and do not communicate. `add` adds up to 5 numbers of this process to the record after them; all
  /// processes add equally many. **Collective.**
  Beginning(const Handle& a, mpi::Libraries libraries, Names names, const Read& read, const Check& check,
            std::function<void(mpi::Record&)> add);
  ~Beginning();
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;

  const py::object& target() const { return operands_.to; }
  const Array& to() const { return *to_; }
  bool is_same(std::size_t i) const { return same_[i]; }  ///< of the numbers that `add` added last
  bool any(std::size_t i) const { return any_[i]; }       ///< whether one is not 0
  /// The vectors of `from` and `to`. To be called once, inside of Trilinos. **Collective.**
  std::array<solvers::Vectors, 2> join();

 private:
  static constexpr std::size_t own_numbers = 2, most_added = 5, numbers_of_together = 3;
  void complete(const Check& check);
  py::object new_target() const;
  void prepare();
  void agree(const Handle& a, const Check& check);
  void release();
  void compare(const mpi::Call& call, std::size_t first);

  Solvable& of_;
  Names names_;
  std::function<void(mpi::Record&)> add_;
  Operands operands_;
  const Array *from_ = nullptr, *to_ = nullptr;
  Copy copy_ = Copy::never;
  std::optional<solvers::LocalVectors> local_from_, local_to_;
  std::exception_ptr failed_;  // what `read` or `check` threw
  std::array<bool, most_added> same_{}, any_{};
  std::optional<mpi::Call> call_;
};

/// Raises on every process if any process raised, or has an error. A process raises its own exception if it has one,
/// and otherwise the exception of the lowest rank that has one. **Collective**: one reduction if there is none.
void raise_together(MPI_Comm comm, std::optional<py::error_already_set> own, const std::optional<Error>& error = {});

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

inline py::array_t<double> numpy_of(const std::vector<double>& values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

/// Runs a step inside of Trilinos, without the GIL. Then it raises on every process what a function of Python raised
/// on any process, of the operators that are not null, or the Error of the step. `asks`: whether the step calls Python;
/// it may then fail on one process alone. `written` is null, or the array to which the step writes. **Collective.**
void run_inside(MPI_Comm comm, std::initializer_list<const Solvable*> operators, bool asks, const Array* written,
                const std::function<void()>& step);

/// `A._eigsh(...)` of Python; `start` is null if there is no start vector, on all processes alike. `asked` has the
/// other arguments by their names, unchecked. **Collective.**
py::dict eigsh_in_place(const Handle& handle, const Array& x, const Array* start, const py::dict& asked);

/// A distribution with one more axis, the last one, which is not distributed.
Distribution with_vectors(const Distribution& rows, Index count);

/// `A._solve(read)` of Python: `read()` returns the request, a dict of the arguments of `solve`, unchecked, and may
/// raise on any process. **Collective.**
py::dict solve_in_place(const Handle& handle, const py::object& read);

/// The methods of `tridap.Matrix` for rows of other libraries, and for new values.
void bind_matrix(py::module_& module, py::class_<Matrix>& matrix);

/// The methods of `tridap.Matrix` and `tridap.LinearOperator` that multiply.
void bind_multiply(py::class_<Matrix>& matrix, py::class_<LinearOperator>& op);

}  // namespace tridap::python
