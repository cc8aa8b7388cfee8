#include "solvable.hpp"

#include "device.hpp"
#include "gil.hpp"
#include "together.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/driver.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/tpetra/node_memory.hpp>

#include <limits>
#include <utility>

namespace tridap::python {

namespace {

constexpr std::size_t longest_pickle = 1 << 20;  // bytes of an exception that other processes raise too

}  // namespace

void need_usable_memory(const Array& array, const std::string& name) {
  using Space = solvers::MultiVector::dual_view_type::t_dev::memory_space;
  const Memory& memory = array.array().buffer.memory;
  if (!is_on_device(memory) || !tridap::tpetra::detail::over_host<Space>) return;
  refuse("the elements of " + name + " are in the memory of " + device_name(memory),
         "must be in memory of the host, because this Trilinos has no device",
         name + ".to(\"cpu\") is a copy on the host");
}

void need_float64(const Array& array, const std::string& name) {
  need_usable_memory(array, name);
  if (const std::string type = array.array().buffer.type.name(); type != "float64")
    refuse("the elements of " + name + " are " + type, "must be float64",
           array.array().buffer.type.kind == ElementType::Kind::complex
               ? "solve for the real and the imaginary part, " + name + ".real and " + name + ".imag"
               : "convert them: " + name + " = " + name + ".astype(float)");
}

void raise_if_raised(py::handle argument) {
  if (PyExceptionInstance_Check(argument.ptr()) == 0) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(argument.ptr())), argument.ptr());
  throw py::error_already_set();
}

void need_callable(py::handle object, const std::string& name) {
  if (PyCallable_Check(object.ptr()) == 0) refuse_key(name, text_of(object), "must be a function", "");
}

std::shared_ptr<Solvable> solvable_in(const py::object& object) {
  if (py::isinstance<Matrix>(object)) return value_in<Matrix>(object).solvable();
  if (py::isinstance<LinearOperator>(object)) return value_in<LinearOperator>(object).solvable();
  if (py::isinstance<Preconditioner>(object)) return value_in<Preconditioner>(object).solvable();
  return nullptr;
}

// Calls Python once in each iteration: for signals, the callback, and the progress line.
solvers::Watch watch_of(const std::shared_ptr<Raised>& raised, py::handle callback, py::handle progress) {
  return [raised, callback, progress](int iteration, double residual) {
    const WithPython gil;
    const mpi::Callback outside;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!callback.is_none() && iteration > 0) callback(iteration, residual);
      if (!progress.is_none()) progress(iteration, residual);
    } catch (py::error_already_set& error) {
      raised->keep(error);
    }
    return raised->any();
  };
}

Beginning::Beginning(const Handle& a, mpi::Libraries libraries, Names names, const Read& read, const Check& check,
                     std::function<void(mpi::Record&)> add)
    : of_(*a.usable()), names_(names), add_(std::move(add)) {
  const MPI_Comm comm = of_.array_map.comm();
  Digest layouts;
  const auto is_plain = [&](py::handle object) {
    const Array* const array = array_behind(object);
    return array != nullptr && array->is_whole() && array->comm().is(a.comm()) &&
           succeeds([&] { layouts.add(array->layout()); });
  };
  bool ready = false;
  try {
    operands_ = read();
    ready = is_plain(operands_.from) && is_plain(operands_.to.is_none() ? operands_.from : operands_.to);
    if (ready) complete(check);
  } catch (const std::exception&) {  // and not what unwinds a thread when Python ends
    failed_ = std::current_exception();
    ready = false;
  }
  {
    const WithoutPython released;
    on_all(comm, [&] {
      call_.emplace(comm, Native::fallback, libraries, [&](mpi::Record& record) {
        ready = ready && succeeds([&] { prepare(); });  // if not, the other way finds out why
        record.add(ready ? 1 : 0);
        record.add(layouts.value());
        add_(record);
      });
      compare(*call_, own_numbers);
    });
  }
  if (call_->smallest(0) == 1 && call_->is_same(1)) return;
  try {
    agree(a, check);
  } catch (...) {
    release();
    throw;
  }
}

void Beginning::complete(const Check& check) {
  if (operands_.to.is_none()) operands_.to = new_target();
  from_ = array_behind(operands_.from);
  to_ = array_behind(operands_.to);
  copy_ = check(*from_, *to_);
}

py::object Beginning::new_target() const {
  const Array* const from = array_behind(operands_.from);
  if (from == nullptr || !is_on_device(from->array().buffer.memory)) return operands_.like(operands_.from);
  need_usable_memory(*from, names_[0]);
  Buffer made = from->array().buffer;
  made.strides = row_major_strides(made.shape, made.type.bytes);
  made.owner = driver::allocate(made.memory, element_count(made) * made.type.bytes, true);
  made.data = made.owner.get();
  return py::cast(from->over_copy(part_of(made), {}));
}

void Beginning::prepare() {
  local_from_.emplace(solver_array(*from_, names_[0], false), of_.array_map, copy_, &of_.copies);
  local_to_.emplace(solver_array(*to_, names_[1], true), of_.array_map, copy_, &of_.copies);
}

void Beginning::agree(const Handle& a, const Check& check) {
  const MPI_Comm comm = of_.array_map.comm();
  together(comm, [&] {
    if (failed_) std::rethrow_exception(failed_);
    return true;
  });
  operands_.from = asarray(operands_.from, a.comm(), py::none());
  together(comm, [&] {
    if (operands_.to.is_none()) operands_.to = new_target();
    return true;
  });
  operands_.to = asarray(operands_.to, a.comm(), py::none());
  struct Compared {
    Beginning& of;
    void bring(mpi::Record& record) const { of.add_(record); }
    void take(const mpi::Call& call) const { of.compare(call, numbers_of_together); }
  };
  const auto step = [&] {
    complete(check);
    return true;
  };
  together(comm, step, nullptr, Compared{*this});
  const WithoutPython released;
  on_all(comm, [&] { mpi::collectively(comm, [&] { prepare(); }); });
}

void Beginning::compare(const mpi::Call& call, std::size_t first) {
  for (std::size_t i = 0; i < most_added; ++i) {
    same_[i] = call.is_same(first + i);
    any_[i] = call.largest(first + i) != 0;
  }
}

std::array<solvers::Vectors, 2> Beginning::join() { return {local_from_->join(), local_to_->join()}; }

Beginning::~Beginning() { release(); }

void Beginning::release() {
  const WithoutPython released;
  local_from_.reset();
  local_to_.reset();
  call_.reset();
}

void raise_together(MPI_Comm comm, std::optional<py::error_already_set> own, const std::optional<Error>& error) {
  constexpr Index none = std::numeric_limits<Index>::max();
  const Index rank = mpi::rank_of(comm);
  std::string bytes;
  Index from = 0;
  bool any_error = false;
  if (own) {
    try {
      bytes = py::cast<std::string>(py::bytes(py::module_::import("pickle").attr("dumps")(own->value())));
    } catch (py::error_already_set&) {  // its text is raised instead
    }
  }
  if (bytes.size() > longest_pickle) bytes.clear();
  std::string text = own ? "process " + std::to_string(rank) + " raised " + one_line(*own) : "";
  {
    const WithoutPython released;
    const auto spread = mpi::min_max({own ? rank : none, error ? 1 : 0}, comm);
    from = spread[0].smallest;
    any_error = spread[1].largest != 0;
    if (from != none) {
      mpi::broadcast(bytes, static_cast<int>(from), comm);
      mpi::broadcast(text, static_cast<int>(from), comm);
    }
  }
  if (own) throw std::move(*own);
  if (from == none) {
    if (any_error)
      together(comm, [&] {
        if (error) throw Error(*error);
        return true;
      });
    return;
  }
  py::object raised;
  try {
    if (!bytes.empty()) raised = py::module_::import("pickle").attr("loads")(py::bytes(bytes));
  } catch (py::error_already_set&) {  // its text is raised instead
  }
  if (!raised || PyExceptionInstance_Check(raised.ptr()) == 0)
    raised = py::reinterpret_borrow<py::object>(PyExc_RuntimeError)(text);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
  throw py::error_already_set();
}

void run_inside(MPI_Comm comm, std::initializer_list<const Solvable*> operators, bool asks, const Array* written,
                const std::function<void()>& step) {
  std::optional<Error> error;
  std::optional<py::error_already_set> raised;
  {
    const WithoutPython released;
    std::optional<mpi::Call> call;
    on_all(comm, [&] { call.emplace(comm, Native::fallback, mpi::Library::trilinos); });
    try {
      call->run(step);
    } catch (const Error& wrong) {
      error = wrong;
    } catch (const std::exception& wrong) {  // what Python raised is still taken below
      error = Error(Finding{Rule::process_failure, {}, {}, "", wrong.what(), "", ""});
    }
    const WithPython gil;  // while no other thread can be inside of Trilinos
    for (const Solvable* const op : operators)
      if (op != nullptr && !raised) raised = op->raised->take();
  }
  if (written != nullptr) written->changed();
  if (asks)
    raise_together(comm, std::move(raised), error);
  else if (error)
    on_all(comm, [&] { throw Error(*error); });
}

}  // namespace tridap::python
