// Preconditioners that cannot be indefinite, and errors that name what is.

#include "solvers/solver_support.hpp"
#include "support/effort.hpp"

#include <cstdint>
#include <map>
#include <random>

namespace definite_test {

using namespace solver_test;
using tridap::solvers::MultiVector;

/// Pseudorandom numbers that are the same with every standard library.
class Numbers {
 public:
  explicit Numbers(unsigned seed) : engine_(seed) {}
  double between(double low, double high) { return low + (high - low) * static_cast<double>(engine_()) / 4294967295.0; }
  double power_of_ten(double low, double high) { return std::pow(10.0, between(low, high)); }
  Index from_1_to(Index most) { return 1 + static_cast<Index>(engine_() % static_cast<std::uint32_t>(most)); }

 private:
  std::mt19937 engine_;
};

/// A symmetric positive definite matrix, whole on every process.
struct System {
  std::string name;
  std::vector<std::map<Index, double>> entries;

  explicit System(std::string kind, Index n) : name(std::move(kind)), entries(static_cast<std::size_t>(n)) {}
  Index size() const { return static_cast<Index>(entries.size()); }
  double& at(Index i, Index j) { return entries[static_cast<std::size_t>(i)][j]; }
  void couple(Index i, Index j, double weight) {
    at(i, i) += weight;
    at(j, j) += weight;
    at(i, j) -= weight;
    at(j, i) -= weight;
  }
  Rows rows() const {
    return [this](Index id) {
      const auto& of_row = entries[static_cast<std::size_t>(id)];
      return Row(of_row.begin(), of_row.end());
    };
  }
};

/// Diffusion on m x n points, with a weight for each edge and 0 outside.
System diffusion(const std::string& name, Index m, Index n, const std::function<double(bool)>& weight) {
  System made(name, m * n);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      const Index here = i * n + j;
      if (i + 1 < m) made.couple(here, here + n, weight(true));
      if (j + 1 < n) made.couple(here, here + 1, weight(false));
      made.at(here, here) += (i == 0 ? weight(true) : 0) + (i == m - 1 ? weight(true) : 0) +
                             (j == 0 ? weight(false) : 0) + (j == n - 1 ? weight(false) : 0);
    }
  return made;
}

System line(Index n, double diagonal, double beside) {
  System made("line", n);
  for (Index i = 0; i < n; ++i) {
    made.at(i, i) = diagonal;
    if (i > 0) made.at(i, i - 1) = made.at(i - 1, i) = beside;
  }
  return made;
}

System any_signs(Numbers& numbers) {
  System made("any signs", numbers.from_1_to(40));
  std::vector<double> sums(made.entries.size(), 0);
  for (Index i = 0; i < made.size(); ++i)
    for (Index j = 0; j < i; ++j) {
      if (numbers.between(0, 1) > 0.2) continue;
      const double value = numbers.between(-1, 1);
      made.at(i, j) = made.at(j, i) = value;
      sums[static_cast<std::size_t>(i)] += std::abs(value);
      sums[static_cast<std::size_t>(j)] += std::abs(value);
    }
  for (Index i = 0; i < made.size(); ++i)
    made.at(i, i) = 0.01 + sums[static_cast<std::size_t>(i)] * numbers.between(1.001, 2);
  return made;
}

/// B^T B + 0.01 I, which is seldom diagonally dominant.
System gram(Numbers& numbers) {
  System made("gram", numbers.from_1_to(40));
  for (Index row = 0; row < made.size(); ++row) {
    std::map<Index, double> of_row;
    for (int k = 0; k < 3; ++k) of_row[numbers.from_1_to(made.size()) - 1] += numbers.between(-1, 1);
    for (const auto& [i, a] : of_row)
      for (const auto& [j, b] : of_row) made.at(i, j) += a * b;
  }
  for (Index i = 0; i < made.size(); ++i) made.at(i, i) += 0.01;
  return made;
}

System scaled(Numbers& numbers) {
  System made = diffusion("scaled", numbers.from_1_to(8), numbers.from_1_to(8), [](bool) { return 1.0; });
  std::vector<double> scales;
  for (Index i = 0; i < made.size(); ++i) scales.push_back(numbers.power_of_ten(-2, 2));
  for (Index i = 0; i < made.size(); ++i)
    for (auto& [j, value] : made.entries[static_cast<std::size_t>(i)])
      value *= scales[static_cast<std::size_t>(i)] * scales[static_cast<std::size_t>(j)];
  return made;
}

constexpr unsigned kinds = 10;

System system_of(unsigned seed) {
  Numbers numbers(seed);
  const auto points = [&] { return numbers.from_1_to(8); };
  const auto one = [](bool) { return 1.0; };
  switch (seed % kinds) {
    case 0:
      return line(numbers.from_1_to(40), numbers.between(2, 4), -1);
    case 1:
      return diffusion("grid", points(), points(), one);
    case 2: {
      const double strong = numbers.power_of_ten(-3, 3);
      return diffusion("anisotropic", points(), points(), [&](bool down) { return down ? strong : 1.0; });
    }
    case 3:
      return diffusion("random weights", points(), points(), [&](bool) { return numbers.power_of_ten(-3, 3); });
    case 4:
      return line(numbers.from_1_to(40), numbers.between(2, 6), 1);
    case 5:
      return any_signs(numbers);
    case 6:
      return gram(numbers);
    case 7:
      return scaled(numbers);
    case 8: {  // more rows than MueLu's coarsest grid may have
      const Index m = 14 + numbers.from_1_to(6), n = 14 + numbers.from_1_to(6);
      return diffusion("two levels", m, n, [&](bool) { return numbers.power_of_ten(-1, 1); });
    }
    default: {
      System made("diagonal", numbers.from_1_to(seed % 20 == 9 ? 300 : 40));
      for (Index i = 0; i < made.size(); ++i) made.at(i, i) = numbers.power_of_ten(-3, 3);
      return made;
    }
  }
}

/// The elements 0 to n - 1 in blocks, dealt, at random, or on the last process.
tridap::DistArray distributed(Index n, unsigned seed) {
  Numbers numbers(seed + 1000000);
  const Index p = processes();
  switch ((seed / kinds) % 4) {
    case 0:
      return stamped(oracle::Array({oracle::block(blocks(n, p))}));
    case 1:
      return stamped(oracle::Array({oracle::cyclic(n, numbers.from_1_to(3), p)}));
    case 2: {
      List counts(static_cast<std::size_t>(p), 0);
      for (Index i = 0; i < n; ++i) ++counts[static_cast<std::size_t>(numbers.from_1_to(p) - 1)];
      return stamped(oracle::Array({oracle::block(counts)}));
    }
    default: {
      List counts(static_cast<std::size_t>(p), 0);
      counts.back() = n;
      return stamped(oracle::Array({oracle::block(counts)}));
    }
  }
}

Vector unit(const ArrayMap& layout, Index number) {
  Vector made(layout.map());
  const auto id = static_cast<Vector::global_ordinal_type>(number);
  if (layout.map()->isNodeGlobalElement(id)) made.replaceGlobalValue(id, 1);
  return made;
}

/// The columns of an operator, whole on every process.
std::vector<std::vector<double>> dense(const ArrayMap& layout, const Operator& op, Index n) {
  const List ids = ids_of(*layout.map());
  std::vector<std::vector<double>> columns;
  for (Index j = 0; j < n; ++j) {
    Vector product(layout.map());
    op.apply(unit(layout, j), product);
    std::vector<double> column(static_cast<std::size_t>(n), 0);
    for (std::size_t i = 0; i < ids.size(); ++i) column[static_cast<std::size_t>(ids[i])] = data_of(product)[i];
    MPI_Allreduce(MPI_IN_PLACE, column.data(), static_cast<int>(n), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    columns.push_back(column);
  }
  return columns;
}

/// By Cholesky's factorization of the matrix with a diagonal of ones.
void expect_positive_definite(std::vector<std::vector<double>> a) {
  const std::size_t n = a.size();
  std::vector<double> scale(n);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_GT(a[i][i], 0) << "of row " << i;
    scale[i] = 1 / std::sqrt(a[i][i]);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) a[i][j] *= scale[i] * scale[j];
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) ASSERT_NEAR(a[i][j], a[j][i], 1e-8) << "of rows " << i << " and " << j;
  for (std::size_t k = 0; k < n; ++k) {
    ASSERT_GT(a[k][k], 1e-12) << "of pivot " << k;
    for (std::size_t i = k + 1; i < n; ++i)
      for (std::size_t j = k + 1; j < n; ++j) a[i][j] -= a[i][k] * a[k][j] / a[k][k];
  }
}

void expect_definite_default(const System& system, const tridap::DistArray& part, const std::string& name) {
  const ArrayMap layout(part, MPI_COMM_WORLD);
  const auto a = matrix_of(layout, system.rows());
  const auto m = make_preconditioner(name, Method::cg, a);
  if (system.size() <= 64) {
    expect_positive_definite(dense(layout, *m, system.size()));
  } else {
    for (Index i = 0; i < 10; ++i) {
      Vector r(layout.map()), z(layout.map());
      const List ids = ids_of(*layout.map());
      for (std::size_t k = 0; k < ids.size(); ++k)
        data_of(r)[k] = wave((i + 1) * ids[k]) * (i % 2 == 0 || ids[k] % 2 == 0 ? 1 : -1);
      m->apply(r, z);
      EXPECT_GT(r.dot(z), 0) << "of vector " << i;
    }
  }
  Vector x(layout.map());
  const Solution solution = solve(a, m, right_hand_side(layout, system.rows()), x, options_of(Method::cg, 1e-8));
  EXPECT_TRUE(solution.converged) << solution.residual;
}

void expect_definite_defaults(const System& system, const tridap::DistArray& part) {
  for (const std::string name : {"muelu", "ifpack2"}) {
    SCOPED_TRACE(system.name + " of " + std::to_string(system.size()) + " rows, " + name);
    try {
      expect_definite_default(system, part, name);
    } catch (const tridap::Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST(DefaultPreconditioner, IsPositiveDefiniteOnSmallSystems) {
  const unsigned count = effort::seeds(0U, 200U, 50U);
  for (unsigned seed = 0; seed < count; ++seed) {
    const System system = system_of(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_definite_defaults(system, distributed(system.size(), seed));
    if (HasFailure()) return;
  }
}

TEST(DefaultPreconditioner, IsPositiveDefiniteOnShortLinesAndNarrowGrids) {
  for (Index n = 1; n < 8; ++n)
    for (const double diagonal : {2.1, 2.5, 10.0})
      expect_definite_defaults(line(n, diagonal, -1), stamped(oracle::Array({oracle::block(blocks(n, processes()))})));
  for (Index n = 3; n < 9; ++n)
    expect_definite_defaults(diffusion("grid", 3, n, [](bool) { return 1.0; }),
                             stamped(oracle::Array({oracle::block(blocks(3 * n, processes()))})));
}

// The largest eigenvalue of D^-1 A belongs to one pair of rows: the power method seldom finds it in ten steps.
TEST(DefaultPreconditioner, IsPositiveDefiniteIfOnePairOfRowsIsCoupledStrongly) {
  constexpr Index n = 40000, k = n / 2 + 17;
  System system = line(n, 4, -1);
  for (const Index i : {k - 1, k + 1}) system.at(i, i + 1) = system.at(i + 1, i) = -0.1;
  system.at(k, k + 1) = system.at(k + 1, k) = -3.9;
  const ArrayMap layout(stamped(oracle::Array({oracle::block(blocks(n, processes()))})), MPI_COMM_WORLD);
  const auto a = matrix_of(layout, system.rows());
  Vector pair = unit(layout, k), z(layout.map());
  pair.update(-1, unit(layout, k + 1), 1);
  for (const std::string name : {"muelu", "ifpack2", "chebyshev"}) {
    Teuchos::ParameterList parameters;
    if (name == "chebyshev") parameters.set("chebyshev: degree", 4);
    make_preconditioner(name, Method::cg, a, parameters)->apply(pair, z);
    EXPECT_GT(pair.dot(z), 0) << name;
  }
  Teuchos::ParameterList parameters;
  parameters.sublist("smoother: params").set("chebyshev: degree", 4);
  make_preconditioner("muelu", Method::cg, a, parameters)->apply(pair, z);
  EXPECT_GT(pair.dot(z), 0) << "with another degree";
}

TEST(DefaultPreconditioner, TakesTheEigenvaluesThatTheCallerGives) {
  const Problem p(0, 0);
  Teuchos::ParameterList small;
  small.set("chebyshev: max eigenvalue", 0.5);
  small.set("chebyshev: degree", 2);
  Vector z(p.layout.map()), others(p.layout.map());
  make_preconditioner("ifpack2", Method::cg, p.a, small)->apply(p.b, z);
  small.set("chebyshev: max eigenvalue", 0.6);
  make_preconditioner("ifpack2", Method::cg, p.a, small)->apply(p.b, others);
  others.update(-1, z, 1);
  EXPECT_GT(others.norm2(), 1e-3 * z.norm2());
}

/// Multiplies by a number.
class Multiple : public Operator {
 public:
  Multiple(Teuchos::RCP<const Tpetra::Map<>> map, double factor) : map_(std::move(map)), factor_(factor) {}
  Teuchos::RCP<const Tpetra::Map<>> getDomainMap() const override { return map_; }
  Teuchos::RCP<const Tpetra::Map<>> getRangeMap() const override { return map_; }
  void apply(const MultiVector& x, MultiVector& y, Teuchos::ETransp /*mode*/, double alpha,
             double beta) const override {
    y.update(alpha * factor_, x, beta);
  }

 private:
  Teuchos::RCP<const Tpetra::Map<>> map_;
  double factor_;
};

std::string refusal_of(const Problem& p, const Teuchos::RCP<const CrsMatrix>& a, const Teuchos::RCP<const Operator>& m,
                       const std::string& name, std::size_t columns) {
  Options options = options_of(name.empty() ? Method::cg : Method::belos);
  options.name = name;
  MultiVector b(p.layout.map(), columns), x(p.layout.map(), columns);
  for (std::size_t j = 0; j < columns; ++j) b.getVectorNonConst(j)->update(1, p.b, 0);
  return refusal([&] { solve(a, m, b, x, options); });
}

TEST(Cg, NamesTheMatrixIfItIsNotPositiveDefinite) {
  const Problem p;
  const auto indefinite = matrix_of(p.layout, [&](Index id) {
    Row row = p.rows(id);
    row[0].second = 1;  // the diagonal
    return row;
  });
  const auto identity = Teuchos::rcp(new Multiple(p.layout.map(), 1));
  for (const auto& m : {Teuchos::RCP<const Operator>(), Teuchos::RCP<const Operator>(identity)})
    for (const auto& [name, columns] :
         std::vector<std::pair<std::string, std::size_t>>{{"", 1}, {"", 2}, {"BLOCK CG", 1}, {"PSEUDOBLOCK CG", 1}}) {
      const std::string text = refusal_of(p, indefinite, m, name, columns);
      EXPECT_TRUE(says(text, "the matrix is not positive definite: p . A p is -")) << name << columns;
      expect_says(text, "|p| |A p| for a direction p [conversion]: use method='gmres'");
      EXPECT_FALSE(says(text, "the preconditioner"));
    }
}

TEST(Cg, NamesThePreconditionerIfItIsNotPositiveDefinite) {
  const Problem p;
  const auto negative = Teuchos::rcp(new Multiple(p.layout.map(), -1));
  for (const auto& [name, columns] : std::vector<std::pair<std::string, std::size_t>>{
           {"", 1}, {"", 2}, {"BLOCK CG", 1}, {"PSEUDOBLOCK CG", 1}, {"MINRES", 1}}) {
    const std::string text = refusal_of(p, p.a, negative, name, columns);
    EXPECT_TRUE(says(text, "the preconditioner is not positive definite: r . M r is -1 |r| |M r| for a residual r"))
        << name << columns;
    expect_says(text, "use another preconditioner, or method='gmres'");
    EXPECT_FALSE(says(text, "the matrix"));
  }
  Vector x(p.layout.map());
  EXPECT_TRUE(solve(p.a, negative, p.b, x, options_of(Method::gmres)).converged);  // as told
}

}  // namespace definite_test
