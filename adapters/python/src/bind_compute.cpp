#include "array.hpp"
#include "bindings.hpp"
#include "device.hpp"
#include "memory.hpp"
#include "python_methods.hpp"
#include "reduced.hpp"
#include "reduced_on_device.hpp"
#include "text_argument.hpp"
#include <tridap/compare.hpp>
#include <tridap/slice.hpp>

#include <pybind11/stl.h>

#include <string>
#include <utility>

namespace tridap::python {

namespace {

using namespace py::literals;

// An entry of x[...]: for one axis of the array, or for a new axis of the result.
struct Cut {
  enum class Kind { whole, part, one, added } kind;
  Index start = 0, stop = 0, step = 1;  // of a part, in the numbering of the Distribution; `one` has only `start`
};

Cut cut_of(const std::tuple<std::string, Index, Index, Index>& given) {
  const auto& [kind, start, stop, step] = given;
  if (kind == "whole") return {Cut::Kind::whole};
  if (kind == "part") return {Cut::Kind::part, start, stop, step};
  if (kind == "one") return {Cut::Kind::one, start};
  return {Cut::Kind::added};
}

// The slice of a local buffer that holds what one coordinate keeps.
py::slice slice_of(const Slice::Local& local) {
  if (local.count == 0) return {0, 0, 1};
  const Index end = local.first + local.count * local.step;
  return {local.first, end < 0 ? std::nullopt : std::optional<py::ssize_t>(end), local.step};
}

// An array over `local` with these axes, in the version of the protocol that another array has.
Array with_axes(const Array& model, std::vector<Axis> axes, py::object local) {
  auto distribution = std::make_shared<const Distribution>(std::move(axes));
  DistArray made;
  made.version = stamp(model.version());
  made.buffer = buffer_of_part(local);
  made.dim_data = distribution->dim_data(model.process(), model.version());
  return Array(std::move(made), std::move(local), model.comm(), std::move(distribution));
}

// An array over `local` with some axes of another array, in this order. The axes that are left out are on one process,
// and those that are on several keep their order, so that each process keeps its number.
Array of_axes(const Array& model, const std::vector<Index>& kept, py::object local) {
  std::vector<Axis> axes;
  for (const Index axis : kept) axes.push_back(model.distribution()->axis(axis));
  return with_axes(model, std::move(axes), std::move(local));
}

// A view of an array's local part, in memory of the host or of a device: what `call` makes of the addresses.
template <class Call>
py::object viewed(const Array& array, const Call& call) {
  const py::object part = is_on_device(array.array().buffer.memory) ? array.part(Part::local) : array.local();
  return part_at(call(addresses_of(part)), part);
}

// The selected part of an array, over the same memory, described in the array's version of the protocol.
Array cut(const Array& array, const std::vector<std::tuple<std::string, Index, Index, Index>>& given) {
  Distribution rest = *array.distribution();
  const Indices coordinates = rest.coordinates(array.process());
  std::vector<Axis> axes;
  py::list key;
  Index axis = 0;
  for (const auto& entry : given) {
    const Cut wanted = cut_of(entry);
    if (wanted.kind == Cut::Kind::added) {
      axes.emplace_back(BlockKind(1, 1, 1));
      key.append(py::none());
      continue;
    }
    if (wanted.kind == Cut::Kind::whole) {
      axes.push_back(rest.axis(axis));
      key.append(py::slice(std::nullopt, std::nullopt, std::nullopt));
    } else if (wanted.kind == Cut::Kind::one) {
      const auto place = rest.axis(axis).locate(wanted.start);
      if (!place)
        throw py::index_error("axis " + std::to_string(axis) + " has no index " + std::to_string(wanted.start));
      key.append(place->local);
    } else {
      const Slice part = slice(rest, axis, wanted.start, wanted.stop, wanted.step);
      const auto coordinate = static_cast<std::size_t>(coordinates[static_cast<std::size_t>(axis)]);
      axes.push_back(part.distribution.axis(axis));
      key.append(slice_of(part.kept[coordinate]));
    }
    ++axis;
  }
  key.append(py::ellipsis());  // so that NumPy returns an array if no axis remains
  py::object local =
      viewed(array, [&](const py::array& whole) { return py::array(whole.attr("__getitem__")(py::tuple(key))); });
  Array made = with_axes(array, std::move(axes), std::move(local));
  made.share_watchers(array);
  return made;
}

// An array over other memory, with the description of `model`.
Array like(const Array& model, py::object local) {
  if (py::isinstance<py::array>(local)) refuse_objects(local);
  DistArray array;
  array.version = model.array().version;
  array.buffer = buffer_of_part(local);
  if (array.buffer.shape != model.array().buffer.shape)
    throw py::value_error(
        "the local part has shape " + py::cast<std::string>(py::str(local.attr("shape"))) +
        ", must have that of the array's: " + py::cast<std::string>(py::str(tuple_of(model.array().buffer.shape))));
  array.dim_data = model.array().dim_data;
  for (Dimension& dimension : array.dim_data) dimension.extras.clear();
  return Array(std::move(array), std::move(local), model.comm(), model.distribution());
}

// The same over a view of the memory of `model`.
template <class Call>
Array view_like(const Array& model, const Call& call) {
  Array made = like(model, viewed(model, call));
  made.share_watchers(model);
  return made;
}

bool same_buffers(const Axis& a, const Axis& b) {
  if (a.proc_grid_size() != b.proc_grid_size()) return false;
  for (Index c = 0; c < a.proc_grid_size(); ++c)
    if (a.part(c, Part::local).size() != b.part(c, Part::local).size()) return false;
  return true;
}

bool are_alike(const Distribution& here, const Distribution& there) {
  if (here.ndim() != there.ndim() || here.shape() != there.shape()) return false;
  for (Index i = 0; i < here.ndim(); ++i)
    if (!same_buffers(here.axis(i), there.axis(i))) return false;
  const Comparison comparison = compare(here, there);
  return comparison.same_owners && comparison.same_places;
}

// True if on every process the elements at each local index of two arrays, padding included, belong together. The
// answer is the same on every process, since it depends on the Distributions alone.
bool are_alike(const Array& a, const Array& b) {
  const Distribution &here = *a.distribution(), &there = *b.distribution();
  return &here == &there || a.places() == b.places() || are_alike(here, there);
}

// The same of one axis of each.
bool are_alike_along(const Array& a, Index axis_of_a, const Array& b, Index axis_of_b) {
  return are_alike(Distribution({a.distribution()->axis(axis_of_a)}),
                   Distribution({b.distribution()->axis(axis_of_b)}));
}

// An array over `local`, with the version and the process of `model`. Its axis i is that axis of that array in `axes`,
// or, without an array, an axis of so many elements on one process. Of all arrays together, at most one has an axis on
// several processes that the others do not have.
Array of_axes_of_several(const Array& model, const std::vector<std::pair<const Array*, Index>>& axes, py::array local) {
  refuse_objects(local);
  std::vector<Axis> found;
  for (const auto& [array, number] : axes)
    found.push_back(array != nullptr ? array->distribution()->axis(number) : Axis(BlockKind(number, 1, number)));
  return with_axes(model, std::move(found), std::move(local));
}

// By axis, the local indices whose elements this process counts, so that each element of the whole array is counted
// once: an index that several processes have belongs to the lowest. None: all of an axis, or of all axes.
py::object counted(const Array& array) {
  const Distribution& whole = *array.distribution();
  const Indices coordinates = whole.coordinates(array.process());
  py::list all;
  bool every = true;
  for (Index i = 0; i < whole.ndim(); ++i) {
    const auto* lists = whole.axis(i).unstructured();
    if (lists == nullptr || !lists->shares_indices()) {
      all.append(py::none());
      continue;
    }
    every = false;
    const Index here = coordinates[static_cast<std::size_t>(i)];
    std::vector<Index> kept;
    for (Index local = 0; local < lists->count(here); ++local)
      if (lists->locate(lists->global_index(here, local))->coordinate == here) kept.push_back(local);
    all.append(py::array_t<Index>(static_cast<py::ssize_t>(kept.size()), kept.data()));
  }
  return every ? py::object(py::none()) : py::object(py::tuple(all));
}

// The smallest index of an axis in the array's own numbering, and the largest one plus 1. Both are 0 without indices.
std::pair<Index, Index> bounds(const Array& array, Index axis) {
  const auto* lists = array.distribution()->axis(axis).unstructured();
  if (lists == nullptr) return {0, array.array().dim_data[static_cast<std::size_t>(axis)].size};
  if (lists->total() == 0) return {0, 0};
  return {lists->extremes()[0], lists->extremes()[1] + 1};
}

// What a DistArray has of NumPy's arrays in Python.
const PythonMethod numpy_methods[] = {
    {"sum", "tridap._reduce", R"(sum(axis=None, dtype=None, *, keepdims=False, stream=None) -> NumPy scalar or DistArray

The sum of all elements of the whole array, each counted once, without communication padding and mirrors. Collective; the
same on every process, bit for bit. The type is numpy.sum's: int64 for smaller integers and bool.

axis: one axis or several, which must not be distributed: the result is a DistArray of the other axes, with their padding.
This is collective too, because all processes agree on the axes. TypeError, which names the right call, for an axis on several
processes. keepdims: the result keeps these axes, with one element; without axes, or with all, it is a NumPy array.

Elements in the memory of a GPU are reduced there, without `axis`; float16 and longdouble are refused. Their order is not NumPy's, so
the last bits of a float may differ from NumPy's, but they are the same in each run on the same number of processes. Kernels wait for
the legacy default stream and for `stream`, as in to(). prod, mean, min, max, all, any, dot, vdot and norm are the same in this.)"},
    {"prod", "tridap._reduce",
     R"(prod(axis=None, dtype=None, *, keepdims=False, stream=None) -> NumPy scalar or DistArray

The product of all elements of the whole array. Everything else is as for sum().)"},
    {"mean", "tridap._reduce",
     R"(mean(axis=None, dtype=None, *, keepdims=False, stream=None) -> NumPy scalar or DistArray

The mean of all elements of the whole array, as sum() counts them: float64 for integers. Without elements it is nan, with
numpy.mean's warning. Collective; the same on every process. `axis` and `keepdims` are as for sum().)"},
    {"var", "tridap._reduce", R"(var(axis=None, dtype=None, ddof=0, *, keepdims=False) -> NumPy scalar or DistArray

The variance of all elements of the whole array, as numpy.var defines it. Collective, in two reductions; the same on every
process. `axis` and `keepdims` are as for sum().)"},
    {"std", "tridap._reduce", R"(std(axis=None, dtype=None, ddof=0, *, keepdims=False) -> NumPy scalar or DistArray

The standard deviation: the square root of var().)"},
    {"min", "tridap._reduce", R"(min(axis=None, *, keepdims=False, stream=None) -> NumPy scalar or DistArray

The smallest element of the whole array; nan if an element is nan. ValueError, on every process, without elements.
Collective; the same on every process. `axis` and `keepdims` are as for sum().)"},
    {"max", "tridap._reduce", R"(max(axis=None, *, keepdims=False, stream=None) -> NumPy scalar or DistArray

The largest element of the whole array; nan if an element is nan. ValueError, on every process, without elements.
Collective; the same on every process. `axis` and `keepdims` are as for sum().)"},
    {"argmin", "tridap._reduce", R"(argmin(axis=None) -> numpy.int64

The place of the smallest element: its row-major number in `shape`, the lowest of several. numpy.unravel_index(x.argmin(),
x.shape) is its global index. ValueError, on every process, without elements. Collective; the same on every process. `axis` must
be None.)"},
    {"argmax", "tridap._reduce", R"(argmax(axis=None) -> numpy.int64

The place of the largest element, as argmin() counts it; of the first nan, if an element is nan. Collective.)"},
    {"all", "tridap._reduce", R"(all(axis=None, *, keepdims=False, stream=None) -> numpy.bool_ or DistArray

Whether all elements of the whole array are true. Collective; the same on every process. `axis` and `keepdims` are as for
sum().)"},
    {"any", "tridap._reduce", R"(any(axis=None, *, keepdims=False, stream=None) -> numpy.bool_ or DistArray

Whether any element of the whole array is true. Collective; the same on every process. `axis` and `keepdims` are as for
sum().)"},
    {"dot", "tridap._reduce", R"(dot(other, *, stream=None) -> NumPy scalar

The sum of the products of the elements of two arrays with one distribution, of any number of axes. Complex elements are
not conjugated; vdot() conjugates. The type is numpy.dot's, which does not widen integers. Collective; the same on every
process.)"},
    {"vdot", "tridap._reduce", R"(vdot(other, *, stream=None) -> NumPy scalar

dot() with this array's elements conjugated, as numpy.vdot does. Collective; the same on every process.)"},
    {"norm", "tridap._reduce", R"(norm(ord=None, axis=None, *, keepdims=False, stream=None) -> NumPy scalar or DistArray

The norm of the whole array as numpy.linalg.norm computes it. None: the square root of the sum of the squares of the
absolute values. An array of one axis also has ord 1, 2 and inf, and one of two axes "fro". Collective; the same on every
process. `axis`, one axis or two, and `keepdims` are as for sum(); with them `ord` is any of NumPy's.)"},
    {"transpose", "tridap._attributes", R"(transpose(*axes) -> DistArray

The array with its axes in another order, as numpy.ndarray.transpose takes it, over the same memory: see `T`.)"},
    {"reshape", "tridap._attributes", R"(reshape(*shape) -> DistArray

The array with axes of one element more or less, over the same memory. TypeError, which names the right call, for any other
shape, because then elements would move to other processes. Not collective.)"},
    {"squeeze", "tridap._attributes", R"(squeeze(axis=None) -> DistArray

The array without its axes of one element, or without those that `axis` names, over the same memory: see reshape().)"},
    {"ravel", "tridap._attributes", R"(ravel() -> DistArray

The array with one axis, over the same memory, as reshape(-1): only if all axes but one have one element.)"},
    {"flatten", "tridap._attributes", R"(flatten() -> DistArray

ravel() in new memory.)"},
    {"clip", "tridap._attributes", R"(clip(min=None, max=None) -> DistArray

numpy.clip of each element, padding included: a new array. Not collective.)"},
    {"round", "tridap._attributes", R"(round(decimals=0) -> DistArray

numpy.round of each element, padding included: a new array. Not collective.)"},
    {"fill", "tridap._attributes", R"(fill(value) -> None

Sets all elements, padding included, to a scalar. Not collective.)"},
    {"conjugate", "tridap._attributes", "conjugate() -> DistArray\n\nSee conj()."},
    {"__reduce_ex__", "tridap._attributes", "", "refuse_pickle"},
    {"__getattr__", "tridap._attributes", "", "missing"},
    {"__getitem__", "tridap._index", R"(x[key] -> DistArray

The selected part of the whole array, over the same memory: each process keeps the selected elements that it owns. Nothing
communicates; the key must be the same on every process. Indices are global.

start:stop:step selects as in NumPy, with negative bounds and steps. ":" keeps an axis as it is, with its padding; any other
slice leaves out communication padding and ends periodicity. On an unstructured axis, bounds are the indices themselves, and
negative ones count from the largest index plus 1, unless the axis has negative indices. "..." stands for all other axes.
None adds an axis of one element. An integer selects on an axis that is not distributed, and drops this axis. If no axis
remains, the result is a NumPy scalar.

x[3, 4, 5], with an integer for each axis, is one element, a NumPy scalar that every process gets. This is **collective** if an
axis is distributed.

IndexError for too many indices, and for an integer outside of its axis; TypeError for an integer on a distributed axis
beside other entries, and for lists and masks; ProtocolError if a process's part has no constant stride in memory.)",
     "item"},
    {"__setitem__", "tridap._index", R"(x[key] = value

Sets the selected elements: to a scalar, or to a DistArray with the distribution of x[key]. Here an integer may select on any
axis, and a mask, a DistArray of bool with the distribution of x, may be the key if `value` is a scalar. Not collective; the
key must be the same on every process. Padding on other processes keeps its values until update_padding().)",
     "assign"},
    {"__iter__", "tridap._ufunc", "", "refuse_iteration"},
    {"__contains__", "tridap._ufunc", "", "refuse_search"},
    {"__array_ufunc__", "tridap._ufunc", "", "array_ufunc"},
    {"__array_function__", "tridap._functions", "", "array_function"},
};

Index size_of(const Array& array) {
  Index count = 1;
  for (const Dimension& dimension : array.array().dim_data) count *= dimension.size;
  return count;
}

Array copy_of(const Array& array, const py::object& order) {
  need_utf8("order", order);
  return like(array, array.local().attr("copy")("order"_a = order));
}

Array converted(const Array& array, const py::object& dtype, const py::object& order, const py::object& casting) {
  need_utf8("dtype", dtype);
  need_utf8("order", order);
  need_utf8("casting", casting);
  return like(array, array.local().attr("astype")(dtype, "order"_a = order, "casting"_a = casting));
}

// What NumPy's arrays and these have in C++.
void bind_attributes(py::class_<Array>& type) {
  const auto property = property_of(type);
  property("size", "The number of elements of the whole array: the product of `shape`.", &size_of);
  property("nbytes", "The bytes of all elements of the whole array: size times itemsize.",
           [](const Array& a) { return size_of(a) * a.array().buffer.type.bytes; });
  property("itemsize", "The bytes of one element.", [](const Array& a) { return a.array().buffer.type.bytes; });
  property(
      "T",
      R"(The array with its axes in the opposite order: a DistArray over the same memory. AttributeError, which names the
right call, if two axes or more are on several processes, because then elements would move.)",
      [](const py::object& a) { return function_of("tridap._attributes", "transposed")(a); });
  property("real", "The real parts: a DistArray over the same memory.",
           [](const Array& a) { return view_like(a, function_of("numpy", "real")); });
  property("imag", "The imaginary parts: a DistArray over the same memory; for real elements, read-only zeros.",
           [](const Array& a) {
             if (a.array().buffer.type.kind != ElementType::Kind::complex) refuse_on_device(a.array().buffer.memory);
             return view_like(a, function_of("numpy", "imag"));
           });
  type.def("__copy__", [](const Array& a) { return copy_of(a, py::str("K")); })
      .def("__deepcopy__", [](const Array& a, const py::object&) { return copy_of(a, py::str("K")); })
      .def(
          "conj", [](const Array& a) { return like(a, function_of("numpy", "conjugate")(a.local())); },
          "conj() -> DistArray\n\nA new array of the conjugate elements, padding included. Not collective.")
      .def("copy", &copy_of, "order"_a = "K",
           R"(copy(order="K") -> DistArray

A new array with the same elements, padding included, in its own memory. `order` is the memory order of the local part, as
in numpy.copy. Not collective.)")
      .def("astype", &converted, "dtype"_a, "order"_a = "K", "casting"_a = "unsafe",
           R"(astype(dtype, order="K", casting="unsafe") -> DistArray

A new array with the elements, padding included, converted to another type, as numpy.ndarray.astype does. Not collective.)")
      .def("__len__", [](const Array& a) {
        if (a.array().dim_data.empty()) throw py::type_error("len() of an array without axes");
        return a.array().dim_data.front().size;
      });
}

void bind_operators(py::class_<Array>& type) {
  std::vector<std::string> names{"__neg__", "__pos__", "__abs__", "__invert__", "__divmod__", "__rdivmod__",
                                 "__eq__",  "__ne__",  "__lt__",  "__le__",     "__gt__",     "__ge__"};
  for (const std::string name :
       {"add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift", "matmul"})
    for (const std::string prefix : {"__", "__r", "__i"}) names.push_back(prefix + name + "__");
  for (const std::string& name : names)
    type.def(name.c_str(), [name](const py::object& self, const py::args& other) {
      need_array(self);
      return function_of("numpy.lib.mixins", "NDArrayOperatorsMixin").attr(name.c_str())(self, *other);
    });
  for (const std::string name : {"__bool__", "__float__", "__int__", "__complex__"})
    type.def(name.c_str(), [name](const py::object& self) {
      need_array(self);
      return function_of("tridap._ufunc", "refuse_conversion")(self, name);
    });
  type.def("__hash__", [](const py::object& self) {  // of the object: equal elements do not matter
    need_array(self);
    return function_of("builtins", "object").attr("__hash__")(self);
  });
}

}  // namespace

void bind_compute(py::module_& module, py::class_<Array>& type) {
  bind_attributes(type);
  for (const PythonMethod& method : numpy_methods) define(type, method);
  bind_operators(type);
  module.def("_cut", &cut);
  module.def("_like", &like);
  module.def("_of_axes", &of_axes);
  module.def("_of_axes_of_several", &of_axes_of_several);
  module.def("_alike", py::overload_cast<const Array&, const Array&>(&are_alike));
  module.def("_alike_along", &are_alike_along);
  module.def("_counted", &counted);
  module.def("_bounds", &bounds);
  module.def("_reduced", &reduced, "comm"_a, "step"_a);
  module.def("_reduced_on_device", &reduced_on_device);
}

}  // namespace tridap::python
