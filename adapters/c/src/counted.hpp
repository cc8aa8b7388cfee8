#pragma once

#include <tridap/c/objects.hpp>
#include <tridap/internal/arithmetic.hpp>

#include <cstddef>
#include <optional>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::c {

/// The elements of an array that this process counts, each element of the whole array once: its interior, without the
/// indices of a list that a lower process has, too.
class Counted {
 public:
  explicit Counted(const ArrayObject& array) : box_(array.array.buffer) {
    const Distribution& whole = *array.distribution;
    box_ = sub_buffer(box_, whole.part(array.process, Part::interior));
    const Indices coordinates = whole.coordinates(array.process);
    kept_.resize(static_cast<std::size_t>(whole.ndim()));
    for (Index i = 0; i < whole.ndim(); ++i) {
      const UnstructuredKind* const lists = whole.axis(i).unstructured();
      if (lists == nullptr || !lists->shares_indices()) continue;
      auto& kept = kept_[static_cast<std::size_t>(i)].emplace();
      const Index here = coordinates[static_cast<std::size_t>(i)];
      for (Index local = 0; local < lists->count(here); ++local)
        if (lists->locate(lists->global_index(here, local))->coordinate == here) kept.push_back(local);
    }
  }

  Index count() const {
    Index all = 1;
    for (std::size_t i = 0; i < kept_.size(); ++i) all *= extent(i);
    return all;
  }

  /// Calls visit(address, stride in bytes, count) for rows of elements, which are along the last axis.
  template <class Visit>
  void for_rows(Visit&& visit) const {
    for_rows(*this, [&](const std::byte* row, Index stride, const std::byte*, Index, Index count) {
      visit(row, stride, count);
    });
  }

  /// The same for this array and another one with the same elements here: visit(address, stride, address, stride,
  // count).
  template <class Visit>
  void for_rows(const Counted& other, Visit&& visit) const {
    if (count() == 0) return;
    const auto* const data = static_cast<const std::byte*>(box_.data);
    const auto* const others = static_cast<const std::byte*>(other.box_.data);
    if (kept_.empty()) return visit(data, Index{0}, others, Index{0}, Index{1});
    const std::size_t last = kept_.size() - 1;
    const Index stride = box_.strides[last], other_stride = other.box_.strides[last];
    std::vector<Index> at(kept_.size(), 0);
    while (true) {
      Index offset = 0, other_offset = 0;
      for (std::size_t i = 0; i < last; ++i) {
        offset += local(i, at[i]) * box_.strides[i];
        other_offset += local(i, at[i]) * other.box_.strides[i];
      }
      if (!kept_[last]) {
        visit(data + offset, stride, others + other_offset, other_stride, box_.shape[last]);
      } else {
        for (const Index index : *kept_[last])
          visit(data + offset + index * stride, Index{0}, others + other_offset + index * other_stride, Index{0},
                Index{1});
      }
      std::size_t axis = last;
      while (axis > 0 && ++at[axis - 1] == extent(axis - 1)) at[--axis] = 0;
      if (axis == 0) return;
    }
  }

  const Buffer& box() const { return box_; }                                            ///< the interior
  const std::vector<std::optional<std::vector<Index>>>& kept() const { return kept_; }  ///< by axis, local indices

 private:
  Index extent(std::size_t axis) const {
    return kept_[axis] ? static_cast<Index>(kept_[axis]->size()) : box_.shape[axis];
  }
  Index local(std::size_t axis, Index at) const {
    return kept_[axis] ? (*kept_[axis])[static_cast<std::size_t>(at)] : at;
  }

  Buffer box_;
  std::vector<std::optional<std::vector<Index>>> kept_;
};

/// The result of a reduction by kernels of a device, of an array that is there and, for products, of another one.
/// Throws Error if there are no kernels for it.
void reduce_on_device(redistribute::arithmetic::Reduce what, const ArrayObject& array, const ArrayObject* other,
                      const ElementType& to, void* result);

}  // namespace tridap::c

#pragma GCC visibility pop
