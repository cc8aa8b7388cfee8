#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>
#include <tridap/hdf5/attribute.hpp>
#include <tridap/hdf5/datatype.hpp>
#include <tridap/hdf5/xdmf.hpp>
#include <tridap/receipt.hpp>

#include <mpi.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tridap::hdf5 {

/// An array that save() writes.
struct Named {
  std::string name;  ///< of the dataset; groups before it: "fields/temperature"
  DistArray array;
  /// The array's distribution, where it is known: then the dim_data of the array are not read.
  std::optional<Distribution> distribution = {};
  Datatype type = {};  ///< of the elements; none: datatype() of the buffer's type
};

/// How save() stores arrays.
struct SaveOptions {
  std::vector<Attribute> attributes = {};  ///< of the file
  /// The number of the step that the arrays are, from 0. A dataset has an unlimited axis of the steps before its other
  /// axes, and the attribute `saved_steps` with the ranges of steps that were saved. A file that exists is kept, and
  /// the step is added to it, or replaces the step of the same number.
  std::optional<Index> step = {};
  /// The extents of the chunks in which datasets are stored, one for each axis of the array, without the steps. If
  /// absent, datasets are contiguous, or in chunks of about 4 MiB if they must have chunks.
  std::optional<std::vector<Index>> chunks = {};
  int compression = 0;  ///< level of gzip, 1 to 9, with the bytes shuffled first; 0: not compressed
  /// Is called on rank 0 during the transfer, with the fraction that is done.
  std::function<void(double)> progress = {};
  /// Rank 0 also writes an XDMF file beside the file, as write_xdmf() does for the arrays of this call.
  std::optional<Xdmf> xdmf = {};
  /// Of the step; absent: its number. The attribute `step_times` of the file has the times of all steps, NaN where none
  /// was given. That of rank 0 is used.
  std::optional<double> time = {};
};

/// Saves arrays in a new HDF5 file, each as one dataset of its whole shape, in C order. Every process writes the
/// elements that it owns, from the array's own memory. Communication padding is not written; boundary padding and the
/// mirrors of periodic axes count in the shape, and are. The position of an unstructured index is that of
/// Distribution::slabs(). Memory that is not row-major, and lists that are not ascending, pass through 4 MiB of memory.
/// Attributes of each dataset, and datasets of lists in the group `__dim_data__`, describe the distribution, as the
/// README of the adapter says. If the lists of an array stay on their processes (Reading::most_listed), each process
/// writes its own list.
///
/// The file gets its name when it is complete. If an error occurs, or the processes end, a file that had this name
/// before remains unchanged. With `step` the file is copied first, as a shared copy where the file system can do that.
/// The bytes are allocated before they are written. So a compressed file needs the room of an uncompressed one until it
/// is complete.
///
/// **Collective** over `comm`, whose rank `r` holds process `r` of each array. Names, order and options are the same on
/// every process; the attributes and the progress of rank 0 are used. Throws the same Error on every process or on
/// none.
Receipt save(const std::string& path, const std::vector<Named>& arrays, MPI_Comm comm, const SaveOptions& options = {});

}  // namespace tridap::hdf5
