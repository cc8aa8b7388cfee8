#include "assignment.hpp"

#include <tridap/internal/axis_moves.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace tridap::redistribute {

namespace {

// Prices and profits are at most the largest worth, so the sum of two of them fits 64 bits without a sign.
using Amount = std::uint64_t;
__extension__ using Amounts = unsigned __int128;  // a sum of many
constexpr Amount infinite = std::numeric_limits<Amount>::max();

Index narrowed(Amounts sum) {
  constexpr Index most = std::numeric_limits<Index>::max();
  return sum > static_cast<Amounts>(most) ? most : static_cast<Index>(sum);
}

// An assignment and prices on the way to the best ones. Of a column that is free, the price is 0.
struct Market {
  explicit Market(const Worths& given)
      : worths(given), price(at(given.columns), 0), of_row(at(given.rows()), -1), of_column(at(given.columns), -1) {}

  const Worths& worths;
  std::vector<Amount> price;
  std::vector<Index> of_row, of_column;
  Index work = 0;

  Index begin(Index row) const { return worths.begins[at(row)]; }
  Index end(Index row) const { return worths.begins[at(row + 1)]; }
  Index column(Index entry) const { return worths.column[at(entry)]; }
  Amount worth(Index entry) const { return static_cast<Amount>(worths.worth[at(entry)]); }
  // Worth above the price; nothing where it is below.
  Amount profit(Index entry) const {
    const Amount w = worth(entry), p = price[at(column(entry))];
    return w > p ? w - p : 0;
  }
  Amount best_profit(Index row) const {
    Amount best = 0;
    for (Index entry = begin(row); entry < end(row); ++entry) best = std::max(best, profit(entry));
    return best;
  }

  // The row that has the column has none afterwards; it is returned, or -1.
  Index give(Index row, Index column) {
    const Index before = std::exchange(of_column[at(column)], row);
    if (before >= 0) of_row[at(before)] = -1;
    of_row[at(row)] = column;
    return before;
  }

  // The row takes the column of its largest profit at a price by which it is `step` better off with the second best,
  // unless no column is worth its price to it. Returns the row that had it, or -1.
  Index bid(Index row, Amount step) {
    Amount best = 0, second = 0;
    Index chosen = -1;
    work += end(row) - begin(row);
    for (Index entry = begin(row); entry < end(row); ++entry) {
      const Amount is = profit(entry);
      const bool better = is > best || (is == best && is > 0 && chosen >= 0 && of_column[at(chosen)] >= 0 &&
                                        of_column[at(column(entry))] < 0);  // of equal ones, one that is free
      if (is > best || better) {
        second = best;
        best = is;
        chosen = column(entry);
      } else {
        second = std::max(second, is);
      }
    }
    if (chosen < 0) return -1;
    price[at(chosen)] += std::min(best, best - second + std::min(step, best));
    return give(row, chosen);
  }

  // Rows without a column take the free one that is worth most to them, and what is worth nothing is given up.
  void fill() {
    for (Index row = 0; row < worths.rows(); ++row) {
      if (of_row[at(row)] >= 0) continue;
      Index chosen = -1;
      for (Index entry = begin(row); entry < end(row); ++entry)
        if (of_column[at(column(entry))] < 0 && worth(entry) > 0 && (chosen < 0 || worth(entry) > worth(chosen)))
          chosen = entry;
      if (chosen >= 0) give(row, column(chosen));
    }
  }

  Assignment result() {
    Amounts bound = 0, value = 0;
    for (const Amount p : price) bound += p;
    for (Index row = 0; row < worths.rows(); ++row) {
      const Amount other = worths.left_out.empty() ? 0 : static_cast<Amount>(worths.left_out[at(row)]);
      bound += std::max(best_profit(row), other);
    }
    fill();
    for (Index row = 0; row < worths.rows(); ++row)
      for (Index entry = begin(row); entry < end(row); ++entry)
        if (column(entry) == of_row[at(row)]) value += worth(entry);
    return {std::move(of_row), narrowed(value), narrowed(bound)};
  }
};

// Shortest augmenting paths from one row without a column after the other. Lengths are what is lost against the prices
// and profits; a path ends at a free column, or at a row that goes without, which loses its profit.
class Paths {
 public:
  Paths(Market& market, bool full)
      : market_(market),
        profit_(at(market.worths.rows())),
        length_(at(market.worths.columns), infinite),
        from_(at(market.worths.columns), -1),
        full_(full),
        dense_(market.worths.begins.back() >= market.worths.rows() * (market.worths.columns / 8)) {}

  // Nothing else may have touched the market before but bids without a step. Ends early where the work is too much.
  void run(const std::vector<Index>& rows, Index most_work) {
    for (const Index row : rows) profit_[at(row)] = market_.best_profit(row);
    for (const Index row : rows) {
      if (market_.work > most_work) return;
      if (market_.of_row[at(row)] >= 0) continue;
      profit_[at(row)] = market_.best_profit(row);  // at the prices of now: the end is nearer
      if (profit_[at(row)] > 0) augment(row);
    }
  }

 private:
  void augment(Index row) {
    first_row_ = last_row_ = row;
    free_ = -1;
    limit_ = profit_[at(row)];
    look_from(row, 0);
    while (const auto column = nearest()) {
      scanned_.push_back(*column);
      const Index next = market_.of_column[at(*column)];
      const Amount length = length_[at(*column)];
      if (profit_[at(next)] < limit_ - length) {
        limit_ = length + profit_[at(next)];
        last_row_ = next;
        free_ = -1;
      }
      look_from(next, length);
    }
    pay();
    turn_over();
    for (const Index column : touched_) length_[at(column)] = infinite;
    touched_.clear();
    scanned_.clear();
    open_.clear();
    heap_.clear();
  }

  void look_from(Index row, Amount length) {
    const Index begin = market_.begin(row), count = market_.end(row) - begin;
    market_.work += count;
    const Index* columns = market_.worths.column.data() + begin;
    if (full_) return look_at(row, length, begin, count, [](Index i) { return i; });
    look_at(row, length, begin, count, [columns](Index i) { return columns[i]; });
  }

  template <class Column>
  void look_at(Index row, Amount length, Index begin, Index count, Column&& column_of) {
    const Index* worth = market_.worths.worth.data() + begin;
    const Amount* price = market_.price.data();
    const Amount* lengths = length_.data();
    const Amount profit = profit_[at(row)];
    Amount left = limit_ - length;
    for (Index i = 0; i < count; ++i) {
      const Index column = column_of(i);
      const Amount loss = profit + price[column] - static_cast<Amount>(worth[i]);
      if (loss >= left || length + loss >= lengths[column]) continue;
      if (market_.of_column[at(column)] < 0) {
        limit_ = length + (left = loss);
        free_ = column;
        from_[at(column)] = row;
      } else {
        reach(column, length + loss, row);
      }
    }
  }

  void reach(Index column, Amount length, Index row) {
    if (length_[at(column)] == infinite) {
      touched_.push_back(column);
      if (dense_) open_.push_back(column);
    }
    length_[at(column)] = length;
    from_[at(column)] = row;
    if (dense_) return;
    heap_.emplace_back(length, column);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  // The nearest column of those reached and not scanned, if it is nearer than the end found.
  std::optional<Index> nearest() { return dense_ ? nearest_open() : nearest_of_heap(); }

  std::optional<Index> nearest_open() {
    std::size_t best = open_.size();
    Amount length = limit_;
    for (std::size_t i = 0; i < open_.size(); ++i)
      if (length_[at(open_[i])] < length) length = length_[at(open_[best = i])];
    if (best == open_.size()) return std::nullopt;
    const Index column = open_[best];
    open_[best] = open_.back();
    open_.pop_back();
    return column;
  }

  std::optional<Index> nearest_of_heap() {
    while (!heap_.empty() && heap_.front().first < limit_) {
      const auto [length, column] = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
      if (length == length_[at(column)]) return column;
    }
    return std::nullopt;
  }

  // What was nearer than the end gives up, or gains in price, the difference: losses stay at 0 or above.
  void pay() {
    profit_[at(first_row_)] -= limit_;
    for (const Index column : scanned_) {
      const Amount difference = limit_ - length_[at(column)];
      market_.price[at(column)] += difference;
      profit_[at(market_.of_column[at(column)])] -= difference;
    }
  }

  // Moves each row on the path to the next column.
  void turn_over() {
    Index column = free_;
    if (column < 0) {
      column = std::exchange(market_.of_row[at(last_row_)], -1);
      if (last_row_ == first_row_) return;
    }
    for (;;) {
      const Index row = from_[at(column)], before = market_.of_row[at(row)];
      market_.of_column[at(column)] = row;
      market_.of_row[at(row)] = column;
      if (row == first_row_) return;
      column = before;
    }
  }

  Market& market_;
  std::vector<Amount> profit_, length_;  // by row; by column, infinite: not reached
  std::vector<Index> from_;              // by column: the row it is reached from
  bool full_;                            // the entries of a row are those of all columns, in order
  bool dense_;                           // a look at all reached columns costs no more than one at the entries of a row
  Index first_row_ = -1, last_row_ = -1, free_ = -1;
  Amount limit_ = 0;  // the length to the nearest end
  std::vector<Index> touched_, scanned_, open_;
  std::vector<std::pair<Amount, Index>> heap_;
};

// Rows without a column bid until none of them would gain by one, or the work is too much. Every bid raises
// a price by at least `step`; so the sum is at most that for each row below the bound.
Assignment by_auction(const Worths& worths, Index most_work, Index step) {
  Market market(worths);
  std::vector<Index> waiting;
  for (Index row = worths.rows(); row-- > 0;) waiting.push_back(row);
  while (!waiting.empty() && market.work <= most_work) {
    const Index row = waiting.back();
    waiting.pop_back();
    const Index outbid = market.bid(row, static_cast<Amount>(std::max<Index>(1, step)));
    if (outbid >= 0) waiting.push_back(outbid);
  }
  return market.result();
}

// The rows to which it matters most first: those whose best column is most above their average one. So rows that agree
// on what is good, and differ in how good, take turns instead of pushing one another away.
std::vector<Index> eager_first(const Worths& worths) {
  std::vector<std::pair<double, Index>> by_gain;
  for (Index row = 0; row < worths.rows(); ++row) {
    Index best = 0;
    double sum = 0;
    for (Index entry = worths.begins[at(row)]; entry < worths.begins[at(row + 1)]; ++entry) {
      best = std::max(best, worths.worth[at(entry)]);
      sum += static_cast<double>(worths.worth[at(entry)]);
    }
    by_gain.emplace_back(sum / static_cast<double>(std::max<Index>(1, worths.columns)) - static_cast<double>(best),
                         row);
  }
  std::sort(by_gain.begin(), by_gain.end());
  std::vector<Index> rows;
  for (const auto& gain : by_gain) rows.push_back(gain.second);
  return rows;
}

// Every row lists every column, in order.
bool is_full(const Worths& worths) {
  if (static_cast<Index>(worths.column.size()) / std::max<Index>(1, worths.rows()) != worths.columns) return false;
  for (Index row = 0; row < worths.rows(); ++row)
    for (Index entry = worths.begins[at(row)], column = 0; entry < worths.begins[at(row + 1)]; ++entry, ++column)
      if (worths.column[at(entry)] != column) return false;
  return true;
}

// A few rounds of bids leave the paths little to do.
Assignment by_paths(const Worths& worths, Index most_work, bool full) {
  Market market(worths);
  const std::vector<Index> rows = eager_first(worths);
  for (int round = 0; round < 3; ++round)
    for (const Index row : rows)
      if (market.of_row[at(row)] < 0) market.bid(row, 0);
  Paths(market, full).run(rows, most_work);
  return market.result();
}

Assignment solve(const Worths& worths, Index most_work, bool full) {
  Assignment found = by_paths(worths, most_work, full);
  if (found.value == found.bound) return found;
  Assignment sold = by_auction(worths, most_work, found.bound / std::max<Index>(1, worths.rows()) / 200);
  const Index bound = std::min(found.bound, sold.bound);
  if (sold.value > found.value) found = std::move(sold);
  found.bound = bound;
  return found;
}

// For as many rows as columns, all of them listed: the worth that a column has for every row decides nothing, and is
// subtracted.
// Rows that all want the same columns would take paths through all of these.
Assignment solve_without_common_worth(Worths worths, Index most_work) {
  const auto columns = at(worths.columns);
  std::vector<Index> common(worths.worth.begin(), worths.worth.begin() + worths.columns);
  for (std::size_t entry = columns; entry < worths.worth.size(); ++entry)
    common[entry % columns] = std::min(common[entry % columns], worths.worth[entry]);
  for (std::size_t entry = 0; entry < worths.worth.size(); ++entry) worths.worth[entry] -= common[entry % columns];
  Assignment found = solve(worths, most_work, true);
  Amounts value = static_cast<Amounts>(found.value), bound = static_cast<Amounts>(found.bound);
  std::vector<bool> taken(columns, false);
  for (const Index column : found.column)
    if (column >= 0) taken[at(column)] = true;
  std::size_t next = 0;
  for (std::size_t row = 0; row < found.column.size(); ++row) {
    Index& column = found.column[row];
    if (column >= 0) continue;  // else it may as well have any that is free
    while (taken[next]) ++next;
    column = static_cast<Index>(next);
    value += static_cast<Amount>(worths.worth[row * columns + next++]);
  }
  for (const Index all : common) {
    value += static_cast<Amount>(all);
    bound += static_cast<Amount>(all);
  }
  return {std::move(found.column), narrowed(value), narrowed(bound)};
}

}  // namespace

Assignment assign(const Worths& worths, Index most_work) {
  const bool full = is_full(worths);
  if (full && worths.rows() > 0 && worths.rows() == worths.columns && worths.left_out.empty())
    return solve_without_common_worth(worths, most_work);
  return solve(worths, most_work, full);
}

}  // namespace tridap::redistribute
