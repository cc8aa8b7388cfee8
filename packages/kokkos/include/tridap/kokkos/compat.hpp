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
#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT  // else half_t is another name for float
template <>
struct tridap::is_floating<Kokkos::Experimental::half_t> : std::true_type {};
#endif

/// What differs between Kokkos versions or reaches into Kokkos::Impl, and nothing else.
namespace tridap::kokkos::compat {

// The memory spaces of devices; void where this Kokkos has none.
#if defined(KOKKOS_ENABLE_CUDA)
using CudaSpace = Kokkos::CudaSpace;
using CudaManagedSpace = Kokkos::CudaUVMSpace;
#else
using CudaSpace = void;
using CudaManagedSpace = void;
#endif
#if defined(KOKKOS_ENABLE_HIP) && KOKKOS_VERSION >= 40000
using HipSpace = Kokkos::HIPSpace;
using HipManagedSpace = Kokkos::HIPManagedSpace;
#elif defined(KOKKOS_ENABLE_HIP)
using HipSpace = Kokkos::Experimental::HIPSpace;
using HipManagedSpace = void;
#else
using HipSpace = void;
using HipManagedSpace = void;
#endif
#if defined(KOKKOS_ENABLE_SYCL) && KOKKOS_VERSION >= 40500
using SyclSpace = Kokkos::SYCLDeviceUSMSpace;
using SyclSharedSpace = Kokkos::SYCLSharedUSMSpace;
#elif defined(KOKKOS_ENABLE_SYCL)
using SyclSpace = Kokkos::Experimental::SYCLDeviceUSMSpace;
using SyclSharedSpace = Kokkos::Experimental::SYCLSharedUSMSpace;
#else
using SyclSpace = void;
using SyclSharedSpace = void;
#endif

/// True after Kokkos::finalize, where this Kokkos can say so.
inline bool is_finalized() {
#if KOKKOS_VERSION >= 40000
  return Kokkos::is_finalized();
#else
  return false;
#endif
}

/// Initialises Kokkos by its environment variables alone, without its advice on how to bind threads.
inline void initialize_quietly() {
#if KOKKOS_VERSION >= 30700
  Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
#else
  Kokkos::InitArguments arguments;
  arguments.disable_warnings = true;
  Kokkos::initialize(arguments);
#endif
}

/// The number of the device that an execution space runs on; nothing for the host, or where it cannot say. Kokkos must
/// be initialised.
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

/// Whether a LayoutLeft or LayoutRight view of this type has a stride of its own for padding: where it has more than
/// one axis and not all extents are static.
template <class View, class = void>
struct HasPaddedStride : std::false_type {};
template <class View>
struct HasPaddedStride<View, std::void_t<decltype(std::declval<const View&>().impl_map().m_impl_offset.m_stride)>>
    : std::bool_constant<!std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>> {};

/// Gives a view that stride, elements: of axis 1 with LayoutLeft, of axis 0 with LayoutRight. Kokkos itself makes such
/// views by allocating with padding, and by subview for two axes alone; from LayoutStride it aborts.
template <class View>
void set_padded_stride(View& view, Index stride) {
  auto& padded = const_cast<std::size_t&>(view.impl_map().m_impl_offset.m_stride);
  padded = static_cast<std::size_t>(stride);
}

/// Kokkos' reference count of an allocation.
using Record = Kokkos::Impl::SharedAllocationRecord<void, void>;

/// The allocation that a view has a share in; null where it has none. Its use_count does not tell: an unmanaged view
/// made from a managed one repeats that one's.
template <class View>
Record* record_of(const View& view) {
  auto& tracker = const_cast<Kokkos::Impl::SharedAllocationTracker&>(view.impl_track());  // its question is not const
  if (!View::traits::is_managed || !tracker.has_record() || !tracker.tracking_enabled()) return nullptr;
  return tracker.template get_record<void>();
}

/// True where a view has a share in its memory.
template <class View>
bool keeps_memory(const View& view) {
  return record_of(view) != nullptr;
}

/// Takes a share that is never given back, so that the allocation is never freed.
inline void retain(Record* record) { Record::increment(record); }

/// What Kokkos calls when the last share in an allocation is given back.
template <class Holder>
struct Destroys {
  Holder* held = nullptr;
  void destroy_shared_allocation() { held->~Holder(); }
};

/// Makes an unmanaged view share in a `Holder` of its own, so that every copy and subview of it does, whatever Kokkos
/// or Tpetra derive from it: the Holder is destroyed with the last of them. Kokkos must be initialised. Kokkos counts
/// references in an allocation of its own: we put the Holder into one, let `fill` see it, and let the given view count
/// on that allocation.
template <class Holder, class View, class Fill>
void hang(View& view, const char* label, Fill&& fill) {
  using Allocation = Kokkos::Impl::SharedAllocationRecord<Kokkos::HostSpace, Destroys<Holder>>;
  Allocation* const allocation = Allocation::allocate(Kokkos::HostSpace(), label, sizeof(Holder));
  allocation->m_destroy.held = new (allocation->data()) Holder;
  Kokkos::Impl::SharedAllocationTracker first;
  first.assign_allocated_record_to_uninitialized(allocation);
  fill(*allocation->m_destroy.held, static_cast<Record*>(allocation));
  const_cast<Kokkos::Impl::SharedAllocationTracker&>(view.impl_track()).assign_direct(first);
}

}  // namespace tridap::kokkos::compat
