#include "reduced_on_device.hpp"

#include "device.hpp"
#include "gil.hpp"
#include "memory.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/device_moves.hpp>
#include <tridap/internal/device_reduction.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace tridap::python {

namespace {

using redistribute::DeviceReduction;
using redistribute::arithmetic::Reduce;

Reduce kernel_named(const std::string& name) {
  static constexpr std::array<std::pair<const char*, Reduce>, 11> names{
      {{"sum", Reduce::sum},
       {"product", Reduce::product},
       {"smallest", Reduce::smallest},
       {"largest", Reduce::largest},
       {"every", Reduce::every},
       {"some", Reduce::some},
       {"magnitudes", Reduce::magnitudes},
       {"largest_magnitude", Reduce::largest_magnitude},
       {"squares", Reduce::squares},
       {"dot", Reduce::dot},
       {"vdot", Reduce::vdot}}};
  for (const auto& [known, what] : names)
    if (name == known) return what;
  throw py::value_error("there is no kernel '" + name + "'");
}

// 0 for whole numbers and bool, 1 for real ones, 2 for complex ones.
int width(const ElementType& type) {
  if (type.kind == ElementType::Kind::complex) return 2;
  return type.kind == ElementType::Kind::floating ? 1 : 0;
}

// Whether kernels compute such a result of such elements.
bool can_compute(Reduce what, const ElementType& from, const ElementType& to) {
  if (!DeviceReduction::computes(from) || !DeviceReduction::computes(to)) return false;
  const bool is_bool = to.kind == ElementType::Kind::boolean;
  switch (what) {
    case Reduce::smallest:
    case Reduce::largest:
      return from == to;
    case Reduce::every:
    case Reduce::some:
      return is_bool;
    case Reduce::magnitudes:
    case Reduce::largest_magnitude:
    case Reduce::squares:
      return width(to) == 1;
    default:
      return !is_bool && width(from) <= width(to);
  }
}

void need_kernel(const Buffer& buffer, const DeviceReduction& wanted) {
  if (redistribute::device_engine() == nullptr || buffer.memory.kind == Memory::Kind::sycl)
    refuse_on_device(buffer.memory);
  if (buffer.memory.kind != wanted.from.memory.kind || buffer.memory.device != wanted.from.memory.device)
    refuse("the elements are in the memory of " + device_name(wanted.from.memory) + " and of " +
               device_name(buffer.memory),
           "must be in that of one device", "x.to(\"cpu\") is a copy on the host");
  if (!can_compute(wanted.what, buffer.type, wanted.to))
    refuse("the elements are " + buffer.type.text() + " in the memory of " + device_name(buffer.memory),
           "of which no kernel computes a result of type " + wanted.to.text(), "x.to(\"cpu\") is a copy on the host");
}

}  // namespace

py::array reduced_on_device(const std::string& kernel, const py::tuple& parts, const py::tuple& kept,
                            const py::dtype& dtype, const py::object& stream) {
  DeviceReduction wanted;
  wanted.what = kernel_named(kernel);
  wanted.from = buffer_of_part(parts[0]);
  if (parts.size() > 1) wanted.with = buffer_of_part(parts[1]);
  py::array result(dtype, std::vector<py::ssize_t>{});
  wanted.to = buffer_of(result).type;
  need_kernel(wanted.from, wanted);
  if (parts.size() > 1) need_kernel(wanted.with, wanted);
  for (const py::handle list : kept) {
    wanted.kept.emplace_back();
    if (list.is_none()) continue;
    const auto numbers = py::cast<py::array_t<Index>>(list);
    wanted.kept.back().emplace(numbers.data(), numbers.data() + numbers.size());
  }
  order_after_stream(wanted.from.memory, stream);
  std::array<std::byte, 16> value{};
  {
    const WithoutPython released;
    redistribute::device_engine()->reduce(wanted, value.data());
  }
  std::copy_n(value.data(), wanted.to.bytes, static_cast<std::byte*>(result.mutable_data()));
  return result;
}

}  // namespace tridap::python
