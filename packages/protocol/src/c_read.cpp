#include "c_fields.hpp"
#include "extras.hpp"
#include <tridap/check.hpp>
#include <tridap/element_format.hpp>
#include <tridap/internal/driver.hpp>
#include <tridap/text.hpp>
#include <tridap/value.hpp>
#include <tridap/version.hpp>

#include <set>
#include <string>

namespace tridap {

Finding c_finding(std::optional<Index> axis, std::string key, std::string value, std::string must) {
  return {Rule::conversion, {}, axis, std::move(key), std::move(value), std::move(must), "see tridap/dap.h"};
}

void check_indices_for_c(const Buffer& indices, Index axis, Report& report) {
  const Report found = check(indices);
  for (const Finding& finding : found.findings())
    report.add(c_finding(axis, "indices", "a list of which " + finding.value, "but it must describe memory"));
}

void check_extras_for_c(const std::vector<Extra>& extras, Index axis, Report& report) {
  std::set<std::string> seen;
  for (const Extra& extra : extras) {
    if (is_protocol_key(extra.key))
      report.add(
          c_finding(axis, "extras", "a list with '" + extra.key + "'", "but must not have a key of the protocol"));
    else if (!seen.insert(extra.key).second)
      report.add(c_finding(axis, "extras", "a list with '" + extra.key + "' twice", "but must have each key once"));
    else
      try {
        read_json(extra.value);
      } catch (const Error& error) {
        report.add(
            c_finding(axis, "extras", "a list with '" + extra.key + "' as '" + shortened(extra.value, 40) + "'",
                      std::string("but the value must be JSON text: ") + error.report().findings().front().value));
      }
  }
}

namespace {

std::string quoted(const std::string& text) { return "'" + text.substr(0, 40) + "'"; }

bool is_0_9(const std::string& version) {
  Report ignored;  // check() reports it
  return read_version(version, ignored) == Version::v0_9;
}

class Reader : CFields {
 public:
  Reader(const dap_array& c, const std::shared_ptr<void>& owner, Report& report)
      : CFields(c.minor, report), c_(c), owner_(owner) {}

  DistArray read() {
    constexpr std::uint64_t flags = DAP_FLAG_READ_ONLY | DAP_FLAG_COPIED;
    if (known_minor() && (c_.flags & ~flags) != 0)
      add_fault("flags", std::to_string(c_.flags),
                "must be a combination of the flags of minor version " + std::to_string(DAP_MINOR));
    DistArray array;
    array.version = text(c_.protocol_version, DAP_MAX_NAME, "protocol_version");
    array.buffer = buffer(c_.buffer);
    const std::size_t count = readable(c_.dim_data, c_.dim_count, "dim_data", "dim_count");
    array.dim_data.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      axis_ = static_cast<Index>(i);
      array.dim_data.push_back(dimension(c_.dim_data[i], array.version));
    }
    axis_.reset();
    reserved(c_.reserved, "reserved");
    return array;
  }

 private:
  Buffer buffer(const dap_buffer& c) {
    Buffer buffer;
    buffer.data = c.data;
    buffer.read_only = (c_.flags & DAP_FLAG_READ_ONLY) != 0;
    buffer.owner = owner_;
    const Index before = report_.errors();
    const std::size_t shape = readable(c.shape, c.ndim, "buffer.shape", "buffer.ndim");
    const std::size_t strides = readable(c.strides, c.ndim, "buffer.strides", "buffer.ndim");
    if (shape > 0) buffer.shape.assign(c.shape, c.shape + shape);
    if (strides > 0) buffer.strides.assign(c.strides, c.strides + strides);
    buffer.type = type(c.format, "buffer.format");
    buffer.memory = memory(c.device, "buffer.device");
    reserved(c.reserved, "buffer.reserved");
    if (report_.errors() == before) report_.merge(check(buffer));
    return buffer;
  }

  Dimension dimension(const dap_dimension& c, const std::string& version) {
    Dimension dimension;
    dimension.size = c.size;
    dimension.proc_grid_size = c.proc_grid_size;
    dimension.proc_grid_rank = c.proc_grid_rank;
    dimension.periodic = flag(c.periodic, "periodic");
    const char kind = c.dist_type;
    if (kind == 'b')
      dimension.dist = Block{c.start, c.stop, padding(c)};
    else if (kind == 'n')
      dimension.dist = undistributed_block(c, version);
    else if (kind == 'c')
      dimension.dist = Cyclic{c.start, c.block_size};
    else if (kind == 'u')
      dimension.dist = Unstructured{indices(c.indices), flag(c.one_to_one, "one_to_one")};
    else
      add_fault("dist_type", kind > ' ' && kind < 0x7f ? std::string("'") + kind + "'" : std::to_string(kind),
                "must be 'b', 'c', 'u' or 'n'");
    check_unused(c);
    dimension.extras = extras(c);
    for (const std::uint8_t byte : c.reserved_flags)
      if (known_minor() && byte != 0) add_fault("reserved_flags", std::to_string(byte), "must be 0");
    reserved(c.reserved, "reserved");
    return dimension;
  }

  std::optional<std::array<Index, 2>> padding(const dap_dimension& c) {
    if (flag(c.has_padding, "has_padding")) return std::array<Index, 2>{c.padding[0], c.padding[1]};
    unused(c.padding[0] != 0 || c.padding[1] != 0, "padding", "without 'has_padding'");
    return std::nullopt;
  }

  Block undistributed_block(const dap_dimension& c, const std::string& version) {
    if (!is_0_9(version))
      add_fault("dist_type", "'n'", "must be 'b', 'c' or 'u' in protocol version " + quoted(version));
    if (c.proc_grid_size != 1)
      add_fault("proc_grid_size", std::to_string(c.proc_grid_size), "must be 1 for dist_type 'n'");
    if (c.proc_grid_rank != 0)
      add_fault("proc_grid_rank", std::to_string(c.proc_grid_rank), "must be 0 for dist_type 'n'");
    return {0, c.size, padding(c)};
  }

  // Fields that a kind does not use must be zero, so that a producer that confuses kinds gets an error.
  void check_unused(const dap_dimension& c) {
    const char kind = c.dist_type;
    const std::string where = std::string("for dist_type '") + kind + "'";
    const bool block = kind == 'b', cyclic = kind == 'c', unstructured = kind == 'u';
    if (!block && !cyclic && !unstructured && kind != 'n') return;
    if (!block && !cyclic) unused(c.start != 0, "start", where);
    if (!block) unused(c.stop != 0, "stop", where);
    if (!cyclic) unused(c.block_size != 0, "block_size", where);
    if (cyclic || unstructured) {
      unused(c.has_padding != 0, "has_padding", where);
      unused(c.padding[0] != 0 || c.padding[1] != 0, "padding", where);
    }
    if (unstructured) return;
    unused(c.one_to_one != 0, "one_to_one", where);
    const dap_indices& i = c.indices;
    unused(i.data != nullptr || i.count != 0 || i.stride != 0 || i.format.size != 0 || i.device.type != 0 ||
               i.device.id != 0 || i.device.stream != nullptr || i.device.event != nullptr,
           "indices", where);
  }

  IndexBuffer indices(const dap_indices& c) {
    Buffer buffer;
    buffer.data = const_cast<void*>(c.data);
    buffer.shape = {c.count};
    buffer.strides = {c.stride};
    buffer.read_only = true;
    buffer.owner = owner_;
    const Index before = report_.errors();
    buffer.type = type(c.format, "indices.format");
    buffer.memory = memory(c.device, "indices.device");
    reserved(c.reserved, "indices.reserved");
    if (report_.errors() == before) check_indices_for_c(buffer, *axis_, report_);
    return buffer;
  }

  std::vector<Extra> extras(const dap_dimension& c) {
    std::vector<Extra> extras;
    const Index before = report_.errors();
    const std::size_t count = readable(c.extras, c.extra_count, "extras", "extra_count");
    for (std::size_t i = 0; i < count; ++i) {
      extras.push_back(
          {text(c.extras[i].key, DAP_MAX_NAME, "extras.key"), text(c.extras[i].json, DAP_MAX_JSON, "extras.json")});
      reserved(c.extras[i].reserved, "extras.reserved");
    }
    if (report_.errors() == before) check_extras_for_c(extras, *axis_, report_);
    return extras;
  }

  ElementType type(const dap_text& c, const char* key) {
    const std::string format = text(c, DAP_MAX_NAME, key);
    const std::optional<ElementType> type = parse_element_format(format);
    if (!type) add_fault(key, quoted(format), "must be the PEP 3118 format of one element, such as '<d'");
    return type.value_or(ElementType{});
  }

  Memory memory(const dap_device& c, const std::string& key) {
    reserved(c.reserved, key + ".reserved");
    const std::optional<Memory> memory = memory_of(c.type, c.id);
    if (c.stream != nullptr || c.event != nullptr) wait(c, memory, key);
    if (!memory)
      add_fault(key, "(" + std::to_string(c.type) + ", " + std::to_string(c.id) + ")",
                "must be a known type with an id of at least 0; for the host the id is 0");
    return memory.value_or(Memory{});
  }

  // Orders the legacy default stream behind the producer's work. Managed memory is the host's too, so that this
  // process waits.
  void wait(const dap_device& c, const std::optional<Memory>& memory, const std::string& key) {
    if (!memory || driver::table(memory->kind) == nullptr) {
      const char* const must = "must be NULL here: wait for it, then set it to NULL";
      if (c.stream != nullptr) add_fault(key + ".stream", "set", must);
      if (c.event != nullptr) add_fault(key + ".event", "set", must);
      return;
    }
    try {
      if (c.event != nullptr)
        driver::order_after_event(*memory, nullptr, c.event);
      else
        driver::order_after(*memory, nullptr, c.stream);
      if (memory->kind == Memory::Kind::cuda_managed) driver::synchronize(*memory, nullptr);
    } catch (const Error& error) {
      report_.merge(error.report());
    }
  }

  const dap_array& c_;
  const std::shared_ptr<void>& owner_;
};

}  // namespace

std::optional<Finding> unknown_major(const dap_array& c) {
  if (c.major == DAP_MAJOR) return std::nullopt;
  return c_finding({}, "major", std::to_string(c.major), "must be " + std::to_string(DAP_MAJOR));
}

DistArray read_c(const dap_array& c, const std::shared_ptr<void>& owner, Report& report) {
  return Reader(c, owner, report).read();
}

}  // namespace tridap
