#include "tpetra/support.hpp"

#include <complex>
#include <cstring>

using namespace tpetra_test;
using tridap::Copy;
using tridap::tpetra::ArrayMap;
using tridap::tpetra::export_array;
using tridap::tpetra::import_multivector;
using tridap::tpetra::import_vector;
using tridap::tpetra::Map;

namespace {

/// The element that follows from a number; both parts of a complex one.
template <class T>
T element(Index number) {
  return static_cast<T>(static_cast<float>(number + 1));
}
template <>
std::complex<double> element<std::complex<double>>(Index number) {
  return {static_cast<double>(number + 1), -2.0 * static_cast<double>(number)};
}

// Three rows for each process, dealt like cards: no range, so that nothing about it is simple.
oracle::Array cyclic_line() { return oracle::Array({oracle::cyclic(3 * processes(), 1, processes())}); }

template <class T>
tridap::DistArray filled() {
  tridap::DistArray part;
  part.dim_data = dim_data(cyclic_line(), rank());
  part.buffer = tridap::allocate(tridap::element_type<T>(), {3});
  for (Index i = 0; i < 3; ++i) static_cast<T*>(part.buffer.data)[i] = element<T>(rank() + i * processes());
  return part;
}

template <class T>
class EveryScalar : public testing::Test {};
using Types = testing::Types<double, float, int, long, long long, std::int64_t, std::complex<double>>;
TYPED_TEST_SUITE(EveryScalar, Types);

template <class T>
struct Wrong {
  using type = double;
};
template <>
struct Wrong<double> {
  using type = float;
};

}  // namespace

TYPED_TEST(EveryScalar, AVectorIsTheArraysMemoryAndChangesIt) {
  using T = TypeParam;
  const tridap::DistArray part = filled<T>();
  const auto imported = import_vector<T>(part, MPI_COMM_WORLD);
  static_assert(std::is_same_v<decltype(imported.vector), Teuchos::RCP<tridap::tpetra::Vector<T>>>);
  EXPECT_TRUE(imported.receipt.shared);
  const auto view = imported.vector->getLocalViewHost(Tpetra::Access::ReadWrite);
  EXPECT_EQ(static_cast<void*>(view.data()), part.buffer.data);
  static_assert(sizeof(*view.data()) == sizeof(T));
  imported.vector->scale(tridap::tpetra::Scalar<T>(2));
  for (Index i = 0; i < 3; ++i)
    EXPECT_EQ(static_cast<T*>(part.buffer.data)[i], element<T>(rank() + i * processes()) * T(2));
  static_cast<T*>(part.buffer.data)[1] = T(9);
  EXPECT_EQ(view(1, 0), tridap::tpetra::Scalar<T>(9));
}

TYPED_TEST(EveryScalar, OutAgainItIsTheSameMemoryWithOrWithoutTheLayout) {
  using T = TypeParam;
  const tridap::DistArray part = filled<T>();
  const ArrayMap layout(part, MPI_COMM_WORLD);
  const auto vector = import_vector<T>(part, layout).vector;
  for (const tridap::DistArray& out : {export_array(vector, layout).array, export_array(vector).array}) {
    EXPECT_EQ(out.buffer.data, part.buffer.data);
    EXPECT_EQ(out.buffer.type, part.buffer.type);
    EXPECT_EQ(out.buffer.shape, part.buffer.shape);
    EXPECT_FALSE(out.buffer.read_only);
    if (processes() > 1) {
      EXPECT_EQ(out.dim_data[0].dist_type(), 'c');
    }
  }
}

TYPED_TEST(EveryScalar, NormsAndDotsLinkAndCount) {
  using T = TypeParam;
  const auto vector = import_vector<T>(filled<T>(), MPI_COMM_WORLD).vector;
  double squares = 0;
  for (Index number = 0; number < 3 * processes(); ++number)
    squares += std::is_same_v<T, std::complex<double>> ? std::norm(element<std::complex<double>>(number))
                                                       : static_cast<double>((number + 1) * (number + 1));
  if constexpr (!std::is_integral_v<T>) {
    EXPECT_NEAR(static_cast<double>(vector->norm2()), std::sqrt(squares), 1e-5 * squares);
  }
  const auto dot = vector->dot(*vector);
  if constexpr (std::is_same_v<T, std::complex<double>>) {
    EXPECT_DOUBLE_EQ(dot.real(), squares);
    EXPECT_EQ(dot.imag(), 0);
  } else {
    EXPECT_EQ(static_cast<double>(dot), squares);
  }
}

TYPED_TEST(EveryScalar, ReadOnlyMemoryIsAConstVectorAndComesBackReadOnly) {
  using T = TypeParam;
  tridap::DistArray part = filled<T>();
  part.buffer.read_only = true;
  expect_refused([&] { import_vector<T>(part, MPI_COMM_WORLD); },
                 "a Vector is writable and the buffer is read-only [conversion]: import it as const elements");
  EXPECT_FALSE(import_vector<T>(part, MPI_COMM_WORLD, Copy::if_needed).receipt.shared);
  const ArrayMap layout(part, MPI_COMM_WORLD);
  const auto imported = import_vector<const T>(part, layout);
  static_assert(std::is_same_v<decltype(imported.vector), Teuchos::RCP<const tridap::tpetra::Vector<T>>>);
  EXPECT_TRUE(imported.receipt.shared);
  EXPECT_EQ(static_cast<const void*>(imported.vector->getData(0).getRawPtr()), part.buffer.data);
  for (const tridap::DistArray& out :
       {export_array(imported.vector, layout).array, export_array(imported.vector).array}) {
    EXPECT_TRUE(out.buffer.read_only);
    EXPECT_EQ(out.buffer.data, part.buffer.data);
    EXPECT_EQ(out.buffer.type, part.buffer.type);
    EXPECT_EQ(import_vector<const T>(out, MPI_COMM_WORLD).vector->getLocalLength(), 3U);
  }
}

TYPED_TEST(EveryScalar, AnArrayThatCanBeWrittenIsAConstVectorWhereAskedFor) {
  using T = TypeParam;
  const tridap::DistArray part = filled<T>();
  const auto imported = import_vector<const T>(part, MPI_COMM_WORLD);
  static_cast<T*>(part.buffer.data)[2] = T(5);
  EXPECT_EQ(imported.vector->getData(0)[2], tridap::tpetra::Scalar<T>(5));
  EXPECT_TRUE(export_array(imported.vector).array.buffer.read_only);
}

TYPED_TEST(EveryScalar, CopiesHaveTheSameValues) {
  using T = TypeParam;
  const tridap::DistArray part = filled<T>();
  const auto imported = import_vector<T>(part, MPI_COMM_WORLD, Copy::always);
  EXPECT_EQ(imported.receipt.bytes_copied, static_cast<Index>(3 * sizeof(T)));
  const auto data = imported.vector->getData(0);
  EXPECT_NE(static_cast<const void*>(data.getRawPtr()), part.buffer.data);
  EXPECT_EQ(std::memcmp(data.getRawPtr(), part.buffer.data, 3 * sizeof(T)), 0);
  const auto out = export_array(imported.vector, {}, Copy::always);
  EXPECT_EQ(out.receipt.bytes_copied, static_cast<Index>(3 * sizeof(T)));
  EXPECT_NE(out.array.buffer.data, static_cast<const void*>(data.getRawPtr()));
  EXPECT_EQ(std::memcmp(out.array.buffer.data, part.buffer.data, 3 * sizeof(T)), 0);
}

TYPED_TEST(EveryScalar, MultiVectorsAndBlockVectorsAreThereToo) {
  using T = TypeParam;
  const Index p = processes();
  tridap::DistArray part;
  part.dim_data = dim_data(oracle::Array({oracle::cyclic(3 * p, 1, p), oracle::block({2})}), rank());
  part.buffer = tridap::allocate(tridap::element_type<T>(), {3, 2});
  for (Index i = 0; i < 6; ++i) static_cast<T*>(part.buffer.data)[i] = element<T>(i);
  const auto blocks = tridap::tpetra::import_block_vector<T>(part, MPI_COMM_WORLD);
  EXPECT_TRUE(blocks.receipt.shared);
  const auto block = blocks.block_vector->getLocalBlockHost(1, 0, Tpetra::Access::ReadOnly);
  EXPECT_EQ(static_cast<const void*>(&block(1)), static_cast<const T*>(part.buffer.data) + 3);
  part.buffer.strides = tridap::column_major_strides({3, 2}, sizeof(T));
  const auto columns = import_multivector<T>(part, MPI_COMM_WORLD);
  EXPECT_TRUE(columns.receipt.shared);
  const auto column = columns.multivector->getData(1);
  EXPECT_EQ(static_cast<const void*>(column.getRawPtr()), static_cast<const T*>(part.buffer.data) + 3);
  columns.multivector->scale(tridap::tpetra::Scalar<T>(3));
  EXPECT_EQ(static_cast<T*>(part.buffer.data)[4], element<T>(4) * T(3));
}

TYPED_TEST(EveryScalar, AnotherTypeOnOneProcessIsRefusedByNameOnAll) {
  using T = TypeParam;
  using Other = typename Wrong<T>::type;
  const std::string here = tridap::element_type<T>().name(), there = tridap::element_type<Other>().name();
  expect_refused([&] { import_vector<Other>(filled<T>(), MPI_COMM_WORLD, Copy::if_needed); },
                 "the array's elements are " + here + ", the vector's " + there);
  for (Index bad = 0; processes() > 1 && bad < processes(); ++bad) {
    tridap::DistArray part = filled<T>();
    if (rank() == bad) part.buffer = tridap::allocate(tridap::element_type<Other>(), {3});
    expect_refused([&] { import_vector<T>(part, MPI_COMM_WORLD); }, "agree.element_type");
  }
}

TEST(Scalars, WhatHasNoTpetraFormIsToldWhenCompiled) {
  static_assert(tridap::tpetra::has_vector<const double> && tridap::tpetra::has_vector<std::int64_t>);
  static_assert(!tridap::tpetra::has_vector<bool> && !tridap::tpetra::has_vector<char>);
  static_assert(!tridap::tpetra::has_vector<std::complex<float>> && !tridap::tpetra::has_vector<unsigned>);
}

TEST(Scalars, OtherElementsOfTheSameLengthAreRefusedByName) {
  const auto refused = [](const tridap::ElementType& type) {
    tridap::DistArray part = filled<double>();
    part.buffer.type = type;
    return refusal([&] { import_vector<double>(part, MPI_COMM_WORLD, Copy::always); });
  };
  using Kind = tridap::ElementType::Kind;
  expect_says(refused({Kind::unsigned_integer, 8, true}), "the array's elements are uint64, the vector's float64");
  expect_says(refused({Kind::signed_integer, 8, true}), "the array's elements are int64, the vector's float64");
  expect_says(refused({Kind::complex, 8, true}), "the array's elements are complex64, the vector's float64");
  expect_says(refused({Kind::floating, 8, false}), "the array's elements are >f8, the vector's float64");
}

TEST(Scalars, MemoryOfOneElementAlignedForItsBytesIsEnough) {  // 8 bytes suffice for a complex of 16
  const tridap::Buffer room = tridap::allocate(tridap::element_type<double>(), {7});
  tridap::DistArray part = filled<std::complex<double>>();
  auto* first = static_cast<double*>(room.data);
  if (reinterpret_cast<std::uintptr_t>(first) % 16 == 0) ++first;
  std::memcpy(first, part.buffer.data, 48);
  part.buffer.data = first;
  part.buffer.owner = room.owner;
  const auto imported = import_vector<std::complex<double>>(part, MPI_COMM_WORLD, Copy::if_needed);
  EXPECT_EQ(imported.vector->getData(0)[2],
            (Kokkos::complex<double>(element<std::complex<double>>(rank() + 2 * processes()))));
}
