#pragma once

#include <tridap/hdf5/datatype.hpp>

#include <pybind11/numpy.h>

namespace tridap::python {

namespace py = pybind11;

/// The type in which the elements of an array are stored, as h5py stores them: records are compounds, texts of bytes
/// are strings of fixed length, dates and texts of Unicode are opaque, with NumPy's name of the type in the tag. Throws
/// Error if HDF5 has no such type.
hdf5::Datatype datatype_of(const py::array& array);

/// NumPy's type for elements of a file, in memory. Lists are records with one field "values". It never has Python
/// objects: their addresses would be the file's. Throws Error if the file has no such type.
py::dtype dtype_of(const hdf5::Datatype& type);

}  // namespace tridap::python
