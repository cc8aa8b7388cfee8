#include "array.hpp"
#include "bindings.hpp"
#include "comm.hpp"
#include "device.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "memory.hpp"
#include "tensor.hpp"
#include "text_argument.hpp"
#include "user_call.hpp"
#include <tridap/compare.hpp>
#include <tridap/local_part.hpp>
#include <tridap/redistribute/padding.hpp>

#include <pybind11/stl.h>

namespace tridap::python {

namespace {

bool gives_local_part = false;  // tridap.set_option(array="local"); guarded by the GIL

// Why code that reads the memory of an array must not get that of this process: it would take it for the whole array.
// Empty if it may.
std::string why_not_local(const Array& array) {
  if (const Memory& memory = array.array().buffer.memory; is_on_device(memory)) return why_not_on_device(memory);
  if (gives_local_part || array.processes() == 1) return "";
  return "the array is on " + std::to_string(array.processes()) +
         " processes, and numpy.asarray and other functions that read memory would see the part of this process alone: "
         "x.local is that part with its padding, x.interior is the part without padding, and x.gather() is the whole "
         "array on one process; after tridap.set_option(array=\"local\") these functions get x.local";
}

// NumPy's buffer of the local part. BufferError if NumPy could not read it: then numpy.asarray calls __array__.
int give_buffer(PyObject* self, Py_buffer* view, int flags) {
  const Array& array = py::cast<const Array&>(py::handle(self));
  view->obj = nullptr;
  if (const std::string why = why_not_local(array); !why.empty()) {
    PyErr_SetString(PyExc_BufferError, why.c_str());
    return -1;
  }
  const auto local = py::reinterpret_borrow<py::array>(array.local());
  if (PyObject_GetBuffer(local.ptr(), view, flags) != 0) return -1;
  try {
    if ((flags & PyBUF_FORMAT) != 0) refuse_unread_record(local);
    return 0;
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_BufferError, error.what());
  }
  PyBuffer_Release(view);
  return -1;
}

// Sets the type's own slots: NumPy's buffer protocol on the local part, and the functions that show the garbage
// collector which objects are held.
void set_slots(PyHeapTypeObject* heap) {
  forbid_new(heap);
  PyTypeObject& type = heap->ht_type;
  heap->as_buffer.bf_getbuffer = give_buffer;
  type.tp_as_buffer = &heap->as_buffer;
  let_collect<Array>(heap);
}

std::vector<Index> global_shape(const Array& array) {
  std::vector<Index> shape;
  for (const Dimension& dimension : array.array().dim_data) shape.push_back(dimension.size);
  return shape;
}

py::tuple global_index(const Array& array, const py::args& local) {
  return tuple_of(array.global_index(indices_of(local, array.array().buffer.shape, "local index")));
}

std::vector<Index> any_extents(const Array& array) { return std::vector<Index>(array.array().dim_data.size(), -1); }

py::object from(const char* module, const char* name) { return py::module_::import(module).attr(name); }

std::string shown(const Array& array) {
  std::string text = "<tridap.DistArray: " + py::cast<std::string>(py::str(tuple_of(global_shape(array)))) + " " +
                     utf8_text(py::str(array.dtype()));
  if (const Memory& memory = array.array().buffer.memory; is_on_device(memory)) text += " on " + device_name(memory);
  if (array.is_whole()) text += ", " + describe(*array.distribution());
  return text + ", " + std::to_string(element_count(array.array().buffer)) + " elements here>";
}

// The plan stays with the array, so that the next update needs one reduction. **Collective.**
void update_with_kept_plan(const Array& array, MPI_Comm comm) {
  std::optional<tridap::redistribute::PaddingUpdate>& plan = array.padding_plan();
  Buffer buffer;
  const Begun begun(comm, [&](mpi::Record& record) {
    buffer = array.host_array().buffer;
    record.add(plan ? plan->number() : -1);
  });
  const bool all_have_it = begun.call().is_same(0) && begun.call().smallest(0) >= 0;
  if (!all_have_it) plan.emplace(std::move(buffer), *array.distribution(), comm);
  plan->update();
}

void update_padding(const Array& array) {
  if (!array.is_whole() || array.comm().is_none()) {
    if (array.is_whole() && array.distribution()->processes() == 1) {
      need_mpi();
      tridap::redistribute::PaddingUpdate(array.host_array().buffer, *array.distribution(), MPI_COMM_SELF).update();
      array.changed();
      return;
    }
    throw Error(Finding{Rule::conversion,
                        {},
                        {},
                        "",
                        "the array does not know the other processes, which update_padding needs",
                        "",
                        "make it with tridap.asarray(array, comm), on every process"});
  }
  const MPI_Comm comm = comm_of(array.comm());
  const UserCall user_call("x.update_padding()");
  {
    const WithoutPython released;
    on_all(comm, [&] { update_with_kept_plan(array, comm); });
  }
  array.changed();
}

py::object numpy_protocol(const Array& array, const py::object& dtype, const py::object& copy) {
  if (const std::string why = why_not_local(array); !why.empty()) throw py::type_error(why);
  py::object local = array.view(Part::local);
  const std::optional<bool> flag = copy_flag(copy);
  const bool same = dtype.is_none() || py::dtype::from_args(dtype).equal(local.attr("dtype"));
  if (same && !flag.value_or(false)) return local;
  if (!same && !flag.value_or(true))
    throw py::value_error("copy=False, but the elements are " + utf8_text(py::str(local.attr("dtype"))));
  const py::object type = dtype.is_none() ? local.attr("dtype") : dtype;
  return py::module_::import("numpy").attr("array")(local, type);
}

py::object moved_to(const py::object& self, const Text& device) {
  const Array* const array = array_behind(self);
  if (array == nullptr) throw py::type_error("self must be a tridap.DistArray");
  const Memory to = device_named(device);
  const Buffer& buffer = array->array().buffer;
  if (device_name(buffer.memory) == device_name(to)) return self;
  Receipt receipt;
  receipt.shared = receipt.same_address = false;
  receipt.bytes_copied = element_count(buffer) * buffer.type.bytes;
  return py::cast(array->over_copy(copied_to(buffer, to), std::move(receipt)));
}

}  // namespace

void bind_array(py::module_& module) {
  using namespace py::literals;
  py::class_<Array> type(module, "DistArray", py::custom_type_setup(set_slots),
                         R"(This process's part of a checked distributed array, in the memory of its producer.

asarray() makes one from any object with __distarray__; empty(), zeros() and from_function() make new ones. It is itself
an object with __distarray__, and offers its local part by `local` and __dlpack__, without a copy. The part is read-only if
the memory is. It keeps the memory alive. An array on one process also offers it by the buffer protocol and __array__, as
numpy.asarray asks for it; an array on more processes refuses this, unless set_option(array="local") was called.

Operators and NumPy's elementwise functions compute on the local parts, padding included, and do not communicate; the
operands are DistArrays with one distribution, and scalars. sum(), dot(), norm() and the like are collective, and return the
same NumPy scalar on every process. x[...] is a part of the array, over the same memory.)");
  type.def_property_readonly(
          "local", [](const Array& a) { return a.part(Part::local); },
          "The local part with all its padding, a NumPy view of the shared memory; in memory of a GPU an object for "
          "cupy.from_dlpack, torch.from_dlpack and the like.")
      .def_property_readonly(
          "owned", [](const Array& a) { return a.part(Part::owned); },
          "The local part without communication padding, a NumPy view. Boundary padding is owned.")
      .def_property_readonly(
          "interior", [](const Array& a) { return a.part(Part::interior); },
          "The owned part without the edges of periodic axes, which mirror the other end: a NumPy view.")
      .def_property_readonly(
          "shape", [](const Array& a) { return tuple_of(global_shape(a)); },
          "The number of elements along each axis of the whole array: `size` of each axis, as the producer counts it.")
      .def_property_readonly(
          "ndim", [](const Array& a) { return a.array().ndim(); }, "How many axes there are.")
      .def_property_readonly(
          "dtype", [](const Array& a) { return a.dtype(); }, "The element type, NumPy's.")
      .def_property_readonly(
          "dim_data", [](const Array& a) { return a.dim_data(Version::v0_10); },
          "The dim_data of __distarray__, one dict for each axis, of version 0.10 and in its numbering.")
      .def_property_readonly(
          "version", [](const Array& a) { return a.array().version; },
          "The version of the protocol that the producer used, such as \"0.10.0\".")
      .def_property_readonly(
          "comm", [](const Array& a) { return a.comm(); }, "The mpi4py communicator of the processes, or None.")
      .def_property_readonly(
          "process", [](const Array& a) { return a.process(); },
          "This process's rank: the row-major number of its coordinates in the process grid.")
      .def_property_readonly(
          "is_whole", [](const Array& a) { return a.is_whole(); },
          "Whether the parts of all processes are known: it was made with comm=, or has one process.")
      .def_property_readonly(
          "distribution", [](const Array& a) { return *a.distribution(); },
          "The Distribution over all processes, of version 0.10 and in its numbering. ProtocolError if only this "
          "process's part is known.")
      .def_property_readonly(
          "_shift", [](const Array& a) { return tuple_of(a.shift()); },
          "By axis: the global indices of `distribution` less the array's own.")
      .def_property_readonly(
          "_layout", [](const Array& a) { return a.layout(); },
          "A number that tells distributions and element types apart.")
      .def_property_readonly(
          "receipt", [](const Array& a) -> const Receipt& { return a.receipt(); },
          "What asarray(), or the function that computed the array, did: shared or copied, bytes, seconds.")
      .def("global_index", &global_index, R"(global_index(*local) -> tuple of int

The global index of a local one, counted in `local`. IndexError if there is none.)")
      .def(
          "owner",
          [](const Array& a, const py::args& global) -> std::optional<Index> {
            const auto found = a.in_distribution(indices_of(global, any_extents(a), "global index"));
            return found ? a.distribution()->owner(*found) : std::nullopt;
          },
          R"(owner(*index) -> int or None

The process that owns a global index: the lowest if several processes do, None if no process does. ProtocolError if only
this process's part is known.)")
      .def(
          "local_index",
          [](const Array& a, const py::args& global) -> py::object {
            const auto wanted = a.in_distribution(indices_of(global, any_extents(a), "global index"));
            const auto found = wanted ? a.distribution()->local_index(a.process(), *wanted) : std::nullopt;
            return found ? py::object(tuple_of(*found)) : py::none();
          },
          R"(local_index(*index) -> tuple of int or None

The local index in `local` of a global index that this process owns; None if it does not own it.)")
      .def("update_padding", &update_padding, R"(update_padding() -> None

Fills the padding of every process from the elements that it repeats: communication padding from its owners, the mirrors
of a periodic axis from the elements that they mirror, corners included. The first call makes a plan, which stays with the
array, with memory for the messages that it packs. Collective. ProtocolError, on every process, if memory is read-only, or
only this process's part is known.)")
      .def(
          "gather",
          [](const py::object& a, const py::object& root) { return from("tridap._gather", "gather")(a, root); },
          "root"_a = 0, R"(gather(root=0) -> numpy.ndarray or None

The whole array without padding and mirrors on process `root`, and None on the others. Collective. `root` needs memory for
the whole array. An unstructured axis has an element for each different index, in ascending order; of an index that
several processes hold, the element of the lowest one.)")
      .def(
          "allgather", [](const py::object& a) { return from("tridap._gather", "allgather")(a); },
          R"(allgather() -> numpy.ndarray

What gather() returns, on every process; each has its own copy. Collective.)")
      .def(
          "redistribute",
          [](const py::object& a, const py::args& args, const py::kwargs& options) {
            if (array_behind(a) == nullptr) throw py::type_error("self must be a tridap.DistArray");
            return from("tridap._move", "redistribute")(a, *args, **options);
          },
          R"(redistribute(to=None, out=None, **options) -> DistArray

tridap.redistribute() of this array. Collective.)")
      .def(
          "plot",
          [](const py::object& a, const py::args& args, const py::kwargs& style) {
            return from("tridap._plot", "plot")(a, *args, **style);
          },
          R"(plot(ax=None, *, section=None, cells=1000, borders=True, units=None, **style) -> matplotlib Axes or None

Draws the array on process 0, and returns the Axes there and None on the others. Collective. One axis is drawn as a line,
two as an image with a colour scale, both with the borders between processes. Complex numbers are drawn by magnitude. Every
array that gather() takes is drawn: an index that no process has is left blank, and of an index that several processes have,
the element of the lowest one is drawn.

Args:
    ax: Axes to draw in; None: a new figure. It only matters on process 0. The other arguments must be the same on every
        process, except `style`.
    section: an entry for each axis: the global index at which it is fixed, or None if it is drawn. None: the last two
        axes are drawn, and the others are fixed at their first index. The title names the slice.
    cells: if an axis is longer, every k-th element is drawn, and the title says so. On an axis with gaps it is the first
        one of each k indices that a process has.
    borders: whether to draw lines at the borders between processes, up to 64 along an axis.
    units: a text for the scale of the values, such as "m/s".
    style: passed to Axes.plot or Axes.imshow.

Raises:
    ProtocolError: on every process, if it fails on any process, for example because process 0 has no matplotlib. An
        array without comm raises the error itself, such as ImportError.)")
      .def(
          "write_capture",
          [](const py::object& a, const py::object& path) { from("tridap._capture", "write_capture")(a, path); },
          "path"_a,
          R"(write_capture(path) -> None

Writes the descriptions of all processes, without the elements, to a file that the command `tridap` reads. Collective:
process 0 writes it. ProtocolError, on every process, if it cannot be written. tridap.write_capture has the details, and
also takes arrays that are wrong.)")
      .def(
          "to_html",
          [](const py::object& a, const py::object& to, const py::object& title) {
            return from("tridap._html", "page")(a, to, title);
          },
          "to"_a = py::none(), "title"_a = "",
          R"(to_html(to=None, title="") -> str

Distribution.to_html() of this array's distribution; of `to`, it counts bytes in place of elements. Local: every process
returns the same text. ProtocolError if only this process's part is known.)")
      .def("__repr__", &shown)
      .def("_repr_html_", [](const py::object& a) { return from("tridap._html", "array")(a); })
      .def(
          "__distarray__", [](const Array& a) { return a.describe(Version::v0_10); },
          R"(__distarray__() -> dict

The protocol's dictionary, version 0.10.0: __version__, buffer (a NumPy view) and dim_data. ProtocolError for an array of
0.9 with padding on a periodic axis that was not made with comm=, and for elements that the buffer protocol cannot
describe, such as NumPy's dates.)")
      .def_property_readonly(
          "__partitioned__", [](const py::object& a) { return from("tridap._partitioned", "partitioned")(a); },
          R"(The dictionary of the draft protocol __partitioned__, which HeAT and others read: one partition for each process,
with the elements that it owns, and NumPy views of this process's own. 'location' is the rank in comm. AttributeError if an
axis is not in blocks, or only this process's part is known. Local.)")
      .def(
          "_describe", [](const Array& a, const Text& v) { return a.describe(version_named(v)); }, "version"_a)
      .def(
          "__array__", &numpy_protocol, "dtype"_a = py::none(), "copy"_a = py::none(),
          R"(The local part for NumPy, copied only for another dtype or copy=True. TypeError, which names the right call, if the
array is on more than one process, unless set_option(array="local") was called.)")
      .def(
          "__dlpack__",
          [](const Array& a, const py::object& stream, const py::object& max_version, const py::object& device,
             const py::object& copy) {
            const Buffer& buffer = a.array().buffer;
            return is_on_device(buffer.memory) ? device_tensor_of(buffer, stream, max_version, device, copy)
                                               : tensor_of(a.view(Part::local), stream, max_version, device, copy);
          },
          py::kw_only(), "stream"_a = py::none(), "max_version"_a = py::none(), "dl_device"_a = py::none(),
          "copy"_a = py::none(),
          R"(__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None) -> capsule

The local part as a DLPack capsule over the same memory; with copy=True over a copy. It is of DLPack 1 if `max_version` is
(1, 0) or later. Only DLPack 1 can describe read-only memory and bool. BufferError, with the reason, if DLPack cannot
describe the part.)")
      .def(
          "__dlpack_device__",
          [](const Array& a) {
            const Buffer& buffer = a.array().buffer;
            return is_on_device(buffer.memory) ? tensor_device_of(buffer) : py::make_tuple(1, 0);
          },
          "DLPack's number of the kind of device and the number of the device: the host is (1, 0), cuda:0 is (2, 0).")
      .def_property_readonly(
          "device", [](const Array& a) { return device_name(a.array().buffer.memory); },
          "Where this process's part is: \"cpu\", or a GPU such as \"cuda:0\".")
      .def("to", &moved_to, "device"_a, R"(to(device) -> DistArray

The array in the memory of `device`, "cpu" or "cuda:0": a copy of this process's part, or the array itself if it is there.
Not collective. The copy waits for the work on the legacy default stream of the device, and has ended at the return.
ValueError for another name. ProtocolError if the program does not use the device: TriDAP never starts one.)");
  bind_compute(module, type);

  module.def("asarray", &asarray, "obj"_a, "comm"_a = py::none(), "copy"_a = py::none(),
             R"(asarray(obj, comm=None, copy=None) -> DistArray

A DistArray over the memory of any object with __distarray__, or of the dictionary that it returns. It keeps the memory
alive. A DistArray that already fits is returned as it is.

Args:
    obj: the object. Its `buffer` offers the buffer protocol, DLPack, or NumPy's array interface, with any strides. An object
        without __distarray__ may also have __partitioned__, with one box for each process, or be a mpi4py_fft.DistArray or
        a petsc4py.PETSc.Vec: see tridap.petsc.
    comm: None: this process's data is checked, and nothing communicates. An mpi4py communicator: the array is checked
        with every process's part, and has the whole Distribution; the call is collective.
    copy: None or False: never copy, raise with the reason if a copy is needed; "if_needed": copy an object that offers
        no memory; True: always copy.

Raises:
    ProtocolError: with every violation; with `comm`, the same on every process.)");
  module.def("_version", [](const Text& name) { return stamp(version_named(name)); });
  module.def("_duplicate", [](const py::object& comm) {
    const MPI_Comm handle = comm_of(comm);
    const WithoutPython released;
    mpi::ours(handle);
  });
  module.def(
      "_over",
      [](py::object local, const Distribution& distribution, Index process, py::object comm,
         const py::object& receipt) {
        if (device_part_behind(local) == nullptr && !py::isinstance<py::array>(local))
          throw py::type_error("local must be a NumPy array or a DevicePart");
        return over(std::move(local), std::make_shared<const Distribution>(distribution), process, std::move(comm),
                    receipt.is_none() ? Receipt() : py::cast<const Receipt&>(receipt));
      },
      "local"_a, "distribution"_a, "process"_a, "comm"_a, "receipt"_a = py::none());
  module.def("_give_local_part", [](bool give) { gives_local_part = give; });
  module.def("_watch", [](const Array& array, const py::object& watcher) { array.watch(watcher); });
  module.def("_changed", [](const Array& array) { array.changed(); });
  module.def("_same_memory", [](py::object made, const Array& array) {
    py::cast<Array&>(made).share_watchers(array);
    return made;
  });
}

}  // namespace tridap::python
