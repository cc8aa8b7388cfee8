#pragma once

#include <tridap/infer/infer_dim_data.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::infer {

/// How ids number the elements of an array: id = base + the sum of weight[k] * index[k] over all axes k.
struct Numbering {
  std::vector<Index> low, high;  ///< by axis: indices are in [low, high)
  std::vector<Index> weight;
  Index base = 0;
  std::optional<std::vector<Index>> shape;

  std::size_t ndim() const { return weight.size(); }
};

/// The numbering for a valid `how`. If no shape is given, an index may have any value whose sums do not overflow.
Numbering numbering_of(const InferenceHints& how);

/// "of shape (4, 5)"
std::string of_shape(const Numbering& numbering);

/// The indices that one process holds along one axis, in ascending direction. They are blocks: `first`, ...,
/// `first + block - 1`, then the same indices plus `stride`, and so on, `count` in all. Otherwise they are a list.
struct Share {
  Index count = 0, first = 0;
  Index block = 0;     ///< `count`: one run; 0 although `count` > 0: a list
  Index stride = 0;    ///< 0: one run
  Index hash = 0;      ///< of a list
  Index reversed = 0;  ///< 1: in memory, the indices are in reverse order

  bool listed() const { return count > 0 && block == 0; }
  bool one_run() const { return block == count; }
  /// All indices, in order; the share must not be a list.
  std::vector<Index> indices() const;
};

/// The ids of one process, as a product of shares.
struct Walked {
  Index count = 0;
  std::vector<Share> shares;              ///< by axis
  std::vector<std::vector<Index>> lists;  ///< by axis: the indices of a share that is a list
  std::vector<Index> axes;                ///< from outermost to innermost in memory
};

/// Reads the ids of one process once. If they are not a product, throws Error that names the id and its local index.
Walked walk(const GlobalIds& ids, const Numbering& numbering);

}  // namespace tridap::infer

#pragma GCC visibility pop
