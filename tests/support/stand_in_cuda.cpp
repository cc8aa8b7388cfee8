// A stand-in for the driver library libcuda.so.1, for tests on machines without a GPU. Its "device memory" cannot be
// touched outside of copies and kernels: a host access is a crash. Its streams run late: a kernel runs when a copy, a
// synchronisation or an ordered stream needs it, so that a missing order is seen in the values. All streams are
// non-blocking. Two devices. Its kernels are those of packages/device, whose phases run for one thread after the other.
// Other processes open its memory by handles, as a driver's.

#include "stand_in_kernels.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

enum Error {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  invalid_device = 101,
  invalid_context = 201,
  not_found = 500,
  not_ready = 600,
  already_registered = 712,
  launch_failed = 719
};
// Memory of a pool is memory of a device that has no handle.
enum Kind { pinned = 1, device_memory = 2, managed = 3, pool = 4, opened = 5 };
bool is_on_device(Kind kind) { return kind == device_memory || kind == pool || kind == opened; }

struct Allocation {
  std::size_t bytes = 0, mapped = 0;
  int device = 0;
  Kind kind = device_memory;
  std::uint64_t id = 0;
  int file = -1;    // of memory that others may open
  int opener = -1;  // the device whose kernels reach memory that was opened
};

// What a handle holds.
struct Handle {
  std::int64_t process = 0, file = -1;
  std::uint64_t id = 0;
  std::size_t bytes = 0, mapped = 0;
  int device = 0;
};

struct Stream {
  std::deque<std::function<void()>> work;
  std::uint64_t done = 0, given = 0;
};

struct Event {
  Stream* stream = nullptr;
  std::uint64_t until = 0;
};

struct State {
  bool initialized = false;
  std::array<bool, 2> active = {};
  std::array<int, 2> retained = {};
  std::array<char, 2> contexts = {};
  std::vector<void*> current;
  std::map<std::uintptr_t, Allocation> memory;
  std::map<std::uintptr_t, std::unique_ptr<Stream>> streams;
  std::uint64_t ids = 0, events = 0, launches = 0, opened = 0, freed_open = 0, crossed = 0;
  std::uint64_t failing_launch = 0;  // 1: the next one
  int refuses_to_open = 0;
  std::map<std::uintptr_t, std::size_t> pinned;  // memory of the host
};

State& state() {
  static State* const made = new State;  // owners may outlive static destructors
  return *made;
}

Allocation* find(std::uintptr_t address, std::uintptr_t* begin = nullptr) {
  auto& memory = state().memory;
  auto after = memory.upper_bound(address);
  if (after == memory.begin()) return nullptr;
  --after;
  if (address >= after->first + std::max<std::size_t>(after->second.bytes, 1)) return nullptr;
  if (begin != nullptr) *begin = after->first;
  return &after->second;
}

// `device`: of a kernel, which reaches the memory of no other device but through a handle that was opened for its own;
// -1: a copy.
void open_all(bool open, int device = -1) {
  for (auto& [address, allocation] : state().memory)
    if (is_on_device(allocation.kind) &&
        (device < 0 || device == (allocation.kind == opened ? allocation.opener : allocation.device)))
      mprotect(reinterpret_cast<void*>(address), allocation.mapped, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void run(Stream& stream, std::uint64_t until) {
  while (stream.done < until && !stream.work.empty()) {
    const auto next = stream.work.front();
    stream.work.pop_front();
    ++stream.done;
    next();
  }
}

Stream& stream_of(const void* handle) {
  auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number == 0) number = 1;
  auto& stream = state().streams[number];
  if (!stream) stream = std::make_unique<Stream>();
  return *stream;
}

void give(Stream& stream, std::function<void()> work) {
  stream.work.push_back(std::move(work));
  ++stream.given;
}

bool has_context() { return !state().current.empty(); }

int copy(const void* handle, std::uintptr_t to, std::uintptr_t from, std::size_t bytes, bool to_device,
         bool from_device) {
  if (!has_context()) return invalid_context;
  if ((to_device && find(to) == nullptr) || (from_device && find(from) == nullptr)) return invalid_value;
  if (to_device != from_device) state().crossed += bytes;
  give(stream_of(handle), [=] {
    open_all(true);
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    open_all(false);
  });
  return success;
}

int allocate(std::uintptr_t* address, std::size_t bytes, int device, Kind kind) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t mapped = (std::max<std::size_t>(bytes, 1) + page - 1) / page * page;
  const int file = kind == device_memory ? memfd_create("stand-in", MFD_CLOEXEC) : -1;
  if (kind == device_memory && (file < 0 || ftruncate(file, static_cast<off_t>(mapped)) != 0)) return out_of_memory;
  void* const made = mmap(nullptr, mapped, is_on_device(kind) ? PROT_NONE : PROT_READ | PROT_WRITE,
                          file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, file, 0);
  if (made == MAP_FAILED) return out_of_memory;
  *address = reinterpret_cast<std::uintptr_t>(made);
  state().memory[*address] = {bytes, mapped, device, kind, ++state().ids, file, -1};
  return success;
}

void release(std::map<std::uintptr_t, Allocation>::iterator memory) {
  munmap(reinterpret_cast<void*>(memory->first), memory->second.mapped);
  if (memory->second.file >= 0) close(memory->second.file);
  state().memory.erase(memory);
}

struct Rectangles {  // CUDA_MEMCPY2D
  std::size_t from_x, from_y;
  unsigned from_kind;
  const void* from_host;
  std::uintptr_t from_device;
  void* from_array;
  std::size_t from_pitch, to_x, to_y;
  unsigned to_kind;
  void* to_host;
  std::uintptr_t to_device;
  void* to_array;
  std::size_t to_pitch, width, height;
};

}  // namespace

extern "C" {

int cuInit(unsigned) {
  state().initialized = true;
  return success;
}

int cuGetErrorName(int error, const char** name) {
  *name = error == out_of_memory     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == not_initialized ? "CUDA_ERROR_NOT_INITIALIZED"
          : error == invalid_device  ? "CUDA_ERROR_INVALID_DEVICE"
          : error == invalid_context ? "CUDA_ERROR_INVALID_CONTEXT"
          : error == launch_failed   ? "CUDA_ERROR_LAUNCH_FAILED"
          : error == not_found       ? "CUDA_ERROR_NOT_FOUND"
                                     : "CUDA_ERROR_INVALID_VALUE";
  return success;
}

int cuPointerGetAttributes(unsigned count, const int* attributes, void** values, std::uintptr_t address) {
  if (!state().initialized) return not_initialized;
  std::uintptr_t begin = 0;
  const Allocation* const found = find(address, &begin);
  for (unsigned i = 0; i < count; ++i) {
    const auto set = [&](auto value) { std::memcpy(values[i], &value, sizeof(value)); };
    const bool known = found != nullptr;
    switch (attributes[i]) {
      case 1:
        set(known ? static_cast<void*>(&state().contexts[static_cast<std::size_t>(found->device)]) : nullptr);
        break;
      case 2:
        set(known ? (found->kind == pinned ? 1U : 2U) : 0U);
        break;
      case 7:
        set(known ? found->id : std::uint64_t{0});
        break;
      case 8:
        set(known && found->kind == managed ? 1U : 0U);
        break;
      case 9:
        set(known ? found->device : -2);
        break;
      case 11:
        set(known ? begin : std::uintptr_t{0});
        break;
      case 12:
        set(known ? found->bytes : std::size_t{0});
        break;
      default:
        return invalid_value;
    }
  }
  return success;
}

int cuDeviceGet(int* device, int ordinal) {
  if (!state().initialized) return not_initialized;
  if (ordinal < 0 || ordinal > 1) return invalid_device;
  *device = ordinal;
  return success;
}

int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  if (!state().initialized) return not_initialized;
  *flags = 0;
  *active = state().active[static_cast<std::size_t>(device)] ? 1 : 0;
  return success;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  if (!state().initialized) return not_initialized;
  state().active[static_cast<std::size_t>(device)] = true;
  ++state().retained[static_cast<std::size_t>(device)];
  *context = &state().contexts[static_cast<std::size_t>(device)];
  return success;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  if (--state().retained[static_cast<std::size_t>(device)] == 0)
    state().active[static_cast<std::size_t>(device)] = false;
  return success;
}

int cuCtxGetCurrent(void** context) {
  *context = has_context() ? state().current.back() : nullptr;
  return success;
}
int cuCtxPushCurrent_v2(void* context) {
  state().current.push_back(context);
  return success;
}
int cuCtxPopCurrent_v2(void** context) {
  if (!has_context()) return invalid_context;
  *context = state().current.back();
  state().current.pop_back();
  return success;
}

int cuMemAlloc_v2(std::uintptr_t* address, std::size_t bytes) {
  if (!has_context()) return invalid_context;
  if (bytes > std::size_t{1} << 40) return out_of_memory;
  const bool second = state().current.back() == &state().contexts[1];
  return allocate(address, bytes, second ? 1 : 0, device_memory);
}

int cuMemFree_v2(std::uintptr_t address) {
  const auto found = state().memory.find(address);
  if (!has_context()) return invalid_context;
  if (found == state().memory.end()) return invalid_value;
  const int file = found->second.file;
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0) ++state().freed_open;
  release(found);
  return success;
}

int cuMemsetD8Async(std::uintptr_t to, unsigned char byte, std::size_t bytes, void* stream) {
  if (!has_context()) return invalid_context;
  const Allocation* const memory = find(to);
  if (memory == nullptr) return invalid_value;
  give(stream_of(stream), [=, id = memory->id] {
    const Allocation* const now = find(to);
    if (now == nullptr || now->id != id) return;  // a driver's free waits for this
    open_all(true);
    std::memset(reinterpret_cast<void*>(to), byte, bytes);
    open_all(false);
  });
  return success;
}

int cuMemcpyDtoHAsync_v2(void* to, std::uintptr_t from, std::size_t bytes, void* stream) {
  return copy(stream, reinterpret_cast<std::uintptr_t>(to), from, bytes, false, true);
}
int cuMemcpyHtoDAsync_v2(std::uintptr_t to, const void* from, std::size_t bytes, void* stream) {
  return copy(stream, to, reinterpret_cast<std::uintptr_t>(from), bytes, true, false);
}
int cuMemcpyDtoDAsync_v2(std::uintptr_t to, std::uintptr_t from, std::size_t bytes, void* stream) {
  return copy(stream, to, from, bytes, true, true);
}

int cuMemcpy2DUnaligned_v2(const Rectangles* r) {
  if (r->width > r->from_pitch || r->width > r->to_pitch) return invalid_value;
  const bool from_host = r->from_kind == 1, to_host = r->to_kind == 1;
  const std::uintptr_t from = from_host ? reinterpret_cast<std::uintptr_t>(r->from_host) : r->from_device;
  const std::uintptr_t to = to_host ? reinterpret_cast<std::uintptr_t>(r->to_host) : r->to_device;
  for (std::size_t row = 0; row < r->height; ++row)
    if (const int error =
            copy(nullptr, to + row * r->to_pitch, from + row * r->from_pitch, r->width, !to_host, !from_host))
      return error;
  return success;
}

int cuStreamSynchronize(void* handle) {
  if (!has_context()) return invalid_context;
  Stream& stream = stream_of(handle);
  run(stream, stream.given);
  return success;
}

int cuCtxSynchronize() {
  if (!has_context()) return invalid_context;
  for (const auto& [number, stream] : state().streams) run(*stream, stream->given);
  return success;
}
int cuStreamCreate(void** stream, unsigned) {
  if (!has_context()) return invalid_context;
  static std::array<char, 64> numbers;
  static std::size_t made = 0;
  if (made == numbers.size()) return out_of_memory;
  *stream = &numbers[made++];
  return success;
}

// Memory that the host has allocated. As with a driver, no page of it is pinned twice.
int cuMemHostRegister_v2(void* begin, std::size_t bytes, unsigned) {
  if (!has_context()) return invalid_context;
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  for (const auto& [other, length] : state().pinned)
    if (address / page <= (other + length - 1) / page && other / page <= (address + bytes - 1) / page)
      return already_registered;
  state().pinned[address] = bytes;
  return success;
}
int cuMemHostUnregister(void* begin) {
  if (!has_context()) return invalid_context;
  return state().pinned.erase(reinterpret_cast<std::uintptr_t>(begin)) == 1 ? success : invalid_value;
}

int cuEventQuery(void* event) {
  if (!has_context()) return invalid_context;
  const Event recorded = *static_cast<Event*>(event);
  if (recorded.stream == nullptr || recorded.stream->done >= recorded.until) return success;
  run(*recorded.stream, recorded.stream->done + 1);  // it makes progress at each look
  return not_ready;
}

int cuDeviceGetCount(int* count) {
  *count = 2;
  return state().initialized ? success : not_initialized;
}
int cuCtxGetDevice(int* device) {
  if (!has_context()) return invalid_context;
  *device = state().current.back() == &state().contexts[1] ? 1 : 0;
  return success;
}

int cuModuleLoadData(void** module, const void*) {
  if (!has_context()) return invalid_context;
  *module = state().current.back();
  return success;
}
int cuModuleGetFunction(void** function, void*, const char* name) {
  *function = stand_in::kernel(name);
  return *function == nullptr ? not_found : success;
}
int cuLaunchKernel(void* function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned,
                   void* stream, void** arguments, void**) {
  if (!has_context()) return invalid_context;
  if (blocks == 0 || threads == 0) return invalid_value;
  ++state().launches;
  if (state().failing_launch != 0 && --state().failing_launch == 0) return launch_failed;
  const auto work = stand_in::with_arguments(function, arguments, blocks, threads);
  const int device = state().current.back() == &state().contexts[1] ? 1 : 0;
  give(stream_of(stream), [work, device] {
    open_all(true, device);
    work();
    open_all(false);
  });
  return success;
}

int cuIpcGetMemHandle(void* handle, std::uintptr_t address) {
  const Allocation* const found = find(address);
  if (found == nullptr || found->file < 0) return invalid_value;
  const Handle made{getpid(), found->file, found->id, found->bytes, found->mapped, found->device};
  std::memset(handle, 0, 64);
  std::memcpy(handle, &made, sizeof(made));
  return success;
}
struct HandleBytes {
  char bytes[64];
};
int cuIpcOpenMemHandle_v2(std::uintptr_t* address, HandleBytes bytes, unsigned) {
  if (!has_context()) return invalid_context;
  Handle handle;
  std::memcpy(&handle, bytes.bytes, sizeof(handle));
  if (handle.process == getpid() || state().refuses_to_open != 0) return invalid_context;  // as CUDA does
  const std::string name = "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.file);
  const int file = open(name.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return invalid_value;
  void* const made = mmap(nullptr, handle.mapped, PROT_NONE, MAP_SHARED, file, 0);
  if (made == MAP_FAILED || flock(file, LOCK_SH) != 0) return out_of_memory;  // until it is closed
  *address = reinterpret_cast<std::uintptr_t>(made);
  const bool second = state().current.back() == &state().contexts[1];
  state().memory[*address] = {handle.bytes, handle.mapped, handle.device, opened, handle.id, file, second ? 1 : 0};
  ++state().opened;
  return success;
}
int cuIpcCloseMemHandle(std::uintptr_t address) {
  const auto found = state().memory.find(address);
  if (found == state().memory.end() || found->second.kind != opened) return invalid_value;
  release(found);
  --state().opened;
  return success;
}

int cuEventCreate(void** event, unsigned) {
  if (!has_context()) return invalid_context;
  *event = new Event;
  ++state().events;
  return success;
}
int cuEventRecord(void* event, void* handle) {
  Stream& stream = stream_of(handle);
  *static_cast<Event*>(event) = {&stream, stream.given};
  return success;
}
int cuEventDestroy_v2(void* event) {
  delete static_cast<Event*>(event);
  --state().events;
  return success;
}
int cuStreamWaitEvent(void* handle, void* event, unsigned) {
  if (!has_context()) return invalid_context;
  const Event recorded = *static_cast<Event*>(event);
  if (recorded.stream == nullptr) return success;
  give(stream_of(handle), [recorded] { run(*recorded.stream, recorded.until); });
  return success;
}

// What the tests call beside the driver's functions.

void stand_in_start(int device) {
  cuInit(0);
  state().active[static_cast<std::size_t>(device)] = true;
  ++state().retained[static_cast<std::size_t>(device)];
}

std::uintptr_t stand_in_allocate(std::size_t bytes, int device, int kind) {
  std::uintptr_t address = 0;
  return allocate(&address, bytes, device, static_cast<Kind>(kind)) == success ? address : 0;
}

void stand_in_free(std::uintptr_t address) {
  if (const auto found = state().memory.find(address); found != state().memory.end()) release(found);
}

void* stand_in_event(std::uintptr_t stream) {
  static std::deque<Event> made;  // whose elements stay where they are
  cuEventRecord(&made.emplace_back(), reinterpret_cast<void*>(stream));
  return &made.back();
}

// The whole bytes of memory, written or read as a kernel does; `late` on a stream: 0 at once.
void stand_in_write(std::uintptr_t to, const void* from, std::size_t bytes, std::uintptr_t late) {
  const auto* const begin = static_cast<const unsigned char*>(from);
  const auto id_of = [to] {
    const Allocation* const found = find(to);
    return found == nullptr ? 0 : found->id;
  };
  const auto write = [to, id_of, id = id_of(), values = std::vector<unsigned char>(begin, begin + bytes)] {
    if (id_of() != id) return;  // freed before
    open_all(true);
    std::memcpy(reinterpret_cast<void*>(to), values.data(), values.size());
    open_all(false);
  };
  if (late == 0) return write();
  give(stream_of(reinterpret_cast<void*>(late)), write);
}

// Reads after what is ordered before now on the stream.
void stand_in_read(void* to, std::uintptr_t from, std::size_t bytes, std::uintptr_t stream) {
  Stream& ordered = stream_of(reinterpret_cast<void*>(stream));
  run(ordered, ordered.given);
  open_all(true);
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  open_all(false);
}

// 0: allocations, 1: events, 2: contexts that are current, 3: kernels launched, 4: handles that are open, 5: pieces of
// pinned memory, 6: allocations that were freed while another process had them open, 7: bytes copied between the host
// and a device
std::uint64_t stand_in_count(int what) {
  const State& s = state();
  return what == 0   ? s.memory.size()
         : what == 1 ? s.events
         : what == 2 ? s.current.size()
         : what == 3 ? s.launches
         : what == 4 ? s.opened
         : what == 5 ? s.pinned.size()
         : what == 6 ? s.freed_open
                     : s.crossed;
}

// The launch after so many others fails, 0: none; handles are not opened.
void stand_in_fail(std::uint64_t launch, int open) {
  state().failing_launch = launch;
  state().refuses_to_open = open;
}

}  // extern "C"
