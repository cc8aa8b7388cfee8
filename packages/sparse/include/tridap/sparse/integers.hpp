#pragma once

#include <tridap/index.hpp>

#include <cstdint>
#include <type_traits>

namespace tridap {

/// Integers of 4 or 8 bytes in memory of another object.
struct Integers {
  const void* data = nullptr;
  int bytes = 8;
  Index count = 0;

  Index operator[](Index i) const {
    if (bytes == 4) return static_cast<const std::int32_t*>(data)[i];
    return static_cast<const std::int64_t*>(data)[i];
  }
};

/// `count` integers that begin at `data`. Unsigned ones must not exceed the largest signed one.
template <class T>
Integers integers(const T* data, Index count) {
  static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), "integers of 4 or 8 bytes");
  return {data, static_cast<int>(sizeof(T)), count};
}

}  // namespace tridap
