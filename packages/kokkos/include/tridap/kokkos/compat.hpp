#pragma once

#include <tridap/buffer.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

template <class T>
struct tridap::is_complex<Kokkos::complex<T>> : std::true_type {};
#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT  // otherwise half_t is an alias of float
template <>
struct tridap::is_floating<Kokkos::Experimental::half_t> : std::true_type {};
#endif
#if defined(KOKKOS_BHALF_T_IS_FLOAT) && !KOKKOS_BHALF_T_IS_FLOAT
template <>
struct tridap::is_bfloat<Kokkos::Experimental::bhalf_t> : std::true_type {};
#endif

/// Everything that depends on the version of Kokkos or uses Kokkos::Impl.
namespace tridap::kokkos::compat {

// The memory spaces of devices, and of host memory that is pinned for them; void if this Kokkos does not have the
// space.
#if defined(KOKKOS_ENABLE_CUDA)
using CudaSpace = Kokkos::CudaSpace;
using CudaHostSpace = Kokkos::CudaHostPinnedSpace;
using CudaManagedSpace = Kokkos::CudaUVMSpace;
#else
using CudaSpace = void;
using CudaHostSpace = void;
using CudaManagedSpace = void;
#endif
#if defined(KOKKOS_ENABLE_HIP) && KOKKOS_VERSION >= 40000
using HipSpace = Kokkos::HIPSpace;
using HipHostSpace = Kokkos::HIPHostPinnedSpace;
using HipManagedSpace = Kokkos::HIPManagedSpace;
#elif defined(KOKKOS_ENABLE_HIP)
using HipSpace = Kokkos::Experimental::HIPSpace;
using HipHostSpace = Kokkos::Experimental::HIPHostPinnedSpace;
using HipManagedSpace = void;
#else
using HipSpace = void;
using HipHostSpace = void;
using HipManagedSpace = void;
#endif
#if defined(KOKKOS_ENABLE_SYCL) && KOKKOS_VERSION >= 40500
using SyclSpace = Kokkos::SYCLDeviceUSMSpace;
using SyclHostSpace = Kokkos::SYCLHostUSMSpace;
using SyclSharedSpace = Kokkos::SYCLSharedUSMSpace;
#elif defined(KOKKOS_ENABLE_SYCL)
using SyclSpace = Kokkos::Experimental::SYCLDeviceUSMSpace;
using SyclHostSpace = Kokkos::Experimental::SYCLHostUSMSpace;
using SyclSharedSpace = Kokkos::Experimental::SYCLSharedUSMSpace;
#else
using SyclSpace = void;
using SyclHostSpace = void;
using SyclSharedSpace = void;
#endif

/// True after Kokkos::finalize; always false for Kokkos before 4.0, which does not tell.
inline bool is_finalized() {
#if KOKKOS_VERSION >= 40000
  return Kokkos::is_finalized();
#else
  return false;
#endif
}

/// Initialises Kokkos from its environment variables only. Kokkos prints no warnings about thread binding.
inline void initialize_quietly() {
#if KOKKOS_VERSION >= 30700
  Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
#else
  Kokkos::InitArguments arguments;
  arguments.disable_warnings = true;
  Kokkos::initialize(arguments);
#endif
}

/// The number of the device on which an execution space runs; nothing: it runs on the host, or Kokkos cannot say.
/// Kokkos must be initialised.
template <class Execution>
auto device_number(int) -> decltype(std::optional<Index>(std::declval<const Execution&>().cuda_device())) {
  return Execution().cuda_device();
}
template <class Execution>
auto device_number(int) -> decltype(std::optional<Index>(std::declval<const Execution&>().hip_device())) {
  return Execution().hip_device();
}
template <class Execution>
std::optional<Index> device_number(...) {
  return std::nullopt;
}

/// Whether a view is an mdspan, as with Kokkos 4.7 and later; older views compute addresses by an internal map.
template <class View, class = void>
struct IsMdspan : std::false_type {};
template <class View>
struct IsMdspan<View, std::void_t<typename View::layout_type>> : std::true_type {};

/// Whether the internal map of an older view stores a stride for padding. It does if the view has more than one axis
/// and not all extents are static.
template <class View, class = void>
struct MapHasStride : std::false_type {};
template <class View>
struct MapHasStride<View, std::void_t<decltype(std::declval<const View&>().impl_map().m_impl_offset.m_stride)>>
    : std::true_type {};

/// Whether a LayoutLeft or LayoutRight view of this type stores a stride for padding.
template <class View>
struct HasPaddedStride
    : std::bool_constant<!std::is_same_v<typename View::array_layout, Kokkos::LayoutStride> &&
                         (IsMdspan<View>::value ? (static_cast<int>(View::rank) > 1) : MapHasStride<View>::value)> {};

/// The axis of that stride. With LayoutLeft: axis 1. With LayoutRight: the last axis but one; in older views, axis 0.
template <class View>
constexpr std::size_t padded_axis() {
  if (std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft>) return 1;
  return IsMdspan<View>::value ? static_cast<std::size_t>(View::rank) - 2 : 0;
}

/// Makes an unmanaged view with that stride, in elements. Conversion from LayoutStride aborts. Older views have
/// no other public way than subview, and that for two axes only; here the stride is written into the internal map.
template <class View>
View make_padded(typename View::pointer_type data, typename View::array_layout layout, std::size_t stride) {
  if constexpr (IsMdspan<View>::value) {
    layout.stride = stride;
    return View(data, layout);
  } else {
    View made(data, layout);
    const_cast<std::size_t&>(made.impl_map().m_impl_offset.m_stride) = stride;
    return made;
  }
}

/// Kokkos' reference count of an allocation. No public type of Kokkos lets a view over foreign memory keep its owner.
using Record = Kokkos::Impl::SharedAllocationRecord<void, void>;

/// The allocation of which a view shares the ownership; null: it shares none. use_count() cannot be used for this,
/// because an unmanaged view made from a managed one returns the count of the managed one.
template <class View>
Record* record_of(const View& view) {
  auto& tracker =
      const_cast<Kokkos::Impl::SharedAllocationTracker&>(view.impl_track());  // tracking_enabled() is not const
  if (View::memory_traits::is_unmanaged || !tracker.has_record() || !tracker.tracking_enabled()) return nullptr;
  return tracker.template get_record<void>();
}

/// True if a view shares the ownership of its memory.
template <class View>
bool keeps_memory(const View& view) {
  return record_of(view) != nullptr;
}

/// Adds a reference that is never removed, so that the allocation is never freed.
inline void retain(Record* record) { Record::increment(record); }

/// Destroys a Holder when Kokkos removes the last reference to its allocation.
template <class Holder>
struct Destroys {
  Holder* held = nullptr;
  void destroy_shared_allocation() { held->~Holder(); }
};

/// Attaches a new `Holder` to an unmanaged view. All copies and subviews of the view share the Holder, also those that
/// Kokkos or Tpetra make. It is destroyed with the last of them. Kokkos must be initialised.
///
/// Kokkos counts references in an allocation of its own. This function places the Holder in such an allocation, calls
/// `fill` with it, and lets the view count references there.
template <class Holder, class View, class Fill>
void attach(View& view, const char* label, Fill&& fill) {
  using Allocation = Kokkos::Impl::SharedAllocationRecord<Kokkos::HostSpace, Destroys<Holder>>;
  Allocation* const allocation = Allocation::allocate(Kokkos::HostSpace(), label, sizeof(Holder));
  allocation->m_destroy.held = new (allocation->data()) Holder;
  Kokkos::Impl::SharedAllocationTracker first;
  first.assign_allocated_record_to_uninitialized(allocation);
  fill(*allocation->m_destroy.held, static_cast<Record*>(allocation));
  const_cast<Kokkos::Impl::SharedAllocationTracker&>(view.impl_track()).assign_direct(first);
}

}  // namespace tridap::kokkos::compat
