#include <tridap/internal/text_lines.hpp>
#include <tridap/text.hpp>

#include <algorithm>

namespace tridap {

Index characters(const std::string& text) {
  Index count = 0;
  bool escape = false;  // "\033[38;5;9m" ends with its letter
  for (const char byte : text) {
    if (byte == '\033') escape = true;
    count += !escape && (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
    escape = escape && byte != 'm';
  }
  return count;
}

std::vector<std::string> wrapped(const std::string& text, Index width, Index indent) {
  const Index room = std::max<Index>(width - indent, 1);  // of every line but the first
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::vector<std::string> lines;
  std::string line, word;
  const auto end_line = [&] {
    if (!line.empty()) lines.push_back(lines.empty() ? line : margin + line);
    line.clear();
  };
  const auto end_word = [&] {
    if (!line.empty() && characters(line) + 1 + characters(word) > (lines.empty() ? width : room)) end_line();
    line += (line.empty() || word.empty() ? "" : " ") + word;
    word.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const bool escape = text[at] == '\033';  // it has no width, so it breaks no word
    const std::size_t length =
        escape ? std::min(text.find('m', at), text.size() - 1) + 1 - at : std::max<std::size_t>(printable(text, at), 1);
    if (text[at] == ' ' || (!escape && characters(word) == room)) end_word();
    if (text[at] != ' ') word += text.substr(at, length);
    at += length;
  }
  end_word();
  end_line();
  return lines;
}

std::string fitted(const std::string& text, Index width) {
  std::string all;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (characters(line) <= width) {
      all += line;
    } else {
      const std::size_t blanks = std::min(line.find_first_not_of(' '), static_cast<std::size_t>(width) / 2);
      std::string before(blanks, ' ');
      for (const std::string& part : wrapped(line, width - static_cast<Index>(blanks), 2)) {
        all += before + part;
        before = "\n" + std::string(blanks, ' ');
      }
    }
    if (end < text.size()) all += '\n';
    begin = end + 1;
  }
  return all;
}

}  // namespace tridap
