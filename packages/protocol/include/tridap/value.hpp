#pragma once

#include <tridap/buffer.hpp>
#include <tridap/index.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tridap {

struct Entry;

/// A value that no rule accepts, as messages show it: "null", "b'size'", "18446744073709551616".
struct OtherValue {
  std::string text = "null";
};

/// A value from a producer, not yet checked: anything that JSON or a Python object can hold.
struct Value {
  using Integers = std::vector<Index>;  ///< a list of only 64-bit integers, stored as numbers
  using List = std::vector<Value>;
  using Dict = std::vector<Entry>;  ///< in the producer's order
  using Other = OtherValue;

  std::variant<Other, bool, Index, double, std::string, Integers, List, Dict, std::shared_ptr<const Buffer>> content;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&content);
  }
  bool is_null() const { return as<Other>() != nullptr && as<Other>()->text == "null"; }
  /// The number of elements of a list of any kind. Returns nullopt if the value is not a list.
  std::optional<std::size_t> list_size() const;
  Value element(std::size_t i) const;  ///< `i < list_size()`
  /// The value of a key. Returns null if this is not a dictionary or has no such key.
  const Value* find(const std::string& key) const;

  std::string json() const;  ///< JSON text in one line; values that JSON does not have become strings
  bool is_json() const;      ///< json() is complete: every value and key is one that JSON has
  std::string text() const;  ///< as messages show it, with its kind if needed: "1.0 (a float)", "[1, 2, ...]"
};

/// One key of a dictionary and its value.
struct Entry {
  std::string key;
  Value value;
  bool text = true;  ///< false: the key was not text; `key` shows it
};

/// Reads one JSON document. Integers are read exactly. Throws an Error of Rule::json_document if the text is not JSON,
/// has a key twice in an object, has more than 64 levels, or is not UTF-8.
Value read_json(std::string_view text);

}  // namespace tridap
