#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// The arithmetic of elements on their way, for the host and for kernels of a device, which give the same bits.

#if defined(__CUDACC__) || defined(__HIPCC__)
#define TRIDAP_ON_DEVICE __host__ __device__
#else
#define TRIDAP_ON_DEVICE
#endif

namespace tridap::redistribute::arithmetic {

/// A complex number whose products are those of school: std::complex asks for NaN after each.
template <class Real>
struct Complex {
  Real re, im;
};

template <class T>
inline constexpr bool is_real = std::is_arithmetic_v<T>;

/// What a target's elements are computed in. Integers are computed modulo 2^64, whatever their sign.
template <class To>
using Wide =
    std::conditional_t<std::is_integral_v<To>, std::uint64_t, std::conditional_t<is_real<To>, double, Complex<double>>>;

template <class T>
TRIDAP_ON_DEVICE T load(const std::byte* at) {
  T value;
  __builtin_memcpy(&value, at, sizeof(T));
  return value;
}

template <class To, class From>
TRIDAP_ON_DEVICE To converted(const From& value) {
  if constexpr (is_real<To>) {
    return static_cast<To>(value);
  } else {
    using Real = decltype(To::re);
    if constexpr (is_real<From>)
      return {static_cast<Real>(value), Real{0}};
    else
      return {static_cast<Real>(value.re), static_cast<Real>(value.im)};
  }
}

/// A factor that is not 0. Complex numbers times a real one are two products: infinity times 2 has no NaN in it.
struct Real {
  double factor;
  TRIDAP_ON_DEVICE double operator()(double value) const { return factor * value; }
  TRIDAP_ON_DEVICE Complex<double> operator()(const Complex<double>& value) const {
    return {factor * value.re, factor * value.im};
  }
};
struct Whole {
  std::uint64_t factor;
  TRIDAP_ON_DEVICE std::uint64_t operator()(std::uint64_t value) const { return factor * value; }
};
struct General {
  Complex<double> factor;
  TRIDAP_ON_DEVICE Complex<double> operator()(const Complex<double>& value) const {
    return {factor.re * value.re - factor.im * value.im, factor.re * value.im + factor.im * value.re};
  }
};

TRIDAP_ON_DEVICE inline double sum(double a, double b) { return a + b; }
TRIDAP_ON_DEVICE inline std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a + b; }
TRIDAP_ON_DEVICE inline Complex<double> sum(const Complex<double>& a, const Complex<double>& b) {
  return {a.re + b.re, a.im + b.im};
}

/// Calls `visit` with the factor that a number is for a target.
template <class To, class Visit>
TRIDAP_ON_DEVICE void with_factor(const Complex<double>& number, Visit&& visit) {
  if constexpr (std::is_integral_v<To>) {
    visit(Whole{static_cast<std::uint64_t>(static_cast<std::int64_t>(number.re))});
  } else {
    if constexpr (!is_real<To>)
      if (number.im != 0) return visit(General{number});
    visit(Real{number.re});
  }
}

/// What a reduction computes of elements, or of the products of two arrays' elements.
enum class Reduce : std::int32_t {
  sum,
  product,
  smallest,  ///< or one that is not a number, if there is any
  largest,
  every,              ///< whether all are other than 0
  some,               ///< whether any is other than 0
  magnitudes,         ///< the sum of absolute values
  largest_magnitude,  ///< the largest of them
  squares,            ///< the sum of their squares
  dot,
  vdot  ///< with the conjugates of the first
};

/// alpha and beta. One that is 0 leaves out what it stands before.
struct Factors {
  Complex<double> alpha, beta;

  TRIDAP_ON_DEVICE bool reads_source() const { return alpha.re != 0 || alpha.im != 0; }
  TRIDAP_ON_DEVICE bool reads_target() const { return beta.re != 0 || beta.im != 0; }
  TRIDAP_ON_DEVICE bool converts_only() const { return alpha.re == 1 && alpha.im == 0 && beta.re == 0 && beta.im == 0; }
};

}  // namespace tridap::redistribute::arithmetic
