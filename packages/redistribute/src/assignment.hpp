#pragma once

#include <tridap/index.hpp>

#include <limits>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// The input of an assignment problem: a sparse matrix of the value of each column to each row, stored by rows. Entries
/// that are not listed are 0. A row may be left without a column.
struct Worths {
  Index columns = 0;
  std::vector<Index> begins = {0};  ///< where the entries of each row begin, and where the last ones end
  std::vector<Index> column;        ///< of each entry; a row has each column at most once
  std::vector<Index> worth;         ///< of each entry, at least 0
  std::vector<Index> left_out;      ///< by row: what a column that is not listed may be worth; empty: nothing

  Index rows() const { return static_cast<Index>(begins.size()) - 1; }
};

/// One column, or none, for each row, none given twice.
struct Assignment {
  std::vector<Index> column;  ///< by row; -1: none
  Index value = 0;            ///< the sum of what they are worth
  Index bound = 0;            ///< no assignment has a larger sum; `value` where this one is known to be a best one
};

/// The assignment of the largest sum: a best one, unless it takes more than `most_work` looks at an entry. Then, the
/// better of what was found so far and of an auction, in steps of 0.5 % of the first bound's share of a row. The bound
/// is that of the dual problem: with prices `p >= 0` of columns, no sum exceeds the sum of the prices and of each row's
/// largest `worth - p`. A sum that does not fit 64 bits is replaced by the largest number of 64 bits.
///
/// Shortest augmenting paths: Jonker and Volgenant, A Shortest Augmenting Path Algorithm for Dense and Sparse Linear
/// Assignment Problems, Computing 38 (1987); the auction: Bertsekas, Annals of Operations Research 14 (1988).
Assignment assign(const Worths& worths, Index most_work = std::numeric_limits<Index>::max());

}  // namespace tridap::redistribute

#pragma GCC visibility pop
