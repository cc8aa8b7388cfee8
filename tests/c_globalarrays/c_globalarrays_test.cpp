#include "c/calls.hpp"

#include <ga.h>

using namespace c;

namespace {

/// GA for the whole program; C programs call these two functions, or GA's own.
class Environment : public testing::Environment {
 public:
  void SetUp() override {
    if (processes() > 1)
      EXPECT_REFUSED(tridap_ga_begin((1 << 16) + rank()), "the processes give allocator_doubles from 65536 to");
    ASSERT_EQ(tridap_ga_begin(1 << 16), TRIDAP_OK) << tridap_message();
  }
  void TearDown() override { ASSERT_EQ(tridap_ga_end(), TRIDAP_OK) << tridap_message(); }
};
testing::Environment* const environment = testing::AddGlobalTestEnvironment(new Environment);

bool is_last() { return rank() == processes() - 1; }

double value(std::int64_t i, std::int64_t j) { return static_cast<double>(100 * i + j); }

// Visits the owned elements of an array of two axes.
template <class Visit>
void each(tridap_array array, Visit&& visit) {
  tridap_memory memory{};
  ASSERT_EQ(tridap_array_memory(array, &memory), TRIDAP_OK) << tridap_message();
  tridap_distribution layout{};
  ASSERT_EQ(tridap_distribution_of(array, &layout), TRIDAP_OK);
  std::int64_t begin[2], end[2];
  ASSERT_EQ(tridap_bounds(layout, TRIDAP_HERE, TRIDAP_OWNED, begin, end), TRIDAP_OK);
  for (std::int64_t i = begin[0]; i < end[0]; ++i)
    for (std::int64_t j = begin[1]; j < end[1]; ++j) {
      const std::int64_t at[2] = {i, j};
      std::int64_t global[2];
      ASSERT_EQ(tridap_global_index(layout, TRIDAP_HERE, at, global), TRIDAP_OK);
      visit(*reinterpret_cast<double*>(static_cast<char*>(memory.data) + i * memory.strides[0] + j * memory.strides[1]),
            global[0], global[1]);
    }
  ASSERT_EQ(tridap_release(layout.number), TRIDAP_OK);
}

}  // namespace

TEST(CGlobalArrays, AGlobalArrayOfTheProgramIsAnArrayInItsMemory) {
  int dims[2] = {11, 8};
  char name[] = "field";
  const int handle = NGA_Create(C_DBL, 2, dims, name, nullptr);
  ASSERT_NE(handle, 0);
  MPI_Comm comm = MPI_COMM_NULL;
  OK(tridap_ga_communicator(handle, &comm));
  if (comm != MPI_COMM_NULL) {
    tridap_array array{};
    OK(tridap_array_of_ga(handle, 0, comm, &array));
    each(array, [](double& element, std::int64_t i, std::int64_t j) { element = value(i, j); });
    OK(tridap_release(array.number));
    MPI_Comm_free(&comm);
  }
  GA_Sync();
  int low[2] = {0, 0}, high[2] = {10, 7}, rows = 8;
  std::vector<double> whole(88);
  NGA_Get(handle, low, high, whole.data(), &rows);
  for (int i = 0; i < 11; ++i)
    for (int j = 0; j < 8; ++j) EXPECT_EQ(whole[static_cast<std::size_t>(8 * i + j)], value(i, j));
  GA_Sync();
  GA_Destroy(handle);
}

TEST(CGlobalArrays, ANewOneHasTheOwnershipOfADistribution) {
  const tridap_distribution layout = distributed({11, 8}, "b,b");
  int handle = 0, again = 0;
  tridap_array array{}, same{};
  OK(tridap_ga_create(layout, TRIDAP_FLOAT64, &handle, &array));
  each(array, [](double& element, std::int64_t i, std::int64_t j) {
    EXPECT_EQ(element, 0);
    element = value(i, j);
  });
  GA_Sync();
  int at[2] = {10, 7}, one = 1;
  double element = 0;
  NGA_Get(handle, at, at, &element, &one);
  EXPECT_EQ(element, value(10, 7));
  GA_Sync();
  tridap_receipt receipt{};
  OK(tridap_ga_of_array(array, TRIDAP_COPY_NEVER, &again, &same, &receipt));
  EXPECT_EQ(again, handle);
  EXPECT_EQ(receipt.shared, 1);
  for (const std::uint64_t number : {array.number, same.number, layout.number}) OK(tridap_release(number));
}

TEST(CGlobalArrays, MemoryOfTheProgramIsCopiedOnlyIfItMay) {
  Field u({11, 8}, "b,b");
  int handle = 0;
  tridap_array copy{};
  EXPECT_REFUSED(tridap_ga_of_array(u.array, TRIDAP_COPY_NEVER, &handle, &copy, nullptr),
                 "copy = TRIDAP_COPY_IF_NEEDED");
  OK(tridap_release(copy.number));
  tridap_receipt receipt{};
  OK(tridap_ga_of_array(u.array, TRIDAP_COPY_IF_NEEDED, &handle, &copy, &receipt));
  EXPECT_EQ(receipt.bytes_copied, static_cast<std::int64_t>(8 * u.memory.size()));
  each(copy, [](double element, std::int64_t i, std::int64_t j) {
    const std::int64_t global[2] = {i, j};
    EXPECT_EQ(element, Field::value(global));
  });
  OK(tridap_release(copy.number));
}

TEST(CGlobalArrays, OneWrongProcessFailsEachCallOnAll) {
  const tridap_distribution layout = distributed({11, 8}, "b,b");
  int handle = 0;
  tridap_array array{};
  EXPECT_REFUSED(tridap_ga_create(layout, TRIDAP_FLOAT64, is_last() ? nullptr : &handle, &array), "handle is NULL");
  EXPECT_REFUSED(tridap_ga_of_array(array, TRIDAP_COPY_NEVER, &handle, &array, nullptr), "handle is NULL");
  OK(tridap_ga_create(layout, TRIDAP_FLOAT64, &handle, &array));
  MPI_Comm comm = MPI_COMM_NULL;
  EXPECT_REFUSED(tridap_ga_communicator(is_last() ? 12345 : handle, &comm), "12345");
  EXPECT_REFUSED(tridap_ga_communicator(handle, is_last() ? nullptr : &comm), "comm is NULL");
  EXPECT_EQ(comm, MPI_COMM_NULL);
  OK(tridap_release(array.number));
  OK(tridap_release(layout.number));
}
