#include <tridap/detail/refuse.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/shared_allocation.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/allocate_shared.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace tridap::mpi {

Buffer allocate_shared(const ElementType& type, const IndexList& shape, MPI_Comm comm, Order order) {
  const Call call(comm, "mpi::allocate_shared");
  comm = call.comm();
  Buffer buffer;
  std::optional<Index> bytes;
  Faults faults;
  faults.attempt([&] {
    if (type.bytes < 1)
      refuse("the buffer's elements are " + std::to_string(type.bytes) + " bytes long", "", "", {}, Rule::buffer_type);
    bytes = checked_product(shape);
    if (bytes) bytes = checked_multiply(*bytes, type.bytes);
    if (!bytes || std::any_of(shape.begin(), shape.end(), [](Index extent) { return extent < 0; }))
      refuse("the extents are negative or their product does not fit 64 bits", "", "", {}, Rule::buffer_layout);
    buffer.type = type;
    buffer.shape = shape;
    buffer.strides =
        order == Order::row_major ? row_major_strides(shape, type.bytes) : column_major_strides(shape, type.bytes);
  });
  const Index asked = faults.ok() ? *bytes : 0;
  const auto memory = allocate_shared_bytes(asked, comm, std::move(faults));
  buffer.data = memory->base(static_cast<int>(rank_of(comm)));
  buffer.owner = std::shared_ptr<void>(memory, buffer.data);
  return buffer;
}

}  // namespace tridap::mpi
