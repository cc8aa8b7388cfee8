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

/// What a map's ids are read as; the same on every process.
struct Reshape {
  std::optional<std::vector<Index>> shape =
      {};  ///< ids are row-major numbers in an array of this shape; nothing: one axis
  std::optional<std::vector<Index>> grid = {};  ///< the process grid, where it is known
  /// The id of the first element; nothing: the map's own index base. A contiguous map of ids that do not begin at 0, as
  /// those of a periodic array's interior, has the first of them there.
  std::optional<Index> index_base = {};
};

namespace detail {

/// The columns of a vector or a MultiVector in its own memory: n x k with any leading dimension.
struct Columns {
  Buffer buffer;
  bool in_place = true;  ///< false: columns of a MultiVector that stand anywhere; they were packed
};

/// Puts together the array that `columns` on `map` are in `layout`. Local; throws Error.
ExportedArray in_layout(const Columns& columns, bool is_vector, const Map& map, const ArrayMap& layout);

/// What the ids of `map` are read as. **Collective.**
infer::InferredDimData infer(const Map& map, const Reshape& how);

/// Puts together the array that `columns` on a map are, whose ids are `inferred`. Local; throws Error.
ExportedArray on_map(const Columns& columns, bool is_vector, infer::InferredDimData&& inferred);

/// Applies a copy policy to what was put together. Local; throws Error.
void settle(ExportedArray& exported, const Columns& columns, Copy copy);

/// A vector's data as a Buffer that keeps the memory alive, and the vector itself where the memory is nobody's. An RCP
/// is not thread-safe: such a buffer must be released by the thread that uses the vector.
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
           "use a node type whose memory the host reaches");
  if (vector->isConstantStride()) return {view_buffer(vector)};
  if (copy == Copy::never)
    refuse("copy=never, but the vectors stand at uneven distances in memory", "",
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

/// The memory of a vector, or a MultiVector, as an array of `layout`; the array keeps it alive, and cannot be written
/// where `V` is const. Over an unmanaged Kokkos view the array keeps the vector alive, which does not keep the memory:
/// this must then outlive the array. Such are vectors that a solver lends from a pool of its own, as Belos does: copy
/// what shall outlive the solver. **Collective**: throws the same Error on every process where the map does not list
/// the ids of `layout`, the layout has padding, which a vector does not hold, or has a vectors' axis where a
/// MultiVector does not fit it.
template <class V>
ExportedArray export_array(const Teuchos::RCP<V>& vector, const ArrayMap& layout, Copy copy = Copy::never) {
  const double begin = detail::now();
  ExportedArray exported = mpi::collectively(layout.comm(), [&] {
    const detail::Columns columns = detail::columns(vector, copy);
    ExportedArray made = detail::in_layout(columns, detail::is_vector<V>, *vector->getMap(), layout);
    detail::settle(made, columns, copy);
    return made;
  });
  exported.receipt.seconds = detail::now() - begin;
  return exported;
}

/// The memory of a vector as an array with the simplest true dim_data that its map has
/// (tridap/infer/infer_dim_data.hpp); that of a MultiVector has one axis more, the last, for the vectors. The array
/// keeps the memory alive, and cannot be written where `V` is const. **Collective** over the communicator of the
/// vector's map, so the vector must not be null. Throws Error on every process where an id stands twice on one, the map
/// is replicated, or its ids are none of an array of the shape that is given.
template <class V>
ExportedArray export_array(const Teuchos::RCP<V>& vector, const Reshape& how = {}, Copy copy = Copy::never) {
  const double begin = detail::now();
  if (vector.is_null()) refuse("the vector is null", "", "give a vector");
  const Communicator comm(vector->getMap()->getComm());
  infer::InferredDimData inferred = detail::infer(*vector->getMap(), how);
  ExportedArray exported = mpi::collectively(comm.raw(), [&] {
    const detail::Columns columns = detail::columns(vector, copy);
    ExportedArray made = detail::on_map(columns, detail::is_vector<V>, std::move(inferred));
    detail::settle(made, columns, copy);
    return made;
  });
  exported.receipt.seconds = detail::now() - begin;
  return exported;
}

/// The simplest true dim_data of the elements that a map's ids stand for. **Collective** over its communicator.
DimData dim_data(const Map& map, const Reshape& how = {});

}  // namespace tridap::tpetra
