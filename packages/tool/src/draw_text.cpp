#include "bands.hpp"
#include "palette.hpp"
#include "words.hpp"
#include <tridap/text.hpp>

#include <algorithm>
#include <array>

namespace tridap::drawing {

namespace {

Index digits(Index number) { return static_cast<Index>(std::to_string(number).size()); }

/// One drawing, line by line.
class TextDrawing {
 public:
  TextDrawing(const Distribution& distribution, const TextStyle& style)
      : distribution_(distribution), style_(style), view_(distribution, style.section) {}

  std::string draw() {
    head();
    cells();
    notes();
    legend();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) {
    out_ += text + "\n";
    ++lines_;
  }
  void words(const std::string& text) {
    for (const std::string& part : wrapped(text, style_.columns)) line(part);
  }
  // A line, or several if it is too long for one.
  void lines(const std::string& text) {
    const std::string all = fitted(text, style_.columns);
    out_ += all + "\n";
    lines_ += 1 + std::count(all.begin(), all.end(), '\n');
  }

  void head() {
    if (!style_.title.empty()) words(clean(style_.title));
    words(array_words(distribution_, " x "));
    words(slice_words(view_));
    line("");
  }

  // The lines for the cells: all, less the head, the header, two blank lines, three notes, and a legend.
  Index most_rows() const {
    const Index legend = std::min(view_.processes() + 1, std::max<Index>(style_.lines / 4, 3));
    return std::max<Index>(style_.lines - lines_ - 6 - legend, 3);
  }

  void cells() {
    bool shared = view_.shared();
    for (Index i = 0; i < view_.ndim(); ++i) shared = shared || view_.axis(i).shares_indices();
    mark_ = shared ? 1 : 0;
    rank_ = digits(view_.nth_process(view_.processes() - 1));
    make_room();
    width_ = 1 + rank_ + mark_ + (style_.colour ? 1 : 0);
    if (nothing_shown()) return line("  (no elements)");
    if (view_.ndim() == 2) return sheet();
    if (view_.ndim() == 1) return strip();
    Paint paint(*this, "  ");
    paint.cell(cell_of(view_, {}));
    paint.end();
  }

  // The indices of lists are not consecutive: if there is room, every cell is as wide as its index.
  void make_room() {
    if (view_.ndim() == 0) return;
    const Axis& across = view_.axis(view_.ndim() - 1);
    const auto* lists = across.unstructured();
    const auto extremes = across.extremes();
    if (lists == nullptr || !extremes) return;
    const Index longest = std::max(digits((*extremes)[0]), digits((*extremes)[1])), margin = 24;
    if (lists->distinct() <= (style_.columns - margin) / (longest + 2 + mark_)) rank_ = std::max(rank_, longest);
  }

  bool nothing_shown() const {
    for (Index i = 0; i < view_.ndim(); ++i)
      if (!view_.axis(i).extremes()) return true;
    return view_.nowhere();
  }

  /// A line of cells. A colour is written only if it differs from the previous one.
  class Paint {
   public:
    Paint(TextDrawing& drawing, std::string margin) : drawing_(drawing), line_(std::move(margin)) {}

    void cell(const Cell& cell) {
      const bool mixed = cell.ownership == Ownership::mixed, shared = cell.ownership == Ownership::shared;
      drawing_.mixed_seen_ = drawing_.mixed_seen_ || mixed;
      drawing_.shared_seen_ = drawing_.shared_seen_ || shared;
      if (drawing_.style_.colour) colour(mixed ? terminal_end : terminal_background(cell.process));
      line_ += " " + right(mixed ? "*" : std::to_string(cell.process), drawing_.rank_);
      if (drawing_.mark_ > 0) line_ += shared ? "+" : " ";
      if (drawing_.style_.colour) line_ += " ";
    }
    void end() {
      if (drawing_.style_.colour) colour(terminal_end);
      while (line_.back() == ' ') line_.pop_back();
      drawing_.line(line_);
    }

   private:
    void colour(const std::string& escape) {
      if (escape == last_) return;
      line_ += escape;
      last_ = escape;
    }

    TextDrawing& drawing_;
    std::string line_, last_ = terminal_end;
  };

  // The first indices of the bands, as many as there is room for: all, or every 2nd, 5th, 10th, 20th ...
  void header(Index margin, const Bands& bands, const Axis& axis) {
    Index longest = 1;
    for (const Band& band : bands.list) longest = std::max(longest, digits(band.first));
    const Index every = round_up((longest + width_) / width_);
    if (every > 1 && axis.dist_type() == 'u')
      notes_.push_back("Only some indices are written, and they may not be consecutive.");
    std::string text(static_cast<std::size_t>(margin), ' ');
    for (Index i = 0; i < bands.size(); i += every) {
      const std::string label = std::to_string(bands[i].first);
      const Index begin = margin + i * width_;
      if (begin + 1 + std::max(rank_, characters(label)) > style_.columns)
        break;  // the last label may be wider than its cell
      // aligned with the cell's number if it is not longer, else with the cell's left edge
      text = left(text, begin) + (longest <= rank_ ? " " + right(label, rank_) : " " + label);
    }
    line(text);
  }

  void sheet() {
    const Bands rows = global_bands(view_.axis(0), most_rows());
    Index margin = 0;
    for (const Band& row : rows.list) margin = std::max(margin, digits(row.first));
    margin += 2;
    const Bands columns = global_bands(view_.axis(1), std::max<Index>((style_.columns - margin) / width_, 1));
    header(margin, columns, view_.axis(1));
    for (const Band& row : rows.list) {
      Paint paint(*this, right(std::to_string(row.first), margin - 1) + " ");
      for (const Band& column : columns.list) paint.cell(cell_of(view_, {row, column}));
      paint.end();
    }
    step({rows, columns});
  }

  // A single axis is first drawn in several lines, then several elements share a cell. The margin has the first index
  // of each line.
  void strip() {
    const auto extremes = *view_.axis(0).extremes();
    const Index margin = 2 + std::max(digits(extremes[0]), digits(extremes[1]));
    const Index room = std::max<Index>((style_.columns - margin) / width_, 1);
    const Index round = room >= 10 ? room / 10 * 10 : room >= 5 ? 5 : room;
    Bands bands = global_bands(view_.axis(0), std::max(room, round * std::min<Index>(most_rows(), 8)));
    const bool one_line = bands.size() <= room;
    if (one_line) header(margin, bands, view_.axis(0));
    for (Index begin = 0; begin < bands.size(); begin += one_line ? room : round) {
      Paint paint(*this, right(one_line ? "" : std::to_string(bands[begin].first), margin - 1) + " ");
      for (Index i = begin; i < std::min(bands.size(), begin + (one_line ? room : round)); ++i)
        paint.cell(cell_of(view_, {bands[i]}));
      paint.end();
    }
    step({bands});
  }

  void step(const std::vector<Bands>& of_each_axis) {
    std::vector<Index> steps;
    for (const Bands& bands : of_each_axis) steps.push_back(bands.step);
    if (std::any_of(steps.begin(), steps.end(), [](Index step) { return step > 1; }))
      notes_.push_back("Each cell represents up to " + joined(steps, " x ") + " elements.");
  }

  void notes() {
    line("");
    if (mixed_seen_) notes_.push_back("* elements of several processes");
    if (shared_seen_) notes_.push_back("+ held by other processes too");
    for (const std::string& note : notes_) words(note);
  }

  /// One process of the legend: rank, coordinates, elements, padding, and the column widths for all processes.
  struct Entry {
    Index process;
    std::array<std::string, 4> fields;
  };
  using Widths = std::array<Index, 4>;

  std::vector<Entry> entries(Widths& widths) const {
    std::vector<Entry> all;
    for (Index n = 0; n < std::min<Index>(view_.processes(), 200); ++n) {
      const Index p = view_.nth_process(n);
      const std::string padding = padding_text(distribution_, p);
      all.push_back({p,
                     {std::to_string(p), coordinates_text(distribution_, p), owned_text(distribution_, p, " x "),
                      padding.empty() ? "" : " + " + padding}});
      for (std::size_t i = 0; i < 4; ++i) widths[i] = std::max(widths[i], characters(all.back().fields[i]));
    }
    return all;
  }

  std::string entry_text(const Entry& entry, const Widths& widths) const {
    const auto& [rank, coordinates, owned, padding] = entry.fields;
    return (style_.colour ? terminal_background(entry.process) + "  " + terminal_end + " " : "") +
           right(rank, widths[0]) + left(coordinates, widths[1]) + "  " + right(owned, widths[2]) +
           left(padding, widths[3]);
  }

  void legend() {
    Widths widths = {0, 0, 0, 0};
    const std::vector<Entry> listed = entries(widths);
    words("Process" + std::string(distribution_.ndim() > 0 ? " (grid coordinates)" : "") + ": elements owned" +
          (widths[3] > 0 ? " + communication padding" : ""));
    const Index width = (style_.colour ? 3 : 0) + widths[0] + widths[1] + 2 + widths[2] + widths[3];
    const Index per_line = std::max<Index>((style_.columns + 2) / (width + 4), 1), all = view_.processes();
    const Index lines_of_one = 1 + (width + 1) / style_.columns;  // more than one if it is longer than a line
    Index shown = std::max<Index>((style_.lines - lines_) / lines_of_one, 2) * per_line;
    if (shown < all || static_cast<Index>(listed.size()) < all)
      shown -= per_line;  // one line is for the number of the others
    shown = std::min(shown, static_cast<Index>(listed.size()));
    for (Index i = 0; i < shown; i += per_line) {
      std::string text;
      for (Index j = i; j < std::min(shown, i + per_line); ++j)
        text += (j == i ? "  " : "    ") + entry_text(listed[static_cast<std::size_t>(j)], widths);
      while (text.back() == ' ') text.pop_back();
      lines(text);
    }
    if (shown < all) line("  and " + counted(all - shown, "more process", "more processes"));
  }

  const Distribution& distribution_;
  const TextStyle& style_;
  View view_;
  std::string out_;
  std::vector<std::string> notes_;
  Index lines_ = 0, width_ = 0, rank_ = 0, mark_ = 0;
  bool mixed_seen_ = false, shared_seen_ = false;
};

}  // namespace

}  // namespace tridap::drawing

namespace tridap {

std::string draw_text(const Distribution& distribution, const TextStyle& style) {
  return drawing::TextDrawing(distribution, style).draw();
}

}  // namespace tridap
