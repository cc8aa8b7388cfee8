#pragma once

#include <tridap/draw.hpp>

#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::drawing {

/// The axes that are drawn, at most two, and the indices at which the others are fixed.
class View {
 public:
  View(const Distribution& distribution, const Section& section);  ///< throws Error if the slice does not fit

  const Distribution& distribution() const { return distribution_; }
  Index ndim() const { return static_cast<Index>(shown_.size()); }
  Index axis_number(Index i) const { return shown_[static_cast<std::size_t>(i)]; }
  const Axis& axis(Index i) const { return distribution_.axis(axis_number(i)); }

  bool chosen() const { return chosen_; }    ///< the slice was chosen by default
  bool nowhere() const { return nowhere_; }  ///< a fixed axis has no element
  bool shared() const { return shared_; }    ///< several coordinates hold a fixed index
  std::string slice_text() const;            ///< such as "[0, :, :]"

  /// The processes that own the slice, as the grid of the shown axes. If a fixed index is shared, its lowest owners.
  Index processes() const;
  Index process(const Indices& shown_coordinates) const;
  Index nth_process(Index n) const;  ///< of the slice, row-major

 private:
  void choose();
  void take(const Section& section);
  void fix(Index axis, Index global);

  Distribution distribution_;
  std::vector<Index> shown_;
  Indices fixed_;  // global indices, by axis; not used if shown
  Indices home_;   // coordinates, by axis; 0 if shown
  bool chosen_ = false, nowhere_ = false, shared_ = false;
};

}  // namespace tridap::drawing

#pragma GCC visibility pop
