#pragma once

#include <tridap/check.hpp>
#include <tridap/distribution.hpp>
#include <tridap/hdf5/datatype.hpp>
#include <tridap/make.hpp>

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

namespace tridap::hdf5 {

/// The different indices of an unstructured axis: how many there are, and a hash of them, which is the same in any
/// order.
struct StoredIndices {
  Index count = 0, digest = 0;
};

/// What a file says about an array in it.
struct Stored {
  std::string name;            ///< of the dataset
  std::vector<Index> shape;    ///< of the whole array, without the axis of the steps
  std::optional<Index> steps;  ///< the number of steps, if the array was saved step by step
  /// The steps that were saved, in ascending order; nullopt: all, since the file has no record of them.
  std::optional<std::vector<Range>> saved_steps = {};
  bool chunked = false;         ///< the dataset is stored in chunks
  bool in_other_files = false;  ///< a virtual dataset, or one with external files: each process opens the file alone
  Datatype type;                ///< of the elements in the file; memory_type() is that of the elements of an array
  /// With which it was saved; nullopt: the file does not say, or has lists that are too long for find().
  std::optional<Distribution> distribution;
  /// The kinds of its axes for any number of processes, as default_distribution() uses them: blocks in place of lists.
  std::vector<AxisSpec> specs = {};
  /// By axis: of lists with an index that is negative, or not below the size. Only lists of the same indices can be
  /// loaded from it; nullopt: another axis. Empty: there is none.
  std::vector<std::optional<StoredIndices>> indices = {};
};

/// Finds an array in a file. An empty name stands for the only dataset of the file. A dataset that another program
/// wrote has steps if its first axis is unlimited and `stepped` is true. **Collective**, with the same arguments on
/// every process: throws the same Error on every process or on none, for example if the file has no such dataset.
///
/// Rank 0 reads the file, but lists of more than `most_listed` indices: of those, each process reads its own if there
/// are as many processes as have saved the array, and the distribution is in the directory form (see
/// Reading::most_listed). Else the result has no distribution.
Stored find(const std::string& path, const std::string& name, MPI_Comm comm, bool stepped = false,
            Index most_listed = Reading::default_most_listed());

/// The distribution that load() uses over a number of processes if none is given. That with which the array was saved,
/// if it is for as many processes. Else one of the same kind: blocks with the same padding, cyclic axes with the same
/// block_size, axes that were not distributed as they were. If the file does not say, or if there is none, all axes are
/// in blocks. Throws Error if `processes` cannot be divided over the axes.
Distribution default_distribution(const Stored& stored, Index processes);

/// The names of the datasets of a file, with those of their groups: "fields/temperature". Local.
std::vector<std::string> dataset_names(const std::string& path);

}  // namespace tridap::hdf5
