#include <tridap/element_format.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>

namespace tridap {

namespace {

using Kind = ElementType::Kind;

struct Code {
  const char* letters;
  Kind kind;
  Index standard;  // bytes with '<', '>', '!' and '='; 0: only allowed with '@'
  Index native;    // bytes with '@' and without a byte order
};

template <class T>
constexpr Index size_of = static_cast<Index>(sizeof(T));

// If two codes mean the same element, the first one is written.
constexpr std::array<Code, 21> codes = {{
    {"?", Kind::boolean, 1, size_of<bool>},
    {"b", Kind::signed_integer, 1, 1},
    {"h", Kind::signed_integer, 2, size_of<short>},
    {"i", Kind::signed_integer, 4, size_of<int>},
    {"q", Kind::signed_integer, 8, size_of<long long>},
    {"l", Kind::signed_integer, 4, size_of<long>},
    {"n", Kind::signed_integer, 0, size_of<std::size_t>},
    {"B", Kind::unsigned_integer, 1, 1},
    {"H", Kind::unsigned_integer, 2, size_of<short>},
    {"I", Kind::unsigned_integer, 4, size_of<int>},
    {"Q", Kind::unsigned_integer, 8, size_of<long long>},
    {"L", Kind::unsigned_integer, 4, size_of<long>},
    {"N", Kind::unsigned_integer, 0, size_of<std::size_t>},
    {"e", Kind::floating, 2, 2},
    {"f", Kind::floating, 4, size_of<float>},
    {"d", Kind::floating, 8, size_of<double>},
    {"g", Kind::floating, 0, size_of<long double>},
    {"Zf", Kind::complex, 8, 2 * size_of<float>},
    {"Zd", Kind::complex, 16, 2 * size_of<double>},
    {"Zg", Kind::complex, 0, 2 * size_of<long double>},
    {"E", Kind::bfloat, 2, 2},
}};

bool little_endian() {
  const std::uint16_t probe = 1;
  unsigned char first = 0;
  std::memcpy(&first, &probe, 1);
  return first == 1;
}

// "5x", "5s", "x": opaque bytes; one byte if no length is given.
std::optional<ElementType> parse_opaque(std::string_view format) {
  if (format.empty() || (format.back() != 'x' && format.back() != 's')) return std::nullopt;
  format.remove_suffix(1);
  if (format.empty()) return ElementType{Kind::opaque, 1, true};
  if (format.front() == '0') return std::nullopt;
  std::optional<Index> bytes = 0;
  for (const char c : format) {
    if (c < '0' || c > '9') return std::nullopt;
    bytes = checked_multiply(*bytes, 10);
    if (bytes) bytes = checked_add(*bytes, c - '0');
    if (!bytes) return std::nullopt;
  }
  return ElementType{Kind::opaque, *bytes, true};
}

}  // namespace

std::optional<ElementType> parse_element_format(std::string_view format) {
  char order = '@';
  if (!format.empty() && std::string_view("@=<>!").find(format.front()) != std::string_view::npos) {
    order = format.front();
    format.remove_prefix(1);
  }
  const bool swapped = little_endian() ? order == '>' || order == '!' : order == '<';
  for (const Code& code : codes) {
    if (code.letters != format) continue;
    const Index bytes = order == '@' ? code.native : code.standard;
    if (bytes == 0) return std::nullopt;
    return ElementType{code.kind, bytes, bytes == 1 || !swapped};
  }
  return parse_opaque(format);
}

std::optional<std::string> element_format(const ElementType& type) {
  if (type.bytes < 1) return std::nullopt;
  if (type.kind == Kind::opaque) return std::to_string(type.bytes) + "x";
  const bool native = type.native_order || type.bytes == 1;
  for (const Code& code : codes) {
    if (code.kind != type.kind) continue;
    if (code.standard == type.bytes) return std::string(little_endian() == native ? "<" : ">") + code.letters;
    if (code.standard == 0 && code.native == type.bytes && native) return std::string("@") + code.letters;
  }
  return std::nullopt;
}

}  // namespace tridap
