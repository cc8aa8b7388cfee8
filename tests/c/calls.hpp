#pragma once

#include "support/ranks.hpp"
#include <tridap/tridap.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

/// Asserts that a call succeeds.
#define OK(call) ASSERT_EQ(call, TRIDAP_OK) << tridap_message()
/// Expects that a call fails with a text that contains `part`.
#define EXPECT_REFUSED(call, part)                                                              \
  do {                                                                                          \
    EXPECT_NE(call, TRIDAP_OK);                                                                 \
    EXPECT_NE(std::string(tridap_message()).find(part), std::string::npos) << tridap_message(); \
  } while (false)

namespace c {

inline const MPI_Comm world = MPI_COMM_WORLD;
inline int rank() { return on::rank(world); }
inline int processes() { return on::processes(world); }

inline tridap_distribution distributed(const std::vector<std::int64_t>& shape, const char* dist,
                                       std::int64_t padding = 0, bool periodic = false) {
  tridap_distribution made{};
  tridap_distribute_options options{};
  const std::vector<std::int32_t> all(shape.size(), 1);
  options.padding = padding;
  if (periodic) options.periodic = all.data();
  EXPECT_EQ(tridap_distribute(static_cast<int>(shape.size()), shape.data(), dist, world, &options, &made), TRIDAP_OK)
      << tridap_message();
  return made;
}

/// The extents of this process's part.
inline std::vector<std::int64_t> extents(tridap_distribution of, int ndim) {
  std::vector<std::int64_t> found(static_cast<std::size_t>(ndim));
  EXPECT_EQ(tridap_local_shape(of, TRIDAP_HERE, found.data()), TRIDAP_OK) << tridap_message();
  return found;
}

inline std::int64_t product(const std::vector<std::int64_t>& of) {
  std::int64_t all = 1;
  for (const std::int64_t each : of) all *= each;
  return all;
}

/// An array of two axes over memory of the test, in which each owned element is 1000 i + j and the others are -1.
struct Field {
  tridap_distribution layout{};
  tridap_array array{};
  std::vector<std::int64_t> local;
  std::vector<double> memory;

  Field() = default;
  Field(const std::vector<std::int64_t>& shape, const char* dist, std::int64_t padding = 0, bool periodic = false)
      : layout(distributed(shape, dist, padding, periodic)), local(extents(layout, 2)) {
    memory.assign(static_cast<std::size_t>(product(local)), -1);
    tridap_memory of{};
    of.data = memory.data();
    of.type = TRIDAP_FLOAT64;
    EXPECT_EQ(tridap_array_of(layout, &of, &array), TRIDAP_OK) << tridap_message();
    for_part(TRIDAP_OWNED, [&](double& element, const std::int64_t* global) { element = value(global); });
  }
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;
  ~Field() {
    tridap_release(array.number);
    tridap_release(layout.number);
  }

  static double value(const std::int64_t* global) { return static_cast<double>(1000 * global[0] + global[1]); }

  template <class Visit>
  void for_part(tridap_part part, Visit&& visit) {
    std::int64_t begin[2], end[2];
    ASSERT_EQ(tridap_bounds(layout, TRIDAP_HERE, part, begin, end), TRIDAP_OK) << tridap_message();
    for (std::int64_t i = begin[0]; i < end[0]; ++i)
      for (std::int64_t j = begin[1]; j < end[1]; ++j) {
        const std::int64_t at[2] = {i, j};
        std::int64_t global[2];
        ASSERT_EQ(tridap_global_index(layout, TRIDAP_HERE, at, global), TRIDAP_OK) << tridap_message();
        visit(memory[static_cast<std::size_t>(i * local[1] + j)], global);
      }
  }
};

}  // namespace c
