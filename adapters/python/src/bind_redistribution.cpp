#include "array.hpp"
#include "bindings.hpp"
#include "comm.hpp"
#include "gil.hpp"
#include "memory.hpp"
#include "together.hpp"
#include <tridap/compare.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace tridap::python {

namespace {

using namespace py::literals;
using redistribute::PlacedDistribution;
using redistribute::Redistribution;
using redistribute::Scaling;

// The source or the target of a plan, as this process sees it.
class Side {
 public:
  Side(const char* argument, const PlacedDistribution& placed, Index rank)
      : argument_(argument),
        distribution_(std::make_shared<const Distribution>(placed.distribution)),
        process_(placed.process(rank)) {}

  const std::shared_ptr<const Distribution>& distribution() const { return distribution_; }
  std::optional<Index> process() const { return process_; }  // whose part this process holds

  // This process's part, which is the argument of a call: a DistArray, or an object that asarray() takes. It becomes a
  // DistArray in `given`. Null if there is no part; then the argument must be None.
  const Array* part(py::object& given) {
    if (!process_) {
      if (!given.is_none())
        throw py::type_error(std::string(argument_) + " is a " + type_name(given) +
                             ", must be None on a process that holds no part of it");
      return nullptr;
    }
    if (given.is_none())
      throw py::type_error(std::string(argument_) + " is None, must be this process's part, number " +
                           std::to_string(*process_));
    if (array_behind(given) == nullptr) given = asarray(given, py::none(), py::none());
    const Array& array = *array_behind(given);
    if (array.is_whole()) compare_with(array);
    return &array;
  }

 private:
  static std::string type_name(py::handle object) { return Py_TYPE(object.ptr())->tp_name; }

  // Throws Error unless the array's elements are where the plan expects them.
  void compare_with(const Array& array) {
    const std::shared_ptr<const Distribution>& theirs = array.distribution();
    if (array.process() == *process_ && std::find(equal_.begin(), equal_.end(), theirs) != equal_.end()) return;
    const Comparison compared = compare(*distribution_, *theirs);
    if (!compared.same_owners || !compared.same_places)
      refuse(std::string(argument_) + " has another distribution than the plan",
             "must be distributed as " + describe(*distribution_) + "; in the plan, " + compared.difference + " in " +
                 argument_,
             "make a plan for this array");
    if (array.process() != *process_)
      refuse(std::string(argument_) + " is part " + std::to_string(array.process()) + " of the array",
             "must be part " + std::to_string(*process_), "pass the array with the communicator of the plan");
    if (equal_.size() >= most_kept) equal_.erase(equal_.begin());
    equal_.push_back(theirs);
  }

  static constexpr std::size_t most_kept = 16;

  const char* argument_;
  std::shared_ptr<const Distribution> distribution_;
  std::optional<Index> process_;
  std::vector<std::shared_ptr<const Distribution>> equal_;  // of arrays that were compared
};

// The numbers of a Python argument, such as alpha.
std::complex<double> number_of(py::handle given, const char* name) {
  const Py_complex value = PyComplex_AsCComplex(given.ptr());
  if (PyErr_Occurred() == nullptr) return {value.real, value.imag};
  throw_if_interrupted();
  PyErr_Clear();
  throw py::type_error(std::string(name) + " is " + py::cast<std::string>(py::repr(given)) + ", must be a number");
}

// What the constructor is given.
struct Wanted {
  PlacedDistribution source, target;
  py::dtype dtype;                // of the source
  std::optional<py::dtype> made;  // of the arrays that the plan makes, if it is another one
  py::object comm, target_comm;   // the second: of the arrays that the plan makes
  redistribute::Options options;
};

/// The content of a `tridap.Redistribution`.
class Planned {
 public:
  Planned(Wanted wanted, Redistribution plan)
      : dtype_(wanted.dtype),
        type_(buffer_of(py::array(wanted.dtype, std::vector<py::ssize_t>{0})).type),
        made_(std::move(wanted.made)),
        comm_(std::move(wanted.comm)),
        target_comm_(std::move(wanted.target_comm)),
        options_(std::move(wanted.options)),
        source_("x", wanted.source, rank()),
        target_("out", wanted.target, rank()),
        processes_(processes_of(comm())),
        lock_(lock_of(comm())),
        plan_(std::make_unique<Redistribution>(std::move(plan))) {
    // Every process must know which call of the plan is to be made without a target.
    makes_targets_ = !made_ && !options_.mapping.partial && wanted.target.distribution.processes() == processes_;
  }
  Planned(Planned&&) = default;
  ~Planned() {
    if (!plan_ || !awaited_) return;
    const WithoutPython released;  // the move that is in progress is waited for
    const std::lock_guard<std::mutex> alone(*lock_);
    plan_.reset();
  }

  py::object move(py::object x, py::object out, const py::object& alpha, const py::object& beta) {
    Call call = prepare(x, out, alpha, beta, !makes_targets_);
    DistArray made;
    together_or_object(call, [&] {
      if (makes_targets_ && call.out == nullptr)
        made = (*plan_)(source_of(call), call.scaling);
      else
        (*plan_)(source_of(call), target_of(call), call.scaling);
    });
    if (call.out == nullptr && makes_targets_) return over_made(std::move(made));
    return out;
  }

  // Returns the number of the move, and its target.
  py::tuple start(py::object x, py::object out, const py::object& alpha, const py::object& beta) {
    Call call = prepare(x, out, alpha, beta, true);
    std::vector<redistribute::Move> moves;
    call.faults.attempt([&] { moves.push_back({source_of(call), target_of(call)}); });
    together_or_object(call, [&] { plan_->start(std::move(moves), call.scaling); });
    awaited_ = true;
    return py::make_tuple(++started_, out);
  }

  void wait(Index number) {
    if (number != started_ || !awaited_) return;  // another move has ended it
    const WithoutPython released;
    const std::lock_guard<std::mutex> alone(*lock_);
    awaited_ = false;
    plan_->wait();
  }

  bool test(Index number) {
    if (number != started_ || !awaited_) return true;
    const WithoutPython released;
    const std::lock_guard<std::mutex> alone(*lock_);
    return plan_->test();
  }

  // `target_comm` is that of the arrays that the result makes.
  std::unique_ptr<Planned> reversed(py::object target_comm) const {
    comm();  // it may have been freed
    const auto back = [&] {
      const WithoutPython released;
      const std::lock_guard<std::mutex> alone(*lock_);
      return std::make_unique<Redistribution>(plan_->reversed());
    }();
    Wanted wanted{back->plan().source(),
                  back->plan().target(),
                  last_dtype_ ? *last_dtype_ : dtype_,
                  {},
                  comm_,
                  std::move(target_comm),
                  options_};
    wanted.options.mapping = back->plan().mapping();
    return std::make_unique<Planned>(std::move(wanted), std::move(*back));
  }

  const Redistribution& plan() const { return *plan_; }
  const py::dtype& dtype() const { return dtype_; }
  const py::object& comm_object() const { return comm_; }
  std::string explain() const { return plan_->explain(); }

  // By rank of the sender and of the receiver, the bytes that it sends. Local.
  py::array_t<Index> traffic() const {
    const redistribute::Plan& ours = plan_->plan();
    py::array_t<Index> bytes({processes_, processes_});
    auto at = bytes.mutable_unchecked<2>();
    const WithoutPython released;
    for (Index from = 0; from < processes_; ++from) {
      for (Index to = 0; to < processes_; ++to) at(from, to) = 0;
      const redistribute::Plan theirs(ours.source(), ours.target(), ours.element_bytes(), from, ours.mapping());
      for (const redistribute::Traffic& sent : theirs.sends()) at(from, sent.rank) = sent.bytes;
    }
    return bytes;
  }

  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(comm_.ptr());
    Py_VISIT(target_comm_.ptr());
    return 0;
  }
  void clear() { comm_ = target_comm_ = py::none(); }

 private:
  // The arrays of a call on this process, or why there are none.
  struct Call {
    const Array *x = nullptr, *out = nullptr;
    Scaling scaling;
    mpi::Faults faults;
    std::optional<py::error_already_set> raised;
  };

  MPI_Comm comm() const { return comm_of(comm_); }
  Index rank() const { return mpi::rank_of(comm()); }
  static Index processes_of(MPI_Comm comm) {
    int processes = 0;
    MPI_Comm_size(comm, &processes);
    return processes;
  }

  // Reads the arguments. `x` and `out` become DistArrays, or None. With `allocate`, `out` is made if it is None.
  Call prepare(py::object& x, py::object& out, const py::object& alpha, const py::object& beta, bool allocate) {
    comm();  // it may have been freed
    Call call;
    call.faults.attempt([&] {
      try {
        call.scaling = {number_of(alpha, "alpha"), number_of(beta, "beta")};
        call.x = source_.part(x);
        if (call.x != nullptr) check_type(*call.x);
        if (!out.is_none()) {
          call.out = target_.part(out);
          if (call.out != nullptr) check_target_type(*call.out);
        } else if (call.scaling.beta != 0.0 && target_.process()) {
          refuse("beta is not 0, but out is None", "must be 0, because a new array has no values to add to",
                 "pass out, or no beta");
        } else if (allocate && target_.process()) {
          out = allocated();
          call.out = array_behind(out);
        }
        if (call.out != nullptr) last_dtype_ = py::reinterpret_borrow<py::dtype>(call.out->local().attr("dtype"));
      } catch (py::error_already_set& error) {
        keep(error, call);
      }
    });
    return call;
  }

  // A ProtocolError is passed on as it is; any other exception becomes the cause of one.
  [[noreturn]] static void keep(py::error_already_set& error, Call& call) {
    const py::object report = py::getattr(error.value(), "report", py::none());
    if (py::isinstance<Checked>(report)) throw Error(py::cast<const Checked&>(report).report);
    call.raised.emplace(error);
    throw std::runtime_error(one_line(error));
  }

  // Runs a moving call, or takes part in that of the other processes without arrays. It allocates nothing before.
  template <class Step>
  void together_or_object(Call& call, Step&& step) {
    try {
      const WithoutPython released;
      const std::lock_guard<std::mutex> alone(*lock_);
      if (!call.faults.ok()) plan_->object(std::move(call.faults));
      std::forward<Step>(step)();
    } catch (const Error& error) {
      throw_if_wrong(error.report(), call.raised);
    }
  }

  static const DistArray& source_of(const Call& call) { return call.x == nullptr ? no_part() : call.x->array(); }
  static const DistArray& target_of(const Call& call) { return call.out == nullptr ? no_part() : call.out->array(); }
  static const DistArray& no_part() {
    static const DistArray none;
    return none;
  }

  void check_type(const Array& x) const {
    const ElementType& type = x.array().buffer.type;
    if (type != type_)
      refuse("x's elements are " + type.text(), "must be " + type_.text() + ", as in the plan",
             "make a plan with the dtype of x");
  }
  void check_target_type(const Array& out) const {
    const ElementType& type = out.array().buffer.type;
    if (type != type_ && !options_.convert)
      refuse("out's elements are " + type.text() + ", but x's are " + type_.text(), "must be the same type",
             "make a plan with convert=True, or pass an out of x's dtype");
  }

  py::object allocated() const {
    const char* const order = options_.order == Order::row_major ? "C" : "F";
    const py::array local = py::module_::import("numpy").attr("zeros")(
        tuple_of(target_.distribution()->local_shape(*target_.process())), made_ ? *made_ : dtype_, order);
    return py::cast(over(local, target_.distribution(), *target_.process(), target_comm_));
  }

  // The array that the plan has made. Communication padding that the plan does not fill becomes zero.
  py::object over_made(DistArray made) {
    alignas(64) static std::byte nowhere{};
    Buffer& buffer = made.buffer;
    buffer.type = type_;  // if no process has an element, the plan knows only the length of one
    py::array local(dtype_, std::vector<py::ssize_t>(buffer.shape.begin(), buffer.shape.end()),
                    std::vector<py::ssize_t>(buffer.strides.begin(), buffer.strides.end()),
                    buffer.data != nullptr ? buffer.data : &nowhere, as_base(buffer.owner));
    if (!options_.mapping.fill_padding) clear_padding(local);
    last_dtype_ = dtype_;
    return py::cast(Array(std::move(made), std::move(local), target_comm_, target_.distribution()));
  }

  void clear_padding(const py::array& local) const {
    const std::vector<Range> owned = target_.distribution()->part(*target_.process(), Part::owned);
    py::object zero;
    for (std::size_t axis = 0; axis < owned.size(); ++axis) {
      const Index extent = local.shape(static_cast<py::ssize_t>(axis));
      for (const Range& range : {Range{0, owned[axis].begin}, Range{owned[axis].end, extent}}) {
        if (range.size() <= 0) continue;
        if (!zero) zero = py::module_::import("numpy").attr("zeros")(py::tuple(), local.dtype());
        py::tuple at(axis + 1);
        for (std::size_t before = 0; before < axis; ++before)
          at[before] = py::slice(std::nullopt, std::nullopt, std::nullopt);
        at[axis] = py::slice(range.begin, range.end, 1);
        local[at] = zero;
      }
    }
  }

  py::dtype dtype_;
  ElementType type_;
  std::optional<py::dtype> made_, last_dtype_;  // the second: of the last target
  py::object comm_, target_comm_;
  redistribute::Options options_;
  Side source_, target_;
  Index processes_;
  std::shared_ptr<std::mutex> lock_;
  std::unique_ptr<Redistribution> plan_;
  bool makes_targets_ = false;  // a call without `out` lets the plan make the target
  Index started_ = 0;           // the number of the last move that was started
  bool awaited_ = false;        // and it was not waited for
};

std::unique_ptr<Planned> make_plan(const Distribution& source, std::vector<Index> source_ranks,
                                   const Distribution& target, std::vector<Index> target_ranks, py::dtype dtype,
                                   std::optional<py::dtype> made, py::object comm, py::object target_comm,
                                   std::vector<Index> axes, bool column_major, bool convert, bool fill_padding,
                                   bool partial) {
  Wanted wanted{{source, std::move(source_ranks)},
                {target, std::move(target_ranks)},
                std::move(dtype),
                std::move(made),
                std::move(comm),
                std::move(target_comm),
                {}};
  wanted.options.mapping.axes = std::move(axes);
  wanted.options.mapping.fill_padding = fill_padding;
  wanted.options.mapping.partial = partial;
  wanted.options.convert = convert;
  wanted.options.order = column_major ? Order::column_major : Order::row_major;
  const MPI_Comm handle = comm_of(wanted.comm);
  const auto bytes = static_cast<Index>(wanted.dtype.itemsize());
  Redistribution plan = [&] {
    const std::shared_ptr<std::mutex> lock = lock_of(handle);
    const WithoutPython released;
    const std::lock_guard<std::mutex> alone(*lock);
    return Redistribution(wanted.source, wanted.target, bytes, handle, wanted.options);
  }();
  return std::make_unique<Planned>(std::move(wanted), std::move(plan));
}

Planned& planned(const py::object& self) {
  if (!py::isinstance<Planned>(self))
    throw py::type_error(std::string("a ") + Py_TYPE(self.ptr())->tp_name + " is not a tridap.Redistribution");
  need_value(self.ptr(), typeid(Planned));
  return py::cast<Planned&>(self);
}

const redistribute::Plan& plan_in(const py::object& self) { return planned(self).plan().plan(); }

}  // namespace

void bind_redistribution(py::module_& module) {
  py::class_<Planned>(module, "_Redistribution", py::custom_type_setup(let_collect<Planned>))
      .def(py::init(&make_plan), "source"_a, "source_ranks"_a, "target"_a, "target_ranks"_a, "dtype"_a, "made"_a,
           "comm"_a, "target_comm"_a, "axes"_a, "column_major"_a, "convert"_a, "fill_padding"_a, "partial"_a)
      .def(py::init([](const py::object& forward, py::object target_comm) {
             return planned(forward).reversed(std::move(target_comm));
           }),
           "forward"_a, "target_comm"_a)
      .def(
          "__call__",
          [](const py::object& p, py::object x, py::object out, const py::object& alpha, const py::object& beta) {
            return planned(p).move(std::move(x), std::move(out), alpha, beta);
          },
          "x"_a, "out"_a = py::none(), py::kw_only(), "alpha"_a = 1, "beta"_a = 0,
          R"(__call__(x, out=None, *, alpha=1, beta=0) -> DistArray or None

Moves the elements of `x`: ``out = alpha * x + beta * out``. Collective.

Args:
    x: this process's part of the source: a DistArray, or any object with __distarray__. None on a process that holds no
        part.
    out: the array that is filled, which must not share memory with `x`; None: a new array, on every process. It is fast
        if the plan has made it, or `x`.
    alpha, beta: numbers, the same on every process. If beta is 0, `out` is not read.

Returns:
    The new array, or `out`; None on a process that holds no part.

Raises:
    ProtocolError: on every process, before `out` is written.)")
      .def("_start", [](const py::object& p, py::object x, py::object out, const py::object& alpha,
                        const py::object& beta) { return planned(p).start(std::move(x), std::move(out), alpha, beta); })
      .def("_wait", [](const py::object& p, Index number) { planned(p).wait(number); })
      .def("_test", [](const py::object& p, Index number) { return planned(p).test(number); })
      .def_property_readonly(
          "source", [](const py::object& p) { return plan_in(p).source().distribution; },
          "The Distribution of the arrays to move.")
      .def_property_readonly(
          "target", [](const py::object& p) { return plan_in(p).target().distribution; },
          "The Distribution to which they move.")
      .def_property_readonly(
          "dtype", [](const py::object& p) { return planned(p).dtype(); }, "The type of the elements to move, NumPy's.")
      .def_property_readonly(
          "comm", [](const py::object& p) { return planned(p).comm_object(); },
          "The mpi4py communicator of the processes of both sides.")
      .def_property_readonly(
          "bytes_sent", [](const py::object& p) { return plan_in(p).bytes_sent(); },
          "Bytes that this process sends to others.")
      .def_property_readonly(
          "bytes_received", [](const py::object& p) { return plan_in(p).bytes_received(); },
          "Bytes that this process receives from others.")
      .def_property_readonly(
          "bytes_kept", [](const py::object& p) { return plan_in(p).bytes_kept(); }, "Bytes that stay on this process.")
      .def(
          "explain", [](const py::object& p) { return planned(p).explain(); },
          R"(explain() -> str

A text for people: the bytes that each process sends to each other one, and the fewest that must be sent for any placement
of the target's parts.)")
      .def(
          "traffic", [](const py::object& p) { return planned(p).traffic(); },
          R"(traffic() -> numpy.ndarray

The bytes that process i sends to process j, as element [i, j] (int64); the diagonal is what stays. It is computed on this
process, without communication.)");
}

}  // namespace tridap::python
