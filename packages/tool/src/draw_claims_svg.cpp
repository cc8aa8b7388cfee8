#include "claim_cells.hpp"
#include "palette.hpp"
#include "svg_paper.hpp"
#include "words.hpp"
#include <tridap/draw_claims.hpp>

#include <algorithm>

namespace tridap::drawing {

namespace {

constexpr Index strip_pixels = 640, most_cells = 160, row_height = 22, bar_height = 18;
constexpr const char* alarm_colour = "#c00068";  // gaps and overlaps

std::string rectangle(const std::string& look, Index x, Index y, Index width, Index height, const std::string& paint,
                      const std::string& tip) {
  return "<rect class=\"" + look + "\"" + box(x, y, width, height) + paint + "><title>" + escaped(tip) +
         "</title></rect>\n";
}

/// The picture of all axes, one below the other.
class ClaimsSvg {
 public:
  ClaimsSvg(const Capture& capture, const SvgStyle& style)
      : style_(style), axes_(claims_of_axes(capture)), processes_(static_cast<Index>(capture.processes.size())) {}

  std::string heading() const { return "What each process states, " + counted(processes_, "process", "processes"); }

  Figure draw() {
    Figure page = heading_of(style_.title, heading(), strip_pixels);
    page.width = 440;
    const auto below = [&](const Figure& part, Index space) { page.put(part, 0, page.height + space); };
    for (std::size_t i = 0; i < axes_.size(); ++i) below(axis(axes_[i], i), 24);
    if (axes_.empty()) below(paragraph("no axes", "muted start", 11, strip_pixels), 8);
    below(legend(), 22);
    return page;
  }

 private:
  struct Frame {
    ClaimCells cells;
    Index left = 0, top = 0, width = 0;  // of the first cell; of a cell

    Index x(Index cell) const { return left + cell * width; }
  };

  Figure axis(const AxisClaims& claims, std::size_t number) {
    const auto listed = listed_claims(claims, static_cast<std::size_t>(std::max<Index>(style_.processes, 4)));
    Index label = 0;
    for (const std::size_t i : listed)
      label = std::max(label, text_width(ranks_text(claims.claims[i].processes, 2), 11));
    Frame frame{cells_of(claims, most_cells), label + 14, 46, 0};
    frame.width = std::clamp<Index>(strip_pixels / std::max<Index>(frame.cells.count, 1), 4, 28);
    Figure block;
    block.put(text_at(0, 13, "heading start", axis_title(claims, number)), text_width(axis_title(claims, number), 14),
              20);
    Index y = frame.top;
    const Index bottom = frame.top + static_cast<Index>(listed.size()) * row_height;
    ticks(block, claims, frame);
    highlight(block, claims, frame, bottom);
    for (const std::size_t i : listed) {
      row(block, claims.claims[i], frame, y);
      y += row_height;
    }
    if (!claims.marks.empty()) y = mark_row(block, claims, frame, y);
    std::vector<std::string> lines = mark_lines(claims, 12);
    if (lines.empty()) lines.emplace_back("no gap, no overlap");
    if (listed.size() < claims.claims.size())
      lines.push_back(std::to_string(claims.claims.size() - listed.size()) +
                      " other groups of processes are not drawn");
    if (frame.cells.step > 1) lines.push_back("a cell is up to " + std::to_string(frame.cells.step) + " elements");
    for (const std::string& line : lines) {
      block.put(text_at(0, y + 14, "start", line), text_width(line, 11), y + 18);
      y += 18;
    }
    return block;
  }

  static void ticks(Figure& block, const AxisClaims& claims, const Frame& frame) {
    Index longest = 0;
    for (const Index cell : {Index{0}, frame.cells.count - 1})
      if (cell >= 0 && cell < frame.cells.count)
        longest = std::max(longest, text_width(std::to_string(claims.index(frame.cells[cell].begin)), 10));
    const Index every = round_up((longest + 6 + frame.width - 1) / frame.width);
    for (Index i = 0; i < frame.cells.count; i += every)
      block.put(text_at(frame.x(i) + frame.width / 2, frame.top - 8, "index middle",
                        std::to_string(claims.index(frame.cells[i].begin))),
                0, 0);
  }

  // Calls `draw(first, last, look)` for each run of cells that look the same, and are not of look 0.
  template <class LookAt, class Draw>
  static void for_each_run(const ClaimCells& cells, LookAt look_at, Draw draw) {
    for (Index first = 0; first < cells.count;) {
      const auto look = look_at(cells[first]);
      Index end = first + 1;
      while (end < cells.count && look_at(cells[end]) == look) ++end;
      if (static_cast<int>(look) != 0) draw(first, end, look);
      first = end;
    }
  }

  void row(Figure& block, const AxisClaim& claim, const Frame& frame, Index y) {
    const std::string ranks = ranks_text(claim.processes, 2), tip = ranks_text(claim.processes) + ": " + claim.words;
    const std::string listed = "\" data-processes=\"" + joined(claim.processes, ",");
    const std::string colour = hex(process_colour(std::max<Index>(claim.processes.front(), 0)));
    block.put(text_at(0, y + 13, "start", ranks), 0, 0);
    for_each_run(
        frame.cells, [&](Range cell) { return look_of(claim, cell); },
        [&](Index first, Index end, ClaimLook look) {
          const Index x = frame.x(first), width = (end - first) * frame.width - 1;
          const bool padding = look == ClaimLook::padding;
          padding_seen_ = padding_seen_ || padding;
          part_seen_ = part_seen_ || look == ClaimLook::part;
          std::string paint = " fill=\"" + colour + "\"" + (look == ClaimLook::part ? " fill-opacity=\"0.5\"" : "");
          block.put(rectangle((padding ? "claim padding" : "claim") + listed, x, y, width, bar_height, paint, tip),
                    x + width, y + bar_height);
          if (padding)
            block.put(
                "<rect class=\"hatch\"" + box(x, y, width, bar_height) + " fill=\"url(#tridap-communication)\"/>\n", 0,
                0);
        });
    const Index right = frame.x(frame.cells.count) + 12;
    block.put(text_at(right, y + 13, claim.known ? "muted start" : "strong start", claim.words),
              right + text_width(claim.words, 11), y + row_height);
  }

  // A line down all rows at each gap and overlap.
  static void highlight(Figure& block, const AxisClaims& claims, const Frame& frame, Index bottom) {
    for_each_run(
        frame.cells, [&](Range cell) { return mark_of(claims, cell); },
        [&](Index first, Index end, MarkLook) {
          block.put(
              "<rect class=\"highlight\"" +
                  box(frame.x(first) - 1, frame.top - 3, (end - first) * frame.width + 1, bottom - frame.top + 3) +
                  " fill=\"" + alarm_colour + "\" fill-opacity=\"0.22\"/>\n",
              0, 0);
        });
  }

  Index mark_row(Figure& block, const AxisClaims& claims, const Frame& frame, Index y) {
    for_each_run(
        frame.cells, [&](Range cell) { return mark_of(claims, cell); },
        [&](Index first, Index end, MarkLook look) {
          const bool gap = look == MarkLook::gap;
          (gap ? gap_seen_ : overlap_seen_) = true;
          block.put(mark_at(frame.x(first), y, (end - first) * frame.width - 1, gap), frame.x(end), y + bar_height);
        });
    return y + row_height;
  }

  static std::string mark_at(Index x, Index y, Index width, bool gap) {
    const std::string paint =
        gap ? std::string(" fill=\"none\" stroke-dasharray=\"3 2\" stroke-width=\"2\" stroke=\"") + alarm_colour + "\""
            : std::string(" fill=\"") + alarm_colour + "\"";
    return rectangle(gap ? "gap" : "overlap", x, y + 2, std::max<Index>(width, 3), bar_height - 4, paint,
                     gap ? "gap: no process owns it" : "overlap: several processes own it");
  }

  Figure legend() const {
    Figure block;
    const auto entry = [&](const std::string& swatch, const std::string& meaning) {
      const Index y = block.height;
      block.put(swatch, 0, 0);
      block.put(text_at(30, y + 13, "muted start", meaning), 30 + text_width(meaning, 11), y + row_height);
    };
    const auto bar = [&](const std::string& paint) { return "<rect" + box(0, block.height, 22, 16) + paint + "/>\n"; };
    const std::string first = " fill=\"" + hex(process_colour(0)) + "\"";
    entry(bar(first), "owned, in the colour of the group's first process");
    if (part_seen_) entry(bar(first + " fill-opacity=\"0.5\""), "some elements of the cell are owned");
    if (padding_seen_) entry(bar(first) + bar(" fill=\"url(#tridap-communication)\""), "communication padding");
    if (overlap_seen_) entry(mark_at(0, block.height - 1, 22, false), "overlap: several processes own it");
    if (gap_seen_) entry(mark_at(0, block.height - 1, 22, true), "gap: no process owns it");
    return block;
  }

  const SvgStyle& style_;
  std::vector<AxisClaims> axes_;
  Index processes_;
  bool part_seen_ = false, padding_seen_ = false, gap_seen_ = false, overlap_seen_ = false;
};

}  // namespace

}  // namespace tridap::drawing

namespace tridap {

std::string draw_claims_svg(const Capture& capture, const SvgStyle& style) {
  drawing::ClaimsSvg drawn(capture, style);
  const drawing::Figure page = drawn.draw();
  return drawing::document(page, style.title.empty() ? drawn.heading() : style.title);
}

}  // namespace tridap
