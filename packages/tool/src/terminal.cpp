#include "terminal.hpp"

#include <tridap/internal/axis_texts.hpp>
#include <tridap/internal/text_lines.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace tridap::tool {

namespace {

constexpr Index narrowest = 20;  // a narrower one breaks lines itself

}  // namespace

std::optional<TerminalSize> terminal_of(int stream) {
  if (isatty(stream) == 0) return std::nullopt;
  TerminalSize size;
  winsize window{};
  if (ioctl(stream, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) {
    size.columns = window.ws_col;
    if (window.ws_row > 0) size.lines = window.ws_row;
  } else if (const char* const stated = std::getenv("COLUMNS")) {
    const std::optional<Index> columns = integer_in(stated);
    if (columns && *columns > 0 && *columns < 100000) size.columns = *columns;
  }
  return size;
}

std::string for_reader(const std::string& text, int stream) {
  const std::optional<TerminalSize> terminal = terminal_of(stream);
  return terminal && terminal->columns >= narrowest ? fitted(text, terminal->columns) : text;
}

}  // namespace tridap::tool
