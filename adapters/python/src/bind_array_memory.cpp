#include "array.hpp"
#include "bindings.hpp"
#include "device.hpp"
#include "memory.hpp"
#include "python_methods.hpp"
#include "tensor.hpp"
#include "text_argument.hpp"

namespace tridap::python {

namespace {

using namespace py::literals;

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

py::object moved_to(const py::object& self, const Text& device, const py::object& stream) {
  need_array(self);
  const Array& array = *array_behind(self);
  const Memory to = device_named(device);
  const Buffer& buffer = array.array().buffer;
  if (device_name(buffer.memory) == device_name(to)) return self;
  Receipt receipt;
  receipt.shared = receipt.same_address = false;
  receipt.bytes_copied = element_count(buffer) * buffer.type.bytes;
  return py::cast(array.over_copy(copied_to(buffer, to, stream), std::move(receipt)));
}

py::object tensor(const Array& array, const py::object& stream, const py::object& max_version, const py::object& device,
                  const py::object& copy) {
  const Buffer& buffer = array.array().buffer;
  return is_on_device(buffer.memory) ? device_tensor_of(buffer, stream, max_version, device, copy)
                                     : tensor_of(array.view(Part::local), stream, max_version, device, copy);
}

}  // namespace

void set_array_slots(PyHeapTypeObject* heap) {
  forbid_new(heap);
  PyTypeObject& type = heap->ht_type;
  heap->as_buffer.bf_getbuffer = give_buffer;
  type.tp_as_buffer = &heap->as_buffer;
  let_collect<Array>(heap);
}

void bind_array_memory(py::module_& module, py::class_<Array>& type) {
  type.def(
      "__distarray__", [](const Array& a) { return a.describe(Version::v0_10); },
      R"(__distarray__() -> dict

The protocol's dictionary, version 0.10.0: __version__, buffer (a NumPy view) and dim_data. ProtocolError for an array of
0.9 with padding on a periodic axis that was not made with comm=, and for elements that the buffer protocol cannot
describe, such as NumPy's dates.)");
  type.def(
      "_describe", [](const Array& a, const Text& v) { return a.describe(version_named(v)); }, "version"_a);
  type.def_property_readonly(
      "__partitioned__", [](const py::object& a) { return function_of("tridap._partitioned", "partitioned")(a); },
      R"(The dictionary of the draft protocol __partitioned__, which HeAT and others read: one partition for each process,
with the elements that it owns, and NumPy views of this process's own. 'location' is the rank in comm. AttributeError if an
axis is not in blocks, or only this process's part is known. Local.)");
  type.def(
      "__array__", &numpy_protocol, "dtype"_a = py::none(), "copy"_a = py::none(),
      R"(The local part for NumPy, copied only for another dtype or copy=True. TypeError, which names the right call, if the
array is on more than one process, unless set_option(array="local") was called.)");
  type.def("__dlpack__", &tensor, py::kw_only(), "stream"_a = py::none(), "max_version"_a = py::none(),
           "dl_device"_a = py::none(), "copy"_a = py::none(),
           R"(__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None) -> capsule

The local part as a DLPack capsule over the same memory; with copy=True over a copy. It is of DLPack 1 if `max_version` is
(1, 0) or later. Only DLPack 1 can describe read-only memory and bool. BufferError, with the reason, if DLPack cannot
describe the part.)");
  type.def(
      "__dlpack_device__",
      [](const Array& a) {
        const Buffer& buffer = a.array().buffer;
        return is_on_device(buffer.memory) ? tensor_device_of(buffer) : py::make_tuple(1, 0);
      },
      "DLPack's number of the kind of device and the number of the device: the host is (1, 0), cuda:0 is (2, 0).");
  type.def_property_readonly(
      "device", [](const Array& a) { return device_name(a.array().buffer.memory); },
      "Where this process's part is: \"cpu\", or a GPU such as \"cuda:0\".");
  type.def("to", &moved_to, "device"_a, py::kw_only(), "stream"_a = py::none(),
           R"(to(device, *, stream=None) -> DistArray

The array in the memory of `device`, "cpu" or "cuda:0": a copy of this process's part, or the array itself if it is there.
Not collective. The copy waits for the work on the legacy default stream of the device, which waits for all blocking streams,
and has ended at the return. If a non-blocking stream wrote the elements, pass it: `stream` is a number as in `__dlpack__`.
ValueError for another name, BufferError for another stream. ProtocolError if the program does not use the device: TriDAP never starts one.)");
  module.def("_give_local_part", [](bool give) { gives_local_part = give; });
}

}  // namespace tridap::python
