#include <tridap/capture.hpp>
#include <tridap/compare.hpp>
#include <tridap/internal/capture_entry.hpp>

#include <ostream>
#include <set>
#include <string>

namespace tridap {

void write_capture(std::ostream& out, const Distribution& distribution, Version version, const ElementType& type) {
  for (Index p = 0; p < distribution.processes(); ++p) local_bytes(distribution, p, type.bytes);  // fits 64 bits
  for (Index p = 0; p < distribution.processes(); ++p) {
    Value::List dim_data;
    for (const Dimension& d : distribution.dim_data(p, version)) dim_data.push_back(to_value(d));
    const Value::Dict buffer = {{"dtype", {type.name()}, true},
                                {"shape", {Value::Integers(distribution.local_shape(p))}, true}};
    const Value process = {Value::Dict{{"rank", {p}, true},
                                       {"__version__", {std::string(stamp(version))}, true},
                                       {"dim_data", {std::move(dim_data)}, true},
                                       {"buffer", {buffer}, true}}};
    out << (p == 0 ? capture_begin : capture_between) << process.json();
  }
  out << capture_end;
}

std::string convert_capture(const Capture& capture, Version version, const Reading& reading) {
  const Distribution distribution = gather_distribution(capture, reading);
  std::string text;
  for (const CapturedProcess& process : capture.processes) {
    Value::List dim_data;
    for (const Dimension& d : distribution.dim_data(process.rank, version)) {
      Value dict = to_value(d);
      std::set<std::string> meaning;
      for (const Entry& entry : std::get<Value::Dict>(dict.content)) meaning.insert(entry.key);
      for (const Extra& extra : process.read.array.dim_data[dim_data.size()].extras)
        if (meaning.count(extra.key) == 0)  // 'n' does not have 'start', but 'b' does
          std::get<Value::Dict>(dict.content).push_back({extra.key, read_json(extra.value), true});
      dim_data.push_back(std::move(dict));
    }
    Value::Dict out = std::get<Value::Dict>(process.source.content);
    for (Entry& entry : out) {
      if (entry.key == "__version__") entry.value = {std::string(stamp(version))};
      if (entry.key == "dim_data") entry.value = {std::move(dim_data)};
    }
    text += (process.rank == 0 ? capture_begin : capture_between) + Value{std::move(out)}.json();
  }
  text += "\n]";
  for (const Entry& extra : capture.extras) text += ",\n" + Value{extra.key}.json() + ": " + extra.value.json();
  return text + "}\n";
}

}  // namespace tridap
