#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// Readers of drawings, as strict as they are small.
namespace reader {

/// One element of an XML document: its name, attributes, the elements around it and the text directly inside it.
struct Element {
  std::string name, text;
  std::map<std::string, std::string> attributes;
  std::optional<std::size_t> parent;

  std::string at(const std::string& key) const { return attributes.count(key) ? attributes.at(key) : ""; }
  bool is(const std::string& one_class) const {
    std::istringstream classes(at("class"));
    for (std::string word; classes >> word;)
      if (word == one_class) return true;
    return false;
  }
};

/// Reads the subset of XML that a drawing may use, and throws at anything else: elements are balanced, attributes
/// quoted and unique, references known, characters legal UTF-8, and one element holds all.
class Xml {
 public:
  explicit Xml(const std::string& text) : text_(text) {
    legal_characters();
    while (at_ < text_.size()) text_[at_] == '<' ? tag() : characters();
    must(open_.empty() && !elements_.empty(), "an element is not closed");
  }
  const std::vector<Element>& elements() const { return elements_; }

 private:
  void must(bool holds, const std::string& fault) const {
    if (!holds) throw std::runtime_error(fault + " at byte " + std::to_string(at_) + ": " + text_.substr(at_, 40));
  }
  void legal_characters() {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text_[i]);
      must(byte >= 0x20 || byte == '\n', "a control character");
      int follow = byte < 0x80 ? 0 : byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
      must(byte < 0x80 || (byte >= 0xc2 && byte <= 0xf4), "no UTF-8");
      for (; follow > 0; --follow)
        must(++i < text_.size() && (static_cast<unsigned char>(text_[i]) & 0xc0) == 0x80, "no UTF-8");
    }
  }
  std::string name() {
    const std::size_t begin = at_;
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-'; };
    while (at_ < text_.size() && (letter(text_[at_]) || (at_ > begin && text_[at_] >= '0' && text_[at_] <= '9'))) ++at_;
    must(at_ > begin, "no name");
    return text_.substr(begin, at_ - begin);
  }
  std::string value(char end) {
    std::string result;
    while (at_ < text_.size() && text_[at_] != end) {
      must(text_[at_] != '<' && text_.compare(at_, 3, "]]>") != 0, "a letter that must be escaped");
      if (text_[at_] != '&') {
        result += text_[at_++];
        continue;
      }
      bool known = false;
      for (const auto& [reference, letter] :
           {std::pair("&amp;", '&'), {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}})
        if (!known && text_.compare(at_, std::string(reference).size(), reference) == 0) {
          known = true;
          result += letter;
          at_ += std::string(reference).size();
        }
      must(known, "an unknown reference");
    }
    return result;
  }
  void characters() {
    const std::string text = value('<');
    if (!open_.empty())
      elements_[open_.back()].text += text;
    else
      must(text.find_first_not_of(" \n") == std::string::npos, "text outside");
  }
  void tag() {
    ++at_;
    if (text_[at_] == '/') {
      ++at_;
      must(!open_.empty() && name() == elements_[open_.back()].name, "the wrong end");
      open_.pop_back();
      must(text_[at_++] == '>', "no end of a tag");
      return;
    }
    must(!open_.empty() || elements_.empty(), "a second document");
    Element element;
    element.name = name();
    if (!open_.empty()) element.parent = open_.back();
    while (text_[at_] == ' ') {
      ++at_;
      const std::string key = name();
      must(text_.compare(at_, 2, "=\"") == 0, "no value");
      at_ += 2;
      must(element.attributes.emplace(key, value('"')).second, "an attribute twice");
      ++at_;
    }
    const bool closed = text_[at_] == '/';
    if (closed) ++at_;
    must(text_[at_++] == '>', "no end of a tag");
    elements_.push_back(element);
    if (!closed) open_.push_back(elements_.size() - 1);
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::vector<Element> elements_;
  std::vector<std::size_t> open_;
};

/// A cell of an SVG drawing, as `3`, `3+` or `*` and its padding.
struct SvgCell {
  std::string owner, padding;
  friend bool operator==(const SvgCell& a, const SvgCell& b) { return a.owner == b.owner && a.padding == b.padding; }
};

/// What an SVG drawing shows.
struct Svg {
  std::vector<Element> elements;
  std::vector<SvgCell> global;
  std::map<long long, std::vector<SvgCell>> local;  // by process
  std::map<std::string, int> hatches = {{"communication", 0}, {"boundary", 0}, {"mixed", 0}};
  std::vector<std::string> texts, rows;  // rows: the indices before the rows of the global array

  explicit Svg(const std::string& text) : elements(Xml(text).elements()) {
    for (const Element& element : elements) {
      const Element* group = around(element);
      if (element.name == "text") texts.push_back(element.text);
      if (element.is("end") && group != nullptr && !group->is("local")) rows.push_back(element.text);
      if (element.is("nothing")) local[std::stoll(group->at("data-process"))];
      if (element.is("hatch"))
        for (const char* kind : {"communication", "boundary", "mixed"}) hatches[kind] += element.is(kind);
      if (!element.is("cell")) continue;
      const SvgCell cell = {element.at("data-owner"),
                            element.is("communication") ? "communication" : (element.is("boundary") ? "boundary" : "")};
      (group->is("global") ? global : local[std::stoll(group->at("data-process"))]).push_back(cell);
    }
  }
  bool says(const std::string& words) const {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& text) { return text.find(words) != std::string::npos; });
  }

 private:
  const Element* around(const Element& element) const {
    for (auto parent = element.parent; parent; parent = elements[*parent].parent)
      if (elements[*parent].is("global") || elements[*parent].is("local")) return &elements[*parent];
    return nullptr;
  }
};

/// What a drawing in characters shows: head, cells and legend stand apart.
struct Text {
  std::vector<std::string> parts[3];  // lines

  explicit Text(const std::string& text) {
    std::istringstream lines(text);
    std::size_t part = 0;
    for (std::string line; std::getline(lines, line);)
      if (line.empty())
        ++part;
      else
        parts[part].push_back(line);
  }
  /// The words of a line of the middle part.
  std::vector<std::string> words(std::size_t line) const {
    std::istringstream in(parts[1].at(line));
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
  }
};

}  // namespace reader
