#pragma once

#include "c/calls.hpp"

#include <cmath>
#include <type_traits>

/// The five-point Laplacian on the interior of a field, in every form that a program may give it.
namespace laplace {

using c::rank;

struct Form {
  tridap_order order = TRIDAP_ROW_MAJOR;
  std::int64_t base = 0;
  double skew = 0;  ///< makes the matrix unsymmetric
};

/// A field of doubles over memory of the test, with any order, and `vectors` along a last axis if that is not 0.
struct Vector {
  tridap_distribution layout{};
  tridap_array array{};
  std::int64_t extents[3] = {1, 1, 1}, strides[3] = {0, 0, 0};  // strides in elements
  std::vector<double> memory;
  int ndim;

  Vector(std::vector<std::int64_t> shape, std::int64_t padding, tridap_order order, std::int64_t vectors = 0)
      : ndim(vectors == 0 ? 2 : 3) {
    std::int64_t paddings[3] = {padding, padding, 0};
    if (vectors != 0) shape.push_back(vectors);
    tridap_distribute_options options{};
    options.paddings = paddings;
    options.inner_only = 1;
    EXPECT_EQ(tridap_distribute(ndim, shape.data(), vectors == 0 ? "b,b" : "b,b,*", c::world, &options, &layout),
              TRIDAP_OK)
        << tridap_message();
    EXPECT_EQ(tridap_local_shape(layout, TRIDAP_HERE, extents), TRIDAP_OK) << tridap_message();
    strides[0] = order == TRIDAP_ROW_MAJOR ? extents[1] : 1;
    strides[1] = order == TRIDAP_ROW_MAJOR ? 1 : extents[0];
    strides[2] = extents[0] * extents[1];  // each vector is one piece
    memory.assign(static_cast<std::size_t>(extents[0] * extents[1] * extents[2]), -7);
    const std::int64_t bytes[3] = {8 * strides[0], 8 * strides[1], 8 * strides[2]};
    tridap_memory of{};
    of.data = memory.data();
    of.type = TRIDAP_FLOAT64;
    of.ndim = ndim;
    of.extents = extents;
    of.strides = bytes;
    EXPECT_EQ(tridap_array_of(layout, &of, &array), TRIDAP_OK) << tridap_message();
  }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  ~Vector() {
    tridap_release(array.number);
    tridap_release(layout.number);
  }

  /// Visits the interior: the element, its global indices, and the vector.
  template <class Visit>
  void each(Visit&& visit) {
    std::int64_t begin[3] = {0, 0, 0}, end[3] = {1, 1, 1};
    ASSERT_EQ(tridap_interior(array, begin, end), TRIDAP_OK) << tridap_message();
    for (std::int64_t i = begin[0]; i < end[0]; ++i)
      for (std::int64_t j = begin[1]; j < end[1]; ++j)
        for (std::int64_t k = begin[2]; k < end[2]; ++k) {
          const std::int64_t at[3] = {i, j, k};
          std::int64_t global[3] = {0, 0, 0};
          ASSERT_EQ(tridap_global_index(layout, TRIDAP_HERE, at, global), TRIDAP_OK) << tridap_message();
          visit(memory[static_cast<std::size_t>(i * strides[0] + j * strides[1] + k * strides[2])], global[0],
                global[1], k);
        }
  }
  void fill(double value) {
    each([&](double& element, std::int64_t, std::int64_t, std::int64_t) { element = value; });
  }
};

/// The problem on n x m elements.
struct Problem {
  std::int64_t n, m;
  Form form;

  bool has(std::int64_t i, std::int64_t j) const { return i >= 0 && i < n && j >= 0 && j < m; }
  /// The answer, which is 0 outside.
  double answer(std::int64_t i, std::int64_t j, std::int64_t vector = 0) const {
    if (!has(i, j)) return 0;
    return std::sin(1.0 + 0.7 * static_cast<double>(i)) + 0.3 * static_cast<double>(j * (1 + vector)) + 1;
  }
  /// Calls visit(i, j, value) for each entry of the row of an element.
  template <class Visit>
  void row(std::int64_t i, std::int64_t j, Visit&& visit) const {
    visit(i, j, 4.5);
    if (has(i - 1, j)) visit(i - 1, j, -1.0 - form.skew);
    if (has(i + 1, j)) visit(i + 1, j, -1.0 + form.skew);
    if (has(i, j - 1)) visit(i, j - 1, -1.0);
    if (has(i, j + 1)) visit(i, j + 1, -1.0);
  }
  double product(std::int64_t i, std::int64_t j, std::int64_t vector = 0) const {
    double sum = 0;
    row(i, j, [&](std::int64_t k, std::int64_t l, double value) { sum += value * answer(k, l, vector); });
    return sum;
  }
  void right_hand_side(Vector& b) const {
    b.each([&](double& element, std::int64_t i, std::int64_t j, std::int64_t k) { element = product(i, j, k); });
  }
  double worst_error(Vector& x) const {
    double worst = 0;
    x.each([&](double element, std::int64_t i, std::int64_t j, std::int64_t k) {
      worst = std::max(worst, std::abs(element - answer(i, j, k)));
    });
    return worst;
  }
};

/// This process's rows, with integers of a type.
template <class Integer>
struct Rows {
  std::vector<double> values;
  std::vector<Integer> columns, starts;
  tridap_csr csr{};

  Rows(const Problem& of, tridap_distribution layout, double scale = 1) {
    std::int64_t begin[2], end[2];
    EXPECT_EQ(tridap_bounds(layout, TRIDAP_HERE, TRIDAP_INTERIOR, begin, end), TRIDAP_OK) << tridap_message();
    const bool turned = of.form.order == TRIDAP_COLUMN_MAJOR;
    starts.push_back(static_cast<Integer>(of.form.base));
    for (std::int64_t outer = begin[turned]; outer < end[turned]; ++outer)
      for (std::int64_t inner = begin[!turned]; inner < end[!turned]; ++inner) {
        const std::int64_t at[2] = {turned ? inner : outer, turned ? outer : inner};
        std::int64_t global[2];
        EXPECT_EQ(tridap_global_index(layout, TRIDAP_HERE, at, global), TRIDAP_OK) << tridap_message();
        of.row(global[0], global[1], [&](std::int64_t k, std::int64_t l, double value) {
          values.push_back(scale * value);
          columns.push_back(static_cast<Integer>(of.form.base + (turned ? k + l * of.n : k * of.m + l)));
        });
        starts.push_back(static_cast<Integer>(of.form.base + static_cast<std::int64_t>(values.size())));
      }
    csr.row_count = static_cast<std::int64_t>(starts.size()) - 1;
    csr.entry_count = static_cast<std::int64_t>(values.size());
    csr.values = values.data();
    csr.columns = columns.data();
    csr.row_starts = starts.data();
    csr.column_bytes = csr.row_start_bytes = sizeof(Integer);
    csr.index_base = of.form.base;
    csr.order = of.form.order;
  }
};

/// A problem with its matrix, and arrays whose memory the solvers can use.
struct Case {
  Problem of;
  Vector b, x;
  tridap_matrix a{};

  explicit Case(const Form& form = {}, std::int64_t padding = 0, std::int64_t vectors = 0)
      : of{12, 9, form}, b({12, 9}, padding, form.order, vectors), x({12, 9}, padding, form.order, vectors) {
    const Vector rows({12, 9}, padding, form.order);
    const Rows<std::int64_t> given(of, rows.layout);
    EXPECT_EQ(tridap_matrix_of_csr(rows.layout, &given.csr, &a), TRIDAP_OK) << tridap_message();
    of.right_hand_side(b);
    x.fill(0);
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;
  ~Case() { tridap_release(a.number); }

  /// Expects that the solve finds the answer.
  void solve(const tridap_solve_options& options, double error = 1e-8) {
    tridap_solution solution{};
    ASSERT_EQ(tridap_solve(a, b.array, x.array, &options, &solution), TRIDAP_OK) << tridap_message();
    EXPECT_EQ(solution.converged, 1);
    EXPECT_LE(solution.residual, 1e-8);
    EXPECT_LT(of.worst_error(x), error);
  }
};

}  // namespace laplace
