#pragma once

#include <tridap/detail/refuse.hpp>
#include <tridap/device_stream.hpp>
#include <tridap/infer/infer_dim_data.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/receipt.hpp>
#include <tridap/tpetra/array_map.hpp>
#include <tridap/tpetra/node_memory.hpp>
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

/// The side of a vector on a node with device memory. On a node of the host both sides are the same memory.
enum class Side {
  /// The device, unless the host side alone has the newest values: nothing is brought up to date. Each process decides
  /// for itself: name a side for an array that collective calls use.
  newest,
  device,
  host,
};

/// How a vector is exported.
struct ExportOptions {
  ExportOptions(Copy policy = Copy::never, Side of_memory = Side::newest, DeviceStream next_used_on = {})
      : copy(policy), side(of_memory), stream(next_used_on) {}
  Copy copy;
  Side side;  ///< an older side is first brought up to date; the receipt has the bytes
  /// The stream on which the array is used next, if it is in memory of a device: it waits for the kernels that wrote
  /// the vector on Kokkos' default stream, and the host does not. Absent: the host waits for all kernels.
  DeviceStream stream;
};

namespace detail {

/// The columns of a vector or a MultiVector in its own memory: n x k with any leading dimension.
struct Columns {
  Buffer buffer;
  bool in_place = true;  ///< false: the columns of the MultiVector were not evenly spaced, and are packed here
  Index bytes_synchronized = 0;
};

/// Makes the array of `array_map` over `columns`, whose map is `map`. Local; throws Error.
ExportedArray as_array_of_map(const Columns& columns, bool is_vector, const Map& map, const ArrayMap& array_map);

/// Infers the dim_data that the ids of `map` number. **Collective.**
infer::InferredDimData infer(const Map& map, const Reshape& how);

/// Makes the array over `columns` on a map whose ids have the dim_data `inferred`. Local; throws Error.
ExportedArray on_map(const Columns& columns, bool is_vector, infer::InferredDimData&& inferred);

/// Applies a copy policy to an exported array. Local; throws Error.
void settle(ExportedArray& exported, const Columns& columns, Copy copy);
/// The columns of a MultiVector one after the other, in the memory of the first. Local; throws Error.
Columns packed_columns(const std::vector<Buffer>& columns, const ElementType& type, Index rows);

/// A vector's data as a Buffer that keeps the memory alive. If its node's memory is the host's, the buffer keeps the
/// view, and the vector only if the view does not own the memory. A view of a device blocks the other side of the
/// vector as long as it lives, so there the buffer keeps the vector. An RCP is not thread-safe: such a buffer must be
/// released by the thread that uses the vector.
template <class V, class Get>
Buffer view_buffer(const Teuchos::RCP<V>& vector, const Get& get) {
  const auto view = [&] {
    if constexpr (std::is_const_v<V>)
      return get(Tpetra::Access::ReadOnly);
    else
      return get(Tpetra::Access::ReadWrite);
  }();
  using View = std::decay_t<decltype(view)>;
  Buffer buffer;
  if constexpr (over_host<typename V::dual_view_type::t_dev::memory_space>) {
    std::shared_ptr<void> owner;
    if (!kokkos::compat::keeps_memory(view)) owner = kokkos::keep(vector);
    buffer = kokkos::export_buffer(view, std::move(owner));
  } else {
    using Bare = Kokkos::View<typename View::data_type, typename View::array_layout, typename View::device_type,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    buffer = kokkos::export_buffer(Bare(view), kokkos::keep(vector));
  }
  if (buffer.shape[1] > 1) buffer.strides[1] = static_cast<Index>(vector->getStride()) * buffer.type.bytes;
  return buffer;
}

/// Whether the values are taken from the device's side.
template <class V>
bool takes_device(const V& vector, Side side) {
  if constexpr (over_host<typename V::dual_view_type::t_dev::memory_space>)
    return false;
  else
    return side == Side::device || (side == Side::newest && !vector.need_sync_device());
}

/// One side of the memory of a vector; what was written there by Tpetra's kernels has ended, or is ordered before the
/// stream.
template <class V>
Buffer side_buffer(const Teuchos::RCP<V>& vector, bool device, DeviceStream stream) {
  if (device) {
    Buffer buffer = view_buffer(vector, [&](auto access) { return vector->getLocalViewDevice(access); });
    if (!stream.number)
      Kokkos::fence();
    else
      let_wait(buffer.memory, stream);
    return buffer;
  }
  Buffer buffer = view_buffer(vector, [&](auto access) { return vector->getLocalViewHost(access); });
  buffer.memory = {};  // also if the device reaches it
  return buffer;
}

/// Local; throws Error.
template <class V>
Columns columns(const Teuchos::RCP<V>& vector, const ExportOptions& options) {
  if (vector.is_null()) refuse("the vector is null", "", "give a vector");
  const bool device = takes_device(*vector, options.side);
  const bool older = device ? vector->need_sync_device() : vector->need_sync_host();
  const auto rows = static_cast<Index>(vector->getLocalLength()), count = static_cast<Index>(vector->getNumVectors());
  const ElementType type = element_type<typename V::scalar_type>();
  Columns made;
  if (vector->isConstantStride()) {
    made.buffer = side_buffer(vector, device, options.stream);
  } else {
    if (options.copy == Copy::never)
      refuse("copy=never, but the vectors are not evenly spaced in memory", "",
             "pass copy=if_needed, or export one vector at a time");
    std::vector<Buffer> each;
    for (Index j = 0; j < count; ++j)
      each.push_back(side_buffer(vector->getVector(static_cast<std::size_t>(j)), device, options.stream));
    made = packed_columns(each, type, rows);
  }
  if (older) made.bytes_synchronized = rows * count * type.bytes;
  return made;
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
/// On a node with device memory, `options.side` says which side of the vector the array is over. Kernels that write it
/// have ended, unless `options.stream` waits for them. The vector is marked as modified on this side, unless `V` is
/// const. What you write into the array later is on this side alone: mark it again, by a call of getLocalViewDevice()
/// or getLocalViewHost() with write access, before the vector is used. If the vector later brings its other side up to
/// date, the array does not follow.
///
/// **Collective**: throws the same Error on every process if the vector's map does not list the ids of `array_map`, if
/// the distribution has padding, which a vector on the map does not hold, or if the vectors' axis does not fit the
/// MultiVector.
template <class V>
ExportedArray export_array(const Teuchos::RCP<V>& vector, const ArrayMap& array_map,
                           const ExportOptions& options = {}) {
  const detail::Collective call(array_map.communicator(), "export_array");
  const double begin = detail::now();
  ExportedArray exported = mpi::collectively(array_map.communicator().raw(), [&] {
    const detail::Columns columns = detail::columns(vector, options);
    ExportedArray made = detail::as_array_of_map(columns, detail::is_vector<V>, *vector->getMap(), array_map);
    detail::settle(made, columns, options.copy);
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
ExportedArray export_array(const Teuchos::RCP<V>& vector, const Reshape& how = {}, const ExportOptions& options = {}) {
  const double begin = detail::now();
  if (vector.is_null()) refuse("the vector is null", "", "give a vector");
  const Communicator comm(vector->getMap()->getComm());
  const detail::Collective call(comm, "export_array");
  infer::InferredDimData inferred = call.run([&] { return detail::infer(*vector->getMap(), how); });
  ExportedArray exported = mpi::collectively(comm.raw(), [&] {
    const detail::Columns columns = detail::columns(vector, options);
    ExportedArray made = detail::on_map(columns, detail::is_vector<V>, std::move(inferred));
    detail::settle(made, columns, options.copy);
    return made;
  });
  exported.receipt.seconds = detail::now() - begin;
  return exported;
}

/// The dim_data that export_array() gives to a vector on `map`. **Collective** over the map's communicator.
DimData dim_data(const Map& map, const Reshape& how = {});

}  // namespace tridap::tpetra
