#include "extras.hpp"
#include "json.hpp"
#include <tridap/internal/capture_entry.hpp>
#include <tridap/read.hpp>

#include <set>
#include <utility>

namespace tridap {

namespace {

constexpr std::size_t levels_around_entry = 2;  // the capture, and its list of processes

// A value that read_json() reads again at this level of a document. The levels of lists and dictionaries begin at 1.
Value storable(const Value& value, std::size_t level) {
  if (const auto* buffer = value.as<std::shared_ptr<const Buffer>>()) {
    auto integers = read_indices(IndexBuffer(**buffer));
    return integers ? Value{std::move(*integers)} : value;  // other buffers are written as text
  }
  const auto* list = value.as<Value::List>();
  const auto* dict = value.as<Value::Dict>();
  if (level > deepest_json && (value.list_size() || dict != nullptr)) return {value.text()};
  if (list != nullptr) {
    Value::List all;
    for (const Value& element : *list) all.push_back(storable(element, level + 1));
    return {std::move(all)};
  }
  if (dict == nullptr) return value;
  Value::Dict all;
  std::set<std::string> written;
  for (const Entry& entry : *dict)
    if (written.insert(Value{entry.key}.json()).second)
      all.push_back({entry.key, storable(entry.value, level + 1), entry.text});
  return {std::move(all)};
}

Value described(const Dimension& dimension) {
  Dimension readable = dimension;
  if (auto* unstructured = std::get_if<Unstructured>(&readable.dist)) unstructured->indices = IndexBuffer();
  Value value = to_value(readable);
  auto& dict = std::get<Value::Dict>(value.content);
  for (Entry& entry : dict)
    if (entry.key == "indices")
      entry.value = {std::make_shared<const Buffer>(std::get<Unstructured>(dimension.dist).indices.buffer)};
  for (const Extra& extra : dimension.extras) dict.push_back({extra.key, value_of(extra), true});
  return value;
}

Value integers(const IndexList& numbers) { return {Value::Integers(numbers.begin(), numbers.end())}; }

}  // namespace

Value described(const Buffer& buffer) {
  Value::Dict dict = {{"dtype", {buffer.type.name()}, true}};
  if (!buffer.type.description.empty()) dict.push_back({"description", {buffer.type.description}, true});
  dict.push_back({"shape", integers(buffer.shape), true});
  dict.push_back({"strides", integers(buffer.strides), true});
  const Memory& memory = buffer.memory;
  if (memory.kind != Memory::Kind::host && memory.kind != Memory::Kind::nowhere)
    dict.push_back({"memory", {memory.name()}, true});
  return {std::move(dict)};
}

Value described(const DistArray& array) {
  Value::List dim_data;
  for (const Dimension& dimension : array.dim_data) dim_data.push_back(described(dimension));
  return {Value::Dict{{"__version__", {array.version}, true},
                      {"dim_data", {std::move(dim_data)}, true},
                      {"buffer", described(array.buffer), true}}};
}

std::string capture_entry(Index rank, const Value& dictionary) {
  Value::Dict entry = {{"rank", {rank}, true}};
  const auto& keys = std::get<Value::Dict>(dictionary.content);
  entry.insert(entry.end(), keys.begin(), keys.end());
  return storable({std::move(entry)}, levels_around_entry + 1).json();
}

}  // namespace tridap
