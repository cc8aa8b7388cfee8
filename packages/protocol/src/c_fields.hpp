#pragma once

#include "c_read.hpp"
#include "utf8.hpp"

#include <algorithm>
#include <string>
#include <utility>

#pragma GCC visibility push(hidden)

namespace tridap {

// Reads fields of structs of C: each is checked before it is used. Reports what is wrong with one.
class CFields {
 protected:
  CFields(std::uint32_t minor, Report& report) : report_(report), minor_(minor) {}

  std::string text(const dap_text& c, std::int64_t limit, const std::string& key) {
    if (c.size < 0 || c.size > limit)
      add_fault(key, "of size " + std::to_string(c.size),
                "but the size must be at least 0 and at most " + std::to_string(limit));
    else if (c.size > 0 && c.data == nullptr)
      add_fault(key, "NULL", "must be an address, since its size is " + std::to_string(c.size));
    else if (!is_utf8({c.data, static_cast<std::size_t>(c.size)}))
      add_fault(key, "not UTF-8", "but must be");
    else if (c.size > 0)
      return {c.data, static_cast<std::size_t>(c.size)};
    return {};
  }

  bool flag(std::uint8_t value, const char* key) {
    if (value > 1) add_fault(key, std::to_string(value), "must be 0 or 1");
    return value == 1;
  }

  // The number of structs that may be read at a pointer: its count, or 0 if the count or the pointer is wrong.
  template <class T>
  std::size_t readable(const T* pointer, std::int64_t count, const char* key, const char* count_key) {
    if (count < 0 || count > DAP_MAX_COUNT)
      add_fault(count_key, std::to_string(count), "must be at least 0 and at most " + std::to_string(DAP_MAX_COUNT));
    else if (count > 0 && pointer == nullptr)
      add_fault(key, "NULL", std::string("must be an address, since ") + count_key + " is " + std::to_string(count));
    else if (count > 0 && reinterpret_cast<std::uintptr_t>(pointer) % alignof(T) != 0)
      add_fault(key, "misaligned", "must be aligned as in C");
    else
      return static_cast<std::size_t>(count);
    return 0;
  }

  template <std::size_t N>
  void reserved(const std::uint64_t (&words)[N], const std::string& key) {
    if (known_minor() && std::any_of(words, words + N, [](std::uint64_t word) { return word != 0; }))
      add_fault(key, "not zero", "must be zero in minor version " + std::to_string(minor_));
  }

  void unused(bool set, const char* key, const std::string& where) {
    if (set) add_fault(key, "not zero", "must be zero " + where);
  }

  void add_fault(std::string key, std::string value, std::string must) {
    report_.add(c_finding(axis_, std::move(key), std::move(value), std::move(must)));
  }

  bool known_minor() const { return minor_ <= DAP_MINOR; }

  Report& report_;
  std::optional<Index> axis_;  // that the faults are about

 private:
  std::uint32_t minor_;
};

}  // namespace tridap

#pragma GCC visibility pop
