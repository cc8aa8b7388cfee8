#include "c_read.hpp"
#include "utf8.hpp"
#include <tridap/check.hpp>
#include <tridap/element_format.hpp>

namespace tridap {

std::int32_t device_type(Memory::Kind kind) {
  switch (kind) {
    case Memory::Kind::host:
      return DAP_DEVICE_HOST;
    case Memory::Kind::cuda:
      return DAP_DEVICE_CUDA;
    case Memory::Kind::cuda_host:
      return DAP_DEVICE_CUDA_HOST;
    case Memory::Kind::cuda_managed:
      return DAP_DEVICE_CUDA_MANAGED;
    case Memory::Kind::hip:
    case Memory::Kind::hip_managed:
      return DAP_DEVICE_ROCM;
    case Memory::Kind::hip_host:
      return DAP_DEVICE_ROCM_HOST;
    case Memory::Kind::sycl:
    case Memory::Kind::sycl_host:
    case Memory::Kind::sycl_shared:
      return DAP_DEVICE_ONEAPI;
    case Memory::Kind::nowhere:
      break;
  }
  return 0;
}

namespace {

// The C object and everything that it points at. Its members do not move once it is filled.
struct Exported {
  dap_array c = {};
  DistArray array;
  std::string format;
  std::vector<std::string> index_formats;
  std::vector<dap_dimension> dims;
  std::vector<std::vector<dap_extra>> extras;
};

extern "C" {
static void delete_exported(dap_array* self) { delete static_cast<Exported*>(self->manager_ctx); }
}

dap_text text_of(const std::string& text) { return {text.data(), static_cast<std::int64_t>(text.size())}; }

class Writer {
 public:
  explicit Writer(Exported& to) : to_(to) {}

  void write(bool copied) {
    dap_array& c = to_.c;
    c.major = DAP_MAJOR;
    c.minor = to_.array.buffer.type.kind == ElementType::Kind::bfloat ? 1 : 0;  // the lowest that has all of it
    c.manager_ctx = &to_;
    c.deleter = delete_exported;
    if (to_.array.buffer.read_only) c.flags |= DAP_FLAG_READ_ONLY;
    if (copied) c.flags |= DAP_FLAG_COPIED;
    c.protocol_version = text(to_.array.version, DAP_MAX_NAME, "__version__");
    write(c.buffer);
    const auto count = limited(to_.array.dim_data.size(), "dim_data");
    to_.index_formats.resize(count);
    to_.extras.resize(count);
    to_.dims.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      axis_ = static_cast<Index>(i);
      write(to_.array.dim_data[i], to_.dims[i]);
    }
    c.dim_data = to_.dims.data();
    c.dim_count = static_cast<std::int64_t>(count);
    throw_if_wrong(report_);
  }

 private:
  void write(dap_buffer& c) {
    const Buffer& buffer = to_.array.buffer;
    c.data = buffer.data;
    c.ndim = static_cast<std::int64_t>(limited(buffer.shape.size(), "buffer.shape"));
    c.shape = buffer.shape.data();
    c.strides = buffer.strides.data();
    c.format = format(buffer.type, "buffer", to_.format);
    c.device = device(buffer.memory, "buffer");
    report_.merge(check(buffer));
  }

  void write(const Dimension& dimension, dap_dimension& c) {
    c.dist_type = dimension.dist_type();
    c.periodic = dimension.periodic;
    c.size = dimension.size;
    c.proc_grid_size = dimension.proc_grid_size;
    c.proc_grid_rank = dimension.proc_grid_rank;
    std::visit([&](const auto& kind) { write(kind, c); }, dimension.dist);
    const Index before = report_.errors();
    std::vector<dap_extra>& extras = to_.extras[static_cast<std::size_t>(*axis_)];
    extras.resize(limited(dimension.extras.size(), "extras"));
    for (std::size_t i = 0; i < extras.size(); ++i) {
      extras[i].key = text(dimension.extras[i].key, DAP_MAX_NAME, "extras");
      extras[i].json = text(dimension.extras[i].value, DAP_MAX_JSON, "extras");
    }
    c.extras = extras.data();
    c.extra_count = static_cast<std::int64_t>(extras.size());
    if (report_.errors() == before) check_extras_for_c(dimension.extras, *axis_, report_);
  }

  void write(const Block& block, dap_dimension& c) {
    c.start = block.start;
    c.stop = block.stop;
    c.has_padding = block.padding.has_value();
    if (!block.padding) return;
    c.padding[0] = (*block.padding)[0];
    c.padding[1] = (*block.padding)[1];
  }

  void write(const Cyclic& cyclic, dap_dimension& c) {
    c.start = cyclic.start;
    c.block_size = cyclic.block_size;
  }

  void write(const Unstructured& unstructured, dap_dimension& c) {
    c.one_to_one = unstructured.one_to_one;
    const Buffer& indices = unstructured.indices.buffer;
    if (indices.ndim() != 1 || indices.strides.size() != 1)
      return add_fault("indices", "a " + std::to_string(indices.ndim()) + "-d buffer", "must be one-dimensional");
    c.indices.data = indices.data;
    c.indices.count = indices.shape[0];
    c.indices.stride = indices.strides[0];
    c.indices.format = format(indices.type, "indices", to_.index_formats[static_cast<std::size_t>(*axis_)]);
    c.indices.device = device(indices.memory, "indices");
    check_indices_for_c(indices, *axis_, report_);
  }

  std::size_t limited(std::size_t count, const char* key) {
    if (count <= DAP_MAX_COUNT) return count;
    add_fault(key, "a list of " + std::to_string(count),
              "but the length must be at most " + std::to_string(DAP_MAX_COUNT));
    return 0;
  }

  dap_text text(const std::string& text, std::size_t limit, const char* key) {
    if (text.size() > limit)
      add_fault(key, "a text of " + std::to_string(text.size()) + " bytes", "must be at most " + std::to_string(limit));
    else if (!is_utf8(text))
      add_fault(key, "not UTF-8", "but must be");
    return text_of(text);
  }

  dap_text format(const ElementType& type, const char* key, std::string& kept) {
    const std::optional<std::string> format = element_format(type);
    if (!format) add_fault(std::string(key) + ".type", type.name(), "must be a type that has a PEP 3118 format");
    kept = format.value_or("");
    return text_of(kept);
  }

  dap_device device(const Memory& memory, const char* key) {
    dap_device c = {};
    c.type = device_type(memory.kind);
    c.id = static_cast<std::int32_t>(memory.device);
    if (memory.device != c.id || memory_of(c.type, c.id) == std::nullopt)
      add_fault(
          std::string(key) + ".memory", memory.name() + " " + std::to_string(memory.device),
          "must be a device of tridap/dap.h with an id of at least 0 and less than 2^31; for the host the id is 0");
    return c;
  }

  void add_fault(std::string key, std::string value, std::string must) {
    report_.add(c_finding(axis_, std::move(key), std::move(value), std::move(must)));
  }

  Exported& to_;
  std::optional<Index> axis_;
  Report report_;
};

}  // namespace

CArray to_c(DistArray array, bool copied) {
  auto exported = std::make_unique<Exported>();
  exported->array = std::move(array);
  Writer(*exported).write(copied);
  return CArray(&exported.release()->c);
}

}  // namespace tridap
