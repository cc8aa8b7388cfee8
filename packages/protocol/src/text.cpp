#include <tridap/text.hpp>

#include <cstdint>
#include <ios>
#include <locale>
#include <sstream>

namespace tridap {

std::size_t printable(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
  const unsigned lead = byte(at);
  if (lead < 0x80) return lead < 0x20 || lead == 0x7f ? 0 : 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  std::uint32_t code = lead & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(at + i) & 0x3f);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool no_character = (code >= 0xd800 && code < 0xe000) || code > 0x10ffff || (code & 0xfffe) == 0xfffe;
  const bool control = code < 0xa0 || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return overlong || no_character || control ? 0 : length;
}

std::string clean(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = printable(text, at);
    result += length > 0 ? text.substr(at, length) : "\xEF\xBF\xBD";
    at += length > 0 ? length : 1;
  }
  return result;
}

std::string number_text(double number, int digits) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(digits);
  text << number;
  return text.str();
}

std::string fixed_text(double number, int decimals) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(decimals);
  text << std::fixed << number;
  return text.str();
}

std::string shortened(const std::string& text, std::size_t bytes) {
  while (bytes < text.size() && bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace tridap
