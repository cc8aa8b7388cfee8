#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/internal/plan_data.hpp>
#include <tridap/report.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// Checks the arrays of one move on this process against the plan. `convert`: their element types may differ. A side of
/// which this process holds no part is not checked.
Report check_move(const PlanData& parts, const DistArray& source, const DistArray& target, bool convert);

/// check_move() for the source only.
Report check_source(const PlanData& parts, const DistArray& source);

/// The result of a successful check of an array. An array with the same layout in memory need not be checked again: a
/// move compares it with this, which allocates nothing.
class KnownArray {
 public:
  explicit KnownArray(const DistArray& array);

  /// Whether all that was found holds for this array too. Listed indices must be the same memory, which we keep.
  bool is(const DistArray& array) const;

  Index dense_order() const { return dense_order_; }  ///< 0: dense and row-major; 1: column-major; -1: neither
  std::optional<Index> stream_order() const { return stream_order_; }  ///< as order_number() says it
  /// Whether its elements, wherever they are, stand among those of another array.
  bool meets(const DistArray& ours, const KnownArray& other, const DistArray& theirs) const;

 private:
  DistArray array_;  // its address and owner are forgotten
  bool has_data_ = false, dense_ = false;
  Index dense_order_ = -1;
  std::optional<Index> stream_order_;
};

/// The last few of them.
class KnownArrays {
 public:
  const KnownArray* find(const DistArray& array) const;  ///< null: none is alike
  void add(const DistArray& array);

 private:
  std::array<std::unique_ptr<KnownArray>, 8> all_;
  std::size_t next_ = 0;
};

}  // namespace tridap::redistribute

#pragma GCC visibility pop
