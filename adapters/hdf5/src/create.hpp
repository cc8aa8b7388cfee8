#pragma once

#include "layout.hpp"
#include <tridap/distribution.hpp>
#include <tridap/hdf5/save.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::hdf5 {

/// A dataset to make.
struct Plan {
  std::string name;
  std::vector<Index> shape;  ///< without the steps
  Datatype type;
  Distribution distribution;
  Layout layout;                           ///< of the distribution
  bool chunked = false, filtered = false;  ///< results: it is stored in chunks, and compressed
};

/// Makes a file with its datasets and attributes, and allocates all their bytes. If `options.step` is given, the file
/// may exist, and its datasets get room for the step. Local, on rank 0 alone: no other process has the file open.
void create(const std::string& path, bool exists, std::vector<Plan>& plans, const SaveOptions& options);

/// Copies a file to another one that exists, as a shared copy where the file system can do that. Local.
void copy_file(const std::string& from, const std::string& to);

}  // namespace tridap::hdf5

#pragma GCC visibility pop
