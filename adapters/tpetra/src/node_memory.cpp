#include <tridap/internal/copy_elements.hpp>
#include <tridap/internal/driver.hpp>
#include <tridap/tpetra/node_memory.hpp>

namespace tridap::tpetra::detail {

void copy_elements(const Buffer& from, const Buffer& to) {
  if (from.memory.is_on_host() && to.memory.is_on_host())
    tridap::copy_elements(from, to);
  else
    driver::copy(from, to);
}

void wait_for(const Memory& memory, DeviceStream stream) {
  driver::order_ours_after(memory, stream);
  if (driver::table(memory.kind) != nullptr && driver::is_started(memory)) driver::synchronize(memory, nullptr);
}

void let_wait(const Memory& memory, DeviceStream stream) { driver::order_after_ours(memory, stream); }

Memory of_device(Memory memory) {
  if (memory.kind == Memory::Kind::cuda_managed) memory.kind = Memory::Kind::cuda;
  if (memory.kind == Memory::Kind::hip_managed) memory.kind = Memory::Kind::hip;
  return memory;
}

Buffer allocate_in(const Memory& memory, const ElementType& type, const IndexList& shape) {
  if (memory.is_on_host()) return allocate(type, shape);
  Buffer made;
  made.type = type;
  made.memory = memory;
  made.shape = shape;
  made.strides = row_major_strides(shape, type.bytes);
  made.owner = driver::allocate(memory, element_count(made) * type.bytes);
  made.data = made.owner.get();
  return made;
}

}  // namespace tridap::tpetra::detail
