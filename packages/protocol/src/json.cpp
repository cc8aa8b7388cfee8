#include "json.hpp"

#include <tridap/report.hpp>
#include <tridap/text.hpp>
#include <tridap/value.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace tridap {

namespace {

// Builds a Value from the parser's events, without recursion. Sizes that the parser states are not used.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return put({Value::Other{}}); }
  bool boolean(bool value) override { return put({value}); }
  bool number_integer(number_integer_t value) override { return put({Index{value}}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<number_unsigned_t>(std::numeric_limits<Index>::max()))
      return put({static_cast<Index>(value)});
    return put({Value::Other{std::to_string(value)}});
  }
  bool number_float(number_float_t value, const string_t& token) override {
    const bool integer = token.find_first_of(".eE") == std::string::npos;  // too long for 64 bits
    return integer ? put({Value::Other{token}}) : put({value});
  }
  bool string(string_t& value) override { return put({std::move(value)}); }
  bool binary(binary_t&) override { return fail("binary data"); }
  bool start_object(std::size_t) override { return open({Value::Dict{}}); }
  bool start_array(std::size_t) override { return open({Value::Integers{}}); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Frame& frame = frames_.back();
    const auto& dict = std::get<Value::Dict>(frame.value.content);
    constexpr std::size_t few = 16;  // up to this many names are compared one by one
    if (dict.size() == few)
      for (const Entry& entry : dict) frame.seen.insert(entry.key);
    const bool twice = dict.size() < few
                           ? std::any_of(dict.begin(), dict.end(), [&](const Entry& e) { return e.key == name; })
                           : !frame.seen.insert(name).second;
    if (twice) return fail("the key '" + clean(shortened(name, 40)) + "' is given twice");
    frame.key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: ..." without the library's own prefix
    std::string why = error.what();
    if (const std::size_t at = why.find("] "); at != std::string::npos) why.erase(0, at + 2);
    return fail(clean(shortened(why, 200)));
  }

  Value take() { return std::move(root_); }
  const std::string& why() const { return why_; }

 private:
  struct Frame {
    Value value;
    std::string key;
    std::unordered_set<std::string> seen;
  };

  bool fail(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    return false;
  }

  bool open(Value value) {
    if (frames_.size() == deepest_json)
      return fail("lists and dictionaries nest deeper than " + std::to_string(deepest_json) + " levels");
    frames_.push_back({std::move(value), {}, {}});
    return true;
  }

  bool close() {
    Value done = std::move(frames_.back().value);
    frames_.pop_back();
    return put(std::move(done));
  }

  bool put(Value value) {
    if (frames_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Frame& frame = frames_.back();
    if (auto* dict = std::get_if<Value::Dict>(&frame.value.content)) {
      dict->push_back({std::move(frame.key), std::move(value), true});
      return true;
    }
    if (auto* integers = std::get_if<Value::Integers>(&frame.value.content)) {
      if (const auto* integer = value.as<Index>()) {
        integers->push_back(*integer);
        return true;
      }
      Value::List list;
      list.reserve(integers->size() + 1);
      for (const Index integer : *integers) list.push_back({integer});
      frame.value.content = std::move(list);
    }
    std::get<Value::List>(frame.value.content).push_back(std::move(value));
    return true;
  }

  std::vector<Frame> frames_;
  Value root_;
  std::string why_;
};

[[noreturn]] void refuse_document(const std::string& why) {
  throw Error(Finding{Rule::json_document, {}, {}, "", why, "", ""});
}

}  // namespace

Value read_json(std::string_view text) {
  if (text.find('\0') != std::string_view::npos)
    refuse_document("the text contains a zero byte, which JSON does not allow");  // the parser would stop there
  Builder builder;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) refuse_document(builder.why());
  return builder.take();
}

std::string dump(const nlohmann::ordered_json& json) {
  const std::string text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto plain = [](char c) { return static_cast<unsigned char>(c) < 0x7f; };
  if (std::all_of(text.begin(), text.end(), plain)) return text;
  std::string shown;  // with escapes for characters that a terminal does not print
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const std::string character = text.substr(at, length);
    if (lead < 0x7f || printable(text, at) > 0) {
      shown += character;
    } else {
      const std::string quoted = nlohmann::json(character).dump(-1, ' ', true);
      shown.append(quoted, 1, quoted.size() - 2);
    }
    at += length;
  }
  return shown;
}

std::optional<std::size_t> Value::list_size() const {
  if (const auto* integers = as<Integers>()) return integers->size();
  if (const auto* list = as<List>()) return list->size();
  return std::nullopt;
}

Value Value::element(std::size_t i) const {
  if (const auto* integers = as<Integers>()) return {(*integers)[i]};
  return std::get<List>(content)[i];
}

const Value* Value::find(const std::string& key) const {
  if (const auto* dict = as<Dict>())
    for (const Entry& entry : *dict)
      if (entry.text && entry.key == key) return &entry.value;
  return nullptr;
}

namespace {

// Writes JSON text. Integers of any length keep their digits; the parser's own type could not hold them.
class Writer {
 public:
  void write(const Value& value) { std::visit(*this, value.content); }
  std::string take() { return std::move(text_); }
  bool is_exact() const { return exact_; }

  void operator()(const Value::Other& other) {
    const std::size_t sign = other.text.compare(0, 1, "-") == 0 ? 1 : 0;
    const bool digits =
        other.text.size() > sign && other.text.find_first_not_of("0123456789", sign) == std::string::npos;
    if (digits || other.text == "null")
      text_ += other.text;
    else
      show(other.text);
  }
  void operator()(bool flag) { text_ += flag ? "true" : "false"; }
  void operator()(Index integer) { text_ += std::to_string(integer); }
  void operator()(double number) {
    if (std::isnan(number))
      text_ += "\"nan\"";
    else if (std::isinf(number))
      text_ += number > 0 ? "\"inf\"" : "\"-inf\"";
    else
      text_ += dump(number);
  }
  void operator()(const std::string& text) { text_ += dump(text); }
  void operator()(const Value::Integers& integers) { list(integers); }
  void operator()(const Value::List& all) { list(all); }
  void operator()(const Value::Dict& dict) {
    const char* before = "{";
    for (const Entry& entry : dict) {
      exact_ = exact_ && entry.text;
      text_ += before + dump(entry.key) + ":";
      write(entry.value);
      before = ",";
    }
    text_ += dict.empty() ? "{}" : "}";
  }
  void operator()(const std::shared_ptr<const Buffer>& buffer) {
    show("a " + std::to_string(buffer->ndim()) + "-d buffer of " + buffer->type.name());
  }

 private:
  void show(const std::string& text) {  // for a value that JSON does not have
    exact_ = false;
    (*this)(text);
  }
  void write(Index integer) { (*this)(integer); }
  template <class Elements>
  void list(const Elements& all) {
    const char* before = "[";
    for (const auto& element : all) {
      text_ += before;
      write(element);
      before = ",";
    }
    text_ += all.empty() ? "[]" : "]";
  }

  std::string text_;
  bool exact_ = true;
};

}  // namespace

bool Value::is_json() const {
  Writer writer;
  writer.write(*this);
  return writer.is_exact();
}

std::string Value::json() const {
  Writer writer;
  writer.write(*this);
  return writer.take();
}

std::string Value::text() const {
  constexpr std::size_t longest = 60;
  if (const auto* other = as<Other>()) return shortened(other->text, longest);
  if (as<Dict>() != nullptr) return "a dictionary";
  std::string line;
  if (const auto size = list_size()) {
    for (std::size_t i = 0; i < *size && i < 4; ++i) line += (i == 0 ? "" : ", ") + element(i).text();
    return "[" + shortened(line, longest) + (*size > 4 ? ", ...]" : "]");
  }
  line = json();
  if (line.size() > longest) line = shortened(line, longest) + "...";
  if (as<double>() != nullptr) line += " (a float)";
  return line;
}

}  // namespace tridap
