#include "device/device_moved.hpp"
#include <tridap/internal/device_moves.hpp>
#include <tridap/internal/device_reduction.hpp>

#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <type_traits>

using namespace on_device;
using tridap::redistribute::DeviceReduction;
using tridap::redistribute::arithmetic::Reduce;

namespace {

using Kind = ElementType::Kind;
using Kept = std::vector<std::optional<std::vector<Index>>>;

template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<std::complex<T>> : std::true_type {};

template <class T>
ElementType type_of() {
  const Kind kind = std::is_same_v<T, bool>       ? Kind::boolean
                    : std::is_floating_point_v<T> ? Kind::floating
                    : IsComplex<T>::value         ? Kind::complex
                    : std::is_signed_v<T>         ? Kind::signed_integer
                                                  : Kind::unsigned_integer;
  return {kind, sizeof(T), true};
}

/// Elements in the memory of the device, of any strides, and the same on the host in row-major order.
template <class T>
class Elements {
 public:
  /// `offset`: bytes of the memory before the first element.
  Elements(std::vector<Index> shape, const oracle::Stand& stand, const std::function<T(Index)>& value,
           std::size_t offset = 0) {
    buffer.type = type_of<T>();
    buffer.shape = tridap::IndexList(shape.begin(), shape.end());
    bytes_ = oracle::laid_out(buffer, stand, std::byte{0x7f});
    const auto* const begin = bytes_.data();
    const auto first = static_cast<const std::byte*>(buffer.data) - begin;
    for (Index k = 0; k < tridap::element_count(buffer); ++k) {
      host.push_back(value(k));
      const T element = host.back();
      std::memcpy(bytes_.data() + first + place(k), &element, sizeof(T));
    }
    bytes_.insert(bytes_.begin(), offset, std::byte{0});
    const stand_in::Driver& driver = stand_in::Driver::loaded();
    address_ = driver.allocate(bytes_.size(), 0, stand_in::device);
    driver.write(address_, bytes_.data(), bytes_.size(), 1);  // late, on the legacy stream
    buffer.data = reinterpret_cast<void*>(address_ + offset + static_cast<std::uintptr_t>(first));
    buffer.memory = cuda;
  }
  Elements(const Elements&) = delete;
  ~Elements() { stand_in::Driver::loaded().free(address_); }

  template <class To>
  To reduce(Reduce what, const Kept& kept = {}, const tridap::Buffer& with = {}) const {
    To result{};
    tridap::redistribute::device_engine()->reduce({what, buffer, with, kept, type_of<To>()},
                                                  reinterpret_cast<std::byte*>(&result));
    return result;
  }

  tridap::Buffer buffer;
  std::vector<T> host;

 private:
  std::ptrdiff_t place(Index number) const {
    std::ptrdiff_t bytes = 0;
    for (Index axis = buffer.ndim() - 1; axis >= 0; --axis) {
      const auto i = static_cast<std::size_t>(axis);
      bytes += number % buffer.shape[i] * buffer.strides[i];
      number /= buffer.shape[i];
    }
    return bytes;
  }

  std::vector<std::byte> bytes_;
  std::uintptr_t address_ = 0;
};

template <class T>
T small(Index number) {
  return static_cast<T>(static_cast<int>(moves::hash({number}, on::rank(world)) % 101) -
                        (std::is_signed_v<T> ? 50 : 0));
}

const std::vector<std::vector<Index>> shapes = {{},      {1},        {7},          {256},     {257},  {3, 1, 5},
                                                {33, 9}, {17, 3, 5}, {2, 3, 4, 5}, {1000, 7}, {70000}};

void for_each_layout(const std::function<void(const std::vector<Index>&, const oracle::Stand&)>& visit) {
  Dice dice(7);
  for (const std::vector<Index>& shape : shapes)
    for (int k = 0; k < (shape.size() < 2 ? 1 : 4); ++k) visit(shape, moves::any_stand(shape.size(), dice));
}

/// Of numbers whose sums are exact.
template <class T, class Sum>
void expect_exact() {
  for_each_layout([](const std::vector<Index>& shape, const oracle::Stand& stand) {
    const Elements<T> x(shape, stand, small<T>);
    Sum sum{};
    for (const T each : x.host) sum = static_cast<Sum>(sum + static_cast<Sum>(each));
    EXPECT_EQ(x.template reduce<Sum>(Reduce::sum), sum);
    EXPECT_EQ(x.template reduce<T>(Reduce::smallest), *std::min_element(x.host.begin(), x.host.end()));
    EXPECT_EQ(x.template reduce<T>(Reduce::largest), *std::max_element(x.host.begin(), x.host.end()));
    const auto is_true = [](T each) { return each != T{}; };
    EXPECT_EQ(x.template reduce<bool>(Reduce::every), std::all_of(x.host.begin(), x.host.end(), is_true));
    EXPECT_EQ(x.template reduce<bool>(Reduce::some), std::any_of(x.host.begin(), x.host.end(), is_true));
  });
}

class DeviceReductions : public testing::Test {
 protected:
  void SetUp() override { stand_in::Driver::loaded(); }
};

}  // namespace

TEST_F(DeviceReductions, WholeNumbersHaveTheResultsOfPlainLoops) {
  expect_exact<std::int8_t, std::int64_t>();
  expect_exact<std::uint8_t, std::uint64_t>();
  expect_exact<std::int16_t, std::int64_t>();
  expect_exact<std::uint16_t, std::uint8_t>();
  expect_exact<std::int32_t, double>();
  expect_exact<std::uint32_t, std::uint32_t>();
  expect_exact<std::int64_t, std::int64_t>();
  expect_exact<std::uint64_t, std::uint64_t>();
}

TEST_F(DeviceReductions, RealNumbersWithExactSumsHaveThoseOfPlainLoops) {
  expect_exact<float, float>();
  expect_exact<float, double>();
  expect_exact<double, double>();
}

TEST_F(DeviceReductions, TheLargestWholeNumbersAreComparedAsTheyAre) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  const Elements<std::uint64_t> x({5}, oracle::row_major(1),
                                  [](Index k) { return most - static_cast<std::uint64_t>((k * 2) % 5); });
  EXPECT_EQ(x.reduce<std::uint64_t>(Reduce::largest), most);
  EXPECT_EQ(x.reduce<std::uint64_t>(Reduce::smallest), most - 4);
  EXPECT_EQ(x.reduce<std::uint64_t>(Reduce::sum), std::uint64_t{0} - 15);  // modulo 2^64
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  const Elements<std::int64_t> y({3}, oracle::row_major(1), [](Index k) { return least + k; });
  EXPECT_EQ(y.reduce<std::int64_t>(Reduce::smallest), least);
  EXPECT_EQ(y.reduce<std::int64_t>(Reduce::largest), least + 2);
}

TEST_F(DeviceReductions, ProductsAndComplexNumbersAreThoseOfSchool) {
  using Complex = std::complex<double>;
  for_each_layout([](const std::vector<Index>& shape, const oracle::Stand& stand) {
    const Elements<Complex> x(shape, stand, [](Index k) { return Complex(small<int>(k), small<int>(k + 9)); });
    const Elements<std::complex<float>> y(
        shape, stand, [](Index k) { return std::complex<float>(small<float>(k + 3), small<float>(k + 5)); });
    Complex sum, dot, vdot;
    double squares = 0, most = 0;
    for (std::size_t k = 0; k < x.host.size(); ++k) {
      const Complex a = x.host[k], b = y.host[k];
      sum += a;
      dot += a * b;
      vdot += std::conj(a) * b;
      squares += std::norm(a);
      most = std::max(most, std::abs(a));
    }
    EXPECT_EQ(x.reduce<Complex>(Reduce::sum), sum);
    EXPECT_EQ(x.reduce<Complex>(Reduce::dot, {}, y.buffer), dot);
    EXPECT_EQ(x.reduce<Complex>(Reduce::vdot, {}, y.buffer), vdot);
    EXPECT_EQ(x.reduce<double>(Reduce::squares), squares);
    EXPECT_NEAR(x.reduce<double>(Reduce::largest_magnitude), most, 1e-12 * most);
    EXPECT_EQ(x.reduce<bool>(Reduce::some), true);
  });
  const Elements<Complex> units({5}, oracle::row_major(1), [](Index) { return Complex(0, 2); });
  EXPECT_EQ(units.reduce<Complex>(Reduce::product), Complex(0, 32));
  const Elements<std::int8_t> numbers({300}, oracle::row_major(1), [](Index) { return std::int8_t{3}; });
  std::int64_t product = 1;
  for (int k = 0; k < 300; ++k) product = static_cast<std::int64_t>(static_cast<std::uint64_t>(product) * 3);
  EXPECT_EQ(numbers.reduce<std::int64_t>(Reduce::product), product);
}

TEST_F(DeviceReductions, TwoArraysOfAnyStridesAreMultiplied) {
  Dice dice(3);
  for_each_layout([&](const std::vector<Index>& shape, const oracle::Stand& stand) {
    const Elements<double> x(shape, stand, small<double>);
    const Elements<std::int16_t> y(shape, moves::any_stand(shape.size(), dice),
                                   [](Index k) { return small<std::int16_t>(k + 77); });
    double dot = 0;
    for (std::size_t k = 0; k < x.host.size(); ++k) dot += x.host[k] * y.host[k];
    EXPECT_EQ(x.reduce<double>(Reduce::dot, {}, y.buffer), dot);
    EXPECT_EQ(x.reduce<double>(Reduce::vdot, {}, y.buffer), dot);
  });
}

TEST_F(DeviceReductions, OnlyTheIndicesThatAreKeptCount) {
  const Kept lists[] = {{std::vector<Index>{2}, {}, std::vector<Index>{4, 0, 3}},
                        {{}, std::vector<Index>{2, 1}, {}},
                        {std::vector<Index>{0, 2, 3, 16}, std::vector<Index>{0, 1, 2}, std::vector<Index>{1}}};
  Dice dice(5);
  for (const Kept& kept : lists)
    for (int k = 0; k < 6; ++k) {
      const Elements<std::int32_t> x({17, 3, 5}, moves::any_stand(3, dice), small<std::int32_t>);
      const auto has = [&](std::size_t axis, Index position) {
        return !kept[axis] || std::find(kept[axis]->begin(), kept[axis]->end(), position) != kept[axis]->end();
      };
      std::int64_t sum = 0;
      for (Index n = 0; n < 255; ++n)
        if (has(0, n / 15) && has(1, n / 5 % 3) && has(2, n % 5)) sum += x.host[static_cast<std::size_t>(n)];
      EXPECT_EQ(x.reduce<std::int64_t>(Reduce::sum, kept), sum);
    }
}

TEST_F(DeviceReductions, OneNanAnywhereIsTheSmallestAndTheLargest) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Index at : {0, 5, 255, 256, 299}) {
    const Elements<double> x({300}, oracle::row_major(1), [at](Index k) { return k == at ? nan : small<double>(k); });
    EXPECT_TRUE(std::isnan(x.reduce<double>(Reduce::smallest)));
    EXPECT_TRUE(std::isnan(x.reduce<double>(Reduce::largest)));
    EXPECT_TRUE(std::isnan(x.reduce<double>(Reduce::largest_magnitude)));
    EXPECT_TRUE(x.reduce<bool>(Reduce::some));
    const Elements<std::complex<float>> y({300}, oracle::row_major(1), [at](Index k) {
      return std::complex<float>(small<float>(k), k == at ? static_cast<float>(nan) : 0);
    });
    EXPECT_TRUE(std::isnan(y.reduce<std::complex<float>>(Reduce::largest).imag()));
  }
}

TEST_F(DeviceReductions, SumsThatAreRoundedHaveTheSameBitsEachTime) {
  const auto value = [](Index k) { return std::sin(static_cast<double>(k)) / 3; };
  const oracle::Stand plain = oracle::row_major(2), turned{{1, 0}, {false, false}, 0};
  for (const oracle::Stand& stand : {plain, turned}) {
    const Elements<double> x({3000, 200}, stand, value), again({3000, 200}, stand, value);
    long double sum = 0, magnitudes = 0;
    for (const double each : x.host) {
      sum += each;
      magnitudes += std::abs(each);
    }
    const double found = x.reduce<double>(Reduce::sum);
    EXPECT_EQ(found, again.reduce<double>(Reduce::sum));
    EXPECT_NEAR(found, static_cast<double>(sum), 1e-14 * static_cast<double>(magnitudes));
    EXPECT_NEAR(x.reduce<double>(Reduce::magnitudes), static_cast<double>(magnitudes), 1e-9);
  }
}

TEST_F(DeviceReductions, ElementsAtOddAddressesAreRead) {
  const Elements<double> x({1000}, oracle::row_major(1), small<double>, 3);
  double sum = 0;
  for (const double each : x.host) sum += each;
  EXPECT_EQ(x.reduce<double>(Reduce::sum), sum);
}

TEST_F(DeviceReductions, AKernelThatFailsIsAnError) {
  const stand_in::Driver& driver = stand_in::Driver::loaded();
  if (driver.is_real) GTEST_SKIP() << "a real driver does not fail when it is told to";
  const Elements<double> x({1000}, oracle::row_major(1), small<double>);
  for (const std::uint64_t launch : {1, 2}) {
    driver.fail(launch, 0);
    EXPECT_THROW(x.reduce<double>(Reduce::sum), tridap::Error);
  }
  driver.fail(0, 0);
  double sum = 0;
  for (const double each : x.host) sum += each;
  EXPECT_EQ(x.reduce<double>(Reduce::sum), sum);
}
