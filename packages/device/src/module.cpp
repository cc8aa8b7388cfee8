#include "module.hpp"

#include <tridap/detail/refuse.hpp>

#include <complex>
#include <map>
#include <mutex>
#include <utility>

// The image of kernels.cu; a component that was built without a compiler for it has none.
#ifdef TRIDAP_DEVICE_IMAGE
asm(".pushsection .rodata\n"
    ".balign 64\n"
    ".local tridap_device_image\n"
    "tridap_device_image:\n"
    ".incbin \"" TRIDAP_DEVICE_IMAGE
    "\"\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" __attribute__((visibility("hidden"))) const char tridap_device_image[];
#endif

namespace tridap::device {

namespace {

const void* image() {
#ifdef TRIDAP_DEVICE_IMAGE
  return tridap_device_image;
#else
  return nullptr;
#endif
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
  if (module == nullptr && table.load_module(&module, image()) != 0) {
    module = nullptr;
    refuse(image() == nullptr ? "TriDAP::device was built without a compiler for this device, so it has no kernels"
                              : "the device cannot run the kernels of TriDAP::device",
           "", image() == nullptr ? "build TriDAP where CMake finds nvcc" : "build TriDAP with a newer nvcc");
  }
  driver::need_success(table, table.function(&found, module, name.c_str()), "finding the kernel " + name);
  return found;
}

}  // namespace

namespace {

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

}  // namespace

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

void launch(const Memory& memory, const std::string& kernel, unsigned blocks, unsigned threads, void* task) {
  const driver::Table& table = driver::need_table(memory);
  const driver::InContext in(table, memory.device);
  void* arguments[] = {task};
  driver::need_success(
      table,
      table.launch(function(table, in.context(), kernel), blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr),
      "launching " + kernel);
}

}  // namespace tridap::device
