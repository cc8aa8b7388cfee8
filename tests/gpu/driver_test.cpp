// The driver layer on a real GPU: a plain program that needs the CUDA runtime and TriDAP::protocol alone. It prints
// what is wrong, and returns 1 if anything is.

#include <tridap/c_array.hpp>
#include <tridap/check.hpp>
#include <tridap/internal/driver.hpp>

#include <cuda_runtime_api.h>

#include <cstdio>
#include <numeric>
#include <string>

namespace {

using tridap::Buffer;
using tridap::Index;
using tridap::IndexList;
using tridap::Memory;
namespace driver = tridap::driver;

int wrong = 0, right = 0;

void expect(bool fact, const char* what) {
  ++(fact ? right : wrong);
  if (!fact) std::printf("wrong: %s\n", what);
}

void must(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

const Memory cuda0{Memory::Kind::cuda, 0};

Buffer over(void* address, IndexList shape, const Memory& memory) {
  Buffer buffer = tridap::row_major(static_cast<double*>(address), std::move(shape));
  buffer.memory = memory;
  return buffer;
}

std::string found(const Buffer& buffer) {
  const auto finding = driver::wrong_place(buffer);
  return finding ? finding->text() : "";
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

void places(void* device, void* managed, void* pinned, void* pool, double* host) {
  using Kind = driver::Place::Kind;
  const auto kind = [](void* address) { return driver::place_of(address).value().kind; };
  expect(kind(device) == Kind::device, "cudaMalloc is memory of a device");
  expect(kind(managed) == Kind::managed, "cudaMallocManaged is managed");
  expect(kind(pinned) == Kind::pinned_host, "cudaMallocHost is pinned");
  expect(kind(pool) == Kind::device, "cudaMallocAsync is memory of a device");
  expect(kind(host) == Kind::unknown, "ordinary memory is the host's");
  const auto inner = driver::place_of(static_cast<char*>(device) + 64).value();
  expect(inner.begin == reinterpret_cast<std::uintptr_t>(device), "the begin of an allocation is known");
  expect(inner.bytes >= 960, "the length of an allocation is known");
  expect(inner.buffer_id != 0, "an allocation has an id");
  expect(found(over(device, {4}, cuda0)).empty(), "cuda:0 is right");
  expect(contains(found(over(device, {4}, {})), "its address is in cuda:0 memory"), "device memory that says host");
  expect(contains(found(over(device, {4}, {Memory::Kind::cuda, 1})), "its address is in cuda:0"), "another device");
  expect(contains(found(over(host, {4}, cuda0)), "in memory of the host"), "host memory that says cuda:0");
  expect(contains(found(over(pinned, {4}, cuda0)), "in pinned memory of the host"), "pinned memory that says cuda:0");
  expect(found(over(pinned, {4}, {})).empty() && found(over(host, {4}, {})).empty(), "the host is right");
  expect(found(over(pool, {4}, cuda0)).empty(), "memory of a pool is right");
  for (const Memory& memory : {Memory{}, cuda0, Memory{Memory::Kind::cuda_managed, 0}})
    expect(found(over(managed, {4}, memory)).empty(), "managed memory has every place");
  expect(check(over(device, {4}, {})).errors() == 1, "check() finds it");
}

void copies(const Memory& from_memory, void* from_address) {
  const IndexList whole = {4, 5, 6};
  std::vector<double> values(120);
  std::iota(values.begin(), values.end(), 0.0);
  must(cudaMemcpy(from_address, values.data(), 960, cudaMemcpyDefault), "cudaMemcpy");
  for (const Index a : {-2, -1, 1, 3})
    for (const Index b : {-3, 1, 2})
      for (const Index c : {-1, 1, 4})
        for (const int turned : {0, 1}) {
          Buffer there = over(from_address, whole, from_memory), host = over(values.data(), whole, {});
          const IndexList steps = {a, b, c};
          for (Buffer* each : {&there, &host}) {
            auto* data = static_cast<char*>(each->data);
            for (std::size_t axis = 0; axis < 3; ++axis) {
              if (steps[axis] < 0) data += (each->shape[axis] - 1) * each->strides[axis];
              each->shape[axis] = (each->shape[axis] + std::abs(steps[axis]) - 1) / std::abs(steps[axis]);
              each->strides[axis] *= steps[axis];
            }
            each->data = data;
            if (turned == 1) {
              std::swap(each->shape[0], each->shape[2]);
              std::swap(each->strides[0], each->strides[2]);
            }
          }
          const auto packed = [](const Buffer& buffer) {
            std::vector<double> out(static_cast<std::size_t>(element_count(buffer)));
            pack(buffer, out.data());
            return out;
          };
          expect(packed(driver::copy_to(there, {})) == packed(host), "a strided part comes to the host");
          const Buffer up = driver::copy_to(host, cuda0);
          expect(packed(driver::copy_to(driver::copy_to(up, cuda0), {})) == packed(host), "a strided part goes up");
        }
}

// cudaLaunchHostFunc would need no kernel, but a memset behind a slow host function is late on its stream.
void streams() {
  const std::size_t bytes = 64 << 20;
  void* memory = nullptr;
  cudaStream_t late = nullptr;
  must(cudaMalloc(&memory, bytes), "cudaMalloc");
  must(cudaStreamCreateWithFlags(&late, cudaStreamNonBlocking), "cudaStreamCreate");
  const auto slow = [](void*) {
    for (volatile long i = 0; i < 300000000; i = i + 1) {
    }
  };
  const auto first_byte = [&](bool event, bool waits) {
    must(cudaMemset(memory, 0, bytes), "cudaMemset");
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    must(cudaLaunchHostFunc(late, slow, nullptr), "cudaLaunchHostFunc");
    must(cudaMemsetAsync(memory, 1, bytes, late), "cudaMemsetAsync");
    tridap::DistArray array;
    array.version = "0.10.0";
    array.buffer = over(memory, {static_cast<Index>(bytes / 8)}, cuda0);
    array.dim_data = {tridap::undistributed(array.buffer.shape[0])};
    tridap::CArray c = tridap::to_c(std::move(array));
    cudaEvent_t recorded = nullptr;
    must(cudaEventCreateWithFlags(&recorded, cudaEventDisableTiming), "cudaEventCreate");
    must(cudaEventRecord(recorded, late), "cudaEventRecord");
    if (waits) (event ? c->buffer.device.event : c->buffer.device.stream) = event ? static_cast<void*>(recorded) : late;
    const tridap::DistArray taken = tridap::from_c(std::move(c));
    unsigned char value = 9;
    must(cudaMemcpyAsync(&value, static_cast<char*>(memory) + bytes - 1, 1, cudaMemcpyDeviceToHost, cudaStreamLegacy),
         "cudaMemcpyAsync");
    must(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    must(cudaEventDestroy(recorded), "cudaEventDestroy");
    return static_cast<int>(value);
  };
  expect(first_byte(false, true) == 1, "the stream of an array of C is waited for");
  expect(first_byte(true, true) == 1, "the event of an array of C is waited for");
  expect(first_byte(false, false) == 0, "without the stream the value is not there yet");
  must(cudaStreamDestroy(late), "cudaStreamDestroy");
  must(cudaFree(memory), "cudaFree");
}

}  // namespace

int main() {
  expect(!driver::is_started(cuda0), "no context before the first call of CUDA");
  std::vector<double> host(120);
  expect(check(over(host.data(), {120}, {})).ok(), "memory of the host is right before CUDA");
  bool refused = false;
  try {
    driver::allocate(cuda0, 8);
  } catch (const tridap::Error&) {
    refused = true;
  }
  expect(refused && !driver::is_started(cuda0), "CUDA is never started");

  void *device = nullptr, *managed = nullptr, *pinned = nullptr, *pool = nullptr;
  must(cudaMalloc(&device, 960), "cudaMalloc");
  must(cudaMallocManaged(&managed, 960), "cudaMallocManaged");
  must(cudaMallocHost(&pinned, 960), "cudaMallocHost");
  must(cudaMallocAsync(&pool, 960, nullptr), "cudaMallocAsync");
  must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  expect(driver::table() != nullptr && driver::is_started(cuda0), "the driver is found once CUDA is there");
  places(device, managed, pinned, pool, host.data());
  copies(cuda0, device);
  copies(cuda0, pool);
  copies({Memory::Kind::cuda_managed, 0}, managed);
  streams();
  std::size_t before = 0, after = 0, total = 0;
  must(cudaMemGetInfo(&before, &total), "cudaMemGetInfo");
  { const auto held = driver::allocate(cuda0, 256 << 20); }
  must(cudaMemGetInfo(&after, &total), "cudaMemGetInfo");
  expect(before == after, "memory is freed");
  must(cudaGetLastError(), "the last error");
  std::printf("%d right, %d wrong\n", right, wrong);
  return wrong == 0 ? 0 : 1;
}
