#include "c_solvers/laplace.hpp"

using namespace laplace;

namespace {

template <class Integer>
void expect_product(const Form& form, std::int64_t padding) {
  const Problem of{11, 8, form};
  Vector x({11, 8}, padding, form.order), y({11, 8}, padding, form.order);
  const Rows<Integer> rows(of, x.layout);
  tridap_matrix a{};
  OK(tridap_matrix_of_csr(x.layout, &rows.csr, &a));
  x.each([&](double& element, std::int64_t i, std::int64_t j, std::int64_t) { element = of.answer(i, j); });
  y.fill(0);
  tridap_receipt receipt{};
  OK(tridap_multiply(a, x.array, y.array, TRIDAP_COPY_IF_NEEDED, &receipt));
  y.each([&](double element, std::int64_t i, std::int64_t j, std::int64_t) {
    EXPECT_NEAR(element, of.product(i, j), 1e-12) << i << ", " << j;
  });
  EXPECT_EQ(receipt.bytes_copied == 0, receipt.shared == 1);
  if (padding == 0) {
    EXPECT_EQ(receipt.shared, 1);
  }
  OK(tridap_release(a.number));
}

}  // namespace

TEST(CMatrix, MultipliesInEachOrderBaseAndIntegerType) {
  for (const tridap_order order : {TRIDAP_ROW_MAJOR, TRIDAP_COLUMN_MAJOR})
    for (const std::int64_t base : {0, 1})
      for (const std::int64_t padding : {0, 1}) {
        expect_product<std::int32_t>({order, base, 0.2}, padding);
        expect_product<std::int64_t>({order, base, 0.2}, padding);
      }
}

TEST(CMatrix, GetsNewValuesInItsOwnMemory) {
  for (const tridap_order order : {TRIDAP_ROW_MAJOR, TRIDAP_COLUMN_MAJOR}) {
    Case system({order, 1, 0});
    tridap_solve_options options{};
    options.preconditioner = "ifpack2";
    options.tol = 1e-12;
    system.solve(options);
    const Rows<std::int32_t> twice(system.of, system.b.layout, 2);
    tridap_receipt receipt{};
    OK(tridap_matrix_update(system.a, &twice.csr, &receipt));
    EXPECT_EQ(receipt.bytes_copied, 8 * twice.csr.entry_count);
    system.b.each([](double& element, std::int64_t, std::int64_t, std::int64_t) { element *= 2; });
    system.x.fill(0);
    system.solve(options);
  }
}

TEST(CMatrix, WrongRowsAreRefusedInWordsOfC) {
  const Problem of{12, 9, {}};
  const Vector v({12, 9}, 0, TRIDAP_ROW_MAJOR);
  Rows<std::int64_t> rows(of, v.layout);
  tridap_matrix a{};
  const auto refused = [&](const tridap_csr& csr, const char* part) {
    EXPECT_REFUSED(tridap_matrix_of_csr(v.layout, &csr, &a), part);
    EXPECT_NE(a.number, 0u);  // it stands for the failure
    EXPECT_REFUSED(tridap_multiply(a, v.array, v.array, TRIDAP_COPY_NEVER, nullptr), part);
    OK(tridap_release(a.number));
  };
  tridap_csr csr = rows.csr;
  csr.row_count += 1;
  refused(csr, "'row_count' is");
  csr = rows.csr;
  csr.column_bytes = 2;
  refused(csr, "'columns_bytes' is 2");
  csr = rows.csr;
  csr.index_base = 1;
  refused(csr, "the first row starts at 0, must be 1");
  csr.index_base = 7;
  refused(csr, "'index_base' is 7, must be 0 or 1");
  csr = rows.csr;
  csr.row_starts = nullptr;
  refused(csr, "row_starts is NULL");
  rows.columns.front() = 12 * 9;
  refused(rows.csr, "has column 108");
}

TEST(CMatrix, OperatorsOfFunctionsMultiplyAndUpdatePadding) {
  struct User {
    Problem of{12, 9, {}};
    std::int64_t calls = 0;
    tridap_array field{};
    std::vector<double> memory;
    std::int64_t extents[2], begin[2], end[2];
  } user;
  tridap_distribution padded{}, rows{};
  const std::int64_t shape[2] = {12, 9};
  tridap_distribute_options halo{};
  halo.padding = halo.inner_only = 1;
  OK(tridap_distribute(2, shape, "b,b", c::world, &halo, &padded));
  const auto local = c::extents(padded, 2);
  user.extents[0] = local[0];
  user.extents[1] = local[1];
  user.memory.assign(static_cast<std::size_t>(c::product(local)), 0);
  tridap_memory memory{};
  memory.data = user.memory.data();
  memory.type = TRIDAP_FLOAT64;
  OK(tridap_array_of(padded, &memory, &user.field));
  OK(tridap_interior(user.field, user.begin, user.end));
  const tridap_apply apply = [](void* given, const double* x, double* y) {
    auto& of = *static_cast<User*>(given);
    ++of.calls;
    double outside = 0;
    const auto at = [&](std::int64_t i, std::int64_t j) -> double& {
      const bool inside = i >= 0 && i < of.extents[0] && j >= 0 && j < of.extents[1];
      return inside ? of.memory[static_cast<std::size_t>(i * of.extents[1] + j)] : outside;
    };
    for (std::int64_t i = of.begin[0]; i < of.end[0]; ++i)
      for (std::int64_t j = of.begin[1]; j < of.end[1]; ++j) at(i, j) = *x++;
    if (const int status = tridap_update_padding(of.field); status != TRIDAP_OK) return status;
    for (std::int64_t i = of.begin[0]; i < of.end[0]; ++i)
      for (std::int64_t j = of.begin[1]; j < of.end[1]; ++j)
        *y++ = 4.5 * at(i, j) - at(i - 1, j) - at(i + 1, j) - at(i, j - 1) - at(i, j + 1);
    return 0;
  };
  OK(tridap_interior_of(padded, &rows));
  tridap_matrix a{};
  OK(tridap_operator_of(rows, TRIDAP_ROW_MAJOR, apply, &user, &a));
  tridap_array b{}, x{};
  OK(tridap_allocate(rows, TRIDAP_FLOAT64, TRIDAP_ROW_MAJOR, &b));
  OK(tridap_allocate(rows, TRIDAP_FLOAT64, TRIDAP_ROW_MAJOR, &x));
  const auto values = [](tridap_array of) {
    tridap_memory found{};
    EXPECT_EQ(tridap_array_memory(of, &found), TRIDAP_OK);
    return static_cast<double*>(found.data);
  };
  const auto inner = c::extents(rows, 2);
  const auto global = [&](std::int64_t k, std::int64_t* found) {
    const std::int64_t at[2] = {k / inner[1], k % inner[1]};
    EXPECT_EQ(tridap_global_index(rows, TRIDAP_HERE, at, found), TRIDAP_OK);
  };
  std::int64_t at[2];
  for (std::int64_t k = 0; k < c::product(inner); ++k) {
    global(k, at);
    values(b)[k] = user.of.product(at[0], at[1]);
  }
  tridap_solution solution{};
  OK(tridap_solve(a, b, x, nullptr, &solution));
  EXPECT_EQ(solution.converged, 1);
  EXPECT_GE(user.calls, solution.iterations);
  for (std::int64_t k = 0; k < c::product(inner); ++k) {
    global(k, at);
    EXPECT_NEAR(values(x)[k], user.of.answer(at[0], at[1]), 1e-6);
  }
  OK(tridap_multiply(a, x, b, TRIDAP_COPY_NEVER, nullptr));
  EXPECT_REFUSED(tridap_multiply(a, x, x, TRIDAP_COPY_NEVER, nullptr), "y has the memory of x");
  tridap_solve_options options{};
  options.method = "direct";
  EXPECT_REFUSED(tridap_solve(a, b, x, &options, nullptr), "an operator of a function has no entries");
  for (const std::uint64_t number : {a.number, b.number, x.number, rows.number, padded.number, user.field.number})
    OK(tridap_release(number));
}
