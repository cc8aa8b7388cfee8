#include "module.hpp"

#include <tridap/detail/refuse.hpp>

#include <complex>
#include <map>
#include <mutex>
#include <utility>

// The images of kernels.cu. Where a compiler for one was missing, its image is empty.
#define TRIDAP_IMAGE(name, file)                                                                                       \
  asm(".pushsection .rodata\n.balign 64\n.local " #name "\n" #name ":\n.incbin \"" file "\"\n.byte 0\n.popsection\n"); \
  extern "C" __attribute__((visibility("hidden"))) const char name[];
#ifdef TRIDAP_CUDA_IMAGE
TRIDAP_IMAGE(tridap_cuda_image, TRIDAP_CUDA_IMAGE)
#else
static constexpr char tridap_cuda_image[] = "";
#endif
#ifdef TRIDAP_HIP_IMAGE
TRIDAP_IMAGE(tridap_hip_image, TRIDAP_HIP_IMAGE)
#else
static constexpr char tridap_hip_image[] = "";
#endif

namespace tridap::device {

namespace {

const char* image_for(const driver::Table& table) {
  return table.kind == Memory::Kind::hip ? tridap_hip_image : tridap_cuda_image;
}

// A kernel in a context: found once. Modules stay until the context ends.
driver::Function function(const driver::Table& table, driver::Context context, const std::string& name) {
  static auto& modules = *new std::map<driver::Context, driver::Module>;
  static auto& functions = *new std::map<std::pair<driver::Context, std::string>, driver::Function>;
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  driver::Function& found = functions[{context, name}];
  if (found != nullptr) return found;
  driver::Module& module = modules[context];
  if (module == nullptr && table.load_module(&module, image_for(table)) != 0) {
    module = nullptr;
    if (*image_for(table) == 0)
      refuse("TriDAP::device was built without a compiler for this device, so it has no kernels", "",
             "build TriDAP where CMake finds nvcc, or hipcc");
    refuse("the device cannot run the kernels of TriDAP::device", "", "build TriDAP with a newer compiler for it");
  }
  driver::need_success(table, table.function(&found, module, name.c_str()), "finding the kernel " + name);
  return found;
}

}  // namespace

Number number_of(const ElementType& type) {
  using Kind = ElementType::Kind;
  const auto sized = [&](Number smallest, Index smallest_bytes) {
    auto number = static_cast<std::int32_t>(smallest);
    for (Index bytes = smallest_bytes; bytes < type.bytes; bytes *= 2) ++number;
    return static_cast<Number>(number);
  };
  switch (type.kind) {
    case Kind::signed_integer:
      return sized(Number::i8, 1);
    case Kind::floating:
      return sized(Number::f32, 4);
    case Kind::complex:
      return sized(Number::c64, 8);
    default:
      return sized(Number::u8, 1);
  }
}

Index part_bytes(const ElementType& type) {  // of a real or imaginary part
  return type.kind == ElementType::Kind::complex ? type.bytes / 2 : type.bytes;
}

Arithmetic arithmetic_of(const redistribute::DeviceStep& step, const WordSize& here, const WordSize& there) {
  const auto complex = [](const std::complex<double>& number) {
    return redistribute::arithmetic::Complex<double>{number.real(), number.imag()};
  };
  ElementType to = step.to;
  if (to.kind == ElementType::Kind::signed_integer) to.kind = ElementType::Kind::unsigned_integer;
  return {{complex(step.scaling.alpha), complex(step.scaling.beta)},
          number_of(step.from),
          number_of(to),
          here.bytes() >= part_bytes(step.to) && there.bytes() >= part_bytes(step.from)};
}

void launch(const Memory& memory, const std::string& kernel, unsigned blocks, unsigned in_block, void* task,
            driver::Stream stream) {
  const driver::Table& table = driver::need_table(memory);
  const driver::InContext in(table, memory.device);
  void* arguments[] = {task};
  driver::need_success(
      table,
      table.launch(function(table, in.context(), kernel), blocks, 1, 1, in_block, 1, 1, 0, stream, arguments, nullptr),
      "launching " + kernel);
}

driver::Stream stream_of_slots(const Memory& memory, bool unpacks) {
  static auto& streams = *new std::map<std::pair<driver::Context, bool>, driver::Stream>;  // as long as their contexts
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  const driver::Table& table = driver::need_table(memory);
  const driver::InContext in(table, memory.device);
  driver::Stream& made = streams[{in.context(), unpacks}];
  if (made == nullptr) driver::need_success(table, table.create_stream(&made, driver::non_blocking), "making a stream");
  return made;
}

std::shared_ptr<void> make_event(const Memory& memory) {
  const driver::Table& table = driver::need_table(memory);
  const driver::InContext in(table, memory.device);
  driver::Event event = nullptr;
  driver::need_success(table, table.create_event(&event, driver::no_timing), "making an event");
  return {event, [&table](void* held) { table.destroy_event(held); }};
}

bool has_ended(const Memory& memory, driver::Event event) {
  const driver::Table& table = driver::need_table(memory);
  const driver::InContext in(table, memory.device);
  constexpr int not_ready = 600;
  const int error = table.query_event(event);
  if (error == not_ready) return false;
  driver::need_success(table, error, "a kernel that moves elements");
  return true;
}

}  // namespace tridap::device
