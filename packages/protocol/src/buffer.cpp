#include <tridap/buffer.hpp>
#include <tridap/report.hpp>

#include <algorithm>

namespace tridap {

namespace {

bool little_endian() {
  const std::uint16_t probe = 1;
  return *reinterpret_cast<const unsigned char*>(&probe) == 1;
}

// True if NumPy has a type of this kind and length in bytes. Opaque elements may have any length.
bool has_length(ElementType::Kind kind, Index bytes) {
  using Kind = ElementType::Kind;
  const auto one_of = [bytes](std::initializer_list<Index> all) {
    return std::find(all.begin(), all.end(), bytes) != all.end();
  };
  switch (kind) {
    case Kind::boolean:
      return bytes == 1;
    case Kind::floating:
      return one_of({2, 4, 8, 12, 16});
    case Kind::complex:
      return one_of({8, 16, 24, 32});
    case Kind::opaque:
      return bytes >= 1;
    case Kind::bfloat:
      return bytes == 2;
    default:
      return one_of({1, 2, 4, 8});
  }
}

// The number of a text of at most 9 digits; nullopt for any other text.
std::optional<Index> small_number(const std::string& digits) {
  if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return std::stol(digits);
}

}  // namespace

std::string ElementType::name() const {
  if (kind == Kind::boolean && bytes == 1) return "bool";
  const std::string swapped = native_order ? "" : little_endian() ? ">" : "<";
  if (kind == Kind::bfloat) return swapped + "bfloat" + std::to_string(8 * bytes);
  const char* stems[] = {"bool", "int", "uint", "float", "complex", "void"};
  const char codes[] = {'b', 'i', 'u', 'f', 'c', 'V'};
  const auto which = static_cast<std::size_t>(kind);
  if (kind != Kind::opaque && !native_order) return swapped + codes[which] + std::to_string(bytes);
  return stems[which] + std::to_string(8 * bytes);
}

std::string ElementType::text() const { return description.empty() ? name() : name() + " (" + description + ")"; }

Index ElementType::description_number() const {
  if (description.empty()) return 0;
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : description) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return 1 + static_cast<Index>((hash ^ (hash >> 32)) % 0x7fffffffU);
}

std::optional<ElementType> element_type(const std::string& name) {
  using Kind = ElementType::Kind;
  if (name == "bool") return ElementType{Kind::boolean, 1, true};
  const std::pair<const char*, Kind> stems[] = {{"int", Kind::signed_integer},
                                                {"uint", Kind::unsigned_integer},
                                                {"float", Kind::floating},
                                                {"complex", Kind::complex},
                                                {"void", Kind::opaque}};
  for (const auto& [stem, kind] : stems) {
    const std::string start = stem;
    if (name.compare(0, start.size(), start) != 0) continue;
    const auto bits = small_number(name.substr(start.size()));
    if (bits && *bits % 8 == 0 && has_length(kind, *bits / 8)) return ElementType{kind, *bits / 8, true};
  }
  const bool ordered = !name.empty() && std::string("<>=|").find(name[0]) != std::string::npos;
  const std::string code = ordered ? name.substr(1) : name;
  const char order = ordered ? name[0] : '=';
  if (code == "bfloat16" && order != '|')
    return ElementType{Kind::bfloat, 2, order == '=' || (order == '<') == little_endian()};
  const std::string codes = "biufcV";
  const Kind kinds[] = {Kind::boolean,  Kind::signed_integer, Kind::unsigned_integer,
                        Kind::floating, Kind::complex,        Kind::opaque};
  const std::size_t which = code.empty() ? std::string::npos : codes.find(code[0]);
  const auto bytes = code.empty() ? std::nullopt : small_number(code.substr(1));
  if (which == std::string::npos || !bytes || !has_length(kinds[which], *bytes)) return std::nullopt;
  const bool orderless = *bytes == 1 || kinds[which] == Kind::opaque;
  if (order == '|' && !orderless) return std::nullopt;
  const bool native = orderless || order == '=' || (order == '<') == little_endian();
  return ElementType{kinds[which], *bytes, native};
}

bool Memory::is_on_host() const {
  return kind == Kind::host || kind == Kind::cuda_host || kind == Kind::hip_host || kind == Kind::sycl_host;
}

std::string Memory::name() const {
  const char* names[] = {"host",        "cuda", "cuda_host", "cuda_managed", "hip",    "hip_host",
                         "hip_managed", "sycl", "sycl_host", "sycl_shared",  "nowhere"};
  const std::string stem = names[static_cast<std::size_t>(kind)];
  return is_on_host() || kind == Kind::nowhere ? stem : stem + ":" + std::to_string(device);
}

namespace {

// The strides of a contiguous array whose axes from the innermost outwards are `axis(k)`. The strides of an array
// without elements are not used, so one that does not fit 64 bits is not an error.
template <class Axis>
IndexList dense_strides(const IndexList& shape, Index element_bytes, Axis axis) {
  IndexList strides(shape.size());
  Index stride = element_bytes;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    strides[axis(k)] = stride;
    stride = checked_multiply(stride, std::max<Index>(shape[axis(k)], 1)).value_or(stride);
  }
  return strides;
}

}  // namespace

IndexList row_major_strides(const IndexList& shape, Index element_bytes) {
  return dense_strides(shape, element_bytes, [&](std::size_t k) { return shape.size() - 1 - k; });
}

IndexList column_major_strides(const IndexList& shape, Index element_bytes) {
  return dense_strides(shape, element_bytes, [](std::size_t k) { return k; });
}

Buffer allocate(ElementType type, const IndexList& shape) {
  std::optional<Index> bytes = checked_product(shape);
  if (bytes) bytes = checked_multiply(*bytes, type.bytes);
  const bool extents = std::all_of(shape.begin(), shape.end(), [](Index extent) { return extent >= 0; });
  if (!bytes || !extents)
    throw Error(Finding{
        Rule::buffer_layout, {}, {}, "", "an extent is negative, or the size in bytes does not fit 64 bits", "", ""});
  const std::shared_ptr<std::byte[]> memory(new std::byte[static_cast<std::size_t>(*bytes)]());
  Buffer buffer;
  buffer.data = memory.get();
  buffer.type = type;
  buffer.shape = shape;
  buffer.strides = row_major_strides(shape, type.bytes);
  buffer.owner = std::shared_ptr<void>(memory, memory.get());
  return buffer;
}

Index element_count(const Buffer& buffer) { return *checked_product(buffer.shape); }

Buffer sub_buffer(const Buffer& buffer, const std::vector<Range>& box) {
  Buffer part = buffer;
  for (std::size_t axis = 0; axis < box.size(); ++axis) part.shape[axis] = box[axis].size();
  if (element_count(part) == 0) return part;
  auto* data = static_cast<std::byte*>(buffer.data);
  for (std::size_t axis = 0; axis < box.size(); ++axis)
    if (box[axis].begin > 0) data += box[axis].begin * buffer.strides[axis];
  part.data = data;
  return part;
}

bool is_row_major(const Buffer& buffer) {
  const IndexList dense = row_major_strides(buffer.shape, buffer.type.bytes);
  bool same = true;
  for (std::size_t axis = 0; axis < dense.size(); ++axis)
    same = same && (buffer.shape[axis] <= 1 || buffer.strides[axis] == dense[axis]);
  return same || element_count(buffer) == 0;
}

}  // namespace tridap
