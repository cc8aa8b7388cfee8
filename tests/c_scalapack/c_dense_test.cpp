#include "c/calls.hpp"

#include <cmath>
#include <functional>

using namespace c;

namespace {

using Entry = std::function<double(std::int64_t, std::int64_t)>;

/// An array of doubles of which each element is a function of its indices; it is released at the end of a test.
struct Made {
  tridap_distribution layout{};
  tridap_array array{};

  Made() = default;
  Made(std::vector<std::int64_t> shape, const char* dist, const Entry& entry, tridap_order order = TRIDAP_COLUMN_MAJOR)
      : layout(distributed(shape, dist)) {
    EXPECT_EQ(tridap_allocate(layout, TRIDAP_FLOAT64, order, &array), TRIDAP_OK) << tridap_message();
    each([&](double& element, std::int64_t i, std::int64_t j) { element = entry(i, j); });
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() {
    tridap_release(array.number);
    tridap_release(layout.number);
  }

  template <class Visit>
  void each(Visit&& visit) {
    tridap_memory memory{};
    ASSERT_EQ(tridap_array_memory(array, &memory), TRIDAP_OK) << tridap_message();
    if (layout.number == 0) {
      ASSERT_EQ(tridap_distribution_of(array, &layout), TRIDAP_OK);
    }
    const std::int64_t columns = memory.ndim == 2 ? memory.extents[1] : 1;
    for (std::int64_t i = 0; i < memory.extents[0]; ++i)
      for (std::int64_t j = 0; j < columns; ++j) {
        const std::int64_t at[2] = {i, j};
        std::int64_t global[2] = {0, 0};
        ASSERT_EQ(tridap_global_index(layout, TRIDAP_HERE, at, global), TRIDAP_OK) << tridap_message();
        auto* const element =
            static_cast<char*>(memory.data) + i * memory.strides[0] + (memory.ndim == 2 ? j * memory.strides[1] : 0);
        visit(*reinterpret_cast<double*>(element), global[0], global[1]);
      }
  }

  void expect(const Entry& entry, double error = 1e-10) {
    each([&](double element, std::int64_t i, std::int64_t j) { EXPECT_NEAR(element, entry(i, j), error); });
  }
};

double spread(std::int64_t i, std::int64_t j) {
  return std::cos(1.7 * static_cast<double>(i * i) + 0.9 * static_cast<double>(j) + 0.3 * static_cast<double>(i * j));
}

constexpr std::int64_t n = 13;

double definite(std::int64_t i, std::int64_t j) { return i == j ? 4 : std::abs(i - j) == 1 ? -1 : 0; }

double general(std::int64_t i, std::int64_t j) { return (i == j ? 5.0 : 0.0) + spread(i, j); }

double answer(std::int64_t i, std::int64_t k) { return 1 + 0.5 * static_cast<double>(i) - static_cast<double>(k); }

double sum(std::int64_t count, const std::function<double(std::int64_t)>& term) {
  double all = 0;
  for (std::int64_t k = 0; k < count; ++k) all += term(k);
  return all;
}

double right_hand_side(std::int64_t i, std::int64_t k) {
  return sum(n, [&](std::int64_t j) { return general(i, j) * answer(j, k); });
}

}  // namespace

TEST(CDense, SolvesInItsOwnMemoryOrInThatOfTheProgram) {
  for (const bool overwrite : {false, true}) {
    Made a({n, n}, "c:2,c:2", general), b({n, 3}, "c:2,c:2", right_hand_side), x;
    tridap_dense_options options{};
    options.overwrite_a = options.overwrite_b = overwrite;
    tridap_receipt receipt{};
    OK(tridap_dense_solve(a.array, b.array, &options, &x.array, &receipt));
    EXPECT_EQ(receipt.shared, overwrite ? 1 : 0);
    EXPECT_EQ(receipt.bytes_copied == 0, overwrite);
    x.expect(answer);
    if (overwrite) {
      b.expect(answer);
    } else {
      a.expect(general, 0);
    }
  }
}

TEST(CDense, MovesBlocksOnlyIfItMay) {
  Made a({n, n}, "c:2,c:3", general), b({n, 3}, "c:2,c:3", right_hand_side), x;
  tridap_dense_options options{};
  if (processes() == 4) {
    EXPECT_REFUSED(tridap_dense_solve(a.array, b.array, &options, &x.array, nullptr),
                   "pass copy = TRIDAP_COPY_IF_NEEDED");
    EXPECT_EQ(std::string(tridap_message()).find("Python"), std::string::npos) << tridap_message();
    OK(tridap_release(x.array.number));
  }
  options.copy = TRIDAP_COPY_IF_NEEDED;
  OK(tridap_dense_solve(a.array, b.array, &options, &x.array, nullptr));
  x.expect(answer);
}

TEST(CDense, CholeskyFactorsBothTriangles) {
  for (const bool upper : {false, true}) {
    Made a({n, n}, "c:2,c:2", definite), l, back;
    tridap_dense_options options{};
    options.upper = upper;
    OK(tridap_cholesky(a.array, &options, &l.array, nullptr));
    l.each([&](double element, std::int64_t i, std::int64_t j) {
      if (upper ? i > j : i < j) {
        EXPECT_EQ(element, 0);
      }
    });
    (upper ? options.op_a : options.op_b) = TRIDAP_OP_TRANSPOSE;
    OK(tridap_matmul(l.array, l.array, &options, &back.array, nullptr));
    back.expect(definite);
  }
}

TEST(CDense, EigenvaluesAreThoseOfTheSecondDifference) {
  Made a({n, n}, "c:2,c:2", definite), vectors, applied;
  double values[n];
  OK(tridap_eigh(a.array, nullptr, values, &vectors.array, nullptr));
  for (std::int64_t k = 0; k < n; ++k)
    EXPECT_NEAR(values[k], 4 - 2 * std::cos(std::acos(-1.0) * static_cast<double>(k + 1) / (n + 1)), 1e-11);
  OK(tridap_matmul(a.array, vectors.array, nullptr, &applied.array, nullptr));
  tridap_memory v{};
  OK(tridap_array_memory(vectors.array, &v));
  const auto* element = static_cast<const double*>(v.data);
  const std::int64_t rows = v.strides[1] / 8;
  std::int64_t local[2];
  int held = 0;
  applied.each([&](double product, std::int64_t i, std::int64_t j) {
    const std::int64_t global[2] = {i, j};
    OK(tridap_local_index(applied.layout, TRIDAP_HERE, global, TRIDAP_OWNED, local, &held));
    EXPECT_NEAR(product, values[j] * element[local[0] + local[1] * rows], 1e-10);
  });
}

TEST(CDense, SingularValuesAndFactorsGiveTheMatrixBack) {
  constexpr std::int64_t m = 9;
  const auto tall = [](std::int64_t i, std::int64_t j) { return spread(i, j); };
  Made a({n, m}, "c:2,c:2", tall), u, vh, q, r, back;
  double values[m];
  OK(tridap_svd(a.array, nullptr, &u.array, values, &vh.array, nullptr));
  for (std::int64_t k = 1; k < m; ++k) EXPECT_GE(values[k - 1], values[k]);
  u.each([&](double& element, std::int64_t, std::int64_t k) { element *= values[k]; });
  OK(tridap_matmul(u.array, vh.array, nullptr, &back.array, nullptr));
  back.expect(tall);
  OK(tridap_release(back.array.number));
  OK(tridap_release(back.layout.number));
  back.layout = {};
  OK(tridap_qr(a.array, nullptr, &q.array, &r.array, nullptr));
  r.each([&](double element, std::int64_t i, std::int64_t j) {
    if (i > j) {
      EXPECT_EQ(element, 0);
    }
  });
  OK(tridap_matmul(q.array, r.array, nullptr, &back.array, nullptr));
  back.expect(tall);
}

TEST(CDense, OneWrongProcessFailsEachCallOnAll) {
  const bool is_last = rank() == processes() - 1;
  Made a({n, n}, "c:2,c:2", definite);
  const tridap_array given = is_last ? tridap_array{} : a.array;
  tridap_array x{}, y{};
  double values[n];
  const auto refused = [&](int status) {
    EXPECT_NE(status, TRIDAP_OK);
    EXPECT_NE(std::string(tridap_message()).find("has the number 0"), std::string::npos) << tridap_message();
    tridap_release(x.number);
    tridap_release(y.number);
    x = y = {};
  };
  refused(tridap_dense_solve(a.array, given, nullptr, &x, nullptr));
  refused(tridap_cholesky(given, nullptr, &x, nullptr));
  refused(tridap_eigh(given, nullptr, values, &x, nullptr));
  refused(tridap_svd(given, nullptr, &x, values, &y, nullptr));
  refused(tridap_qr(given, nullptr, &x, &y, nullptr));
  refused(tridap_matmul(given, a.array, nullptr, &x, nullptr));
  if (processes() > 1) {
    tridap_dense_options options{};
    options.upper = is_last;
    EXPECT_NE(tridap_cholesky(a.array, &options, &x, nullptr), TRIDAP_OK);
    OK(tridap_release(x.number));
  }
  const Made single({n, n}, "c:2,c:2", [](std::int64_t, std::int64_t) { return 1.0; });
  EXPECT_REFUSED(tridap_dense_solve(single.array, a.array, nullptr, &x, nullptr), "pivot");
  OK(tridap_release(x.number));
}

TEST(CDense, MessagesSpeakC) {
  const auto expect_refused = [](int status) {
    const std::string text = tridap_message();
    EXPECT_NE(status, TRIDAP_OK);
    for (const char* const word : {"Python", "tridap::", "tridap.", "astype", "DistArray", "Fit::", "copy=", "qr()"})
      EXPECT_EQ(text.find(word), std::string::npos) << text;
  };
  Made a({n, n}, "c:2,c:2", definite), wide({n, 5}, "c:2,c:2", definite), odd({n, n}, "c:2,c:3", definite);
  tridap_array x{}, whole{};
  expect_refused(tridap_dense_solve(wide.array, a.array, nullptr, &x, nullptr));
  expect_refused(tridap_cholesky(wide.array, nullptr, &x, nullptr));
  if (processes() == 4) {
    expect_refused(tridap_cholesky(odd.array, nullptr, &x, nullptr));
    Made rows({n, n}, "b,*", definite);
    expect_refused(tridap_matmul(a.array, rows.array, nullptr, &x, nullptr));
  }
  OK(tridap_allocate(a.layout, TRIDAP_INT32, TRIDAP_COLUMN_MAJOR, &whole));
  expect_refused(tridap_eigh(whole, nullptr, std::vector<double>(n).data(), &x, nullptr));
  expect_refused(tridap_dense_solve(a.array, whole, nullptr, &x, nullptr));
  OK(tridap_release(whole.number));
}
