#pragma once

#include "call.hpp"

#include <mpi.h>

#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::hdf5 {

/// Opens a file of HDF5 on this process alone, to read it. Throws Error with the reason if that is not possible.
Handle open_alone(const std::string& path);
/// Opens an object of a file: a dataset or a group.
Handle open_object(hid_t file, const std::string& name);
Handle open_dataset(hid_t file, const std::string& name);

/// Throws Error if this process cannot open a file to read, or to write, it.
void need_access(const std::string& path, bool write);
/// Throws Error if this process can open only a few more files. Where one process can open no more, MPI_File_open of
/// Open MPI waits for ever on all.
void need_descriptors();
/// Opens a file on all processes of a communicator, which may all access it. With `same`, all processes make the same
/// calls, and one of them reads and writes what HDF5 says of the datasets. **Collective**, as H5Fopen: throws Error on
/// this process alone.
Handle open_together(const std::string& path, bool write, bool same, MPI_Comm of_hdf5);

/// Whether a dataset with these properties is virtual, or has external files.
bool is_in_other_files(hid_t creation_list);

/// The text of a string attribute; nullopt if the object has none of this name.
bool has_attribute(hid_t object, const std::string& name);
std::string read_text(hid_t object, const std::string& name);
void write_text(hid_t object, const std::string& name, const std::string& text);

/// Throws Error if a name cannot be that of a dataset.
void need_name(const std::string& name);

}  // namespace tridap::hdf5

#pragma GCC visibility pop
