#include "c_side.h"
#include "layout.h"
#include <tridap/c_array.hpp>
#include <tridap/check.hpp>

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>
#include <thread>

namespace {

using tridap::CArray;
using tridap::DistArray;
using tridap::Index;
using List = std::vector<Index>;

std::array<char, 4096> message;

CArray made_in_c(int& released) {
  dap_array* array = nullptr;
  EXPECT_EQ(c_side_make(&released, &array, message.data(), message.size()), DAP_OK) << message.data();
  return CArray(array);
}

double sum(const dap_array* array) {
  double sum = -1;
  EXPECT_EQ(c_side_sum(array, &sum, message.data(), message.size()), DAP_OK) << message.data();
  return sum;
}

TEST(Boundary, AnArrayMadeInCSaysInCppWhatItSaysInC) {
  int released = 0;
  const DistArray array = tridap::from_c(made_in_c(released));
  EXPECT_EQ(tridap::check(array).errors(), 0) << tridap::check(array).text();
  EXPECT_EQ(array.version, "0.10.0");
  EXPECT_EQ(array.buffer.type, tridap::element_type<double>());
  EXPECT_EQ(array.buffer.shape, (List{3, 2, 4}));
  EXPECT_EQ(array.buffer.strides, (List{8, 24, 48}));
  EXPECT_FALSE(array.buffer.read_only);
  ASSERT_EQ(array.dim_data.size(), 3u);
  const tridap::Dimension& block = array.dim_data[0];
  EXPECT_EQ(block.dist_type(), 'b');
  EXPECT_EQ((List{block.size, block.proc_grid_size, block.proc_grid_rank}), (List{10, 3, 1}));
  EXPECT_EQ(std::get<tridap::Block>(block.dist).start, 4);
  EXPECT_EQ(std::get<tridap::Block>(block.dist).stop, 7);
  EXPECT_EQ(std::get<tridap::Block>(block.dist).padding, (std::array<Index, 2>{1, 1}));
  ASSERT_EQ(block.extras.size(), 1u);
  EXPECT_EQ(block.extras[0].key + "=" + block.extras[0].value, "units=\"m\"");
  const auto& cyclic = std::get<tridap::Cyclic>(array.dim_data[1].dist);
  EXPECT_EQ((List{array.dim_data[1].size, cyclic.start, cyclic.block_size}), (List{5, 1, 1}));
  const auto& unstructured = std::get<tridap::Unstructured>(array.dim_data[2].dist);
  EXPECT_TRUE(unstructured.one_to_one);
  EXPECT_EQ(tridap::read_indices(unstructured.indices), (List{40, 30, 20, 10}));
}

TEST(Boundary, AWriteOnOneSideIsReadOnTheOther) {
  int released = 0;
  CArray made = made_in_c(released);
  const dap_array* c = made.get();
  void* const address = c->buffer.data;
  const DistArray array = tridap::from_c(std::move(made));
  EXPECT_EQ(array.buffer.data, address);
  const double before = sum(c);
  EXPECT_EQ(before, (0 + 100 + 200) * 8 + (0 + 10) * 12 + (0 + 1 + 2 + 3) * 6);
  auto* const elements = static_cast<double*>(array.buffer.data);
  EXPECT_EQ(elements[23], 213);  // the last of each axis
  elements[0] = 1000;
  EXPECT_EQ(sum(c), before + 1000);
  EXPECT_EQ(c_side_increment(c, nullptr, 0), DAP_OK);
  EXPECT_EQ(elements[0], 1001);
}

TEST(Boundary, TheLastCopyOfBufferOrIndicesCallsTheDeleterOfCOnce) {
  int released = 0;
  DistArray array = tridap::from_c(made_in_c(released));
  tridap::IndexBuffer indices = std::get<tridap::Unstructured>(array.dim_data[2].dist).indices;
  DistArray copy = array;
  array = {};
  EXPECT_EQ(released, 0);
  copy = {};
  EXPECT_EQ(released, 0);
  EXPECT_EQ(tridap::read_indices(indices), (List{40, 30, 20, 10}));  // they alone keep the C object
  indices = {};
  EXPECT_EQ(released, 1);

  array = tridap::from_c(made_in_c(released));
  tridap::Buffer buffer = array.buffer;
  array = {};
  EXPECT_EQ(released, 1);
  EXPECT_EQ(static_cast<const double*>(buffer.data)[23], 213);  // it alone keeps the second one
  buffer = {};
  EXPECT_EQ(released, 2);
}

TEST(Boundary, TheDeleterOfCMayBeCalledFromAnotherThread) {
  int released = 0;
  std::thread([array = tridap::from_c(made_in_c(released))]() mutable { array = {}; }).join();
  EXPECT_EQ(released, 1);
}

TEST(Boundary, AnUnknownMajorIsReleasedAndRefusedUnread) {
  for (const std::uint32_t major : {0u, 2u, 0xffffffffu}) {
    int released = 0;
    dap_array* array = nullptr;
    ASSERT_EQ(c_side_make_other(major, &released, &array, message.data(), message.size()), DAP_OK);
    EXPECT_EQ(dap_array_check(array, message.data(), message.size()), DAP_UNKNOWN_MAJOR);
    EXPECT_EQ(released, 0);
    try {
      tridap::from_c(CArray(array));
      ADD_FAILURE() << "major " << major << " was read";
    } catch (const tridap::Error& error) {
      EXPECT_NE(std::string(error.what()).find("'major' is " + std::to_string(major)), std::string::npos);
      EXPECT_EQ(released, 1);
    }
  }
}

TEST(Boundary, CReadsWhatCppExports) {
  std::array<double, 6> elements = {1, 2, 3, 4, 5, 6};
  DistArray array;
  array.buffer = tridap::row_major(elements.data(), {2, 3});
  tridap::Dimension block, unstructured;
  block.size = 8;
  block.proc_grid_size = 4;
  block.proc_grid_rank = 2;
  block.periodic = true;
  block.dist = tridap::Block{4, 6, std::array<Index, 2>{1, 0}};
  block.extras = {{"units", "\"m\""}, {"n", "3"}};
  unstructured.size = 3;
  unstructured.dist = tridap::Unstructured{List{-4, 1LL << 40, 2}, true};
  array.dim_data = {block, unstructured};
  const CArray c = tridap::to_c(array, true);
  ASSERT_EQ(c_side_describe(c.get(), message.data(), message.size()), DAP_OK);
  EXPECT_EQ(std::string(message.data()),
            "0.10.0 flags 2 <d device (1, 0) 2:24 3:8\n"
            "b size 8 grid 2 of 4 start 4 stop 6 block_size 0 periodic 1 one_to_one 0 padding (1, 0) units=\"m\" n=3\n"
            "u size 3 grid 0 of 1 start 0 stop 0 block_size 0 periodic 0 one_to_one 1 <q device (1, 0): "
            "-4 1099511627776 2\n");
  EXPECT_EQ(c->buffer.data, elements.data());
  EXPECT_EQ(sum(c.get()), 21);
  EXPECT_EQ(c_side_increment(c.get(), message.data(), message.size()), DAP_OK);
  EXPECT_EQ(elements[5], 7);
  elements[0] = 100;
  EXPECT_EQ(sum(c.get()), 100 + 3 + 4 + 5 + 6 + 7);
}

TEST(Boundary, CKeepsWhatCppExportsAsLongAsItLikes) {
  DistArray array;
  array.buffer = tridap::allocate(tridap::element_type<double>(), {4});
  array.dim_data = {tridap::undistributed(4)};
  std::iota(static_cast<double*>(array.buffer.data), static_cast<double*>(array.buffer.data) + 4, 1);
  const std::weak_ptr<void> memory = array.buffer.owner;
  c_side_keep(tridap::to_c(std::move(array)).release());
  array = {};
  EXPECT_EQ(c_side_kept_sum(), 10);
  EXPECT_FALSE(memory.expired());
  std::thread(c_side_drop).join();
  EXPECT_TRUE(memory.expired());
}

TEST(Boundary, ReadOnlyMemoryIsSaidSoInBothDirections) {
  const std::array<double, 2> elements = {1, 2};
  DistArray array;
  array.buffer = tridap::row_major(elements.data(), {2});
  array.dim_data = {tridap::undistributed(2)};
  CArray c = tridap::to_c(array);
  EXPECT_EQ(c_side_increment(c.get(), message.data(), message.size()), DAP_INVALID);
  EXPECT_STREQ(message.data(), "read-only");
  EXPECT_TRUE(tridap::from_c(std::move(c)).buffer.read_only);
}

}  // namespace
