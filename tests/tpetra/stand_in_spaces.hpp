#pragma once

#include <tridap/kokkos/memory.hpp>

#include <Kokkos_Core.hpp>

#include <cstdlib>
#include <optional>

#if __has_include(<Kokkos_LogicalSpaces.hpp>)  // before Kokkos 4.5
#define TRIDAP_LOGICAL_SPACES
#else
#define KOKKOS_IMPL_PUBLIC_INCLUDE  // the allocation of a memory space is for those that write one
#include <impl/Kokkos_SharedAlloc_timpl.hpp>
#undef KOKKOS_IMPL_PUBLIC_INCLUDE
#endif

/// Memory that has Kokkos' rules for a device's memory, and is on the host: for a machine without a device.
namespace stand_in {

class Runner;

#ifdef TRIDAP_LOGICAL_SPACES
struct FarName {
  static constexpr const char* get_name() { return "Far"; }
};
struct ManagedName {
  static constexpr const char* get_name() { return "Managed"; }
};
using Kokkos::Experimental::LogicalMemorySpace;
using Apart = Kokkos::Experimental::LogicalSpaceSharesAccess::no_shared_access;
using Far = LogicalMemorySpace<Kokkos::HostSpace, Runner, FarName, Apart>;        // as CUDA's: the host cannot reach it
using Managed = LogicalMemorySpace<Kokkos::HostSpace, void, ManagedName, Apart>;  // the host can: it is one for both
#else
template <class Self, class Execution>
class Space {
 public:
  using memory_space = Self;
  using execution_space = Execution;
  using device_type = Kokkos::Device<Execution, Self>;
  using size_type = std::size_t;

  template <class... Arguments>  // after a label and an execution space, if there are any
  void* allocate(const Arguments&... arguments) const {
    return Kokkos::HostSpace().allocate(arguments...);
  }
  template <class... Arguments>
  void deallocate(const Arguments&... arguments) const {
    Kokkos::HostSpace().deallocate(arguments...);
  }
};
class Far : public Space<Far, Runner> {  // as CUDA's: the host cannot reach it
 public:
  static constexpr const char* name() { return "Far"; }
};
class Managed : public Space<Managed, Kokkos::HostSpace::execution_space> {  // the host can: it is one for both
 public:
  static constexpr const char* name() { return "Managed"; }
};
#endif

class Runner : public Kokkos::HostSpace::execution_space {
 public:
  using execution_space = Runner;
  using memory_space = Far;
  using device_type = Kokkos::Device<Runner, Far>;
  using scratch_memory_space = Kokkos::ScratchMemorySpace<Runner>;
  static const char* name() { return "Runner"; }
};

}  // namespace stand_in

#ifndef TRIDAP_LOGICAL_SPACES
KOKKOS_IMPL_SHARED_ALLOCATION_SPECIALIZATION(stand_in::Far);
KOKKOS_IMPL_SHARED_ALLOCATION_SPECIALIZATION(stand_in::Managed);
#endif

template <class Functor, class... Policy>  // which is compiled, and never runs
struct Kokkos::Impl::ParallelFor<Functor, Kokkos::RangePolicy<Policy...>, stand_in::Runner> {
  ParallelFor(const Functor&, const Kokkos::RangePolicy<Policy...>&) {}
  void execute() const { std::abort(); }
};
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::HostSpace, stand_in::Managed> {
  enum : bool { assignable = false };
  enum : bool { accessible = true };
  enum : bool { deepcopy = true };
};

// Arrays name `Far` as CUDA's memory.
template <>
constexpr std::optional<tridap::Memory::Kind> tridap::kokkos::memory_kind<stand_in::Far>() {
  return Memory::Kind::cuda;
}
template <>
constexpr bool tridap::kokkos::can_name<stand_in::Far>(Memory::Kind kind) {
  return kind == Memory::Kind::cuda || kind == Memory::Kind::cuda_managed;
}
