#include <dap/memory_order.hpp>

#include <algorithm>
#include <numeric>

namespace dap {

MemoryOrder memory_order(const Buffer& buffer) {
  MemoryOrder order;
  const std::size_t ndim = buffer.shape.size();
  order.axes.resize(ndim);
  std::iota(order.axes.begin(), order.axes.end(), Index{0});
  order.reversed.assign(ndim, false);
  order.data = static_cast<std::byte*>(buffer.data);
  if (element_count(buffer) == 0) return order;

  std::vector<Index> stride(ndim);  // axes of one element take no part: they go outermost
  for (std::size_t axis = 0; axis < ndim; ++axis) {
    if (buffer.shape[axis] == 1) continue;
    stride[axis] = std::abs(buffer.strides[axis]);
    if (buffer.strides[axis] < 0) {
      order.reversed[axis] = true;
      order.data += buffer.strides[axis] * (buffer.shape[axis] - 1);
    }
  }
  const auto at = [](const std::vector<Index>& of, Index axis) { return of[static_cast<std::size_t>(axis)]; };
  std::stable_sort(order.axes.begin(), order.axes.end(), [&](Index a, Index b) {
    const bool alone_a = at(buffer.shape, a) == 1, alone_b = at(buffer.shape, b) == 1;
    return alone_a != alone_b ? alone_a : at(stride, a) > at(stride, b);
  });

  Index expected = buffer.type.bytes;
  for (std::size_t k = ndim; k-- > 0;) {
    const Index axis = order.axes[k], extent = at(buffer.shape, axis);
    if (extent == 1) continue;
    if (at(stride, axis) != expected) {
      order.dense = false;
      order.obstacle = "axis " + std::to_string(axis) + " has stride " + std::to_string(at(buffer.strides, axis)) +
                       " bytes for " + std::to_string(expected / buffer.type.bytes) + " elements of " +
                       std::to_string(buffer.type.bytes) + " bytes";
      break;
    }
    expected *= extent;
  }
  return order;
}

}  // namespace dap
