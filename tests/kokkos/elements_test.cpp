#include "kokkos/support.hpp"
#include <tridap/kokkos/view.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>

namespace {

using Kokkos::LayoutRight;
using tridap::Buffer;
using tridap::element_type;
using tridap::kokkos::export_buffer;
using tridap::kokkos::view;
using Half = Kokkos::Experimental::half_t;

enum class Colour : std::uint8_t { red, green };
struct Particle {
  double position[3];
  std::int32_t id;
};
struct alignas(32) Wide {
  double lanes[4];
};

/// The name that NumPy has for a type, by its kind and length.
template <class T>
void expect_element(const std::string& name) {
  EXPECT_EQ(element_type<T>().name(), name);
  EXPECT_EQ(element_type<const T>(), element_type<T>());
  alignas(64) T memory[6] = {};
  const Buffer buffer = tridap::row_major(memory, {2, 3});
  const auto v = view<T**, LayoutRight>(buffer);
  const auto c = view<const T**>(buffer);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      ASSERT_EQ(&v(i, j), memory + 3 * i + j);
      ASSERT_EQ(&c(i, j), memory + 3 * i + j);
    }
  const Buffer back = export_buffer(v, std::make_shared<int>(0));
  EXPECT_EQ(back.type, buffer.type);
  EXPECT_EQ(back.strides, buffer.strides);
  EXPECT_TRUE(export_buffer(c, std::make_shared<int>(0)).read_only);
}

TEST(Elements, AreThoseOfNumPy) {
  expect_element<float>("float32");
  expect_element<double>("float64");
  expect_element<bool>("bool");
  expect_element<signed char>("int8");
  expect_element<char>(std::is_signed_v<char> ? "int8" : "uint8");
  expect_element<unsigned char>("uint8");
  expect_element<short>("int16");
  expect_element<unsigned short>("uint16");
  expect_element<unsigned>("uint32");
  expect_element<long>("int64");
  expect_element<long long>("int64");
  expect_element<unsigned long long>("uint64");
  expect_element<Kokkos::complex<float>>("complex64");
  expect_element<Kokkos::complex<double>>("complex128");
  expect_element<std::complex<float>>("complex64");
}

// Without a device Kokkos calls float half_t; what it is then is what the bytes are.
TEST(Elements, HalfIsNumPysWhereItHasTwoBytes) {
  expect_element<Half>(sizeof(Half) == 2 ? "float16" : "float32");
  EXPECT_EQ(element_type<Half>().kind, tridap::ElementType::Kind::floating);
}

TEST(Elements, OfNoKindAreOpaqueBytes) {
  expect_element<Particle>("void256");
  expect_element<Colour>("void8");
  expect_element<Wide>("void256");
  Particle memory[2] = {};
  const Buffer buffer = tridap::row_major(memory, {2});
  EXPECT_REFUSED(view<double*>(buffer), "void256");
  EXPECT_REFUSED(view<Colour*>(buffer), "void8");
}

TEST(Elements, ComplexOfTheStandardAndOfKokkosAreViewedAsOneAnother) {
  std::complex<float> standard[2] = {{1, 2}, {3, 4}};
  const Buffer of_standard = tridap::row_major(standard, {2});
  view<Kokkos::complex<float>*>(of_standard)(1).imag() = 9;
  EXPECT_EQ(standard[1], (std::complex<float>{3, 9}));
  alignas(16) Kokkos::complex<double> theirs[2] = {{1, 2}, {3, 4}};
  const Buffer of_kokkos = tridap::row_major(theirs, {2});
  view<std::complex<double>*>(of_kokkos)(0) = {5, 6};
  EXPECT_EQ(theirs[0].real(), 5);
  EXPECT_EQ(theirs[0].imag(), 6);
}

TEST(Elements, OfOneLengthAndAnotherKindAreRefused) {
  alignas(16) char memory[32] = {};
  const auto as = [&](const char* name) {
    Buffer buffer = tridap::row_major(memory, {1});
    buffer.type = *element_type(std::string(name));
    return buffer;
  };
  const Buffer real = as("float64"), integer = as("int64"), complex = as("complex64"), flag = as("bool"),
               small = as("int8"), half = as("float16");
  EXPECT_REFUSED(view<std::int64_t*>(real), "float64");
  EXPECT_REFUSED(view<double*>(integer), "int64");
  EXPECT_REFUSED(view<std::uint64_t*>(integer), "int64");
  EXPECT_REFUSED(view<double*>(complex), "complex64");
  EXPECT_REFUSED(view<Kokkos::complex<float>*>(real), "float64");
  EXPECT_REFUSED(view<std::int8_t*>(flag), "bool");
  EXPECT_REFUSED(view<bool*>(small), "int8");
  EXPECT_REFUSED(view<std::int16_t*>(half), "float16");
}

TEST(Elements, InMisalignedMemoryAreRefused) {
  alignas(64) char memory[256] = {};
  Buffer buffer = tridap::row_major(reinterpret_cast<Wide*>(memory), {2});
  EXPECT_EQ(view<Wide*>(buffer).extent(0), 2u);
  for (const int off : {8, 16, 24}) {
    buffer.data = memory + off;
    EXPECT_REFUSED(view<Wide*>(buffer), "multiple of 32 bytes");
  }
  buffer.shape = {0};
  EXPECT_REFUSED(view<Wide*>(buffer), "multiple of 32 bytes");
}

}  // namespace
