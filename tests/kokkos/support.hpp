#pragma once

#include <tridap/kokkos/view.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace support {

using tridap::Buffer;
using tridap::Index;
using Shape = std::vector<Index>;

/// What an Error says; empty: nothing was thrown.
template <class Step>
std::string refusal_of(Step&& step) {
  try {
    step();
  } catch (const tridap::Error& error) {
    EXPECT_EQ(error.report().errors(), 1);
    return error.what();
  }
  return "";
}

/// The text stands in what `step` is refused with.
#define EXPECT_REFUSED(step, said)                                           \
  do {                                                                       \
    const std::string why = support::refusal_of([&] { step; });              \
    EXPECT_NE(why.find(said), std::string::npos) << "said: '" << why << "'"; \
  } while (false)

/// Kokkos pads a LayoutRight view between its last two axes since its views are mdspans: with 5 always, with 4.7 and
/// its last development versions unless it was configured for the earlier views. Those pad after axis 0, and only if
/// some extent is dynamic.
#if KOKKOS_VERSION < 40699 || defined(KOKKOS_ENABLE_IMPL_VIEW_LEGACY)
constexpr bool pads_last_rows = false;
#else
constexpr bool pads_last_rows = true;
#endif

/// Numbers 0, 1, 2 ...
template <class T = double>
std::vector<T> numbers(std::size_t count) {
  std::vector<T> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<T>(static_cast<int>(i));
  return all;
}

template <class T>
tridap::Buffer strided(T* data, const Shape& shape, const Shape& strides_in_elements,
                       std::shared_ptr<void> owner = nullptr) {
  tridap::Buffer buffer = tridap::row_major(data, shape, std::move(owner));
  for (std::size_t i = 0; i < shape.size(); ++i)
    buffer.strides[i] = strides_in_elements[i] * static_cast<Index>(sizeof(T));
  return buffer;
}

template <class T>
tridap::Buffer column_major(T* data, const Shape& shape) {
  tridap::Buffer buffer = tridap::row_major(data, shape);
  buffer.strides = tridap::column_major_strides(shape, sizeof(T));
  return buffer;
}

/// Calls `visit(local indices, bytes from the first element)` for every element: by counting.
inline void for_each_element(const Buffer& buffer, const std::function<void(const Shape&, Index)>& visit) {
  Shape at(buffer.shape.size(), 0);
  for (Index extent : buffer.shape)
    if (extent == 0) return;
  while (true) {
    Index bytes = 0;
    for (std::size_t i = 0; i < at.size(); ++i) bytes += at[i] * buffer.strides[i];
    visit(at, bytes);
    std::size_t axis = at.size();
    while (axis > 0 && ++at[axis - 1] == buffer.shape[axis - 1]) at[--axis] = 0;
    if (axis == 0) return;
  }
}

template <class View, std::size_t... Axes>
auto& element(const View& v, const Shape& at, std::index_sequence<Axes...>) {
  return v(static_cast<std::size_t>(at[Axes])...);
}

/// `Stars<T, 3>` is `T***`.
template <class T, std::size_t Rank>
struct StarsOf {
  using type = typename StarsOf<T*, Rank - 1>::type;
};
template <class T>
struct StarsOf<T, 0> {
  using type = T;
};
template <class T, std::size_t Rank>
using Stars = typename StarsOf<T, Rank>::type;

}  // namespace support
