#pragma once

#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/tpetra/export.hpp>
#include <tridap/tpetra/import.hpp>

#include <memory>

namespace tridap::tpetra {

namespace detail {

/// What the vectors of a ghosted array are made from.
struct PreparedGhosted {
  ArrayMap owned;
  Teuchos::RCP<const Map> overlap_map;
  Dense whole;              ///< all entries of the local buffer
  Index owned_entries = 0;  ///< the first so many of them
};

/// **Collective.**
PreparedGhosted prepared_ghosted(const GhostedArray& array, const Communicator& comm, Index index_base,
                                 const ImportRequest& wanted);

/// The array with its elements in the host memory `data`, which the caller keeps.
GhostedArray over(const GhostedArray& array, void* data);

/// The array whose owned part is on `owned` and whose memory is `columns`, on `overlap`. **Collective.**
GhostedArray ghosted_on_maps(Buffer columns, bool is_vector, const Map& overlap, const Map& owned);

}  // namespace detail

/// Two Tpetra vectors over the memory of a ghosted array, as finite elements use them: one on an overlapping map, with
/// the ghosts, and one on the one-to-one map of the owned elements, over the beginning of the same memory.
///
/// In the example of GhostedArray, overlap() has the ids {0, 1, 2, 4, 3} and {3, 4, 0}, and owned() {0, 1, 2} and {3,
/// 4}. Ids are those of import_vector(): flat row-major numbers of all axes, components included, plus the index base.
/// If elements have 3 components, element 4 has the ids 12, 13 and 14.
template <class T>
class GhostedVector {
 public:
  /// Nothing is copied. The vectors keep the array's memory alive. **Collective**: throws the same Error on every
  /// process as GhostUpdate, ArrayMap and import_vector() do, and if the local buffer of a process is not contiguous
  /// and row-major, the components are distributed, or the array is periodic. `stream`: on which an array in memory of
  /// a device was last written.
  GhostedVector(const GhostedArray& array, const Communicator& comm, Index index_base = 0, DeviceStream stream = {});

  /// All entries, ghosts included. Its norms include the ghosts.
  const Teuchos::RCP<Vector<T>>& overlap() const { return overlap_; }
  const Teuchos::RCP<Vector<T>>& owned() const { return owned_; }  ///< without the ghosts: for solvers
  const Receipt& receipt() const { return receipt_; }

  /// Each ghost gets the value of its element, as doImport() from owned() to overlap() with INSERT does.
  /// **Collective.**
  void update_ghosts() { run(&GhostUpdate::update_ghosts); }
  /// Ghosts are added to their elements, as doExport() from overlap() to owned() with ADD does it for the ghosts.
  /// **Collective.**
  void sum_ghosts() { run(&GhostUpdate::sum_ghosts); }

 private:
  void run(void (GhostUpdate::*operation)(DeviceStream)) {
    detail::on_host_side(*overlap_, comm_.raw(), [&] { (update_.get()->*operation)({}); });
  }

  Communicator comm_;
  Teuchos::RCP<Vector<T>> overlap_, owned_;
  std::shared_ptr<GhostUpdate> update_;
  Receipt receipt_;
};

template <class T>
GhostedVector<T>::GhostedVector(const GhostedArray& array, const Communicator& comm, Index index_base,
                                DeviceStream stream)
    : comm_(comm) {
  static_assert(!std::is_const_v<T>, "ghosts are written: take elements that are not const");
  const detail::Collective call(comm, "GhostedVector");
  const double begin = detail::now();
  using Space = typename detail::DualView<T>::t_dev::memory_space;
  std::optional<GhostUpdate> update;
  if (detail::over_host<Space>) update.emplace(array, comm.raw());
  detail::PreparedGhosted made = detail::prepared_ghosted(
      array, comm, index_base, detail::wanted<T>(detail::ImportRequest::Form::vector, {Copy::never, stream}));
  detail::DualView<T> whole, first;
  mpi::collectively(comm.raw(), [&] {
    whole = detail::dual_view<detail::DualView<T>>(made.whole.buffer);
    first = Kokkos::subview(whole, std::make_pair(Index{0}, made.owned_entries), Kokkos::ALL());
  });
  if constexpr (!detail::over_host<Space>) update.emplace(detail::over(array, whole.view_host().data()), comm.raw());
  call.run([&] {  // as in detail::imported()
    update_ = std::make_shared<GhostUpdate>(std::move(*update));
    overlap_ = Teuchos::rcp(new Vector<T>(made.overlap_map, whole));
    owned_ = Teuchos::rcp(new Vector<T>(made.owned.map(), first, whole));
    receipt_ = made.whole.receipt;
  });
  receipt_.seconds = detail::now() - begin;
}

/// The ghosted array over the memory of a vector on an overlapping map. On each process, the ids of `owned` must be the
/// first ids of the vector's map, in the same order; the rest are the ghosts. A MultiVector gives one component for
/// each of its vectors. An id of the array is the map's id less the index base of `owned` (for a contiguous map, its
/// first id). The array keeps the memory alive, and nothing is copied. On a node with device memory, a GhostUpdate
/// needs Side::host; `stream` is as in ExportOptions.
///
/// **Collective** over the communicator of `owned`: throws the same Error on every process if the maps do not fit, or
/// if the columns of the MultiVector are not evenly spaced. A GhostUpdate checks the ids.
template <class V>
GhostedArray export_ghosted(const Teuchos::RCP<V>& vector, const Teuchos::RCP<const Map>& owned,
                            Side side = Side::newest, DeviceStream stream = {}) {
  if (owned.is_null()) refuse("the map is null", "", "give the one-to-one map of the owned elements");
  const Communicator comm(owned->getComm());
  const detail::Collective call(comm, "export_ghosted");
  Buffer columns = mpi::collectively(comm.raw(), [&] {
    return detail::columns(vector, {Copy::never, side, stream}).buffer;
  });
  return detail::ghosted_on_maps(std::move(columns), detail::is_vector<V>, *vector->getMap(), *owned);
}

}  // namespace tridap::tpetra
