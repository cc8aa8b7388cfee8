#include "shared_memory_pool.hpp"
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/allocate_shared.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace tridap::mpi {

namespace {

// A contiguous buffer that has no memory yet.
Buffer outline(const ElementType& type, const IndexList& shape, Order order) {
  if (type.bytes < 1)
    throw Error(Finding{Rule::buffer_type,
                        {},
                        {},
                        "",
                        "the buffer's elements are " + std::to_string(type.bytes) + " bytes long",
                        "",
                        ""});
  const std::optional<Index> count = checked_product(shape);
  const bool extents = std::all_of(shape.begin(), shape.end(), [](Index extent) { return extent >= 0; });
  if (!extents || !count || !checked_multiply(*count, type.bytes))
    throw Error(Finding{
        Rule::buffer_layout, {}, {}, "", "the extents are negative or their product does not fit 64 bits", "", ""});
  Buffer buffer;
  buffer.type = type;
  buffer.shape = shape;
  buffer.strides =
      order == Order::row_major ? row_major_strides(shape, type.bytes) : column_major_strides(shape, type.bytes);
  return buffer;
}

}  // namespace

Buffer allocate_shared(const ElementType& type, const IndexList& shape, MPI_Comm comm, Order order) {
  Faults faults;
  Buffer buffer;
  faults.attempt([&] { buffer = outline(type, shape, order); });
  const Index bytes = faults.ok() ? element_count(buffer) * type.bytes : 0;
  const auto piece = allocate_shared_bytes(bytes, std::move(faults), comm);
  buffer.data = piece->base(static_cast<int>(rank_of(comm)));
  buffer.owner = std::shared_ptr<void>(piece, buffer.data);
  return buffer;
}

}  // namespace tridap::mpi
