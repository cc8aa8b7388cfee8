#include "bounds.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/sparse/linear_operator.hpp>

namespace tridap {

void check(const LinearOperator& op, MPI_Comm comm) {
  need_bounds(op.row_bounds, "rows", op.process, comm);
  need_bounds(op.column_bounds, "columns", op.process, comm);
  if (!op.apply) refuse("the operator has no function that computes its product", "", "set `apply`");
}

DistArray block_vector(const Bounds& bounds, Index process, ElementType type, const void* data, bool read_only) {
  const Index begin = bounds[static_cast<std::size_t>(process)], end = bounds[static_cast<std::size_t>(process) + 1];
  DistArray vector;
  Dimension axis;
  axis.size = bounds.back();
  axis.proc_grid_size = static_cast<Index>(bounds.size()) - 1;
  axis.proc_grid_rank = process;
  axis.dist = Block{begin, end, {}};
  vector.dim_data.push_back(std::move(axis));
  vector.buffer.data = const_cast<void*>(data);  // read_only says whether it may be written
  vector.buffer.shape = {end - begin};
  vector.buffer.strides = {type.bytes};
  vector.buffer.type = std::move(type);
  vector.buffer.read_only = read_only;
  return vector;
}

}  // namespace tridap
