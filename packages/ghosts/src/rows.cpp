#include "rows.hpp"

#include <tridap/internal/with_length.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace tridap {

namespace {

// A loop over short places is several times as fast as one over places of different lengths; so only places that
// become this much fewer are joined.
constexpr std::size_t fewer = 4;

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

// The same as a product of axes.
std::vector<redistribute::AxisPieces> axes_of(const Buffer& buffer, const std::vector<Index>& rows) {
  std::vector<redistribute::AxisPieces> axes;
  redistribute::Section listed;
  for (const Index row : rows) {
    const Index here = row * buffer.strides[0];
    redistribute::Piece* const last = listed.pieces.empty() ? nullptr : &listed.pieces.back();
    if (last != nullptr && last->here + last->length * buffer.strides[0] == here)
      ++last->length;
    else
      listed.pieces.push_back({here, 0, 1, 0});
  }
  axes.push_back({buffer.strides[0], 1, {std::move(listed)}});
  for (std::size_t i = 1; i < buffer.shape.size(); ++i)
    axes.push_back({buffer.strides[i], 1, {{1, 0, 0, {{0, 0, buffer.shape[i], 0}}}}});
  return axes;
}

}  // namespace

Rows::Rows(const Buffer& buffer, const std::vector<Index>& rows, const std::shared_ptr<mpi::Faults>& faults)
    : begin_(static_cast<std::byte*>(buffer.data)) {
  if (!buffer.memory.is_on_host()) {
    std::vector<std::vector<redistribute::AxisPieces>> all;
    all.push_back(axes_of(buffer, rows));
    on_device_.emplace(buffer, std::move(all), faults);
    bytes_ = on_device_->bytes();
    return;
  }
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
  if (joined * fewer > offsets_.size()) {
    shorten();
    return;
  }
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

void Rows::shorten() {
  constexpr Index most = std::numeric_limits<std::uint32_t>::max();
  if (std::any_of(offsets_.begin(), offsets_.end(), [](Index offset) { return offset < 0 || offset > most; })) return;
  shorter_.reserve(offsets_.size());
  for (const Index offset : offsets_) shorter_.push_back(static_cast<std::uint32_t>(offset));
  offsets_ = {};
}

std::byte* Rows::contiguous() const {
  if (on_device_) return nullptr;
  const auto first = [this](const auto& offsets) -> std::byte* {
    const bool one = offsets.size() == 1;
    const bool row = one || (lengths_.empty() && !offsets.empty() &&
                             std::adjacent_find(offsets.begin(), offsets.end(), [this](Index a, Index b) {
                               return a + length_ != b;
                             }) == offsets.end());
    return row ? begin_ + offsets[0] : nullptr;
  };
  return shorter_.empty() ? first(offsets_) : first(shorter_);
}

// Calls copy(place, packed, length) for all places in their order, where `packed` is where they stand if packed.
// `length` is a constant for the usual short ones.
template <class Byte, class Copy>
void Rows::each(Byte* packed, const Copy& copy) const {
  if (!shorter_.empty()) return each(shorter_, packed, copy);
  if (lengths_.empty()) return each(offsets_, packed, copy);
  for (std::size_t k = 0; k < offsets_.size(); ++k) {
    copy(begin_ + offsets_[k], packed, static_cast<std::size_t>(lengths_[k]));
    packed += lengths_[k];
  }
}

// The same for places of one length.
template <class Offset, class Byte, class Copy>
void Rows::each(const std::vector<Offset>& offsets, Byte* packed, const Copy& copy) const {
  // A store through std::byte cannot change these.
  std::byte* const begin = begin_;
  const Offset *const first_offset = offsets.data(), *const end = first_offset + offsets.size();
  with_length(length_, [&copy, begin, first = packed, first_offset, end](auto length) {
    Byte* from = first;
    for (const Offset* offset = first_offset; offset != end; ++offset) {
      copy(begin + *offset, from, length);
      from += length;
    }
  });
}

void Rows::pack(std::byte* to) {
  if (on_device_) return on_device_->pack(to);
  each(to, [](const std::byte* place, std::byte* packed, auto length) { std::memcpy(packed, place, length); });
}

void Rows::unpack(const std::byte* from) {
  if (on_device_) return on_device_->unpack(from);
  each(from, [](std::byte* place, const std::byte* packed, auto length) { std::memcpy(place, packed, length); });
}

// As numbers of type T: real numbers, the parts of complex ones, or whole numbers, which wrap.
template <class T>
void Rows::add_as(const std::byte* from) const {
  each(from, [](std::byte* place, const std::byte* packed, auto length) {
    for (std::size_t k = 0; k < length; k += sizeof(T)) {  // addresses need not be aligned
      T sum, more;
      std::memcpy(&sum, place + k, sizeof(T));
      std::memcpy(&more, packed + k, sizeof(T));
      sum = static_cast<T>(sum + more);
      std::memcpy(place + k, &sum, sizeof(T));
    }
  });
}

void Rows::add(const ElementType& type, const std::byte* from) {
  if (on_device_) return on_device_->add(from);
  const bool real = type.kind == ElementType::Kind::floating, complex = type.kind == ElementType::Kind::complex;
  const Index bytes = complex ? type.bytes / 2 : type.bytes;
  if (real || complex) return bytes == 4 ? add_as<float>(from) : add_as<double>(from);
  if (bytes == 1) return add_as<std::uint8_t>(from);
  if (bytes == 2) return add_as<std::uint16_t>(from);
  if (bytes == 4) return add_as<std::uint32_t>(from);
  add_as<std::uint64_t>(from);
}

}  // namespace tridap
