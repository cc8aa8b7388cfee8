#include <tridap/internal/copy_elements.hpp>
#include <tridap/internal/transpose.hpp>
#include <tridap/unpack.hpp>

#include <algorithm>
#include <cstdlib>

namespace tridap {

namespace {

// An axis of both buffers. `from` and `to`: the bytes from one element to the next.
struct Step {
  Index extent = 0, from = 0, to = 0;
};

// What is copied: runs of bytes that are contiguous in both buffers, over axes.
struct Runs {
  SmallList<Step, 4> axes;  // outermost in the target first; if `turned`, the source's nearest axis is the last but one
  Index bytes = 0;
  bool turned = false;
};

Runs runs_of(const Buffer& from, const Buffer& to) {
  Runs runs;
  runs.bytes = from.type.bytes;
  SmallList<Step, 4>& axes = runs.axes;
  for (std::size_t i = 0; i < from.shape.size(); ++i)
    if (from.shape[i] > 1) axes.push_back({from.shape[i], from.strides[i], to.strides[i]});
  const auto outside = [](const Step& a, const Step& b) { return std::abs(a.to) > std::abs(b.to); };
  std::sort(axes.begin(), axes.end(), outside);
  for (; !axes.empty() && axes.back().from == runs.bytes && axes.back().to == runs.bytes; axes.pop_back())
    runs.bytes *= axes.back().extent;
  if (axes.empty()) axes.push_back({1, 0, 0});
  const auto nearer = [](const Step& a, const Step& b) { return std::abs(a.from) < std::abs(b.from); };
  Step* const last = axes.end() - 1;
  Step* const nearest = std::min_element(axes.begin(), axes.end(), nearer);
  runs.turned = nearer(*nearest, *last) && rows_of_tile(runs.bytes) > 1;
  if (runs.turned) std::rotate(nearest, nearest + 1, last);
  return runs;
}

// The last two axes, of which each row of the target is written at once.
void copy_matrix(const std::byte* from, std::byte* to, const Step& rows, const Step& elements, Index bytes) {
  transpose(from, {rows.from, elements.from}, rows.extent, elements.extent, bytes,
            [&](Index row, Index first, Index count, const std::byte* of_row) {
              std::byte* const there = to + row * rows.to + first * elements.to;
              copy_strided(there, elements.to, of_row, bytes, count, bytes);
            });
}

void copy_runs(const std::byte* from, std::byte* to, const Step* axis, std::size_t axes, const Runs& runs) {
  if (axes == 1) return copy_strided(to, axis->to, from, axis->from, axis->extent, runs.bytes);
  if (axes == 2 && runs.turned) return copy_matrix(from, to, axis[0], axis[1], runs.bytes);
  for (Index i = 0; i < axis->extent; ++i, from += axis->from, to += axis->to)
    copy_runs(from, to, axis + 1, axes - 1, runs);
}

Buffer dense(const void* memory, const Buffer& like) {
  Buffer buffer;
  buffer.data = const_cast<void*>(memory);  // unpack() only reads it
  buffer.type.bytes = like.type.bytes;
  buffer.shape = like.shape;
  buffer.strides = row_major_strides(like.shape, like.type.bytes);
  return buffer;
}

}  // namespace

Index copy_elements(const Buffer& from, const Buffer& to) {
  const Index elements = element_count(from);
  if (elements == 0) return 0;
  const Runs runs = runs_of(from, to);
  copy_runs(static_cast<const std::byte*>(from.data), static_cast<std::byte*>(to.data), runs.axes.begin(),
            runs.axes.size(), runs);
  return elements * from.type.bytes;
}

Index pack(const Buffer& buffer, void* out) { return copy_elements(buffer, dense(out, buffer)); }

Index unpack(const void* in, const Buffer& buffer) { return copy_elements(dense(in, buffer), buffer); }

}  // namespace tridap
