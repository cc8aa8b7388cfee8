#include "claim_cells.hpp"

#include "words.hpp"

#include <algorithm>

namespace tridap::drawing {

ClaimCells cells_of(const AxisClaims& axis, Index most) {
  const Index count = axis.shown.size();
  ClaimCells cells;
  cells.first = axis.shown.begin;
  cells.end = axis.shown.end;
  if (count == 0) return cells;
  cells.step = count / most + (count % most != 0 ? 1 : 0);
  cells.count = count / cells.step + (count % cells.step != 0 ? 1 : 0);
  return cells;
}

ClaimLook look_of(const AxisClaim& claim, Range cell) {
  const Coverage owned = coverage(claim.owned, cell);
  if (owned != Coverage::none) return owned == Coverage::all ? ClaimLook::owned : ClaimLook::part;
  return coverage(claim.padding, cell) == Coverage::none ? ClaimLook::nothing : ClaimLook::padding;
}

MarkLook mark_of(const AxisClaims& axis, Range cell) {
  auto at = std::upper_bound(axis.marks.begin(), axis.marks.end(), cell.begin,
                             [](Index position, const ClaimMark& mark) { return position < mark.range.end; });
  MarkLook found = MarkLook::nothing;
  for (; at != axis.marks.end() && at->range.begin < cell.end; ++at) {
    if (!at->is_gap) return MarkLook::overlap;
    found = MarkLook::gap;
  }
  return found;
}

std::vector<std::size_t> listed_claims(const AxisClaims& axis, std::size_t most) {
  const std::size_t count = axis.claims.size();
  std::vector<std::size_t> listed;
  const auto is_marked = [&](const AxisClaim& claim) {
    if (!claim.known) return true;
    return std::any_of(axis.marks.begin(), axis.marks.end(), [&](const ClaimMark& mark) {  // it owns some, or is beside
      return coverage(claim.owned, {mark.range.begin - 1, mark.range.end + 1}) != Coverage::none;
    });
  };
  for (const bool marked : {true, false})
    for (std::size_t i = 0; i < count && listed.size() < most; ++i)
      if (count <= most ? marked : is_marked(axis.claims[i]) == marked) listed.push_back(i);
  std::sort(listed.begin(), listed.end());
  return listed;
}

std::vector<std::string> mark_lines(const AxisClaims& axis, std::size_t most) {
  std::vector<std::string> lines;
  for (const ClaimMark& mark : axis.marks) {
    if (lines.size() == most) break;
    const std::string where = range_text(axis, mark.range);
    const std::string ranks = mark.processes.empty() ? "no process" : ranks_text(mark.processes);
    if (mark.is_gap)
      lines.push_back("gap " + where + ": " + (mark.processes.empty() ? "" : "not on ") + ranks);
    else
      lines.push_back("overlap " + where + ": " + ranks);
  }
  const std::size_t more = axis.marks.size() - lines.size();
  if (more > 0 || axis.more_marks)
    lines.push_back("and " + std::string(axis.more_marks ? "more than " : "") + std::to_string(more) + " others");
  return lines;
}

std::string axis_title(const AxisClaims& axis, std::size_t number) {
  std::string text = "Axis " + std::to_string(number) + ": " + size_text(axis);
  if (!axis.indices.empty()) text += ", " + counted(axis.shown.size(), "different index", "different indices");
  if (!axis.complete) text += ", drawn up to index " + std::to_string(axis.shown.end);
  return text;
}

}  // namespace tridap::drawing
