#include <tridap/version.hpp>

#include <algorithm>
#include <array>

namespace tridap {

const char* stamp(Version version) { return version == Version::v0_9 ? "0.9.0" : "0.10.0"; }

std::optional<Version> read_version(const std::string& text, Report& report) {
  if (text == stamp(Version::v0_10)) return Version::v0_10;  // the most frequent case
  std::array<std::string, 3> numbers;
  std::size_t field = 0;
  bool form = true;
  for (const char c : text) {
    if (c == '.')
      form = ++field < 3;
    else if (c >= '0' && c <= '9')
      numbers[field] += c;
    else
      form = false;
    if (!form) break;
  }
  form = form && field > 0 &&
         std::none_of(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(field) + 1,
                      [](const auto& n) { return n.empty(); });
  for (std::string& number : numbers) number.erase(0, std::min(number.find_first_not_of('0'), number.size()));
  const std::string quote = "'" + text.substr(0, 40) + "'";
  if (!form) {
    report.add(
        {Rule::version_form, {}, {}, "__version__", quote, "must be two or three ASCII numbers joined by dots", ""});
  } else if (numbers[0].empty() && numbers[1] == "10") {
    return Version::v0_10;
  } else if (numbers[0].empty() && numbers[1] == "9") {
    return Version::v0_9;
  } else {
    report.add({Rule::version_read, {}, {}, "__version__", quote, "must be 0.9 or 0.10", ""});
  }
  return std::nullopt;
}

}  // namespace tridap
