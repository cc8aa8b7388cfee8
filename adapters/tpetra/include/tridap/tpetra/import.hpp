#pragma once

#include <tridap/device_stream.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/receipt.hpp>
#include <tridap/tpetra/array_map.hpp>
#include <tridap/tpetra/node_memory.hpp>
#include <tridap/tpetra/scalar.hpp>

#include <Tpetra_BlockMultiVector.hpp>

#include <cstddef>
#include <cstring>
#include <functional>
#include <utility>

namespace tridap::tpetra {

/// How an array is imported. A copy policy alone is enough: `import_vector<double>(array, map, Copy::if_needed)`.
struct ImportOptions {
  ImportOptions(Copy policy = Copy::never, DeviceStream last_written_on = {}) : copy(policy), stream(last_written_on) {}
  Copy copy;
  DeviceStream stream;  ///< on which an array in memory of a device was last written: the import waits for it
};

/// A vector over an array's memory; const if `T` is const.
template <class T>
struct ImportedVector {
  Teuchos::RCP<ConstAs<T, Vector<T>>> vector;
  Receipt receipt;
};
/// A MultiVector over an array's memory.
template <class T>
struct ImportedMultiVector {
  Teuchos::RCP<ConstAs<T, MultiVector<T>>> multivector;
  Receipt receipt;
};

/// A vector of blocks over an array's memory.
template <class T>
struct ImportedBlocks {
  Teuchos::RCP<ConstAs<T, Tpetra::BlockMultiVector<Scalar<T>>>> block_vector;
  Receipt receipt;
};

namespace detail {

/// What a caller requires of an array's memory.
struct ImportRequest {
  enum class Form { vector, multivector, blocks };
  Form form;
  ElementType type;
  bool writable = true;
  Copy copy = Copy::never;
  NodeMemory node = {};            ///< where the vectors have their values
  const char* argument = nullptr;  ///< the array's name, for messages: "b"; null: they name the Tpetra object
  /// Row-major host memory for a copy; empty: allocate().
  std::function<Buffer(ElementType, const IndexList&)> copy_memory = {};
  DeviceStream stream = {};  ///< on which an array in memory of a device was last written
};

struct Dense {
  /// n x k and column-major with any leading dimension, as a MultiVector's data. In the node's memory; or in host
  /// memory, if dual_view() copies it from there.
  Buffer buffer;
  Receipt receipt;
};

/// `part` of a buffer that begins at `whole`, read in the order of `columns`, as dense columns: its own memory, or a
/// packed copy if `wanted.copy` allows it. A copy for a device is made on the side where the elements are; dense host
/// memory is given as it is, for dual_view() to copy. Local; throws Error.
Dense dense(const void* whole, const Buffer& part, const Buffer& columns, const ImportRequest& wanted);

/// Throws Error if an array is wrong, or its distribution is not that of `array_map`. Local.
void check_belongs(const DistArray& array, const ArrayMap& array_map);

/// Adds the properties that a vector on `array_map` cannot express, for an array whose memory order is `order`.
void add_losses(const DistArray& array, const ArrayMap& array_map, const MemoryOrder& order, Receipt& receipt);

/// Throws Error if the memory can be neither shared nor copied for the request. Local.
void check_memory(const Buffer& buffer, const ImportRequest& wanted);

/// The interior of `array` as dense columns in the order of `array_map`: its own memory, or a packed copy if
/// `wanted.copy` allows it. Local; throws Error.
Dense dense_interior(const DistArray& array, const ArrayMap& array_map, const ImportRequest& wanted);

/// An array, its ArrayMap (made here or given), and what the caller requires of its memory. **Collective.**
struct PreparedImport {
  PreparedImport(const DistArray& array, const Communicator& comm, const ArrayMapOptions& options,
                 const ImportRequest& wanted);
  PreparedImport(const DistArray& array, const ArrayMap& array_map, const ImportRequest& wanted);
  PreparedImport(const PreparedImport&) = delete;

  Dense dense() const;                   ///< the array's memory on the map; local, throws Error
  Receipt receipt(Dense&& dense) const;  ///< call it last: its seconds count from the constructor
  bool is_shared_everywhere() const;     ///< the memory of every process can be shared: dense() does not fail

  double begin;
  const DistArray& array;
  ImportRequest wanted;
  /// What has a constructor of ArrayMap that others must not call.
  struct Made {
    Made(const DistArray& array, const Communicator& comm, const ArrayMapOptions& options, const ImportRequest& wanted);
    ArrayMap map;
  };
  std::optional<Made> made;
  const ArrayMap& array_map;

 private:
  void check_form();
};

template <class T>
using DualView = typename MultiVector<T>::dual_view_type;

template <class T>
ImportRequest wanted(ImportRequest::Form form, const ImportOptions& how) {
  static_assert(has_vector<T>, "this element type has no Tpetra form: take double, float, int, long long or complex");
  using Space = typename DualView<T>::t_dev::memory_space;
  ImportRequest request{form, element_type<Scalar<T>>(), !std::is_const_v<T>, how.copy, node_memory<Space>()};
  request.stream = how.stream;
  return request;
}

/// A new DualView with a copy of `columns`. It is marked as modified on the host, so that the device copies it on first
/// use.
template <class Dual>
Dual copied_dual_view(const Buffer& columns) {
  Dual made(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tridap::tpetra"),
            static_cast<std::size_t>(columns.shape[0]), static_cast<std::size_t>(columns.shape[1]));
  const auto host = made.view_host();
  const auto bytes = static_cast<std::size_t>(columns.shape[0] * columns.type.bytes);
  for (Index j = 0; bytes > 0 && j < columns.shape[1]; ++j)
    std::memcpy(&host(0, j), static_cast<const std::byte*>(columns.data) + j * columns.strides[1], bytes);
  made.modify_host();
  return made;
}

/// A view of the node's memory over columns that dense() made there.
template <class View>
View view_of_columns(const Buffer& columns) {
  View view;
  // Contiguous memory, as that of a device always is, needs no check.
  if (columns.shape[0] == 0 || columns.strides[1] == columns.shape[0] * columns.type.bytes) {
    const auto rows = static_cast<std::size_t>(columns.shape[0]), count = static_cast<std::size_t>(columns.shape[1]);
    view = View(static_cast<typename View::pointer_type>(columns.data), rows, count);
    kokkos::keep_alive(view, columns.owner);  // also without an owner, so that a view that outlives Kokkos is counted
  } else {
    view = kokkos::shared_as<View>(columns);
  }
  return view;
}

/// A DualView over device memory. Its host side is allocated, since a DualView cannot get one later, but not touched:
/// it takes no memory until the host is used. It is marked as modified on the device.
template <class Dual>
Dual device_dual_view(const Buffer& columns) {
  const auto view = view_of_columns<typename Dual::t_dev>(columns);
  if constexpr (std::is_same_v<typename Dual::t_dev::memory_space, typename Dual::t_host::memory_space>) {
    return {view, Kokkos::create_mirror_view(view)};  // the host reaches the device's memory: the same memory twice
  } else {
    const auto rows = static_cast<std::size_t>(columns.shape[0]), count = static_cast<std::size_t>(columns.shape[1]);
    using Host = typename Dual::t_host;
    Dual made(view, Host(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tridap::tpetra"), rows, count));
    made.modify_device();
    return made;
  }
}

/// The DualView of a vector over columns that dense() made: over their own memory if it is the node's, else a copy.
template <class Dual>
Dual dual_view(const Buffer& columns) {
  if constexpr (over_host<typename Dual::t_dev::memory_space>) {
    const auto view = view_of_columns<typename Dual::t_dev>(columns);
    return {view, Kokkos::create_mirror_view(view)};  // the same memory twice
  } else {
    return columns.memory.is_on_host() ? copied_dual_view<Dual>(columns) : device_dual_view<Dual>(columns);
  }
}

/// Calls `work`, which reads and writes the host side of a vector's memory. On a device, the values come to the host
/// before, and go back after. There Tpetra allows no access while a view of the other side is alive: the processes of
/// `comm` agree first that each has access to both sides, so that all throw if one has not. **Collective.**
template <class V, class Work>
void on_host_side(V& vector, MPI_Comm comm, const Work& work) {
  using Host = decltype(vector.getLocalViewHost(Tpetra::Access::ReadWrite));
  const auto host = [&] {
    const InTrilinos inside;
    return vector.getLocalViewHost(Tpetra::Access::ReadWrite);
  };
  if constexpr (over_host<typename V::dual_view_type::t_dev::memory_space>) {
    const Host view = host();
    work();
  } else {
    const auto device = [&] {
      const InTrilinos inside;
      vector.getLocalViewDevice(Tpetra::Access::ReadOnly);
    };
    {
      const Host view = mpi::collectively(comm, [&] {
        device();
        return host();
      });
      work();
    }
    device();
  }
}

/// The array's memory on the map, as a vector has it. Local; throws Error.
template <class T>
struct Viewed {
  explicit Viewed(const PreparedImport& prepared)
      : dense(prepared.dense()), view(dual_view<DualView<T>>(dense.buffer)) {}

  Dense dense;
  DualView<T> view;
};

/// The vector that `construct(view)` makes from a DualView of the array's memory. **Collective.** If TPETRA_DEBUG is
/// set, the constructors of vectors communicate: the processes have agreed before that each has its memory.
template <class V, class T, class Construct>
std::pair<Teuchos::RCP<V>, Receipt> imported(const PreparedImport& prepared, const Construct& construct) {
  const auto made_of = [&](Viewed<T>&& viewed) -> std::pair<Teuchos::RCP<V>, Receipt> {
    return {Teuchos::rcp(new V(construct(viewed.view))), prepared.receipt(std::move(viewed.dense))};
  };
  if (prepared.is_shared_everywhere()) return made_of(Viewed<T>(prepared));
  return made_of(mpi::collectively(prepared.array_map.communicator().raw(), [&] { return Viewed<T>(prepared); }));
}

template <class T>
ImportedVector<T> vector(const PreparedImport& prepared) {
  auto [made, receipt] = imported<Vector<T>, T>(
      prepared, [&](const DualView<T>& view) { return Vector<T>(prepared.array_map.map(), view); });
  return {std::move(made), std::move(receipt)};
}

template <class T>
ImportedMultiVector<T> multivector(const PreparedImport& prepared) {
  auto [made, receipt] = imported<MultiVector<T>, T>(
      prepared, [&](const DualView<T>& view) { return MultiVector<T>(prepared.array_map.map(), view); });
  return {std::move(made), std::move(receipt)};
}

template <class T>
ImportedBlocks<T> blocks(const PreparedImport& prepared) {
  using Blocks = Tpetra::BlockMultiVector<Scalar<T>>;
  const Map& rows = *prepared.array_map.map();
  const auto& whole = prepared.array_map.distribution();
  const auto block_size = static_cast<Map::local_ordinal_type>(whole.axis(whole.ndim() - 1).size());
  const auto points = Teuchos::rcp(new Map(Blocks::makePointMap(rows, block_size)));
  auto [made, receipt] = imported<Blocks, T>(
      prepared, [&](const DualView<T>& view) { return Blocks(Vector<T>(points, view), rows, block_size); });
  return {std::move(made), std::move(receipt)};
}

}  // namespace detail

/// A vector over the interior of `array`, on the map of `array_map`. With Copy::never it shares the array's memory;
/// with Copy::always it does not. The vector, and whatever Tpetra derives from it, keeps a shared array's memory alive.
/// A copied vector does not see later changes of the array.
///
/// `T` is the array's element type, const for read-only memory: `import_vector<const double>(array, array_map)` gives a
/// const vector. **Collective**: throws the same Error on every process if, on any process, the array is wrong, its
/// distribution is not that of `array_map`, its element type is not `T`, or Copy::never is given and a copy is needed.
///
/// On a node with device memory, an array in this memory is shared: the vector's device side has its address, and is
/// marked as the newer one. An array in host memory needs a copy there, and one in device memory on a node of the host.
/// The call returns when the work on the legacy default stream of the device has ended, and that on `how.stream`.
/// Kokkos must be initialised, and must outlive the vector.
template <class T>
ImportedVector<T> import_vector(const DistArray& array, const ArrayMap& array_map, const ImportOptions& how = {}) {
  const detail::Collective call(array_map.communicator(), "import_vector");
  return call.run([&] {
    return detail::vector<T>({array, array_map, detail::wanted<T>(detail::ImportRequest::Form::vector, how)});
  });
}
/// The same with a new ArrayMap of the array. **Collective.**
template <class T>
ImportedVector<T> import_vector(const DistArray& array, const Communicator& comm, const ImportOptions& how = {},
                                const ArrayMapOptions& options = {}) {
  const detail::Collective call(comm, "import_vector");
  return call.run([&] {
    return detail::vector<T>({array, comm, options, detail::wanted<T>(detail::ImportRequest::Form::vector, how)});
  });
}

/// A MultiVector over an array with an axis for its vectors: `array_map.options().vectors_axis`. If each vector is
/// dense in memory, the MultiVector is a view, with any leading dimension; else `how.copy` decides. **Collective**, and
/// in everything else as import_vector().
template <class T>
ImportedMultiVector<T> import_multivector(const DistArray& array, const ArrayMap& array_map,
                                          const ImportOptions& how = {}) {
  const detail::Collective call(array_map.communicator(), "import_multivector");
  return call.run([&] {
    return detail::multivector<T>({array, array_map, detail::wanted<T>(detail::ImportRequest::Form::multivector, how)});
  });
}
/// The same with a new ArrayMap of the array. If the options name no vectors' axis, it is the last axis that is not
/// distributed. **Collective.**
template <class T>
ImportedMultiVector<T> import_multivector(const DistArray& array, const Communicator& comm,
                                          const ImportOptions& how = {}, const ArrayMapOptions& options = {}) {
  const detail::Collective call(comm, "import_multivector");
  return call.run([&] {
    return detail::multivector<T>(
        {array, comm, options, detail::wanted<T>(detail::ImportRequest::Form::multivector, how)});
  });
}

/// A vector of blocks over a row-major array whose last axis is not distributed; a MultiVector would need a copy. Block
/// `i` is row `i`, and its length is the extent of the last axis. **Collective**, and in everything else as
/// import_vector().
template <class T>
ImportedBlocks<T> import_block_vector(const DistArray& array, const Communicator& comm, const ImportOptions& how = {},
                                      const ArrayMapOptions& options = {}) {
  const detail::Collective call(comm, "import_block_vector");
  return call.run([&] {
    return detail::blocks<T>({array, comm, options, detail::wanted<T>(detail::ImportRequest::Form::blocks, how)});
  });
}

}  // namespace tridap::tpetra
