#include "copy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace tridap::globalarrays {

namespace {

// An axis of both buffers. `from` and `to`: the bytes from one element to the next.
struct Step {
  Index extent = 0, from = 0, to = 0;
};

// What is copied: runs of bytes that are contiguous in both buffers, over axes. The target's outermost axis is first.
struct CopyRuns {
  std::vector<Step> axes;
  Index bytes = 0;
};

CopyRuns runs_of(const Buffer& from, const Buffer& to) {
  CopyRuns runs;
  runs.bytes = from.type.bytes;
  std::vector<Step>& axes = runs.axes;
  for (std::size_t i = 0; i < from.shape.size(); ++i)
    if (from.shape[i] > 1) axes.push_back({from.shape[i], from.strides[i], to.strides[i]});
  std::sort(axes.begin(), axes.end(), [](const Step& a, const Step& b) { return std::abs(a.to) > std::abs(b.to); });
  for (; !axes.empty() && axes.back().from == runs.bytes && axes.back().to == runs.bytes; axes.pop_back())
    runs.bytes *= axes.back().extent;
  if (axes.empty()) axes.push_back({1, 0, 0});
  return runs;
}

// `length`: of a run in bytes, if it is known at compile time; 0: it is `bytes`.
template <std::size_t length>
void copy_box(const std::byte* from, std::byte* to, const Step* axis, std::size_t count, std::size_t bytes) {
  if (count > 1) {
    for (Index i = 0; i < axis->extent; ++i, from += axis->from, to += axis->to)
      copy_box<length>(from, to, axis + 1, count - 1, bytes);
    return;
  }
  for (Index i = 0; i < axis->extent; ++i)
    std::memcpy(to + i * axis->to, from + i * axis->from, length == 0 ? bytes : length);
}

// The axis along which a box reaches farthest in both buffers. It can be halved, even if all elements of one buffer are
// one element.
Step& farthest(std::vector<Step>& axes) {
  const auto reach = [](const Step& axis) {
    return axis.extent == 1 ? 0 : axis.extent * std::max<Index>(1, std::min(std::abs(axis.from), std::abs(axis.to)));
  };
  return *std::max_element(axes.begin(), axes.end(), [&](const Step& a, const Step& b) { return reach(a) < reach(b); });
}

// Halves a box until it is so small that its lines of both buffers stay in the nearest cache. One buffer may be
// row-major and the other column-major.
template <std::size_t length>
void copy_halves(const std::byte* from, std::byte* to, std::vector<Step>& axes, Index count, std::size_t bytes) {
  constexpr Index few = 256;
  if (count <= few) return copy_box<length>(from, to, axes.data(), axes.size(), bytes);
  Step& axis = farthest(axes);
  const Index extent = axis.extent, first = extent < 16 ? extent / 2 : extent / 16 * 8, each = count / extent;
  axis.extent = first;
  copy_halves<length>(from, to, axes, each * first, bytes);
  axis.extent = extent - first;
  copy_halves<length>(from + first * axis.from, to + first * axis.to, axes, each * (extent - first), bytes);
  axis.extent = extent;
}

}  // namespace

Index copy_elements(const Buffer& from, const Buffer& to) {
  const Index elements = element_count(from), bytes = elements * from.type.bytes;
  if (elements == 0) return 0;
  CopyRuns runs = runs_of(from, to);
  const auto run = static_cast<std::size_t>(runs.bytes);
  const auto copy = run == 4    ? copy_halves<4>
                    : run == 8  ? copy_halves<8>
                    : run == 16 ? copy_halves<16>
                                : copy_halves<0>;
  copy(static_cast<const std::byte*>(from.data), static_cast<std::byte*>(to.data), runs.axes, bytes / runs.bytes, run);
  return bytes;
}

}  // namespace tridap::globalarrays
