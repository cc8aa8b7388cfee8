#include <tridap/c_array.hpp>
#include <tridap/check.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/dlpack.hpp>
#include <tridap/internal/driver.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace tridap::dlpack {

namespace {

using Kind = ElementType::Kind;

constexpr Index byte_bits = 8;

// What one form of a tensor can describe.
struct Form {
  const char* name;
  bool says_read_only, says_boolean, says_sycl;
};
constexpr Form form_0 = {"DLPack 0.6", false, false, false}, form_1 = {"DLPack 1.0", true, true, true};

// The element types that both DLPack and a Buffer have. Each has a number of whole bytes.
struct TypeRow {
  Kind kind;
  std::uint8_t code;
  std::array<Index, 4> bytes;
};
constexpr std::array<TypeRow, 6> types = {{{Kind::signed_integer, kDLInt, {1, 2, 4, 8}},
                                           {Kind::unsigned_integer, kDLUInt, {1, 2, 4, 8}},
                                           {Kind::floating, kDLFloat, {2, 4, 8, 0}},
                                           {Kind::complex, kDLComplex, {8, 16, 0, 0}},
                                           {Kind::bfloat, kDLBfloat, {2, 0, 0, 0}},
                                           {Kind::boolean, boolean_code, {1, 0, 0, 0}}}};

bool knows(const TypeRow& row, Index bytes) {
  return bytes > 0 && std::find(row.bytes.begin(), row.bytes.end(), bytes) != row.bytes.end();
}

std::optional<DLDataType> tensor_type(const ElementType& type, const Form& form) {
  for (const TypeRow& row : types)
    if (row.kind == type.kind && knows(row, type.bytes) && (row.kind != Kind::boolean || form.says_boolean))
      return DLDataType{row.code, static_cast<std::uint8_t>(type.bytes * byte_bits), 1};
  return std::nullopt;
}

std::optional<ElementType> buffer_type(const DLDataType& type) {
  for (const TypeRow& row : types)
    if (row.code == type.code && type.lanes == 1 && type.bits % byte_bits == 0 && knows(row, type.bits / byte_bits))
      return ElementType{row.kind, type.bits / byte_bits, true};
  return std::nullopt;
}

// A tensor and everything that it points at. Its members do not move once it is filled.
template <class Managed>
struct Held {
  Managed tensor = {};
  DistArray array;
  std::vector<std::int64_t> strides;
};

template <class Managed>
void delete_held(Managed* tensor) {
  delete static_cast<Held<Managed>*>(tensor->manager_ctx);
}

DLDevice device_of(const Memory& memory, const Form& form, Report& report) {
  const bool sycl = memory.kind == Memory::Kind::sycl;
  const std::int32_t number = device_type(memory.kind), id = static_cast<std::int32_t>(memory.device);
  if ((sycl && !form.says_sycl) || id != memory.device || !tridap::memory_of(number, id)) {
    report.add(refusal("the memory is " + memory.name() + " (device " + std::to_string(memory.device) + ")",
                       std::string("for which ") + form.name + " has no device type", "copy the elements to the host"));
    return {kDLCPU, 0};
  }
  DLDevice device = {kDLCPU, id};
  std::memcpy(&device.device_type, &number, sizeof(number));  // an older header's enumeration may not have the number
  return device;
}

DLDataType type_of(const ElementType& type, const Form& form, Report& report) {
  if (!type.native_order && type.bytes > 1)
    report.add(refusal("the elements are " + type.name() + ", but DLPack only has this machine's byte order", "",
                       "copy the elements into this machine's byte order"));
  const std::optional<DLDataType> known = tensor_type(type, form);
  if (!known)
    report.add(refusal("the elements are " + type.name() + ", for which " + form.name + " has no type", "",
                       type.kind == Kind::boolean && type.bytes == 1
                           ? "describe them as uint8, or request a tensor of DLPack 1 (import_versioned in C++)"
                           : "copy the elements into another type"));
  return known.value_or(DLDataType{});
}

std::vector<std::int64_t> element_strides(const Buffer& buffer, Report& report) {
  std::vector<std::int64_t> strides;
  for (std::size_t axis = 0; axis < buffer.strides.size(); ++axis) {
    const Index stride = buffer.strides[axis], bytes = buffer.type.bytes;
    if (buffer.shape[axis] > 1 && stride % bytes != 0)
      report.add(
          refusal("the stride is " + std::to_string(stride) + " bytes for " + std::to_string(bytes) + "-byte elements",
                  "but DLPack counts strides in elements", "copy the elements into a contiguous buffer",
                  static_cast<Index>(axis)));
    strides.push_back(stride / bytes);
  }
  return strides;
}

bool is_undistributed(const Dimension& dimension) {
  const Block* block = std::get_if<Block>(&dimension.dist);
  return block != nullptr && block->start == 0 && block->stop == dimension.size && !block->padding &&
         dimension.proc_grid_size == 1 && dimension.proc_grid_rank == 0 && !dimension.periodic &&
         dimension.extras.empty();
}

// An enumeration in another producer's tensor may hold any number, which C++ must not load as the enumeration.
std::int32_t device_number(const DLDevice& device) {
  static_assert(sizeof(device.device_type) == sizeof(std::int32_t));
  std::int32_t number = 0;
  std::memcpy(&number, &device.device_type, sizeof(number));
  return number;
}

Memory memory_of(const DLDevice& device, Report& report) {
  const std::int32_t number = device_number(device);
  const std::optional<Memory> memory = tridap::memory_of(number, device.device_id);
  if (!memory)
    report.add(
        refusal("the tensor is on device (" + std::to_string(number) + ", " + std::to_string(device.device_id) + ")",
                "which is not supported", "copy the elements to the host"));
  return memory.value_or(Memory{});
}

// The strides in bytes. One that does not fit 64 bits is an error.
IndexList byte_strides(const DLTensor& tensor, const Buffer& buffer, Report& report) {
  if (tensor.strides == nullptr) return row_major_strides(buffer.shape, buffer.type.bytes);
  IndexList strides;
  for (std::size_t axis = 0; axis < buffer.shape.size(); ++axis) {
    const std::optional<Index> stride = checked_multiply(tensor.strides[axis], buffer.type.bytes);
    if (!stride && buffer.shape[axis] > 1)
      report.add(
          refusal("the stride of " + std::to_string(tensor.strides[axis]) + " elements does not fit 64 bits in bytes",
                  "", "correct the tensor", static_cast<Index>(axis)));
    strides.push_back(stride.value_or(0));
  }
  return strides;
}

void* address(const DLTensor& tensor, Report& report) {
  if (tensor.data == nullptr || tensor.byte_offset == 0) return tensor.data;
  const auto base = reinterpret_cast<std::uintptr_t>(tensor.data);
  if (tensor.byte_offset > std::numeric_limits<std::uintptr_t>::max() - base) {
    report.add(refusal("the byte_offset " + std::to_string(tensor.byte_offset) + " exceeds the address space", "",
                       "correct the tensor"));
    return nullptr;
  }
  return reinterpret_cast<void*>(base + static_cast<std::uintptr_t>(tensor.byte_offset));
}

Buffer read(const DLTensor& tensor, Report& report) {
  Buffer buffer;
  const std::optional<ElementType> type = buffer_type(tensor.dtype);
  if (!type)
    report.add(refusal("the elements have DLPack type code " + std::to_string(tensor.dtype.code) + ", " +
                           std::to_string(tensor.dtype.bits) + " bits, " + std::to_string(tensor.dtype.lanes) +
                           " lanes",
                       "which is not supported", "copy the elements into a number type with one lane"));
  if (tensor.ndim < 0 || tensor.ndim > DAP_MAX_COUNT)
    report.add(refusal("the tensor has " + std::to_string(tensor.ndim) + " axes",
                       "but a tensor has at least 0 and at most " + std::to_string(DAP_MAX_COUNT),
                       "correct the tensor"));
  else if (tensor.ndim > 0 && tensor.shape == nullptr)
    report.add(refusal("the tensor's shape is NULL", "", "correct the tensor"));
  buffer.memory = memory_of(tensor.device, report);
  buffer.data = address(tensor, report);
  if (!report.ok()) return buffer;
  buffer.type = *type;
  if (tensor.ndim > 0) buffer.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  buffer.strides = byte_strides(tensor, buffer, report);
  if (report.ok()) report.merge(check(buffer));
  return buffer;
}

bool has_streams(const Buffer& buffer) { return !buffer.memory.is_on_host() && element_count(buffer) > 0; }

// Lets our later work wait for the producer's. Managed memory is the host's too, so that the host waits.
void wait_for(const DeviceStream& producer, const Buffer& buffer) {
  if (!has_streams(buffer)) return;
  driver::order_ours_after(buffer.memory, producer);
  const bool hosts_too = buffer.memory.kind == Memory::Kind::cuda_managed;
  if (hosts_too && producer.number && driver::is_started(buffer.memory)) driver::synchronize(buffer.memory, nullptr);
}

// A tensor over the array's memory in one of the two forms. The caller sets its version and flags.
template <class Managed>
std::unique_ptr<Managed, ReleaseTensor> tensor_over(DistArray array, const Form& form, DeviceStream consumer,
                                                    Receipt& receipt) {
  auto held = std::make_unique<Held<Managed>>();
  held->array = std::move(array);
  Buffer& buffer = held->array.buffer;
  throw_if_wrong(check(buffer));
  Report report;
  DLTensor& tensor = held->tensor.dl_tensor;
  tensor.data = buffer.data;
  tensor.device = device_of(buffer.memory, form, report);
  tensor.dtype = type_of(buffer.type, form, report);
  if (buffer.read_only && !form.says_read_only)
    report.add(refusal(std::string("the memory is read-only, which ") + form.name + " cannot describe", "",
                       "request a tensor of DLPack 1 (import_versioned in C++), copy the elements, or set read_only to "
                       "false if the consumer does not write"));
  if (buffer.ndim() > std::numeric_limits<int>::max())
    report.add(refusal("the buffer has " + std::to_string(buffer.ndim()) + " axes", "but DLPack counts axes in 32 bits",
                       "reshape the buffer"));
  held->strides = element_strides(buffer, report);
  throw_if_wrong(report);
  if (has_streams(buffer)) driver::order_after_ours(buffer.memory, consumer);
  tensor.ndim = static_cast<int>(buffer.ndim());
  tensor.shape = buffer.shape.data();
  tensor.strides = held->strides.data();
  held->tensor.manager_ctx = held.get();
  held->tensor.deleter = delete_held<Managed>;

  const DimData& dims = held->array.dim_data;
  if (!std::all_of(dims.begin(), dims.end(), is_undistributed))
    receipt.losses.push_back("dim_data: how the array is distributed");
  const Memory::Kind kind = held->array.buffer.memory.kind;
  if (tridap::memory_of(device_type(kind), 0) && tridap::memory_of(device_type(kind), 0)->kind != kind)
    receipt.losses.push_back("that the memory is " + held->array.buffer.memory.name());
  return std::unique_ptr<Managed, ReleaseTensor>(&held.release()->tensor);
}

void refuse_none(const void* tensor) {
  if (tensor == nullptr) refuse("the tensor is NULL", "", "give a tensor");
}

ExportedArray array_over(const DLTensor& tensor, bool read_only, DeviceStream producer, std::shared_ptr<void> owner) {
  Report report;
  ExportedArray exported;
  Buffer& buffer = exported.array.buffer;
  buffer = read(tensor, report);
  throw_if_wrong(report);
  wait_for(producer, buffer);
  buffer.read_only = read_only;
  buffer.owner = std::move(owner);
  for (const Index extent : buffer.shape) exported.array.dim_data.push_back(undistributed(extent));
  return exported;
}

}  // namespace

ImportedTensor import_array(DistArray array, DeviceStream consumer) {
  ImportedTensor imported;
  imported.tensor = tensor_over<DLManagedTensor>(std::move(array), form_0, consumer, imported.receipt);
  return imported;
}

ImportedVersionedTensor import_versioned(DistArray array, DeviceStream consumer) {
  const bool read_only = array.buffer.read_only;
  ImportedVersionedTensor imported;
  imported.tensor = tensor_over<DLManagedTensorVersioned>(std::move(array), form_1, consumer, imported.receipt);
  imported.tensor->version = {major_version, 0};
  imported.tensor->flags = read_only ? read_only_flag : 0;
  return imported;
}

ExportedArray export_array(Tensor tensor, DeviceStream producer) {
  refuse_none(tensor.get());
  const std::shared_ptr<DLManagedTensor> held = std::move(tensor);
  return array_over(held->dl_tensor, false, producer, held);
}

ExportedArray export_array(VersionedTensor tensor, DeviceStream producer) {
  refuse_none(tensor.get());
  const std::shared_ptr<DLManagedTensorVersioned> held = std::move(tensor);
  const DLPackVersion version = held->version;
  if (version.major != major_version)  // its other members may be at other positions
    throw Error(
        Finding{Rule::conversion,
                {},
                {},
                "",
                "the tensor is of DLPack " + std::to_string(version.major) + "." + std::to_string(version.minor),
                "must be of DLPack 1",
                "ask the producer for version 1.0"});
  ExportedArray exported = array_over(held->dl_tensor, (held->flags & read_only_flag) != 0, producer, held);
  if ((held->flags & is_copied_flag) != 0)
    exported.receipt.losses.push_back("that the producer copied the memory for the tensor");
  return exported;
}

}  // namespace tridap::dlpack
