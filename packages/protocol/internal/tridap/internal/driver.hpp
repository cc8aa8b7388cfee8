#pragma once

#include <tridap/buffer.hpp>
#include <tridap/device_stream.hpp>
#include <tridap/report.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

/// The calls of a GPU's driver that TriDAP needs. They are found at run time, in a driver library that the process has
/// loaded already. TriDAP neither links to a driver nor starts one: without a driver, `table()` is null, and memory is
/// what its producer says.
namespace tridap::driver {

using Context = void*;
using Stream = void*;
using Event = void*;

/// The streams of CUDA that have a number instead of an address.
inline const Stream legacy_stream = reinterpret_cast<Stream>(std::uintptr_t{1});
inline const Stream per_thread_stream = reinterpret_cast<Stream>(std::uintptr_t{2});

/// Where a strided copy of two levels reads or writes: CUDA's CUDA_MEMCPY2D, and hip_Memcpy2D.
struct Rectangles {
  std::size_t from_x = 0, from_y = 0;
  unsigned from_kind = 0;
  const void* from_host = nullptr;
  std::uintptr_t from_device = 0;
  void* from_array = nullptr;
  std::size_t from_pitch = 0;
  std::size_t to_x = 0, to_y = 0;
  unsigned to_kind = 0;
  void* to_host = nullptr;
  std::uintptr_t to_device = 0;
  void* to_array = nullptr;
  std::size_t to_pitch = 0;
  std::size_t width = 0, height = 0;
};

inline constexpr unsigned no_timing = 2;         ///< of an event that is made
inline constexpr unsigned non_blocking = 1;      ///< of a stream that does not wait for the legacy stream
inline constexpr unsigned for_all_contexts = 1;  ///< of host memory that is pinned

using Module = void*;
using Function = void*;

/// What another process opens an allocation by.
struct Handle {
  char bytes[64] = {};
};

/// The functions of one driver. Each returns 0, or the driver's number of an error.
struct Table {
  Memory::Kind kind = Memory::Kind::cuda;
  int (*pointer_attributes)(unsigned count, const int* attributes, void** values, std::uintptr_t address) = nullptr;
  int (*push_context)(Context) = nullptr;
  int (*pop_context)(Context*) = nullptr;
  int (*device)(int* device, int ordinal) = nullptr;
  int (*primary_context_state)(int device, unsigned* flags, int* active) = nullptr;
  int (*retain_primary_context)(Context*, int device) = nullptr;
  int (*release_primary_context)(int device) = nullptr;
  int (*allocate)(std::uintptr_t* address, std::size_t bytes) = nullptr;
  int (*free)(std::uintptr_t address) = nullptr;
  int (*set_bytes)(std::uintptr_t address, unsigned char byte, std::size_t bytes, Stream) = nullptr;
  int (*copy_to_host)(void* to, std::uintptr_t from, std::size_t bytes, Stream) = nullptr;
  int (*copy_to_device)(std::uintptr_t to, const void* from, std::size_t bytes, Stream) = nullptr;
  int (*copy_on_device)(std::uintptr_t to, std::uintptr_t from, std::size_t bytes, Stream) = nullptr;
  int (*copy_rectangles)(const Rectangles*) = nullptr;
  int (*synchronize_stream)(Stream) = nullptr;
  int (*synchronize_context)() = nullptr;
  int (*query_event)(Event) = nullptr;  // 600: the work before it has not ended
  int (*wait_for_event)(Stream, Event, unsigned flags) = nullptr;
  int (*create_event)(Event*, unsigned flags) = nullptr;
  int (*record_event)(Event, Stream) = nullptr;
  int (*destroy_event)(Event) = nullptr;
  int (*error_name)(int error, const char** name) = nullptr;
  int (*count_devices)(int*) = nullptr;
  int (*current_context)(Context*) = nullptr;
  int (*current_device)(int* device) = nullptr;
  int (*load_module)(Module*, const void* image) = nullptr;
  int (*function)(Function*, Module, const char* name) = nullptr;
  int (*launch)(Function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x,
                unsigned threads_y, unsigned threads_z, unsigned shared_bytes, Stream, void** arguments,
                void** extra) = nullptr;
  int (*make_handle)(Handle*, std::uintptr_t address) = nullptr;
  int (*open_handle)(std::uintptr_t* address, Handle, unsigned flags) = nullptr;
  int (*close_handle)(std::uintptr_t address) = nullptr;
  int (*register_host)(void* address, std::size_t bytes, unsigned flags) = nullptr;
  int (*unregister_host)(void* address) = nullptr;
  int (*create_stream)(Stream*, unsigned flags) = nullptr;
};

/// The table of the driver whose memory is of this kind (`cuda` and `cuda_managed` have one). Null if the process has
/// not loaded this driver.
const Table* table(Memory::Kind kind = Memory::Kind::cuda);

/// The same for memory that has a driver. Throws Error if the process has not loaded it.
const Table& need_table(const Memory& memory);

/// Throws Error that names what failed, and the driver's error, unless this is 0.
void need_success(const Table& table, int error, const std::string& what);

/// Makes the context of a device current until the end of the scope: the primary one, or another that is known. Throws
/// Error if the device is not in use in this process.
class InContext {
 public:
  InContext(const Table& table, Index device, Context context = nullptr);
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;
  ~InContext();

  Context context() const { return context_; }

 private:
  void release();

  const Table& table_;
  int device_ = 0;
  bool retained_ = false;
  Context context_ = nullptr;
};

/// Puts another table in the place of the loaded driver's of the same kind; null: the loaded driver's again. For tests.
void use_table(const Table* table, Memory::Kind kind = Memory::Kind::cuda);

/// What the driver knows of an address.
struct Place {
  enum class Kind { unknown, pinned_host, device, managed };
  Kind kind = Kind::unknown;  ///< unknown: the driver did not allocate it, as ordinary memory of the host
  Index device = 0;
  Context context = nullptr;    ///< null: it belongs to no context, as the memory of a pool
  std::uintptr_t begin = 0;     ///< of the allocation; 0: unknown
  std::size_t bytes = 0;        ///< of the allocation; 0: unknown
  std::uint64_t buffer_id = 0;  ///< differs between two allocations that have the same address one after the other

  std::string name() const;  ///< "memory of cuda:0", "memory of the host"
};

/// Asks the driver about an address. It starts nothing. Returns nullopt if the process has no driver of this kind, or
/// has not started it.
std::optional<Place> place_of(const void* address, Memory::Kind kind = Memory::Kind::cuda);

/// What is wrong with the place that a buffer states: an address of the host that says `cuda:0`, the reverse, or
/// another device. Returns nullopt if it is right, or if no driver can say. Managed memory may be used as memory of the
/// host or of any device.
std::optional<Finding> wrong_place(const Buffer& buffer);

/// True if the device has a context in this process, so that memory can be allocated there.
bool is_started(const Memory& memory);

/// Lets the work that comes later on `consumer` wait for what is on `producer` now. The memory says which device.
/// Throws Error if the process has no driver.
void order_after(const Memory& memory, Stream consumer, Stream producer);

/// The same for what an event recorded.
void order_after_event(const Memory& memory, Stream consumer, Event event);

/// Whether DLPack has a stream of this number on the devices of this memory; -1, no order, is one.
bool is_stream(const Memory& memory, Index number);

/// Lets what TriDAP does later with a device wait for what is on the caller's stream now. TriDAP works on the default
/// stream, so that nothing is done if this is the caller's. Throws Error if there is no stream of this number, or the
/// process has no driver.
void order_ours_after(const Memory& memory, DeviceStream callers);

/// Lets what comes later on the caller's stream wait for what is on the default stream now. Throws as
/// order_ours_after().
void order_after_ours(const Memory& memory, DeviceStream callers);

/// Returns when the work that is on the stream now has ended; for the legacy stream, that of all blocking streams.
void synchronize(const Memory& memory, Stream stream);

/// Memory of a device; `zeros`: work that comes later on the legacy stream finds zeros there. The result frees it.
/// Throws Error if there is none, or the device has no context.
std::shared_ptr<void> allocate(const Memory& memory, Index bytes, bool zeros = false);

/// Copies the elements of a valid buffer to another one with the same shape and element type; one of them, or both, are
/// in memory of a device. The copies wait for the work that is on the legacy stream, and have ended at the return.
void copy(const Buffer& from, const Buffer& to);

/// A dense copy of the buffer in other memory: strides that keep the order of the axes in memory, its own owner.
Buffer copy_to(const Buffer& from, const Memory& memory);

}  // namespace tridap::driver
