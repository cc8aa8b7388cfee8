#include "built_with.hpp"
#include <tridap/dap.h>
#include <tridap/detail/say.hpp>
#include <tridap/library.hpp>

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define TRIDAP_TEXT_OF(number) #number
#define TRIDAP_TEXT(number) TRIDAP_TEXT_OF(number)

namespace tridap {

namespace {

std::atomic<MessageSink>& sink() noexcept {
  static std::atomic<MessageSink> chosen = [] {
    const char* const text = std::getenv("TRIDAP_MESSAGES");
    return text != nullptr && std::strcmp(text, "off") == 0 ? nullptr : &print_message;
  }();
  return chosen;
}

}  // namespace

const char* library_version() noexcept {
  return TRIDAP_TEXT(TRIDAP_VERSION_MAJOR) "." TRIDAP_TEXT(TRIDAP_VERSION_MINOR) "." TRIDAP_TEXT(TRIDAP_VERSION_PATCH);
}

const char* library_build() noexcept { return built_with::text; }

MessageSink set_message_sink(MessageSink chosen) noexcept { return sink().exchange(chosen); }

void print_message(const char* line) noexcept {
  std::array<iovec, 2> parts{{{const_cast<char*>(line), std::strlen(line)}, {const_cast<char*>("\n"), 1}}};
  for (std::size_t part = 0; part < parts.size();) {  // past stdio, for whose lock another thread may wait
    const auto written = ::writev(STDERR_FILENO, &parts[part], static_cast<int>(parts.size() - part));
    if (written <= 0) return;
    auto left = static_cast<std::size_t>(written);
    for (; part < parts.size() && left >= parts[part].iov_len; ++part) left -= parts[part].iov_len;
    if (part == parts.size()) return;
    parts[part].iov_base = static_cast<char*>(parts[part].iov_base) + left;
    parts[part].iov_len -= left;
  }
}

void say(const char* format, ...) noexcept {
  std::array<char, 4096> line;
  const int begin = std::snprintf(line.data(), line.size(), "tridap: ");
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line.data() + begin, line.size() - static_cast<std::size_t>(begin), format, arguments);
  va_end(arguments);
  say_line(line.data());
}

void say_line(const char* line) noexcept {
  const MessageSink receiver = sink();
  if (receiver != nullptr) receiver(line);
}

}  // namespace tridap

extern "C" {

const char* dap_library_version() { return tridap::library_version(); }

const char* dap_library_build() { return tridap::library_build(); }

dap_message_sink dap_set_message_sink(dap_message_sink sink) { return tridap::set_message_sink(sink); }

void dap_print_message(const char* line) { tridap::print_message(line); }
}
