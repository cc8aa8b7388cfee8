#include "attributes.hpp"

#include "file.hpp"
#include "memory_type.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/hdf5/datatype.hpp>
#include <tridap/internal/state.hpp>
#include <tridap/text.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace tridap::hdf5 {

namespace {

Handle text_type() {
  Handle type = made("H5Tcopy", &H5Tclose, [] { return H5Tcopy(H5T_C_S1); });
  call("H5Tset_size", [&] { return H5Tset_size(type, H5T_VARIABLE); });
  call("H5Tset_cset", [&] { return H5Tset_cset(type, H5T_CSET_UTF8); });
  return type;
}

// `here`: the type of the value in memory, if it is another one.
void write(hid_t object, const std::string& name, hid_t type, hid_t space, const void* value,
           hid_t here = H5I_INVALID_HID) {
  const QuietErrors errors;
  if (H5Aexists(object, name.c_str()) > 0) call("H5Adelete", [&] { return H5Adelete(object, name.c_str()); });
  const Handle attribute = made(
      "H5Acreate", &H5Aclose, [&] { return H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT); });
  call("H5Awrite", [&] { return H5Awrite(attribute, here < 0 ? type : here, value); });
}

Handle open_attribute(hid_t object, const std::string& name) {
  return made("H5Aopen", &H5Aclose, [&] { return H5Aopen(object, name.c_str(), H5P_DEFAULT); });
}

bool is_one_text(hid_t attribute) {
  const Handle type(H5Aget_type(attribute), &H5Tclose), space(H5Aget_space(attribute), &H5Sclose);
  return H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1;
}

std::string text_of(hid_t attribute) {
  const Handle type = made("H5Aget_type", &H5Tclose, [&] { return H5Aget_type(attribute); });
  if (H5Tis_variable_str(type) > 0) {
    char* read = nullptr;
    call("H5Aread", [&] { return H5Aread(attribute, type, &read); });
    std::string text(read == nullptr ? "" : read);
    H5free_memory(read);
    return text;
  }
  std::string text(H5Tget_size(type), '\0');
  call("H5Aread", [&] { return H5Aread(attribute, type, text.data()); });
  text.resize(text.find('\0') == std::string::npos ? text.size() : text.find('\0'));
  return text;
}

// A text, or what an array of elements can have.
bool has_a_value(hid_t attribute) {
  const QuietErrors errors;
  const Handle type(H5Aget_type(attribute), &H5Tclose), space(H5Aget_space(attribute), &H5Sclose);
  return is_one_text(attribute) || (has_one_length(type) && H5Sget_simple_extent_type(space) != H5S_NULL);
}

Buffer numbers_of(hid_t attribute, const std::string& name) {
  const Datatype stored(call("H5Aget_type", [&] { return H5Aget_type(attribute); }));
  const Datatype type = memory_type(stored, "the attribute '" + clean(name) + "'");
  const Handle space = made("H5Aget_space", &H5Sclose, [&] { return H5Aget_space(attribute); });
  const int ndim = call("H5Sget_simple_extent_ndims", [&] { return H5Sget_simple_extent_ndims(space); });
  std::vector<hsize_t> extents(static_cast<std::size_t>(ndim));
  call("H5Sget_simple_extent_dims", [&] { return H5Sget_simple_extent_dims(space, extents.data(), nullptr); });
  IndexList shape;
  for (const hsize_t extent : extents) shape.push_back(static_cast<Index>(extent));
  Buffer buffer = allocate(element_type(type), shape);
  if (element_count(buffer) > 0) call("H5Aread", [&] { return H5Aread(attribute, type.id(), buffer.data); });
  return buffer;
}

herr_t add_name(hid_t, const char* name, const H5A_info_t*, void* names) {
  try {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  } catch (...) {  // no exception may pass through HDF5's C functions
    return -1;
  }
  return 0;
}

}  // namespace

void write_number_lists(hid_t object, const std::string& name, const std::vector<std::vector<Index>>& lists) {
  if (std::all_of(lists.begin(), lists.end(), [](const auto& list) { return list.empty(); })) {
    if (has_attribute(object, name)) call("H5Adelete", [&] { return H5Adelete(object, name.c_str()); });
    return;
  }
  std::vector<hvl_t> pieces;
  for (const auto& list : lists) pieces.push_back({list.size(), const_cast<Index*>(list.data())});
  const Handle type = made("H5Tvlen_create", &H5Tclose, [] { return H5Tvlen_create(H5T_STD_I64LE); });
  const auto count = static_cast<hsize_t>(lists.size());
  const Handle space = made("H5Screate_simple", &H5Sclose, [&] { return H5Screate_simple(1, &count, nullptr); });
  const Handle here = made("H5Tvlen_create", &H5Tclose, [] { return H5Tvlen_create(H5T_NATIVE_INT64); });
  write(object, name, type, space, pieces.data(), here);
}

std::vector<std::vector<Index>> read_number_lists(hid_t object, const std::string& name, std::size_t axes) {
  std::vector<std::vector<Index>> lists(axes);
  if (!has_attribute(object, name)) return lists;
  const Handle attribute = open_attribute(object, name);
  const Handle type = made("H5Aget_type", &H5Tclose, [&] { return H5Aget_type(attribute); });
  const Handle space = made("H5Aget_space", &H5Sclose, [&] { return H5Aget_space(attribute); });
  const bool varies = H5Tget_class(type) == H5T_VLEN;
  const Handle each = varies ? made("H5Tget_super", &H5Tclose, [&] { return H5Tget_super(type); }) : Handle();
  if (!varies || H5Tget_class(each) != H5T_INTEGER ||
      H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(axes))
    refuse("the attribute '" + name + "' is not a list of integers for each of " + std::to_string(axes) + " axes", "",
           "save the array again, or remove the attribute 'dim_data'");
  const Handle here = made("H5Tvlen_create", &H5Tclose, [] { return H5Tvlen_create(H5T_NATIVE_INT64); });
  std::vector<hvl_t> pieces(axes);
  call("H5Aread", [&] { return H5Aread(attribute, here, pieces.data()); });
  struct Reclaim {  // the memory that HDF5 has allocated
    hid_t type, space;
    void* pieces;
    ~Reclaim() { H5Dvlen_reclaim(type, space, H5P_DEFAULT, pieces); }
  } const reclaim{here, space, pieces.data()};
  for (std::size_t i = 0; i < axes; ++i) {
    const auto* const begin = static_cast<const Index*>(pieces[i].p);
    if (pieces[i].len > 0) lists[i].assign(begin, begin + pieces[i].len);
  }
  return lists;
}

std::vector<double> read_numbers(hid_t object, const std::string& name) {
  if (!has_attribute(object, name)) return {};
  const Handle attribute = open_attribute(object, name);
  const Handle type = made("H5Aget_type", &H5Tclose, [&] { return H5Aget_type(attribute); });
  const Handle space = made("H5Aget_space", &H5Sclose, [&] { return H5Aget_space(attribute); });
  if (H5Tget_class(type) != H5T_FLOAT || H5Sget_simple_extent_npoints(space) <= 0) return {};
  std::vector<double> numbers(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  call("H5Aread", [&] { return H5Aread(attribute, H5T_NATIVE_DOUBLE, numbers.data()); });
  return numbers;
}

bool has_attribute(hid_t object, const std::string& name) {
  const QuietErrors errors;
  return H5Aexists(object, name.c_str()) > 0;
}

std::string read_text(hid_t object, const std::string& name) {
  const Handle attribute = open_attribute(object, name);
  if (!is_one_text(attribute)) refuse("the attribute '" + name + "' is not a text", "", "save the array again");
  return text_of(attribute);
}

void write_text(hid_t object, const std::string& name, const std::string& text) {
  if (text.find('\0') != std::string::npos)
    refuse("the attribute '" + name + "' contains a zero byte", "", "give it as a buffer of bytes");
  const Handle type = text_type(), space = made("H5Screate", &H5Sclose, [] { return H5Screate(H5S_SCALAR); });
  const char* const characters = text.c_str();
  write(object, name, type, space, &characters);
}

void write_attribute(hid_t object, const Attribute& attribute) {
  if (attribute.name.empty() || attribute.name.find('\0') != std::string::npos)
    refuse("an attribute has no name, or one with a zero byte", "", "give it another name");
  if (const auto* text = std::get_if<std::string>(&attribute.value)) return write_text(object, attribute.name, *text);
  const Buffer& numbers = std::get<Buffer>(attribute.value);
  std::vector<hsize_t> extents(numbers.shape.begin(), numbers.shape.end());
  const Handle space = extents.empty()
                           ? made("H5Screate", &H5Sclose, [] { return H5Screate(H5S_SCALAR); })
                           : made("H5Screate_simple", &H5Sclose, [&] {
                               return H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
                             });
  const Buffer packed = allocate(numbers.type, numbers.shape);
  pack(numbers, packed.data);
  write(object, attribute.name, datatype(numbers.type).id(), space, packed.data);
}

std::vector<Attribute> read_attributes(const std::string& path, const std::string& name) {
  const mpi::Inside inside(mpi::Library::hdf5);
  const Handle file = open_alone(path);
  const Handle object = open_object(file, name.empty() ? "/" : name);
  std::vector<std::string> names;
  hsize_t begin = 0;
  call("H5Aiterate", [&] { return H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &begin, add_name, &names); });
  std::vector<Attribute> found;
  for (const std::string& each : names) {
    const Handle attribute = open_attribute(object, each);
    if (!has_a_value(attribute)) continue;
    if (is_one_text(attribute))
      found.push_back({each, text_of(attribute)});
    else
      found.push_back({each, numbers_of(attribute, each)});
  }
  return found;
}

}  // namespace tridap::hdf5
