#pragma once

#include <tridap/redistribute/redistribution.hpp>

#include <vector>

namespace tridap::redistribute {

/// One side of move_vectors(): this process's part of an array, and its axis that the plan does not have. Each index of
/// this axis is one vector. The axis must not be distributed.
struct VectorsOf {
  const DistArray& array;
  Index axis = 0;
};

/// Moves all vectors of an array by a plan for one of them, with one round of messages. **Collective**: it throws the
/// same Error on every process if the arrays of any process do not fit, before the target is written.
///
/// Example, from a Tpetra MultiVector of n x k to a grid of nx x ny x k, where row i is the element (i / ny, i % ny):
/// `options.mapping.ravel = Order::row_major; Redistribution plan(rows, grid, 8, comm, options);` with `rows` the
/// distribution of the n rows and `grid` that of nx x ny, and then `move_vectors(plan, {multivector, 1}, {array, 2});`.
void move_vectors(Redistribution& plan, const VectorsOf& source, const VectorsOf& target, const Scaling& scaling = {});

}  // namespace tridap::redistribute
