#include "claim_cells.hpp"
#include "palette.hpp"
#include "words.hpp"
#include <tridap/draw_claims.hpp>
#include <tridap/text.hpp>

#include <algorithm>

namespace tridap::drawing {

namespace {

/// The drawing of all axes, line by line.
class ClaimsText {
 public:
  ClaimsText(const Capture& capture, const TextStyle& style)
      : style_(style), axes_(claims_of_axes(capture)), processes_(static_cast<Index>(capture.processes.size())) {}

  std::string draw() {
    if (!style_.title.empty()) words(clean(style_.title));
    words("What each process states, " + counted(processes_, "process", "processes"));
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      line("");
      words(axis_title(axes_[i], i));
      axis(axes_[i]);
    }
    if (axes_.empty()) line("  (no axes)");
    line("");
    legend();
    return std::move(out_);
  }

 private:
  static constexpr Index margin = 2;

  void line(std::string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    out_ += text + "\n";
  }
  void words(const std::string& text) {
    for (const std::string& part : wrapped(text, style_.columns)) line(part);
  }

  // The lines of one axis: each axis has an equal part of them.
  std::size_t most_lines() const {
    const auto axes = static_cast<Index>(axes_.size());
    return static_cast<std::size_t>(std::max<Index>((style_.lines - 6) / axes - 6, 6));
  }

  void axis(const AxisClaims& claims) {
    const std::vector<std::size_t> listed = listed_claims(claims, most_lines());
    Index label = 8, longest = 0;
    for (const std::size_t i : listed) {
      label = std::max(label, std::min<Index>(characters(ranks_text(claims.claims[i].processes, 2)), 24));
      longest = std::max(longest, characters(claims.claims[i].words));
    }
    const Index beside = std::min<Index>(longest, 34);  // the words of a group stand beside its cells, or below them
    const Index room = std::max<Index>(style_.columns - margin - label - 2 - 2 - beside, 16);
    const ClaimCells cells = cells_of(claims, room);
    const Index width = cells.count > 0 && cells.step == 1 ? std::clamp<Index>(room / cells.count, 1, 3) : 1;
    const std::string indent(static_cast<std::size_t>(margin), ' ');
    if (cells.count > 0)
      line(indent + std::string(static_cast<std::size_t>(label + 2), ' ') +
           ticks(claims, cells, width, style_.columns - margin - label - 2));
    for (const std::size_t i : listed) group(claims.claims[i], label, strip(claims.claims[i], cells, width));
    if (listed.size() < claims.claims.size())
      line(indent + "and " + std::to_string(claims.claims.size() - listed.size()) + " other groups of processes");
    if (claims.marks.empty()) {
      line(indent + "no gap, no overlap");
      return;
    }
    line(indent + left("", label) + "  " + marks(claims, cells, width));
    for (const std::string& text : mark_lines(claims, most_lines()))
      for (const std::string& part : wrapped(text, style_.columns - margin)) line(indent + part);
    if (cells.step > 1) line(indent + "a cell is up to " + std::to_string(cells.step) + " elements");
  }

  // The ranks of a group, its cells, and its words. Ranks and words that are too long have lines of their own.
  void group(const AxisClaim& claim, Index label, const std::string& cells) {
    const std::string indent(margin, ' '), below(static_cast<std::size_t>(margin + label + 2), ' ');
    std::string ranks = ranks_text(claim.processes, 2);
    if (characters(ranks) > label) {
      for (const std::string& part : wrapped(ranks, style_.columns - margin)) line(indent + part);
      ranks.clear();
    }
    const std::string text = indent + left(ranks, label) + "  " + cells + "  " + claim.words;
    if (characters(text) <= style_.columns) return line(text);
    line(indent + left(ranks, label) + "  " + cells);
    for (const std::string& part : wrapped(claim.words, style_.columns - characters(below))) line(below + part);
  }

  // The index of every so many cells.
  static std::string ticks(const AxisClaims& claims, const ClaimCells& cells, Index width, Index room) {
    Index longest = 1;
    for (const Index cell : {Index{0}, cells.count - 1})
      longest = std::max(longest, characters(std::to_string(claims.index(cells[cell].begin))));
    const Index every = round_up((longest + 1 + width - 1) / width);
    std::string text;
    for (Index i = 0; i < cells.count; i += every) {
      const std::string index = std::to_string(claims.index(cells[i].begin));
      if (i * width + characters(index) <= room) text = left(text, i * width) + index;
    }
    return text;
  }

  std::string strip(const AxisClaim& claim, const ClaimCells& cells, Index width) {
    std::string text, last;
    for (Index i = 0; i < cells.count; ++i) {
      const ClaimLook look = look_of(claim, cells[i]);
      part_seen_ = part_seen_ || look == ClaimLook::part;
      padding_seen_ = padding_seen_ || look == ClaimLook::padding;
      const bool owned = look == ClaimLook::owned || look == ClaimLook::part;
      const std::string escape =
          style_.colour && owned ? terminal_background(std::max<Index>(claim.processes.front(), 0)) : "";
      if (escape != last) text += escape.empty() ? terminal_end : escape;
      last = escape;
      text += std::string(static_cast<std::size_t>(width), ".o+#"[static_cast<std::size_t>(look)]);
    }
    return text + (last.empty() ? "" : terminal_end);
  }

  std::string marks(const AxisClaims& claims, const ClaimCells& cells, Index width) {
    std::string text;
    for (Index i = 0; i < cells.count; ++i) {
      const MarkLook look = mark_of(claims, cells[i]);
      gap_seen_ = gap_seen_ || look == MarkLook::gap;
      overlap_seen_ = overlap_seen_ || look == MarkLook::overlap;
      text += std::string(static_cast<std::size_t>(width), " ?!"[static_cast<std::size_t>(look)]);
    }
    return text;
  }

  void legend() {
    std::string text = "# owned";
    if (part_seen_) text += ", + some owned";
    if (padding_seen_) text += ", o communication padding";
    if (overlap_seen_) text += ", ! owned several times";
    if (gap_seen_) text += ", ? owned by no process";
    words(text);
  }

  const TextStyle& style_;
  std::vector<AxisClaims> axes_;
  Index processes_;
  std::string out_;
  bool part_seen_ = false, padding_seen_ = false, gap_seen_ = false, overlap_seen_ = false;
};

}  // namespace

}  // namespace tridap::drawing

namespace tridap {

std::string draw_claims(const Capture& capture, const TextStyle& style) {
  return drawing::ClaimsText(capture, style).draw();
}

}  // namespace tridap
