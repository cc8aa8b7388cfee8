#include <tridap/check.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/redistribute/vectors.hpp>

#include <string>
#include <utility>

namespace tridap::redistribute {

namespace {

// Throws Error unless the vectors' axis is one, and is held whole.
Index vectors_in(const VectorsOf& side, const std::string& name) {
  throw_if_wrong(check(side.array));
  const auto ndim = static_cast<Index>(side.array.dim_data.size());
  if (side.axis < 0 || side.axis >= ndim)
    refuse("the vectors' axis of the " + name + " is " + std::to_string(side.axis),
           "must be one of its " + std::to_string(ndim) + " axes", "pass the axis that the plan does not have");
  const auto axis = static_cast<std::size_t>(side.axis);
  const Dimension& dimension = side.array.dim_data[axis];
  if (dimension.proc_grid_size != 1)
    refuse("the vectors' axis of the " + name + " is distributed over " + std::to_string(dimension.proc_grid_size) +
               " processes",
           "must be on one", "redistribute the array first, so that each process has whole vectors", side.axis);
  return side.array.buffer.shape[axis];
}

DistArray vector_of(const VectorsOf& side, Index j) {
  DistArray one = side.array;
  const auto axis = static_cast<std::size_t>(side.axis);
  std::vector<Range> box;
  for (const Index extent : one.buffer.shape) box.push_back({0, extent});
  box[axis] = {j, j + 1};
  one.buffer = sub_buffer(one.buffer, box);
  const auto drop = [axis](auto& list) { list.erase(list.begin() + static_cast<std::ptrdiff_t>(axis)); };
  drop(one.buffer.shape);
  drop(one.buffer.strides);
  drop(one.dim_data);
  return one;
}

}  // namespace

void move_vectors(Redistribution& plan, const VectorsOf& source, const VectorsOf& target, const Scaling& scaling) {
  mpi::Faults faults;
  std::vector<Move> moves;
  faults.attempt([&] {
    const Index given = vectors_in(source, "source"), expected = vectors_in(target, "target");
    if (given != expected)
      refuse("the source has " + std::to_string(given) + " vectors, the target " + std::to_string(expected),
             "must be equal", "pass arrays with as many vectors");
    for (Index j = 0; j < given; ++j) moves.push_back({vector_of(source, j), vector_of(target, j)});
  });
  if (!faults.ok()) plan.object(std::move(faults));
  plan(moves, scaling);
}

}  // namespace tridap::redistribute
