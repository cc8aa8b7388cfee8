#pragma once

#include <tridap/buffer.hpp>
#include <tridap/distribution.hpp>
#include <tridap/flat_numbers.hpp>
#include <tridap/hdf5/datatype.hpp>

#include <mpi.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::hdf5 {

enum class Direction { write, read };

/// One array on its way between this process's memory and a dataset.
struct Task {
  std::string name;  ///< of the dataset
  Buffer buffer;
  Distribution distribution;
  Datatype type;
  std::optional<Index> step;    ///< the dataset has a leading axis of steps
  bool chunked = false;         ///< the dataset is stored in chunks
  bool in_other_files = false;  ///< see Stored
  /// What this process transfers of a dataset with one axis, in place of its part of the distribution.
  std::optional<Range> range = {};
  PositionsOfAxes positions = {};  ///< of lists that stay on their processes; see known_positions()
};

/// Writes the owned elements of each array to its dataset, or reads all elements of each buffer. `path` is the whole
/// path of the file, the same on every process. The datasets must have the right shapes. **Collective** over `comm`:
/// throws the same Error on every process or on none, and makes all calls of HDF5 on every process, whatever fails.
void transfer(const std::string& path, Direction direction, const std::vector<Task>& tasks, MPI_Comm comm,
              const std::function<void(double)>& progress);

}  // namespace tridap::hdf5

#pragma GCC visibility pop
