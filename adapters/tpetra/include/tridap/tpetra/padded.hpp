#pragma once

#include <tridap/redistribute/padding.hpp>
#include <tridap/tpetra/export.hpp>
#include <tridap/tpetra/import.hpp>

#include <memory>

namespace tridap::tpetra {

using Import = Tpetra::Import<>;

/// The Tpetra maps of a padded array, with its padding (overlapping) and without it (one-to-one), and the Import that
/// updates the padding.
///
/// A 1-D array of 8 over 2 processes with a padding of 1: interior().map() has the ids {0, 1, 2, 3} and {4, 5, 6, 7},
/// overlap_map() {0, 1, 2, 3, 4} and {3, 4, 5, 6, 7}. A process lists an id once; the mirrors of a periodic axis have
/// ids of their own. With Numbering::by_process these are behind the ids of all elements, and interior().map() is
/// contiguous. Cheap to copy; copies share what a first call makes.
class PaddedArrayMap {
 public:
  /// Checks `array` on every process and makes the map of the interior. **Collective**: throws as ArrayMap does.
  PaddedArrayMap(const DistArray& array, const Communicator& comm, const ArrayMapOptions& options = {});

  /// The map without any padding. It is one-to-one: use it for solvers.
  const ArrayMap& interior() const { return interior_; }
  /// The map of the whole buffer, in memory order. If some process has padding, the map lists an id for each element of
  /// the buffer. The first call makes it; that call is **collective**, and throws the same Error on every process if a
  /// map cannot hold the ids.
  const Teuchos::RCP<const Map>& overlap_map() const;
  const MemoryOrder& order() const { return order_; }  ///< of the whole buffer, on this process

  /// The Import from interior().map() (source) to overlap_map() (target). The first call makes it, without Tpetra's
  /// search for the owners; that call is **collective**, and takes time in proportion to the buffer.
  const Import& importer() const;

 private:
  PaddedArrayMap(const DistArray& array, const Communicator& comm, const ArrayMapOptions& options,
                 const detail::Collective& call);

  struct MadeLater {
    Teuchos::RCP<const Map> overlap_map;
    Teuchos::RCP<const Import> importer;
  };

  ArrayMap interior_;
  MemoryOrder order_;
  std::shared_ptr<MadeLater> made_;
};

namespace detail {

/// Moves the padding of one buffer; the first call of each operation plans it.
class PaddingUpdates {
 public:
  /// `whole` is this process's buffer with padding. Local.
  PaddingUpdates(const Buffer& whole, const ArrayMap& interior);
  void run(redistribute::PaddingOperation operation);  ///< **collective**

 private:
  Buffer whole_;
  redistribute::PlacedDistribution placed_;
  Communicator comm_;
  std::optional<redistribute::PaddingUpdate> fill_, sum_;
};

}  // namespace detail

/// Two Tpetra vectors over the memory of a padded array: the whole buffer, and the interior if it is contiguous.
template <class T>
class PaddedVector {
 public:
  /// **Collective**; throws as import_vector() does if the whole buffer needs a copy and `how` forbids it.
  PaddedVector(const DistArray& array, const PaddedArrayMap& array_map, const ImportOptions& how = {})
      : PaddedVector(detail::Collective(array_map.interior().communicator(), "PaddedVector"), array, array_map, how) {}

  const PaddedArrayMap& array_map() const { return array_map_; }
  /// The whole buffer, padding included, on array_map().overlap_map(). Its norms include the padding.
  const Teuchos::RCP<Vector<T>>& overlap() const { return overlap_; }
  /// The interior, a view of the same memory on array_map().interior().map(). It is null if the interior is not
  /// contiguous on some process; interior_obstacle() then says why.
  const Teuchos::RCP<Vector<T>>& interior() const { return interior_; }
  const std::string& interior_obstacle() const { return interior_obstacle_; }
  const Receipt& receipt() const { return receipt_; }

  /// Fills all padding from the interior elements that it repeats: communication padding from its owners, the mirrors
  /// of a periodic axis from the elements that they mirror. It writes the array's own memory. **Collective.**
  void update_padding();
  /// Adds all padding to the interior elements that it repeats; padding keeps its values. **Collective.**
  void sum_padding();

 private:
  PaddedVector(const detail::Collective& call, const DistArray& array, const PaddedArrayMap& array_map,
               const ImportOptions& how);
  void run(redistribute::PaddingOperation operation);

  PaddedArrayMap array_map_;
  Teuchos::RCP<Vector<T>> overlap_, interior_;
  std::shared_ptr<detail::PaddingUpdates> updates_;
  std::string interior_obstacle_;
  Receipt receipt_;
};

/// The vectors of a padded array on new maps of the array. **Collective**; throws as PaddedArrayMap and PaddedVector
/// do.
template <class T>
PaddedVector<T> import_padded(const DistArray& array, const Communicator& comm, const ImportOptions& how = {},
                              const ArrayMapOptions& options = {}) {
  const detail::Collective call(comm, "import_padded");
  return PaddedVector<T>(array, PaddedArrayMap(array, comm, options), how);
}

namespace detail {

struct DensePadded {
  Dense whole, interior;     ///< both in the same memory
  Buffer array;              ///< the whole buffer with the axes of the array
  Report interior_obstacle;  ///< of all processes
};

/// Makes the array of `array_map`, padding included, over the memory of `columns`. `map` is the map of `columns`. The
/// maps of `array_map` have been made before. Local; throws Error.
ExportedArray as_array_of_padded_map(const Columns& columns, const Map& map, const PaddedArrayMap& array_map);

/// **Collective.**
DensePadded dense_padded(const DistArray& array, const PaddedArrayMap& array_map, const ImportRequest& wanted);

/// The rows of a DualView of `whole` that hold `part`. It shares memory and state with the DualView.
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
PaddedVector<T>::PaddedVector(const detail::Collective& call, const DistArray& array, const PaddedArrayMap& array_map,
                              const ImportOptions& how)
    : array_map_(call.run([&] {
        array_map.overlap_map();
        return array_map;
      })) {
  static_assert(!std::is_const_v<T>, "padding is written: take elements that are not const");
  const double begin = detail::now();
  const auto made =
      detail::dense_padded(array, array_map_, detail::wanted<T>(detail::ImportRequest::Form::vector, how));
  const MPI_Comm comm = array_map_.interior().communicator().raw();
  using Space = typename detail::DualView<T>::t_dev::memory_space;
  detail::DualView<T> whole, inside;
  mpi::collectively(comm, [&] {
    whole = detail::dual_view<detail::DualView<T>>(made.whole.buffer);
    if (made.interior_obstacle.ok()) inside = detail::within(whole, made.whole.buffer, made.interior.buffer);
  });
  call.run([&] {                        // as in detail::imported()
    Buffer array_on_host = made.array;  // the vector's host side, which is other memory if its node is a device
    array_on_host.data =
        reinterpret_cast<std::byte*>(whole.view_host().data()) +
        (static_cast<const std::byte*>(made.array.data) - static_cast<const std::byte*>(made.whole.buffer.data));
    if (!detail::over_host<Space>) {
      array_on_host.memory = {};
      array_on_host.owner = nullptr;  // overlap_ keeps it
    }
    updates_ = std::make_shared<detail::PaddingUpdates>(array_on_host, array_map_.interior());
    overlap_ = Teuchos::rcp(new Vector<T>(array_map_.overlap_map(), whole));
    if (made.interior_obstacle.ok())
      interior_ = Teuchos::rcp(new Vector<T>(array_map_.interior().map(), inside, whole));
    else
      interior_obstacle_ = Error(made.interior_obstacle).what();
    receipt_ = made.whole.receipt;
  });
  receipt_.seconds = detail::now() - begin;
}

template <class T>
void PaddedVector<T>::update_padding() {
  run(redistribute::PaddingOperation::fill);
}

template <class T>
void PaddedVector<T>::sum_padding() {
  run(redistribute::PaddingOperation::sum);
}

template <class T>
void PaddedVector<T>::run(redistribute::PaddingOperation operation) {
  detail::on_host_side(*overlap_, array_map_.interior().communicator().raw(), [&] { updates_->run(operation); });
}

/// An array over the memory of a vector on array_map.overlap_map(), with the padding of the array that `array_map` was
/// made for. **Collective**, and in everything else as export_array() with an ArrayMap.
template <class V>
ExportedArray export_array(const Teuchos::RCP<V>& vector, const PaddedArrayMap& array_map,
                           const ExportOptions& options = {}) {
  const detail::Collective call(array_map.interior().communicator(), "export_array");
  const double begin = detail::now();
  array_map.overlap_map();
  ExportedArray exported = mpi::collectively(array_map.interior().communicator().raw(), [&] {
    const detail::Columns columns = detail::columns(vector, options);
    ExportedArray made = detail::as_array_of_padded_map(columns, *vector->getMap(), array_map);
    detail::settle(made, columns, options.copy);
    return made;
  });
  exported.receipt.seconds = detail::now() - begin;
  return exported;
}

}  // namespace tridap::tpetra
