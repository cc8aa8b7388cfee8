#pragma once

#include "transfer.hpp"
#include <tridap/buffer.hpp>
#include <tridap/hdf5/stored.hpp>
#include <tridap/hdf5/xdmf.hpp>
#include <tridap/index.hpp>
#include <tridap/internal/new_file.hpp>

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::hdf5 {

/// The attribute of a file with the times of all steps.
inline constexpr const char* times_attribute = "step_times";
/// The array with the coordinates of all points, of Xdmf::x_first.
inline constexpr const char* points_name = "__points__";

/// A dataset as an XDMF file shows it.
struct Field {
  std::string name;
  std::vector<Index> shape;  ///< without the axis of the steps
  ElementType type;
  bool has_steps = false;
  std::vector<Range> steps = {};  ///< those that were saved, in ascending order
  Index extent = 0;               ///< of the axis of the steps
};

/// Throws Error if options are wrong whatever the arrays are. Local.
void need_options(const Xdmf& options);
/// What options say, as a text that processes compare.
std::string text_of(const Xdmf& options);

/// The coordinates of all points for Xdmf::x_first, as one array more that is saved. The arrays have one shape. Local:
/// throws the same Error on all processes, if not for want of memory.
Task points_of(const std::vector<Task>& arrays, const Xdmf& options, MPI_Comm comm);

/// What a file says of a dataset, but for its distribution. Local.
Stored read_stored(const std::string& path, const std::string& name);

/// Throws Error if ParaView cannot show an array. Local.
void need_field(const Field& field, const Xdmf& options);

/// The XML for a file of this name. `times` are those of the steps: NaN, and none, stand for the number of a step.
/// Throws Error if the arrays do not fit one another, or the options.
std::string xdmf_text(const std::string& file, const std::vector<Field>& fields, const std::vector<Field>& coordinates,
                      const std::vector<double>& times, const Xdmf& options);

/// Writes the XDMF file beside the HDF5 file `path`, which is called `source` until it is complete. Local: the caller
/// completes the XDMF file.
std::unique_ptr<mpi::NewFile> begin_xdmf(const std::string& path, const std::string& source,
                                         std::vector<std::string> names, const Xdmf& options);

/// Throws Error if a file cannot have the time of such a step. Local.
void need_time(double time, std::optional<Index> step);
/// Sets the time of a step in the attribute of a file; without a time, that of the step saved before is removed. Local.
void write_time(hid_t file, Index step, std::optional<double> time);

}  // namespace tridap::hdf5

#pragma GCC visibility pop
