#include "words.hpp"

#include <tridap/compare.hpp>
#include <tridap/value.hpp>

#include <algorithm>

namespace tridap::drawing {

std::string array_words(const Distribution& distribution, const std::string& by) {
  if (distribution.ndim() == 0) return "array without axes: one element on one process";
  std::string kinds;
  for (Index i = 0; i < distribution.ndim(); ++i) kinds += (i > 0 ? by : "") + describe(distribution.axis(i));
  if (distribution.ndim() == 1)
    return counted(distribution.axis(0).size(), "element", "elements") + ", " + kinds + " over " +
           counted(distribution.processes(), "process", "processes");
  return joined(distribution.shape(), by) + " array, " + kinds + " over a grid of " +
         joined(distribution.proc_grid_shape(), by) + " processes";
}

std::string slice_words(const View& view) {
  if (view.ndim() == view.distribution().ndim()) return "";
  std::string text = "Slice " + view.slice_text();
  if (view.ndim() == 2)
    text += ": axis " + std::to_string(view.axis_number(0)) + " runs down, axis " +
            std::to_string(view.axis_number(1)) + " across";
  if (view.chosen()) text += ", the others are fixed at their first index";
  return text;
}

std::string coordinates_text(const Distribution& distribution, Index process) {
  return distribution.ndim() == 0 ? "" : " (" + joined(distribution.coordinates(process), ", ") + ")";
}

std::string owned_text(const Distribution& distribution, Index process, const std::string& by) {
  std::vector<Index> extents;
  for (const Range& range : distribution.part(process, Part::owned)) extents.push_back(range.size());
  const std::optional<Index> count = checked_product(extents);
  return count ? std::to_string(*count) : joined(extents, by);
}

std::string padding_text(const Distribution& distribution, Index process) {
  const std::vector<Range> local = distribution.part(process, Part::local),
                           owned = distribution.part(process, Part::owned);
  std::vector<Index> held, mine;
  for (std::size_t i = 0; i < local.size(); ++i) {
    held.push_back(local[i].size());
    mine.push_back(owned[i].size());
  }
  if (held == mine) return "";
  const std::optional<Index> all = checked_product(held), of_them = checked_product(mine);
  if (!all) return "some";
  return *all == *of_them ? "" : std::to_string(*all - *of_them);
}

std::string left(const std::string& text, Index width) {
  return text + std::string(static_cast<std::size_t>(std::max<Index>(width - characters(text), 0)), ' ');
}

std::string right(const std::string& text, Index width) {
  return std::string(static_cast<std::size_t>(std::max<Index>(width - characters(text), 0)), ' ') + text;
}

std::string json_text(const std::string& text) { return Value{text}.json(); }

Index round_up(Index least) {
  Index round = 1;
  for (Index digit = 1; round < least; digit = digit == 5 ? 1 : digit == 2 ? 5 : 2)
    round = digit == 2 ? round / 2 * 5 : 2 * round;
  return round;
}

}  // namespace tridap::drawing
