#pragma once

#include <cstddef>

/// What a test program's operator new does, for tests that link support/memory_meter.cpp. For one thread.
namespace memory_meter {

extern std::size_t largest_allocation;  ///< since it was last set to 0, bytes
extern std::size_t held;                ///< now, bytes
extern std::size_t most_held;           ///< since it was last set to `held`, bytes
extern long allocations_left;           ///< until memory ends with std::bad_alloc; negative: it does not
extern bool ends_for_good;              ///< else one allocation fails, and allocations_left is negative after it
extern std::size_t least_bytes;         ///< of an allocation that is one of allocations_left
extern bool (*counts)();                ///< whether the allocation under way is one of allocations_left; null: all are

}  // namespace memory_meter
