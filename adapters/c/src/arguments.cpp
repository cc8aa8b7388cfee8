#include <tridap/c/objects.hpp>
#include <tridap/c_array.hpp>
#include <tridap/element_format.hpp>
#include <tridap/internal/driver.hpp>
#include <tridap/text.hpp>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace tridap::c {

namespace {

struct NamedType {
  tridap_type number;
  const char* format;  // of tridap/dap.h
};

constexpr NamedType types[] = {
    {TRIDAP_BOOL, "?"},     {TRIDAP_INT8, "b"},        {TRIDAP_INT16, "<h"},       {TRIDAP_INT32, "<i"},
    {TRIDAP_INT64, "<q"},   {TRIDAP_UINT8, "B"},       {TRIDAP_UINT16, "<H"},      {TRIDAP_UINT32, "<I"},
    {TRIDAP_UINT64, "<Q"},  {TRIDAP_FLOAT16, "<e"},    {TRIDAP_BFLOAT16, "<E"},    {TRIDAP_FLOAT32, "<f"},
    {TRIDAP_FLOAT64, "<d"}, {TRIDAP_COMPLEX64, "<Zf"}, {TRIDAP_COMPLEX128, "<Zd"},
};

}  // namespace

std::vector<Index> list_of(const std::int64_t* numbers, Index count, const char* name) {
  if (count < 0)
    refuse("the length of " + std::string(name) + " is " + std::to_string(count), "must be at least 0",
           "pass the length of the list");
  if (count == 0) return {};
  need(numbers, name);
  return std::vector<Index>(numbers, numbers + count);
}

std::string file_text(const std::string& path, const std::string& what) {
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse("the file " + clean(path) + " cannot be read", "must be " + what, "name a file that exists");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

ElementType element_type_of(tridap_type type) {
  for (const NamedType& named : types)
    if (named.number == type) {
      std::string format = named.format;
      if (format[0] == '<') format[0] = '=';  // this machine's order, with the standard lengths
      return *parse_element_format(format);
    }
  refuse("the element type is " + std::to_string(static_cast<int>(type)),
         "must be one of tridap_type, and not TRIDAP_OTHER",
         "pass TRIDAP_FLOAT64 for double; or, for other elements, "
         "make the array of a dap_array by tridap_array_from_dap");
}

tridap_type number_of(const ElementType& type) {
  for (const NamedType& named : types)
    if (element_type_of(named.number) == type) return named.number;
  return TRIDAP_OTHER;
}

Copy copy_of(tridap_copy copy) {
  switch (copy) {
    case TRIDAP_COPY_NEVER:
      return Copy::never;
    case TRIDAP_COPY_IF_NEEDED:
      return Copy::if_needed;
    case TRIDAP_COPY_ALWAYS:
      return Copy::always;
  }
  refuse_key("copy", std::to_string(static_cast<int>(copy)), "must be one of tridap_copy",
             "pass TRIDAP_COPY_IF_NEEDED");
}

tridap::Part part_of(tridap_part part) {
  switch (part) {
    case TRIDAP_OWNED:
      return Part::owned;
    case TRIDAP_LOCAL:
      return Part::local;
    case TRIDAP_INTERIOR:
      return Part::interior;
  }
  refuse("the part is " + std::to_string(static_cast<int>(part)), "must be one of tridap_part", "pass TRIDAP_OWNED");
}

std::shared_ptr<void> owner_of(const tridap_memory* memory) {
  if (memory == nullptr || memory->release == nullptr) return nullptr;
  return std::shared_ptr<void>(memory->owner, [release = memory->release](void* owner) { release(owner); });
}

Buffer buffer_of(const tridap_memory& memory, std::shared_ptr<void> owner, const std::vector<Index>& extents,
                 DeviceStream& stream) {
  Buffer buffer;
  buffer.owner = std::move(owner);
  buffer.type = element_type_of(memory.type);
  buffer.data = memory.data;
  buffer.read_only = memory.read_only != 0;
  const Index ndim =
      memory.extents == nullptr && memory.strides == nullptr ? static_cast<Index>(extents.size()) : memory.ndim;
  buffer.shape = memory.extents == nullptr ? IndexList(extents) : IndexList(list_of(memory.extents, ndim, "extents"));
  if (memory.strides != nullptr && static_cast<Index>(buffer.shape.size()) != ndim)
    refuse(
        "the memory has " + std::to_string(ndim) + " strides and " + std::to_string(buffer.shape.size()) + " extents",
        "must be as many", "set ndim, extents and strides together");
  for (std::size_t i = 0; i < buffer.shape.size(); ++i)
    if (buffer.shape[i] < 0)
      refuse("the extent of the memory is " + std::to_string(buffer.shape[i]), "must be at least 0",
             "pass the number of elements along the axis", static_cast<Index>(i));
  buffer.strides = memory.strides != nullptr             ? IndexList(list_of(memory.strides, ndim, "strides"))
                   : memory.order == TRIDAP_COLUMN_MAJOR ? column_major_strides(buffer.shape, buffer.type.bytes)
                                                         : row_major_strides(buffer.shape, buffer.type.bytes);
  if (buffer.data == nullptr && element_count(buffer) > 0)
    refuse("the memory has " + std::to_string(element_count(buffer)) + " elements and no address", "must not be NULL",
           "allocate it first");
  if (memory.device.type != 0) {
    const auto place = memory_of(memory.device.type, memory.device.id);
    if (!place)
      refuse("the device of the memory is (" + std::to_string(memory.device.type) + ", " +
                 std::to_string(memory.device.id) + ")",
             "must be a known type with an id of at least 0", "see dap_device in tridap/dap.h; for the host all zero");
    buffer.memory = *place;
    if (memory.device.stream != nullptr) stream = DeviceStream(memory.device.stream);
  }
  return buffer;
}

void order_after_stream(const Memory& memory, const DeviceStream& stream) {
  if (!memory.is_on_host() && memory.kind != Memory::Kind::nowhere) driver::order_ours_after(memory, stream);
}

dap_device device_of(const ArrayObject& array) {
  const Memory& memory = array.array.buffer.memory;
  dap_device device{};
  device.type = device_type(memory.kind);
  device.id = static_cast<std::int32_t>(memory.device);
  if (array.stream.number.value_or(0) > 0) device.stream = reinterpret_cast<void*>(*array.stream.number);
  return device;
}

void need_one_communicator(std::initializer_list<const Object*> all) {
  const Object* first = nullptr;
  for (const Object* const each : all) {
    if (each == nullptr) continue;
    if (first == nullptr) first = each;
    if (each->comm != first->comm)
      refuse("the handles have different communicators", "must be of one communicator",
             "make all of them with the same communicator");
  }
}

std::shared_ptr<ArrayObject> array_over(Buffer buffer, std::shared_ptr<const Distribution> distribution,
                                        Index process) {
  auto made = std::make_shared<ArrayObject>();
  made->array.buffer = std::move(buffer);
  made->array.dim_data = distribution->dim_data(process);
  made->distribution = std::move(distribution);
  made->process = process;
  const Buffer& of = made->array.buffer;
  made->extents.assign(of.shape.begin(), of.shape.end());
  made->strides.assign(of.strides.begin(), of.strides.end());
  return made;
}

Index process_of(const DistributionObject& of, std::int64_t process) {
  const Index number = process == TRIDAP_HERE ? of.rank : process;
  if (number < 0 || number >= of.distribution->processes())
    refuse("the process is " + std::to_string(number),
           "must be at least 0 and less than the distribution's " + std::to_string(of.distribution->processes()) +
               " processes",
           "pass a rank of the communicator, or TRIDAP_HERE");
  return number;
}

}  // namespace tridap::c
