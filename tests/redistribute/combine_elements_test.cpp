#include "support/thrown.hpp"
#include <tridap/internal/elements.hpp>
#include <tridap/report.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <tuple>

namespace {

using tridap::ElementType;
using tridap::Index;
using tridap::redistribute::Combine;
using tridap::redistribute::combiner;
using tridap::redistribute::Scaling;
using Kind = ElementType::Kind;
using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using Single = std::complex<float>;
using Double = std::complex<double>;

const double not_a_number = std::numeric_limits<double>::quiet_NaN(),
             infinity = std::numeric_limits<double>::infinity();

/// Elements with steps between them, in memory that is aligned for nothing.
template <class T>
class Elements {
 public:
  Elements(const std::vector<T>& values, Index step) : count_(static_cast<Index>(values.size())), step_(step) {
    memory_.assign(static_cast<std::size_t>(1 + count_ * std::abs(step) + static_cast<Index>(sizeof(T))), hole);
    for (Index k = 0; k < count_; ++k) std::memcpy(at(k), &values[static_cast<std::size_t>(k)], sizeof(T));
  }
  std::byte* first() { return at(0); }
  Index step() const { return step_; }
  std::vector<T> values() {
    std::vector<T> all(static_cast<std::size_t>(count_));
    for (Index k = 0; k < count_; ++k) std::memcpy(&all[static_cast<std::size_t>(k)], at(k), sizeof(T));
    return all;
  }
  const std::vector<std::byte>& bytes() const { return memory_; }
  bool holes_are_untouched() {
    std::vector<std::byte> rest = memory_;
    for (Index k = 0; k < count_; ++k) std::fill_n(rest.begin() + (at(k) - memory_.data()), sizeof(T), hole);
    return rest == std::vector<std::byte>(rest.size(), hole);
  }

 private:
  static constexpr std::byte hole{0xee};
  std::byte* at(Index k) { return memory_.data() + 1 + (step_ < 0 ? (k + 1 - count_) * step_ : k * step_); }

  Index count_, step_;
  std::vector<std::byte> memory_;
};

template <class From, class To>
std::vector<To> combined(const std::vector<From>& from, const std::vector<To>& to, const Scaling& scaling,
                         Index from_gap = 0, Index to_gap = 0, bool backwards = false) {
  const Combine combine = combiner(tridap::element_type<From>(), tridap::element_type<To>(), true, scaling);
  if (combine == nullptr) return from.empty() ? to : throw std::logic_error("no combiner");
  const Index sign = backwards ? -1 : 1;
  Elements<From> source(from, static_cast<Index>(sizeof(From)) + from_gap);
  Elements<To> target(to, sign * (static_cast<Index>(sizeof(To)) + to_gap));
  const std::vector<std::byte> before = source.bytes();
  combine(target.first(), target.step(), source.first(), source.step(), static_cast<Index>(from.size()), scaling);
  EXPECT_TRUE(target.holes_are_untouched());
  EXPECT_TRUE(source.bytes() == before);
  return target.values();
}

/// A small whole number in any type, and back.
template <class T>
T number(int value) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(value);
  else
    return T(static_cast<typename T::value_type>(value));
}
template <class T>
int whole(const T& value) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<int>(value);
  else
    return static_cast<int>(value.real());
}

/// What may become what: a type of a lower level one of a higher level.
template <class T>
constexpr int level = std::is_floating_point_v<T> ? 2
                      : !std::is_integral_v<T>    ? 3
                      : std::is_signed_v<T>       ? 1
                                                  : 0;

/// Small whole numbers, which every type has: the arithmetic is exact in all.
template <class T>
std::vector<T> some(std::size_t count, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::vector<T> all;
  for (std::size_t k = 0; k < count; ++k) all.push_back(number<T>(std::uniform_int_distribution<int>(0, 9)(random)));
  return all;
}

using Types = std::tuple<int8_t, int16_t, int32_t, int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t,
                         float, double, Single, Double>;

template <class Visit>
void for_each_type(Visit visit) {
  std::apply([&](auto... types) { (visit(types), ...); }, Types{});
}

/// Calls `visit(From, To)` for every pair.
template <class Visit>
void for_each_pair(Visit visit) {
  for_each_type([&](auto from) { for_each_type([&](auto to) { visit(from, to); }); });
}

std::string refusal(const ElementType& from, const ElementType& to, bool convert, const Scaling& scaling) {
  try {
    combiner(from, to, convert, scaling);
  } catch (const tridap::Error& error) {
    EXPECT_EQ(error.report().count(tridap::Rule::conversion), 1);
    EXPECT_FALSE(error.report().findings().front().remedy.empty());
    return error.what();
  }
  return "";
}

}  // namespace

TEST(Elements, EveryPairOfTypesIsConvertedAndScaledWithAnySteps) {
  for_each_pair([](auto from_value, auto to_value) {
    using From = decltype(from_value);
    using To = decltype(to_value);
    if constexpr (level<From> <= level<To>) {
      for (const std::size_t count : {0U, 1U, 7U, 255U, 256U, 257U, 600U})
        for (const auto& [alpha, beta] : {std::pair(1, 0), {2, 0}, {1, 1}, {3, 2}, {0, 2}, {2, 1}, {0, 0}}) {
          if (std::is_same_v<From, To> && alpha == 1 && beta == 0) continue;
          const auto from = some<From>(count, 1);
          const auto to = some<To>(count, 2);
          std::vector<To> expected;
          for (std::size_t k = 0; k < count; ++k)
            expected.push_back(number<To>(alpha * whole(from[k]) + beta * whole(to[k])));
          for (const Index from_gap : {0, 3})
            for (const Index to_gap : {0, 5})
              for (const bool backwards : {false, true})
                EXPECT_TRUE(combined(from, to, {alpha, beta}, from_gap, to_gap, backwards) == expected)
                    << tridap::element_type<From>().name() << " to " << tridap::element_type<To>().name();
        }
    }
  });
}

TEST(Elements, WhatMayBecomeWhatIsWhatNumPyCallsTheSameKind) {
  for_each_pair([](auto from, auto to) {
    const ElementType a = tridap::element_type<decltype(from)>(), b = tridap::element_type<decltype(to)>();
    const bool allowed = level<decltype(from)> <= level<decltype(to)>;
    EXPECT_EQ(refusal(a, b, true, {}).empty(), allowed) << a.name() << " to " << b.name();
    EXPECT_EQ(refusal(a, b, true, {2, 0}).empty(), allowed) << a.name() << " to " << b.name();
    EXPECT_EQ(refusal(a, b, false, {}).empty(), a == b) << a.name() << " to " << b.name();
    if (a == b) {
      EXPECT_EQ(combiner(a, b, false, {}), nullptr);
      EXPECT_NE(combiner(a, b, false, {2, 0}), nullptr);
      EXPECT_NE(combiner(a, b, false, {1, 1}), nullptr);
    } else if (allowed) {
      EXPECT_NE(combiner(a, b, true, {}), nullptr);
    }
  });
}

TEST(Elements, AFactorOfZeroLeavesItsSideUnread) {
  using Reals = std::vector<double>;
  EXPECT_EQ(combined(Reals{1, 2}, Reals{not_a_number, infinity}, {2, 0}), (Reals{2, 4}));
  EXPECT_EQ(combined(Reals{not_a_number, infinity}, Reals{1, 2}, {0, 2}), (Reals{2, 4}));
  EXPECT_EQ(combined(Reals{not_a_number, infinity}, Reals{not_a_number, 2}, {0, 0}), (Reals{0, 0}));
  EXPECT_EQ(combined(std::vector<float>{NAN, 1}, Reals{1, 2}, {0, 1}), (Reals{1, 2}));
  EXPECT_EQ(combined(std::vector<float>{3, 1}, Reals{not_a_number, 2}, {1, 0}), (Reals{3, 1}));
  EXPECT_EQ(combined(std::vector<Double>{{1, 2}}, std::vector<Double>{{not_a_number, not_a_number}}, {Double(0, 1), 0}),
            (std::vector<Double>{{-2, 1}}));
}

TEST(Elements, IntegersOf64BitsPassThroughNoFloatingNumberAndWrap) {
  using Longs = std::vector<int64_t>;
  using Unsigned = std::vector<std::uint64_t>;
  const int64_t big = (int64_t{1} << 62) + 1, low = std::numeric_limits<int64_t>::min(), high = -(low + 1);
  const std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(combined(Longs{big, low}, Longs{1, 2}, {1, 1}), (Longs{big + 1, low + 2}));
  EXPECT_EQ(combined(Longs{5, 1}, Longs{big, low}, {-1, 1}), (Longs{big - 5, high}));
  EXPECT_EQ(combined(Unsigned{huge, huge}, Unsigned{0, 3}, {1, 1}), (Unsigned{huge, 2}));
  EXPECT_EQ(combined(std::vector<int32_t>{-7}, Longs{big}, {1, 1}), (Longs{big - 7}));
  EXPECT_EQ(combined(std::vector<std::uint32_t>{4000000000U}, Longs{big}, {1, 0}), (Longs{4000000000}));
  EXPECT_EQ(combined(Unsigned{huge}, Longs{0}, {1, 0}), (Longs{-1}));
  EXPECT_EQ(combined(Longs{-130, 300}, std::vector<int8_t>{0, 0}, {1, 0}), (std::vector<int8_t>{126, 44}));
  EXPECT_EQ(combined(Longs{big}, std::vector<float>{0}, {1, 0}), (std::vector<float>{std::ldexp(1.0F, 62)}));
}

TEST(Elements, WhatIsScaledIsRoundedOnceAtTheEnd) {
  const double third = 1.0 / 3;
  EXPECT_EQ(combined(std::vector<float>{3}, std::vector<float>{0}, {third, 0}), (std::vector<float>{1}));
  EXPECT_EQ(combined(std::vector<double>{1e300}, std::vector<float>{1}, {1e-300, 1}), (std::vector<float>{2}));
  EXPECT_EQ(combined(std::vector<int32_t>{16777217}, std::vector<float>{-16777216}, {1, 1}), (std::vector<float>{1}));
  EXPECT_EQ(combined(std::vector<int8_t>{3}, std::vector<double>{1}, {0.5, -1}), (std::vector<double>{0.5}));
}

TEST(Elements, ComplexFactorsTurnAndRealOnesLeaveInfinityAlone) {
  using Doubles = std::vector<Double>;
  const Double i(0, 1);
  EXPECT_EQ(combined(Doubles{{1, 2}}, Doubles{{3, 4}}, {i, 2}), (Doubles{{4, 9}}));
  EXPECT_EQ(combined(Doubles{{1, 2}}, Doubles{{3, 4}}, {2, i}), (Doubles{{-2, 7}}));
  EXPECT_EQ(combined(Doubles{{1, 2}}, Doubles{{3, 4}}, {i, i}), (Doubles{{-6, 4}}));
  EXPECT_EQ(combined(std::vector<double>{5}, std::vector<Single>{{1, 1}}, {i, 1}), (std::vector<Single>{{1, 6}}));
  EXPECT_EQ(combined(std::vector<int16_t>{-5}, Doubles{{1, 1}}, {i, 0}), (Doubles{{0, -5}}));
  EXPECT_EQ(combined(std::vector<Single>{{1, 2}}, Doubles{{0, 0}}, {1, 0}), (Doubles{{1, 2}}));
  EXPECT_EQ(combined(Doubles{{infinity, 1}}, Doubles{{0, infinity}}, {2, 3}), (Doubles{{infinity, infinity}}));
}

TEST(Elements, ARefusalSaysWhatWhyAndWhatHelps) {
  const ElementType real = tridap::element_type<double>(), whole_number = tridap::element_type<int64_t>();
  const ElementType swapped = {Kind::floating, 8, false}, half = {Kind::floating, 2, true};
  const ElementType boolean = tridap::element_type<bool>(), bytes = {Kind::opaque, 24, true};
  for (const ElementType& type : {swapped, half, boolean, bytes}) {
    EXPECT_EQ(combiner(type, type, false, {}), nullptr);
    on::expect_says(refusal(type, type, true, {2, 0}), type.name() + " can be moved");
    on::expect_says(refusal(type, type, true, {1, 1}), type.name() + " can be moved");
    on::expect_says(refusal(type, real, true, {}), type.name() + " can be moved");
    on::expect_says(refusal(real, type, true, {}), type.name() + " can be moved");
  }
  on::expect_says(refusal(real, tridap::element_type<float>(), false, {}),
                  "float64 cannot become float32 without the option 'convert' [conversion]: give both sides the "
                  "same element type, or set");
  on::expect_says(refusal(real, whole_number, true, {}), "float64 cannot become int64");
  on::expect_says(refusal(whole_number, tridap::element_type<std::uint64_t>(), true, {}), "no negative numbers");
  on::expect_says(refusal(real, real, false, {Double(0, 1), 0}), "alpha is (0, 1)");
  on::expect_says(refusal(real, real, false, {1, Double(0, 1)}), "beta is (0, 1)");
  for (const double factor : {0.5, not_a_number, infinity, std::ldexp(1.0, 63)}) {
    on::expect_says(refusal(whole_number, whole_number, false, {factor, 0}), "alpha is ");
    on::expect_says(refusal(whole_number, whole_number, false, {1, -factor}), "beta is ");
    EXPECT_EQ(refusal(whole_number, real, true, {factor, factor}), "");
  }
}
