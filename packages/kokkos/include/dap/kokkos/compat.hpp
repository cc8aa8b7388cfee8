#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

/// What differs between Kokkos versions or reaches into Kokkos::Impl, and nothing else.
namespace dap::kokkos::compat {

#if defined(KOKKOS_ENABLE_CUDA)
inline constexpr bool has_cuda = true;
using CudaSpace = Kokkos::CudaSpace;
using CudaManagedSpace = Kokkos::CudaUVMSpace;
#else
inline constexpr bool has_cuda = false;
struct CudaSpace {};
struct CudaManagedSpace {};
#endif
#if defined(KOKKOS_ENABLE_HIP) && KOKKOS_VERSION >= 40000
inline constexpr bool has_hip = true;
using HipSpace = Kokkos::HIPSpace;
#elif defined(KOKKOS_ENABLE_HIP)
inline constexpr bool has_hip = true;
using HipSpace = Kokkos::Experimental::HIPSpace;
#else
inline constexpr bool has_hip = false;
struct HipSpace {};
#endif

inline constexpr const char* holder_label = "dap::kokkos::keep_alive";

/// Makes an unmanaged view share in the ownership of `owner`, so that every copy and subview of it does, whatever
/// Kokkos or Tpetra derive from it. Kokkos must be initialised. Kokkos counts references in an allocation of its own:
/// we hang `owner` into the only element of a one-element view and let the given view count on that allocation.
template <class View>
void keep_alive(View& view, std::shared_ptr<void> owner) {
  using Holder = std::shared_ptr<void>;
#if KOKKOS_VERSION >= \
    40401  // letting go of an owner may free a view: not inside a kernel, whose lock it would wait for
  const auto how = Kokkos::view_alloc(std::string(holder_label), Kokkos::SequentialHostInit);
#else
  const std::string how = holder_label;
#endif
  const Kokkos::View<Holder*, Kokkos::HostSpace> holder(how, 1);  // constructs the element
  holder(0) = std::move(owner);
  auto& tracker = const_cast<Kokkos::Impl::SharedAllocationTracker&>(view.impl_track());
  tracker.assign_direct(holder.impl_track());
}

/// True where a view has a share in its memory. Its use_count does not tell: an unmanaged view made from a managed one
/// repeats that one's.
template <class View>
bool keeps_memory(const View& view) {
  auto& tracker = const_cast<Kokkos::Impl::SharedAllocationTracker&>(view.impl_track());  // its question is not const
  return View::traits::is_managed && tracker.has_record() && tracker.tracking_enabled();
}

/// The owner that keep_alive() hung onto a view; null where it did not. Handing it on, instead of the view, keeps a
/// chain of imports and exports from growing.
template <class View>
std::shared_ptr<void> kept_owner(const View& view) {
  if constexpr (std::is_same_v<typename View::memory_space, Kokkos::HostSpace>) {
    if (!keeps_memory(view)) return nullptr;
    const auto& tracker = view.impl_track();
    if (tracker.template get_label<Kokkos::HostSpace>() == holder_label)
      return *static_cast<std::shared_ptr<void>*>(tracker.template get_record<Kokkos::HostSpace>()->data());
  }
  return nullptr;
}

}  // namespace dap::kokkos::compat
