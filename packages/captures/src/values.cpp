#include "values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

namespace tridap {

namespace {

using Kind = ElementType::Kind;

class ValueReader {
 public:
  ValueReader(const Buffer& described, Report& report) : described_(described), report_(report) {}

  std::optional<Buffer> read(const Value& data) {
    for (const Index extent : described_.shape)
      if (extent < 0) return std::nullopt;  // check() reports it
    walk(data, 0);
    if (!report_.ok() || !stored()) return std::nullopt;
    Buffer buffer = allocate(described_.type, described_.shape);  // its size is the number of values that were read
    std::copy(bytes_.begin(), bytes_.end(), static_cast<char*>(buffer.data));
    return buffer;
  }

 private:
  bool stored() const {
    const ElementType& type = described_.type;
    return type.kind != Kind::opaque && type.kind != Kind::bfloat &&
           !(type.kind == Kind::floating && type.bytes != 4 && type.bytes != 8) &&
           !(type.kind == Kind::complex && type.bytes != 8 && type.bytes != 16);
  }

  void walk(const Value& value, std::size_t axis) {
    if (axis == described_.shape.size()) return element(value);
    const auto count = value.list_size();
    const Index extent = described_.shape[axis];
    if (!count || static_cast<Index>(*count) != extent)
      return add(count ? "a list of " + std::to_string(*count) + " values" : value.text(),
                 "must be a list of " + std::to_string(extent) + " values on axis " + std::to_string(axis));
    for (std::size_t i = 0; i < *count; ++i) walk(value.element(i), axis + 1);
  }

  void element(const Value& value) {
    const ElementType& type = described_.type;
    switch (type.kind) {
      case Kind::boolean:
        if (const auto* flag = value.as<bool>()) return put(static_cast<std::uint8_t>(*flag));
        return wrong(value);
      case Kind::signed_integer:
      case Kind::unsigned_integer:
        return integer(value);
      case Kind::floating:
        return real(value, type.bytes);
      case Kind::complex: {
        if (value.list_size() != std::size_t{2}) return wrong(value);
        real(value.element(0), type.bytes / 2);
        return real(value.element(1), type.bytes / 2);
      }
      default:
        return;  // opaque elements and bfloat16 may have any form
    }
  }

  void integer(const Value& value) {
    const ElementType& type = described_.type;
    const bool is_signed = type.kind == Kind::signed_integer;
    std::uint64_t bits = 0;
    if (const auto* number = value.as<Index>()) {
      bits = static_cast<std::uint64_t>(*number);
      const int unused = 64 - 8 * static_cast<int>(type.bytes);
      const Index back =
          is_signed ? static_cast<Index>(bits << unused) >> unused : static_cast<Index>((bits << unused) >> unused);
      if (back != *number || (!is_signed && *number < 0)) return wrong(value);
    } else if (const auto* other = value.as<Value::Other>(); other != nullptr && !is_signed && type.bytes == 8) {
      if (!beyond_63_bits(other->text, bits)) return wrong(value);
    } else {
      return wrong(value);
    }
    put_bits(bits, static_cast<std::size_t>(type.bytes));
  }

  static bool beyond_63_bits(const std::string& text, std::uint64_t& bits) {
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, bits);
    return fault == std::errc() && stop == end;
  }

  void real(const Value& value, Index bytes) {
    double number = 0;
    if (const auto* real = value.as<double>())
      number = *real;
    else if (const auto* integer = value.as<Index>())
      number = static_cast<double>(*integer);
    else if (const auto* text = value.as<std::string>();
             text != nullptr && (*text == "nan" || *text == "inf" || *text == "-inf"))
      number = *text == "nan" ? std::nan("") : (*text == "inf" ? 1 : -1) * std::numeric_limits<double>::infinity();
    else if (const auto* other = value.as<Value::Other>(); other != nullptr && !value.is_null())
      number = std::stod(other->text);  // an integer beyond 64 bits
    else
      return wrong(value);
    const double largest = bytes == 2   ? 65504
                           : bytes == 4 ? double{std::numeric_limits<float>::max()}
                                        : std::numeric_limits<double>::max();
    if (std::isfinite(number) && std::abs(number) > largest) return wrong(value);
    if (bytes == 4) {
      put(static_cast<float>(number));
    } else if (bytes == 8) {
      put(number);
    }
  }

  template <class T>
  void put(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(value));
    put_bits(bits, sizeof(value));
  }
  void put_bits(std::uint64_t bits, std::size_t width) {
    char raw[sizeof(bits)];
    std::memcpy(raw, &bits, sizeof(bits));
    if (described_.type.native_order)
      bytes_.insert(bytes_.end(), raw, raw + width);
    else
      bytes_.insert(bytes_.end(), std::make_reverse_iterator(raw + width), std::make_reverse_iterator(raw));
  }

  void wrong(const Value& value) { add(value.text(), "must be a " + described_.type.name()); }
  void add(std::string value, std::string must) {
    report_.add({Rule::buffer_values, {}, {}, "data", std::move(value), std::move(must), ""});
  }

  const Buffer& described_;
  Report& report_;
  std::vector<char> bytes_;
};

}  // namespace

std::optional<Buffer> read_values(const Value& data, const Buffer& described, Report& report) {
  Report found;
  std::optional<Buffer> values = ValueReader(described, found).read(data);
  report.merge(found);
  return values;
}

}  // namespace tridap
