#include "bindings.hpp"
#include "comm.hpp"
#include "gil.hpp"
#include "planned.hpp"
#include <tridap/redistribute/ids.hpp>

#include <pybind11/stl.h>

#include <mutex>
#include <utility>

namespace tridap::python {

namespace {

using namespace py::literals;
using redistribute::Redistribution;

std::optional<Order> order_of(const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  return *name == "F" ? Order::column_major : Order::row_major;
}

// Makes the plan without the GIL, while no other thread uses the communicator.
template <class Make>
Redistribution alone_with(MPI_Comm comm, const Make& make) {
  const std::shared_ptr<std::mutex> lock = lock_of(comm);
  const WithoutPython released;
  const std::lock_guard<std::mutex> alone(*lock);
  return on_all(comm, make);
}

std::unique_ptr<Planned> make_plan(const Distribution& source, std::vector<Index> source_ranks,
                                   const Distribution& target, std::vector<Index> target_ranks, py::dtype dtype,
                                   std::optional<py::dtype> made, py::object comm, py::object target_comm,
                                   std::vector<Index> axes, bool column_major, bool convert, bool fill_padding,
                                   bool partial, const std::optional<std::string>& ravel) {
  Wanted wanted{{source, std::move(source_ranks)},
                {target, std::move(target_ranks)},
                std::move(dtype),
                std::move(made),
                std::move(comm),
                std::move(target_comm),
                {},
                false};
  wanted.options.mapping.axes = std::move(axes);
  wanted.options.mapping.fill_padding = fill_padding;
  wanted.options.mapping.partial = partial;
  wanted.options.mapping.ravel = order_of(ravel);
  wanted.options.convert = convert;
  wanted.options.order = column_major ? Order::column_major : Order::row_major;
  const MPI_Comm handle = comm_of(wanted.comm);
  const auto bytes = static_cast<Index>(wanted.dtype.itemsize());
  Redistribution plan =
      alone_with(handle, [&] { return Redistribution(wanted.source, wanted.target, bytes, handle, wanted.options); });
  return std::make_unique<Planned>(std::move(wanted), std::move(plan));
}

// A plan between an array and processes that list the numbers of their elements.
std::unique_ptr<Planned> make_ids_plan(const Distribution& array, std::vector<Index> ranks,
                                       const py::array_t<Index, py::array::c_style>& ids, bool to_ids, py::dtype dtype,
                                       std::optional<py::dtype> made, py::object comm, py::object target_comm,
                                       const std::string& ravel, bool column_major, bool convert, bool partial) {
  redistribute::PlacedDistribution placed{array, std::move(ranks)};
  redistribute::Options options;
  options.mapping.partial = partial;
  options.mapping.ravel = order_of(ravel);
  options.convert = convert;
  options.order = column_major ? Order::column_major : Order::row_major;
  const MPI_Comm handle = comm_of(comm);
  const auto bytes = static_cast<Index>(dtype.itemsize());
  static constexpr Index none = 0;  // an empty list is no range
  const GlobalIds listed{static_cast<Index>(ids.size()), ids.size() > 0 ? ids.data() : &none, 0};
  Redistribution plan = alone_with(handle, [&] {
    return to_ids ? redistribute::to_ids(placed, listed, bytes, handle, options)
                  : redistribute::from_ids(listed, placed, bytes, handle, options);
  });
  Wanted wanted{plan.plan().source(), plan.plan().target(),   std::move(dtype),   std::move(made),
                std::move(comm),      std::move(target_comm), std::move(options), true};
  return std::make_unique<Planned>(std::move(wanted), std::move(plan));
}

Planned& planned(const py::object& self) {
  if (!py::isinstance<Planned>(self))
    throw py::type_error(std::string("a ") + Py_TYPE(self.ptr())->tp_name + " is not a tridap.Redistribution");
  need_value(self.ptr(), typeid(Planned));
  return py::cast<Planned&>(self);
}

const redistribute::Plan& plan_in(const py::object& self) { return planned(self).plan().plan(); }

using Bound = py::class_<Planned>;

void bind_making(Bound& bound) {
  bound
      .def(py::init(&make_plan), "source"_a, "source_ranks"_a, "target"_a, "target_ranks"_a, "dtype"_a, "made"_a,
           "comm"_a, "target_comm"_a, "axes"_a, "column_major"_a, "convert"_a, "fill_padding"_a, "partial"_a,
           "ravel"_a = py::none())
      .def(py::init(&make_ids_plan), "array"_a, "ranks"_a, "ids"_a, "to_ids"_a, "dtype"_a, "made"_a, "comm"_a,
           "target_comm"_a, "ravel"_a, "column_major"_a, "convert"_a, "partial"_a)
      .def(py::init([](const py::object& forward, py::object target_comm) {
             return planned(forward).reversed(std::move(target_comm));
           }),
           "forward"_a, "target_comm"_a);
}

void bind_moves(Bound& bound) {
  bound
      .def(
          "__call__",
          [](const py::object& p, py::object x, py::object out, const py::object& alpha, const py::object& beta,
             const py::object& stream) {
            if (!py::isinstance<py::list>(x)) return planned(p).move(std::move(x), std::move(out), alpha, beta, stream);
            return py::object(planned(p).move_all(py::reinterpret_borrow<py::list>(x), out, alpha, beta, stream));
          },
          "x"_a, "out"_a = py::none(), py::kw_only(), "alpha"_a = 1, "beta"_a = 0, "stream"_a = py::none(),
          R"(__call__(x, out=None, *, alpha=1, beta=0, stream=None) -> DistArray or None

Moves the elements of `x`: ``out = alpha * x + beta * out``. Collective. ``plan([(x, out), (y, other)])`` moves several arrays
with one round of messages, and returns the list of their targets.

Args:
    x: this process's part of the source: a DistArray, or any object with __distarray__. None on a process that holds no
        part. Or a list of pairs (x, out), of the same length on every process.
    out: the array that is filled, which must not share memory with `x`; None: a new array, on every process. It is fast
        if the plan has made it, or `x`.
    alpha, beta: numbers, the same on every process. If beta is 0, `out` is not read.
    stream: on which arrays in GPU memory were last used, a number as in ``__dlpack__``. The move waits for it, and for the
        legacy default stream.

Returns:
    The new array, or `out`; None on a process that holds no part.

Raises:
    ProtocolError: on every process, before `out` is written.)")
      .def("_start",
           [](const py::object& p, py::object x, py::object out, const py::object& alpha, const py::object& beta,
              const py::object& stream) { return planned(p).start(std::move(x), std::move(out), alpha, beta, stream); })
      .def("_wait", [](const py::object& p, Index number) { planned(p).wait(number); })
      .def("_test", [](const py::object& p, Index number) { return planned(p).test(number); });
}

void bind_facts(Bound& bound) {
  bound
      .def_property_readonly(
          "source", [](const py::object& p) { return plan_in(p).source().distribution(); },
          "The Distribution of the arrays to move.")
      .def_property_readonly(
          "target", [](const py::object& p) { return plan_in(p).target().distribution(); },
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
          "explain", [](const py::object& p) { return planned(p).plan().explain(); },
          R"(explain() -> str

A text for people: the bytes that each process sends to each other one, and the fewest that must be sent for any placement
of the target's parts.)")
      .def(
          "traffic", [](const py::object& p) { return planned(p).traffic(); },
          R"(traffic() -> numpy.ndarray

The bytes that process i sends to process j, as element [i, j] (int64); the diagonal is what stays. It is computed on this
process, without communication. ValueError for a plan of `to_ids` or `from_ids`.)");
}

}  // namespace

void bind_redistribution(py::module_& module) {
  Bound bound(module, "_Redistribution", py::custom_type_setup(let_collect<Planned>));
  bind_making(bound);
  bind_moves(bound);
  bind_facts(bound);
}

}  // namespace tridap::python
