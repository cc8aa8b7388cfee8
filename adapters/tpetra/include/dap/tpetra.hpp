#pragma once

#include <dap/dist_array.hpp>
#include <dap/distribution.hpp>
#include <dap/kokkos/view.hpp>
#include <dap/memory_order.hpp>
#include <dap/mpi/agree.hpp>
#include <dap/receipt.hpp>
#include <dap/tpetra/compat.hpp>

#include <Tpetra_Map.hpp>
#include <Tpetra_Vector.hpp>
#include <mpi.h>

#include <chrono>
#include <memory>

/// Distributed arrays as Tpetra vectors, and Tpetra vectors as distributed arrays, in the memory they already live in.
namespace dap::tpetra {

using Map = Tpetra::Map<>;
template <class Scalar>
using Vector = Tpetra::Vector<Scalar>;

/// How a distributed array stands in a Tpetra map: one global id for each interior element, the flat row-major number
/// of its global index, listed in memory order, so that dense memory is a vector as it stands.
///
/// A 4 x 6 array, block x block over a 2 x 2 grid, row-major: process 1 has the ids {3, 4, 5, 9, 10, 11}. Padding has
/// no ids. Cheap to copy; `comm` must outlive the map.
class Layout {
 public:
  /// Checks `array` on every process and makes the map. **Collective**: throws the same Error on every process where
  /// the array is wrong, an index stands on two processes, or a map cannot hold the ids.
  Layout(const DistArray& array, MPI_Comm comm);

  const Distribution& distribution() const { return distribution_; }
  const Teuchos::RCP<const Map>& map() const { return map_; }
  const MemoryOrder& order() const { return order_; }  ///< of the interior elements, on this process
  MPI_Comm comm() const { return comm_; }
  Index process() const { return process_; }  ///< our rank in comm()

 private:
  Distribution distribution_;
  MemoryOrder order_;
  Teuchos::RCP<const Map> map_;
  MPI_Comm comm_;
  Index process_;
};

/// The map of Layout alone. **Collective.**
Teuchos::RCP<const Map> make_map(const DistArray& array, MPI_Comm comm);

template <class Scalar>
struct ImportedVector {
  Teuchos::RCP<Vector<Scalar>> vector;
  Receipt receipt;
};

struct ExportedArray {
  DistArray array;
  Receipt receipt;
};

namespace detail {

struct Dense {
  Buffer buffer;  ///< n x 1 and column-major, as a vector's data
  Receipt receipt;
};

/// The interior of `array` as one dense piece in the order of `layout`: its own memory, or by `copy` a packed copy.
/// Local; throws Error.
Dense dense_interior(const DistArray& array, const Layout& layout, ElementType scalar, Copy copy);

/// Puts together the array that `data` on `map` is in `layout`. Local; throws Error.
ExportedArray in_layout(const Buffer& data, const Map& map, const Layout& layout);

/// Puts together the one-dimensional array that `data` is on `map`. **Collective.**
ExportedArray on_map(const Buffer& data, const Map& map);

double now();

/// A vector's data as a Buffer that keeps the memory alive, and the vector itself where the memory is nobody's. An RCP
/// is not thread-safe: such a buffer must be released by the thread that uses the vector.
template <class Scalar>
Buffer vector_buffer(const Teuchos::RCP<Vector<Scalar>>& vector) {
  if (vector.is_null()) throw Error(Finding{Rule::conversion, {}, {}, "", "the vector is null", "", "give a vector"});
  using Device = typename Vector<Scalar>::dual_view_type::t_dev::memory_space;
  if (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, Device>::accessible)  // or the host view would be a copy
    throw Error(Finding{Rule::conversion,
                        {},
                        {},
                        "",
                        std::string("the vector is in ") + Device::name() + " memory",
                        "",
                        "use a node type whose memory the host reaches"});
  const auto view = vector->getLocalViewHost(Tpetra::Access::ReadWrite);
  std::shared_ptr<void> owner;
  if (!kokkos::compat::keeps_memory(view)) owner = std::make_shared<Teuchos::RCP<Vector<Scalar>>>(vector);
  return kokkos::export_buffer(view, std::move(owner));
}

}  // namespace detail

/// A vector over the interior of `array` on the map of `layout`: its own memory, with Copy::never; never with
/// Copy::always. The vector, and whatever Tpetra derives from it, keeps a shared array's memory alive. A copy takes no
/// part in later changes of the array. **Collective**: throws the same Error on every process where any process's array
/// is wrong, is none of `layout`, has another element type, or would have to be copied under Copy::never. Kokkos must
/// be initialised, and outlive the vector.
template <class Scalar>
ImportedVector<Scalar> import_vector(const DistArray& array, const Layout& layout, Copy copy = Copy::never) {
  using DualView = typename Vector<Scalar>::dual_view_type;
  using DeviceView = typename DualView::t_dev;
  const double begin = detail::now();
  Receipt receipt;
  const auto view = mpi::collectively(layout.comm(), [&] {
    detail::Dense dense = detail::dense_interior(array, layout, element_type<Scalar>(), copy);
    receipt = dense.receipt;
    return kokkos::shared_as<DeviceView>(dense.buffer);
  });
  const DualView both(view, Kokkos::create_mirror_view(view));  // the same memory twice where the host reaches it
  ImportedVector<Scalar> imported{Teuchos::rcp(new Vector<Scalar>(layout.map(), both)), std::move(receipt)};
  imported.receipt.seconds = detail::now() - begin;
  return imported;
}

/// The same with a Layout of its own. **Collective.**
template <class Scalar>
ImportedVector<Scalar> import_vector(const DistArray& array, MPI_Comm comm, Copy copy = Copy::never) {
  const double begin = detail::now();
  const Layout layout(array, comm);
  ImportedVector<Scalar> imported = import_vector<Scalar>(array, layout, copy);
  imported.receipt.seconds = detail::now() - begin;
  return imported;
}

/// The vector's memory as an array of `layout`, never copied; the array keeps it alive. **Collective**: throws the same
/// Error on every process where the vector's map does not list the ids of `layout`, or `layout` has padding, which a
/// vector does not hold.
template <class Scalar>
ExportedArray export_array(const Teuchos::RCP<Vector<Scalar>>& vector, const Layout& layout) {
  const double begin = detail::now();
  ExportedArray exported = mpi::collectively(layout.comm(), [&] {
    const Buffer buffer = detail::vector_buffer(vector);
    return detail::in_layout(buffer, *vector->getMap(), layout);
  });
  exported.receipt.seconds = detail::now() - begin;
  return exported;
}

/// The vector's memory as a one-dimensional array, never copied: block where the ids rise in one range over the
/// processes, else unstructured. The array keeps the memory alive. **Collective** over the communicator of the vector's
/// map, so the vector must not be null. Throws Error on every process where an id stands twice on one.
template <class Scalar>
ExportedArray export_array(const Teuchos::RCP<Vector<Scalar>>& vector) {
  const double begin = detail::now();
  const Buffer buffer = detail::vector_buffer(vector);
  ExportedArray exported = detail::on_map(buffer, *vector->getMap());
  exported.receipt.seconds = detail::now() - begin;
  return exported;
}

}  // namespace dap::tpetra
