#pragma once

#include "support.hpp"
#include <tridap/mpi/gather_distribution.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

/// Matrices whose elements every process can compute, and the whole matrices of answers.
namespace dense_test {

using namespace scalapack_test;
using tridap::AxisSpec;
using tridap::Copy;
using tridap::Indices;
using tridap::Part;
using tridap::scalapack::DenseOptions;
namespace sl = tridap::scalapack;

template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<std::complex<T>> : std::true_type {};
template <class T>
using RealOf = decltype(std::real(T{}));

/// Rounding errors of a few operations on each of n elements.
template <class T>
double tolerance(Index n) {
  return 200 * static_cast<double>(std::max<Index>(n, 1)) *
         static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
}

/// A whole matrix on one process, row after row.
template <class T>
struct Whole {
  Index m = 0, n = 0;
  std::vector<T> elements;
  Whole(Index rows, Index columns) : m(rows), n(columns), elements(static_cast<std::size_t>(rows * columns)) {}
  T& at(Index i, Index j) { return elements[static_cast<std::size_t>(i * n + j)]; }
  const T& at(Index i, Index j) const { return elements[static_cast<std::size_t>(i * n + j)]; }
};

template <class T>
T random_element(Random& random) {
  const auto number = [&] { return static_cast<RealOf<T>>(static_cast<double>(random() % 2001) / 1000.0 - 1.0); };
  if constexpr (IsComplex<T>::value) {
    const auto real = number();
    return T(real, number());
  } else {
    return number();
  }
}

template <class T>
Whole<T> random_matrix(Random& random, Index m, Index n) {
  Whole<T> made(m, n);
  for (T& element : made.elements) element = random_element<T>(random);
  return made;
}

template <class T>
T conjugate(const T& x) {
  if constexpr (IsComplex<T>::value)
    return std::conj(x);
  else
    return x;
}

template <class T>
Whole<T> adjoint(const Whole<T>& a) {
  Whole<T> made(a.n, a.m);
  for (Index i = 0; i < a.m; ++i)
    for (Index j = 0; j < a.n; ++j) made.at(j, i) = conjugate(a.at(i, j));
  return made;
}

template <class T>
Whole<T> product(const Whole<T>& a, const Whole<T>& b) {
  Whole<T> made(a.m, b.n);
  for (Index i = 0; i < a.m; ++i)
    for (Index j = 0; j < b.n; ++j)
      for (Index k = 0; k < a.n; ++k) made.at(i, j) += a.at(i, k) * b.at(k, j);
  return made;
}

template <class T>
double largest_difference(const Whole<T>& a, const Whole<T>& b) {
  EXPECT_EQ(a.m, b.m);
  EXPECT_EQ(a.n, b.n);
  double largest = 0;
  for (std::size_t k = 0; k < a.elements.size() && k < b.elements.size(); ++k) {
    const double apart = static_cast<double>(std::abs(a.elements[k] - b.elements[k]));
    if (!(apart <= largest)) largest = apart;  // NaN too
  }
  return largest;
}

/// Whether a^H a is the identity.
template <class T>
void expect_orthonormal_columns(const Whole<T>& a) {
  Whole<T> identity(a.n, a.n);
  for (Index i = 0; i < a.n; ++i) identity.at(i, i) = T(1);
  EXPECT_LE(largest_difference(product(adjoint(a), a), identity), tolerance<T>(a.m));
}

enum class Lines { columns, rows, spread };  ///< of memory; spread: no two elements are neighbours

/// This process's part of a matrix. Padding is NaN.
template <class T>
struct Held {
  DistArray array;
  std::vector<T> memory, before;
  bool is_unchanged() const { return std::memcmp(memory.data(), before.data(), memory.size() * sizeof(T)) == 0; }
};

template <class T>
Held<T> part_of(const Whole<T>& whole, const Distribution& distribution, Lines lines, Index more = 0,
                Index process = rank_here()) {
  Held<T> held;
  std::vector<Index> shape = distribution.local_shape(process);
  const bool vector = shape.size() == 1;
  const Index m = shape[0], n = vector ? 1 : shape[1], step = lines == Lines::spread ? 2 : 1;
  const Index line = ((lines == Lines::columns ? m : n) + more) * step;
  held.memory.assign(static_cast<std::size_t>(std::max<Index>((line + 1) * (std::max(m, n) + 1), 1)),
                     T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
  auto& buffer = held.array.buffer;
  buffer = tridap::row_major(held.memory.data(), {m, n});
  const Index bytes = sizeof(T);
  if (lines == Lines::columns)
    buffer.strides = {bytes, bytes * line};
  else
    buffer.strides = {bytes * line, bytes * step};
  if (vector) {
    buffer.shape = {m};
    buffer.strides = {lines == Lines::columns ? bytes : bytes * line};
  }
  held.array.dim_data = distribution.dim_data(process);
  const auto owned = distribution.part(process, Part::owned);
  for (Index i = owned[0].begin; i < owned[0].end; ++i)
    for (Index j = vector ? 0 : owned[1].begin; j < (vector ? 1 : owned[1].end); ++j) {
      const Indices global = distribution.global_index(process, vector ? Indices{i} : Indices{i, j});
      auto* const at = static_cast<char*>(buffer.data) + i * buffer.strides[0] + (vector ? 0 : j * buffer.strides[1]);
      *reinterpret_cast<T*>(at) = whole.at(global[0], vector ? 0 : global[1]);
    }
  held.before = held.memory;
  return held;
}

/// The whole matrix of an array's parts. Each element must be on one process.
template <class T>
Whole<T> gathered(const DistArray& array, MPI_Comm comm = MPI_COMM_WORLD, Index process = rank_here()) {
  const Distribution distribution = tridap::mpi::gather_distribution(array, comm);
  const bool vector = distribution.ndim() == 1;
  Whole<T> whole(distribution.axis(0).size(), vector ? 1 : distribution.axis(1).size());
  std::vector<int> holders(whole.elements.size());
  EXPECT_EQ(array.buffer.type, tridap::element_type<T>());
  const auto owned = distribution.part(process, Part::owned);
  for (Index i = owned[0].begin; i < owned[0].end; ++i)
    for (Index j = vector ? 0 : owned[1].begin; j < (vector ? 1 : owned[1].end); ++j) {
      const Indices global = distribution.global_index(process, vector ? Indices{i} : Indices{i, j});
      const auto& strides = array.buffer.strides;
      const auto* const at =
          static_cast<const char*>(array.buffer.data) + i * strides[0] + (vector ? 0 : j * strides[1]);
      whole.at(global[0], vector ? 0 : global[1]) = *reinterpret_cast<const T*>(at);
      ++holders[static_cast<std::size_t>(global[0] * whole.n + (vector ? 0 : global[1]))];
    }
  const int reals = static_cast<int>(whole.elements.size()) * (IsComplex<T>::value ? 2 : 1);
  MPI_Allreduce(MPI_IN_PLACE, whole.elements.data(), reals, sizeof(RealOf<T>) == 4 ? MPI_FLOAT : MPI_DOUBLE, MPI_SUM,
                comm);
  MPI_Allreduce(MPI_IN_PLACE, holders.data(), static_cast<int>(holders.size()), MPI_INT, MPI_SUM, comm);
  EXPECT_TRUE(std::all_of(holders.begin(), holders.end(), [](int count) { return count == 1; }));
  return whole;
}

inline std::vector<Index> some_process_grid(Random& random) {
  const Index all = processes();
  std::vector<Index> rows;
  for (Index p = 1; p <= all; ++p)
    if (all % p == 0) rows.push_back(p);
  const Index p = rows[static_cast<std::size_t>(pick(random, static_cast<int>(rows.size())))];
  return {p, all / p};
}

/// A distribution that ScaLAPACK can use as it is; `rotated`: the first block may be on any process.
inline Distribution some_squares(Random& random, Index m, Index n, bool rotated) {
  const auto grid = some_process_grid(random);
  const Index length = 1 + pick(random, 5);
  const auto first = [&](Index over) { return rotated ? pick(random, static_cast<int>(over)) : 0; };
  return Distribution::make({m, n}, {tridap::cyclic(length, first(grid[0])), tridap::cyclic(length, first(grid[1]))},
                            grid);
}

inline AxisSpec some_axis(Random& random, Index size, Index over) {
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(over));
  switch (pick(random, 4)) {
    case 0:
      return tridap::block();
    case 1:
      return tridap::cyclic(1 + pick(random, 4), pick(random, static_cast<int>(over)));
    case 2: {
      std::vector<Index> starts{0};
      for (Index c = 1; c < over; ++c)
        starts.push_back(std::min(size, starts.back() + pick(random, static_cast<int>(size) + 1)));
      return tridap::block_at(starts);
    }
    default:
      for (Index i = 0; i < size; ++i)
        lists[static_cast<std::size_t>(pick(random, static_cast<int>(over)))].push_back(size - 1 - i);
      return tridap::unstructured(lists, true);
  }
}

/// Any distribution.
inline Distribution some_distribution(Random& random, Index m, Index n) {
  const auto grid = some_process_grid(random);
  const AxisSpec rows = some_axis(random, m, grid[0]);
  return Distribution::make({m, n}, {rows, some_axis(random, n, grid[1])}, grid);
}

inline Lines some_lines(Random& random) { return static_cast<Lines>(pick(random, 3)); }

template <class T>
class Dense : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;

}  // namespace dense_test
