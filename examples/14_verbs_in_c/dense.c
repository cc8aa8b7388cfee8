#include "verbs.h"

// A symmetric matrix that is strictly diagonally dominant.
static double matrix(int64_t i, int64_t j) { return i == j ? 30 : 1.0 / (double)(1 + i + j); }
static double ones(int64_t i, int64_t j) { return i >= 0 && j >= 0 ? 1 : 0; }

// |a x - b|, by ScaLAPACK's own product.
static double residual_of(tridap_array a, tridap_array x, const field* b, const tridap_dense_options* options) {
  const tridap_scaling minus = {{-1, 0}, {1, 0}};
  tridap_array product;
  double norm = 0;
  OK(tridap_matmul(a, x, options, &product, NULL));
  OK(tridap_redistribute_into(b->array, product, NULL, &minus));
  OK(tridap_norm(product, &norm));
  OK(tridap_release(product.number));
  return norm;
}

void dense_matrices(int64_t n) {
  field a = make_field(n, "b,*", 0, matrix), b = make_field(n, "b,*", 0, ones);
  tridap_dense_options options = {0};
  tridap_array x, factor, vectors, u, vh, q, r;
  double* const values = malloc((size_t)n * sizeof *values);
  double trace = 0, norm = 0, frobenius = 0;
  int64_t i;
  options.copy = TRIDAP_COPY_IF_NEEDED;  // rows are moved to square blocks, and the answer back
  OK(tridap_dense_solve(a.array, b.array, &options, &x, NULL));
  expect("|a x - b|", residual_of(a.array, x, &b, &options), 0);
  OK(tridap_cholesky(a.array, &options, &factor, NULL));
  OK(tridap_eigh(a.array, &options, values, &vectors, NULL));
  for (i = 0; i < n; ++i) trace += values[i];
  expect("the sum of the eigenvalues", trace, 30 * (double)n);
  OK(tridap_svd(a.array, &options, &u, values, &vh, NULL));
  for (i = 0; i < n; ++i) norm += values[i] * values[i];
  OK(tridap_norm(a.array, &frobenius));
  expect("the norm of the singular values", sqrt(norm), frobenius);
  OK(tridap_qr(a.array, &options, &q, &r, NULL));
  OK(tridap_norm(r, &norm));
  expect("the norm of r", norm, frobenius);
  say("dense         solved, factored and decomposed; the norm is %.6g\n", frobenius);
  OK(tridap_release(x.number));
  OK(tridap_release(factor.number));
  OK(tridap_release(vectors.number));
  OK(tridap_release(u.number));
  OK(tridap_release(vh.number));
  OK(tridap_release(q.number));
  OK(tridap_release(r.number));
  free(values);
  release_field(&a);
  release_field(&b);
}
