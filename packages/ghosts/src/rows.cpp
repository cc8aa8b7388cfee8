#include "rows.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tridap {

namespace {

// A loop over short places is several times as fast as one over places of different lengths; so only places that
// become this much fewer are joined.
constexpr std::size_t fewer = 4;
constexpr Index short_place = 256;              // bytes
constexpr Index most_scratch = Index{1} << 14;  // bytes that stay in the nearest cache

struct Components {
  std::vector<Index> offsets{0};  // bytes, in row-major order
  Index length;                   // bytes that are contiguous at each
};

Components components_of(const Buffer& buffer) {
  Components all;
  all.length = buffer.type.bytes;
  std::size_t inner = buffer.shape.size();
  for (; inner > 1 && (buffer.shape[inner - 1] == 1 || buffer.strides[inner - 1] == all.length); --inner)
    all.length *= buffer.shape[inner - 1];
  for (std::size_t i = 1; i < inner; ++i) {
    std::vector<Index> next;
    for (const Index offset : all.offsets)
      for (Index k = 0; k < buffer.shape[i]; ++k) next.push_back(offset + k * buffer.strides[i]);
    all.offsets = std::move(next);
  }
  return all;
}

}  // namespace

Rows::Rows(const Buffer& buffer, const std::vector<Index>& rows)
    : begin_(static_cast<std::byte*>(buffer.data)), element_bytes_(buffer.type.bytes) {
  const Components components = components_of(buffer);
  length_ = components.length;
  bytes_ = static_cast<Index>(rows.size() * components.offsets.size()) * length_;
  if (bytes_ == 0) return;
  offsets_.reserve(rows.size() * components.offsets.size());
  std::size_t joined = 0;  // the places if neighbours are one
  for (const Index row : rows)
    for (const Index component : components.offsets) {
      const Index offset = row * buffer.strides[0] + component;
      if (offsets_.empty() || offsets_.back() + length_ != offset) ++joined;
      offsets_.push_back(offset);
    }
  if (joined * fewer > offsets_.size()) return;
  std::vector<Index> starts;
  for (const Index offset : offsets_) {
    if (!starts.empty() && starts.back() + lengths_.back() == offset) {
      lengths_.back() += length_;
    } else {
      starts.push_back(offset);
      lengths_.push_back(length_);
    }
  }
  offsets_ = std::move(starts);
}

std::byte* Rows::contiguous() const {
  const bool one = offsets_.size() == 1;
  const bool row = one || (lengths_.empty() && !offsets_.empty() &&
                           std::adjacent_find(offsets_.begin(), offsets_.end(),
                                              [this](Index a, Index b) { return a + length_ != b; }) == offsets_.end());
  return row ? begin_ + offsets_[0] : nullptr;
}

// Calls copy(place, length) for the places [first, end), in their order. `length` is a constant for the usual short
// ones.
template <class Copy>
void Rows::each(std::size_t first, std::size_t end, Copy&& copy) const {
  const auto all = [&](auto length) {
    for (std::size_t k = first; k < end; ++k) copy(begin_ + offsets_[k], length);
  };
  if (!lengths_.empty()) {
    for (std::size_t k = first; k < end; ++k) copy(begin_ + offsets_[k], static_cast<std::size_t>(lengths_[k]));
  } else if (length_ == 4) {
    all(std::integral_constant<std::size_t, 4>());
  } else if (length_ == 8) {
    all(std::integral_constant<std::size_t, 8>());
  } else if (length_ == 16) {
    all(std::integral_constant<std::size_t, 16>());
  } else if (length_ == 24) {
    all(std::integral_constant<std::size_t, 24>());
  } else {
    all(static_cast<std::size_t>(length_));
  }
}

void Rows::pack(std::size_t first, std::size_t end, std::byte* to) const {
  each(first, end, [&](const std::byte* place, auto length) {
    std::memcpy(to, place, length);
    to += length;
  });
}

void Rows::unpack(std::size_t first, std::size_t end, const std::byte* from) const {
  each(first, end, [&](std::byte* place, auto length) {
    std::memcpy(place, from, length);
    from += length;
  });
}

void Rows::add(redistribute::Combine combine, const std::byte* from, std::byte* scratch) const {
  redistribute::Scaling sum;
  sum.beta = 1.0;
  const auto add_to = [&](std::byte* to, Index bytes) {
    combine(to, element_bytes_, from, element_bytes_, bytes / element_bytes_, sum);
    from += bytes;
  };
  if (!uses_scratch())
    return each(0, offsets_.size(),
                [&](std::byte* place, std::size_t length) { add_to(place, static_cast<Index>(length)); });
  const auto most = static_cast<std::size_t>(scratch_bytes() / length_);
  for (std::size_t first = 0; first < offsets_.size(); first += most) {  // a call for each place would take longer
    const std::size_t end = std::min(offsets_.size(), first + most);
    pack(first, end, scratch);
    add_to(scratch, static_cast<Index>(end - first) * length_);
    unpack(first, end, scratch);
  }
}

bool Rows::uses_scratch() const { return lengths_.empty() && length_ < short_place; }
Index Rows::scratch_bytes() const { return uses_scratch() ? std::min(most_scratch, bytes_) : 0; }

}  // namespace tridap
