// Reads any bytes as a capture: they are unreadable, wrong or right, and nothing else happens. What is right converts
// to both versions without a change of ownership, and what is wrong is refused by everybody alike.

#include <tridap/capture.hpp>
#include <tridap/compare.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace {

using tridap::Capture;
using tridap::Distribution;
using tridap::Report;
using tridap::Version;

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what.c_str());
  std::abort();
}

std::optional<Capture> read(std::string_view text) {
  try {
    return tridap::read_capture(text);
  } catch (const tridap::Error& error) {
    require(error.report().count(tridap::Rule::json_document) == 1, "only what is no JSON document is refused");
    return std::nullopt;
  }
}

/// Nothing where it is refused; `refusal` says why.
template <class Step>
auto attempt(Step step, Report* refusal = nullptr) -> std::optional<decltype(step())> {
  try {
    return step();
  } catch (const tridap::Error& error) {
    require(!error.report().ok(), "a refusal has a reason");
    if (refusal != nullptr) *refusal = error.report();
    return std::nullopt;
  }
}

/// Converted text is a valid capture of the same array, and stays as it is when it is converted once more.
void same_array(const std::string& text, Version version, const Distribution& before) {
  const std::optional<Capture> again = read(text);
  require(again.has_value(), "converted text is readable: " + text);
  const Report report = tridap::check(*again);
  require(report.ok(), "converted text is valid: " + report.text() + '\n' + text);
  const tridap::Comparison comparison = tridap::compare(before, tridap::gather_distribution(*again));
  require(comparison.same_owners && comparison.same_places, "conversion keeps the places: " + comparison.difference);
  require(tridap::convert_capture(*again, version) == text, "a second conversion changes nothing: " + text);
}

void convert(const Capture& capture, const Distribution& distribution, const tridap::Reading& reading) {
  const std::string text = tridap::convert_capture(capture, Version::v0_10, reading);
  same_array(text, Version::v0_10, distribution);
  Report refusal;
  const auto old = attempt([&] { return tridap::convert_capture(capture, Version::v0_9, reading); }, &refusal);
  if (old)
    same_array(*old, Version::v0_9, distribution);
  else
    require(refusal.count(tridap::Rule::conversion) == refusal.errors(), "0.9 cannot say it: " + refusal.text());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::optional<Capture> capture = read({reinterpret_cast<const char*>(data), size});
  if (!capture) return 0;
  const bool alone = tridap::check(*capture, true).ok();
  for (const bool trust : {false, true}) {
    const tridap::Reading reading{trust};
    const Report report = tridap::check(*capture, false, reading);
    require(trust || alone || !report.ok(), "the whole is not right where a process alone is wrong");
    tridap::read_json(report.json());
    const auto distribution = attempt([&] { return tridap::gather_distribution(*capture, reading); });
    require(distribution.has_value() == report.ok(), "what is valid is gathered, and nothing else: " + report.text());
    if (distribution)
      convert(*capture, *distribution, reading);
    else
      require(!attempt([&] { return tridap::convert_capture(*capture, Version::v0_10, reading); }),
              "nor is it converted");
  }
  return 0;
}
