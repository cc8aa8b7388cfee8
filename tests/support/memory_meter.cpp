#include "support/memory_meter.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace memory_meter {

std::size_t largest_allocation = 0;
std::size_t held = 0, most_held = 0;
long allocations_left = -1;
bool ends_for_good = true;
std::size_t least_bytes = 0;
bool (*counts)() = nullptr;

}  // namespace memory_meter

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  using namespace memory_meter;
  largest_allocation = std::max(largest_allocation, bytes);
  if (allocations_left >= 0 && bytes >= least_bytes && (counts == nullptr || counts())) {
    if (allocations_left == 0) {
      if (!ends_for_good) allocations_left = -1;
      return nullptr;
    }
    --allocations_left;
  }
  void* const memory = std::malloc(bytes > 0 ? bytes : 1);
  held += malloc_usable_size(memory);
  most_held = std::max(most_held, held);
  return memory;
}
void* operator new(std::size_t bytes) {
  if (void* memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  memory_meter::held -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { operator delete(memory); }
