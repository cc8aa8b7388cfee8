#include <tridap/detail/refuse.hpp>
#include <tridap/sparse/sparse_pattern.hpp>

#include <algorithm>
#include <string>

namespace tridap {

namespace {

/// Own columns are less than all others.
struct OwnFirst {
  Range own;

  bool operator()(Index a, Index b) const {
    const bool own_a = own.contains(a), own_b = own.contains(b);
    return own_a == own_b ? a < b : own_a;
  }
};

void need_column(Index column, Index row, const SparseRows& rows) {
  if (column < 0 || column >= rows.column_bounds.back())
    refuse("row " + std::to_string(rows.rows().begin + row) + " has column " + std::to_string(column),
           "must be at least 0 and less than " + std::to_string(rows.column_bounds.back()),
           "number the columns process after process");
}

}  // namespace

SparsePattern pattern_of(const SparseRows& rows) {
  const OwnFirst less{rows.columns()};
  SparsePattern pattern;
  const Index count = rows.rows().size();
  pattern.row_starts.reserve(static_cast<std::size_t>(count) + 1);
  pattern.own_counts.reserve(static_cast<std::size_t>(count));
  pattern.columns.reserve(static_cast<std::size_t>(rows.entries()));
  pattern.row_starts.push_back(0);
  for (Index row = 0; row < count; ++row) {
    const auto begin = static_cast<std::ptrdiff_t>(pattern.columns.size());
    for (const SparsePart& part : rows.parts)
      for (Index k = part.row_starts[row]; k < part.row_starts[row + 1]; ++k) {
        need_column(part.column(k), row, rows);
        pattern.columns.push_back(part.column(k));
      }
    const auto first = pattern.columns.begin() + begin, last = pattern.columns.end();
    if (!std::is_sorted(first, last, less)) std::sort(first, last, less);
    if (const auto twice = std::adjacent_find(first, last); twice != last)
      refuse("row " + std::to_string(rows.rows().begin + row) + " has column " + std::to_string(*twice) + " twice",
             "must have each column once", "add the values");
    const auto others = std::find_if(first, last, [&](Index column) { return !less.own.contains(column); });
    pattern.own_counts.push_back(others - first);
    pattern.others.insert(pattern.others.end(), others, last);
    pattern.row_starts.push_back(static_cast<Index>(pattern.columns.size()));
  }
  std::sort(pattern.others.begin(), pattern.others.end());
  pattern.others.erase(std::unique(pattern.others.begin(), pattern.others.end()), pattern.others.end());
  return pattern;
}

}  // namespace tridap
