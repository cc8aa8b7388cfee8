#include "calls.hpp"

#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>

using namespace c;

TEST(CGather, TheWholeArrayIsOnTheRoot) {
  Field u({7, 10}, "b,b", 0);
  const int root = processes() - 1;
  tridap_array whole{};
  OK(tridap_gather(u.array, root, &whole));
  EXPECT_EQ(whole.number != 0, rank() == root);
  if (rank() == root) {
    tridap_memory memory;
    OK(tridap_array_memory(whole, &memory));
    for (std::int64_t i = 0; i < 70; ++i) {
      const std::int64_t global[] = {i / 10, i % 10};
      EXPECT_EQ(static_cast<double*>(memory.data)[i], Field::value(global));
    }
    OK(tridap_release(whole.number));
  }
}

TEST(CGather, AllProcessesGetACopyOfTheirOwn) {
  Field u({7, 10}, "b,c", 0);
  tridap_array whole{};
  OK(tridap_allgather(u.array, &whole));
  tridap_memory memory;
  OK(tridap_array_memory(whole, &memory));
  for (std::int64_t i = 0; i < 70; ++i) {
    const std::int64_t global[] = {i / 10, i % 10};
    EXPECT_EQ(static_cast<double*>(memory.data)[i], Field::value(global));
  }
  OK(tridap_release(whole.number));
}

TEST(CGather, MemoryOfTheProgramIsFilledAndScattered) {
  Field u({7, 10}, "b,b", 0), v({7, 10}, "c,*", 0);
  std::vector<double> all(rank() == 0 ? 70 : 0, -1);
  tridap_memory memory{};
  memory.data = all.data();
  memory.type = TRIDAP_FLOAT64;
  memory.order = TRIDAP_COLUMN_MAJOR;
  OK(tridap_gather_into(u.array, 0, rank() == 0 ? &memory : nullptr));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::int64_t global[] = {static_cast<std::int64_t>(i % 7), static_cast<std::int64_t>(i / 7)};
    EXPECT_EQ(all[i], Field::value(global));
  }
  v.memory.assign(v.memory.size(), 3);
  OK(tridap_scatter(rank() == 0 ? &memory : nullptr, 0, v.array));
  v.for_part(TRIDAP_OWNED,
             [](double& element, const std::int64_t* global) { EXPECT_EQ(element, Field::value(global)); });
}

TEST(CReduce, SumsMaximaNormsAndProducts) {
  Field u({7, 10}, "b,b", 0), v({7, 10}, "b,b", 0);
  double sum = 0, most = 0, least = 1, dot = 0, norm = 0, expected = 0, squares = 0;
  for (std::int64_t i = 0; i < 7; ++i)
    for (std::int64_t j = 0; j < 10; ++j) {
      const std::int64_t global[] = {i, j};
      expected += Field::value(global);
      squares += Field::value(global) * Field::value(global);
    }
  OK(tridap_sum(u.array, &sum));
  OK(tridap_max(u.array, &most));
  OK(tridap_min(u.array, &least));
  OK(tridap_dot(u.array, v.array, &dot));
  OK(tridap_norm(u.array, &norm));
  EXPECT_EQ(sum, expected);
  EXPECT_EQ(most, 6009);
  EXPECT_EQ(least, 0);
  EXPECT_EQ(dot, squares);
  EXPECT_DOUBLE_EQ(norm, std::sqrt(squares));
}

TEST(CReduce, PaddingIsNotCounted) {
  Field u({4 * processes() + 2, 6}, "b,*", 1, true);
  u.memory.assign(u.memory.size(), 1000);
  u.for_part(TRIDAP_INTERIOR, [](double& element, const std::int64_t*) { element = 1; });
  double sum = 0, most = 0;
  OK(tridap_sum(u.array, &sum));
  OK(tridap_max(u.array, &most));
  EXPECT_EQ(sum, 4 * processes() * 4);
  EXPECT_EQ(most, 1);
}

template <class T>
void sums_of(tridap_type type) {
  const tridap_distribution layout = distributed({13}, "c");
  tridap_array array{};
  OK(tridap_allocate(layout, type, TRIDAP_ROW_MAJOR, &array));
  tridap_memory memory;
  OK(tridap_array_memory(array, &memory));
  for (std::int64_t i = 0; i < memory.extents[0]; ++i) {
    std::int64_t global = 0;
    OK(tridap_global_index(layout, TRIDAP_HERE, &i, &global));
    static_cast<T*>(memory.data)[i] = static_cast<T>(static_cast<short>(global));
  }
  T sum{}, dot{};
  OK(tridap_sum(array, &sum));
  OK(tridap_dot(array, array, &dot));
  EXPECT_EQ(sum, static_cast<T>(78));
  EXPECT_EQ(dot, static_cast<T>(650)) << type;  // modulo 2^8 for integers of a byte
  OK(tridap_release(array.number));
  OK(tridap_release(layout.number));
}

TEST(CReduce, AllNumbersAreAdded) {
  sums_of<std::int8_t>(TRIDAP_INT8);
  sums_of<std::int16_t>(TRIDAP_INT16);
  sums_of<std::int32_t>(TRIDAP_INT32);
  sums_of<std::int64_t>(TRIDAP_INT64);
  sums_of<std::uint8_t>(TRIDAP_UINT8);
  sums_of<std::uint16_t>(TRIDAP_UINT16);
  sums_of<std::uint32_t>(TRIDAP_UINT32);
  sums_of<std::uint64_t>(TRIDAP_UINT64);
  sums_of<float>(TRIDAP_FLOAT32);
  sums_of<double>(TRIDAP_FLOAT64);
  sums_of<std::complex<float>>(TRIDAP_COMPLEX64);
  sums_of<std::complex<double>>(TRIDAP_COMPLEX128);
}

TEST(CReduce, ProductsConjugateTheFirst) {
  const tridap_distribution layout = distributed({processes()}, "b");
  std::complex<double> left{1, 2}, right{3, -1}, dot;
  tridap_memory memory{};
  memory.type = TRIDAP_COMPLEX128;
  memory.data = &left;
  tridap_array a{}, b{};
  OK(tridap_array_of(layout, &memory, &a));
  memory.data = &right;
  OK(tridap_array_of(layout, &memory, &b));
  OK(tridap_dot(a, b, &dot));
  EXPECT_EQ(dot, std::conj(left) * right * static_cast<double>(processes()));
  double most = 0;
  EXPECT_REFUSED(tridap_max(a, &most), "complex numbers have no order");
  for (const std::uint64_t each : {a.number, b.number, layout.number}) OK(tridap_release(each));
}

TEST(CReduce, HugeAndTinyNumbersHaveANorm) {
  for (const double size : {1e200, 1e-200}) {
    Field u({7, 10}, "b,b");
    u.memory.assign(u.memory.size(), size);
    double norm = 0;
    OK(tridap_norm(u.array, &norm));
    EXPECT_NEAR(norm / size, std::sqrt(70.0), 1e-13);
  }
}

TEST(CReduce, ANanIsTheLargestAndTheSmallest) {
  Field u({7, 10}, "b,b");
  if (rank() == processes() - 1 && !u.memory.empty()) u.memory.back() = std::numeric_limits<double>::quiet_NaN();
  double most = 0, least = 0;
  OK(tridap_max(u.array, &most));
  OK(tridap_min(u.array, &least));
  EXPECT_TRUE(std::isnan(most));
  EXPECT_TRUE(std::isnan(least));
  Field none({0, 3}, "b,*");
  EXPECT_REFUSED(tridap_max(none.array, &most), "an array without elements");
}

TEST(CReduce, SharedIndicesAreCountedOnce) {
  const std::int64_t here[] = {0, rank() + 1};  // 0 is on all processes
  tridap_distribution layout{};
  OK(tridap_distribution_of_lists(2, here, world, &layout));
  std::vector<double> memory = {5, 1};
  tridap_memory of{};
  of.data = memory.data();
  of.type = TRIDAP_FLOAT64;
  tridap_array array{};
  OK(tridap_array_of(layout, &of, &array));
  double sum = 0;
  OK(tridap_sum(array, &sum));
  EXPECT_EQ(sum, 5 + processes());
  OK(tridap_release(array.number));
  OK(tridap_release(layout.number));
}

TEST(CCapture, IsWrittenForTheTool) {
  Field u({7, 10}, "b,b");
  const std::string path = "c_capture_np" + std::to_string(processes()) + ".json";
  OK(tridap_write_capture(u.array, path.c_str()));
  if (rank() == 0) {
    std::FILE* const file = std::fopen(path.c_str(), "r");
    ASSERT_NE(file, nullptr);
    std::fclose(file);
    std::remove(path.c_str());
  }
  EXPECT_REFUSED(tridap_write_capture(u.array, rank() == 0 ? nullptr : path.c_str()), "path is NULL");
}
