#pragma once

#include <tridap/redistribute/options.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tridap::redistribute {

/// Computes `to[k] = alpha * from[k] + beta * to[k]` for `count` elements, and converts their type. Steps are in bytes
/// and may be negative. Addresses need not be aligned. Source and target must not overlap. If beta is 0, the target is
/// not read; if alpha is 0, the source is not read. So a NaN there has no effect (as in PBLAS).
using Combine = void (*)(std::byte* to, Index to_step, const std::byte* from, Index from_step, Index count,
                         const Scaling& scaling);

/// Returns the function that converts and scales elements from one type to another; null: they are only copied.
///
/// The types are integers of 1 to 8 bytes, float, double and their complex types. `convert` allows what NumPy's
/// casting='same_kind' allows: another length of the same kind, and from unsigned to signed integer to floating point
/// to complex. So floating point never becomes an integer, complex never becomes real, and signed never becomes
/// unsigned. Integers that do not fit the target wrap. A conversion without scaling rounds once, for 64-bit integers
/// too. Scaling computes in double; for integer targets it computes in integers modulo 2^64, and both factors must be
/// integers.
///
/// Throws Error if the type cannot be converted, if `convert` is false but the types differ, or if the types cannot be
/// scaled by these factors.
Combine combiner(const ElementType& from, const ElementType& to, bool convert, const Scaling& scaling);

/// What is done with elements on their way: they are copied, or converted and scaled.
struct ElementStep {
  Combine combine = nullptr;  ///< null: they are copied
  Scaling scaling;
  Index source_bytes = 1, target_bytes = 1;  ///< length of an element

  bool copies() const { return combine == nullptr; }
  /// The length of a unit (see Cursor) in a slot, which holds elements of the source.
  Index slot_unit() const { return copies() ? 1 : source_bytes; }
};

/// Copies runs of bytes that do not overlap. Small runs are copied inline.
inline void copy_through_caches(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes == 8) {
    std::memcpy(to, from, 8);
#if defined(__SSE2__)
  } else if (bytes >= 16 && bytes <= 512) {
    const std::byte* const last = from + bytes - 16;
    std::byte* const to_last = to + bytes - 16;
    const __m128i tail = _mm_loadu_si128(reinterpret_cast<const __m128i*>(last));
    for (; from < last; from += 16, to += 16)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to_last), tail);
#endif
  } else {
    std::memcpy(to, from, bytes);
  }
}

/// The same as a policy, for targets that this process reads soon.
struct CachedCopy {
  static void run(std::byte* to, const std::byte* from, std::size_t bytes) { copy_through_caches(to, from, bytes); }
  static void finish() {}
};

/// Copies runs of bytes that do not overlap, with stores that bypass the caches, for targets that this process does not
/// read soon. The target's cache lines are not read first, and runs that follow one another in the target are combined
/// to lines. Other processes see the bytes only after finish(): such stores are weakly ordered, so without its fence a
/// flag that is set after them may be seen first.
struct StreamCopy {
#if defined(__SSE2__) && defined(__x86_64__)
  static void run(std::byte* to, const std::byte* from, std::size_t bytes) {
    if ((reinterpret_cast<std::uintptr_t>(to) | bytes) % 8 != 0) return copy_through_caches(to, from, bytes);
    if (reinterpret_cast<std::uintptr_t>(to) % 16 != 0 && bytes != 0) {
      word(to, from);
      to += 8;
      from += 8;
      bytes -= 8;
    }
    for (; bytes >= 64; bytes -= 64, to += 64, from += 64) {
      _mm_prefetch(reinterpret_cast<const char*>(from) + ahead, _MM_HINT_T0);
      const __m128i a = load(from), b = load(from + 16), c = load(from + 32), d = load(from + 48);
      store(to, a);
      store(to + 16, b);
      store(to + 32, c);
      store(to + 48, d);
    }
    for (; bytes >= 16; bytes -= 16, to += 16, from += 16) store(to, load(from));
    if (bytes != 0) word(to, from);
  }
  static void finish() { _mm_sfence(); }

 private:
  static constexpr std::size_t ahead = 1024;  // bytes: over the end of a page, too
  static __m128i load(const std::byte* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }
  static void store(std::byte* to, __m128i value) { _mm_stream_si128(reinterpret_cast<__m128i*>(to), value); }
  static void word(std::byte* to, const std::byte* from) {
    long long value = 0;
    std::memcpy(&value, from, 8);
    _mm_stream_si64(reinterpret_cast<long long*>(to), value);
  }
#else
  static void run(std::byte* to, const std::byte* from, std::size_t bytes) { copy_through_caches(to, from, bytes); }
  static void finish() {}
#endif
};

}  // namespace tridap::redistribute
