#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/sparse/sparse_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
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

/// Whether two parts have the same columns in `count` entries. `A` and `B` are the integers of their positions.
template <class A, class B>
bool same_columns(const SparsePart& a, Index k, const SparsePart& b, Index l, Index count) {
  const A* const from = static_cast<const A*>(a.columns.data) + k;
  const B* const to = static_cast<const B*>(b.columns.data) + l;
  const auto all = [&](const auto& same) {
    bool found = true;  // without a branch, so that several entries are compared at once
    for (Index i = 0; i < count; ++i) found &= same(from[i], to[i]);
    return found;
  };
  if (a.numbers == nullptr && b.numbers == nullptr) return all([&](A x, B y) { return a.first + x == b.first + y; });
  if (a.numbers == nullptr) return all([&](A x, B y) { return a.first + x == b.numbers[y]; });
  if (b.numbers == nullptr) return all([&](A x, B y) { return a.numbers[x] == b.first + y; });
  return all([&](A x, B y) { return a.numbers[x] == b.numbers[y]; });
}

bool same_columns(const SparsePart& a, Index k, const SparsePart& b, Index l, Index count) {
  using Narrow = std::int32_t;
  using Wide = std::int64_t;
  if (a.columns.bytes == 4 && b.columns.bytes == 4) return same_columns<Narrow, Narrow>(a, k, b, l, count);
  if (a.columns.bytes == 4) return same_columns<Narrow, Wide>(a, k, b, l, count);
  if (b.columns.bytes == 4) return same_columns<Wide, Narrow>(a, k, b, l, count);
  return same_columns<Wide, Wide>(a, k, b, l, count);
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
      if (!add_in_order(row)) add_reordered(row);
  }

  /// Returns the bytes copied. Throws nothing.
  Index run() const {
    Index copied = 0;
    for (const Piece& piece : pieces_) {
      std::memmove(piece.to, piece.from, static_cast<std::size_t>(piece.bytes));
      copied += piece.bytes;
    }
    return copied;
  }

 private:
  struct Piece {
    std::byte *from, *to;
    Index bytes;
  };

  // Adds the pieces of a row if both matrices have its entries in the same order. Returns false, and adds nothing, if
  // not.
  bool add_in_order(Index row) {
    of_row_.clear();
    const Index bytes = to_.type.bytes;
    const bool same = walk(from_, to_, row, [&](const SparsePart& a, Index k, const SparsePart& b, Index l, Index n) {
      if (!same_columns(a, k, b, l, n)) return false;
      of_row_.push_back({address(a, k, bytes), address(b, l, bytes), n * bytes});
      return true;
    });
    if (same)
      for (const Piece& piece : of_row_) add(piece);
    return same;
  }

  // Adds the entries of a row one by one. Throws Error if the matrices have other entries there.
  void add_reordered(Index row) {
    const Entries from = sorted_row(from_, row), to = sorted_row(to_, row);
    refuse_entries(from, to, to_.rows().begin + row);
    for (std::size_t i = 0; i < from.size(); ++i) add({from[i].second, to[i].second, to_.type.bytes});
  }

  void add(const Piece& piece) {
    if (!pieces_.empty()) {
      Piece& last = pieces_.back();
      if (last.from + last.bytes == piece.from && last.to + last.bytes == piece.to) {
        last.bytes += piece.bytes;
        return;
      }
    }
    pieces_.push_back(piece);
  }

  const SparseRows &from_, &to_;
  std::vector<Piece> pieces_;  // contiguous in both matrices
  std::vector<Piece> of_row_;
};

}  // namespace

Receipt update_values(const SparseRows& from, const SparseRows& to, MPI_Comm comm) {
  const double begin = MPI_Wtime();
  std::optional<Update> update;
  const mpi::Call call(comm, "update_values", {}, [&](mpi::Record&) {
    check(from, comm);
    check(to, comm);
    update.emplace(from, to);
  });
  Receipt receipt;
  receipt.shared = receipt.same_address = false;
  receipt.bytes_copied = update->run();
  receipt.seconds = MPI_Wtime() - begin;
  return receipt;
}

}  // namespace tridap
