#pragma once

#include "array.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/flat_numbers.hpp>
#include <tridap/solvers/matrix.hpp>

#include <string>
#include <vector>

namespace tridap::python {

/// Converts flat numbers of elements from an array's own numbering to that of its Distribution. They differ because an
/// array of 0.9 leaves out the mirrors of a periodic axis. Both are row-major.
class OwnNumbers {
 public:
  OwnNumbers(const Array& array, const FlatNumbers& numbers) : shift_(array.shift()), all_(numbers.count()) {
    Index outside = all_;
    for (std::size_t i = 0; i < shift_.size(); ++i) {
      const Index weight = numbers.weight(static_cast<Index>(i));
      const Index extent = weight == 0 ? 0 : outside / weight;  // of an unstructured axis: the span of its indices
      extents_.push_back(array.distribution()->axis(static_cast<Index>(i)).dist_type() == 'u'
                             ? extent
                             : array.array().dim_data[i].size);
      weights_.push_back(weight);
      count_ *= extents_.back();
      outside = weight;
    }
  }
  bool are_the_same() const { return count_ == all_; }
  Index count() const { return count_; }  ///< of the array's elements, and so of rows and columns

  /// Returns `csr` with the columns and the shape of the Distribution; `columns` holds the new columns. Throws Error if
  /// a number belongs to no element.
  solvers::Csr renumbered(solvers::Csr csr, std::vector<Index>& columns) const {
    for (Index k = 0; k < csr.columns.count; ++k) columns.push_back(number(csr.columns[k]));
    csr.columns = {columns.data(), sizeof(Index), csr.columns.count};
    if (!csr.shape) return csr;
    if ((*csr.shape)[1] != count_)
      refuse("the matrix has " + std::to_string((*csr.shape)[1]) + " columns",
             "must have " + std::to_string(count_) + ", as many as the whole array has elements",
             "columns are global: a column is the row-major number of an element in the whole array");
    (*csr.shape)[1] = all_;
    return csr;
  }

 private:
  Index number(Index own) const {
    if (own < 0 || own >= count_)
      refuse(
          "a row has column " + std::to_string(own),
          "must be the number of an element that some process has, at least 0 and less than " + std::to_string(count_),
          "columns are global: a column is the row-major number of an element in the whole array");
    Index number = 0;
    for (std::size_t i = shift_.size(); i-- > 0; own /= extents_[i])
      number += (own % extents_[i] + shift_[i]) * weights_[i];
    return number;
  }

  Indices shift_;
  std::vector<Index> extents_, weights_;  // the array's own extents, and the weights of the Distribution's numbers
  Index count_ = 1, all_;
};

}  // namespace tridap::python
