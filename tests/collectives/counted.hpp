#pragma once

#include "support/parts.hpp"
#include "support/ranks.hpp"
#include <tridap/buffer.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>
#include <tridap/make.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

extern "C" {
long tridap_counted(int whose, int kind);
void tridap_count_anew();
}

/// How many collectives a call of ours makes the second time: the first one makes what is kept with the communicator.
/// tests/support/count_collectives.cpp counts them, those of Tpetra's templates that this program compiles among them.
namespace counted {

using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;

struct Counts {
  long messages = 0;  ///< collectives of data
  long made = 0;      ///< calls that make or free a communicator, a window or a file
};

inline bool operator==(const Counts& a, const Counts& b) { return a.messages == b.messages && a.made == b.made; }

inline void PrintTo(const Counts& counts, std::ostream* out) {
  *out << counts.messages << " messages, " << counts.made << " communicators";
}

template <class Call>
Counts second(const Call& call) {
  const auto counts = [] { return Counts{tridap_counted(0, 0), tridap_counted(0, 1)}; };
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    tridap_count_anew();
    call();
    return counts();
  } else {
    const auto kept = call();
    tridap_count_anew();
    const auto again = call();
    return counts();
  }
}

inline Index processes() { return on::processes(MPI_COMM_WORLD); }
inline Index rank() { return on::rank(MPI_COMM_WORLD); }

/// The kinds of arrays.
inline const std::vector<std::string> kinds = {"block", "both_axes", "cyclic", "padded", "lists", "one_axis"};

inline Distribution distribution_of(const std::string& kind) {
  const Index p = processes(), n = 6 * p;
  const std::vector<Index> grid = tridap::near_square_grid(p, 2);
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(p));
  for (Index i = 0; i < n; ++i) lists[static_cast<std::size_t>(i % p)].push_back(i);
  if (kind == "both_axes") return Distribution::make({n, 8}, {tridap::block(), tridap::block()}, grid);
  if (kind == "cyclic") return Distribution::make({n, 8}, {tridap::cyclic(2), tridap::cyclic()}, grid);
  if (kind == "padded") return Distribution::make({n, 8}, {tridap::padded_block(1), tridap::whole()}, {p, 1});
  if (kind == "lists") return Distribution::make({n, 8}, {tridap::unstructured(lists), tridap::whole()}, {p, 1});
  if (kind == "one_axis") return Distribution::make({n}, {tridap::block()}, {p});
  return Distribution::make({n, 8}, {tridap::block(), tridap::whole()}, {p, 1});
}

inline std::string name_of(const testing::TestParamInfo<std::string>& test) { return test.param; }

/// This process's part, of ones.
inline DistArray part_of(const Distribution& distribution) {
  DistArray part = on::part_of(distribution, rank());
  auto* const elements = static_cast<double*>(part.buffer.data);
  for (Index i = 0; i < tridap::element_count(part.buffer); ++i) elements[i] = 1;
  return part;
}

/// The tests of each kind.
class OfKind : public testing::TestWithParam<std::string> {
 protected:
  const Distribution distribution = distribution_of(GetParam());
  const DistArray x = part_of(distribution);
};

}  // namespace counted
