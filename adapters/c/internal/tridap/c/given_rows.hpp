#pragma once

#include <tridap/c/objects.hpp>
#include <tridap/flat_numbers.hpp>
#include <tridap/sparse/integers.hpp>

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::c {

/// The integers of a program. Throws Error.
inline Integers integers_at(const void* data, std::int32_t bytes, Index count, const char* name) {
  if (bytes != 0 && bytes != 4 && bytes != 8)
    refuse_key(std::string(name) + "_bytes", std::to_string(bytes), "must be 4 or 8", "pass sizeof of an integer");
  if (count > 0) need(data, name);
  return {data, bytes == 0 ? 8 : static_cast<int>(bytes), count};
}

/// The rows of a program, of a square matrix: numbers from 0, and columns in row-major order.
class GivenRows {
 public:
  /// `all`: also what is right already is checked, and copied. Throws Error.
  void read(const DistributionObject& rows, const tridap_csr* given, bool all = false) {
    read(*rows.distribution, rows.rank, given, all);
  }
  void read(const Distribution& rows, Index process, const tridap_csr* given, bool all = false) {
    const tridap_csr& of = *need(given, "csr");
    if (of.order != TRIDAP_ROW_MAJOR && of.order != TRIDAP_COLUMN_MAJOR)
      refuse_key("order", std::to_string(static_cast<int>(of.order)), "must be one of tridap_order",
                 "pass TRIDAP_ROW_MAJOR");
    if (of.index_base != 0 && of.index_base != 1)
      refuse_key("index_base", std::to_string(of.index_base), "must be 0 or 1",
                 "pass 1 for numbers as Fortran has them");
    const Index interior = rows.count(process, Part::interior);
    if (of.row_count != interior)
      refuse_key("row_count", std::to_string(of.row_count),
                 "must be " + std::to_string(interior) + ", one row for each element of this process's interior",
                 "ask tridap_count for TRIDAP_INTERIOR");
    if (of.entry_count < 0) refuse_key("entry_count", std::to_string(of.entry_count), "must be at least 0", "");
    count = of.entry_count;
    values = of.entry_count > 0 ? need(of.values, "values") : of.values;
    columns = integers_at(of.columns, of.column_bytes, of.entry_count, "columns");
    row_starts = integers_at(of.row_starts, of.row_start_bytes, interior + 1, "row_starts");
    order = order_of(of.order);
    all = all || of.index_base != 0;
    if (all) from_zero(of.index_base);
    if (all || (of.order == TRIDAP_COLUMN_MAJOR && rows.ndim() > 1)) renumber(rows, of.order, of.index_base);
  }

  Index count = 0;  ///< of entries
  const double* values = nullptr;
  Integers columns{}, row_starts{};
  Order order = Order::row_major;  ///< of the rows

 private:
  void from_zero(Index base) {
    starts_.reserve(static_cast<std::size_t>(row_starts.count));
    for (Index i = 0; i < row_starts.count; ++i) starts_.push_back(row_starts[i] - base);
    if (starts_.front() != 0)
      refuse("the first row starts at " + std::to_string(starts_.front() + base),
             "must be " + std::to_string(base) + ", the index base", "count the entries of this process");
    for (std::size_t row = 0; row + 1 < starts_.size(); ++row)  // else errors would have the numbers from 0
      if (starts_[row + 1] < starts_[row] || starts_[row + 1] > count)
        refuse("local row " + std::to_string(row) + " goes from " + std::to_string(starts_[row] + base) + " to " +
                   std::to_string(starts_[row + 1] + base),
               "must neither descend nor end after the " + std::to_string(count) + " values",
               "give indptr as SciPy has it");
    row_starts = integers(starts_.data(), row_starts.count);
  }

  void renumber(const Distribution& rows, tridap_order given, Index base) {
    const bool turned = given == TRIDAP_COLUMN_MAJOR;
    const FlatNumbers theirs(rows, order_of(given)), ours(rows);
    columns_.reserve(static_cast<std::size_t>(count));
    Indices global(static_cast<std::size_t>(rows.ndim()));
    for (Index k = 0; k < count; ++k) {
      const Index number = columns[k] - base;
      if (number < 0 || number >= theirs.count())
        refuse("a row has column " + std::to_string(number + base),
               "must be the number of an element, at least " + std::to_string(base) + " and at most " +
                   std::to_string(theirs.count() - 1 + base),
               "columns are global: a column is the number of an element in the whole array, in the order that "
               "`order` says");
      if (turned) theirs.indices(number, global.data());
      columns_.push_back(turned ? ours.number(global) : number);
    }
    columns = integers(columns_.data(), count);
  }

  std::vector<Index> starts_, columns_;
};

}  // namespace tridap::c

#pragma GCC visibility pop
