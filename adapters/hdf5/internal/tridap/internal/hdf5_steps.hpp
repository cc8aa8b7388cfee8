#pragma once

#include <tridap/hdf5/load.hpp>
#include <tridap/hdf5/save.hpp>

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

namespace tridap::hdf5 {

// The steps of save() and load(), for Python, which agrees on what they check in steps of its own.

/// Checks what save() is given, and returns the type of the elements of each array. Local, on every process.
std::vector<Datatype> check_to_save(const std::vector<Named>& arrays, MPI_Comm comm, const SaveOptions& options);
/// Saves arrays after check_to_save() has succeeded on all processes. **Collective** as save().
Receipt save_checked(const std::string& path, const std::vector<Named>& arrays, const std::vector<Datatype>& types,
                     MPI_Comm comm, const SaveOptions& options);

/// What a Search reads. That of rank 0 counts.
struct SearchOptions {
  bool stepped = false;                                        ///< as for find()
  bool with_distribution = true;                               ///< false: the array is loaded with another one
  bool with_indices = true;                                    ///< false: Stored::indices of long lists are not needed
  Index most_listed = tridap::Reading::default_most_listed();  ///< as for find()
  bool is_other = false;  ///< the path is that of files of another kind: nothing is read
};

/// What a file says of a dataset, on all processes: rank 0 has read it. Of long lists, each process has read its own.
class Search {
 public:
  /// **Collective**: one message, unless the file says much. Throws the same Error on every process or on none.
  Search(const std::string& path, const std::string& name, MPI_Comm comm, const SearchOptions& options);

  bool has_read() const { return !all_.empty(); }
  /// The whole path of the file, by the folder of rank 0.
  std::string file() const;
  /// What the file says. Local, on every process.
  Stored understood() const;

 private:
  std::string all_;                                    // as it was sent
  std::optional<Distribution> spread_;                 // with long lists, in the directory form
  std::vector<std::optional<StoredIndices>> indices_;  // of long lists that are not read otherwise
};

/// How an array is read.
struct Reading {
  std::optional<Index> step;
  Datatype type;  ///< of the elements in memory
};

/// Checks what load_into() is given. Local, on every process.
Reading check_to_load(const Buffer& buffer, const Stored& stored, const Distribution& distribution, MPI_Comm comm,
                      const LoadOptions& options);
/// Reads a file of this whole path after check_to_load() has succeeded on all processes, which have agreed that the
/// distribution is the same. **Collective** as load_into().
Receipt load_checked(const Buffer& buffer, const std::string& file, const Stored& stored,
                     const Distribution& distribution, MPI_Comm comm, const Reading& reading,
                     const LoadOptions& options);

}  // namespace tridap::hdf5
