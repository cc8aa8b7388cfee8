#pragma once

#include <tridap/detail/refuse.hpp>
#include <tridap/infer/infer_dim_data.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/receipt.hpp>
#include <tridap/tpetra/array_map.hpp>
#include <tridap/tpetra/scalar.hpp>

namespace tridap::tpetra {

/// An array over a vector's memory.
struct ExportedArray {
  DistArray array;
  Receipt receipt;
};

/// The array whose elements a map's ids number; the same on every process.
struct Reshape {
  std::optional<std::vector<Index>> shape =
      {};  ///< ids are row-major numbers in an array of this shape; nothing: one axis
  std::optional<std::vector<Index>> grid = {};  ///< the process grid, if it is known
  /// The id of the first element; nothing: the map's own index base. The index base of a contiguous map is its first
  /// id. It is not 0 for the interior of a periodic array, for example.
  std::optional<Index> index_base = {};
};

namespace detail {

/// The columns of a vector or a MultiVector in its own memory: n x k with any leading dimension.
struct Columns {
  Buffer buffer;
  bool in_place = true;  ///< false: the columns of the MultiVector were not evenly spaced, and are packed here
};

/// Makes the array of `array_map` over `columns`, whose map is `map`. Local; throws Error.
ExportedArray as_array_of_map(const Columns& columns, bool is_vector, const Map& map, const ArrayMap& array_map);

/// Infers the dim_data that the ids of `map` number. **Collective.**
infer::InferredDimData infer(const Map& map, const Reshape& how);

/// Makes the array over `columns` on a map whose ids have the dim_data `inferred`. Local; throws Error.
ExportedArray on_map(const Columns& columns, bool is_vector, infer::InferredDimData&& inferred);

/// Applies a copy policy to an exported array. Local; throws Error.
void settle(ExportedArray& exported, const Columns& columns, Copy copy);

/// A vector's data as a Buffer that keeps the memory alive; if the view does not own it, it keeps the vector alive. An
/// RCP is not thread-safe: such a buffer must be released by the thread that uses the vector.
template <class V>
Buffer view_buffer(const Teuchos::RCP<V>& vector) {
  const auto view = [&] {
    if constexpr (std::is_const_v<V>)
      return vector->getLocalViewHost(Tpetra::Access::ReadOnly);
    else
      return vector->getLocalViewHost(Tpetra::Access::ReadWrite);
  }();
  std::shared_ptr<void> owner;
  if (!kokkos::compat::keeps_memory(view)) owner = kokkos::keep(vector);
  Buffer buffer = kokkos::export_buffer(view, std::move(owner));
  if (buffer.shape[1] > 1) buffer.strides[1] = static_cast<Index>(vector->getStride()) * buffer.type.bytes;
  return buffer;
}

/// Local; throws Error.
template <class V>
Columns columns(const Teuchos::RCP<V>& vector, Copy copy) {
  if (vector.is_null()) refuse("the vector is null", "", "give a vector");
  using Device = typename V::dual_view_type::t_dev::memory_space;
  if (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, Device>::accessible)  // or the host view would be a copy
    refuse(std::string("the vector is in ") + Device::name() + " memory", "",
           "use a node type whose memory the host can access");
  if (vector->isConstantStride()) return {view_buffer(vector)};
  if (copy == Copy::never)
    refuse("copy=never, but the vectors are not evenly spaced in memory", "",
           "pass copy=if_needed, or export one vector at a time");
  Columns packed{allocate(element_type<typename V::scalar_type>(),
                          {static_cast<Index>(vector->getNumVectors()), static_cast<Index>(vector->getLocalLength())}),
                 false};
  for (Index j = 0; j < packed.buffer.shape[0]; ++j) {
    const auto column = view_buffer(vector->getVector(static_cast<std::size_t>(j)));
    pack(column, static_cast<std::byte*>(packed.buffer.data) + j * packed.buffer.strides[0]);
  }
  std::swap(packed.buffer.shape[0], packed.buffer.shape[1]);
  std::swap(packed.buffer.strides[0], packed.buffer.strides[1]);
  return packed;
}

template <class V>
inline constexpr bool is_vector = std::is_base_of_v<Tpetra::Vector<typename V::scalar_type>, std::remove_const_t<V>>;

}  // namespace detail

/// An array of `array_map` over the memory of a vector or a MultiVector. The array keeps the memory alive, and is
/// read-only if `V` is const.
///
/// If the vector is over an unmanaged Kokkos view, the array keeps only the vector alive: the memory must then outlive
/// the array. Solvers pass such vectors from their own pool, as Belos does: copy an array that must outlive the solver.
///
/// **Collective**: throws the same Error on every process if the vector's map does not list the ids of `array_map`, if
/// the distribution has padding, which a vector on the map does not hold, or if the vectors' axis does not fit the
/// MultiVector.
template <class V>
ExportedArray export_array(const Teuchos::RCP<V>& vector, const ArrayMap& array_map, Copy copy = Copy::never) {
  const detail::Collective call(array_map.communicator(), "export_array");
  const double begin = detail::now();
  ExportedArray exported = mpi::collectively(array_map.communicator().raw(), [&] {
    const detail::Columns columns = detail::columns(vector, copy);
    ExportedArray made = detail::as_array_of_map(columns, detail::is_vector<V>, *vector->getMap(), array_map);
    detail::settle(made, columns, copy);
    return made;
  });
  exported.receipt.seconds = detail::now() - begin;
  return exported;
}

/// An array over the memory of a vector, with the simplest dim_data that describes the vector's map
/// (tridap/infer/infer_dim_data.hpp). The array of a MultiVector has one more axis, the last, for the vectors. The
/// array keeps the memory alive, and is read-only if `V` is const. **Collective** over the communicator of the vector's
/// map, so the vector must not be null. Throws Error on every process if a process lists an id twice, the map is
/// replicated, or its ids are not those of an array of the given shape.
template <class V>
ExportedArray export_array(const Teuchos::RCP<V>& vector, const Reshape& how = {}, Copy copy = Copy::never) {
  const double begin = detail::now();
  if (vector.is_null()) refuse("the vector is null", "", "give a vector");
  const Communicator comm(vector->getMap()->getComm());
  const detail::Collective call(comm, "export_array");
  infer::InferredDimData inferred = call.run([&] { return detail::infer(*vector->getMap(), how); });
  ExportedArray exported = mpi::collectively(comm.raw(), [&] {
    const detail::Columns columns = detail::columns(vector, copy);
    ExportedArray made = detail::on_map(columns, detail::is_vector<V>, std::move(inferred));
    detail::settle(made, columns, copy);
    return made;
  });
  exported.receipt.seconds = detail::now() - begin;
  return exported;
}

/// The dim_data that export_array() gives to a vector on `map`. **Collective** over the map's communicator.
DimData dim_data(const Map& map, const Reshape& how = {});

}  // namespace tridap::tpetra
