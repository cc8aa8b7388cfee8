#include "planned.hpp"

#include "bindings.hpp"
#include "comm.hpp"
#include "device.hpp"
#include "gil.hpp"
#include "memory.hpp"
#include "text_argument.hpp"
#include "together.hpp"
#include <tridap/compare.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/device_moves.hpp>
#include <tridap/internal/different_calls.hpp>
#include <tridap/internal/driver.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/memory_order.hpp>

#include <algorithm>
#include <utility>

namespace tridap::python {

using redistribute::Redistribution;

namespace {

constexpr std::size_t most_compared = 16;  // distributions that a Side keeps

std::string kind_name(py::handle object) { return Py_TYPE(object.ptr())->tp_name; }

// The numbers of a Python argument, such as alpha.
std::complex<double> factor_of(py::handle given, const char* name) {
  const Py_complex value = PyComplex_AsCComplex(given.ptr());
  if (PyErr_Occurred() == nullptr) return {value.real, value.imag};
  throw_if_interrupted();
  PyErr_Clear();
  throw py::type_error(std::string(name) + " is " + utf8_text(py::repr(given)) + ", must be a number");
}

const DistArray& part_or_none(const Array* array) {
  static const DistArray none;
  return array == nullptr ? none : array->array();
}

}  // namespace

Side::Side(const char* argument, const redistribute::PlacedDistribution& placed, Index rank)
    : argument_(argument),
      distribution_(std::make_shared<const Distribution>(placed.distribution())),
      process_(placed.process(rank)) {}

const Array* Side::part(py::object& given) {
  if (!process_) {
    if (!given.is_none() && !py::hasattr(given, "_holds_nothing"))
      throw py::type_error(std::string(argument_) + " is a " + kind_name(given) +
                           ", must be None on a process that holds no part of it");
    return nullptr;
  }
  if (given.is_none())
    throw py::type_error(std::string(argument_) + " is None, must be this process's part, number " +
                         std::to_string(*process_));
  if (array_behind(given) == nullptr) given = asarray(given, py::none(), py::none());
  const Array& array = *array_behind(given);
  array.movable();
  if (array.is_whole()) compare_with(array);
  return &array;
}

// Throws Error unless the array's elements are where the plan expects them.
void Side::compare_with(const Array& array) {
  const std::shared_ptr<const Distribution>& theirs = array.distribution();
  if (array.process() == *process_ && std::find(equal_.begin(), equal_.end(), theirs) != equal_.end()) return;
  const Comparison compared = compare(*distribution_, *theirs);
  if (!compared.same_owners || !compared.same_places)
    refuse(std::string(argument_) + " has another distribution than the plan",
           "must be distributed as " + describe(*distribution_) + "; in the plan, " + compared.difference + " in " +
               argument_,
           std::string("make a plan for this array, or pass ") +
               (argument_ == std::string("x") ? "x.redistribute(plan.source)"
                                              : "tridap.zeros(plan.target, out.dtype, comm=plan.comm)"));
  if (array.process() != *process_)
    refuse(std::string(argument_) + " is part " + std::to_string(array.process()) + " of the array",
           "must be part " + std::to_string(*process_), "pass the array with the communicator of the plan");
  if (equal_.size() >= most_compared) equal_.erase(equal_.begin());
  equal_.push_back(theirs);
}

// The arrays of a call on this process, or why there are none.
struct Planned::Call {
  const Array *x = nullptr, *out = nullptr;
  redistribute::Scaling scaling;
  DeviceStream stream;
  mpi::Faults faults;
  std::optional<py::error_already_set> raised;
  bool on_host = false, on_device = false;  // of the elements of sources

  const DistArray& source() const { return part_or_none(x); }
  const DistArray& target() const { return part_or_none(out); }
};

Planned::Planned(Wanted wanted, Redistribution plan)
    : dtype_(wanted.dtype),
      type_(buffer_of(py::array(wanted.dtype, std::vector<py::ssize_t>{0})).type),
      made_(std::move(wanted.made)),
      comm_(std::move(wanted.comm)),
      target_comm_(std::move(wanted.target_comm)),
      options_(std::move(wanted.options)),
      source_("x", wanted.source, mpi::rank_of(comm_.handle())),
      target_("out", wanted.target, mpi::rank_of(comm_.handle())),
      processes_(mpi::processes_of(comm_.handle())),
      lock_(lock_of(comm_.handle())),
      plan_(std::make_unique<Redistribution>(std::move(plan))),
      listed_(wanted.listed) {
  // Every process must know which call of the plan is to be made without a target.
  makes_targets_ = !made_ && !options_.mapping.partial && wanted.target.distribution().processes() == processes_;
  if (wanted.source.distribution().processes() == processes_) return;
  for (Index process = 0; process < wanted.target.distribution().processes(); ++process)
    if (!wanted.source.process(wanted.target.rank(process))) lacks_sources_ = true;
}

Planned::~Planned() {
  if (!plan_ || !awaited_) return;
  const WithoutPython released;
  const std::lock_guard<std::mutex> alone(*lock_);
  plan_.reset();
}

// Keeps what a step throws, or Python raises, for the agreement with the other processes.
template <class Step>
void Planned::attempt(Call& call, Step&& step) const {
  call.faults.attempt([&] {
    try {
      step();
    } catch (py::error_already_set& error) {
      throw_report(error);
      call.raised.emplace(error);
      throw std::runtime_error(one_line(error));
    }
  });
}

// Runs a moving call, or takes part in that of the other processes without arrays. It allocates nothing before.
template <class Step>
void Planned::together_or_object(Call& call, Step&& step) {
  collectively(call, [&] {
    if (!call.faults.ok()) plan_->object(std::move(call.faults));
    std::forward<Step>(step)();
  });
}

// Whether the sources of all processes are on devices. One reduction, unless each process with a target has a source.
bool Planned::all_on_devices(Call& call) {
  bool all = false;
  if (!lacks_sources_) return all;
  const MPI_Comm comm = comm_.handle();
  collectively(call, [&] {
    const Begun begun(comm, [&](mpi::Record& record) {
      record.add(call.on_host ? 1 : 0);
      record.add(call.on_device ? 1 : 0);
    });
    all = begun.call().largest(0) == 0 && begun.call().largest(1) == 1;
  });
  return all;
}

// Runs what throws the same Error on all processes, without the GIL.
template <class Step>
void Planned::collectively(Call& call, Step&& step) {
  try {
    const WithoutPython released;
    const std::lock_guard<std::mutex> alone(*lock_);
    std::forward<Step>(step)();
  } catch (const mpi::DifferentCalls& error) {  // the others are in another call, and agree on nothing here
    throw_if_wrong(error.report(), call.raised, raised_on_all(comm_of(comm_.object())));
  } catch (const Error& error) {
    const MPI_Comm comm = comm_of(comm_.object());
    const ErrorKind kind = error_kind_of(call.raised);
    const Raising how = [&] {
      const WithoutPython released;
      return agree_kind(call.raised.has_value(), kind, comm);
    }();
    throw_if_wrong(error.report(), call.raised, how);
  }
}

py::object Planned::move(py::object x, py::object out, const py::object& alpha, const py::object& beta,
                         const py::object& stream) {
  const UserCall user_call("plan()");
  Call call = prepare(x, out, alpha, beta, stream, !makes_targets_);
  DistArray made;
  together_or_object(call, [&] {
    if (makes_targets_ && call.out == nullptr)
      made = (*plan_)(call.source(), call.scaling);
    else
      (*plan_)(call.source(), call.target(), call.scaling);
  });
  if (call.out != nullptr) call.out->changed();
  if (call.out == nullptr && makes_targets_) return over_made(std::move(made));
  return out;
}

py::list Planned::move_all(const py::list& pairs, const py::object& out, const py::object& alpha,
                           const py::object& beta, const py::object& stream) {
  need_mpi();
  const UserCall user_call(lacks_sources_ ? "plan([...])" : "plan()");  // which begin in different ways
  Call call;
  py::list targets;
  std::vector<std::pair<py::object, py::object>> given;  // which hold what `moves` point at
  std::vector<redistribute::Move> moves;
  attempt(call, [&] {
    if (!out.is_none()) throw py::type_error("out is given beside a list of pairs (x, out), must be None");
    call.scaling = {factor_of(alpha, "alpha"), factor_of(beta, "beta")};
    call.stream = device_stream(stream);
    for (const py::handle pair : pairs) {
      if ((!py::isinstance<py::tuple>(pair) && !py::isinstance<py::list>(pair)) || py::len(pair) != 2)
        throw py::type_error("entry " + std::to_string(given.size()) + " of the list is a " + kind_name(pair) +
                             ", must be a pair (x, out)");
      const auto two = py::reinterpret_borrow<py::sequence>(pair);
      py::object x = two[0], target = two[1];
      read(call, x, target);
      given.emplace_back(x, target);
    }
  });
  const bool on_devices = all_on_devices(call);
  attempt(call, [&] {
    if (!call.faults.ok()) return;
    for (auto& [x, target] : given) {
      call.x = array_behind(x);
      provide(call, target, on_devices);
      moves.push_back({call.source(), call.target()});
      targets.append(target);
    }
  });
  together_or_object(call, [&] { (*plan_)(moves, call.scaling); });
  for (const py::handle target : targets)
    if (const Array* const array = array_behind(target)) array->changed();
  return targets;
}

py::tuple Planned::start(py::object x, py::object out, const py::object& alpha, const py::object& beta,
                         const py::object& stream) {
  const UserCall user_call("plan.start()");
  Call call = prepare(x, out, alpha, beta, stream, true);
  std::vector<redistribute::Move> moves;
  call.faults.attempt([&] { moves.push_back({call.source(), call.target()}); });
  together_or_object(call, [&] { plan_->start(std::move(moves), call.scaling); });
  if (call.out != nullptr) call.out->changed();  // it must not be read before the end of the move
  awaited_ = true;
  return py::make_tuple(++started_, out);
}

void Planned::wait(Index number) {
  if (number != started_ || !awaited_) return;  // another move has ended it
  const WithoutPython released;
  const std::lock_guard<std::mutex> alone(*lock_);
  awaited_ = false;
  plan_->wait();
}

bool Planned::test(Index number) {
  if (number != started_ || !awaited_) return true;
  const WithoutPython released;
  const std::lock_guard<std::mutex> alone(*lock_);
  return plan_->test();
}

std::unique_ptr<Planned> Planned::reversed(py::object target_comm) const {
  need_mpi();
  const auto back = [&] {
    const WithoutPython released;
    const std::lock_guard<std::mutex> alone(*lock_);
    return std::make_unique<Redistribution>(plan_->reversed());
  }();
  Wanted wanted{back->plan().source(),
                back->plan().target(),
                last_dtype_ ? *last_dtype_ : dtype_,
                {},
                comm_.object(),
                std::move(target_comm),
                options_};
  wanted.options.mapping = back->plan().mapping();
  wanted.listed = listed_;
  return std::make_unique<Planned>(std::move(wanted), std::move(*back));
}

py::array_t<Index> Planned::traffic() const {
  if (listed_)
    throw py::value_error(
        "the plan is of listed ids, of which each process knows its own alone: use bytes_sent, "
        "bytes_received and bytes_kept of each process");
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

int Planned::traverse(visitproc visit, void* arg) const {
  const int seen = comm_.traverse(visit, arg);
  return seen != 0 ? seen : target_comm_.traverse(visit, arg);
}

void Planned::clear() {
  comm_.clear();
  target_comm_.clear();
}

// Reads the arguments. `x` and `out` become DistArrays, or None. With `allocate`, `out` is made if it is None.
Planned::Call Planned::prepare(py::object& x, py::object& out, const py::object& alpha, const py::object& beta,
                               const py::object& stream, bool allocate) {
  need_mpi();
  Call call;
  attempt(call, [&] {
    call.scaling = {factor_of(alpha, "alpha"), factor_of(beta, "beta")};
    call.stream = device_stream(stream);
    read(call, x, out);
  });
  if (!allocate) return call;
  const bool on_devices = all_on_devices(call);
  attempt(call, [&] {
    if (call.faults.ok()) provide(call, out, on_devices);
  });
  return call;
}

void Planned::read(Call& call, py::object& x, py::object& out) {
  call.x = source_.part(x);
  call.out = nullptr;
  if (call.x != nullptr) check_type(*call.x);
  if (call.x != nullptr && element_count(call.x->array().buffer) > 0)
    (is_on_device(call.x->array().buffer.memory) ? call.on_device : call.on_host) = true;
  if (!out.is_none()) {
    call.out = target_.part(out);
    if (call.out != nullptr) check_target_type(*call.out);
  } else if (call.scaling.beta != 0.0 && target_.process()) {
    refuse("beta is not 0, but out is None", "must be 0, because a new array has no values to add to",
           "pass out, or no beta");
  }
  for (const Array* const array : {call.x, call.out})
    if (array != nullptr && is_on_device(array->array().buffer.memory))
      driver::order_ours_after(array->array().buffer.memory, call.stream);
  if (call.out != nullptr) last_dtype_ = py::reinterpret_borrow<py::dtype>(call.out->dtype());
}

// Makes the target that was not given. `on_devices`: the sources of all processes are.
void Planned::provide(Call& call, py::object& out, bool on_devices) {
  if (out.is_none() && target_.process()) {
    std::optional<Memory> device;
    if (call.x != nullptr && is_on_device(call.x->array().buffer.memory))
      device = call.x->array().buffer.memory;
    else if (on_devices)
      device = redistribute::device_engine()->current();
    out = allocated(device);
  }
  call.out = array_behind(out);
  if (call.out != nullptr) last_dtype_ = py::reinterpret_borrow<py::dtype>(call.out->dtype());
}

void Planned::check_type(const Array& x) const {
  const ElementType& type = x.array().buffer.type;
  if (type != type_)
    refuse("x's elements are " + type.text(), "must be " + type_.text() + ", as in the plan",
           "make the plan with dtype=x.dtype");
}

void Planned::check_target_type(const Array& out) const {
  const ElementType& type = out.array().buffer.type;
  if (type != type_ && !options_.convert)
    refuse("out's elements are " + type.text() + ", but x's are " + type_.text(), "must be the same type",
           "pass convert=True to redistribute, or to the call that makes the plan; or pass an out of x's dtype");
}

// A new target, on a device or on the host.
py::object Planned::allocated(const std::optional<Memory>& device) const {
  if (device) {
    const ElementType type = made_ ? buffer_of(py::array(*made_, std::vector<py::ssize_t>{0})).type : type_;
    DistArray made;
    made.dim_data = target_.distribution()->dim_data(*target_.process());
    made.buffer.type = type;
    made.buffer.shape = target_.distribution()->local_shape(*target_.process());
    made.buffer.strides = options_.order == Order::row_major ? row_major_strides(made.buffer.shape, type.bytes)
                                                             : column_major_strides(made.buffer.shape, type.bytes);
    made.buffer.memory = *device;
    made.buffer.owner = driver::allocate(made.buffer.memory, element_count(made.buffer) * type.bytes, true);
    made.buffer.data = made.buffer.owner.get();
    return over_device(std::move(made));
  }
  const char* const order = options_.order == Order::row_major ? "C" : "F";
  const py::array local = py::module_::import("numpy").attr("zeros")(
      tuple_of(target_.distribution()->local_shape(*target_.process())), made_ ? *made_ : dtype_, order);
  return py::cast(over(local, target_.distribution(), *target_.process(), target_comm_.object()));
}

py::object Planned::over_device(DistArray made) const {
  py::object local = part_of(made.buffer);
  return py::cast(Array(std::move(made), std::move(local), target_comm_.object(), target_.distribution()));
}

// The array that the plan has made. Communication padding that the plan does not fill becomes zero.
py::object Planned::over_made(DistArray made) {
  alignas(64) static std::byte nowhere{};
  Buffer& buffer = made.buffer;
  buffer.type = type_;  // if no process has an element, the plan knows only the length of one
  last_dtype_ = dtype_;
  if (is_on_device(buffer.memory)) return over_device(std::move(made));
  py::array local(dtype_, std::vector<py::ssize_t>(buffer.shape.begin(), buffer.shape.end()),
                  std::vector<py::ssize_t>(buffer.strides.begin(), buffer.strides.end()),
                  buffer.data != nullptr ? buffer.data : &nowhere, as_base(buffer.owner));
  if (!options_.mapping.fill_padding) clear_padding(local);
  return py::cast(Array(std::move(made), std::move(local), target_comm_.object(), target_.distribution()));
}

void Planned::clear_padding(const py::array& local) const {
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

}  // namespace tridap::python
