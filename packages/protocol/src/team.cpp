#include <tridap/team.hpp>

#include <limits>
#include <new>

namespace tridap {

namespace {
constexpr Index lowest = std::numeric_limits<Index>::min();

void raise(Index& to, Index value) {
  if (value > to) to = value;
}
}  // namespace

bool Team::all(bool here) {
  std::vector<Index> failed{here ? 0 : 1};
  largest(failed);
  return failed[0] == 0;
}

std::vector<Spread> spread(const std::vector<Index>& ranks, const std::vector<std::vector<Index>>& values, Team& team,
                           std::optional<Index> unsaid) {
  const std::size_t count = values.front().size();
  std::vector<Index> ends, who;  // the largest, and with every bit turned, the smallest; and whose they are
  std::vector<Spread> spreads;
  const bool ready = succeeds([&] {
    ends.resize(2 * count, lowest);
    who.resize(2 * count, lowest);
    spreads.resize(count);
  });
  if (!team.all(ready)) throw std::bad_alloc();
  for (const std::vector<Index>& of_one : values)
    for (std::size_t i = 0; i < count; ++i) {  // ~ turns the order round and, unlike -, cannot overflow
      if (of_one[i] == unsaid) continue;
      raise(ends[i], of_one[i]);
      raise(ends[count + i], ~of_one[i]);
    }
  team.largest(ends);

  bool differ = false;
  for (std::size_t i = 0; i < count; ++i) {
    spreads[i].smallest = ~ends[count + i];
    spreads[i].largest = ends[i];
    differ = differ || !spreads[i].same();
  }
  if (!differ) return spreads;

  // Ranks with every bit turned: the largest is the lowest rank.
  for (std::size_t k = 0; k < values.size(); ++k)
    for (std::size_t i = 0; i < count; ++i) {
      if (values[k][i] == spreads[i].smallest) raise(who[i], ~ranks[k]);
      if (values[k][i] == spreads[i].largest) raise(who[count + i], ~ranks[k]);
    }
  team.largest(who);
  for (std::size_t i = 0; i < count; ++i) {
    spreads[i].smallest_rank = ~who[i];
    spreads[i].largest_rank = ~who[count + i];
  }
  return spreads;
}

}  // namespace tridap
