#include <tridap/internal/collectives.hpp>

#include <limits>
#include <new>

namespace tridap {

namespace {
constexpr Index smallest_number = std::numeric_limits<Index>::min();

void raise(Index& to, Index value) {
  if (value > to) to = value;
}
}  // namespace

bool Collectives::all(bool here) {
  std::vector<Index> failed{here ? 0 : 1};
  max(failed);
  return failed[0] == 0;
}

std::vector<MinMax> min_max(const std::vector<Index>& ranks, const std::vector<std::vector<Index>>& values,
                            Collectives& collectives, std::optional<Index> missing) {
  const std::size_t count = values.front().size();
  // The largest and, with all bits inverted, the smallest; and their ranks.
  std::vector<Index> ends(2 * count, smallest_number), end_ranks(2 * count, smallest_number);
  std::vector<MinMax> spreads(count);
  for (const std::vector<Index>& of_one : values)
    for (std::size_t i = 0; i < count; ++i) {  // ~ reverses the order and, unlike -, cannot overflow
      if (of_one[i] == missing) continue;
      raise(ends[i], of_one[i]);
      raise(ends[count + i], ~of_one[i]);
    }
  collectives.max(ends);

  bool differ = false;
  for (std::size_t i = 0; i < count; ++i) {
    spreads[i].smallest = ~ends[count + i];
    spreads[i].largest = ends[i];
    differ = differ || !spreads[i].is_same();
  }
  if (!differ) return spreads;

  // Ranks with all bits inverted: the largest belongs to the smallest rank.
  for (std::size_t k = 0; k < values.size(); ++k)
    for (std::size_t i = 0; i < count; ++i) {
      if (values[k][i] == spreads[i].smallest) raise(end_ranks[i], ~ranks[k]);
      if (values[k][i] == spreads[i].largest) raise(end_ranks[count + i], ~ranks[k]);
    }
  collectives.max(end_ranks);
  for (std::size_t i = 0; i < count; ++i) {
    spreads[i].smallest_rank = ~end_ranks[i];
    spreads[i].largest_rank = ~end_ranks[count + i];
  }
  return spreads;
}

}  // namespace tridap
