// The functions by which tests/device uses its stand-in, over a real driver: so the same tests run on a GPU.

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

template <class Function>
Function* found(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  void* const address = library == nullptr ? nullptr : dlsym(library, name);
  if (address == nullptr) {
    std::fprintf(stderr, "no %s in libcuda.so.1\n", name);
    std::abort();
  }
  return reinterpret_cast<Function*>(address);
}

void need(int error, const char* what) {
  if (error == 0) return;
  std::fprintf(stderr, "%s failed: %d\n", what, error);
  std::abort();
}

using Address = std::uintptr_t;

}  // namespace

extern "C" {

void stand_in_start(int ordinal) {
  need(found<int(unsigned)>("cuInit")(0), "cuInit");
  int device = 0;
  need(found<int(int*, int)>("cuDeviceGet")(&device, ordinal), "cuDeviceGet");
  void* context = nullptr;
  need(found<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, device), "cuDevicePrimaryCtxRetain");
  need(found<int(void*)>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
}

// Kinds as in the stand-in: 2 of a device, 3 managed, 4 of a pool.
Address stand_in_allocate(std::size_t bytes, int, int kind) {
  Address address = 0;
  if (kind == 3)
    need(found<int(Address*, std::size_t, unsigned)>("cuMemAllocManaged")(&address, bytes, 1), "cuMemAllocManaged");
  else if (kind == 4)
    need(found<int(Address*, std::size_t, void*)>("cuMemAllocAsync")(&address, bytes, nullptr), "cuMemAllocAsync");
  else
    need(found<int(Address*, std::size_t)>("cuMemAlloc_v2")(&address, bytes), "cuMemAlloc");
  return address;
}

// What a copy from the host has begun may still write there, and cuMemFree does not wait for it in memory of a pool.
void stand_in_free(Address address) {
  need(found<int()>("cuCtxSynchronize")(), "cuCtxSynchronize");
  found<int(Address)>("cuMemFree_v2")(address);
}

// A copy on the legacy stream, which other work may still be behind; the elements are taken before the return.
void stand_in_write(Address to, const void* from, std::size_t bytes, Address) {
  need(found<int(Address, const void*, std::size_t)>("cuMemcpyHtoD_v2")(to, from, bytes), "cuMemcpyHtoD");
}

void stand_in_read(void* to, Address from, std::size_t bytes, Address) {
  need(found<int(void*, Address, std::size_t)>("cuMemcpyDtoH_v2")(to, from, bytes), "cuMemcpyDtoH");
}

void* stand_in_event(Address) { return nullptr; }

// What only a stand-in can tell, or do.
std::uint64_t stand_in_count(int) { return 0; }
void stand_in_fail(std::uint64_t, int) {}
int stand_in_is_real() { return 1; }

}  // extern "C"
