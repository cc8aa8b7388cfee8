#include <tridap/memory_order.hpp>

#include <algorithm>
#include <numeric>

namespace tridap {

MemoryOrder row_major_order(Index ndim) {
  MemoryOrder order;
  order.axes.resize(static_cast<std::size_t>(ndim));
  std::iota(order.axes.begin(), order.axes.end(), Index{0});
  order.reversed.assign(order.axes.size(), false);
  return order;
}

MemoryOrder memory_order(const Buffer& buffer) {
  const std::size_t ndim = buffer.shape.size();
  MemoryOrder order = row_major_order(static_cast<Index>(ndim));
  order.data = static_cast<std::byte*>(buffer.data);
  if (element_count(buffer) == 0) return order;

  IndexList stride(ndim);  // axes of one element do not matter: they go outermost
  for (std::size_t axis = 0; axis < ndim; ++axis) {
    if (buffer.shape[axis] == 1) continue;
    stride[axis] = std::abs(buffer.strides[axis]);
    if (buffer.strides[axis] < 0) {
      order.reversed[axis] = true;
      order.data += buffer.strides[axis] * (buffer.shape[axis] - 1);
    }
  }
  const auto at = [](const IndexList& of, Index axis) { return of[static_cast<std::size_t>(axis)]; };
  std::stable_sort(order.axes.begin(), order.axes.end(), [&](Index a, Index b) {
    const bool alone_a = at(buffer.shape, a) == 1, alone_b = at(buffer.shape, b) == 1;
    return alone_a != alone_b ? alone_a : at(stride, a) > at(stride, b);
  });

  Index expected = buffer.type.bytes, reach = buffer.type.bytes;
  for (std::size_t k = ndim; k-- > 0;) {
    const Index axis = order.axes[k], extent = at(buffer.shape, axis);
    if (extent == 1) continue;
    order.is_unique = order.is_unique && at(stride, axis) >= reach;
    reach += at(stride, axis) * (extent - 1);
    if (order.is_contiguous && at(stride, axis) != expected) {
      order.is_contiguous = false;
      order.obstacle =
          "axis " + std::to_string(axis) + " has stride " + std::to_string(at(buffer.strides, axis)) + " bytes";
      order.obstacle += expected == buffer.type.bytes ? " for " + std::to_string(expected) + "-byte elements"
                                                      : " where " + std::to_string(expected) + " would leave no holes";
    }
    expected *= extent;
  }
  return order;
}

Buffer in_order(const Buffer& buffer, const MemoryOrder& order) {
  Buffer seen = buffer;
  const bool empty = element_count(buffer) == 0;
  for (std::size_t k = 0; k < order.axes.size(); ++k) {
    const auto axis = static_cast<std::size_t>(order.axes[k]);
    seen.shape[k] = buffer.shape[axis];
    seen.strides[k] = buffer.strides[axis];
    if (!order.reversed[axis]) continue;
    seen.strides[k] = -buffer.strides[axis];
    if (!empty) seen.data = static_cast<std::byte*>(seen.data) + buffer.strides[axis] * (buffer.shape[axis] - 1);
  }
  return seen;
}

Buffer from_order(void* data, ElementType type, const IndexList& shape, const MemoryOrder& order) {
  Buffer buffer;
  buffer.data = data;
  buffer.type = type;
  buffer.shape = shape;
  buffer.strides.resize(shape.size());
  const bool empty = element_count(buffer) == 0;
  Index stride = type.bytes;
  for (std::size_t k = order.axes.size(); k-- > 0;) {
    const auto axis = static_cast<std::size_t>(order.axes[k]);
    buffer.strides[axis] = order.reversed[axis] ? -stride : stride;
    if (order.reversed[axis] && !empty) buffer.data = static_cast<std::byte*>(buffer.data) + stride * (shape[axis] - 1);
    stride *= std::max<Index>(shape[axis], 1);
  }
  return buffer;
}

}  // namespace tridap
