#include "known.hpp"

#include "agreement.hpp"
#include <tridap/memory_order.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tridap::redistribute {

namespace {

bool stands_alike(const Buffer& a, const Buffer& b) {
  return a.type == b.type && a.read_only == b.read_only && a.memory.kind == b.memory.kind && a.shape == b.shape &&
         a.strides == b.strides;
}

bool same(const Block& a, const Block& b) { return a.start == b.start && a.stop == b.stop && a.padding == b.padding; }
bool same(const Cyclic& a, const Cyclic& b) { return a.start == b.start && a.block_size == b.block_size; }
bool same(const Unstructured& a, const Unstructured& b) {
  return a.one_to_one == b.one_to_one && a.indices.buffer.data == b.indices.buffer.data &&
         stands_alike(a.indices.buffer, b.indices.buffer);
}

bool same(const Dimension& a, const Dimension& b) {
  if (a.size != b.size || a.proc_grid_size != b.proc_grid_size || a.proc_grid_rank != b.proc_grid_rank ||
      a.periodic != b.periodic || a.dist.index() != b.dist.index())
    return false;
  return std::visit([&](const auto& of_a) { return same(of_a, std::get<std::decay_t<decltype(of_a)>>(b.dist)); },
                    a.dist);
}

// The bytes from the lowest to the highest element.
std::pair<std::uintptr_t, std::uintptr_t> extent(const Buffer& buffer) {
  auto low = reinterpret_cast<std::uintptr_t>(buffer.data), high = low + static_cast<std::uintptr_t>(buffer.type.bytes);
  for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
    const Index reach = (buffer.shape[i] - 1) * buffer.strides[i];
    (reach < 0 ? low : high) += static_cast<std::uintptr_t>(reach);
  }
  return {low, high};
}

}  // namespace

KnownArray::KnownArray(const DistArray& array) : array_(array), has_data_(array.buffer.data != nullptr) {
  Buffer& buffer = array_.buffer;
  dense_ = memory_order(buffer).is_contiguous;
  if (buffer.strides == row_major_strides(buffer.shape, buffer.type.bytes)) {
    dense_order_ = 0;
  } else if (buffer.strides == column_major_strides(buffer.shape, buffer.type.bytes)) {
    dense_order_ = 1;
  }
  stream_order_ = order_number(buffer);
  buffer.data = nullptr;
  buffer.owner = nullptr;
}

bool KnownArray::is(const DistArray& array) const {
  return has_data_ == (array.buffer.data != nullptr) && array_.version == array.version &&
         stands_alike(array_.buffer, array.buffer) &&
         std::equal(array_.dim_data.begin(), array_.dim_data.end(), array.dim_data.begin(), array.dim_data.end(),
                    [](const Dimension& a, const Dimension& b) { return same(a, b); });
}

bool KnownArray::meets(const DistArray& ours, const KnownArray& other, const DistArray& theirs) const {
  if (element_count(ours.buffer) == 0 || element_count(theirs.buffer) == 0) return false;
  const auto [low, high] = extent(ours.buffer);
  const auto [other_low, other_high] = extent(theirs.buffer);
  const bool one_end = low == other_low || high == other_high;  // where both have an element
  return low < other_high && other_low < high && (dense_ || other.dense_ || one_end);
}

const KnownArray* KnownArrays::find(const DistArray& array) const {
  for (const auto& known : all_)
    if (known && known->is(array)) return known.get();
  return nullptr;
}

void KnownArrays::add(const DistArray& array) {
  auto known = std::make_unique<KnownArray>(array);
  all_[next_] = std::move(known);
  next_ = (next_ + 1) % all_.size();
}

}  // namespace tridap::redistribute
