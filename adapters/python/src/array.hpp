#pragma once

#include "dictionaries.hpp"
#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>
#include <tridap/version.hpp>

#include <memory>
#include <optional>

namespace tridap::python {

/// Throws ProtocolError, with what the object raised as its cause, where the report holds an error. What is no
/// Exception, such as KeyboardInterrupt, is passed on as it is.
void throw_if_wrong(const Report& report, std::optional<py::error_already_set>& raised);

/// `tridap.DistArray`: this process's part of a checked distributed array, and who keeps its memory alive.
class Array {
 public:
  /// From data that was checked.
  Array(DistArray array, py::object local, py::object comm, std::shared_ptr<const Distribution> distribution);
  static Array from(Given given, py::object comm, std::shared_ptr<const Distribution> distribution);

  const DistArray& array() const { return array_; }  ///< of version 0.10 or 0.9, as it came
  Version version() const { return version_; }
  const py::object& local() const { return local_; }  ///< the NumPy array that everything points into
  const py::object& comm() const { return comm_; }    ///< mpi4py's, or None
  const Receipt& receipt() const { return receipt_; }
  /// Throws Error where only this process's part is known.
  const std::shared_ptr<const Distribution>& distribution() const;
  bool is_whole() const { return undistributed_ || distribution_ != nullptr; }
  Index layout() const;  ///< a number that tells layouts apart, without communication; where is_whole()
  Index process() const { return process_; }  ///< its rank in comm

  /// How much larger than this array's own global indices those of distribution() are, by axis: 0.10 counts the mirrors
  /// at the beginning of a periodic axis, and 0.9 does not.
  Indices shift() const;
  /// A global index of this array as distribution() counts; nothing where 0.9 has no such index.
  std::optional<Indices> in_distribution(Indices global) const;
  /// The global index of a local one, as this array counts. Throws Error where distribution() is needed and not known.
  Indices global_index(const Indices& local) const;

  py::array view(Part part) const;  ///< of local(): communication padding is left out of `owned`
  py::tuple dim_data(Version version) const;
  py::dict describe(Version version) const;        ///< what `__distarray__` returns; Error for no buffer
  py::dict own_dictionary(Version version) const;  ///< the same for readers of ours, of any elements
  DistArray in(Version version) const;             ///< throws Error where it cannot be said

  /// For Python's garbage collector.
  int traverse(visitproc visit, void* argument) const;
  void clear();

 private:
  DistArray array_;
  Version version_ = Version::v0_10;
  py::object local_, comm_;
  bool undistributed_;  // no axis is distributed: the Distribution is made on the first use
  mutable std::shared_ptr<const Distribution> distribution_;
  Index process_ = 0;
  py::dict extras_;
  py::list axis_extras_;
  Receipt receipt_;
  mutable std::optional<Index> layout_;  // asked for once
};

/// The Array that an object is, whatever it says of its class; null where it is none.
const Array* array_behind(py::handle object);

/// `tridap.asarray`. **Collective** where `comm` is a communicator.
py::object asarray(py::object object, py::object comm, py::object copy);

/// What `tridap.check` found.
struct Checked {
  Report report;
  std::shared_ptr<const Distribution> distribution;  ///< null: there is none, or it is unknown
};
/// **Collective** where `comm` is a communicator.
Checked check_object(py::object object, py::object comm, const py::object& raise_on_error,
                     const py::object& trust_extent);

/// `tridap._agree.together`. **Collective** where `comm` is a communicator.
py::object run_together(const py::object& comm, const py::object& step, bool same);

/// Whether an argument is True; TypeError for what is neither that nor False.
bool flag_of(const py::object& flag, const char* name);

/// An array of `distribution` over `local`, as process `process` of it.
Array over(py::array local, std::shared_ptr<const Distribution> distribution, Index process, py::object comm);

/// A version as a user names it: "0.9", "0.10.0". Throws Error.
Version version_named(const std::string& name);

/// Integers as an axis-by-axis index; throws IndexError where they are not `ndim` integers within `[0, extents)`.
Indices indices_of(const py::args& given, const std::vector<Index>& extents, const char* what);

}  // namespace tridap::python
