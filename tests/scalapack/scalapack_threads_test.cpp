#include "support/parts.hpp"
#include "support/two_threads.hpp"
#include <tridap/make.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/scalapack/dense.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace {

using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;

constexpr Index n = 24;

double element(Index i, Index j, int number) {
  return 1.0 / static_cast<double>(1 + std::abs(i - j)) + (i == j ? 2.0 + number : 0.0);
}

// This thread's matrix, distributed by blocks of rows.
DistArray matrix(MPI_Comm comm, int number) {
  const Index rank = on::rank(comm);
  const Distribution distribution =
      Distribution::make({n, n}, {tridap::block(), tridap::block()}, {Index{on::processes(comm)}, 1});
  DistArray made = on::part_of(distribution, rank);
  const Index first = std::get<tridap::Block>(made.dim_data[0].dist).start;
  for (Index i = 0; i < made.buffer.shape[0]; ++i)
    for (Index j = 0; j < n; ++j) static_cast<double*>(made.buffer.data)[i * n + j] = element(first + i, j, number);
  return made;
}

using Whole = std::vector<double>;

// Row-major, on every process.
Whole whole(const DistArray& array, MPI_Comm comm) {
  const DistArray all = tridap::redistribute::allgather(array, comm);
  Whole values;
  for (Index i = 0; i < all.buffer.shape[0]; ++i)
    for (Index j = 0; j < all.buffer.shape[1]; ++j)
      values.push_back(*reinterpret_cast<const double*>(static_cast<const char*>(all.buffer.data) +
                                                        i * all.buffer.strides[0] + j * all.buffer.strides[1]));
  return values;
}

Whole product(const Whole& a, const Whole& b) {
  Whole c(static_cast<std::size_t>(n * n), 0);
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < n; ++k)
      for (Index j = 0; j < n; ++j)
        c[static_cast<std::size_t>(i * n + j)] +=
            a[static_cast<std::size_t>(i * n + k)] * b[static_cast<std::size_t>(k * n + j)];
  return c;
}

Whole transposed(const Whole& a) {
  Whole t(a.size());
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) t[static_cast<std::size_t>(j * n + i)] = a[static_cast<std::size_t>(i * n + j)];
  return t;
}

void expect_near(const Whole& a, const Whole& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  EXPECT_LT(most, 1e-10);
}

// Each thread checks a factorization of its own matrix, several times.
void expect_right(const std::function<void(const DistArray&, MPI_Comm)>& check) {
  two_threads::run([&](MPI_Comm comm, int number) {
    const DistArray a = matrix(comm, number);
    for (int round = 0; round < 6; ++round) check(a, comm);
  });
}

tridap::scalapack::DenseOptions copying() {
  tridap::scalapack::DenseOptions options;
  options.copy = tridap::Copy::if_needed;
  return options;
}

}  // namespace

namespace dense = tridap::scalapack;

TEST(ScalapackThreads, Solve) {
  expect_right([](const DistArray& a, MPI_Comm comm) {
    const DistArray x = dense::solve(a, a, comm, copying()).x;  // the identity
    Whole one(static_cast<std::size_t>(n * n), 0);
    for (Index i = 0; i < n; ++i) one[static_cast<std::size_t>(i * n + i)] = 1;
    expect_near(whole(x, comm), one);
  });
}

TEST(ScalapackThreads, Cholesky) {
  expect_right([](const DistArray& a, MPI_Comm comm) {
    const Whole lower = whole(dense::cholesky(a, comm, true, copying()).factor, comm);
    expect_near(product(lower, transposed(lower)), whole(a, comm));
  });
}

TEST(ScalapackThreads, Eigh) {
  expect_right([](const DistArray& a, MPI_Comm comm) {
    const dense::Eigen found = dense::eigh(a, comm, true, copying());
    Whole vectors = whole(found.vectors, comm);
    const Whole left = product(whole(a, comm), vectors);
    for (std::size_t i = 0; i < vectors.size(); ++i) vectors[i] *= found.values[i % static_cast<std::size_t>(n)];
    expect_near(left, vectors);
  });
}

TEST(ScalapackThreads, Svd) {
  expect_right([](const DistArray& a, MPI_Comm comm) {
    const dense::Svd found = dense::svd(a, comm, copying());
    Whole u = whole(found.u, comm);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] *= found.values[i % static_cast<std::size_t>(n)];
    expect_near(product(u, whole(found.vh, comm)), whole(a, comm));
  });
}

TEST(ScalapackThreads, Qr) {
  expect_right([](const DistArray& a, MPI_Comm comm) {
    const dense::Qr found = dense::qr(a, comm, copying());
    expect_near(product(whole(found.q, comm), whole(found.r, comm)), whole(a, comm));
  });
}
