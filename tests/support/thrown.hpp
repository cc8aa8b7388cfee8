#pragma once

#include <tridap/report.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>

namespace on {

/// The Error that `step` throws; nothing: none. Another exception fails the test.
inline std::optional<tridap::Error> error_of(const std::function<void()>& step) {
  try {
    step();
  } catch (const tridap::Error& error) {
    return error;
  } catch (...) {
    ADD_FAILURE() << "threw something else than an Error";
  }
  return {};
}

/// The text of the Error that `step` throws; empty: none.
inline std::string error_text(const std::function<void()>& step) {
  const auto error = error_of(step);
  return error ? error->what() : "";
}

/// The same; the test fails if there is none.
inline std::string thrown(const std::function<void()>& step) {
  const auto error = error_of(step);
  if (!error) ADD_FAILURE() << "nothing was thrown";
  return error ? error->what() : "";
}

inline testing::AssertionResult says(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << text << "' does not say '" << part << "'";
}

inline void expect_says(const std::string& text, const std::string& part) { EXPECT_TRUE(says(text, part)); }

}  // namespace on
