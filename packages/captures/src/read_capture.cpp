#include "values.hpp"
#include <tridap/capture.hpp>
#include <tridap/internal/misspelt.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

namespace tridap {

namespace {

// Looks up the keys of one dictionary of a capture, and adds errors to a report.
class Keys {
 public:
  Keys(const Value& value, const std::string& what, const std::string& where, Report& report)
      : value_(value), report_(report) {
    if (!where.empty()) where_ = " in " + where;
    if (value.as<Value::Dict>() == nullptr) refuse(what, value);
  }

  const Value* required(const char* key) {
    known_.push_back(key);
    const Value* found = value_.find(key);
    if (found != nullptr || value_.as<Value::Dict>() == nullptr) return found;
    if (const std::string renamed = misspelt(key, unknown()); !renamed.empty()) known_.push_back(renamed);
    report_.add({Rule::key_missing, {}, {}, key, "missing" + where_, "but is required", rename_remedy(key, unknown())});
    return nullptr;
  }
  const Value* optional(const char* key) {  // null means absent
    known_.push_back(key);
    const Value* found = value_.find(key);
    return found == nullptr || found->is_null() ? nullptr : found;
  }
  void add(Rule rule, const std::string& key, const std::string& value, const std::string& must) {
    report_.add({rule, {}, {}, key, value, must, ""});
  }
  // Warns of the keys that were not looked up.
  void finish() {
    const auto* dict = value_.as<Value::Dict>();
    if (dict == nullptr) return;
    for (const Entry& entry : *dict) {
      if (std::find(known_.begin(), known_.end(), entry.key) != known_.end()) continue;
      std::string remedy;
      for (const std::string& key : known_)
        if (value_.find(key) == nullptr && remedy.empty()) remedy = rename_remedy(key, {entry.key});
      report_.add({Rule::extra_key, {}, {}, entry.key, entry.value.text(), "but a capture has no such key", remedy});
    }
  }

 private:
  // The keys that no dictionary of a capture has.
  std::vector<std::string> unknown() const {
    static const std::set<std::string> keys = {"processes",   "rank",  "__version__", "dim_data", "buffer", "dtype",
                                               "description", "shape", "strides",     "memory",   "offset", "data"};
    std::vector<std::string> found;
    for (const Entry& entry : *value_.as<Value::Dict>())
      if (keys.count(entry.key) == 0) found.push_back(entry.key);
    return found;
  }

  // What is in place of a dictionary; an empty `key` is the capture itself.
  void refuse(const std::string& key, const Value& value) {
    const auto size = value.list_size();
    const std::string found =
        size ? "a list of " + std::to_string(*size) + (*size == 1 ? " value" : " values") : value.text();
    if (key.empty())
      add(Rule::type_structure, "", "the capture is " + found, "but must be a dictionary with the key 'processes'");
    else
      add(Rule::type_structure, key, found, "must be a dictionary");
  }

  const Value& value_;
  Report& report_;
  std::string where_;
  std::vector<std::string> known_;
};

std::optional<std::vector<Index>> integers(Keys& keys, const char* key, const Value& value) {
  if (const auto* integers = value.as<Value::Integers>()) return *integers;
  const auto size = value.list_size();
  if (!size) {
    keys.add(Rule::type_structure, key, value.text(), "must be a list of integers");
    return std::nullopt;
  }
  for (std::size_t i = 0; i < *size; ++i)
    if (const Value element = value.element(i); element.as<Index>() == nullptr)
      keys.add(Rule::type_integer, key, element.text(), "must be an integer that fits 64 bits");
  return std::nullopt;
}

// Reads a process's description of its buffer. `known` becomes true if it is complete, except the elements.
Buffer read_buffer(const Value& value, Report& report, std::optional<Buffer>& values, bool& known) {
  const Index before = report.errors();
  Keys keys(value, "buffer", "'buffer'", report);
  Buffer buffer;
  buffer.memory.kind = Memory::Kind::nowhere;
  buffer.type = {ElementType::Kind::opaque, 1, true};
  if (const Value* dtype = keys.required("dtype")) {
    const auto* name = dtype->as<std::string>();
    const std::optional<ElementType> type = name == nullptr ? std::nullopt : element_type(*name);
    if (name == nullptr)
      keys.add(Rule::type_text, "dtype", dtype->text(), "must be text");
    else if (!type)
      keys.add(Rule::buffer_type, "dtype", dtype->text(),
               "must be NumPy's name of an element type, such as float64 or >f8");
    buffer.type = type.value_or(buffer.type);
  }
  if (const Value* description = keys.optional("description")) {
    if (const auto* text = description->as<std::string>())
      buffer.type.description = *text;
    else
      keys.add(Rule::type_text, "description", description->text(), "must be text");
  }
  const Value* shape = keys.required("shape");
  const auto extents = shape == nullptr ? std::nullopt : integers(keys, "shape", *shape);
  buffer.shape = extents.value_or(std::vector<Index>{});
  buffer.strides = row_major_strides(buffer.shape, buffer.type.bytes);
  if (const Value* strides = keys.optional("strides"))
    if (auto described = integers(keys, "strides", *strides)) buffer.strides = std::move(*described);
  if (const Value* memory = keys.optional("memory"); memory != nullptr && memory->as<std::string>() == nullptr)
    keys.add(Rule::type_text, "memory", memory->text(), "must be text");
  if (const Value* offset = keys.optional("offset"); offset != nullptr && offset->as<Index>() == nullptr)
    keys.add(Rule::type_integer, "offset", offset->text(), "must be an integer that fits 64 bits");
  known = report.errors() == before;
  if (const Value* data = keys.optional("data"); data != nullptr && known) values = read_values(*data, buffer, report);
  keys.finish();
  return buffer;
}

// The number of errors that are not about an axis.
Index without_axis(const Report& report) {
  const auto& findings = report.findings();
  return std::count_if(findings.begin(), findings.end(),
                       [](const Finding& f) { return f.severity() == Severity::error && !f.axis; });
}

CapturedProcess read_process(const Value& value, std::size_t place) {
  CapturedProcess process;
  Report& report = process.read.report;
  Report found;
  const std::string key = "processes[" + std::to_string(place) + "]", where = "'" + key + "'";
  Keys keys(value, key, where, found);
  if (const Value* rank = keys.required("rank")) {
    if (const auto* number = rank->as<Index>())
      process.rank = *number;
    else
      keys.add(Rule::type_integer, "rank", rank->text() + " in " + where, "must be an integer that fits 64 bits");
  }
  process.ranked = found.ok();
  const Value* version = keys.required("__version__");
  const Value* dim_data = keys.required("dim_data");
  const Value* buffer = keys.required("buffer");
  Buffer described;
  bool known = false;
  if (buffer != nullptr) described = read_buffer(*buffer, found, process.values, known);
  keys.finish();
  if (version != nullptr && dim_data != nullptr) {  // these are checked even if other keys are wrong
    ReadArray read = read_array(*version, *dim_data, std::move(described), Source::json);
    process.comparable = process.ranked && known && without_axis(read.report) == 0;
    process.read = std::move(read);
  }
  found.merge(report);
  report = std::move(found);
  return process;
}

void check_ranks(Capture& capture) {
  const auto by_rank = [](const CapturedProcess& a, const CapturedProcess& b) { return a.rank < b.rank; };
  std::stable_sort(capture.processes.begin(), capture.processes.end(), by_rank);
  Index expected = 0;
  for (const CapturedProcess& process : capture.processes)
    capture.whole = capture.whole && process.ranked && process.rank == expected++;
}

}  // namespace

Capture read_capture(std::string_view text) {
  const Value document = read_json(text);
  Capture capture;
  Keys keys(document, "", "the capture", capture.report);
  if (const Value* processes = keys.required("processes")) {
    const auto count = processes->list_size();
    if (!count)
      keys.add(Rule::type_structure, "processes", processes->text(), "must be a list of dictionaries");
    else if (*count == 0)
      keys.add(Rule::capture_ranks, "processes", "[]", "must hold at least one process");
    for (std::size_t i = 0; i < count.value_or(0); ++i) {
      Value source = processes->element(i);
      CapturedProcess process = read_process(source, i);
      process.source = std::move(source);
      if (process.ranked) process.read.report.set_process(process.rank);
      capture.processes.push_back(std::move(process));
    }
  }
  keys.finish();
  if (const auto* dict = document.as<Value::Dict>())
    std::copy_if(dict->begin(), dict->end(), std::back_inserter(capture.extras),
                 [](const Entry& entry) { return entry.key != "processes"; });
  check_ranks(capture);
  return capture;
}

}  // namespace tridap
