#include "extras.hpp"

#include <tridap/internal/digest.hpp>
#include <tridap/internal/misspelt.hpp>
#include <tridap/value.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace tridap {

namespace {

using Pairs = std::vector<std::pair<std::string, Value>>;

// Adds a value to a digest. Equal values have equal digests, however they are written. Each kind of value begins with a
// different number.
class ValueDigest {
 public:
  explicit ValueDigest(Digest& digest) : digest_(digest) {}

  void add(const Value& value) { std::visit(*this, value.content); }
  void add(Pairs pairs) {
    std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    digest_.add(dictionary);
    digest_.add(static_cast<Index>(pairs.size()));
    for (const auto& [key, value] : pairs) {
      digest_.add(key);
      add(value);
    }
  }

  void operator()(const Value::Other& other) { text(other.text); }  // null, and integers that do not fit 64 bits
  void operator()(bool flag) {
    digest_.add(boolean);
    digest_.add(Index{flag});
  }
  void operator()(Index integer) { text(std::to_string(integer)); }
  void operator()(double number) {
    constexpr double exact = 9007199254740992;  // 2^53: up to it, a float with an integral value is exact
    if (std::abs(number) <= exact && std::trunc(number) == number) return (*this)(static_cast<Index>(number));
    text(Value{number}.json());
  }
  void operator()(const std::string& content) {
    digest_.add(string);
    digest_.add(content);
  }
  void operator()(const Value::Integers& integers) { list(integers); }
  void operator()(const Value::List& all) { list(all); }
  void operator()(const Value::Dict& dict) {
    Pairs pairs;
    for (const Entry& entry : dict) pairs.emplace_back(entry.key, entry.value);
    add(std::move(pairs));
  }
  void operator()(const std::shared_ptr<const Buffer>&) {}  // JSON has no buffers

 private:
  enum Kind : Index { number_or_null, boolean, string, sequence, dictionary };

  void text(const std::string& digits) {
    digest_.add(number_or_null);
    digest_.add(digits);
  }
  void add(Index integer) { (*this)(integer); }
  template <class Elements>
  void list(const Elements& all) {
    digest_.add(sequence);
    digest_.add(static_cast<Index>(all.size()));
    for (const auto& element : all) add(element);
  }

  Digest& digest_;
};

}  // namespace

bool is_protocol_key(const std::string& key) {
  static const char* const keys[] = {"dist_type", "size",     "proc_grid_size", "proc_grid_rank", "start",     "stop",
                                     "padding",   "periodic", "block_size",     "indices",        "one_to_one"};
  return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
}

Finding unknown_key(const Extra& extra, const Dimension& dimension, Index axis) {
  Finding found{Rule::extra_key, {}, axis, extra.key, extra.value, "but the protocol has no such key", ""};
  std::vector<const char*> absent;
  const auto* block = std::get_if<Block>(&dimension.dist);
  const auto* cyclic = std::get_if<Cyclic>(&dimension.dist);
  const auto* unstructured = std::get_if<Unstructured>(&dimension.dist);
  if (block != nullptr && !block->padding) absent.push_back("padding");
  if (block != nullptr && !dimension.periodic) absent.push_back("periodic");
  if (cyclic != nullptr && cyclic->block_size == 1) absent.push_back("block_size");
  if (unstructured != nullptr && !unstructured->one_to_one) absent.push_back("one_to_one");
  for (const char* const key : absent)
    if (found.remedy.empty()) found.remedy = rename_remedy(key, {extra.key});
  return found;
}

Value value_of(const Extra& extra) {
  if (!extra.is_json) return {extra.value};
  try {
    return read_json(extra.value);
  } catch (const Error&) {  // not JSON: a C++ program may set any text
    return {extra.value};
  }
}

std::string text_of(std::vector<Extra> extras) {
  std::sort(extras.begin(), extras.end(), [](const Extra& a, const Extra& b) { return a.key < b.key; });
  std::string text;
  for (const Extra& extra : extras) text += (text.empty() ? "'" : ", '") + extra.key + "': " + extra.value;
  return text;
}

Index digest_of(const std::vector<Extra>& extras) {
  Pairs pairs;
  for (const Extra& extra : extras)
    if (extra.is_json) pairs.emplace_back(extra.key, value_of(extra));
  if (pairs.empty()) return 0;
  Digest digest;
  ValueDigest(digest).add(std::move(pairs));
  return digest.value();
}

}  // namespace tridap
