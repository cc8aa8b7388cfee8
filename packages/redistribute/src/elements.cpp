#include <tridap/detail/refuse.hpp>
#include <tridap/internal/arithmetic.hpp>
#include <tridap/internal/elements.hpp>
#include <tridap/report.hpp>
#include <tridap/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

namespace tridap::redistribute {

namespace {

using Kind = ElementType::Kind;

using namespace arithmetic;

template <class T>
constexpr Kind kind_of = std::is_floating_point_v<T> ? Kind::floating
                         : !std::is_integral_v<T>    ? Kind::complex
                         : std::is_signed_v<T>       ? Kind::signed_integer
                                                     : Kind::unsigned_integer;
// Calls `make(element of from, where it goes)` for each element, and puts there what it returns. Elements in a row have
// a loop to themselves, whose steps the compiler knows and turns into vectors.
template <class From, class Make>
void for_each(std::byte* __restrict to, Index to_step, const std::byte* __restrict from, Index from_step, Index count,
              Make make) {
  using To = decltype(make(From{}, to));
  constexpr auto from_bytes = static_cast<Index>(sizeof(From)), to_bytes = static_cast<Index>(sizeof(To));
  if (to_step == to_bytes && from_step == from_bytes) {
    for (Index k = 0; k < count; ++k) {
      const To value = make(load<From>(from + k * from_bytes), to + k * to_bytes);
      std::memcpy(to + k * to_bytes, &value, sizeof(To));
    }
  } else {
    for (Index k = 0; k < count; ++k) {
      const To value = make(load<From>(from + k * from_step), to + k * to_step);
      std::memcpy(to + k * to_step, &value, sizeof(To));
    }
  }
}

template <class From, class To>
void convert_all(std::byte* to, Index to_step, const std::byte* from, Index from_step, Index count) {
  for_each<From>(to, to_step, from, from_step, count,
                 [](const From& value, const std::byte*) { return converted<To>(value); });
}

Factors factors_of(const Scaling& scaling) {
  return {{scaling.alpha.real(), scaling.alpha.imag()}, {scaling.beta.real(), scaling.beta.imag()}};
}

// `from` has the elements that the target's are computed in.
template <class To>
void scale_all(std::byte* to, Index to_step, const std::byte* from, Index from_step, Index count,
               const Scaling& scaling) {
  using W = Wide<To>;
  const Factors factors = factors_of(scaling);
  const bool reads_source = factors.reads_source(), reads_target = factors.reads_target();
  if (!reads_source && !reads_target) {
    static constexpr To zero{};
    return convert_all<To, To>(to, to_step, reinterpret_cast<const std::byte*>(&zero), 0, count);
  }
  with_factor<To>(factors.alpha, [&](auto alpha) {
    if (!reads_target)
      return for_each<W>(to, to_step, from, from_step, count,
                         [alpha](const W& value, const std::byte*) { return converted<To>(alpha(value)); });
    with_factor<To>(factors.beta, [&](auto beta) {
      if (!reads_source)
        return for_each<W>(to, to_step, from, from_step, count, [beta](const W&, const std::byte* at) {
          return converted<To>(beta(converted<W>(load<To>(at))));
        });
      for_each<W>(to, to_step, from, from_step, count, [alpha, beta](const W& value, const std::byte* at) {
        return converted<To>(sum(alpha(value), beta(converted<W>(load<To>(at)))));
      });
    });
  });
}

template <class From, class To>
void combine(std::byte* to, Index to_step, const std::byte* from, Index from_step, Index count,
             const Scaling& scaling) {
  using W = Wide<To>;
  if (scaling.moves_only()) {
    convert_all<From, To>(to, to_step, from, from_step, count);
  } else if constexpr (std::is_same_v<From, W>) {
    scale_all<To>(to, to_step, from, from_step, count, scaling);
  } else {  // a piece at a time, in the nearest cache
    constexpr Index piece = 256;
    constexpr auto step = static_cast<Index>(sizeof(W));
    std::byte wide[piece * step];
    for (; count > 0; count -= piece, to += piece * to_step, from += piece * from_step) {
      convert_all<From, W>(wide, step, from, from_step, std::min(count, piece));
      scale_all<To>(to, to_step, wide, step, std::min(count, piece), scaling);
    }
  }
}

template <class T>
struct Type {
  using type = T;
};

// Calls `visit` with the C++ type of elements; false: there is none here.
template <class Visit>
bool with_type(const ElementType& type, Visit&& visit) {
  const auto one_of = [&](auto... candidates) {
    const auto visit_if = [&](auto candidate) {
      using T = typename decltype(candidate)::type;
      if (kind_of<T> != type.kind || type.bytes != static_cast<Index>(sizeof(T))) return false;
      visit(candidate);
      return true;
    };
    return type.native_order && (visit_if(candidates) || ...);
  };
  return one_of(Type<std::int8_t>{}, Type<std::int16_t>{}, Type<std::int32_t>{}, Type<std::int64_t>{},
                Type<std::uint8_t>{}, Type<std::uint16_t>{}, Type<std::uint32_t>{}, Type<std::uint64_t>{},
                Type<float>{}, Type<double>{}, Type<Complex<float>>{}, Type<Complex<double>>{});
}

void check_type(const ElementType& type) {
  if (with_type(type, [](auto) {})) return;
  refuse("elements of type " + type.name() + " can be moved, but not converted, scaled or added", "",
         "use integers of 1 to 8 bytes, float, double or their complex numbers, in this machine's byte order");
}

// The four kinds in the order in which they may become one another, from unsigned to complex.
constexpr int rank_of(Kind kind) { return kind == Kind::unsigned_integer ? 0 : static_cast<int>(kind); }

void check_conversion(const ElementType& from, const ElementType& to, bool convert) {
  if (from == to) return;
  const auto what = [&] { return "elements of type " + from.name() + " cannot become " + to.name(); };
  if (!convert)
    refuse(what() + " without the option 'convert'", "", "give both sides the same element type, or set the option");
  check_type(from);
  check_type(to);
  if (rank_of(from.kind) > rank_of(to.kind))
    refuse(what() + (to.kind == Kind::unsigned_integer && from.kind == Kind::signed_integer
                         ? ", which has no negative numbers"
                         : " without loss of more than precision"),
           "", "use a target of the same kind of number as the source, and convert its values yourself");
}

std::string text(const std::complex<double>& number) {
  const std::string digits = number_text(number.real());
  return number.imag() == 0 ? digits : "(" + digits + ", " + number_text(number.imag()) + ")";
}

void check_factor(const char* name, const std::complex<double>& factor, const ElementType& to) {
  const auto what = [&] {
    return std::string(name) + " is " + text(factor) + ", but the target's elements are " + to.name();
  };
  if (factor.imag() != 0 && to.kind != Kind::complex) refuse(what(), "", "use a real factor, or a complex target");
  const bool integer = to.kind == Kind::signed_integer || to.kind == Kind::unsigned_integer;
  const double limit = std::ldexp(1.0, 63), real = factor.real();  // NaN is no number below it
  if (integer && !(std::trunc(real) == real && std::abs(real) < limit))
    refuse(what(), "", "use an integer factor below 2^63 in magnitude, or a floating-point target");
}

}  // namespace

Combine combiner(const ElementType& from, const ElementType& to, bool convert, const Scaling& scaling) {
  check_conversion(from, to, convert);
  if (from == to && scaling.moves_only()) return nullptr;
  check_type(from);
  check_factor("alpha", scaling.alpha, to);
  check_factor("beta", scaling.beta, to);
  Combine made = nullptr;
  const ElementType bits = {to.kind == Kind::signed_integer ? Kind::unsigned_integer : to.kind, to.bytes, true};
  with_type(from, [&](auto from_type) {
    with_type(bits, [&](auto to_type) {  // whole numbers that wrap have the same bits with and without a sign
      using From = typename decltype(from_type)::type;
      using To = typename decltype(to_type)::type;
      if constexpr ((std::is_integral_v<From> && std::is_integral_v<To>) ||
                    rank_of(kind_of<From>) <= rank_of(kind_of<To>))
        made = &combine<From, To>;
    });
  });
  return made;
}

}  // namespace tridap::redistribute
