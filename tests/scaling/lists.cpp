#include "scaling/lists.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace scaling {

namespace {

// Odd numbers, modulo 2^64, and what they must be multiplied by to give 1.
constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U, first_factor = 0xbf58476d1ce4e5b9U,
                        second_factor = 0x94d049bb133111ebU, first_inverse = 0x96de1b173f119089U,
                        second_inverse = 0x319642b2d24d8ec3U;
static_assert(first_factor * first_inverse == 1 && second_factor * second_inverse == 1);

// The z with z ^ (z >> bits) == mixed.
std::uint64_t unshifted(std::uint64_t mixed, int bits) {
  std::uint64_t z = mixed;
  for (int known = bits; known < 64; known += bits) z = mixed ^ (z >> bits);
  return z;
}

}  // namespace

// SplitMix64 backwards: the directory stores an id on the process that SplitMix64 gives.
Index Ids::id(Index number) {
  std::uint64_t z = unshifted(static_cast<std::uint64_t>(number), 31) * second_inverse;
  z = unshifted(z, 27) * first_inverse;
  return static_cast<Index>(unshifted(z, 30) - golden);
}

Index Ids::number(Index id) {
  std::uint64_t z = static_cast<std::uint64_t>(id) + golden;
  z = (z ^ (z >> 30)) * first_factor;
  z = (z ^ (z >> 27)) * second_factor;
  return static_cast<Index>(z ^ (z >> 31));
}

std::vector<Index> Ids::range(Index first, Index length) const {
  std::vector<Index> all;
  all.reserve(static_cast<std::size_t>(length));
  for (Index i = 0; i < length; ++i) all.push_back(id((first + i) % count()));
  return all;
}

std::vector<Index> Ids::stored(Index first, Index length, Index storing) const {
  std::vector<Index> all;
  const Index skipped = ((storing - first) % processes_ + processes_) % processes_;
  for (Index i = skipped; i < length; i += processes_) all.push_back(id((first + i) % count()));
  std::sort(all.begin(), all.end());
  return all;
}

tridap::Location Deal::place(Index id) const {
  const Index from_first = (Ids::number(id) - shift + ids.count()) % ids.count();
  return {from_first / ids.n(), from_first % ids.n()};
}

Step deals(const Deal& deal) {
  return [deal](Index from, Index to) {
    std::vector<Index> numbers{from};
    for (const Index id : deal.ids.stored(deal.first(from), deal.ids.n(), to)) {
      numbers.push_back(id);
      numbers.push_back(deal.place(id).local);
    }
    return numbers;
  };
}

Step asks(const Deal& deal, Index offset, Index length) {
  return [=](Index from, Index to) { return deal.ids.stored(deal.first(from) + offset, length, to); };
}

Step answers(const Deal& asking, Index offset, Index length, const Deal& held) {
  return [=](Index from, Index to) {
    std::vector<Index> numbers;
    for (const Index id : asking.ids.stored(asking.first(to) + offset, length, from)) {
      const tridap::Location place = held.place(id);
      numbers.insert(numbers.end(), {place.coordinate, place.local});
    }
    return numbers;
  };
}

Step together(std::vector<Step> steps) {
  return [all = std::move(steps)](Index from, Index to) {
    std::vector<Index> numbers(all.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      const std::vector<Index> one = all[k](from, to);
      numbers[k] = static_cast<Index>(one.size());
      numbers.insert(numbers.end(), one.begin(), one.end());
    }
    if (numbers.size() == all.size()) numbers.clear();  // a process sends no empty message
    return numbers;
  };
}

Step asks_for_rows(Index processes, Index distance, Index length) {
  return [=](Index from, Index to) {
    std::vector<Index> rows;
    if ((from + distance) % processes == to)
      for (Index row = 0; row < length; ++row) rows.push_back(row);
    return rows;
  };
}

namespace {

// The smallest and the largest id may be any numbers of 64 bits.
Said said_of_list(Index n) {
  constexpr Index largest = std::numeric_limits<Index>::max();
  return {0, n, 0, -largest, largest};
}

}  // namespace

ListHolders::ListHolders(const Ids& ids, Index rank, std::vector<Step> steps)
    : Holders({{ids.processes(), [n = ids.n()](Index) { return said_of_list(n); }}}),
      processes_(ids.processes()),
      rank_(rank),
      steps_(std::move(steps)) {}

std::vector<virtual_processes::Letter> ListHolders::letters(int exchange) {
  need(static_cast<std::size_t>(exchange) < steps_.size(), "more exchanges than the test knows");
  std::vector<virtual_processes::Letter> all;
  for (Index from = 0; from < processes_; ++from) {
    if (from == rank_) continue;
    const auto length = static_cast<std::int64_t>(steps_[static_cast<std::size_t>(exchange)](from, rank_).size());
    if (length > 0) all.push_back({static_cast<int>(from), length});
  }
  return all;
}

void ListHolders::write(int exchange, const virtual_processes::Letter& letter, std::int64_t* numbers) {
  const std::vector<Index> all = steps_[static_cast<std::size_t>(exchange)](letter.from, rank_);
  std::copy(all.begin(), all.end(), numbers);
}

}  // namespace scaling
