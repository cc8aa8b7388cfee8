#include "module.hpp"

#include <tridap/detail/refuse.hpp>

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
