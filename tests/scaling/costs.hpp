#pragma once

#include "support/memory_meter.hpp"
#include "support/virtual_processes.hpp"
#include <tridap/distribution.hpp>
#include <tridap/index.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// What calls cost one process of many. The program prints it, and page_test.py compares it with the table in docs.
namespace scaling {

using tridap::Distribution;
using tridap::Index;
using virtual_processes::Others;
using virtual_processes::World;

/// Ends the program if something is not so: then what was measured is not what the call should do.
inline void need(bool is_so, const char* what) {
  if (is_so) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::exit(EXIT_FAILURE);
}

/// What others say of an axis in the check of an array. Of lists: `start` is any number, `stop` the length, and the
/// padding the smallest and the largest index.
struct Said {
  Index start = 0, stop = 0, padded = 0, left = 0, right = 0;
};

/// All processes of an array, which say what is right.
class Holders : public Others {
 public:
  using Say = std::function<Said(Index coordinate)>;
  struct AxisOf {
    Index coordinates = 1;
    Say say;
  };
  Holders() = default;
  explicit Holders(std::vector<AxisOf> axes) : axes_(std::move(axes)) {}
  explicit Holders(const Distribution& distribution);

  bool reduce(MPI_Op operation, MPI_Datatype type, std::int64_t* numbers, int count) override;

 private:
  std::vector<AxisOf> axes_;
};

struct Cost {
  virtual_processes::Traffic traffic;
  std::size_t memory = 0;  ///< the most bytes that were allocated in the call at a time
};

/// What one call costs. What it returns is released after it.
template <class Call>
Cost cost_of(World& world, Call&& call) {
  world.count_anew();
  const std::size_t before = memory_meter::most_held = memory_meter::held;
  const auto now = [&] { return Cost{world.traffic(), memory_meter::most_held - before}; };
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    return now();
  } else {
    const auto kept = call();
    return now();
  }
}

/// What costs depend on.
struct Size {
  Size(const std::vector<Distribution>& all, Index elements);

  Index processes = 0, n = 0;  ///< n: elements or ids of a process
  Index coordinates = 0;       ///< of all axes
  Index longest = 0;           ///< the largest number of coordinates of an axis
};
/// Prints the costs of a call on some processes: the largest of each.
void print(const std::string& call, const Size& size, const std::vector<Cost>& costs);

/// Makes what TriDAP keeps with a communicator.
void warm(World& world);

/// A process in the middle of each axis, and the last one.
std::array<int, 2> places(const Distribution& distribution);

}  // namespace scaling
