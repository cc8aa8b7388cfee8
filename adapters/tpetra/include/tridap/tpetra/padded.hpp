#pragma once

#include <tridap/tpetra/export.hpp>
#include <tridap/tpetra/import.hpp>

#include <memory>

namespace tridap::tpetra {

using Import = Tpetra::Import<>;

/// Local indices of padding, and of the interior on the same process that it repeats.
struct LocalCopies {
  std::vector<Map::local_ordinal_type> padding, interior;
};

/// What refreshes the padding of vectors on a map of whole buffers, that of process `process` standing in `order`.
struct PaddingImport {
  Teuchos::RCP<const Import> import;  ///< padding that repeats the interior of other processes
  LocalCopies own;                    ///< padding that repeats ours: a periodic axis wrapped onto one process
};

/// Makes it from what every process knows, asking nobody. Local.
PaddingImport make_padding_import(const ArrayMap& interior, const MemoryOrder& order,
                                  const Teuchos::RCP<const Map>& overlap_map);

/// How a padded array stands in Tpetra maps, and what refreshes its padding.
///
/// A 1-D array of 8 over 2 processes with a padding of 1: interior().map() has the ids {0, 1, 2, 3} and {4, 5, 6, 7},
/// overlap_map() {0, 1, 2, 3, 4} and {3, 4, 5, 6, 7}. An id stands once on a process; the mirrors of a periodic axis
/// have ids of their own. Cheap to copy.
class PaddedArrayMap {
 public:
  /// Checks `array` on every process and makes both maps. **Collective**: throws as ArrayMap does.
  PaddedArrayMap(const DistArray& array, const Communicator& comm, const ArrayMapOptions& options = {});

  /// Without any padding: one-to-one, and what solvers take.
  const ArrayMap& interior() const { return interior_; }
  /// The whole buffer, in memory order.
  const Teuchos::RCP<const Map>& overlap_map() const { return overlap_map_; }
  const MemoryOrder& order() const { return order_; }  ///< of the whole buffer, on this process

  /// Fills vectors on overlap_map() from vectors on interior().map(); made once, asking nobody who owns what. The first
  /// call is **collective**, and takes time in proportion to the buffer.
  const Import& importer() const;
  /// Fills the padding of vectors on overlap_map() from the interior of vectors there.
  const PaddingImport& padding_import() const { return *padding_import_; }

 private:
  ArrayMap interior_;
  MemoryOrder order_;
  Teuchos::RCP<const Map> overlap_map_;
  std::shared_ptr<const PaddingImport> padding_import_;
  std::shared_ptr<Teuchos::RCP<const Import>> importer_;
};

/// A padded array as Tpetra vectors over one memory: the whole buffer, and the interior where it is one piece.
template <class T>
class PaddedVector {
 public:
  /// **Collective**; throws as import_vector() does where the buffer as a whole would have to be copied.
  PaddedVector(const DistArray& array, const PaddedArrayMap& layout, Copy copy = Copy::never);

  const PaddedArrayMap& layout() const { return layout_; }
  /// The whole buffer, padding included, on layout().overlap_map(). Norms of it count padding.
  const Teuchos::RCP<Vector<T>>& overlap() const { return overlap_; }
  /// The interior, a view of the same memory on layout().interior().map(); null where it is not one piece of memory on
  /// every process, and interior_obstacle() says why.
  const Teuchos::RCP<Vector<T>>& interior() const { return interior_; }
  const std::string& interior_obstacle() const { return interior_obstacle_; }
  const Receipt& receipt() const { return receipt_; }

  /// Fills all padding from the interior elements that it repeats: communication padding from its owners, the mirrors
  /// of a periodic axis from what they mirror, on the memory where it stands. **Collective.**
  void update_padding();
  /// Adds all padding to the interior elements that it repeats; padding keeps its values. **Collective.**
  void sum_padding();

 private:
  PaddedArrayMap layout_;
  Teuchos::RCP<Vector<T>> overlap_, source_;  // twice the same memory: Tpetra moves from one vector to another
  Teuchos::RCP<Vector<T>> interior_;
  std::string interior_obstacle_;
  Receipt receipt_;
};

/// A padded array with its maps, its vectors and what refreshes its padding. **Collective**; throws as PaddedArrayMap
/// and PaddedVector do.
template <class T>
PaddedVector<T> import_padded(const DistArray& array, const Communicator& comm, Copy copy = Copy::never,
                              const ArrayMapOptions& options = {}) {
  return PaddedVector<T>(array, PaddedArrayMap(array, comm, options), copy);
}

namespace detail {

struct DensePadded {
  Dense whole, interior;     ///< both in the same memory
  Report interior_obstacle;  ///< of all processes
};

/// Puts together the array that `columns` on `map` are in `layout`, padding included. Local; throws Error.
ExportedArray in_padded_layout(const Columns& columns, const Map& map, const PaddedArrayMap& layout);

/// **Collective.**
DensePadded dense_padded(const DistArray& array, const PaddedArrayMap& layout, const ImportRequest& wanted);

/// The rows of a DualView of `whole` that `part` of it is, sharing memory and state.
template <class Dual>
Dual within(const Dual& whole_view, const Buffer& whole, const Buffer& part) {
  const Index rows = part.shape[0];
  const Index first =
      rows == 0
          ? 0
          : (static_cast<const std::byte*>(part.data) - static_cast<const std::byte*>(whole.data)) / whole.type.bytes;
  return Kokkos::subview(whole_view, std::make_pair(first, first + rows), Kokkos::ALL());
}

}  // namespace detail

template <class T>
PaddedVector<T>::PaddedVector(const DistArray& array, const PaddedArrayMap& layout, Copy copy)
    : layout_(mpi::collectively(layout.interior().comm(), [&] { return layout; })) {
  static_assert(!std::is_const_v<T>, "padding is written: take elements that are not const");
  const double begin = detail::now();
  const auto made = detail::dense_padded(array, layout_, detail::wanted<T>(detail::ImportRequest::Form::vector, copy));
  const MPI_Comm comm = layout_.interior().comm();
  detail::DualView<T> whole, inside;
  mpi::collectively(comm, [&] {
    whole = detail::dual_view<detail::DualView<T>>(made.whole.buffer);
    overlap_ = Teuchos::rcp(new Vector<T>);
    source_ = Teuchos::rcp(new Vector<T>);
    if (made.interior_obstacle.ok()) {
      inside = detail::within(whole, made.whole.buffer, made.interior.buffer);
      interior_ = Teuchos::rcp(new Vector<T>);
    } else {
      interior_obstacle_ = Error(made.interior_obstacle).what();
    }
    receipt_ = made.whole.receipt;
  });
  mpi::collectively(comm, [&] {  // as in detail::imported()
    *overlap_ = Vector<T>(layout_.overlap_map(), whole);
    *source_ = Vector<T>(layout_.overlap_map(), whole);
    if (!interior_.is_null()) *interior_ = Vector<T>(layout_.interior().map(), inside);
  });
  receipt_.seconds = detail::now() - begin;
}

template <class T>
void PaddedVector<T>::update_padding() {
  const LocalCopies& own = layout_.padding_import().own;
  if (!own.padding.empty()) {  // the view must be gone where Tpetra moves what is on a device
    const auto values = overlap_->getLocalViewHost(Tpetra::Access::ReadWrite);
    for (std::size_t i = 0; i < own.padding.size(); ++i) values(own.padding[i], 0) = values(own.interior[i], 0);
  }
  overlap_->doImport(*source_, *layout_.padding_import().import, Tpetra::INSERT);
}

template <class T>
void PaddedVector<T>::sum_padding() {
  const LocalCopies& own = layout_.padding_import().own;
  if (!own.padding.empty()) {
    const auto values = overlap_->getLocalViewHost(Tpetra::Access::ReadWrite);
    for (std::size_t i = 0; i < own.padding.size(); ++i) values(own.interior[i], 0) += values(own.padding[i], 0);
  }
  overlap_->doExport(*source_, *layout_.padding_import().import, Tpetra::ADD);
}

/// The memory of a vector on the overlapping map of `layout` as the padded array that the layout was made of.
/// **Collective**, and in everything else as export_array() with a ArrayMap.
template <class V>
ExportedArray export_array(const Teuchos::RCP<V>& vector, const PaddedArrayMap& layout, Copy copy = Copy::never) {
  const double begin = detail::now();
  ExportedArray exported = mpi::collectively(layout.interior().comm(), [&] {
    const detail::Columns columns = detail::columns(vector, copy);
    ExportedArray made = detail::in_padded_layout(columns, *vector->getMap(), layout);
    detail::settle(made, columns, copy);
    return made;
  });
  exported.receipt.seconds = detail::now() - begin;
  return exported;
}

}  // namespace tridap::tpetra
