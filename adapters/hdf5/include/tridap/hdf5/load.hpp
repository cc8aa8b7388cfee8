#pragma once

#include <tridap/check.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>
#include <tridap/hdf5/stored.hpp>
#include <tridap/receipt.hpp>

#include <mpi.h>

#include <functional>
#include <optional>
#include <string>

namespace tridap::hdf5 {

/// Which part of a file load() reads, and how.
struct LoadOptions {
  std::optional<Index> step = {};  ///< of an array that was saved step by step; absent: the last one
  /// Is called on rank 0 during the transfer, with the fraction that is done.
  std::function<void(double)> progress = {};
  bool bfloat16 = false;  ///< load() gives numbers of bfloat16 as they are; false: as float32
  /// If load() uses the distribution with which the array was saved, and an axis has more indices in lists than this,
  /// each process reads its own list, as Reading::most_listed describes. That of rank 0 counts.
  Index most_listed = Reading::default_most_listed();
};

/// Reads an array of a file into a new array, with default_distribution() or another one of the same shape. The memory
/// is row-major, and communication padding is filled. Any plain HDF5 file can be read; the elements are of the
/// memory_type() of the stored type. **Collective** over `comm`, with the same arguments on every process: throws the
/// same Error on every process or on none.
DistArray load(const std::string& path, const std::string& name, MPI_Comm comm,
               const std::optional<Distribution>& distribution = {}, const LoadOptions& options = {});

/// The same, into memory that exists: `buffer` is this process's part of an array with this distribution, in any memory
/// order. `stored` is what find() has found. The element type must be element_type() of the stored type, byte order
/// included; or bfloat16, if the stored numbers are that.
Receipt load_into(const Buffer& buffer, const std::string& path, const Stored& stored, const Distribution& distribution,
                  MPI_Comm comm, const LoadOptions& options = {});

}  // namespace tridap::hdf5
