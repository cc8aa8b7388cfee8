#include "view.hpp"

#include <tridap/detail/refuse.hpp>

#include <algorithm>

namespace tridap::drawing {

View::View(const Distribution& distribution, const Section& section)
    : distribution_(distribution),
      fixed_(static_cast<std::size_t>(distribution.ndim())),
      home_(static_cast<std::size_t>(distribution.ndim())) {
  if (section.empty())
    choose();
  else
    take(section);
}

void View::choose() {
  const Index ndim = distribution_.ndim();
  chosen_ = ndim > 2;
  for (Index i = 0; i < ndim; ++i) {
    if (i >= ndim - 2) {
      shown_.push_back(i);
    } else if (const auto extremes = distribution_.axis(i).extremes()) {
      fix(i, extremes->front());
    } else {
      nowhere_ = true;
    }
  }
}

void View::take(const Section& section) {
  const Index ndim = distribution_.ndim(), given = static_cast<Index>(section.size());
  if (given != ndim)
    refuse("the slice names " + std::to_string(given) + " axes, but the array has " + std::to_string(ndim), "",
           "give a colon or an index for each axis", {});
  for (Index i = 0; i < ndim; ++i) {
    const std::optional<Index>& global = section[static_cast<std::size_t>(i)];
    if (!global)
      shown_.push_back(i);
    else if (!distribution_.axis(i).owner(*global))
      refuse("the slice is fixed at " + std::to_string(*global) + ", which no process holds", "",
             "give a global index of this axis", i);
    else
      fix(i, *global);
  }
  if (shown_.size() > 2)
    refuse("the slice shows " + std::to_string(shown_.size()) + " axes, but at most two can be drawn", "",
           "fix the other axes at an index", {});
}

void View::fix(Index axis, Index global) {
  const std::vector<Index> owners = distribution_.axis(axis).owners(global);
  fixed_[static_cast<std::size_t>(axis)] = global;
  home_[static_cast<std::size_t>(axis)] = owners.front();
  shared_ = shared_ || owners.size() > 1;
}

std::string View::slice_text() const {
  std::string text;
  for (Index i = 0; i < distribution_.ndim(); ++i) {
    const bool is_shown = std::find(shown_.begin(), shown_.end(), i) != shown_.end();
    const bool known = !nowhere_ || distribution_.axis(i).extremes();
    text += text.empty() ? "[" : ", ";
    text += is_shown ? ":" : known ? std::to_string(fixed_[static_cast<std::size_t>(i)]) : "-";
  }
  return text + "]";
}

Index View::processes() const {
  Index product = 1;  // fits, since the number of all processes fits
  for (Index i : shown_) product *= distribution_.axis(i).proc_grid_size();
  return product;
}

Index View::process(const Indices& shown_coordinates) const {
  Indices at = home_;
  for (std::size_t i = 0; i < shown_.size(); ++i) at[static_cast<std::size_t>(shown_[i])] = shown_coordinates[i];
  return distribution_.process(at);
}

Index View::nth_process(Index n) const {
  Indices at(shown_.size());
  for (std::size_t i = shown_.size(); i-- > 0;) {
    const Index grid = distribution_.axis(shown_[i]).proc_grid_size();
    at[i] = n % grid;
    n /= grid;
  }
  return process(at);
}

}  // namespace tridap::drawing
