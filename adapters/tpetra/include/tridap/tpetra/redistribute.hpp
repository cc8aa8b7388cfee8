#pragma once

#include <tridap/detail/refuse.hpp>
#include <tridap/redistribute/redistribution.hpp>
#include <tridap/tpetra/export.hpp>
#include <tridap/tpetra/scalar.hpp>

namespace tridap::tpetra {

/// How a map's ids number an array's elements, and how the elements move; the same on every process. `mapping.ravel` is
/// the order in which global indices become flat numbers; nothing: row-major. With `mapping.partial`, elements that the
/// map does not list are left out. Ids of a contiguous map that are not elements then stay 0 in the vector. `order` is
/// the memory order of the arrays that a plan makes.
struct RedistributeOptions : redistribute::Options {
  UnstructuredIds unstructured_ids =
      UnstructuredIds::with_gaps;        ///< whether the gaps of an unstructured axis count in the ids
  std::optional<Index> index_base = {};  ///< the id of the flat number 0; nothing: the map's own index base
  bool reorder = false;  ///< redistribute_to(): the order of the processes may differ from that of the process grid
};

/// A plan that moves arrays distributed as `source` to vectors on `map`: `plan(array, as_array(vector))`. The
/// distribution and the map may be any. Make the plan once for any number of moves. `element_bytes` is the length of
/// one element of the array.
///
/// A vector's element gets the array element whose flat number is its id. Example: over two processes, a 2 x 3 array is
/// distributed by columns, {0, 1 | 2}. A uniform map has the ids {0, 1, 2} and {3, 4, 5}: process 0 sends its elements
/// 3 and 4.
///
/// For a contiguous map the plan needs only the size of each process's range, in one message. For maps with lists of
/// ids and replicated maps, each process sends its ids to the owners of these elements. Communication padding does not
/// move. The edges of a periodic axis have flat numbers, and the map must list them like all other elements.
///
/// **Collective** over the map's communicator; the ranks in `source` are its ranks. Throws the same Error on every
/// process if an id is not an element, an element is not listed, or the arguments of processes differ. Several
/// processes may list one id.
redistribute::Redistribution plan_to(const Teuchos::RCP<const Map>& map, const redistribute::PlacedDistribution& source,
                                     Index element_bytes, const RedistributeOptions& options = {});
/// A plan for the other direction: `plan(as_array(vector), array)`, or `plan(as_array(vector))` for a new array in
/// memory that the processes of a node share. The map must be one-to-one. **Collective**, and in everything else as
/// plan_to().
redistribute::Redistribution plan_from(const Teuchos::RCP<const Map>& map,
                                       const redistribute::PlacedDistribution& target, Index element_bytes,
                                       const RedistributeOptions& options = {});

namespace detail {

/// The distribution of an array over the processes of a map, for a vector of elements `wanted`. **Collective.**
redistribute::PlacedDistribution place_source(const Teuchos::RCP<const Map>& map, const DistArray& array,
                                              const ElementType& wanted, const RedistributeOptions& options);

}  // namespace detail

/// The memory of a vector as one side of a plan; it keeps the vector's memory alive. Local. For a null vector it is an
/// empty DistArray, which the plan refuses on every process. On a node with device memory it is the host side, which is
/// brought up to date and marked as modified by this call: call it again before each move.
template <class V>
DistArray as_array(const Teuchos::RCP<V>& vector) {
  static_assert(detail::is_vector<V>, "a plan moves to and from vectors: give the vectors of a MultiVector one by one");
  DistArray array;
  if (vector.is_null()) return array;
  array.buffer = detail::columns(vector, {Copy::never, Side::host}).buffer;
  array.buffer.shape.resize(1);
  array.buffer.strides.resize(1);
  return array;
}

/// A new vector on `map` with a copy of the elements of `array`, found by their flat numbers. `T` is the array's
/// element type, or, with `options.convert`, a type that it converts to. **Collective** over the map's communicator, so
/// the map must not be null; throws as tridap::mpi::gather_distribution, plan_to() and moves do. For several arrays of
/// one distribution, call plan_to() once.
template <class T>
Teuchos::RCP<Vector<T>> redistribute_to(const Teuchos::RCP<const Map>& map, const DistArray& array,
                                        const RedistributeOptions& options = {}) {
  static_assert(has_vector<T> && !std::is_const_v<T>,
                "this element type has no Tpetra form: take double, float, int, long long or complex");
  if (map.is_null()) refuse("the map is null", "", "give a map");
  const detail::Region region("tridap::tpetra::redistribute_to");
  const Communicator comm(map->getComm());
  const detail::Collective call(comm, "redistribute_to");
  const redistribute::PlacedDistribution source = detail::place_source(map, array, element_type<Scalar<T>>(), options);
  redistribute::Redistribution plan = plan_to(map, source, array.buffer.type.bytes, options);
  DistArray target;
  const auto vector = mpi::collectively(comm.raw(), [&] {
    const auto made = Teuchos::rcp(new Vector<T>(map, options.mapping.partial));  // partial: zeros where nothing comes
    target = as_array(made);
    return made;
  });
  plan(array, target);
  return vector;
}

/// A new array, distributed as `target`, with a copy of a vector's elements, found by their flat numbers. It is in
/// memory that the processes of a node share, and keeps this memory alive. Padding is not filled:
/// redistribute::update_padding() does that.
/// **Collective** over the vector's communicator, so the vector must not be null; throws as plan_from() and moves do.
template <class V>
DistArray redistribute_from(const Teuchos::RCP<V>& vector, const redistribute::PlacedDistribution& target,
                            const RedistributeOptions& options = {}) {
  if (vector.is_null()) refuse("the vector is null", "", "give a vector");
  const detail::Region region("tridap::tpetra::redistribute_from");
  const Communicator comm(vector->getMap()->getComm());
  const detail::Collective call(comm, "redistribute_from");
  redistribute::Redistribution plan =
      plan_from(vector->getMap(), target, static_cast<Index>(sizeof(typename V::scalar_type)), options);
  return plan(mpi::collectively(comm.raw(), [&] { return as_array(vector); }));
}

}  // namespace tridap::tpetra
