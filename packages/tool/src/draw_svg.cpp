#include "palette.hpp"
#include "svg_panels.hpp"
#include "svg_paper.hpp"
#include "words.hpp"

#include <algorithm>

namespace tridap::drawing {

namespace {

const std::string times = " \xC3\x97 ";
constexpr Index in_a_line = 40;  // cells of one axis in a line

/// One drawing: the global array, the local buffers, the legend, and above them a title of the same width.
class SvgDrawing {
 public:
  SvgDrawing(const Distribution& distribution, const SvgStyle& style, const Room& room)
      : distribution_(distribution),
        style_(style),
        room_(room),
        view_(distribution, style.section),
        panels_(view_, style.processes, room) {
    const Index most = std::max<Index>(style.cells, 1);
    for (Index i = 0; i < view_.ndim(); ++i) {
      bool empty = view_.nowhere();
      for (Index j = 0; j < view_.ndim(); ++j) empty = empty || !view_.axis(j).extremes();
      const Index bands = view_.ndim() == 1 ? std::min(8 * in_a_line, 8 * most) : most;
      global_.push_back(empty ? Bands{} : global_bands(view_.axis(i), bands));
      if (view_.ndim() == 1) prefer_sole(view_.axis(i), most, global_.back());
      shared_ = shared_ || view_.axis(i).shares_indices();
    }
    shared_ = shared_ || view_.shared();
    measure();
  }

  /// The picture without a margin. The object draws once.
  Figure draw() {
    const Figure global = global_array(), local = local_buffers();
    const Index width = std::max<Index>({global.width, local.width, 440});
    Figure page = heading_of(style_.title, array_words(distribution_, times), width);
    page.width = width;
    const auto below = [&](const Figure& part, Index space) { page.put(part, 0, page.height + space); };
    if (view_.ndim() < distribution_.ndim()) below(paragraph(slice_words(view_), "muted start", 11, width), 2);
    below(global, 20);
    below(local, 26);
    below(legend(width), 26);
    return page;
  }

  std::string title() const { return style_.title.empty() ? array_words(distribution_, times) : style_.title; }

 private:
  const Bands& rows() const { return view_.ndim() == 2 ? global_[0] : one_; }
  const Bands& columns() const { return view_.ndim() == 0 ? one_ : global_.back(); }
  Index lines() const {  // of one axis
    return view_.ndim() == 1 ? std::max<Index>((columns().size() + per_line_ - 1) / per_line_, 1) : rows().size();
  }

  /// More lines for one axis than usual, if then each owner can have a cell.
  static void prefer_sole(const Axis& axis, Index most, Bands& bands) {
    const auto sole = [](const Bands& some) {
      return std::all_of(some.list.begin(), some.list.end(),
                         [](const Band& band) { return band.ownership == Ownership::sole; });
    };
    if (sole(bands)) return;
    Bands more = global_bands(axis, std::min(25 * in_a_line, 25 * most));
    if (sole(more)) bands = std::move(more);
  }

  void measure() {
    const Index rank = static_cast<Index>(std::to_string(view_.nth_process(view_.processes() - 1)).size());
    const Index letters = rank + (shared_ ? 1 : 0);
    per_line_ =
        view_.ndim() == 1 && columns().size() > most_in_a_line() ? in_a_line : std::max<Index>(columns().size(), 1);
    cells_ = metrics_for(per_line_, lines(), letters, room_);
    local_cells_ = metrics_for(panels_.across(), panels_.down(), panels_.letters(), room_);
    if (!cells_.lettered || !local_cells_.lettered || per_line_ * local_cells_.width > room_.pixels) return;
    cells_.width = local_cells_.width = std::max(cells_.width, local_cells_.width);
  }
  Index most_in_a_line() const { return panels_.aligned() ? 48 : in_a_line; }

  bool nothing_shown() const {
    return view_.nowhere() || (view_.ndim() > 0 && (rows().size() == 0 || columns().size() == 0));
  }

  std::string steps_text() const {
    std::vector<Index> steps;
    for (const Bands& bands : global_) steps.push_back(bands.step);
    if (std::all_of(steps.begin(), steps.end(), [](Index step) { return step == 1; })) return "";
    return "each cell represents up to " + joined(steps, times) + " elements";
  }

  Figure section(const std::string& heading, const std::string& note) const {
    Figure block;
    block.put(text_at(0, 13, "heading start", heading), text_width(heading, 14), 20);
    if (!note.empty()) block.put(text_at(0, 31, "muted start", note), text_width(note, 11), 38);
    return block;
  }

  Figure global_array() {
    std::string note = view_.ndim() > 0 && !nothing_shown() ? "global indices at the margins" : "";
    if (cells_.lettered && !nothing_shown())
      note += std::string(note.empty() ? "" : ", ") + "process ranks in the cells";
    const std::string steps = steps_text();
    if (!steps.empty()) note += (note.empty() ? "" : "; ") + steps;
    if (merged()) note += std::string(note.empty() ? "" : "; ") + "a rectangle is one or more cells";
    Figure block = section("Global array", note);
    const bool header = view_.ndim() == 2 || (view_.ndim() == 1 && lines() == 1);
    const Index top = block.height + (header ? 18 : 6);
    left_ = view_.ndim() == 0 ? 0 : margin();
    block.svg += "<g class=\"global\">\n";
    if (nothing_shown()) {
      block.put(text_at(0, top, "muted start", "no elements"), 100, top + 4);
    } else {
      if (view_.ndim() == 1)
        for (Index line = 0; line < lines(); ++line)
          global_line(block, line, top + line * (cells_.height + line_gap()));
      else
        global_cells(block, rows().size(), 0, columns().size(), top);
      if (view_.ndim() == 2) block.put(indices_down(rows(), left_ - 6, top, cells_, false), 0, 0);
      if (header) block.put(indices_across(columns(), left_, top - 6, cells_, false), 0, 0);
    }
    block.svg += "</g>\n";
    return block;
  }

  Index line_gap() const { return view_.ndim() == 1 ? 10 : 0; }
  Index margin() const {
    if (view_.ndim() == 2) return index_width({rows()}) + 8;
    if (lines() == 1) return panels_.aligned() ? panels_.header_width() : 0;
    return index_width({columns()}) + 8;
  }

  /// One line of a single axis, which may take several.
  void global_line(Figure& block, Index line, Index y) {
    const Index begin = line * per_line_, end = std::min(columns().size(), begin + per_line_);
    if (lines() > 1)
      block.put(text_at(left_ - 6, y + cells_.height / 2 + 3, "index end", std::to_string(columns()[begin].first)), 0,
                0);
    global_cells(block, 1, begin, end, y);
  }

  bool merged() const { return room_.merge && !cells_.lettered; }

  /// The cells of the first `rows` rows, from column `begin` to column `end`.
  void global_cells(Figure& block, Index row_count, Index begin, Index end, Index y) {
    const auto cell = [&](Index row, Index column) {
      std::vector<Band> bands = {rows()[row], columns()[begin + column]};
      bands.erase(bands.begin(), bands.end() - view_.ndim());
      return cell_of(view_, bands);
    };
    for (const Tile& tile : tiles_of(row_count, end - begin, merged(), cell)) {
      mixed_seen_ = mixed_seen_ || tile.cell.ownership == Ownership::mixed;
      shared_seen_ = shared_seen_ || tile.cell.ownership == Ownership::shared;
      block.put(tile_at(left_, y, cells_, tile, cells_.lettered ? cell_text(tile.cell) : ""),
                left_ + (tile.column + tile.columns) * cells_.width - cells_.gap(),
                y + (tile.row + tile.rows) * cells_.height - cells_.gap());
    }
  }

  Figure local_buffers() const {
    std::string note = "process rank (grid coordinates) beside each";
    if (local_cells_.lettered && view_.ndim() > 0 && !nothing_shown())
      note += ", local indices at the margins, global ones in the cells";
    std::vector<Index> steps;
    for (Index i = 0; i < view_.ndim(); ++i) steps.push_back(panels_.step(i));
    if (std::any_of(steps.begin(), steps.end(), [](Index step) { return step > 1; }))
      note += "; each cell represents up to " + joined(steps, times) + " elements";
    Figure block = section("Local buffers", note);
    if (!view_.nowhere())
      block.put(panels_.draw(local_cells_, view_.ndim() == 1 ? local_left() : 0), 0, block.height + 4);
    const Index more = view_.processes() - panels_.shown();
    if (more > 0) {
      const std::string text = "and " + counted(more, "more process", "more processes");
      block.put(text_at(0, block.height + 24, "muted start", text), text_width(text, 11), block.height + 28);
    }
    return block;
  }
  Index local_left() const { return panels_.aligned() && lines() == 1 ? left_ : panels_.header_width(); }

  std::string legend_text(Index process) const {
    const std::string owned = owned_text(distribution_, process, times), padding = padding_text(distribution_, process);
    return coordinates_text(distribution_, process) + ": " + owned + (owned == "1" ? " element" : " elements") +
           (padding.empty() ? "" : " + " + padding + " padding");
  }

  Figure legend(Index width) const {
    bool padded = false;
    for (Index i = 0; i < distribution_.ndim(); ++i)
      padded = padded || distribution_.axis(i).has_communication_padding();
    Figure block = section(
        "Processes", "rank (grid coordinates): elements owned" + std::string(padded ? " + communication padding" : ""));
    const Index shown = std::min(view_.processes(), std::max<Index>(style_.processes, 1));
    Index entry = 0;
    for (Index n = 0; n < shown; ++n) {
      const Index p = view_.nth_process(n);
      entry = std::max(entry, 24 + text_width(std::to_string(p) + legend_text(p), 11) + 24);
    }
    const Index in_a_row = std::max<Index>((width + 24) / entry, 1), top = block.height + 4;
    for (Index n = 0; n < shown; ++n) {
      const Index p = view_.nth_process(n), x = n % in_a_row * entry, y = top + n / in_a_row * 22;
      block.put(swatch_at(x, y, p, ""), x + 16, y + 22);
      block.put(text_at(x + 24, y + 12, "start", std::to_string(p) + legend_text(p)), x + entry - 24, y + 22);
    }
    if (shown < view_.processes())
      mark(block, {}, "", "and " + counted(view_.processes() - shown, "more process", "more processes"));
    marks(block);
    return block;
  }

  /// A line of the legend: a swatch, with or without a process's colour, and its meaning.
  static void mark(Figure& block, const std::string& swatch, const std::string& letters, const std::string& meaning) {
    const Index y = block.height + 4;
    if (!swatch.empty())
      block.put(swatch_at(0, y, swatch == "mixed" ? std::nullopt : std::optional<Index>(0), swatch), 0, 0);
    block.put(text_at(8, y + 12, "middle", letters), 0, 0);
    const Index x = swatch.empty() && letters.empty() ? 0 : 24;
    block.put(text_at(x, y + 12, "muted start", meaning), x + text_width(meaning, 11), y + 18);
  }

  void marks(Figure& block) const {
    bool communication = false, boundary = false, mirrors = false;
    for (Index i = 0; i < view_.ndim(); ++i) {
      const bool here = has_boundary_padding(view_.axis(i));
      communication = communication || view_.axis(i).has_communication_padding();
      boundary = boundary || here;
      mirrors = mirrors || (here && view_.axis(i).periodic());
    }
    if (communication)
      mark(block, "communication", "", "communication padding: in the colour of the process that owns the element");
    if (boundary)
      mark(block, "boundary", "",
           mirrors ? "boundary padding; on a periodic axis it mirrors the other end" : "boundary padding");
    if (mixed_seen_) mark(block, "mixed", cells_.lettered ? "*" : "", "elements of several processes");
    if (shared_seen_) mark(block, "", "+", "held by other processes too");
  }

  const Distribution& distribution_;
  const SvgStyle& style_;
  const Room& room_;
  View view_;
  Panels panels_;
  std::vector<Bands> global_;
  Bands one_{{Band{}}, 1};
  Metrics cells_, local_cells_;
  Index per_line_ = 1, left_ = 0;
  bool shared_ = false, mixed_seen_ = false, shared_seen_ = false;
};

}  // namespace

}  // namespace tridap::drawing

namespace tridap {

namespace {

constexpr Index small_pixels = 900;
constexpr std::size_t small_bytes = 40000;

// What a small picture shows at most; the first one that fits is taken.
struct Level {
  Index cells, processes;
  drawing::Room room;
};

constexpr Level levels[] = {{48, 64, {960, 48, false}}, {48, 64, {760, 48, true}}, {48, 36, {560, 48, true}},
                            {48, 24, {400, 48, true}},  {48, 16, {300, 24, true}}, {40, 12, {300, 24, true}},
                            {32, 12, {240, 16, true}},  {24, 9, {240, 16, true}},  {16, 9, {240, 12, true}},
                            {12, 6, {240, 8, true}},    {8, 4, {200, 4, true}},    {4, 2, {160, 4, true}},
                            {1, 1, {120, 1, true}}};

}  // namespace

std::string draw_svg(const Distribution& distribution, const SvgStyle& style) {
  const drawing::Room room;
  drawing::SvgDrawing drawn(distribution, style, room);
  return drawing::document(drawn.draw(), drawn.title());
}

std::string draw_small_svg(const Distribution& distribution, const SvgStyle& style) {
  std::string text;
  for (const Level& level : levels) {
    SvgStyle smaller = style;
    smaller.cells = std::min(style.cells, level.cells);
    smaller.processes = std::min(style.processes, level.processes);
    drawing::SvgDrawing drawn(distribution, smaller, level.room);
    const drawing::Figure page = drawn.draw();
    text = drawing::document(page, drawn.title(), small_pixels);
    const Index longer = std::max(page.width, page.height) + 2 * drawing::page_margin;
    if (longer <= small_pixels && text.size() < small_bytes) break;
  }
  return text;
}

}  // namespace tridap
