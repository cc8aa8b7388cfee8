#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/sparse/sparse_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace tridap {

namespace {

/// The entries of one row, part after part.
class Cursor {
 public:
  Cursor(const SparseRows& rows, Index row) : part_(rows.parts.data()), end_(part_ + rows.parts.size()), row_(row) {
    enter();
  }

  bool at_end() const { return part_ == end_; }
  const SparsePart& part() const { return *part_; }
  Index entry() const { return entry_; }
  Index left() const { return stop_ - entry_; }  ///< entries of this part, at least 1
  void advance(Index count) {
    entry_ += count;
    if (entry_ < stop_) return;
    ++part_;
    enter();
  }

 private:
  void enter() {  // the next part that has entries
    for (; part_ != end_; ++part_) {
      entry_ = part_->row_starts[row_];
      stop_ = part_->row_starts[row_ + 1];
      if (entry_ < stop_) return;
    }
  }

  const SparsePart *part_, *end_;
  Index row_, entry_ = 0, stop_ = 0;
};

/// Calls `visit(part, entry, part, entry, count)` for pieces of a row of both matrices, until it returns false. Returns
/// whether it never did, and the rows have equally many entries.
template <class Visit>
bool walk(const SparseRows& from, const SparseRows& to, Index row, const Visit& visit) {
  Cursor a(from, row), b(to, row);
  while (!a.at_end() && !b.at_end()) {
    const Index count = std::min(a.left(), b.left());
    if (!visit(a.part(), a.entry(), b.part(), b.entry(), count)) return false;
    a.advance(count);
    b.advance(count);
  }
  return a.at_end() && b.at_end();
}

/// The column of an entry of a part whose positions have 4 bytes.
Index narrow_column(const SparsePart& part, Index entry) {
  const std::int32_t position = static_cast<const std::int32_t*>(part.columns.data)[entry];
  return part.numbers == nullptr ? part.first + position : part.numbers[position];
}

bool same_columns(const SparsePart& a, Index k, const SparsePart& b, Index l, Index count) {
  if (a.columns.bytes == 4 && b.columns.bytes == 4) {
    for (Index i = 0; i < count; ++i)
      if (narrow_column(a, k + i) != narrow_column(b, l + i)) return false;
    return true;
  }
  for (Index i = 0; i < count; ++i)
    if (a.column(k + i) != b.column(l + i)) return false;
  return true;
}

std::byte* address(const SparsePart& part, Index entry, Index bytes) {
  return static_cast<std::byte*>(part.values) + entry * bytes;
}

/// The column and the address of each entry of a row.
using Entries = std::vector<std::pair<Index, std::byte*>>;

/// Ascending by column.
Entries sorted_row(const SparseRows& rows, Index row) {
  Entries entries;
  for (Cursor at(rows, row); !at.at_end(); at.advance(1))
    entries.emplace_back(at.part().column(at.entry()), address(at.part(), at.entry(), rows.type.bytes));
  std::sort(entries.begin(), entries.end());
  return entries;
}

// Throws Error that names the first column that only one of two rows has, if there is one.
void refuse_entries(const Entries& from, const Entries& to, Index row) {
  for (std::size_t i = 0; i < std::max(from.size(), to.size()); ++i) {
    if (i < from.size() && i < to.size() && from[i].first == to[i].first) continue;
    const bool added = i == to.size() || (i < from.size() && from[i].first < to[i].first);
    refuse("row " + std::to_string(row) + " has " + (added ? "a new" : "no") + " entry in column " +
               std::to_string((added ? from : to)[i].first),
           "must have the same columns as before", "make the matrix again, with the new pattern");
  }
}

void need_same(const Bounds& from, const Bounds& to, const char* what) {
  if (from == to) return;
  const auto total = [](const Bounds& bounds) { return bounds.empty() ? 0 : bounds.back(); };
  if (total(from) != total(to))
    refuse("the new values are for " + std::to_string(total(from)) + " " + what,
           "must be for " + std::to_string(total(to)) + ", as many as the matrix has",
           "give a matrix of the same shape");
  refuse("the new values are for another distribution of the " + std::string(what) + " over the processes",
         "must be that of the matrix", "give a matrix with as many " + std::string(what) + " on each process");
}

/// Copies between two matrices of one pattern on this process.
class Update {
 public:
  /// Throws Error if the matrices do not fit together.
  Update(const SparseRows& from, const SparseRows& to) : from_(from), to_(to) {
    need_same(from.row_bounds, to.row_bounds, "rows");
    need_same(from.column_bounds, to.column_bounds, "columns");
    if (from.type != to.type)
      refuse("the new values are " + from.type.text(), "must be " + to.type.text() + ", as those of the matrix",
             "convert them first");
    if (to.read_only) refuse("the values of the matrix are read-only", "", "give a matrix that may be changed");
    for (Index row = 0; row < to.rows().size(); ++row)
      if (!walk(from, to, row, same_columns)) {
        const Entries a = sorted_row(from, row), b = sorted_row(to, row);
        refuse_entries(a, b, to.rows().begin + row);
        reordered_.push_back(row);
        for (std::size_t i = 0; i < a.size(); ++i) moves_.emplace_back(b[i].second, a[i].second);
      }
  }

  /// Returns the bytes copied. Throws nothing.
  Index run() const {
    const Index bytes = to_.type.bytes;
    Index copied = 0;
    std::byte *source = nullptr, *target = nullptr;  // where the piece that is not copied yet begins
    Index length = 0;                                // its bytes
    const auto flush = [&] {
      if (length > 0) std::memmove(target, source, static_cast<std::size_t>(length));
      copied += std::exchange(length, 0);
    };
    auto reordered = reordered_.begin();
    for (Index row = 0; row < to_.rows().size(); ++row) {
      if (reordered != reordered_.end() && *reordered == row) {
        ++reordered;
        continue;
      }
      walk(from_, to_, row, [&](const SparsePart& a, Index k, const SparsePart& b, Index l, Index count) {
        std::byte *const next_source = address(a, k, bytes), *const next_target = address(b, l, bytes);
        if (length == 0 || next_source != source + length || next_target != target + length) {
          flush();
          source = next_source;
          target = next_target;
        }
        length += count * bytes;
        return true;
      });
    }
    flush();
    for (const auto& [to, from] : moves_) std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return copied + static_cast<Index>(moves_.size()) * bytes;
  }

 private:
  const SparseRows &from_, &to_;
  std::vector<Index> reordered_;                                // rows whose entries have another order, ascending
  std::vector<std::pair<std::byte*, const std::byte*>> moves_;  // their entries: where to, and where from
};

}  // namespace

Receipt update_values(const SparseRows& from, const SparseRows& to, MPI_Comm comm) {
  const double begin = MPI_Wtime();
  const Update update = mpi::collectively(comm, [&] {
    check(from, comm);
    check(to, comm);
    return Update(from, to);
  });
  Receipt receipt;
  receipt.shared = receipt.same_address = false;
  receipt.bytes_copied = update.run();
  receipt.seconds = MPI_Wtime() - begin;
  return receipt;
}

}  // namespace tridap
