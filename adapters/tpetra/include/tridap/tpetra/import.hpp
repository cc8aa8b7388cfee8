#pragma once

#include <tridap/mpi/agree.hpp>
#include <tridap/receipt.hpp>
#include <tridap/tpetra/array_map.hpp>
#include <tridap/tpetra/scalar.hpp>

#include <Tpetra_BlockMultiVector.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

namespace tridap::tpetra {

/// A vector over an array's memory; for a const `T` one that cannot be written.
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

/// What is asked of an array's memory.
struct ImportRequest {
  enum class Form { vector, multivector, blocks };
  Form form;
  ElementType type;
  bool writable = true;
  Copy copy = Copy::never;
  const char* node_memory = nullptr;  ///< of the vector's node where host memory cannot be it; null: it can
};

struct Dense {
  Buffer buffer;  ///< n x k and column-major with any leading dimension, as a MultiVector's data; in host memory
  Receipt receipt;
};

/// `part` of a buffer that begins at `whole`, walked as `columns`, as dense columns: its own memory, or by
/// `wanted.copy` a packed copy; its own memory, too, where dual_view() copies it to the node's. Local; throws Error.
Dense dense(const void* whole, const Buffer& part, const Buffer& columns, const ImportRequest& wanted);

/// Throws Error where an array is wrong, or is not distributed as `layout` is. Local.
void check_belongs(const DistArray& array, const ArrayMap& layout);

/// Adds what a vector on the map of `layout` cannot say of an array whose memory stands in `order`.
void add_losses(const DistArray& array, const ArrayMap& layout, const MemoryOrder& order, Receipt& receipt);

/// Throws Error where memory can never be what is wanted, copied or not. Local.
void check_memory(const Buffer& buffer, const ImportRequest& wanted);

/// The interior of `array` as dense columns in the order of `layout`: its own memory, or by `wanted.copy` a packed
/// copy. Local; throws Error.
Dense dense_interior(const DistArray& array, const ArrayMap& layout, const ImportRequest& wanted);

/// An array, a layout for it, made here or given, and what is asked of its memory. **Collective.**
struct PreparedImport {
  PreparedImport(const DistArray& array, const Communicator& comm, const ArrayMapOptions& options,
                 const ImportRequest& wanted);
  PreparedImport(const DistArray& array, const ArrayMap& layout, const ImportRequest& wanted);
  PreparedImport(const PreparedImport&) = delete;

  Dense dense() const;                   ///< the array's memory on the layout; local, throws Error
  Receipt receipt(Dense&& dense) const;  ///< the last thing asked: it says what all cost

  double begin;
  const DistArray& array;
  ImportRequest wanted;
  std::optional<ArrayMap> made;
  const ArrayMap& layout;
  Teuchos::RCP<Map> points;  ///< for blocks: where the map of their elements will be

 private:
  void check_form();
};

/// True where vectors whose node has this memory stand over host memory: not on a device, whose kernels would read it.
template <class Space>
inline constexpr bool over_host = kokkos::can_name<Space>(Memory::Kind::host);

/// What `ImportRequest::node_memory` is for a node's memory.
template <class Space>
const char* node_memory() {
  return over_host<Space> ? nullptr : Space::name();
}

template <class T>
using DualView = typename MultiVector<T>::dual_view_type;

template <class T>
ImportRequest wanted(ImportRequest::Form form, Copy copy) {
  static_assert(has_vector<T>, "this element type has no Tpetra form: take double, float, int, long long or complex");
  using Space = typename DualView<T>::t_dev::memory_space;
  return {form, element_type<Scalar<T>>(), !std::is_const_v<T>, copy, node_memory<Space>()};
}

/// A DualView of its own that holds what stands in `columns`, newer on the host: the device has it when it asks for it.
template <class Dual>
Dual copied_dual_view(const Buffer& columns) {
  Dual made(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tridap::tpetra"), columns.shape[0], columns.shape[1]);
  const auto host = made.view_host();
  const auto bytes = static_cast<std::size_t>(columns.shape[0] * columns.type.bytes);
  for (Index j = 0; bytes > 0 && j < columns.shape[1]; ++j)
    std::memcpy(&host(0, j), static_cast<const std::byte*>(columns.data) + j * columns.strides[1], bytes);
  made.modify_host();
  return made;
}

/// The DualView over columns that dense() made, in memory that stays where it is.
template <class Dual>
Dual shared_dual_view(const Buffer& columns) {
  using View = typename Dual::t_dev;
  View view;
  if (columns.strides[1] == columns.shape[0] * columns.type.bytes) {  // nothing that could not fit
    view = View(static_cast<typename View::pointer_type>(columns.data), columns.shape[0], columns.shape[1]);
    kokkos::keep_alive(view, columns.owner);  // without an owner too: so that it is counted where it outlives Kokkos
  } else {
    view = kokkos::shared_as<View>(columns);
  }
  return {view, Kokkos::create_mirror_view(view)};  // the same memory twice
}

/// The DualView of a vector over columns that dense() made: their own memory where the node's vectors stand over host
/// memory, else a copy.
template <class Dual>
Dual dual_view(const Buffer& columns) {
  if constexpr (over_host<typename Dual::t_dev::memory_space>)
    return shared_dual_view<Dual>(columns);
  else
    return copied_dual_view<Dual>(columns);
}

/// What `arrival` becomes, by `construct(view)` from a DualView of its memory. **Collective.** Where TPETRA_DEBUG is
/// set the constructors of vectors communicate; so our own memory is had before.
template <class V, class T, class Construct>
std::pair<Teuchos::RCP<V>, Receipt> imported(const PreparedImport& arrival, const Construct& construct) {
  const MPI_Comm comm = arrival.layout.comm();
  Dense dense;
  DualView<T> view;
  const auto made = mpi::collectively(comm, [&] {
    dense = arrival.dense();
    view = dual_view<DualView<T>>(dense.buffer);
    return Teuchos::rcp(new V);
  });
  mpi::collectively(comm, [&] { *made = construct(view); });
  return {made, arrival.receipt(std::move(dense))};
}

template <class T>
ImportedVector<T> vector(const PreparedImport& arrival) {
  auto [made, receipt] =
      imported<Vector<T>, T>(arrival, [&](const DualView<T>& view) { return Vector<T>(arrival.layout.map(), view); });
  return {made, std::move(receipt)};
}

template <class T>
ImportedMultiVector<T> multivector(const PreparedImport& arrival) {
  auto [made, receipt] = imported<MultiVector<T>, T>(
      arrival, [&](const DualView<T>& view) { return MultiVector<T>(arrival.layout.map(), view); });
  return {made, std::move(receipt)};
}

template <class T>
ImportedBlocks<T> blocks(const PreparedImport& arrival) {
  using Blocks = Tpetra::BlockMultiVector<Scalar<T>>;
  const Map& rows = *arrival.layout.map();
  const auto& whole = arrival.layout.distribution();
  const auto block_size = static_cast<Map::local_ordinal_type>(whole.axis(whole.ndim() - 1).size());
  *arrival.points = Blocks::makePointMap(rows, block_size);
  auto [made, receipt] = imported<Blocks, T>(
      arrival, [&](const DualView<T>& view) { return Blocks(Vector<T>(arrival.points, view), rows, block_size); });
  return {made, std::move(receipt)};
}

}  // namespace detail

/// A vector over the interior of `array` on the map of `layout`: its own memory, with Copy::never; never with
/// Copy::always. The vector, and whatever Tpetra derives from it, keeps a shared array's memory alive. A copy takes no
/// part in later changes of the array.
///
/// `T` is the array's element type, const for read-only memory: `import_vector<const double>(array, layout)` gives a
/// vector that cannot be written. **Collective**: throws the same Error on every process where any process's array is
/// wrong, is none of `layout`, has another element type, or would have to be copied under Copy::never; on a node whose
/// memory is a device's, everything would. Kokkos must be initialised, and outlive the vector.
template <class T>
ImportedVector<T> import_vector(const DistArray& array, const ArrayMap& layout, Copy copy = Copy::never) {
  return detail::vector<T>({array, layout, detail::wanted<T>(detail::ImportRequest::Form::vector, copy)});
}
/// The same with a ArrayMap of its own. **Collective.**
template <class T>
ImportedVector<T> import_vector(const DistArray& array, const Communicator& comm, Copy copy = Copy::never,
                                const ArrayMapOptions& options = {}) {
  return detail::vector<T>({array, comm, options, detail::wanted<T>(detail::ImportRequest::Form::vector, copy)});
}

/// A MultiVector over an array one of whose axes is that of the vectors: `layout.options().vectors_axis`. Memory in
/// which each vector is dense is a view, whatever the leading dimension; else as `copy` says. **Collective**, and in
/// everything else as import_vector().
template <class T>
ImportedMultiVector<T> import_multivector(const DistArray& array, const ArrayMap& layout, Copy copy = Copy::never) {
  return detail::multivector<T>({array, layout, detail::wanted<T>(detail::ImportRequest::Form::multivector, copy)});
}
/// The same with a ArrayMap of its own; where the options name no axis, the vectors' is the last that is not
/// distributed.
/// **Collective.**
template <class T>
ImportedMultiVector<T> import_multivector(const DistArray& array, const Communicator& comm, Copy copy = Copy::never,
                                          const ArrayMapOptions& options = {}) {
  return detail::multivector<T>(
      {array, comm, options, detail::wanted<T>(detail::ImportRequest::Form::multivector, copy)});
}

/// A row-major array whose last axis is not distributed as one vector of blocks, where a MultiVector would have to
/// copy: block `i` is row `i`, and its length the extent of the last axis. **Collective**, and in everything else as
/// import_vector().
template <class T>
ImportedBlocks<T> import_block_vector(const DistArray& array, const Communicator& comm, Copy copy = Copy::never,
                                      const ArrayMapOptions& options = {}) {
  return detail::blocks<T>({array, comm, options, detail::wanted<T>(detail::ImportRequest::Form::blocks, copy)});
}

}  // namespace tridap::tpetra
