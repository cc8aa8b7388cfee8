#pragma once

#include <tridap/buffer.hpp>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

/// The stand-in of tests/support/stand_in_cuda.cpp for the driver of a GPU, whose memory the host cannot touch.
namespace stand_in {

enum Kind { pinned = 1, device = 2, managed = 3, pool = 4 };

/// What Driver::count() counts.
enum Counted {
  allocations,
  events,
  contexts,
  kernels,
  open_handles,
  pinned_pieces,
  freed_open,     ///< allocations that were freed while another process had them open
  crossed_bytes,  ///< copied between the host and a device
};

/// The library, loaded as a program loads the driver: device 0 is in use.
class Driver {
 public:
  std::uintptr_t (*allocate)(std::size_t, int, int) = nullptr;
  void (*free)(std::uintptr_t) = nullptr;
  void (*write)(std::uintptr_t, const void*, std::size_t, std::uintptr_t) = nullptr;
  void (*read)(void*, std::uintptr_t, std::size_t, std::uintptr_t) = nullptr;
  void* (*event)(std::uintptr_t) = nullptr;
  std::uint64_t (*count)(int) = nullptr;
  void (*fail)(std::uint64_t, int) = nullptr;
  void (*use)(int) = nullptr;  ///< a device

  /// Whether this is the driver of a GPU, over which tests/gpu runs the same tests: it counts nothing, and cannot fail.
  bool is_real = false;

  static const Driver& loaded() {
    static const Driver made;
    return made;
  }

 private:
  Driver() {
    const char* const other = std::getenv("TRIDAP_TEST_DRIVER");
    void* const library = dlopen(other != nullptr ? other : TRIDAP_STAND_IN_CUDA, RTLD_NOW | RTLD_GLOBAL);
    EXPECT_NE(library, nullptr) << dlerror();
    find(library, "stand_in_allocate", allocate);
    find(library, "stand_in_free", free);
    find(library, "stand_in_write", write);
    find(library, "stand_in_read", read);
    find(library, "stand_in_event", event);
    find(library, "stand_in_count", count);
    find(library, "stand_in_fail", fail);
    is_real = dlsym(library, "stand_in_is_real") != nullptr;
    find(library, "stand_in_start", use);
    use(0);
  }

  template <class Function>
  static void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    ASSERT_NE(function, nullptr) << name;
  }
};

/// Elements 0, 1, ... in memory of the stand-in.
inline tridap::Buffer numbers(tridap::IndexList shape, tridap::Memory memory = {tridap::Memory::Kind::cuda, 0},
                              int kind = device, std::uintptr_t stream = 0) {
  const Driver& s = Driver::loaded();
  tridap::Buffer buffer = tridap::row_major<double>(nullptr, std::move(shape));
  std::vector<double> values(static_cast<std::size_t>(element_count(buffer)));
  std::iota(values.begin(), values.end(), 0.0);
  const std::size_t size = values.size() * sizeof(double);
  const std::uintptr_t address = s.allocate(size, static_cast<int>(memory.device), kind);
  s.write(address, values.data(), size, stream);
  buffer.data = reinterpret_cast<void*>(address);
  buffer.owner = {buffer.data, [&s, address](void*) { s.free(address); }};
  buffer.memory = memory;
  return buffer;
}

}  // namespace stand_in
