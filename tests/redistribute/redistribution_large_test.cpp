#include <tridap/make.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <support/effort.hpp>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

/// Matrices of which two processes share more than their ring holds: who empties it waits for who fills it, and the
/// other way round. Where elements are is computed here anew.
namespace {

using tridap::Buffer;
using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;
using tridap::redistribute::PlacedDistribution;
using tridap::redistribute::Redistribution;

/// Blocks of `block` dealt by turns.
struct Cyclic {
  Index size, block, grid;

  Index global(Index c, Index local) const { return (local / block * grid + c) * block + local % block; }
  Index count(Index c) const {
    Index found = 0;
    while (global(c, found) < size) ++found;
    return found;
  }
};

struct Matrix {
  Cyclic rows, columns;
  bool turned = false;  ///< processes stand in the grid column by column
  bool column_major = false;
  Index depth = 0;      ///< of a third axis, the innermost one; 0: there is none
  bool spread = false;  ///< its elements stand apart

  PlacedDistribution placed() const {
    if (depth > 0)
      return PlacedDistribution(
          Distribution::make({rows.size, columns.size, depth},
                             {tridap::cyclic(rows.block), tridap::cyclic(columns.block), tridap::whole()},
                             {rows.grid, columns.grid, 1}),
          ranks());
    return PlacedDistribution(
        Distribution::make({rows.size, columns.size}, {tridap::cyclic(rows.block), tridap::cyclic(columns.block)},
                           {rows.grid, columns.grid}),
        ranks());
  }
  std::vector<Index> ranks() const {
    std::vector<Index> ranks;
    if (turned)
      for (Index r = 0; r < rows.grid; ++r)
        for (Index c = 0; c < columns.grid; ++c) ranks.push_back(c * rows.grid + r);
    return ranks;
  }
  std::pair<Index, Index> place(Index rank) const {
    return turned ? std::pair{rank % rows.grid, rank / rows.grid} : std::pair{rank / columns.grid, rank % columns.grid};
  }
};

/// One process's part of a matrix.
class Part {
 public:
  Part(const Matrix& matrix, Index rank) : matrix_(matrix) {
    std::tie(row_, column_) = matrix.place(rank);
    height_ = matrix.rows.count(row_);
    width_ = matrix.columns.count(column_);
    depth_ = std::max<Index>(1, matrix.depth);
    step_ = matrix.spread ? 2 : 1;
    values_.assign(static_cast<std::size_t>(height_ * width_ * depth_ * step_) + 1,
                   std::numeric_limits<double>::quiet_NaN());
  }

  DistArray array() {
    DistArray array;
    array.buffer.data = reinterpret_cast<std::byte*>(values_.data() + 1);  // lines that begin somewhere else
    array.buffer.type = tridap::element_type<double>();
    array.buffer.shape = {height_, width_};
    array.buffer.strides =
        matrix_.column_major ? std::vector<Index>{8, 8 * height_} : std::vector<Index>{8 * width_, 8};
    if (matrix_.depth > 0) {
      array.buffer.shape.push_back(depth_);
      array.buffer.strides = {8 * step_ * depth_ * width_, 8 * step_ * depth_, 8 * step_};
    }
    return array;
  }
  void fill(double salt) {
    each([&](double& value, double wanted) { value = wanted + salt; });
  }
  Index wrong(double salt) {
    Index found = 0;
    each([&](double& value, double wanted) { found += value != wanted + salt; });
    return found;
  }
  /// The same of a matrix that stands somewhere else.
  Index wrong_in(const Buffer& buffer, double salt) const {
    Index found = 0;
    for (Index i = 0; i < height_; ++i)
      for (Index j = 0; j < width_; ++j) {
        const Index number = matrix_.rows.global(row_, i) * matrix_.columns.size + matrix_.columns.global(column_, j);
        const void* const at = static_cast<const char*>(buffer.data) + i * buffer.strides[0] + j * buffer.strides[1];
        found += *static_cast<const double*>(at) != static_cast<double>(number) + salt;
      }
    return found;
  }

 private:
  template <class Visit>
  void each(const Visit& visit) {
    for (Index i = 0; i < height_; ++i)
      for (Index j = 0; j < width_; ++j) {
        const Index at = matrix_.column_major ? j * height_ + i : i * width_ + j;
        const Index number = matrix_.rows.global(row_, i) * matrix_.columns.size + matrix_.columns.global(column_, j);
        for (Index k = 0; k < depth_; ++k)
          visit(values_[static_cast<std::size_t>((at * depth_ + k) * step_) + 1],
                static_cast<double>(number * depth_ + k));
      }
  }

  Matrix matrix_;
  Index row_ = 0, column_ = 0, height_ = 0, width_ = 0, depth_ = 1, step_ = 1;
  std::vector<double> values_;
};

class RedistributionLarge : public testing::Test {
 protected:
  void SetUp() override {
    int rank = 0, processes = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    rank_ = rank;
    tall_ = static_cast<Index>(std::sqrt(processes));
    while (processes % tall_ != 0) --tall_;
    wide_ = processes / tall_;
  }

  Matrix matrix(Index row_block, Index column_block, bool turned) const {
    const Index tall = turned ? wide_ : tall_, wide = turned ? tall_ : wide_;
    return {{rows, row_block, tall}, {columns, column_block, wide}, turned};
  }

  void expect_moved(const Matrix& from, const Matrix& to, std::size_t arrays = 1) const {
    Redistribution plan(from.placed(), to.placed(), 8, MPI_COMM_WORLD);
    for (int turn = 0; turn < 2; ++turn) {
      std::vector<Part> sources(arrays, Part(from, rank_)), targets(arrays, Part(to, rank_));
      std::vector<tridap::redistribute::Move> moves;
      for (std::size_t k = 0; k < arrays; ++k) {
        sources[k].fill(static_cast<double>(k));
        moves.push_back({sources[k].array(), targets[k].array()});
      }
      plan(moves);
      for (std::size_t k = 0; k < arrays; ++k) {
        EXPECT_EQ(targets[k].wrong(static_cast<double>(k)), 0);
        EXPECT_EQ(sources[k].wrong(static_cast<double>(k)), 0) << "the source";
      }
    }
  }

  /// Forth into memory that the library owns, and back from there into memory that begins anywhere, and on a line.
  void expect_moved_and_back(const Matrix& from, const Matrix& to) {
    Redistribution plan(from.placed(), to.placed(), 8, MPI_COMM_WORLD), back = plan.reversed();
    for (int turn = 0; turn < 2; ++turn) {
      const double salt = ++salt_;  // pooled memory may hold what was moved before
      Part source(from, rank_), returned(from, rank_);
      source.fill(salt);
      const DistArray made = plan(source.array());
      EXPECT_EQ(Part(to, rank_).wrong_in(made.buffer, salt), 0);
      back(made, returned.array());
      EXPECT_EQ(returned.wrong(salt), 0);
      DistArray aligned = returned.array();
      const Buffer lines = tridap::allocate(aligned.buffer.type, aligned.buffer.shape);
      aligned.buffer.data = lines.data;
      back(made, aligned);
      EXPECT_EQ(returned.wrong_in(aligned.buffer, salt), 0);
      EXPECT_EQ(source.wrong(salt), 0) << "the source";
    }
  }

  const Index rows = effort::of(2100, 1700), columns = effort::of(2300, 1900);
  Index rank_ = 0, tall_ = 1, wide_ = 1;
  double salt_ = 0;
};

}  // namespace

TEST_F(RedistributionLarge, ShortRunsOnAGridTurnedRound) {
  expect_moved(matrix(32, 32, false), matrix(100, 100, true));
}

// One process cuts its runs where its slots end, and those who get them go through their rows.
TEST_F(RedistributionLarge, RunsGoOnInTheNextSlot) {
  Matrix from = matrix(32, 32, false);
  from.column_major = rank_ == 0;
  expect_moved(from, matrix(100, 100, true));
}

// What one process gets of a row fills several slots.
TEST_F(RedistributionLarge, RowsAreLongerThanSlots) {
  const Index processes = tall_ * wide_, length = 40'000 * processes * processes;
  expect_moved({{6, 6, 1}, {length, 1, processes}}, {{6, 6, 1}, {length, 7, processes}});
}

TEST_F(RedistributionLarge, ShortRunsOfColumns) {
  Matrix from = matrix(16, 24, true), to = matrix(40, 10, false);
  from.column_major = to.column_major = true;
  expect_moved(from, to);
}

TEST_F(RedistributionLarge, SingleElements) { expect_moved(matrix(1, 1, false), matrix(3, 2, true)); }

TEST_F(RedistributionLarge, LongRuns) { expect_moved(matrix(64, 64, false), matrix(1050, 1150, true)); }

TEST_F(RedistributionLarge, BlocksOfWhichEachTurnTakesALittle) {
  expect_moved(matrix(1050, 1150, false), matrix(64, 64, true));
}

// Short runs that all come from one row of the grid first, and from the next one later.
TEST_F(RedistributionLarge, ShortRunsInLongTurns) { expect_moved(matrix(1050, 8, false), matrix(100, 20, true)); }

TEST_F(RedistributionLarge, RowsToColumns) {
  const Index processes = tall_ * wide_;
  expect_moved({{rows, 20, processes}, {columns, columns, 1}}, {{rows, rows, 1}, {columns, 30, processes}});
}

TEST_F(RedistributionLarge, OneSideInAnotherMemoryOrder) {
  Matrix to = matrix(100, 100, true);
  to.column_major = true;
  expect_moved(matrix(32, 32, false), to);
  expect_moved(to, matrix(32, 32, false));
  expect_moved_and_back(to, matrix(32, 32, false));
  expect_moved_and_back(matrix(64, 64, false), to);
}

// Our own ring is full long before the others get a slot together.
TEST_F(RedistributionLarge, MostStaysAtHome) {
  const Index processes = tall_ * wide_, height = rows * columns / 240;
  expect_moved({{height, height, 1}, {120 * processes, 60, processes}},
               {{height, height, 1}, {120 * processes, 59, processes}});
}

// A row is one of three elements there, and of all columns here.
TEST_F(RedistributionLarge, RowsAreShorterWhereTheyComeFrom) {
  Matrix from = matrix(32, 8, false), to = matrix(100, 20, false);
  from.depth = to.depth = 3;
  from.spread = true;
  expect_moved(from, to);
  from.spread = rank_ == 0;
  expect_moved(from, to);
}

TEST_F(RedistributionLarge, RowsInAnyOrder) {
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(tall_));
  for (Index i = 0; i < rows; ++i) {
    std::vector<Index>& list = lists[static_cast<std::size_t>(i % tall_)];
    list.insert(i % tall_ == 0 ? list.end() : list.begin(), i);
  }
  const Matrix to = matrix(100, 100, true);
  const PlacedDistribution from(
      Distribution::make({rows, columns}, {tridap::unstructured(lists), tridap::cyclic(32)}, {tall_, wide_}));
  Redistribution plan(from, to.placed(), 8, MPI_COMM_WORLD);
  const std::vector<Index>& ours = lists[static_cast<std::size_t>(rank_ / wide_)];
  const Cyclic dealt{columns, 32, wide_};
  const Index width = dealt.count(rank_ % wide_);
  std::vector<double> values;
  for (const Index i : ours)
    for (Index j = 0; j < width; ++j)
      values.push_back(static_cast<double>(i * columns + dealt.global(rank_ % wide_, j)));
  DistArray source;
  source.buffer.data = reinterpret_cast<std::byte*>(values.data());
  source.buffer.type = tridap::element_type<double>();
  source.buffer.shape = {static_cast<Index>(ours.size()), width};
  source.buffer.strides = {8 * width, 8};
  Part target(to, rank_);
  plan(source, target.array());
  EXPECT_EQ(target.wrong(0), 0);
}

// Of two rows that follow one another, or four, or fewer at the end.
TEST_F(RedistributionLarge, LongRunsOfRowsSideBySide) {
  const Index processes = tall_ * wide_, width = columns * wide_;
  for (const Index height : {rows, rows + 1, rows + processes * 2 + 3, Index{5}})
    expect_moved_and_back({{height, (height - 1) / processes + 1, processes}, {width, width, 1}},
                          {{height, height, 1}, {width, (width - 1) / processes + 1, processes}});
}

TEST_F(RedistributionLarge, RunsOfWholeLinesSideBySide) {
  const Index height = 301, width = 64 * 18 * wide_;  // of one process: 18 runs of 512 bytes
  expect_moved_and_back({{height, (height - 1) / tall_ + 1, tall_}, {width, width / wide_, wide_}},
                        {{height, 64, tall_}, {width, 64, wide_}});
}

// The same where the last process's rows begin in the midst of a line, all of them or every other one.
TEST_F(RedistributionLarge, RunsOfWholeLinesThatBeginElsewhere) {
  for (const Index more : {3, 4}) {
    const Index height = 301, block = 64 * 18, width = block * wide_ - 64 + more;
    expect_moved_and_back({{height, (height - 1) / tall_ + 1, tall_}, {width, block, wide_}},
                          {{height, 64, tall_}, {width, 64, wide_}});
  }
}

// So much of each row goes elsewhere that no slot has room for it, and the own part goes alone.
TEST_F(RedistributionLarge, OwnRunsSideBySide) {
  const Index processes = tall_ * wide_, part = 40'000;
  expect_moved({{7, 7, 1}, {part * processes, part, processes}},
               {{7, 7, 1}, {part * processes, part + 5000, processes}});
}

// One row alone, and four parts of it.
TEST_F(RedistributionLarge, ARowAlone) {
  const Index processes = tall_ * wide_, length = 300'000 * processes + 1;
  for (const Index height : {1, 5})
    expect_moved_and_back({{height, height, 1}, {length, length, 1}},
                          {{height, height, 1}, {length, (length - 1) / processes + 1, processes}});
}

TEST_F(RedistributionLarge, AllStaysAtHome) {
  for (const Index width : {columns, columns + 1}) {
    const Matrix both{{rows, (rows - 1) / tall_ + 1, tall_}, {width, (width - 1) / wide_ + 1, wide_}};
    expect_moved_and_back(both, both);
  }
}

// Who fills rings goes on asking for room while one process is late, and must not fill the others' with nothing.
TEST_F(RedistributionLarge, OneProcessIsLate) {
  const Index height = 100'000, processes = tall_ * wide_, dealt = std::min<Index>(2, processes);
  const Index all = 3 * (processes + 1);  // the last process takes as many as two others
  std::vector<Index> bounds;
  for (Index c = 0; c < processes; ++c) bounds.push_back(3 * c);
  bounds.push_back(all);
  const PlacedDistribution from(Distribution::make({height, all}, {tridap::whole(), tridap::cyclic(1)}, {1, dealt}));
  const PlacedDistribution to(
      Distribution({tridap::Axis(tridap::BlockKind(height, 1, height)), tridap::Axis(tridap::BlockKind(bounds))}));
  const Index width = bounds[static_cast<std::size_t>(rank_) + 1] - bounds[static_cast<std::size_t>(rank_)];
  std::vector<double> values, moved(static_cast<std::size_t>(height * width), -1);
  for (Index i = 0; rank_ < dealt && i < height; ++i)
    for (Index j = rank_; j < all; j += dealt) values.push_back(static_cast<double>(i * all + j));
  DistArray source, target;
  if (rank_ < dealt)
    source.buffer = tridap::row_major(values.data(), {height, static_cast<Index>(values.size()) / height});
  target.buffer = tridap::row_major(moved.data(), {height, width});
  Redistribution plan(from, to, 8, MPI_COMM_WORLD);
  plan.start({{source, target}});
  for (int turn = 0; turn < 1000 && rank_ < processes - 1; ++turn) plan.test();
  MPI_Barrier(MPI_COMM_WORLD);
  plan.wait();
  for (Index i = 0; i < height; ++i)
    for (Index j = 0; j < width; ++j)
      ASSERT_EQ(moved[static_cast<std::size_t>(i * width + j)],
                static_cast<double>(i * all + bounds[static_cast<std::size_t>(rank_)] + j));
}

TEST_F(RedistributionLarge, SeveralArraysAtOnce) { expect_moved(matrix(32, 32, false), matrix(100, 100, true), 3); }
TEST_F(RedistributionLarge, ArraysOfBothMemoryOrdersInOneBatch) {
  const Matrix from = matrix(32, 32, false), to = matrix(100, 100, true);
  Matrix columns_first = from;
  columns_first.column_major = true;
  Redistribution plan(from.placed(), to.placed(), 8, MPI_COMM_WORLD);
  Part a(from, rank_), b(columns_first, rank_), c(to, rank_), d(to, rank_);
  a.fill(0);
  b.fill(1);
  plan({{a.array(), c.array()}, {b.array(), d.array()}});
  EXPECT_EQ(c.wrong(0), 0);
  EXPECT_EQ(d.wrong(1), 0);
}
