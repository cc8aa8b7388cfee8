#include <tridap/c/objects.hpp>
#include <tridap/hdf5/attribute.hpp>
#include <tridap/memory_order.hpp>

#include <string>
#include <variant>

using namespace tridap;
using namespace tridap::c;

namespace {

hdf5::Attribute attribute_in(const char* path, const char* object, const char* name) {
  need(name, "name");
  for (hdf5::Attribute& found : hdf5::read_attributes(need(path, "path"), need(object, "object")))
    if (found.name == name) return std::move(found);
  refuse("'" + std::string(object) + "' has no attribute '" + name + "'", "must have one, of text or numbers",
         "pass the name of one that was saved");
}

template <class T>
void convert(const Buffer& from, double* numbers, Index size) {
  for (Index i = 0; i < size; ++i) numbers[i] = static_cast<double>(static_cast<const T*>(from.data)[i]);
}

void convert_numbers(const Buffer& from, double* numbers, Index size) {
  switch (number_of(from.type)) {
    case TRIDAP_BOOL:
    case TRIDAP_UINT8:
      return convert<std::uint8_t>(from, numbers, size);
    case TRIDAP_INT8:
      return convert<std::int8_t>(from, numbers, size);
    case TRIDAP_INT16:
      return convert<std::int16_t>(from, numbers, size);
    case TRIDAP_UINT16:
      return convert<std::uint16_t>(from, numbers, size);
    case TRIDAP_INT32:
      return convert<std::int32_t>(from, numbers, size);
    case TRIDAP_UINT32:
      return convert<std::uint32_t>(from, numbers, size);
    case TRIDAP_INT64:
      return convert<std::int64_t>(from, numbers, size);
    case TRIDAP_UINT64:
      return convert<std::uint64_t>(from, numbers, size);
    case TRIDAP_FLOAT32:
      return convert<float>(from, numbers, size);
    case TRIDAP_FLOAT64:
      return convert<double>(from, numbers, size);
    default:
      refuse("the attribute has elements of " + from.type.text(), "must be real numbers of this machine",
             "read it by HDF5's own functions");
  }
}

}  // namespace

int tridap_attribute_text(const char* path, const char* object, const char* name, char* text, size_t size,
                          size_t* length) {
  return locally([&] {
    const hdf5::Attribute found = attribute_in(path, object, name);
    const auto* const value = std::get_if<std::string>(&found.value);
    if (value == nullptr)
      refuse("the attribute '" + found.name + "' has numbers", "must be a text", "call tridap_attribute_numbers");
    write_text(*value, text, size, length);
  });
}

int tridap_attribute_numbers(const char* path, const char* object, const char* name, double* numbers, int64_t size,
                             int64_t* count) {
  return locally([&] {
    const hdf5::Attribute found = attribute_in(path, object, name);
    const auto* const value = std::get_if<Buffer>(&found.value);
    if (value == nullptr)
      refuse("the attribute '" + found.name + "' is a text", "must be numbers", "call tridap_attribute_text");
    const Index all = element_count(*value);
    if (count != nullptr) *count = all;
    const Index some = std::min<Index>(all, std::max<std::int64_t>(size, 0));
    if (some > 0) convert_numbers(*value, need(numbers, "numbers"), some);
  });
}
