#pragma once

#include <tridap/buffer.hpp>
#include <tridap/kokkos/compat.hpp>

#include <Kokkos_Core.hpp>

#include <optional>
#include <type_traits>

namespace tridap::kokkos {

/// The kind of memory of a Kokkos memory space; nothing: Memory::Kind has no such kind. Pinned host memory counts as
/// host memory.
template <class Space>
constexpr std::optional<Memory::Kind> memory_kind() {
  using Kind = Memory::Kind;
  const auto is = [](auto... spaces) { return (std::is_same_v<Space*, decltype(spaces)> || ...); };
  if (is(static_cast<compat::CudaSpace*>(nullptr))) return Kind::cuda;
  if (is(static_cast<compat::CudaManagedSpace*>(nullptr))) return Kind::cuda_managed;
  if (is(static_cast<compat::HipSpace*>(nullptr), static_cast<compat::HipManagedSpace*>(nullptr))) return Kind::hip;
  if (is(static_cast<compat::SyclSpace*>(nullptr), static_cast<compat::SyclSharedSpace*>(nullptr))) return Kind::sycl;
  if (Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space>::assignable) return Kind::host;
  return std::nullopt;
}

namespace detail {

/// True if Kokkos allows a view in `Space` to use memory of the space `Of`: if the view's kernels can access it.
template <class Space, class Of>
constexpr bool names() {
  if constexpr (std::is_void_v<Of>)
    return false;
  else
    return Kokkos::SpaceAccessibility<Space, Of>::assignable;
}

}  // namespace detail

/// True if a view in `Space` may use memory of a kind. The rules are those of Kokkos: a host view cannot use managed
/// device memory, and a device view cannot use host memory.
template <class Space>
constexpr bool can_name(Memory::Kind kind) {
  switch (kind) {
    case Memory::Kind::host:
      return detail::names<Space, Kokkos::HostSpace>();
    case Memory::Kind::cuda:
      return detail::names<Space, compat::CudaSpace>();
    case Memory::Kind::cuda_managed:
      return detail::names<Space, compat::CudaManagedSpace>();
    case Memory::Kind::hip:
      return detail::names<Space, compat::HipSpace>();
    case Memory::Kind::sycl:
      return detail::names<Space, compat::SyclSpace>();
    case Memory::Kind::nowhere:
      return false;
  }
  return false;
}

/// The number of the device whose memory `Space` is; nothing: host memory, or Kokkos is not initialised, or Kokkos
/// cannot say it.
template <class Space>
std::optional<Index> device_number() {
  if (memory_kind<Space>() == Memory::Kind::host || !Kokkos::is_initialized()) return std::nullopt;
  return compat::device_number<typename Space::execution_space>(0);
}

}  // namespace tridap::kokkos
