#include <tridap/internal/collectives.hpp>

#include <algorithm>
#include <stdexcept>

namespace tridap {

bool Collectives::all(bool here) {
  std::vector<Index> failed{here ? 0 : 1};
  max(failed);
  return failed[0] == 0;
}

SpreadLists Collectives::spread(ListHere) { throw std::logic_error("this carrier has all lists in one place"); }

void Ends::add(std::size_t i, Index number) {  // ~ reverses the order and, unlike -, cannot overflow
  numbers_[2 * i] = std::max(numbers_[2 * i], number);
  numbers_[2 * i + 1] = std::max(numbers_[2 * i + 1], ~number);
}

std::vector<MinMax> min_max(const std::vector<Index>& ranks, const std::vector<std::vector<Index>>& values,
                            Collectives& collectives, std::optional<Index> missing) {
  const std::size_t count = values.front().size();
  Ends ends(count);
  for (const std::vector<Index>& of_one : values)
    for (std::size_t i = 0; i < count; ++i)
      if (of_one[i] != missing) ends.add(i, of_one[i]);
  ends.reduce(collectives);

  std::vector<MinMax> spreads(count);
  for (std::size_t i = 0; i < count; ++i) spreads[i] = {ends.smallest(i), ends.largest(i), 0, 0};
  if (std::all_of(spreads.begin(), spreads.end(), [](const MinMax& s) { return s.is_same(); })) return spreads;

  std::vector<Index> inverted_ranks(2 * count, no_number);  // the largest belongs to the smallest rank
  for (std::size_t k = 0; k < values.size(); ++k)
    for (std::size_t i = 0; i < count; ++i) {
      if (values[k][i] == spreads[i].smallest) inverted_ranks[2 * i] = std::max(inverted_ranks[2 * i], ~ranks[k]);
      if (values[k][i] == spreads[i].largest)
        inverted_ranks[2 * i + 1] = std::max(inverted_ranks[2 * i + 1], ~ranks[k]);
    }
  collectives.max(inverted_ranks);
  for (std::size_t i = 0; i < count; ++i) {
    spreads[i].smallest_rank = ~inverted_ranks[2 * i];
    spreads[i].largest_rank = ~inverted_ranks[2 * i + 1];
  }
  return spreads;
}

}  // namespace tridap
