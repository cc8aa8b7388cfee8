#include "tensor.hpp"

#include "memory.hpp"
#include "text_argument.hpp"
#include "value.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/dlpack.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <optional>

namespace tridap::python {

namespace {

/// The names of the capsules of each form before and after a consumer took the tensor.
template <class Managed>
struct Names;
template <>
struct Names<DLManagedTensor> {
  static constexpr const char *fresh = "dltensor", *used = "used_dltensor";
};
template <>
struct Names<DLManagedTensorVersioned> {
  static constexpr const char *fresh = "dltensor_versioned", *used = "used_dltensor_versioned";
};

void need_host(py::handle object, const std::string& type_name) {
  const std::optional<TensorDevice> device = tensor_device(object, type_name);
  if (device && device->type != kDLCPU && device->type != kDLCUDAHost && device->type != kDLROCMHost)
    refuse("the buffer of a " + type_name + " is in the memory of DLPack device type " + std::to_string(device->type),
           "", "bring it to the host first", {}, Rule::buffer_data);
}

// The tensor in DLPack 1's form if the object knows its keywords. `few` are those that DLPack 0 knows too.
py::object ask(py::handle object, const py::dict& few, const py::dict& more = py::dict()) {
  const py::object method = object.attr("__dlpack__");
  py::dict all;
  all["max_version"] = py::make_tuple(dlpack::major_version, 0);
  all["copy"] = false;
  for (const py::dict& given : {few, more})
    for (const auto& [key, value] : given) all[key] = value;
  try {
    return method(**all);
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_TypeError)) throw;  // TypeError: the object knows only DLPack 0, without these keywords
  }
  return method(**few);
}

template <class Managed>
std::optional<dlpack::ExportedArray> taken(const py::object& capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), Names<Managed>::fresh) == 0) return std::nullopt;
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), Names<Managed>::fresh));
  PyCapsule_SetName(capsule.ptr(), Names<Managed>::used);
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>)
    if (managed->version.major == dlpack::major_version && (managed->flags & dlpack::is_copied_flag) != 0) {
      const dlpack::VersionedTensor released(managed);
      refuse("__dlpack__ gave a copy of the memory, though it was asked for none", "", "give a PEP 3118 buffer", {},
             Rule::buffer_data);
    }
  return dlpack::export_array(std::unique_ptr<Managed, dlpack::ReleaseTensor>(managed));
}

template <class Tensor>
py::object capsule_of(Tensor tensor) {
  using Managed = typename Tensor::element_type;
  auto capsule =
      py::reinterpret_steal<py::object>(PyCapsule_New(tensor.get(), Names<Managed>::fresh, [](PyObject* dropped) {
        if (PyCapsule_IsValid(dropped, Names<Managed>::fresh) == 0) return;  // the consumer that took it releases it
        const Tensor held(static_cast<Managed*>(PyCapsule_GetPointer(dropped, Names<Managed>::fresh)));
      }));
  if (!capsule) throw py::error_already_set();
  static_cast<void>(tensor.release());
  return capsule;
}

void check_device(const py::object& device) {
  if (!device.is_none() && !device.equal(py::make_tuple(1, 0)))
    throw py::buffer_error("dl_device is " + py::cast<std::string>(py::str(device)) +
                           ", but the elements are on the host, (1, 0), which __dlpack__ never leaves");
}

dlpack::ExportedArray exported_from(const py::object& capsule, const std::string& type_name) {
  std::optional<dlpack::ExportedArray> exported = taken<DLManagedTensorVersioned>(capsule);
  if (!exported) exported = taken<DLManagedTensor>(capsule);
  if (!exported)
    refuse("__dlpack__ of a " + type_name + " gave no DLPack tensor that is new", "", "give a PEP 3118 buffer", {},
           Rule::buffer_data);
  return std::move(*exported);
}

}  // namespace

std::optional<TensorDevice> tensor_device(py::handle object, const std::string& type_name) {
  const auto asked = py::reinterpret_steal<py::object>(PyObject_GetAttrString(object.ptr(), "__dlpack_device__"));
  if (!asked) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw py::error_already_set();
    PyErr_Clear();
    return std::nullopt;
  }
  const Value said = to_value(asked());
  const auto* numbers = said.as<Value::Integers>();
  if (numbers == nullptr || numbers->size() != 2)
    refuse("__dlpack_device__ of a " + type_name + " returned " + said.text(), "must return a pair of integers",
           "give a PEP 3118 buffer", {}, Rule::buffer_data);
  return TensorDevice{numbers->front(), numbers->back()};
}

dlpack::ExportedArray device_tensor(py::handle object, const TensorDevice& device, const std::string& type_name) {
  py::dict few, more;
  few["stream"] = device.type == kDLROCM ? 0 : 1;  // the legacy default stream
  more["dl_device"] = py::make_tuple(device.type, device.id);
  return exported_from(ask(object, few, more), type_name);
}

py::object capsule_over(Buffer buffer, bool versioned, bool copied) {
  DistArray local;
  local.buffer = std::move(buffer);
  for (const Index extent : local.buffer.shape) local.dim_data.push_back(undistributed(extent));
  if (!versioned) return capsule_of(dlpack::import_array(std::move(local)).tensor);
  dlpack::VersionedTensor tensor = dlpack::import_versioned(std::move(local)).tensor;
  if (copied) tensor->flags |= dlpack::is_copied_flag;
  return capsule_of(std::move(tensor));
}

bool wants_version_1(const py::object& max_version) {
  if (max_version.is_none()) return false;
  const Value version = to_value(max_version);
  const auto* numbers = version.as<Value::Integers>();
  if (numbers == nullptr || numbers->size() != 2)
    throw py::type_error("max_version is " + version.text() + ", must be None or a pair of integers such as (1, 0)");
  return numbers->front() >= static_cast<Index>(dlpack::major_version);
}

py::array over_tensor(py::handle object, const std::string& type_name) {
  need_host(object, type_name);
  const dlpack::ExportedArray exported = exported_from(ask(object, py::dict()), type_name);
  const Buffer& buffer = exported.array.buffer;
  if (!buffer.memory.is_on_host())  // whatever __dlpack_device__ reported
    refuse("the buffer of a " + type_name + " is in " + buffer.memory.name() + " memory", "",
           "bring it to the host first", {}, Rule::buffer_data);
  return array_of(buffer);
}

py::object tensor_of(const py::array& array, const py::object& stream, const py::object& max_version,
                     const py::object& device, const py::object& copy) {
  if (!stream.is_none()) throw py::buffer_error("host memory has no stream: pass stream=None");
  check_device(device);
  const bool versioned = wants_version_1(max_version), copied = copy_flag(copy).value_or(false);
  const py::array memory = copied ? py::array(array.attr("copy")()) : array;
  try {
    refuse_objects(memory);
    return capsule_over(buffer_of(memory), versioned, copied);
  } catch (const Error& error) {
    throw py::buffer_error(error.what());
  }
}

}  // namespace tridap::python
