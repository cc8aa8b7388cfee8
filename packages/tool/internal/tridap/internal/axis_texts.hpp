#pragma once

#include <tridap/make.hpp>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tridap {

/// A text that describes no axis; what() says what is wrong with it.
class NotAnAxis : public std::runtime_error {
 public:
  NotAnAxis(std::string axis, const std::string& fault) : std::runtime_error(fault), axis_(std::move(axis)) {}
  const std::string& axis() const { return axis_; }

 private:
  std::string axis_;
};

/// A file that has no lists of indices; what() begins with its name.
class NoLists : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the content of a file that a text names.
using ReadFile = std::function<std::string(const std::string&)>;

/// The axis that a text describes: `b`, `b:0,3,5` (the first index of each coordinate), `c`, `c:k`, `c:k@src`, `u:FILE`
/// (a JSON list with one list for each coordinate), `*` or `n`. Throws NotAnAxis, NoLists, and what `read` throws.
AxisSpec axis_named(const std::string& text, const ReadFile& read);

/// The axes of one text, such as "b,c:2,*"; none of "". In "b:0,3,5,*" the numbers continue the list.
std::vector<AxisSpec> axes_named(const std::string& text, const ReadFile& read);

/// The text of an axis, from which axis_named() makes one with the same owners; nullopt: it has lists. Padding and
/// periodicity are not in it.
std::optional<std::string> axis_text(const Axis& axis);

/// The parts of a text between the characters `at`.
std::vector<std::string> split(const std::string& text, char at);

/// The integer that a text is; nullopt if it is none that fits 64 bits.
std::optional<Index> integer_in(const std::string& text);

}  // namespace tridap
