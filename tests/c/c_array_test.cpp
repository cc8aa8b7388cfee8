#include "calls.hpp"

#include <cstring>

using namespace c;

TEST(CArray, SharesTheMemoryOfTheProgram) {
  Field u({12, 9}, "b,b", 1);
  tridap_memory memory;
  OK(tridap_array_memory(u.array, &memory));
  EXPECT_EQ(memory.data, u.memory.data());
  EXPECT_EQ(memory.type, TRIDAP_FLOAT64);
  ASSERT_EQ(memory.ndim, 2);
  EXPECT_EQ(memory.extents[0], u.local[0]);
  EXPECT_EQ(memory.strides[0], u.local[1] * 8);
  EXPECT_EQ(memory.strides[1], 8);
  EXPECT_EQ(memory.device.type, DAP_DEVICE_HOST);
}

TEST(CArray, GoesThroughADapArrayAndBack) {
  Field u({12, 9}, "b,*", 1);
  dap_array* handed = nullptr;
  OK(tridap_array_to_dap(u.array, &handed));
  EXPECT_EQ(handed->buffer.data, u.memory.data());
  std::int64_t errors = -1;
  char text[2000];
  OK(tridap_check(handed, world, &errors, text, sizeof text, nullptr));
  EXPECT_EQ(errors, 0) << text;
  tridap_array back{};
  OK(tridap_array_from_dap(handed, world, &back));
  tridap_memory memory;
  OK(tridap_array_memory(back, &memory));
  EXPECT_EQ(memory.data, u.memory.data());
  tridap_distribution layout{};
  OK(tridap_distribution_of(back, &layout));
  int equal = 0;
  OK(tridap_equal(layout, u.layout, &equal));
  EXPECT_EQ(equal, 1);
  OK(tridap_release(layout.number));
  OK(tridap_release(back.number));
}

TEST(CArray, CheckCountsTheViolationsOfAllProcesses) {
  Field u({12, 9}, "b,*");
  dap_array* handed = nullptr;
  OK(tridap_array_to_dap(u.array, &handed));
  std::vector<dap_dimension> dimensions(handed->dim_data, handed->dim_data + 2);
  dap_array wrong = *handed;
  wrong.dim_data = dimensions.data();
  if (rank() == processes() - 1) dimensions[0].size = 13;
  std::int64_t errors = -1;
  char text[2000];
  OK(tridap_check(&wrong, world, &errors, text, sizeof text, nullptr));
  EXPECT_GT(errors, 0);
  EXPECT_NE(std::string(text).find("'size'"), std::string::npos) << text;
  dap_array_release(handed);
}

TEST(CArray, NewMemoryIsZeroInTheOrderThatIsAskedFor) {
  const tridap_distribution layout = distributed({8, 6}, "b,*");
  tridap_array array{};
  OK(tridap_allocate(layout, TRIDAP_COMPLEX64, TRIDAP_COLUMN_MAJOR, &array));
  tridap_memory memory;
  OK(tridap_array_memory(array, &memory));
  EXPECT_EQ(memory.type, TRIDAP_COMPLEX64);
  if (memory.extents[0] > 1) {
    EXPECT_EQ(memory.strides[0], 8);
    EXPECT_EQ(memory.strides[1], 8 * memory.extents[0]);
  }
  const std::vector<char> zeros(static_cast<std::size_t>(8 * memory.extents[0] * memory.extents[1]), 0);
  EXPECT_TRUE(zeros.empty() || std::memcmp(memory.data, zeros.data(), zeros.size()) == 0);
  OK(tridap_release(array.number));
  OK(tridap_release(layout.number));
}

TEST(CArray, InteriorIsEachElementOnce) {
  Field u({6 * processes(), 5}, "b,*", 1, true);
  std::int64_t begin[2], end[2], count = 0, all = 0;
  OK(tridap_interior(u.array, begin, end));
  OK(tridap_count(u.layout, TRIDAP_HERE, TRIDAP_INTERIOR, &count));
  EXPECT_EQ((end[0] - begin[0]) * (end[1] - begin[1]), count);
  MPI_Allreduce(&count, &all, 1, MPI_INT64_T, MPI_SUM, world);
  EXPECT_EQ(all, (6 * processes() - 2) * 3);
}

TEST(CArray, WrongMemoryIsRefused) {
  const tridap_distribution layout = distributed({8, 8}, "b,*");
  const std::vector<std::int64_t> local = extents(layout, 2);
  std::vector<double> elements(static_cast<std::size_t>(product(local)) + 1);
  tridap_array array{};
  tridap_memory memory{};
  memory.type = TRIDAP_FLOAT64;
  if (product(local) > 0) {
    EXPECT_REFUSED(tridap_array_of(layout, &memory, &array), "no address");
  }
  memory.data = elements.data();
  memory.type = TRIDAP_OTHER;
  EXPECT_REFUSED(tridap_array_of(layout, &memory, &array), "the element type is 100");
  memory.type = TRIDAP_FLOAT64;
  const std::int64_t wrong[] = {local[0] + 1, local[1]};
  memory.ndim = 2;
  memory.extents = wrong;
  EXPECT_REFUSED(tridap_array_of(layout, &memory, &array), "allocate what tridap_local_shape says");
  memory.extents = nullptr;
  memory.device.type = DAP_DEVICE_CUDA;
  memory.device.id = -1;
  EXPECT_REFUSED(tridap_array_of(layout, &memory, &array), "the device of the memory is (2, -1)");
  EXPECT_REFUSED(tridap_array_of(layout, nullptr, &array), "memory is NULL");
}

// Whoever takes the memory must wait for the stream on which a device has written it.
TEST(CArray, MemoryOfADeviceIsHandedOverWithItsStream) {
  const tridap_distribution layout = distributed({8, 8}, "b,*");
  std::vector<double> elements(static_cast<std::size_t>(product(extents(layout, 2))) + 1);
  int stream = 0;  // only its address is handed on
  tridap_memory memory{};
  memory.data = elements.data();
  memory.type = TRIDAP_FLOAT64;
  memory.device.type = DAP_DEVICE_CUDA;
  for (void* const given : {static_cast<void*>(&stream), static_cast<void*>(nullptr)}) {
    memory.device.stream = given;
    tridap_array array{};
    OK(tridap_array_of(layout, &memory, &array));
    tridap_memory found{};
    OK(tridap_array_memory(array, &found));
    EXPECT_EQ(found.device.type, DAP_DEVICE_CUDA);
    EXPECT_EQ(found.device.stream, given);
    dap_array* handed = nullptr;
    OK(tridap_array_to_dap(array, &handed));
    EXPECT_EQ(handed->buffer.device.stream, given);
    dap_array_release(handed);
    OK(tridap_release(array.number));
  }
  OK(tridap_release(layout.number));
}
