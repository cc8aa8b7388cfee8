#pragma once

#include <tridap/internal/arithmetic.hpp>

/// One element computed on its way, of types that are known when a kernel runs.
#if !defined(__CUDACC__) && !defined(__HIP__)
#pragma GCC visibility push(hidden)
#endif

namespace tridap::device {

/// The types that elements are computed in, of a source and of a target. Whole numbers of a target have no sign.
enum class Number : std::int32_t { i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, c64, c128 };

/// What is computed: `to = alpha * from + beta * to`.
struct Arithmetic {
  redistribute::arithmetic::Factors factors;
  Number from, to;
  bool aligned;  ///< every element at both ends
};

template <class T>
TRIDAP_ON_DEVICE T element(const std::byte* at, bool aligned) {
  return aligned ? *reinterpret_cast<const T*>(at) : redistribute::arithmetic::load<T>(at);
}

template <class From, class To>
TRIDAP_ON_DEVICE void combine(const Arithmetic& how, std::byte* to, const std::byte* from) {
  namespace computed = redistribute::arithmetic;
  using W = computed::Wide<To>;
  const computed::Factors& factors = how.factors;
  To value{};
  const auto source = [&] { return computed::converted<W>(element<From>(from, how.aligned)); };
  if (factors.converts_only()) {
    value = computed::converted<To>(element<From>(from, how.aligned));
  } else if (!factors.reads_target()) {
    if (factors.reads_source())
      computed::with_factor<To>(factors.alpha, [&](auto alpha) { value = computed::converted<To>(alpha(source())); });
  } else {
    computed::with_factor<To>(factors.beta, [&](auto beta) {
      const W target = beta(computed::converted<W>(element<To>(to, how.aligned)));
      if (!factors.reads_source())
        value = computed::converted<To>(target);
      else
        computed::with_factor<To>(factors.alpha, [&](auto alpha) {
          value = computed::converted<To>(computed::sum(alpha(source()), target));
        });
    });
  }
  if (how.aligned)
    *reinterpret_cast<To*>(to) = value;
  else
    __builtin_memcpy(to, &value, sizeof(To));
}

template <class To>
TRIDAP_ON_DEVICE void combine_to(const Arithmetic& how, std::byte* to, const std::byte* from) {
  namespace computed = redistribute::arithmetic;
  switch (how.from) {
    case Number::i8:
      return combine<std::int8_t, To>(how, to, from);
    case Number::i16:
      return combine<std::int16_t, To>(how, to, from);
    case Number::i32:
      return combine<std::int32_t, To>(how, to, from);
    case Number::i64:
      return combine<std::int64_t, To>(how, to, from);
    case Number::u8:
      return combine<std::uint8_t, To>(how, to, from);
    case Number::u16:
      return combine<std::uint16_t, To>(how, to, from);
    case Number::u32:
      return combine<std::uint32_t, To>(how, to, from);
    case Number::u64:
      return combine<std::uint64_t, To>(how, to, from);
    default:
      break;
  }
  if constexpr (!std::is_integral_v<To>) {
    if (how.from == Number::f32) return combine<float, To>(how, to, from);
    if (how.from == Number::f64) return combine<double, To>(how, to, from);
  }
  if constexpr (!computed::is_real<To>) {
    if (how.from == Number::c64) return combine<computed::Complex<float>, To>(how, to, from);
    if (how.from == Number::c128) return combine<computed::Complex<double>, To>(how, to, from);
  }
}

TRIDAP_ON_DEVICE inline void combine_any(const Arithmetic& how, std::byte* to, const std::byte* from) {
  namespace computed = redistribute::arithmetic;
  switch (how.to) {
    case Number::u8:
      return combine_to<std::uint8_t>(how, to, from);
    case Number::u16:
      return combine_to<std::uint16_t>(how, to, from);
    case Number::u32:
      return combine_to<std::uint32_t>(how, to, from);
    case Number::u64:
      return combine_to<std::uint64_t>(how, to, from);
    case Number::f32:
      return combine_to<float>(how, to, from);
    case Number::f64:
      return combine_to<double>(how, to, from);
    case Number::c64:
      return combine_to<computed::Complex<float>>(how, to, from);
    case Number::c128:
      return combine_to<computed::Complex<double>>(how, to, from);
    default:
      return;  // a target's whole numbers have no sign
  }
}

}  // namespace tridap::device

#if !defined(__CUDACC__) && !defined(__HIP__)
#pragma GCC visibility pop
#endif
