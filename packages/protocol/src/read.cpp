#include "checking.hpp"
#include "extras.hpp"
#include <tridap/internal/misspelt.hpp>
#include <tridap/read.hpp>

#include <algorithm>
#include <initializer_list>
#include <limits>

namespace tridap {

namespace {

// Reads one dimension dictionary. A key that is missing, has a wrong type or is unknown is a finding; the others are
// read.
class DimensionReader {
 public:
  DimensionReader(const Value::Dict& dict, Index axis, Version version, Source source, Report& report)
      : dict_(dict), axis_(axis), version_(version), source_(source), report_(report) {}

  struct Found {
    Dimension dimension;
    bool whole = true;  // false: some value could not be read, and a value that breaks no rule replaces it
  };

  Found read() {
    const Index before = report_.errors();
    Found found = common();
    for (const Entry& entry : dict_) extra(entry);
    if (report_.errors() > before) found.whole = false;
    if (!found.whole)  // then the dimension is not used, and check() does not see them
      for (const Extra& extra : extras_)
        if (!is_protocol_key(extra.key) && std::find(renamed_.begin(), renamed_.end(), extra.key) == renamed_.end())
          report_.add(unknown_key(extra, found.dimension, axis_));
    found.dimension.extras = std::move(extras_);
    return found;
  }

 private:
  Found common() {
    constexpr Index any = std::numeric_limits<Index>::max();
    const Index before = report_.errors();
    const std::optional<char> type = dist_type();
    const bool grid = type != 'n';
    const auto size = required("size"), places = grid ? required("proc_grid_size") : optional("proc_grid_size", 1),
               rank = grid ? required("proc_grid_rank") : optional("proc_grid_rank", 0);
    const auto periodic = flag("periodic");
    Dimension d;
    d.size = size.value_or(any);
    d.proc_grid_size = places.value_or(any);
    d.proc_grid_rank = rank.value_or(0);
    d.periodic = periodic.value_or(false);
    if (type == 'n' && places && *places != 1) {
      add(Rule::grid_undistributed, "proc_grid_size", std::to_string(*places), "must be 1 for dist_type 'n'");
      d.proc_grid_size = any;
    }
    d.dist = Block{};
    if (type) of_kind(*type, d, size.has_value(), places && rank && periodic);
    const bool whole = report_.errors() == before;
    if (!whole) check_dimension(d, axis_, report_, version_);  // what can be checked nevertheless
    return {std::move(d), whole};
  }

  std::optional<char> dist_type() {
    const Value* value = find("dist_type");
    if (value == nullptr) return missing("dist_type"), std::nullopt;
    const auto* text = value->as<std::string>();
    if (text == nullptr) return add(Rule::type_text, "dist_type", value->text(), "must be text"), std::nullopt;
    const bool old = version_ == Version::v0_9;
    const std::string kinds = old ? "nbcu" : "bcu";
    if (text->size() == 1 && kinds.find(*text) != std::string::npos) return (*text)[0];
    Finding finding = key_fault(Rule::dist_type, axis_, "dist_type", value->text(),
                                old ? "must be 'n', 'b', 'c' or 'u'" : "must be 'b', 'c' or 'u'");
    if (*text == "n") finding.remedy = "write {}, or 'b' over one process; only 0.9 has 'n'";
    for (const char* const word : {"block", "cyclic", "unstructured"}) {
      const bool capital = text->size() == 1 && (*text)[0] - 'A' == *word - 'a';
      if (capital || !misspelt(word, {*text}).empty()) finding.remedy = "write '" + std::string(1, *word) + "'";
    }
    report_.add(std::move(finding));
    return std::nullopt;
  }

  // A value that could not be read is replaced by one that does not break a rule for the others.
  void of_kind(char type, Dimension& d, bool sized, bool placed) {
    if (type == 'n' || type == 'b') {
      const auto start = type == 'n' ? std::optional<Index>(0) : required("start"),
                 stop = type == 'n' ? std::optional<Index>(d.size) : required("stop");
      auto widths = padding().value_or(std::nullopt);
      if (version_ == Version::v0_9 && !(sized && placed && start && stop))
        widths.reset();  // they cannot be checked without these
      d.dist = Block{stop ? start.value_or(0) : std::min(start.value_or(0), d.size), stop.value_or(d.size), widths};
    } else if (type == 'c') {
      const auto start = required("start"), block_size = optional("block_size", 1);
      const bool known = start && block_size && sized;
      d.dist = Cyclic{known ? *start : std::min<Index>(start.value_or(0), 0), block_size.value_or(1)};
    } else {
      auto indices = list("indices");
      const auto one_to_one = flag("one_to_one");
      d.dist = Unstructured{indices ? std::move(*indices) : IndexBuffer(), one_to_one.value_or(false)};
    }
  }

  const Value* find(const std::string& key) {
    known_.push_back(key);
    for (const Entry& entry : dict_)
      if (entry.text && entry.key == key) return &entry.value;
    return nullptr;
  }

  std::optional<Index> required(const char* key) {
    const Value* value = find(key);
    if (value != nullptr) return integer(key, *value);
    missing(key);
    return std::nullopt;
  }

  std::optional<Index> optional(const char* key, Index absent) {
    const Value* value = find(key);
    return value == nullptr ? absent : integer(key, *value);
  }

  std::optional<Index> integer(const char* key, const Value& value) {
    if (const auto* integer = value.as<Index>()) return *integer;
    add(Rule::type_integer, key, value.text(), "must be an integer that fits 64 bits");
    return std::nullopt;
  }

  std::optional<bool> flag(const char* key) {
    const Value* value = find(key);
    if (value == nullptr) return false;
    if (const auto* flag = value->as<bool>()) return *flag;
    add(Rule::type_flag, key, value->text(), "must be true or false");
    return std::nullopt;
  }

  // The widths, or no widths if `padding` is absent. nullopt if they could not be read.
  std::optional<std::optional<std::array<Index, 2>>> padding() {
    const Value* value = find("padding");
    if (value == nullptr) return std::optional<std::array<Index, 2>>{};
    if (value->list_size() != std::size_t{2})
      return add(Rule::block_padding_pair, "padding", value->text(), "must be a list of two integers"), std::nullopt;
    const auto lower = integer("padding", value->element(0)), upper = integer("padding", value->element(1));
    if (!lower || !upper) return std::nullopt;
    return std::array<Index, 2>{*lower, *upper};
  }

  std::optional<IndexBuffer> list(const char* key) {
    const Value* value = find(key);
    if (value == nullptr) return missing(key), std::nullopt;
    if (const auto* buffer = value->as<std::shared_ptr<const Buffer>>()) return IndexBuffer(**buffer);
    const auto* integers = value->as<Value::Integers>();
    if (integers == nullptr) {
      add(Rule::unstructured_indices, key, value->text(), "must be a list of integers that fit 64 bits");
    } else if (source_ == Source::object && version_ == Version::v0_10) {
      add(Rule::unstructured_list, key, value->text(), "must be a buffer in 0.10");
    } else {
      return IndexBuffer(*integers);
    }
    return std::nullopt;
  }

  void extra(const Entry& entry) {
    if (!entry.text) return add(Rule::type_text, "", "the key " + entry.key + " is not text", "but must be");
    if (std::find(known_.begin(), known_.end(), entry.key) == known_.end())
      extras_.push_back({entry.key, entry.value.json(), entry.value.is_json()});
  }

  // The remedy names a key that the protocol does not have and that looks like the missing one.
  void missing(const char* key) {
    std::vector<std::string> unknown;
    for (const Entry& entry : dict_)
      if (entry.text && !is_protocol_key(entry.key)) unknown.push_back(entry.key);
    if (const std::string found = misspelt(key, unknown); !found.empty()) renamed_.push_back(found);
    report_.add({Rule::key_missing, {}, axis_, key, "missing", "but is required", rename_remedy(key, unknown)});
  }
  void add(Rule rule, std::string key, std::string value, std::string must) {
    report_.add({rule, {}, axis_, std::move(key), std::move(value), std::move(must), ""});
  }

  const Value::Dict& dict_;
  Index axis_;
  Version version_;
  Source source_;
  Report& report_;
  std::vector<std::string> known_;
  std::vector<std::string> renamed_;  // unknown keys that stand for a missing one
  std::vector<Extra> extras_;
};

Dimension read_dimension(const Value& value, std::size_t axis, Version version, Source source, const Buffer& buffer,
                         Report& report) {
  const auto number = static_cast<Index>(axis);
  const auto* dict = value.as<Value::Dict>();
  // The meaning of {} in 0.10 [empty-dict]. It also replaces a dictionary that cannot be read.
  Dimension held = undistributed(axis < buffer.shape.size() ? std::max<Index>(buffer.shape[axis], 0) : 0);
  if (dict == nullptr) {
    report.add(key_fault(Rule::type_structure, number, "dim_data", value.text(),
                         "must be a list of dictionaries, one for each axis"));
  } else if (dict->empty() && version == Version::v0_9) {
    report.add({Rule::empty_dict, {}, number, "dim_data", "{}", "must have dist_type and size in 0.9", ""});
  } else if (!dict->empty()) {
    DimensionReader::Found found = DimensionReader(*dict, number, version, source, report).read();
    if (found.whole) return std::move(found.dimension);
    const Index places = found.dimension.proc_grid_size, rank = found.dimension.proc_grid_rank;
    if (rank >= 0 && rank < places && places < std::numeric_limits<Index>::max()) {
      held.proc_grid_size = places;
      held.proc_grid_rank = rank;
    }
  }
  return held;
}

}  // namespace

ReadArray read_array(const Value& version, const Value& dim_data, Buffer buffer, Source source) {
  ReadArray read;
  read.array.buffer = std::move(buffer);
  if (const auto* text = version.as<std::string>())
    read.array.version = *text;
  else
    read.report.add({Rule::type_text, {}, {}, "__version__", version.text(), "must be text", ""});
  Report ignored;  // check() reports it
  const Version known = read_version(read.array.version, ignored).value_or(Version::v0_10);
  const auto axes = dim_data.list_size();
  if (!axes)
    read.report.add(key_fault(Rule::type_structure, {}, "dim_data", dim_data.text(),
                              "must be a sequence of dictionaries, one for each axis"));
  for (std::size_t axis = 0; axis < axes.value_or(0); ++axis)
    read.array.dim_data.push_back(
        read_dimension(dim_data.element(axis), axis, known, source, read.array.buffer, read.report));
  return read;
}

Value to_value(const Dimension& d) {
  Value::Dict dict;
  const auto put = [&dict](const char* key, Value value) { dict.push_back({key, std::move(value), true}); };
  put("dist_type", {std::string(1, d.dist_type())});
  put("size", {d.size});
  put("proc_grid_size", {d.proc_grid_size});
  put("proc_grid_rank", {d.proc_grid_rank});
  if (const auto* block = std::get_if<Block>(&d.dist)) {
    put("start", {block->start});
    put("stop", {block->stop});
    if (block->padding) put("padding", {Value::Integers{(*block->padding)[0], (*block->padding)[1]}});
  } else if (const auto* cyclic = std::get_if<Cyclic>(&d.dist)) {
    put("start", {cyclic->start});
    if (cyclic->block_size != 1) put("block_size", {cyclic->block_size});
  } else {
    const auto& unstructured = std::get<Unstructured>(d.dist);
    auto indices = read_indices(unstructured.indices);
    if (!indices)
      throw Error(Finding{Rule::unstructured_indices, {}, {}, "indices", "a buffer that cannot be read", "", ""});
    put("indices", {std::move(*indices)});
    if (unstructured.one_to_one) put("one_to_one", {true});
  }
  if (d.periodic) put("periodic", {true});
  return {std::move(dict)};
}

}  // namespace tridap
