#pragma once

#include <tridap/buffer.hpp>
#include <tridap/kokkos/compat.hpp>

#include <Kokkos_Core.hpp>

#include <optional>
#include <type_traits>

namespace tridap::kokkos {

/// The kind of memory of a Kokkos memory space; nothing: Memory::Kind has no such kind.
template <class Space>
constexpr std::optional<Memory::Kind> memory_kind() {
  using Kind = Memory::Kind;
  const auto is = [](auto* space) { return std::is_same_v<Space*, decltype(space)>; };
  if (is(static_cast<compat::CudaSpace*>(nullptr))) return Kind::cuda;
  if (is(static_cast<compat::CudaHostSpace*>(nullptr))) return Kind::cuda_host;
  if (is(static_cast<compat::CudaManagedSpace*>(nullptr))) return Kind::cuda_managed;
  if (is(static_cast<compat::HipSpace*>(nullptr))) return Kind::hip;
  if (is(static_cast<compat::HipHostSpace*>(nullptr))) return Kind::hip_host;
  if (is(static_cast<compat::HipManagedSpace*>(nullptr))) return Kind::hip_managed;
  if (is(static_cast<compat::SyclSpace*>(nullptr))) return Kind::sycl;
  if (is(static_cast<compat::SyclHostSpace*>(nullptr))) return Kind::sycl_host;
  if (is(static_cast<compat::SyclSharedSpace*>(nullptr))) return Kind::sycl_shared;
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

/// True if a view in `Space` may use memory of a kind. The rules are those of Kokkos: a host view can use pinned host
/// memory but no managed memory, and a device view cannot use host memory.
template <class Space>
constexpr bool can_name(Memory::Kind kind) {
  constexpr bool host = detail::names<Space, Kokkos::HostSpace>();
  switch (kind) {
    case Memory::Kind::host:
      return host;
    case Memory::Kind::cuda:
      return detail::names<Space, compat::CudaSpace>();
    case Memory::Kind::cuda_host:
      return host || detail::names<Space, compat::CudaHostSpace>();
    case Memory::Kind::cuda_managed:
      return detail::names<Space, compat::CudaManagedSpace>();
    case Memory::Kind::hip:
      return detail::names<Space, compat::HipSpace>();
    case Memory::Kind::hip_host:
      return host || detail::names<Space, compat::HipHostSpace>();
    case Memory::Kind::hip_managed:
      return detail::names<Space, compat::HipManagedSpace>();
    case Memory::Kind::sycl:
      return detail::names<Space, compat::SyclSpace>();
    case Memory::Kind::sycl_host:
      return host || detail::names<Space, compat::SyclHostSpace>();
    case Memory::Kind::sycl_shared:
      return detail::names<Space, compat::SyclSharedSpace>();
    case Memory::Kind::nowhere:
      return false;
  }
  return false;
}

/// The number of the device whose memory `Space` is; nothing: host memory, or Kokkos is not initialised, or Kokkos
/// cannot say it.
template <class Space>
std::optional<Index> device_number() {
  if (detail::names<Kokkos::HostSpace, Space>() || !Kokkos::is_initialized()) return std::nullopt;
  return compat::device_number<typename Space::execution_space>(0);
}

}  // namespace tridap::kokkos
