#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dap::redistribute {

/// Copies runs of bytes that do not overlap; small ones without a call.
struct PlainCopy {
  static void run(std::byte* to, const std::byte* from, std::size_t bytes) {
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
  static void finish() {}
};

/// The same for targets that nobody here reads soon: whole cache lines go to memory without being read first. Others
/// see them only after finish().
struct StreamCopy {
#if defined(__SSE2__)
  static void run(std::byte* to, const std::byte* from, std::size_t bytes) {
    const std::size_t head = (64 - reinterpret_cast<std::uintptr_t>(to) % 64) % 64;
    if (bytes < head + 64) return PlainCopy::run(to, from, bytes);
    if (head != 0) PlainCopy::run(to, from, head);
    to += head;
    from += head;
    bytes -= head;
    for (; bytes >= 64; bytes -= 64, to += 64, from += 64) {
      const auto* in = reinterpret_cast<const __m128i*>(from);
      auto* out = reinterpret_cast<__m128i*>(to);
      const __m128i a = _mm_loadu_si128(in), b = _mm_loadu_si128(in + 1), c = _mm_loadu_si128(in + 2),
                    d = _mm_loadu_si128(in + 3);
      _mm_stream_si128(out, a);
      _mm_stream_si128(out + 1, b);
      _mm_stream_si128(out + 2, c);
      _mm_stream_si128(out + 3, d);
    }
    if (bytes != 0) PlainCopy::run(to, from, bytes);
  }
  /// Stores that go past the caches are weakly ordered: without this fence a flag set after them may be seen first.
  static void finish() { _mm_sfence(); }
#else
  static void run(std::byte* to, const std::byte* from, std::size_t bytes) { PlainCopy::run(to, from, bytes); }
  static void finish() {}
#endif
};

/// The same for runs that follow one another in the target: the lines that they share are put together on the way.
struct FeedCopy {
#if defined(__SSE2__) && defined(__x86_64__)
  static void run(std::byte* to, const std::byte* from, std::size_t bytes) {
    if ((reinterpret_cast<std::uintptr_t>(to) | bytes) % 8 != 0) return PlainCopy::run(to, from, bytes);
    if (reinterpret_cast<std::uintptr_t>(to) % 16 != 0 && bytes != 0) {
      word(to, from);
      to += 8;
      from += 8;
      bytes -= 8;
    }
    for (; bytes >= 16; bytes -= 16, to += 16, from += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    if (bytes != 0) word(to, from);
  }
  /// As StreamCopy's.
  static void finish() { _mm_sfence(); }

 private:
  static void word(std::byte* to, const std::byte* from) {
    long long value = 0;
    std::memcpy(&value, from, 8);
    _mm_stream_si64(reinterpret_cast<long long*>(to), value);
  }
#else
  static void run(std::byte* to, const std::byte* from, std::size_t bytes) { PlainCopy::run(to, from, bytes); }
  static void finish() {}
#endif
};

}  // namespace dap::redistribute
