// A Kokkos for CUDA has a bfloat16 of two bytes, bhalf_t. In place of one that an older Kokkos lacks, a type of two
// bytes.

#include <Kokkos_Core.hpp>

#include <cstdint>

#if !defined(KOKKOS_BHALF_T_IS_FLOAT)
#define KOKKOS_BHALF_T_IS_FLOAT 0
namespace Kokkos::Experimental {
struct bhalf_t {
  std::uint16_t bits;
};
}  // namespace Kokkos::Experimental
#endif

#include "kokkos/support.hpp"
#include <tridap/kokkos/view.hpp>

namespace {

TEST(Bfloat, ViewsComeBackAndOtherTypesAreRefused) {
#if KOKKOS_BHALF_T_IS_FLOAT
  GTEST_SKIP() << "bhalf_t of this Kokkos is another name of float";
#else
  using Bfloat = Kokkos::Experimental::bhalf_t;
  static_assert(tridap::is_bfloat<Bfloat>::value && tridap::is_element_type_v<const Bfloat>);
  alignas(8) std::uint16_t bits[6] = {0x3f80, 0, 0x4000, 1, 2, 3};
  const Kokkos::View<Bfloat**, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged> > from(
      reinterpret_cast<Bfloat*>(bits), 2, 3);
  const tridap::Buffer buffer = tridap::kokkos::export_buffer(from, std::make_shared<int>(1));
  EXPECT_EQ(buffer.type.name(), "bfloat16");
  EXPECT_EQ(buffer.strides, (tridap::IndexList{2, 4}));
  const auto back = tridap::kokkos::view<Bfloat**, Kokkos::LayoutLeft>(buffer);
  EXPECT_EQ(back.data(), from.data());
  EXPECT_REFUSED(tridap::kokkos::view<std::uint16_t**>(buffer),
                 "a view of uint16 in Host does not fit a buffer of bfloat16");
  const tridap::Buffer plain = tridap::row_major(bits, {2, 3});
  EXPECT_REFUSED(tridap::kokkos::view<Bfloat**>(plain), "a view of bfloat16 in Host does not fit a buffer of uint16");
#endif
}

}  // namespace
