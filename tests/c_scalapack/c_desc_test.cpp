#include "c/calls.hpp"

#include <algorithm>

using namespace c;

extern "C" {
void Cblacs_get(int, int, int*);
void Cblacs_gridinit(int*, const char*, int, int);
void Cblacs_gridinfo(int, int*, int*, int*, int*);
void Cblacs_gridexit(int);
int numroc_(const int*, const int*, const int*, const int*, const int*);
}

namespace {

/// A context of the program over all processes.
struct Context {
  int context = -1, rows, columns, row = -1, column = -1;
  explicit Context(const char* order) : rows(processes() == 4 ? 2 : 1), columns(processes() / rows) {
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, order, rows, columns);
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { Cblacs_gridexit(context); }
};

/// The matrix of a Fortran program: element (i, j) is 100 i + j, and each column has two elements more in memory.
struct Matrix {
  int m = 11, n = 7, mb = 3, nb = 2, zero = 0, desc[9], local_rows, local_columns;
  std::vector<double> memory;
  explicit Matrix(const Context& at)
      : local_rows(numroc_(&m, &mb, &at.row, &zero, &at.rows)),
        local_columns(numroc_(&n, &nb, &at.column, &zero, &at.columns)) {
    const int lld = local_rows + 2, entries[9] = {1, at.context, m, n, mb, nb, 0, 0, lld};
    std::copy_n(entries, 9, desc);
    memory.assign(static_cast<std::size_t>(lld * local_columns), -1);
    for (int j = 0; j < local_columns; ++j)
      for (int i = 0; i < local_rows; ++i) {
        const int global_i = ((i / mb) * at.rows + at.row) * mb + i % mb;
        const int global_j = ((j / nb) * at.columns + at.column) * nb + j % nb;
        memory[static_cast<std::size_t>(i + j * lld)] = 100 * global_i + global_j;
      }
  }
};

}  // namespace

TEST(CDesc, AnArrayHasTheMemoryOfAMatrixAndMoves) {
  const Context at("R");
  Matrix a(at);
  tridap_array array{}, moved{};
  OK(tridap_array_of_desc(a.desc, a.memory.data(), TRIDAP_FLOAT64, world, &array));
  tridap_memory memory{};
  OK(tridap_array_memory(array, &memory));
  EXPECT_EQ(memory.data, a.memory.data());
  EXPECT_EQ(memory.strides[1], 8 * a.desc[8]);
  const tridap_distribution rows = distributed({11, 7}, "b,*");
  OK(tridap_redistribute(array, rows, nullptr, &moved));
  OK(tridap_array_memory(moved, &memory));
  for (std::int64_t i = 0; i < memory.extents[0]; ++i)
    for (std::int64_t j = 0; j < 7; ++j) {
      const std::int64_t local[2] = {i, j};
      std::int64_t global[2];
      OK(tridap_global_index(rows, TRIDAP_HERE, local, global));
      EXPECT_EQ(static_cast<const double*>(memory.data)[i * 7 + j], static_cast<double>(100 * global[0] + global[1]));
    }
  for (const std::uint64_t number : {array.number, moved.number, rows.number}) OK(tridap_release(number));
}

TEST(CDesc, AMatrixHasTheMemoryOfAnArray) {
  const Context at("R");
  const std::int64_t shape[2] = {11, 7}, grid[2] = {at.rows, at.columns};
  tridap_distribute_options options{};
  options.grid = grid;
  tridap_distribution layout{};
  OK(tridap_distribute(2, shape, "c:3,c:2", world, &options, &layout));
  tridap_array array{};
  OK(tridap_allocate(layout, TRIDAP_FLOAT64, TRIDAP_COLUMN_MAJOR, &array));
  tridap_memory memory{};
  OK(tridap_array_memory(array, &memory));
  int desc[9] = {};
  void* local = nullptr;
  OK(tridap_array_to_desc(array, at.context, desc, &local));
  EXPECT_EQ(local, memory.data);
  const int expected[8] = {1, at.context, 11, 7, 3, 2, 0, 0};
  for (int k = 0; k < 8; ++k) EXPECT_EQ(desc[k], expected[k]) << k;
  EXPECT_GE(desc[8], std::max<std::int64_t>(1, memory.extents[0]));
  OK(tridap_release(array.number));
  OK(tridap_allocate(layout, TRIDAP_FLOAT64, TRIDAP_ROW_MAJOR, &array));
  if (processes() == 4) {
    EXPECT_REFUSED(tridap_array_to_desc(array, at.context, desc, &local), "make the array with TRIDAP_COLUMN_MAJOR");
    const Context turned("C");
    EXPECT_REFUSED(tridap_array_to_desc(array, turned.context, desc, &local), "order 'R'");
  }
  OK(tridap_release(array.number));
  OK(tridap_release(layout.number));
}

TEST(CDesc, WrongGridsAndOneWrongProcessAreRefused) {
  tridap_array array{};
  if (processes() == 4) {
    const Context turned("C");
    Matrix a(turned);
    EXPECT_REFUSED(tridap_array_of_desc(a.desc, a.memory.data(), TRIDAP_FLOAT64, world, &array), "order 'R'");
    OK(tridap_release(array.number));
  }
  const Context at("R");
  Matrix a(at);
  const bool is_last = rank() == processes() - 1;
  EXPECT_REFUSED(tridap_array_of_desc(is_last ? nullptr : a.desc, a.memory.data(), TRIDAP_FLOAT64, world, &array),
                 "desc is NULL");
  OK(tridap_release(array.number));
  if (is_last) a.desc[0] = 7;
  EXPECT_REFUSED(tridap_array_of_desc(a.desc, a.memory.data(), TRIDAP_FLOAT64, world, &array), "'DTYPE_' is 7");
  int desc[9];
  void* local = nullptr;
  EXPECT_REFUSED(tridap_array_to_desc(array, at.context, desc, &local), "'DTYPE_' is 7");
  OK(tridap_release(array.number));
}

TEST(CDesc, MessagesSpeakC) {
  const Context at("R");
  const std::int64_t shape[2] = {11, 7}, grid[2] = {at.rows, at.columns};
  tridap_distribute_options options{};
  options.grid = grid;
  options.padding = 1;
  tridap_distribution layout{};
  OK(tridap_distribute(2, shape, "b,b", world, &options, &layout));
  tridap_array array{};
  OK(tridap_allocate(layout, TRIDAP_FLOAT64, TRIDAP_COLUMN_MAJOR, &array));
  int desc[9];
  void* local = nullptr;
  if (processes() == 4) {
    EXPECT_REFUSED(tridap_array_to_desc(array, at.context, desc, &local), "move it to");
    for (const char* const word : {"Python", "tridap::", "tridap.", "Fit::", "copy"})
      EXPECT_EQ(std::string(tridap_message()).find(word), std::string::npos) << tridap_message();
  }
  OK(tridap_release(array.number));
  OK(tridap_release(layout.number));
}
