#pragma once

#include "comm.hpp"
#include "dictionaries.hpp"
#include "errors.hpp"
#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>
#include <tridap/redistribute/padding.hpp>
#include <tridap/version.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace tridap::python {

/// Throws ProtocolError if the report holds an error. Its cause is what the object raised. If the object raised
/// something that is not an Exception, such as KeyboardInterrupt, this is passed on unchanged.
void throw_if_wrong(const Report& report, std::optional<py::error_already_set>& raised, const Raising& how);

/// `tridap.DistArray`: this process's part of a checked distributed array, and the object that keeps its memory alive.
class Array {
 public:
  /// Makes an array from data that was checked.
  Array(DistArray array, py::object local, py::object comm, std::shared_ptr<const Distribution> distribution,
        Receipt receipt = {});
  static Array from(Given given, py::object comm, std::shared_ptr<const Distribution> distribution);

  const DistArray& array() const { return array_; }  ///< of version 0.10 or 0.9, as the producer gave it
  Version version() const { return version_; }
  /// The NumPy array; all pointers here point to its memory. Throws Error, with the remedy, for memory of a device.
  const py::object& local() const;
  /// The description for a call that reads or writes the elements. Throws as local() does.
  const DistArray& host_array() const;
  /// The array, for a call that moves elements. Throws Error if they are on a device, and the module has no
  /// TriDAP::device.
  const DistArray& movable() const;
  py::object dtype() const { return local_.attr("dtype"); }
  const py::object& comm() const { return comm_.object(); }  ///< the mpi4py communicator, or None
  const Receipt& receipt() const { return receipt_; }
  /// Throws Error if only this process's part is known.
  const std::shared_ptr<const Distribution>& distribution() const;
  bool is_whole() const { return undistributed_ || distribution_ != nullptr; }
  Index processes() const;  ///< of the process grid
  Index places() const;     ///< a number that differs between distributions; needs is_whole(), does not communicate
  Index layout() const;     ///< the same, but it also differs between element types
  Index process() const { return process_; }  ///< its rank in comm

  /// For each axis: the global indices of distribution() minus this array's own. They differ because 0.10 counts the
  /// mirrors at the beginning of a periodic axis, and 0.9 does not.
  Indices shift() const;
  /// Converts a global index of this array to one of distribution(). Returns nullopt if 0.9 has no such index.
  std::optional<Indices> in_distribution(Indices global) const;
  /// The global index of a local index, in this array's own numbering. Throws Error if distribution() is needed and not
  /// known.
  Indices global_index(const Indices& local) const;

  py::array view(Part part) const;   ///< of local(); `owned` leaves out communication padding
  py::object part(Part part) const;  ///< the same; a DevicePart for memory of a device
  py::tuple dim_data(Version version) const;
  /// What `__distarray__` returns. Throws Error if no PEP 3118 buffer can describe the elements.
  py::dict describe(Version version) const;
  py::dict own_dictionary(Version version) const;  ///< the same for our own readers, for any elements
  DistArray in(Version version) const;             ///< throws Error if that version cannot describe it

  /// Takes another part over the same memory, which may or may not be writable.
  void replace_local(py::object local);
  /// Gives the Distribution to an array that was made without it, and the time that making the array took.
  void complete(std::shared_ptr<const Distribution> distribution, double seconds) noexcept;

  /// An array over a copy of this one's elements, with the same description.
  Array over_copy(py::object local, Receipt receipt) const;

  /// Lets `watcher()` be called whenever a call of ours has written to this memory, until it returns False. An array
  /// and its parts share their watchers. The processes must add the same watchers.
  void watch(const py::object& watcher) const;
  /// This array has the memory of another one, and so its watchers.
  void share_watchers(const Array& other) { watchers_ = other.watchers_; }
  /// Calls the watchers. A call of ours that may write to this array does it on every process, also without elements.
  void changed() const noexcept;

  /// What update_padding() keeps for its next call; empty before the first.
  std::optional<redistribute::PaddingUpdate>& padding_plan() const { return padding_plan_; }

  /// For Python's garbage collector.
  int traverse(visitproc visit, void* argument) const;
  void clear();

 private:
  DistArray array_;
  Version version_ = Version::v0_10;
  py::object local_;
  HeldComm comm_;
  bool undistributed_;  // no axis is distributed: the Distribution is made on the first use
  mutable std::shared_ptr<const Distribution> distribution_;
  Index process_ = 0;
  py::dict extras_;
  py::list axis_extras_;
  Receipt receipt_;
  std::shared_ptr<std::vector<py::object>> watchers_ = std::make_shared<std::vector<py::object>>();
  mutable std::optional<Index> places_, layout_;  // computed once
  mutable std::optional<redistribute::PaddingUpdate> padding_plan_;
};

/// The Array that an object is by its type, whatever class it reports. Null if it is not an Array.
const Array* array_behind(py::handle object);

/// `tridap.asarray`. **Collective** if `comm` is a communicator. With `placed_too`, an array of PyTorch or JAX becomes
/// one whose communicator has the order of its places, and may have fewer processes than `comm`; otherwise rank r must
/// have place r.
py::object asarray(py::object object, py::object comm, py::object copy, bool placed_too = false);

/// What `tridap.check` found.
struct Checked {
  Report report;
  std::shared_ptr<const Distribution> distribution;  ///< null: there is none, or it is unknown
};
/// **Collective** if `comm` is a communicator.
Checked check_object(py::object object, py::object comm, const py::object& raise_on_error,
                     const py::object& trust_extent);

/// `tridap._agree.together`. **Collective** if `comm` is a communicator.
py::object run_together(const py::object& comm, const py::object& step, bool same);

/// Returns true if an argument is True. Throws TypeError if it is neither True nor False.
bool flag_of(const py::object& flag, const char* name);

/// An array over `local`, a NumPy array or a DevicePart, which is the part of process `process` of `distribution`.
/// `receipt` says how it was made.
Array over(py::object local, std::shared_ptr<const Distribution> distribution, Index process, py::object comm,
           Receipt receipt = {});

/// The version that a user's text names, such as "0.9" or "0.10.0". Throws Error if it names none.
Version version_named(const std::string& name);

/// Reads integers as an index, one for each axis. Throws IndexError if there are not `ndim` of them or one is not in
/// `[0, extents)`, and TypeError if one is not an integer.
Indices indices_of(const py::args& given, const std::vector<Index>& extents, const char* what);

}  // namespace tridap::python
