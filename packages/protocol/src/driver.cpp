#include <tridap/detail/refuse.hpp>
#include <tridap/internal/driver.hpp>
#include <tridap/memory_order.hpp>

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <utility>

namespace tridap::driver {

namespace {

constexpr unsigned host_kind = 1, device_kind = 2;
constexpr std::size_t longest_pitch = 0x7fffffff;

// A function's names in CUDA and in HIP, whose runtime has the calls of CUDA's driver.
struct Name {
  const char *cuda, *hip;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  void* const address = dlsym(library, name);
  if (address == nullptr) return false;
  static_assert(sizeof(function) == sizeof(address));
  function = reinterpret_cast<Function>(address);
  return true;
}

bool fill(Table& t, void* library, bool hip) {
  const auto named = [&](auto& function, const Name& name) {
    return find(library, hip ? name.hip : name.cuda, function);
  };
  return named(t.pointer_attributes, {"cuPointerGetAttributes", "hipDrvPointerGetAttributes"}) &&
         named(t.push_context, {"cuCtxPushCurrent_v2", "hipCtxPushCurrent"}) &&
         named(t.pop_context, {"cuCtxPopCurrent_v2", "hipCtxPopCurrent"}) &&
         named(t.device, {"cuDeviceGet", "hipDeviceGet"}) &&
         named(t.primary_context_state, {"cuDevicePrimaryCtxGetState", "hipDevicePrimaryCtxGetState"}) &&
         named(t.retain_primary_context, {"cuDevicePrimaryCtxRetain", "hipDevicePrimaryCtxRetain"}) &&
         named(t.release_primary_context, {"cuDevicePrimaryCtxRelease_v2", "hipDevicePrimaryCtxRelease"}) &&
         named(t.allocate, {"cuMemAlloc_v2", "hipMalloc"}) && named(t.free, {"cuMemFree_v2", "hipFree"}) &&
         named(t.set_bytes, {"cuMemsetD8Async", "hipMemsetD8Async"}) &&
         named(t.copy_to_host, {"cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync"}) &&
         named(t.copy_to_device, {"cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync"}) &&
         named(t.copy_on_device, {"cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync"}) &&
         named(t.copy_rectangles, {"cuMemcpy2DUnaligned_v2", "hipDrvMemcpy2DUnaligned"}) &&
         named(t.synchronize_stream, {"cuStreamSynchronize", "hipStreamSynchronize"}) &&
         named(t.synchronize_context, {"cuCtxSynchronize", "hipDeviceSynchronize"}) &&
         named(t.query_event, {"cuEventQuery", "hipEventQuery"}) &&
         named(t.wait_for_event, {"cuStreamWaitEvent", "hipStreamWaitEvent"}) &&
         named(t.create_event, {"cuEventCreate", "hipEventCreateWithFlags"}) &&
         named(t.record_event, {"cuEventRecord", "hipEventRecord"}) &&
         named(t.destroy_event, {"cuEventDestroy_v2", "hipEventDestroy"}) &&
         named(t.error_name, {"cuGetErrorName", "hipDrvGetErrorName"}) &&
         named(t.count_devices, {"cuDeviceGetCount", "hipGetDeviceCount"}) &&
         named(t.current_context, {"cuCtxGetCurrent", "hipCtxGetCurrent"}) &&
         named(t.current_device, {"cuCtxGetDevice", "hipGetDevice"}) &&
         named(t.load_module, {"cuModuleLoadData", "hipModuleLoadData"}) &&
         named(t.function, {"cuModuleGetFunction", "hipModuleGetFunction"}) &&
         named(t.launch, {"cuLaunchKernel", "hipModuleLaunchKernel"}) &&
         named(t.make_handle, {"cuIpcGetMemHandle", "hipIpcGetMemHandle"}) &&
         named(t.open_handle, {"cuIpcOpenMemHandle_v2", "hipIpcOpenMemHandle"}) &&
         named(t.close_handle, {"cuIpcCloseMemHandle", "hipIpcCloseMemHandle"}) &&
         named(t.register_host, {"cuMemHostRegister_v2", "hipHostRegister"}) &&
         named(t.unregister_host, {"cuMemHostUnregister", "hipHostUnregister"}) &&
         named(t.create_stream, {"cuStreamCreate", "hipStreamCreateWithFlags"});
}

// How many libraries the process has loaded so far: a driver that was absent can only be there when this has grown.
unsigned long long libraries_loaded() {
  unsigned long long loaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        *static_cast<unsigned long long*>(into) = info->dlpi_adds;
        return 1;
      },
      &loaded);
  return loaded;
}

struct Slot {
  const char* library;
  bool hip;
  std::atomic<const Table*> found{nullptr}, instead{nullptr};
  std::atomic<unsigned long long> asked{0};
  Table loaded{};
};

Slot& slot_of(Memory::Kind kind) {
  static Slot cuda{"libcuda.so.1", false}, hip{"libamdhip64.so.6", true};
  return kind == Memory::Kind::hip ? hip : cuda;
}

bool has_driver(Memory::Kind kind) {
  return kind == Memory::Kind::cuda || kind == Memory::Kind::cuda_managed || kind == Memory::Kind::hip;
}

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

// The axes of a copy, from the outermost to the innermost, after what can be copied at once has been taken out.
struct Walk {
  std::byte *from, *to;
  std::size_t piece;                                   // bytes that are contiguous in both
  std::size_t rows = 1, from_pitch = 0, to_pitch = 0;  // rows of pieces, in one copy of rectangles
  std::vector<std::array<Index, 3>> outer{};           // extent, and both strides
};

Walk walk_of(const Buffer& from, const Buffer& to) {
  Walk walk{static_cast<std::byte*>(from.data), static_cast<std::byte*>(to.data),
            static_cast<std::size_t>(from.type.bytes)};
  for (std::size_t axis = 0; axis < from.shape.size(); ++axis) {
    std::array<Index, 3> each = {from.shape[axis], from.strides[axis], to.strides[axis]};
    if (each[0] == 1) continue;
    if (each[2] < 0) {  // visit the axis in the other direction
      walk.from += each[1] * (each[0] - 1);
      walk.to += each[2] * (each[0] - 1);
      each = {each[0], -each[1], -each[2]};
    }
    walk.outer.push_back(each);
  }
  std::stable_sort(walk.outer.begin(), walk.outer.end(), [](const auto& a, const auto& b) { return a[2] > b[2]; });
  const auto is_next = [&](Index stride) { return stride == static_cast<Index>(walk.piece); };
  while (!walk.outer.empty() && is_next(walk.outer.back()[1]) && is_next(walk.outer.back()[2])) {
    walk.piece *= static_cast<std::size_t>(walk.outer.back()[0]);
    walk.outer.pop_back();
  }
  const auto is_pitch = [&](Index stride) {
    return stride >= static_cast<Index>(walk.piece) && static_cast<std::size_t>(stride) <= longest_pitch;
  };
  if (!walk.outer.empty() && is_pitch(walk.outer.back()[1]) && is_pitch(walk.outer.back()[2])) {
    const auto [extent, from_stride, to_stride] = walk.outer.back();
    walk.rows = static_cast<std::size_t>(extent);
    walk.from_pitch = static_cast<std::size_t>(from_stride);
    walk.to_pitch = static_cast<std::size_t>(to_stride);
    walk.outer.pop_back();
  }
  return walk;
}

void copy_piece(const Table& t, const Walk& walk, const std::byte* from, std::byte* to, bool from_host, bool to_host) {
  if (walk.rows > 1) {
    Rectangles r;
    r.from_kind = from_host ? host_kind : device_kind;
    r.to_kind = to_host ? host_kind : device_kind;
    r.from_host = from_host ? from : nullptr;
    r.to_host = to_host ? to : nullptr;
    r.from_device = from_host ? 0 : number(from);
    r.to_device = to_host ? 0 : number(to);
    r.from_pitch = walk.from_pitch;
    r.to_pitch = walk.to_pitch;
    r.width = walk.piece;
    r.height = walk.rows;
    return need_success(t, t.copy_rectangles(&r), "copying elements");
  }
  const int error = to_host     ? t.copy_to_host(to, number(from), walk.piece, nullptr)
                    : from_host ? t.copy_to_device(number(to), from, walk.piece, nullptr)
                                : t.copy_on_device(number(to), number(from), walk.piece, nullptr);
  need_success(t, error, "copying elements");
}

bool is_rocm(const Memory& memory) {
  return memory.kind == Memory::Kind::hip || memory.kind == Memory::Kind::hip_managed;
}

// The caller's stream; null: it needs no order with the default stream.
Stream named(const Memory& memory, DeviceStream callers) {
  if (!callers.number) return nullptr;
  const Index number = *callers.number;
  if (!is_stream(memory, number))
    refuse("the stream is " + std::to_string(number),
           is_rocm(memory) ? "must be 0 (the default stream), -1 (no order), or the address of a stream"
                           : "must be 1 (the legacy default stream), 2 (that of the thread), -1 (no order), or the "
                             "address of a stream",
           "leave it out for the default stream");
  const bool is_default = number == (is_rocm(memory) ? 0 : 1);
  return number == -1 || is_default ? nullptr : reinterpret_cast<Stream>(static_cast<std::uintptr_t>(number));
}

// The table of a slot. `libraries` are libraries_loaded(), which are counted here if they are not known.
const Table* table_in(Slot& slot, std::optional<unsigned long long>& libraries) {
  if (const Table* const instead = slot.instead.load()) return instead;
  if (const Table* const found = slot.found.load()) return found;
  if (!libraries) libraries = libraries_loaded();
  const unsigned long long loaded = *libraries;
  if (slot.asked.load() == loaded) return nullptr;
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  if (const Table* const found = slot.found.load()) return found;
  slot.asked.store(loaded);
  void* const library = dlopen(slot.library, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  Table filled;
  filled.kind = slot.hip ? Memory::Kind::hip : Memory::Kind::cuda;
  if (!fill(filled, library, slot.hip)) return nullptr;
  slot.loaded = filled;
  slot.found.store(&slot.loaded);
  return &slot.loaded;
}

std::optional<Place> place_by(const Table& t, const void* address) {
  // CONTEXT, MEMORY_TYPE, BUFFER_ID, IS_MANAGED, DEVICE_ORDINAL, RANGE_START_ADDR, RANGE_SIZE. The driver leaves what
  // it does not know at 0.
  constexpr std::array<int, 7> attributes = {1, 2, 7, 8, 9, 11, 12};
  std::array<std::uint64_t, 7> values = {};
  std::array<void*, 7> places = {};
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = &values[i];
  if (t.pointer_attributes(static_cast<unsigned>(places.size()), attributes.data(), places.data(), number(address)) !=
      0)
    return std::nullopt;  // it has not been started
  Place place;
  const auto type = static_cast<std::uint32_t>(values[1]);
  place.kind = static_cast<std::uint8_t>(values[3]) != 0 ? Place::Kind::managed
               : type == host_kind                       ? Place::Kind::pinned_host
               : type == device_kind                     ? Place::Kind::device
                                                         : Place::Kind::unknown;
  if (place.kind == Place::Kind::unknown) return place;
  place.context = reinterpret_cast<Context>(values[0]);
  place.buffer_id = values[2];
  place.device = static_cast<std::int32_t>(values[4]);
  place.begin = values[5];
  place.bytes = static_cast<std::size_t>(values[6]);
  return place;
}

}  // namespace

const Table* table(Memory::Kind kind) {
  std::optional<unsigned long long> loaded;
  return has_driver(kind) ? table_in(slot_of(kind), loaded) : nullptr;
}

const Table& need_table(const Memory& memory) {
  if (const Table* const found = table(memory.kind)) return *found;
  refuse("the memory is " + memory.name() + ", but this process has not loaded its driver", "",
         "copy the elements to the host with the library that made them");
}

void need_success(const Table& t, int error, const std::string& what) {
  if (error == 0) return;
  const char* name = nullptr;
  if (t.error_name(error, &name) != 0 || name == nullptr) name = "an unknown error";
  refuse(what + " failed: the driver says " + name + " (" + std::to_string(error) + ")", "", "");
}

InContext::InContext(const Table& table, Index device, Context context) : table_(table), context_(context) {
  if (context_ == nullptr) {
    if (!is_started({table_.kind, device}))
      refuse(Memory{table_.kind, device}.name() + " is not in use in this process", "",
             "use the device first, such as by making an array there with the library that you have");
    need_success(table_, table_.device(&device_, static_cast<int>(device)), "finding the device");
    need_success(table_, table_.retain_primary_context(&context_, device_), "taking the device's context");
    retained_ = true;
  }
  if (const int error = table_.push_context(context_); error != 0) {
    release();
    need_success(table_, error, "taking the device's context");
  }
}

InContext::~InContext() {
  Context popped = nullptr;
  table_.pop_context(&popped);
  release();
}

void InContext::release() {
  if (retained_) table_.release_primary_context(device_);
}

void use_table(const Table* table, Memory::Kind kind) { slot_of(kind).instead.store(table); }

std::string Place::name() const {
  switch (kind) {
    case Kind::device:
      return "device " + std::to_string(device);
    case Kind::managed:
      return "managed memory of device " + std::to_string(device);
    case Kind::pinned_host:
      return "pinned memory of the host";
    default:
      return "memory of the host";
  }
}

std::optional<Place> place_of(const void* address, Memory::Kind kind) {
  const Table* const t = table(kind);
  return t == nullptr ? std::nullopt : place_by(*t, address);
}

std::optional<Finding> wrong_place(const Buffer& buffer) {
  using Kind = Place::Kind;
  const Memory& memory = buffer.memory;
  if (buffer.data == nullptr || (!memory.is_on_host() && !has_driver(memory.kind))) return std::nullopt;
  const auto wrong = [&](const std::string& is, const std::string& remedy) {
    return refusal("the buffer is said to be in " + memory.name() + " memory, but its address is " + is, "", remedy, {},
                   Rule::buffer_data);
  };
  if (memory.is_on_host()) {
    std::optional<unsigned long long> loaded;
    for (const Memory::Kind kind : {Memory::Kind::cuda, Memory::Kind::hip}) {
      const Table* const t = table_in(slot_of(kind), loaded);
      if (t == nullptr) continue;
      if (const std::optional<Place> place = place_by(*t, buffer.data); place && place->kind == Kind::device) {
        const Memory there{kind, place->device};
        return wrong("in " + there.name() + " memory", "state the memory as " + there.name());
      }
    }
    return std::nullopt;
  }
  const std::optional<Place> place = place_of(buffer.data, memory.kind);
  if (!place || place->kind == Kind::managed) return std::nullopt;
  if (place->kind == Kind::unknown || place->kind == Kind::pinned_host)
    return wrong("in " + place->name(), "state the memory as host");
  const Memory there{memory.kind == Memory::Kind::hip ? Memory::Kind::hip : Memory::Kind::cuda, place->device};
  if (memory.kind == Memory::Kind::cuda_managed || there.device != memory.device)
    return wrong("in " + there.name() + " memory", "state the memory as " + there.name());
  return std::nullopt;
}

bool is_started(const Memory& memory) {
  const Table* const t = table(memory.kind);
  if (t == nullptr || memory.device > std::numeric_limits<int>::max()) return false;
  int device = 0, active = 0;
  unsigned flags = 0;
  return t->device(&device, static_cast<int>(memory.device)) == 0 &&
         t->primary_context_state(device, &flags, &active) == 0 && active != 0;
}

void order_after_event(const Memory& memory, Stream consumer, Event event) {
  const Table& t = need_table(memory);
  const InContext in(t, memory.device);
  need_success(t, t.wait_for_event(consumer, event, 0), "waiting for an event");
}

void order_after(const Memory& memory, Stream consumer, Stream producer) {
  const Table& t = need_table(memory);
  if (consumer == producer) return;
  const InContext in(t, memory.device);
  Event event = nullptr;
  need_success(t, t.create_event(&event, no_timing), "making an event");
  int error = t.record_event(event, producer);
  if (error == 0) error = t.wait_for_event(consumer, event, 0);
  t.destroy_event(event);  // the driver keeps it until the work has passed it
  need_success(t, error, "waiting for a stream");
}

bool is_stream(const Memory& memory, Index number) {
  if (is_rocm(memory)) return number >= -1 && number != 1 && number != 2;
  return number >= -1 && number != 0;
}

void order_ours_after(const Memory& memory, DeviceStream callers) {
  if (const Stream stream = named(memory, callers)) order_after(memory, nullptr, stream);
}

void order_after_ours(const Memory& memory, DeviceStream callers) {
  if (const Stream stream = named(memory, callers)) order_after(memory, stream, nullptr);
}

// An event on the legacy stream comes behind the work of all blocking streams; what is on that stream alone does not.
void synchronize(const Memory& memory, Stream stream) {
  const Table& t = need_table(memory);
  const InContext in(t, memory.device);
  Event event = nullptr;
  need_success(t, t.create_event(&event, no_timing), "making an event");
  int error = t.record_event(event, stream);
  if (error == 0) error = t.synchronize_stream(stream);
  t.destroy_event(event);
  need_success(t, error, "waiting for a stream");
}

std::shared_ptr<void> allocate(const Memory& memory, Index bytes, bool zeros) {
  const Table& t = need_table(memory);
  if (memory.device < 0 || memory.device > std::numeric_limits<int>::max())
    refuse("the device " + std::to_string(memory.device) + " does not exist", "", "");
  const InContext in(t, memory.device);
  int device = 0;
  Context context = nullptr;
  need_success(t, t.device(&device, static_cast<int>(memory.device)), "finding the device");
  need_success(t, t.retain_primary_context(&context, device), "taking the device's context");
  std::uintptr_t address = 0;
  if (const int error = t.allocate(&address, static_cast<std::size_t>(std::max<Index>(bytes, 1))); error != 0) {
    t.release_primary_context(device);
    need_success(t, error, "allocating " + std::to_string(bytes) + " bytes on " + memory.name());
  }
  std::shared_ptr<void> made(reinterpret_cast<void*>(address), [&t, device, context](void* held) {
    if (t.push_context(context) != 0) return;  // the driver has ended
    t.free(number(held));
    Context popped = nullptr;
    t.pop_context(&popped);
    t.release_primary_context(device);
  });
  if (zeros && bytes > 0)
    need_success(t, t.set_bytes(address, 0, static_cast<std::size_t>(bytes), nullptr), "clearing new memory");
  return made;
}

void copy(const Buffer& from, const Buffer& to) {
  if (element_count(from) == 0) return;
  const bool from_host = from.memory.is_on_host(), to_host = to.memory.is_on_host();
  const Memory& where = from_host ? to.memory : from.memory;
  const Table& t = need_table(where);
  const InContext in(t, where.device);
  const Walk walk = walk_of(from, to);
  std::vector<Index> at(walk.outer.size(), 0);
  const std::byte* source = walk.from;
  std::byte* target = walk.to;
  for (bool done = false; !done;) {
    copy_piece(t, walk, source, target, from_host, to_host);
    done = true;
    for (std::size_t axis = at.size(); axis-- > 0 && done;) {
      const auto& [extent, from_stride, to_stride] = walk.outer[axis];
      if (++at[axis] < extent) {
        source += from_stride;
        target += to_stride;
        done = false;
      } else {
        source -= from_stride * (extent - 1);
        target -= to_stride * (extent - 1);
        at[axis] = 0;
      }
    }
  }
  need_success(t, t.synchronize_stream(nullptr), "waiting for the copies");
}

Buffer copy_to(const Buffer& from, const Memory& memory) {
  MemoryOrder order = memory_order(from);
  order.reversed.assign(order.axes.size(), false);
  Buffer to = from_order(nullptr, from.type, from.shape, order);
  to.memory = memory;
  const Index bytes = element_count(from) * from.type.bytes;
  if (memory.is_on_host()) {
    const Buffer flat = tridap::allocate(ElementType{ElementType::Kind::opaque, 1, true}, {bytes});
    to.data = flat.data;
    to.owner = flat.owner;
  } else {
    to.owner = allocate(memory, bytes);
    to.data = to.owner.get();
  }
  copy(from, to);
  return to;
}

}  // namespace tridap::driver
