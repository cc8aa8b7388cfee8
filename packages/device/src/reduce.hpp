#pragma once

#include "kernels.hpp"

#include <cmath>

/// The kernel of reductions. It runs twice: of the elements it makes one value for each block, and of these values one.
/// Which values meet, and in which order, depends on how many elements there are alone.
namespace tridap::device {

using redistribute::arithmetic::Complex;
using redistribute::arithmetic::Reduce;

inline constexpr Long most_blocks = 1024;  ///< of a reduction

/// Positions along an axis. `kept`: the local index of each; null: they count from 0.
struct ReduceAxis {
  Long extent, steps[2];  ///< bytes from one local index to the next in either buffer
  const Long* kept;
};

/// The elements of one buffer, or pairs of the elements of two, and where a block's value is written.
struct ReduceTask {
  const char* from[2];
  Number types[2];
  Reduce what;
  bool aligned;  ///< every element
  std::int32_t ndim;
  Long count;
  char* values;
  ReduceAxis axes[most_axes];
};

/// A number of any type as one that is at least as wide.
template <class Wide>
TRIDAP_ON_DEVICE Wide read_as(Number type, const char* address, bool aligned) {
  namespace computed = redistribute::arithmetic;
  const auto* const at = reinterpret_cast<const std::byte*>(address);
  switch (type) {
    case Number::i8:
      return computed::converted<Wide>(element<std::int8_t>(at, aligned));
    case Number::i16:
      return computed::converted<Wide>(element<std::int16_t>(at, aligned));
    case Number::i32:
      return computed::converted<Wide>(element<std::int32_t>(at, aligned));
    case Number::i64:
      return computed::converted<Wide>(element<std::int64_t>(at, aligned));
    case Number::u8:
      return computed::converted<Wide>(element<std::uint8_t>(at, aligned));
    case Number::u16:
      return computed::converted<Wide>(element<std::uint16_t>(at, aligned));
    case Number::u32:
      return computed::converted<Wide>(element<std::uint32_t>(at, aligned));
    case Number::u64:
      return computed::converted<Wide>(element<std::uint64_t>(at, aligned));
    default:
      break;
  }
  if constexpr (!std::is_integral_v<Wide>) {
    if (type == Number::f32) return computed::converted<Wide>(element<float>(at, aligned));
    if (type == Number::f64) return computed::converted<Wide>(element<double>(at, aligned));
  }
  if constexpr (!computed::is_real<Wide>) {
    if (type == Number::c64) return computed::converted<Wide>(element<Complex<float>>(at, aligned));
    if (type == Number::c128) return computed::converted<Wide>(element<Complex<double>>(at, aligned));
  }
  return Wide{};
}

template <class Wide>
TRIDAP_ON_DEVICE Wide product(const Wide& a, const Wide& b) {
  if constexpr (redistribute::arithmetic::is_real<Wide>)
    return a * b;
  else
    return redistribute::arithmetic::General{a}(b);
}

template <class Wide>
TRIDAP_ON_DEVICE bool is_nan(const Wide& a) {
  if constexpr (redistribute::arithmetic::is_real<Wide>)
    return a != a;
  else
    return a.re != a.re || a.im != a.im;
}

template <class Wide>
TRIDAP_ON_DEVICE bool is_less(const Wide& a, const Wide& b) {
  if constexpr (redistribute::arithmetic::is_real<Wide>)
    return a < b;
  else
    return a.re < b.re || (a.re == b.re && a.im < b.im);
}

TRIDAP_ON_DEVICE inline double magnitude(const Complex<double>& a) {
  return a.im == 0 ? ::fabs(a.re) : ::hypot(a.re, a.im);
}

/// The value of two.
template <class Wide>
TRIDAP_ON_DEVICE Wide reduced(Reduce what, const Wide& a, const Wide& b) {
  if constexpr (std::is_same_v<Wide, std::uint64_t>) {
    if (what == Reduce::every) return a & b;
    if (what == Reduce::some) return a | b;
  }
  if (what == Reduce::smallest || what == Reduce::largest || what == Reduce::largest_magnitude) {
    if (is_nan(a) || is_nan(b)) return is_nan(a) ? a : b;
    return (what == Reduce::smallest ? is_less(b, a) : is_less(a, b)) ? b : a;
  }
  if constexpr (std::is_same_v<Wide, std::int64_t>)
    return a;  // numbers with a sign are compared only
  else
    return what == Reduce::product ? product(a, b) : redistribute::arithmetic::sum(a, b);
}

/// The value of one element, or of a pair.
template <class Wide>
TRIDAP_ON_DEVICE Wide value_of(const ReduceTask& task, Long number) {
  const char *first = task.from[0], *second = task.from[1];
  for (int axis = task.ndim - 1; axis >= 0; --axis) {
    const ReduceAxis& along = task.axes[axis];
    const Long before = axis == 0 ? 0 : number / along.extent;
    Long position = number - before * along.extent;
    if (along.kept != nullptr) position = along.kept[position];
    first += position * along.steps[0];
    second += position * along.steps[1];
    number = before;
  }
  const Reduce what = task.what;
  if (what == Reduce::dot || what == Reduce::vdot) {
    Wide a = read_as<Wide>(task.types[0], first, task.aligned);
    if constexpr (!redistribute::arithmetic::is_real<Wide>)
      if (what == Reduce::vdot) a.im = -a.im;
    return product(a, read_as<Wide>(task.types[1], second, task.aligned));
  }
  if constexpr (std::is_same_v<Wide, std::uint64_t>)
    if (what == Reduce::every || what == Reduce::some) {
      const auto a = read_as<Complex<double>>(task.types[0], first, task.aligned);
      return a.re != 0 || a.im != 0 ? 1 : 0;
    }
  if constexpr (std::is_same_v<Wide, double>)
    if (what == Reduce::squares || what == Reduce::magnitudes || what == Reduce::largest_magnitude) {
      const auto a = read_as<Complex<double>>(task.types[0], first, task.aligned);
      return what == Reduce::squares ? a.re * a.re + a.im * a.im : magnitude(a);
    }
  return read_as<Wide>(task.types[0], first, task.aligned);
}

/// What the threads of a block share.
template <class Wide>
struct SharedValues {
  Wide values[threads];
};

/// Phase 0: the value of the elements of one thread, if it has any.
template <class Wide>
TRIDAP_ON_DEVICE void reduce_elements(const ReduceTask& task, Long block, Long blocks, SharedValues<Wide>& shared,
                                      int thread) {
  const Long first = block * threads + thread;
  if (first >= task.count) return;
  Wide all = value_of<Wide>(task, first);
  for (Long number = first + blocks * threads; number < task.count; number += blocks * threads)
    all = reduced(task.what, all, value_of<Wide>(task, number));
  shared.values[thread] = all;
}

/// The phases after it, with `half` from half of the threads down to 1.
template <class Wide>
TRIDAP_ON_DEVICE void reduce_halves(const ReduceTask& task, Long block, SharedValues<Wide>& shared, int half,
                                    int thread) {
  const Long other = thread + half;
  if (thread < half && block * threads + other < task.count)
    shared.values[thread] = reduced(task.what, shared.values[thread], shared.values[other]);
}

/// The last phase.
template <class Wide>
TRIDAP_ON_DEVICE void write_result(const ReduceTask& task, Long block, const SharedValues<Wide>& shared, int thread) {
  if (thread == 0) reinterpret_cast<Wide*>(task.values)[block] = shared.values[0];
}

}  // namespace tridap::device
