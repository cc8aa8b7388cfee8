#include "counted.hpp"
#include <tridap/internal/device_moves.hpp>
#include <tridap/internal/device_reduction.hpp>
#include <tridap/internal/driver.hpp>

#include <algorithm>
#include <array>

namespace tridap::c {

void reduce_on_device(redistribute::arithmetic::Reduce what, const ArrayObject& array, const ArrayObject* other,
                      const ElementType& to, void* result) {
  const Memory& memory = array.array.buffer.memory;
  const redistribute::DeviceEngine* const engine = redistribute::device_engine();
  if (engine == nullptr)
    refuse("the array is in the memory of " + memory.name() + ", and the program has not linked TriDAP::device",
           "must be in memory of the host", "link TriDAP::device, or copy the array to the host first");
  if (!redistribute::DeviceReduction::computes(array.array.buffer.type))
    refuse("the elements are " + array.array.buffer.type.text() + " in the memory of " + memory.name(),
           "must be numbers that kernels compute with", "copy the array to the host first");
  redistribute::DeviceReduction wanted;
  wanted.what = what;
  const Counted counted(array);
  wanted.from = counted.box();
  wanted.kept = counted.kept();
  wanted.to = to;
  for (const ArrayObject* const each : {&array, other}) {
    if (each == nullptr) continue;
    if (each->array.buffer.memory.kind != memory.kind || each->array.buffer.memory.device != memory.device)
      refuse("the arrays are in the memory of " + memory.name() + " and of " + each->array.buffer.memory.name(),
             "must be in that of one device", "copy one of them there first");
    driver::order_ours_after(each->array.buffer.memory, each->stream);
  }
  if (other != nullptr) wanted.with = Counted(*other).box();
  std::array<std::byte, 16> value{};
  engine->reduce(wanted, value.data());
  std::copy_n(value.data(), to.bytes, static_cast<std::byte*>(result));
}

}  // namespace tridap::c
