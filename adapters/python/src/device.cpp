#include "device.hpp"

#include "array.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "tensor.hpp"
#include "text_argument.hpp"
#include "value.hpp"
#include <tridap/c_array.hpp>
#include <tridap/check.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/driver.hpp>

#include <utility>

namespace tridap::python {

namespace {

std::string type_of_object(py::handle object) { return Py_TYPE(object.ptr())->tp_name; }

py::object attribute_or_none(py::handle object, const char* name) {
  const auto found = py::reinterpret_steal<py::object>(PyObject_GetAttrString(object.ptr(), name));
  if (found) return found;
  throw_if_interrupted();
  PyErr_Clear();
  return py::none();
}

// Throws Error for an array of which this object is one shard. True if the library never writes the memory.
bool is_read_only_library(py::handle object) {
  return py::cast<bool>(py::module_::import("tridap._foreign").attr("read_only_memory")(object));
}

Buffer wrong_unless_right(Buffer buffer) {
  if (Report found = check(buffer); !found.ok()) throw Error(std::move(found));
  return buffer;
}

driver::Stream stream_of(Index number) { return reinterpret_cast<driver::Stream>(static_cast<std::uintptr_t>(number)); }

// The dictionary of `__cuda_array_interface__`; None if the object has none, or raises.
py::object interface_of(py::handle object) {
  py::object said = attribute_or_none(object, "__cuda_array_interface__");
  return py::isinstance<py::dict>(said) ? said : py::none();
}

[[noreturn]] void refuse_interface(py::handle object, const std::string& fault, const std::string& must) {
  refuse("the __cuda_array_interface__ of a " + type_of_object(object) + " " + fault, must, "correct it", {},
         Rule::buffer_data);
}

std::optional<std::vector<Index>> integers_in(const py::dict& said, const char* key) {
  if (!said.contains(key) || said[key].is_none()) return std::nullopt;
  const Value value = to_value(said[key]);
  if (const auto* numbers = value.as<Value::Integers>()) return std::vector<Index>(numbers->begin(), numbers->end());
  if (py::len(said[key]) == 0) return std::vector<Index>{};
  return std::nullopt;
}

// A buffer of what the interface says. Its memory and owner are not set.
Buffer described_by(py::handle object, const py::dict& said) {
  Buffer buffer;
  const auto shape = integers_in(said, "shape");
  if (!shape) refuse_interface(object, "has no 'shape'", "must have a tuple of integers");
  const py::object name = said.contains("typestr") ? py::object(said["typestr"]) : py::none();
  const auto type = py::isinstance<py::str>(name) ? element_type(utf8_text(name)) : std::nullopt;
  if (!type) refuse_interface(object, "has the typestr " + utf8_text(py::repr(name)), "must be a number type");
  const py::object data = said.contains("data") ? py::object(said["data"]) : py::none();
  if (!py::isinstance<py::tuple>(data) || py::len(data) != 2)
    refuse_interface(object, "has no 'data'", "must be a pair of an address and a flag");
  const py::tuple pair = data;
  buffer.data = reinterpret_cast<void*>(py::cast<std::uintptr_t>(pair[0]));
  buffer.read_only = py::cast<bool>(pair[1]);
  buffer.type = *type;
  buffer.shape = *shape;
  buffer.strides = integers_in(said, "strides").value_or(row_major_strides(*shape, type->bytes));
  return buffer;
}

Buffer over_interface(py::handle object, const py::dict& said) {
  if (said.contains("mask") && !said["mask"].is_none())
    refuse_interface(object, "has a 'mask'", "must have none, since no other library would see it");
  Buffer buffer = described_by(object, said);
  buffer.owner = keep(py::reinterpret_borrow<py::object>(object));
  buffer.memory = {Memory::Kind::cuda, 0};
  if (buffer.data != nullptr) {  // an array without elements may have no address
    const std::optional<driver::Place> place = driver::place_of(buffer.data);
    if (!place)
      refuse("a " + type_of_object(object) + " states memory of a GPU by __cuda_array_interface__",
             "but this process has no CUDA", "use the device first, or give an object with __dlpack__", {},
             Rule::buffer_data);
    if (place->kind == driver::Place::Kind::managed) buffer.memory.kind = Memory::Kind::cuda_managed;
    buffer.memory.device = place->device;
  }
  const py::object stream = said.contains("stream") ? py::object(said["stream"]) : py::none();
  if (stream.is_none()) return buffer;
  const Value number = to_value(stream);
  const auto* handle = number.as<Index>();
  if (handle == nullptr || *handle < 1)
    refuse_interface(object, "has the stream " + number.text(), "must be None, 1, 2 or the address of a stream");
  if (*handle > 1) driver::order_after(buffer.memory, nullptr, stream_of(*handle));
  return buffer;
}

bool same_elements(const Buffer& a, const Buffer& b) {
  if (a.shape != b.shape || a.data != b.data) return false;
  for (std::size_t axis = 0; axis < a.shape.size(); ++axis)
    if (a.shape[axis] > 1 && a.strides[axis] != b.strides[axis]) return false;
  return true;
}

// CuPy 14.2 gives a wrong stride for x[::-1] in DLPack. Its other protocol has the right one.
void refuse_two_answers(py::handle object, const Buffer& tensor) {
  const py::object said = interface_of(object);
  if (said.is_none() || element_count(tensor) == 0) return;
  if (!same_elements(tensor, described_by(object, said)))
    refuse("__dlpack__ and __cuda_array_interface__ of a " + type_of_object(object) + " describe different elements",
           "so that one of them is wrong, as CuPy's __dlpack__ for a negative stride",
           "give a contiguous copy, such as cupy.ascontiguousarray(x)", {}, Rule::buffer_layout);
}

bool is_known(const TensorDevice& device) {
  const auto type = static_cast<std::int32_t>(device.type), id = static_cast<std::int32_t>(device.id);
  return type == device.type && id == device.id && memory_of(type, id).has_value();
}

// The memory of an object on a device, or of one that says so; nullopt if it is not.
std::optional<Buffer> device_buffer(py::handle object) {
  if (const DevicePart* const part = device_part_behind(object)) return part->buffer();
  if (py::isinstance<py::array>(object)) return std::nullopt;
  const std::string name = type_of_object(object);
  Buffer buffer;
  if (const std::optional<TensorDevice> device = tensor_device(object, name)) {
    if (device->type == kDLCPU || device->type == kDLCUDAHost || device->type == kDLROCMHost) return std::nullopt;
    if (!is_known(*device))
      refuse("the buffer of a " + name + " is in the memory of DLPack device type " + std::to_string(device->type) +
                 ", number " + std::to_string(device->id),
             "which is not supported", "bring it to the host first", {}, Rule::buffer_data);
    buffer = device_tensor(object, *device, name).array.buffer;
    if (!is_on_device(buffer.memory) && buffer.memory.kind != Memory::Kind::cuda_managed)
      refuse("__dlpack_device__ of a " + name + " says device type " + std::to_string(device->type) +
                 ", but its tensor is in " + buffer.memory.name() + " memory",
             "", "correct it", {}, Rule::buffer_data);
    refuse_two_answers(object, buffer);
  } else if (const py::object said = interface_of(object); !said.is_none()) {
    buffer = over_interface(object, said);
  } else {
    return std::nullopt;
  }
  return wrong_unless_right(std::move(buffer));
}

// Managed memory is the host's too, after the work of the device.
py::object managed_part(Buffer buffer) {
  driver::synchronize(buffer.memory, nullptr);
  buffer.memory = Memory{};
  return array_of(buffer);
}

driver::Stream consumer_stream(const Memory& memory, const py::object& stream, bool& waits) {
  const bool rocm = memory.kind == Memory::Kind::hip;
  waits = false;
  if (stream.is_none()) return nullptr;
  const Value value = to_value(stream);
  const auto* number = value.as<Index>();
  if (number == nullptr || !driver::is_stream(memory, *number))
    throw py::buffer_error("stream is " + value.text() +
                           (rocm ? ", must be None or 0 (the default stream), -1 (no order), or the address of a stream"
                                 : ", must be None or 1 (the legacy default stream), 2 (that of the thread), -1 (no "
                                   "order), or the address of a stream"));
  waits = *number > (rocm ? 0 : 1);
  return stream_of(*number);
}

[[noreturn]] void refuse_numpy(const DevicePart& part) {
  throw py::type_error(why_not_on_device(part.buffer().memory));
}

// A key of slices, integers, None and `...`, which selects a view. Other keys read elements.
py::tuple key_of_view(const DevicePart& part, const py::object& given) {
  py::list key;
  const py::tuple entries = py::isinstance<py::tuple>(given) ? py::tuple(given) : py::make_tuple(given);
  Index integers = 0;
  bool has_ellipsis = false;
  for (const py::handle entry : entries) {
    const bool is_ellipsis = entry.is(py::ellipsis());
    has_ellipsis = has_ellipsis || is_ellipsis;
    if (entry.is_none() || is_ellipsis || PySlice_Check(entry.ptr())) {
      key.append(entry);
      continue;
    }
    if (PyBool_Check(entry.ptr()) || PyIndex_Check(entry.ptr()) == 0) refuse_numpy(part);
    const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(entry.ptr()));
    if (!number) {  // a mask
      PyErr_Clear();
      refuse_numpy(part);
    }
    key.append(number);
    ++integers;
  }
  if (!has_ellipsis && integers == part.buffer().ndim() && static_cast<std::size_t>(integers) == entries.size())
    refuse_numpy(part);
  return py::tuple(key);
}

py::dict cuda_interface(const DevicePart& part) {
  const Buffer& buffer = part.buffer();
  py::dict said;
  said["shape"] = tuple_of(buffer.shape);
  if (buffer.type.kind == ElementType::Kind::bfloat) throw py::attribute_error("no typestr");  // see __getattr__
  said["typestr"] = part.dtype().attr("str");
  said["data"] = py::make_tuple(reinterpret_cast<std::uintptr_t>(buffer.data), buffer.read_only);
  said["strides"] = is_row_major(buffer) ? py::object(py::none()) : py::object(tuple_of(buffer.strides));
  said["version"] = 3;
  said["stream"] = 1;
  return said;
}

// Python's operators and conversions would read the elements, or compare the objects.
void refuse_operators(py::class_<DevicePart>& type) {
  std::vector<std::string> names{"__neg__",  "__pos__",   "__abs__",     "__invert__", "__divmod__",  "__rdivmod__",
                                 "__eq__",   "__ne__",    "__lt__",      "__le__",     "__gt__",      "__ge__",
                                 "__bool__", "__float__", "__complex__", "__int__",    "__contains__"};
  for (const std::string name :
       {"add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift", "matmul"})
    for (const std::string prefix : {"__", "__r", "__i"}) names.push_back(prefix + name + "__");
  for (const std::string& name : names)
    type.def(name.c_str(), [](const DevicePart& p, const py::args&) -> py::object { refuse_numpy(p); });
  type.def("__hash__", [](const py::object& self) {
    return py::module_::import("builtins").attr("object").attr("__hash__")(self);
  });
}

// Views of the same memory.
void bind_views(py::class_<DevicePart>& type) {
  type.def(
          "__getitem__",
          [](const py::object& self, const py::object& key) {
            const py::tuple known = key_of_view(py::cast<const DevicePart&>(self), key);
            return part_at(addresses_of(self).attr("__getitem__")(known), self);
          },
          R"(part[key] -> DevicePart

The part that slices and integers select, over the same memory. TypeError, which names the right call, for one element, and
for a key that is a mask or a list.)")
      .def(
          "transpose",
          [](const py::object& self, const py::args& axes) {
            return part_at(addresses_of(self).attr("transpose")(*axes), self);
          },
          "transpose(*axes) -> DevicePart\n\nThe axes in this order, over the same memory; by default the opposite "
          "order.")
      .def(
          "__len__",
          [](const DevicePart& p) {
            if (p.buffer().ndim() == 0) throw py::type_error("len() of a part without axes");
            return p.buffer().shape.front();
          },
          "The extent of the first axis.");
}

// What NumPy's arrays have, and a part has not.
void refuse_numpys(py::class_<DevicePart>& type) {
  type.def(
          "__array__", [](const DevicePart& p, const py::args&, const py::kwargs&) -> py::object { refuse_numpy(p); },
          "TypeError, which names the right call: NumPy cannot read this memory.")
      .def("__array_ufunc__",
           [](const DevicePart& p, const py::args&, const py::kwargs&) -> py::object { refuse_numpy(p); })
      .def("__array_function__",
           [](const DevicePart& p, const py::args&, const py::kwargs&) -> py::object { refuse_numpy(p); })
      .def("__setitem__", [](const DevicePart& p, const py::object&, const py::object&) { refuse_numpy(p); })
      .def("__getattr__", [](const DevicePart& p, const Text& attribute) -> py::object {
        const std::string& name = attribute;
        const bool is_protocol = name.compare(0, 2, "__") == 0;
        if (name == "__cuda_array_interface__")  // of no other elements
          throw py::attribute_error("the elements are bfloat16, which " + name + " cannot say: use __dlpack__");
        throw py::attribute_error("a DevicePart has no " + name +
                                  (is_protocol ? "" : ": " + why_not_on_device(p.buffer().memory)));
      });
}

std::string shown_part(const DevicePart& part) {
  const Buffer& buffer = part.buffer();
  return "<DevicePart: " + py::cast<std::string>(py::str(tuple_of(buffer.shape))) + " " + buffer.type.name() + " on " +
         device_name(buffer.memory) + ">";
}

}  // namespace

const DevicePart* device_part_behind(py::handle object) {
  const py::handle type = py::type::handle_of<DevicePart>();
  if (PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(type.ptr())) == 0) return nullptr;
  return holds_value(object.ptr(), typeid(DevicePart)) ? &py::cast<const DevicePart&>(object) : nullptr;
}

bool is_on_device(const Memory& memory) {
  return memory.kind == Memory::Kind::cuda || memory.kind == Memory::Kind::hip || memory.kind == Memory::Kind::sycl;
}

std::string device_name(const Memory& memory) {
  return memory.is_on_host() || memory.kind == Memory::Kind::nowhere ? "cpu" : memory.name();
}

Memory device_named(const std::string& name) {
  if (name == "cpu") return {};
  for (const auto& [stem, kind] : {std::pair{"cuda:", Memory::Kind::cuda}, std::pair{"hip:", Memory::Kind::hip}}) {
    const std::string start = stem, digits = name.substr(std::min(start.size(), name.size()));
    if (name.compare(0, start.size(), start) == 0 && !digits.empty() && digits.size() < 6 &&
        digits.find_first_not_of("0123456789") == std::string::npos)
      return {kind, std::stol(digits)};
  }
  throw py::value_error("device is '" + name + "', must be 'cpu', or the device and its number, such as 'cuda:0'");
}

std::string why_not_on_device(const Memory& memory) {
  return "the elements are in the memory of " + device_name(memory) +
         ", which this call cannot read: x.to(\"cpu\") is a copy on the host, and cupy.from_dlpack(x.local) or "
         "torch.from_dlpack(x.local) are arrays over the same memory";
}

void refuse_on_device(const Memory& memory) {
  if (!is_on_device(memory)) return;
  refuse("the elements are in the memory of " + device_name(memory), "which this call cannot use",
         "x.to(\"cpu\") is a copy on the host");
}

py::object part_over(py::handle object, Copy copy, Receipt& receipt) {
  const bool foreign = !py::isinstance<py::array>(object) && device_part_behind(object) == nullptr;
  const bool read_only = foreign && is_read_only_library(object);
  if (std::optional<Buffer> buffer = device_buffer(object)) {
    buffer->read_only = buffer->read_only || read_only;
    if (copy == Copy::always)
      refuse("copy=True of an array in the memory of " + device_name(buffer->memory), "",
             "copy it with the library that made it, or call tridap.asarray(array, comm).to(\"cpu\"), which copies it "
             "to the "
             "host");
    return part_of(std::move(*buffer));
  }
  py::object array = array_over(object, copy, receipt);
  if (read_only && receipt.bytes_copied == 0) array.attr("flags").attr("writeable") = false;
  return array;
}

py::object part_over(py::handle object) {
  py::object part = device_part_over(object);
  return part.is_none() ? array_over(object) : part;
}

py::object device_part_over(py::handle object) {
  if (py::isinstance<py::array>(object)) return py::none();
  const bool read_only = device_part_behind(object) == nullptr && is_read_only_library(object);
  std::optional<Buffer> buffer = device_buffer(object);
  if (!buffer) return py::none();
  buffer->read_only = buffer->read_only || read_only;
  return part_of(std::move(*buffer));
}

Buffer buffer_of_part(py::handle part) {
  if (const DevicePart* const device = device_part_behind(part)) return device->buffer();
  return buffer_of(py::reinterpret_borrow<py::array>(part));
}

py::object part_of(Buffer buffer) {
  if (is_on_device(buffer.memory)) return py::cast(DevicePart(std::move(buffer)));
  if (buffer.memory.kind == Memory::Kind::cuda_managed) return managed_part(std::move(buffer));
  return array_of(buffer);
}

py::object read_only_part(py::handle part) {
  if (const DevicePart* const device = device_part_behind(part)) {
    Buffer buffer = device->buffer();
    buffer.read_only = true;
    return part_of(std::move(buffer));
  }
  py::object view = part.attr("view")();
  view.attr("flags").attr("writeable") = false;
  return view;
}

py::array addresses_of(py::handle part) {
  const DevicePart* const device = device_part_behind(part);
  if (device == nullptr) return py::reinterpret_borrow<py::array>(part);
  static std::byte nowhere{};  // without an address NumPy would allocate memory
  const Buffer& buffer = device->buffer();
  py::array array(device->dtype(), std::vector<py::ssize_t>(buffer.shape.begin(), buffer.shape.end()),
                  std::vector<py::ssize_t>(buffer.strides.begin(), buffer.strides.end()),
                  buffer.data != nullptr ? buffer.data : &nowhere, part);
  array.attr("flags").attr("writeable") = false;
  return array;
}

py::object part_at(const py::array& view, py::handle part) {
  const DevicePart* const device = device_part_behind(part);
  if (device == nullptr) return view;
  const Buffer& whole = device->buffer();
  Buffer buffer = buffer_of(view);
  if (view.dtype().equal(device->dtype())) buffer.type = whole.type;
  if (whole.data == nullptr) buffer.data = nullptr;
  buffer.read_only = whole.read_only;
  buffer.memory = whole.memory;
  buffer.owner = whole.owner;
  return part_of(std::move(buffer));
}

DeviceStream device_stream(const py::object& given) {
  if (given.is_none()) return {};
  const Value value = to_value(given);
  const Index* const number = value.as<Index>();
  if (number == nullptr)
    throw py::type_error("stream is " + value.text() +
                         ", must be None or the number of a stream, as DLPack counts them");
  return *number;
}

void order_after_stream(const Memory& memory, const py::object& stream) {
  bool waits = false;
  const driver::Stream producer = consumer_stream(memory, stream, waits);
  if (waits) driver::order_after(memory, nullptr, producer);
}

py::object copied_to(const Buffer& buffer, const Memory& memory, const py::object& stream) {
  if (!is_on_device(buffer.memory) && !is_on_device(memory)) return py::none();
  if (buffer.type.kind == ElementType::Kind::opaque)
    refuse("the elements are " + buffer.type.text(), "which GPU libraries do not have",
           "give elements of a number type");
  bool waits = false;
  if (is_on_device(buffer.memory))
    order_after_stream(buffer.memory, stream);
  else
    consumer_stream(memory, stream, waits);
  return part_of(driver::copy_to(buffer, memory));
}

py::object device_tensor_of(const Buffer& buffer, const py::object& stream, const py::object& max_version,
                            const py::object& device, const py::object& copy) {
  const bool versioned = wants_version_1(max_version);
  const std::optional<bool> wanted = copy_flag(copy);
  const bool to_host = !device.is_none() && device.equal(py::make_tuple(static_cast<int>(kDLCPU), 0));
  if (!device.is_none() && !to_host && !device.equal(tensor_device_of(buffer)))
    throw py::buffer_error("dl_device is " + py::cast<std::string>(py::str(device)) + ", but the elements are on " +
                           device_name(buffer.memory) + ", and can only be copied to the host, (1, 0)");
  if (to_host && wanted && !*wanted)
    throw py::buffer_error("copy=False, but the elements are on " + device_name(buffer.memory) +
                           ": x.to(\"cpu\") copies them to the host");
  if (to_host && !stream.is_none()) throw py::buffer_error("host memory has no stream: pass stream=None");
  try {
    bool waits = false;
    const driver::Stream consumer = to_host ? nullptr : consumer_stream(buffer.memory, stream, waits);
    const bool copied = to_host || wanted.value_or(false);
    Buffer given = copied ? driver::copy_to(buffer, to_host ? Memory{} : buffer.memory) : buffer;
    if (waits) driver::order_after(buffer.memory, consumer, nullptr);
    return capsule_over(std::move(given), versioned, copied);
  } catch (const Error& error) {
    throw py::buffer_error(error.what());
  }
}

py::tuple tensor_device_of(const Buffer& buffer) {
  return py::make_tuple(tridap::device_type(buffer.memory.kind), buffer.memory.device);
}

void bind_device(py::module_& module) {
  using namespace py::literals;
  py::class_<DevicePart> type(
      module, "DevicePart", py::custom_type_setup([](PyHeapTypeObject* heap) { forbid_new(heap); }),
      R"(The part of an array in the memory of a GPU: `local`, `owned` and `interior` of a DistArray.

It has the protocols of GPU libraries: cupy.from_dlpack(x.local), torch.from_dlpack(x.local), cupy.asarray(x.local) are
arrays over the same memory. NumPy cannot read it: x.to("cpu") is a copy on the host.)");
  type.def_property_readonly(
          "shape", [](const DevicePart& p) { return tuple_of(p.buffer().shape); },
          "The number of elements along each axis.")
      .def_property_readonly(
          "strides", [](const DevicePart& p) { return tuple_of(p.buffer().strides); },
          "The bytes from one element to the next along each axis.")
      .def_property_readonly(
          "ndim", [](const DevicePart& p) { return p.buffer().ndim(); }, "How many axes there are.")
      .def_property_readonly(
          "size", [](const DevicePart& p) { return element_count(p.buffer()); }, "How many elements there are.")
      .def_property_readonly(
          "nbytes", [](const DevicePart& p) { return element_count(p.buffer()) * p.buffer().type.bytes; },
          "The bytes of all elements.")
      .def_property_readonly(
          "dtype", [](const DevicePart& p) { return p.dtype(); }, "The element type, NumPy's.")
      .def_property_readonly(
          "device", [](const DevicePart& p) { return device_name(p.buffer().memory); },
          "Where it is, such as \"cuda:0\".")
      .def_property_readonly("__cuda_array_interface__", &cuda_interface,
                             "Version 3: address, shape, type, strides, and the stream 1, the legacy default stream.")
      .def(
          "__dlpack__",
          [](const DevicePart& p, const py::object& stream, const py::object& max_version, const py::object& device,
             const py::object& copy) { return device_tensor_of(p.buffer(), stream, max_version, device, copy); },
          py::kw_only(), "stream"_a = py::none(), "max_version"_a = py::none(), "dl_device"_a = py::none(),
          "copy"_a = py::none(),
          R"(__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None) -> capsule

A DLPack capsule over the same memory, or over a copy with copy=True or dl_device=(1, 0), the host. The work of `stream` that
comes later waits for the legacy default stream: None or 1 is that stream, 2 that of the thread, -1 asks for no order, other
numbers are addresses of streams. BufferError, with the reason, if there is no capsule.)")
      .def(
          "__dlpack_device__", [](const DevicePart& p) { return tensor_device_of(p.buffer()); },
          "DLPack's number of the kind of device, and the number of the device: (2, 0) is cuda:0.")
      .def("__repr__", &shown_part);
  bind_views(type);
  refuse_numpys(type);
  refuse_operators(type);
  module.def("_device_part", &device_part_over);
  module.def("_host_copy",
             [](const py::object& part) { return copied_to(buffer_of_part(part), Memory{}, py::none()); });
  module.def("_refuse_on_device", [](const py::object& given) {
    if (const DevicePart* const part = device_part_behind(given)) refuse_on_device(part->buffer().memory);
    if (const Array* const array = array_behind(given)) refuse_on_device(array->array().buffer.memory);
  });
}

}  // namespace tridap::python
