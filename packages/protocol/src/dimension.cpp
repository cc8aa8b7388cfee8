#include <tridap/dimension.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace tridap {

IndexBuffer::IndexBuffer(std::vector<Index> indices) {
  const auto owned = std::make_shared<const std::vector<Index>>(std::move(indices));
  buffer = row_major(owned->data(), {static_cast<Index>(owned->size())},
                     std::shared_ptr<void>(owned, const_cast<std::vector<Index>*>(owned.get())));
}

namespace {

// One element of any width and byte order, as 64 bits; nullopt if it does not fit.
std::optional<Index> read_integer(const std::byte* at, const ElementType& type) {
  std::array<std::byte, 8> bytes{};
  const auto width = static_cast<std::size_t>(type.bytes);
  std::memcpy(bytes.data(), at, width);
  if (!type.native_order) std::reverse(bytes.begin(), bytes.begin() + type.bytes);
  const bool is_signed = type.kind == ElementType::Kind::signed_integer;
  const auto as = [&](auto value) -> std::optional<Index> {
    std::memcpy(&value, bytes.data(), sizeof(value));
    if constexpr (std::is_same_v<decltype(value), std::uint64_t>)
      if (value > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) return std::nullopt;
    return static_cast<Index>(value);
  };
  switch (width) {
    case 1:
      return is_signed ? as(std::int8_t{}) : as(std::uint8_t{});
    case 2:
      return is_signed ? as(std::int16_t{}) : as(std::uint16_t{});
    case 4:
      return is_signed ? as(std::int32_t{}) : as(std::uint32_t{});
    case 8:
      return is_signed ? as(std::int64_t{}) : as(std::uint64_t{});
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::vector<Index>> read_indices(const IndexBuffer& indices) {
  const Buffer& buffer = indices.buffer;
  const bool integers =
      buffer.type.kind == ElementType::Kind::signed_integer || buffer.type.kind == ElementType::Kind::unsigned_integer;
  const Index width = buffer.type.bytes;
  if (!integers || (width != 1 && width != 2 && width != 4 && width != 8)) return std::nullopt;
  if (buffer.shape.size() != 1 || buffer.strides.size() != 1 || buffer.shape[0] < 0) return std::nullopt;
  if (!buffer.memory.is_on_host() || (buffer.data == nullptr && buffer.shape[0] > 0)) return std::nullopt;

  // The count may be wrong. No process can address more than 2^48 bytes, and no valid list repeats one element.
  const Index count = buffer.shape[0], stride = buffer.strides[0];
  const std::optional<Index> span = checked_multiply(count, stride);
  constexpr Index addressable = Index{1} << 48;
  if (count > 1 && (stride == 0 || !span || *span > addressable || *span < -addressable)) return std::nullopt;

  std::vector<Index> values;
  try {
    values.resize(static_cast<std::size_t>(count));
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
  const auto* first = static_cast<const std::byte*>(buffer.data);
  for (Index i = 0; i < count; ++i) {
    const std::optional<Index> read = read_integer(i == 0 ? first : first + i * stride, buffer.type);
    if (!read) return std::nullopt;
    values[static_cast<std::size_t>(i)] = *read;
  }
  return values;
}

}  // namespace tridap
