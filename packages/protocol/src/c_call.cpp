#include "c_read.hpp"
#include <tridap/check.hpp>

#include <cstring>
#include <exception>
#include <new>

namespace {

// Writes as much of a text as fits, ended by a NUL, without cutting a character.
void tell(std::string_view text, char* message, std::size_t size) {
  if (message == nullptr || size == 0) return;
  std::size_t length = text.size() < size ? text.size() : size - 1;
  const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
  while (length < text.size() && length > 0 && continues(length)) --length;
  std::memcpy(message, text.data(), length);
  message[length] = '\0';
}

tridap::Report check(const dap_array& array) {
  tridap::Report report;
  const tridap::DistArray read = tridap::read_c(array, nullptr, report);
  if (report.ok()) report.merge(tridap::check(read));
  return report;
}

}  // namespace

extern "C" int dap_array_check(const dap_array* array, char* message, std::size_t message_size) {
  try {
    tell("", message, message_size);
    if (array == nullptr) {
      tell("the array is NULL", message, message_size);
      return DAP_INVALID;
    }
    if (const std::optional<tridap::Finding> finding = tridap::unknown_major(*array)) {
      tell(finding->text(), message, message_size);
      return DAP_UNKNOWN_MAJOR;
    }
    const tridap::Report report = check(*array);
    tell(report.text(), message, message_size);
    return report.ok() ? DAP_OK : DAP_INVALID;
  } catch (const std::bad_alloc&) {
    tell("out of memory", message, message_size);
    return DAP_NO_MEMORY;
  } catch (const std::exception& error) {
    tell(error.what(), message, message_size);
    return DAP_FAILED;
  }
}
