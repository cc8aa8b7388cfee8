#include "verbs.h"

#include <string.h>

static double one(int64_t i, int64_t j) { return i >= 0 && j >= 0 ? 1 : 0; }
static double zero(int64_t i, int64_t j) { return i >= 0 && j >= 0 ? 0 : 1; }

// The rows of this process of 4.1 u(i, j) - (the sum of the four neighbours).
typedef struct rows {
  double* values;
  int64_t *columns, *starts, count;
} rows;

static rows make_rows(const field* of, int64_t n) {
  const int64_t elements = of->extents[0] * of->extents[1];
  rows made;
  int64_t at[2], global[2], row = 0;
  made.values = malloc((size_t)(5 * elements + 1) * sizeof *made.values);
  made.columns = malloc((size_t)(5 * elements + 1) * sizeof *made.columns);
  made.starts = malloc((size_t)(elements + 1) * sizeof *made.starts);
  made.count = 0;
  for (at[0] = 0; at[0] < of->extents[0]; ++at[0])
    for (at[1] = 0; at[1] < of->extents[1]; ++at[1]) {
      const int64_t steps[5][2] = {{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}};
      int k;
      made.starts[row++] = made.count;
      OK(tridap_global_index(of->layout, TRIDAP_HERE, at, global));
      for (k = 0; k < 5; ++k) {
        const int64_t i = global[0] + steps[k][0], j = global[1] + steps[k][1];
        if (i < 0 || i >= n || j < 0 || j >= n) continue;
        made.columns[made.count] = i * n + j;  // the number of an element of the whole array
        made.values[made.count++] = k == 2 ? 4.1 : -1;
      }
    }
  made.starts[row] = made.count;
  return made;
}

// A function that the solvers call: y = 2 x.
static int twice(void* user, const double* x, double* y) {
  const int64_t count = *(const int64_t*)user;
  int64_t i;
  for (i = 0; i < count; ++i) y[i] = 2 * x[i];
  return 0;
}

static int watch(void* user, int iteration, double residual) {
  *(int*)user = iteration;
  return residual < 1e-12;  // 1 ends the iteration
}

static void find_eigenvalues(tridap_matrix a, int64_t n) {
  int64_t shape[3];
  double values[2];
  tridap_distribution layout;
  tridap_array vectors;
  tridap_eigen_options options = {0};
  tridap_eigen_solution solution;
  const double pi = 3.141592653589793;
  shape[0] = shape[1] = n;
  shape[2] = 2;  // two vectors
  OK(tridap_distribute(3, shape, "b,b,*", MPI_COMM_WORLD, NULL, &layout));
  OK(tridap_allocate(layout, TRIDAP_FLOAT64, TRIDAP_ROW_MAJOR, &vectors));
  options.copy = TRIDAP_COPY_IF_NEEDED;
  OK(tridap_eigenvalues(a, (tridap_matrix){0}, vectors, &options, values, NULL, &solution));
  expect("the smallest eigenvalue", values[0], 4.1 - 4 * cos(pi / (double)(n + 1)));
  say("eigenvalues   %.6f and %.6f\n", values[0], values[1]);
  OK(tridap_release(vectors.number));
  OK(tridap_release(layout.number));
}

void matrices_and_solvers(int64_t n) {
  field x = make_field(n, "b,b", 0, zero), b = make_field(n, "b,b", 0, one), y = make_field(n, "b,b", 0, zero);
  rows of = make_rows(&x, n);
  tridap_csr csr = {0};
  tridap_matrix a, operator;
  tridap_preconditioner preconditioner, identity;
  tridap_solve_options options = {0};
  tridap_solution solution;
  int64_t count = x.extents[0] * x.extents[1];
  int iterations = 0;
  double norm = 0, sum = 0;
  csr.row_count = count;
  csr.entry_count = of.count;
  csr.values = of.values;
  csr.columns = of.columns;
  csr.row_starts = of.starts;
  OK(tridap_matrix_of_csr(x.layout, &csr, &a));
  OK(tridap_matrix_update(a, &csr, NULL));  // new values, in the same places
  OK(tridap_preconditioner_make(a, "muelu", NULL, &preconditioner));
  options.made = preconditioner;
  options.tol = 1e-10;
  options.watch = watch;
  options.user = &iterations;
  OK(tridap_solve(a, b.array, x.array, &options, &solution));
  expect("the solve has converged", solution.converged, 1);
  OK(tridap_multiply(a, x.array, y.array, TRIDAP_COPY_NEVER, NULL));
  OK(tridap_dot(y.array, b.array, &sum));
  expect("the sum of A x", sum, (double)(n * n));
  say("solved        by cg and muelu: |b - A x| / |b| is %.1g\n", solution.residual);
  find_eigenvalues(a, n);

  OK(tridap_operator_of(x.layout, TRIDAP_ROW_MAJOR, twice, &count, &operator));
  OK(tridap_preconditioner_of(x.layout, TRIDAP_ROW_MAJOR, twice, &count, &identity));
  memset(&options, 0, sizeof options);
  options.method = "gmres";
  options.made = identity;
  options.parameters = "Num Blocks=10";
  OK(tridap_solve(operator, b.array, x.array, &options, NULL));
  OK(tridap_norm(x.array, &norm));
  expect("half of |b|", norm, 0.5 * (double)n);
  say("operator      2 x = b solved by gmres: |x| is %g\n", norm);
  OK(tridap_release(operator.number));
  OK(tridap_release(identity.number));
  OK(tridap_release(preconditioner.number));
  OK(tridap_release(a.number));
  free(of.values);
  free(of.columns);
  free(of.starts);
  release_field(&x);
  release_field(&b);
  release_field(&y);
}
