#pragma once

#include <tridap/detail/refuse.hpp>
#include <tridap/redistribute/redistribution.hpp>
#include <tridap/tpetra/export.hpp>
#include <tridap/tpetra/scalar.hpp>

namespace tridap::tpetra {

/// How a map's ids number an array's elements, and how these move; the same on every process. `mapping.ravel` is the
/// order in which global indices become flat numbers; nothing: row-major. With `mapping.partial`, elements that the map
/// does not list are left out, and ids of a contiguous map that no element has stay 0 in the vector. `order` is the
/// memory order of the arrays that a plan makes.
struct RedistributeOptions : redistribute::Options {
  UnstructuredIds unstructured_ids =
      UnstructuredIds::with_gaps;        ///< whether the gaps of an unstructured axis count in the ids
  std::optional<Index> index_base = {};  ///< the id of the flat number 0; nothing: the map's own index base
  bool reorder = false;  ///< redistribute_to(): the processes may stand in another order than the process grid's
};

/// The plan that brings arrays distributed as `source` to vectors on `map`, whatever their distribution and the map:
/// `plan(array, as_array(vector))`, once for as many moves as there are.
///
/// Elements go by their flat numbers. Over two processes, a 2 x 3 array dealt by columns, {0, 1 | 2}, comes to a
/// uniform map as {0, 1, 2} and {3, 4, 5}: process 0 sends its 3 and 4. A contiguous map is planned in closed form,
/// after one message with what each process has of it; for lists and replicated maps each process tells those who have
/// what it lists. Padding stays where it is; that of a periodic axis's edges has numbers, and must be listed as all
/// else.
///
/// **Collective** over the map's communicator, of which `source` names the ranks: throws the same Error on every
/// process or on none, where an id is no element, an element is not listed, or processes gave different things. Several
/// processes may list one id.
redistribute::Redistribution plan_to(const Teuchos::RCP<const Map>& map, const redistribute::PlacedDistribution& source,
                                     Index element_bytes, const RedistributeOptions& options = {});
/// The way back: `plan(as_array(vector), array)`, or `plan(as_array(vector))` for an array in pooled memory. The map
/// must be one-to-one. **Collective**, and in everything else as plan_to().
redistribute::Redistribution plan_from(const Teuchos::RCP<const Map>& map,
                                       const redistribute::PlacedDistribution& target, Index element_bytes,
                                       const RedistributeOptions& options = {});

namespace detail {

/// How an array that becomes a vector of `wanted` stands on the processes of a map. **Collective.**
redistribute::PlacedDistribution place_source(const Teuchos::RCP<const Map>& map, const DistArray& array,
                                              const ElementType& wanted, const RedistributeOptions& options);

}  // namespace detail

/// The memory of a vector as one side of a plan; it keeps the vector's memory alive. Local. A null vector is none, and
/// the plan refuses it on every process.
template <class V>
DistArray as_array(const Teuchos::RCP<V>& vector) {
  static_assert(detail::is_vector<V>, "a plan moves to and from vectors: give the columns of a MultiVector one by one");
  DistArray array;
  if (vector.is_null()) return array;
  array.buffer = detail::columns(vector, Copy::never).buffer;
  array.buffer.shape.resize(1);
  array.buffer.strides.resize(1);
  return array;
}

/// A new vector on `map` that holds the elements of `array` by their flat numbers: a copy, wherever they stand. `T` is
/// the array's element type, or, with `options.convert`, one that it becomes. **Collective** over the map's
/// communicator, so the map must not be null; throws as tridap::mpi::gather_distribution, plan_to() and moves do. For
/// several arrays of one distribution, plan_to() once.
template <class T>
Teuchos::RCP<Vector<T>> redistribute_to(const Teuchos::RCP<const Map>& map, const DistArray& array,
                                        const RedistributeOptions& options = {}) {
  static_assert(has_vector<T> && !std::is_const_v<T>,
                "this element type has no Tpetra form: take double, float, int, long long or complex");
  const redistribute::PlacedDistribution source = detail::place_source(map, array, element_type<Scalar<T>>(), options);
  redistribute::Redistribution plan = plan_to(map, source, array.buffer.type.bytes, options);
  DistArray target;
  const auto vector = mpi::collectively(Communicator(map->getComm()).raw(), [&] {
    const auto made = Teuchos::rcp(new Vector<T>(map, options.mapping.partial));  // partial: zeros where nothing comes
    target = as_array(made);
    return made;
  });
  plan(array, target);
  return vector;
}

/// A new array, distributed as `target`, that holds what stands in a vector at the flat numbers of its elements: a copy
/// in pooled memory that the processes of a node share. Padding is not filled (redistribute::update_padding does).
/// **Collective** over the vector's communicator, so the vector must not be null; throws as plan_from() and moves do.
template <class V>
DistArray redistribute_from(const Teuchos::RCP<V>& vector, const redistribute::PlacedDistribution& target,
                            const RedistributeOptions& options = {}) {
  if (vector.is_null()) refuse("the vector is null", "", "give a vector");
  redistribute::Redistribution plan =
      plan_from(vector->getMap(), target, static_cast<Index>(sizeof(typename V::scalar_type)), options);
  return plan(mpi::collectively(Communicator(vector->getMap()->getComm()).raw(), [&] { return as_array(vector); }));
}

}  // namespace tridap::tpetra
