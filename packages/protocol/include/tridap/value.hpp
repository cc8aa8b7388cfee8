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

/// A value that no rule takes, as messages show it: "null", "b'size'", "18446744073709551616".
struct OtherValue {
  std::string text = "null";
};

/// A value as a producer gave it, before anybody knows whether it is right: what JSON, or a Python object, can hold.
struct Value {
  using Integers = std::vector<Index>;  ///< a list of nothing but 64-bit integers, held densely
  using List = std::vector<Value>;
  using Dict = std::vector<Entry>;  ///< in the producer's order
  using Other = OtherValue;

  std::variant<Other, bool, Index, double, std::string, Integers, List, Dict, std::shared_ptr<const Buffer>> content;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&content);
  }
  bool is_null() const { return as<Other>() != nullptr && as<Other>()->text == "null"; }
  /// The elements of a list of any kind; nothing for what is no list.
  std::optional<std::size_t> list_size() const;
  Value element(std::size_t i) const;  ///< `i < list_size()`
  /// What stands behind a key; null for what is no dictionary or has no such key.
  const Value* find(const std::string& key) const;

  std::string json() const;  ///< JSON text in one line; what JSON cannot say comes as a string
  bool is_json() const;      ///< json() says all of it: no object, buffer or key that JSON does not have
  std::string text() const;  ///< as messages show it, with its kind where that matters: "1.0 (a float)", "[1, 2, ...]"
};

/// One key of a dictionary and what stands behind it.
struct Entry {
  std::string key;
  Value value;
  bool text = true;  ///< false: the key was no text, and `key` shows it
};

/// Reads one JSON document: integers from their tokens, every key once. Throws an Error of Rule::json_document for what
/// is not JSON, or is not read: a key given twice, more than 64 levels, bytes that are not UTF-8.
Value read_json(std::string_view text);

}  // namespace tridap
