#include "page_data.hpp"
#include "page_files.hpp"
#include "svg_paper.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace tridap {

namespace {

using Placeholder = std::pair<std::string_view, std::string>;

// JSON in a script element: no text in it can end the element, or begin a comment. clean() has replaced U+2028 and
// U+2029 before.
std::string embedded(const std::string& json) {
  return drawing::replaced(json, {{'<', "\\u003c"}, {'>', "\\u003e"}, {'&', "\\u0026"}});
}

// Replaces {{name}} in a text. What is put in is not looked at again.
std::string filled(std::string_view text, const std::array<Placeholder, 4>& parts) {
  std::string page;
  while (!text.empty()) {
    const std::size_t next = text.find("{{");
    page += text.substr(0, next);
    if (next == std::string_view::npos) break;
    const std::size_t end = text.find("}}", next);
    for (const auto& [name, content] : parts)
      if (text.substr(next + 2, end - next - 2) == name) page += content;
    text.remove_prefix(end + 2);
  }
  return page;
}

std::string page_of(const std::string& title, const std::string& data) {
  std::string script = "\"use strict\";\n(() => {\n";
  for (const char* const* file = drawing::page_scripts; *file != nullptr; ++file) script += *file;
  const std::array<Placeholder, 4> parts = {{{"title", drawing::escaped(title)},
                                             {"style", drawing::page_style},
                                             {"data", embedded(data)},
                                             {"script", script + "})();\n"}}};
  return filled(drawing::page_template, parts);
}

}  // namespace

std::string draw_html(const PageArray& array) {
  return page_of(array.title, "{\"arrays\":[" + drawing::page_array(array) + "]}");
}

std::string draw_html(const PageArray& source, const PageArray& target) {
  return page_of(source.title + " \u2192 " + target.title,
                 "{\"arrays\":[" + drawing::page_array(source) + ",\n" + drawing::page_array(target) +
                     "],\n\"moves\":" + drawing::page_moves(source, target) + "}");
}

}  // namespace tridap
