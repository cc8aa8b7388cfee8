#pragma once

#include <tridap/buffer.hpp>

#include <string>
#include <variant>
#include <vector>

namespace tridap::hdf5 {

/// A named value beside the arrays of a file: a text in UTF-8, or numbers. A buffer without axes is one number.
///
///     Attribute{"title", "temperature"}, Attribute{"time", row_major(&time, {})}
struct Attribute {
  std::string name;
  std::variant<std::string, Buffer> value;
};

/// The attributes of a file, or of a dataset or group in it. The values own their memory, and are of the memory_type()
/// of the stored type. An attribute that is neither a text nor numbers is left out. Local. Throws Error if the file
/// cannot be read, or has no such object, or numbers that no type of this machine holds.
std::vector<Attribute> read_attributes(const std::string& path, const std::string& name = "/");

}  // namespace tridap::hdf5
