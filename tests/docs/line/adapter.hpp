#pragma once

#include "line/line.hpp"
#include <tridap/dist_array.hpp>
#include <tridap/receipt.hpp>

#include <mpi.h>

#include <memory>

/// Lines as arrays, and arrays as lines.
namespace tridap::lines {

struct ExportedArray {
  DistArray array;
  Receipt receipt;
};

struct ImportedLine {
  line::Line line;
  std::shared_ptr<void> owner;  ///< keeps the numbers alive
  Receipt receipt;
};

/// A line as an array of one axis, in blocks, over the line's memory. The array keeps `line` alive. **Collective**:
/// throws the same Error on every process or on none.
ExportedArray export_array(std::shared_ptr<line::Line> line, MPI_Comm comm);

/// An array of one axis in blocks of double as a line over the array's memory. Strided elements need a copy, which
/// `copy` must allow. **Collective**: throws the same Error on every process or on none.
ImportedLine import_array(const DistArray& array, MPI_Comm comm, Copy copy = Copy::never);

}  // namespace tridap::lines
