#include "c_solvers/laplace.hpp"

using namespace laplace;

// In each collective call the last process is wrong, and all processes get the same error.

namespace {

bool is_last() { return rank() == c::processes() - 1; }

void expect_on_all(int status, const char* part) {
  EXPECT_NE(status, TRIDAP_OK);
  EXPECT_NE(std::string(tridap_message()).find(part), std::string::npos) << tridap_message();
}

}  // namespace

TEST(CSolversWrongProcess, FailsEachCallOnAll) {
  Case system({}, 0, 2);
  const Problem& of = system.of;
  const Vector rows({12, 9}, 0, TRIDAP_ROW_MAJOR);
  const Rows<std::int64_t> given(of, rows.layout);
  const tridap_csr* const csr = is_last() ? nullptr : &given.csr;
  tridap_matrix a{};
  expect_on_all(tridap_matrix_of_csr(rows.layout, csr, &a), "csr is NULL");
  OK(tridap_release(a.number));
  expect_on_all(tridap_matrix_update(system.a, csr, nullptr), "csr is NULL");
  const tridap_apply apply = [](void*, const double*, double*) { return 0; };
  expect_on_all(tridap_operator_of(rows.layout, TRIDAP_ROW_MAJOR, is_last() ? nullptr : apply, nullptr, &a),
                "apply is NULL");
  OK(tridap_release(a.number));
  tridap_preconditioner made{};
  expect_on_all(tridap_preconditioner_of(rows.layout, TRIDAP_ROW_MAJOR, is_last() ? nullptr : apply, nullptr, &made),
                "apply is NULL");
  OK(tridap_release(made.number));
  expect_on_all(tridap_preconditioner_make(system.a, is_last() ? "mulu" : "muelu", nullptr, &made), "mulu");
  OK(tridap_release(made.number));
  const tridap_array none{};
  expect_on_all(
      tridap_multiply(system.a, system.x.array, is_last() ? none : system.b.array, TRIDAP_COPY_NEVER, nullptr),
      "has the number 0");
  expect_on_all(tridap_solve(system.a, is_last() ? none : system.b.array, system.x.array, nullptr, nullptr),
                "has the number 0");
  double values[2];
  expect_on_all(tridap_eigenvalues(system.a, {}, is_last() ? none : system.x.array, nullptr, values, nullptr, nullptr),
                "has the number 0");
}

TEST(CSolversWrongProcess, DifferentArgumentsAreOneErrorOnAll) {
  if (c::processes() == 1) GTEST_SKIP() << "one process differs from no other";
  Case system, other;
  tridap_solve_options options{};
  options.method = is_last() ? "gmres" : "cg";
  expect_on_all(tridap_solve(system.a, system.b.array, system.x.array, &options, nullptr), "different");
  options = {};
  options.copy = is_last() ? TRIDAP_COPY_ALWAYS : TRIDAP_COPY_NEVER;
  expect_on_all(tridap_solve(system.a, system.b.array, system.x.array, &options, nullptr), "different");
  options = {};
  options.maxiter = is_last() ? 7 : 8;
  expect_on_all(tridap_solve(system.a, system.b.array, system.x.array, &options, nullptr), "different");
  expect_on_all(tridap_solve(is_last() ? other.a : system.a, system.b.array, system.x.array, nullptr, nullptr),
                "different matrices");
  tridap_preconditioner first{}, second{};
  OK(tridap_preconditioner_make(system.a, "ifpack2", nullptr, &first));
  OK(tridap_preconditioner_make(system.a, "ifpack2", nullptr, &second));
  options = {};
  options.made = is_last() ? first : second;
  expect_on_all(tridap_solve(system.a, system.b.array, system.x.array, &options, nullptr), "different");
  const tridap_distribution rows = c::distributed({12, 9}, "b,*"), columns = c::distributed({12, 9}, "*,b");
  const tridap_apply apply = [](void*, const double*, double*) { return 0; };
  tridap_matrix a{};
  expect_on_all(tridap_operator_of(is_last() ? rows : columns, TRIDAP_ROW_MAJOR, apply, nullptr, &a),
                "different distributions");
  for (const std::uint64_t number : {first.number, second.number, rows.number, columns.number, a.number})
    OK(tridap_release(number));
  EXPECT_NE(is_last() ? tridap_multiply(system.a, system.x.array, system.b.array, TRIDAP_COPY_NEVER, nullptr)
                      : tridap_solve(system.a, system.b.array, system.x.array, nullptr, nullptr),
            TRIDAP_OK);
}

TEST(CSolversWrongProcess, AFunctionThatFailsOnOneFailsOnAll) {
  const Vector b({12, 9}, 0, TRIDAP_ROW_MAJOR);
  Vector x({12, 9}, 0, TRIDAP_ROW_MAJOR);
  int status = is_last() ? 42 : 0;
  const tridap_apply apply = [](void* user, const double* from, double* to) {
    *to = *from;
    return *static_cast<int*>(user);
  };
  tridap_matrix a{};
  OK(tridap_operator_of(b.layout, TRIDAP_ROW_MAJOR, apply, &status, &a));
  expect_on_all(tridap_multiply(a, b.array, x.array, TRIDAP_COPY_NEVER, nullptr), "returned 42");
  x.fill(0);
  expect_on_all(tridap_solve(a, b.array, x.array, nullptr, nullptr), "returned 42");
  OK(tridap_release(a.number));
}
