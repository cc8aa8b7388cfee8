#include "copy.hpp"

#include <cstring>

namespace dap::globalarrays {

namespace {

// A buffer without its first axis, at one index of that.
Buffer row(const Buffer& buffer, Index index) {
  Buffer one = buffer;
  one.data = static_cast<std::byte*>(buffer.data) + index * buffer.strides.front();
  one.shape.erase(one.shape.begin());
  one.strides.erase(one.strides.begin());
  one.owner.reset();
  return one;
}

// Rows of elements that stand in a row on both sides: those of the last axis.
void copy_rows(const std::byte* from, const Buffer& source, std::byte* to, const Buffer& target, std::size_t axis) {
  const Index extent = source.shape[axis], bytes = source.type.bytes;
  if (axis + 1 == source.shape.size()) {
    std::memcpy(to, from, static_cast<std::size_t>(extent * bytes));
    return;
  }
  for (Index i = 0; i < extent; ++i)
    copy_rows(from + i * source.strides[axis], source, to + i * target.strides[axis], target, axis + 1);
}

bool has_dense_rows(const Buffer& buffer) {
  return buffer.shape.back() == 1 || buffer.strides.back() == buffer.type.bytes;
}

void copy_parts(const Buffer& from, const Buffer& to) {
  if (is_row_major(to)) {
    pack(from, to.data);
  } else if (has_dense_rows(from) && has_dense_rows(to)) {
    copy_rows(static_cast<const std::byte*>(from.data), from, static_cast<std::byte*>(to.data), to, 0);
  } else {
    for (Index i = 0; i < from.shape.front(); ++i) copy_parts(row(from, i), row(to, i));
  }
}

}  // namespace

Index copy_elements(const Buffer& from, const Buffer& to) {
  const Index count = element_count(from);
  if (count > 0) copy_parts(from, to);
  return count * from.type.bytes;
}

}  // namespace dap::globalarrays
