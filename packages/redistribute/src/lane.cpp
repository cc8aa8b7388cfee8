#include "lane.hpp"

#include <algorithm>

namespace tridap::redistribute {

template <class Move>
void Lane::advance(Index bytes, Move&& move) {
  left_ -= bytes;
  while (bytes > 0) {
    std::byte* const data = loads_[at_].data;
    const Index now = std::min(bytes, cursor_.left());
    cursor_.advance(
        now, [&](Index offset, Index length, Index step, Index count) { move(data + offset, length, step, count); });
    bytes -= now;
    if (cursor_.left() == 0 && ++at_ < loads_.size()) cursor_.restart(*loads_[at_].walk);
  }
}

void Lane::pack(std::byte* to, Index bytes, bool cached) {
  advance(bytes, [&to, cached](const std::byte* from, Index length, Index step, Index count) {
    const auto n = static_cast<std::size_t>(length);
    for (; count > 0; --count, from += step, to += length)
      cached ? CachedCopy::run(to, from, n) : StreamCopy::run(to, from, n);
  });
  StreamCopy::finish();
}

void Lane::unpack(const std::byte* from, Index bytes) {
  advance(bytes, [&from](std::byte* to, Index length, Index step, Index count) {
    const auto n = static_cast<std::size_t>(length);
    for (; count > 0; --count, from += length, to += step) StreamCopy::run(to, from, n);
  });
  StreamCopy::finish();
}

void Lane::combine(const std::byte* from, Index elements, Index from_bytes, Index to_bytes, Combine how,
                   const Scaling& by) {
  advance(elements * to_bytes, [&](std::byte* to, Index length, Index step, Index count) {
    const Index in_chunk = length / to_bytes;
    if (in_chunk == 1) {
      how(to, step, from, from_bytes, count, by);
      from += count * from_bytes;
      return;
    }
    for (; count > 0; --count, from += in_chunk * from_bytes, to += step)
      how(to, to_bytes, from, from_bytes, in_chunk, by);
  });
}

}  // namespace tridap::redistribute
