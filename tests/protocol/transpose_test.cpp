#include <tridap/internal/transpose.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <vector>

namespace {

using tridap::Index;
using tridap::MatrixSteps;

std::byte pattern(Index row, Index k, Index byte) {
  return static_cast<std::byte>((row * 7919 + k * 104729 + byte * 31) >> 2 & 0xff);
}

// A matrix in memory that is aligned for nothing, with holes between its elements.
class Matrix {
 public:
  Matrix(Index rows, Index count, Index length, Index hole, bool row_backwards, bool element_backwards)
      : rows_(rows), count_(count), length_(length) {
    steps_.row = length + hole;
    steps_.element = rows * steps_.row + 3;
    memory_.assign(static_cast<std::size_t>(1 + count * steps_.element), std::byte{0xee});
    first_ = memory_.data() + 1;
    if (row_backwards) turn(&MatrixSteps::row, rows);
    if (element_backwards) turn(&MatrixSteps::element, count);
    for (Index row = 0; row < rows; ++row)
      for (Index k = 0; k < count; ++k)
        for (Index b = 0; b < length; ++b) first_[row * steps_.row + k * steps_.element + b] = pattern(row, k, b);
  }

  // How many elements transpose() gives wrongly, not at all, or twice.
  Index wrong() const {
    std::vector<int> given(static_cast<std::size_t>(rows_ * count_));
    Index found = 0;
    tridap::transpose(first_, steps_, rows_, count_, length_,
                      [&](Index row, Index first, Index count, const std::byte* elements) {
                        for (Index k = first; k < first + count; ++k) {
                          ++given.at(static_cast<std::size_t>(row * count_ + k));
                          for (Index b = 0; b < length_; ++b, ++elements) found += *elements != pattern(row, k, b);
                        }
                      });
    for (const int times : given) found += times != 1;
    return found;
  }

 private:
  void turn(Index MatrixSteps::*step, Index extent) {
    first_ += steps_.*step * (extent - 1);
    steps_.*step = -(steps_.*step);
  }

  Index rows_, count_, length_;
  MatrixSteps steps_;
  std::vector<std::byte> memory_;
  std::byte* first_ = nullptr;
};

}  // namespace

TEST(Transpose, GivesEachElementOnceInRows) {
  for (const Index length : {1, 2, 3, 4, 8, 12, 16, 24, 100, 128, 129, 300})
    for (const Index rows : {1, 2, 31, 33, 300})
      for (const Index count : {1, 5, 63, 64, 65, 130})
        EXPECT_EQ(Matrix(rows, count, length, 0, false, false).wrong(), 0) << length << " " << rows << " " << count;
}

TEST(Transpose, StepsMayHaveHolesAndBeNegative) {
  for (const Index length : {1, 4, 8, 10})
    for (const bool row_backwards : {false, true})
      for (const bool element_backwards : {false, true})
        EXPECT_EQ(Matrix(70, 70, length, 5, row_backwards, element_backwards).wrong(), 0)
            << length << " " << row_backwards << " " << element_backwards;
}

TEST(Transpose, AnElementMayBeLargerThanATile) { EXPECT_EQ(Matrix(3, 4, 20'000, 0, false, false).wrong(), 0); }

TEST(Transpose, NothingIsGivenOfAnEmptyMatrix) {
  for (const Index rows : {0, 5})
    tridap::transpose(nullptr, {8, 8}, rows, rows == 0 ? 5 : 0, 8,
                      [](Index, Index, Index, const std::byte*) { ADD_FAILURE(); });
}

// The tile of the longest elements that have one is as high as it may be.
TEST(Transpose, RowsOfATile) {
  EXPECT_EQ(tridap::rows_of_tile(1), 256);
  EXPECT_EQ(tridap::rows_of_tile(8), 32);
  EXPECT_EQ(tridap::rows_of_tile(128), 2);
  EXPECT_EQ(tridap::rows_of_tile(129), 1);
}
