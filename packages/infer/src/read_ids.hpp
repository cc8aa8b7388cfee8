#pragma once

#include <tridap/infer/infer_dim_data.hpp>

#include <string>
#include <vector>

namespace tridap::infer {

/// How ids number the elements of an array: id = base + the sum of weight * index over the axes.
struct Numbering {
  std::vector<Index> low, high;  ///< by axis: indices are in [low, high)
  std::vector<Index> weight;
  Index base = 0;
  std::optional<std::vector<Index>> shape;

  std::size_t ndim() const { return weight.size(); }
};

/// The numbering of a valid `how`. Without a shape, indices may be anything that leaves room for sums.
Numbering numbering_of(const InferenceHints& how);

/// "of shape (4, 5)"
std::string of_shape(const Numbering& numbering);

/// The indices that one process holds along one axis, read from the end where the index is smaller: `first`, ...,
/// `first + block - 1`, then the same `stride` further on, until there are `count`; or any, listed.
struct Share {
  Index count = 0, first = 0;
  Index block = 0;     ///< `count`: one run; 0 where there is something: listed
  Index stride = 0;    ///< 0: one run
  Index hash = 0;      ///< of a list
  Index reversed = 0;  ///< 1: memory runs against the indices

  bool listed() const { return count > 0 && block == 0; }
  bool one_run() const { return block == count; }
  /// The same indices in the same order, whichever way memory runs.
  bool same_indices(const Share& other) const;
  /// The indices; not of a list.
  std::vector<Index> indices() const;
};

/// One process's ids as a product of shares.
struct Walked {
  Index count = 0;
  std::vector<Share> shares;              ///< by axis
  std::vector<std::vector<Index>> lists;  ///< by axis: of listed shares
  std::vector<Index> axes;                ///< outermost first, as memory has them
};

/// Reads one process's ids once; throws Error, naming the id and its local index, where they are no product.
Walked walk(const GlobalIds& ids, const Numbering& numbering);

}  // namespace tridap::infer
