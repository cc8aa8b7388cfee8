#include "pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace tridap::mpi {

namespace {

std::shared_ptr<std::byte> owned(void* memory, std::size_t length) {
  if (memory == MAP_FAILED) return nullptr;
  return {static_cast<std::byte*>(memory), [length](std::byte* begin) { munmap(begin, length); }};
}

}  // namespace

Index page_bytes() {
  static const Index asked = sysconf(_SC_PAGESIZE);
  return asked > 0 ? asked : 65536;  // the largest there is, a multiple of the others
}

std::shared_ptr<std::byte> own_pages(Index bytes) {
  const auto length = static_cast<std::size_t>(bytes);
  return owned(mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), length);
}

std::shared_ptr<std::byte> same_pages([[maybe_unused]] std::byte* begin, [[maybe_unused]] Index bytes) {
#ifdef MREMAP_MAYMOVE  // Linux: of a shared mapping, nothing that grows is a second mapping
  const auto length = static_cast<std::size_t>(bytes);
  return owned(mremap(begin, 0, length, MREMAP_MAYMOVE), length);
#else
  return nullptr;
#endif
}

}  // namespace tridap::mpi
