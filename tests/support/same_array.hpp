#pragma once

#include <tridap/dist_array.hpp>

#include <string>

/// Field-by-field comparison of what two arrays say, addresses included; owners are not compared.
namespace same_array {

inline std::string differs(const tridap::Buffer& a, const tridap::Buffer& b) {
  if (a.data != b.data) return "data";
  if (a.type != b.type) return "type " + a.type.name() + " and " + b.type.name();
  if (a.shape != b.shape) return "shape";
  if (a.strides != b.strides) return "strides";
  if (a.read_only != b.read_only) return "read_only";
  if (a.memory.kind != b.memory.kind || a.memory.device != b.memory.device) return "memory";
  return "";
}

inline std::string differs(const tridap::Block& a, const tridap::Block& b) {
  return a.start == b.start && a.stop == b.stop && a.padding == b.padding ? "" : "block";
}
inline std::string differs(const tridap::Cyclic& a, const tridap::Cyclic& b) {
  return a.start == b.start && a.block_size == b.block_size ? "" : "cyclic";
}
inline std::string differs(const tridap::Unstructured& a, const tridap::Unstructured& b) {
  if (a.one_to_one != b.one_to_one) return "one_to_one";
  tridap::Buffer x = a.indices.buffer, y = b.indices.buffer;
  x.read_only = y.read_only = true;  // indices are never written
  const std::string found = differs(x, y);
  return found.empty() ? "" : "indices " + found;
}

inline std::string differs(const tridap::Dimension& a, const tridap::Dimension& b) {
  if (a.size != b.size) return "size";
  if (a.proc_grid_size != b.proc_grid_size || a.proc_grid_rank != b.proc_grid_rank) return "grid";
  if (a.periodic != b.periodic) return "periodic";
  if (a.dist.index() != b.dist.index()) return "dist_type";
  if (a.extras.size() != b.extras.size()) return "extras";
  for (std::size_t i = 0; i < a.extras.size(); ++i)
    if (a.extras[i].key != b.extras[i].key || a.extras[i].value != b.extras[i].value) return "extra " + a.extras[i].key;
  if (a.dist.index() == 0) return differs(std::get<tridap::Block>(a.dist), std::get<tridap::Block>(b.dist));
  if (a.dist.index() == 1) return differs(std::get<tridap::Cyclic>(a.dist), std::get<tridap::Cyclic>(b.dist));
  return differs(std::get<tridap::Unstructured>(a.dist), std::get<tridap::Unstructured>(b.dist));
}

/// Empty where both say the same, else what differs.
inline std::string differs(const tridap::DistArray& a, const tridap::DistArray& b) {
  if (a.version != b.version) return "version " + a.version + " and " + b.version;
  if (const std::string found = differs(a.buffer, b.buffer); !found.empty()) return found;
  if (a.dim_data.size() != b.dim_data.size()) return "dim_data";
  for (std::size_t i = 0; i < a.dim_data.size(); ++i)
    if (const std::string found = differs(a.dim_data[i], b.dim_data[i]); !found.empty())
      return "axis " + std::to_string(i) + ": " + found;
  return "";
}

}  // namespace same_array
