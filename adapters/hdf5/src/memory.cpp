#include "memory.hpp"

#include <algorithm>
#include <cstring>

namespace tridap::hdf5 {

namespace {

// For each axis: the distance in bytes of each element of the piece from the buffer's address.
std::vector<std::vector<Index>> distances(const Buffer& buffer, const Piece& piece) {
  std::vector<std::vector<Index>> all;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    all.emplace_back();
    for (const AxisSlab& slab : piece[i])
      for (Index local = slab.local.begin; local < slab.local.end; ++local)
        all.back().push_back(local * buffer.strides[i]);
  }
  return all;
}

// Calls `copy(memory, dense)` for each element. The innermost loop is along `last`, the axis with the smallest stride,
// so that memory in another order is read by whole cache lines.
template <class Copy>
void for_each_element(std::byte* data, const std::vector<std::vector<Index>>& distances, std::size_t last,
                      Index element_bytes, Copy&& copy) {
  const std::size_t ndim = distances.size();
  std::vector<Index> weight(ndim), at(ndim);
  Index product = element_bytes;
  for (std::size_t i = ndim; i-- > 0; product *= static_cast<Index>(distances[i].size())) weight[i] = product;
  for (;;) {
    std::byte* memory = data;
    Index dense = 0;
    for (std::size_t i = 0; i < ndim; ++i)
      if (i != last) {
        memory += distances[i][static_cast<std::size_t>(at[i])];
        dense += at[i] * weight[i];
      }
    for (std::size_t k = 0; k < distances[last].size(); ++k)
      copy(memory + distances[last][k], dense + static_cast<Index>(k) * weight[last]);
    std::size_t i = ndim;
    while (i-- > 0)
      if (i != last) {
        if (++at[i] < static_cast<Index>(distances[i].size())) break;
        at[i] = 0;
      }
    if (i == static_cast<std::size_t>(-1)) return;
  }
}

template <class Move>
void walk(const Buffer& buffer, const Piece& piece, Move&& move) {
  auto* const data = static_cast<std::byte*>(buffer.data);
  if (piece.empty()) return move(data, 0);
  std::size_t last = piece.size() - 1;
  for (std::size_t i = piece.size(); i-- > 0;)
    if (buffer.shape[i] > 1 && (buffer.shape[last] <= 1 || std::abs(buffer.strides[i]) < std::abs(buffer.strides[last])))
      last = i;
  for_each_element(data, distances(buffer, piece), last, buffer.type.bytes, move);
}

// Copies of a length that the compiler knows are single instructions.
template <class Visit>
void with_length(Index bytes, Visit&& visit) {
  const auto n = static_cast<std::size_t>(bytes);
  switch (bytes) {
    case 1: return visit([](void* to, const void* from) { std::memcpy(to, from, 1); });
    case 4: return visit([](void* to, const void* from) { std::memcpy(to, from, 4); });
    case 8: return visit([](void* to, const void* from) { std::memcpy(to, from, 8); });
    case 16: return visit([](void* to, const void* from) { std::memcpy(to, from, 16); });
    default: return visit([n](void* to, const void* from) { std::memcpy(to, from, n); });
  }
}

}  // namespace

std::optional<MemoryForm> memory_form(const Buffer& buffer) {
  const std::size_t ndim = buffer.shape.size();
  MemoryForm form{std::vector<hsize_t>(ndim, 1), std::vector<hsize_t>(ndim, 1)};
  std::optional<std::size_t> inner;  // the axis inside of this one that has several elements
  Index below = 1, needed = 1;       // elements inside of `inner`, and extent that it must have
  for (std::size_t i = ndim; i-- > 0;) {
    if (buffer.shape[i] <= 1) continue;
    const Index bytes = buffer.strides[i];
    if (bytes <= 0 || bytes % buffer.type.bytes != 0) return std::nullopt;
    const Index stride = bytes / buffer.type.bytes;
    if (!inner) {
      form.steps[i] = static_cast<hsize_t>(stride);
      needed = (buffer.shape[i] - 1) * stride + 1;
    } else {
      if (stride % below != 0 || stride / below < needed) return std::nullopt;
      form.extents[*inner] = static_cast<hsize_t>(stride / below);
      below = stride;
      needed = buffer.shape[i];
    }
    inner = i;
  }
  if (inner) form.extents[*inner] = static_cast<hsize_t>(needed);
  return form;
}

bool is_in_order(const Slabs& slabs) {
  for (const auto& axis : slabs.axes())
    for (std::size_t i = 1; i < axis.size(); ++i)
      if (axis[i].local.begin < axis[i - 1].local.end) return false;
  return true;
}

void gather(const Buffer& buffer, const Piece& piece, std::byte* dense) {
  with_length(buffer.type.bytes, [&](auto copy) {
    walk(buffer, piece, [&](const std::byte* memory, Index at) { copy(dense + at, memory); });
  });
}

void scatter(const Buffer& buffer, const Piece& piece, const std::byte* dense) {
  with_length(buffer.type.bytes, [&](auto copy) {
    walk(buffer, piece, [&](std::byte* memory, Index at) { copy(memory, dense + at); });
  });
}

}  // namespace tridap::hdf5
