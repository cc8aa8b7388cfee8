#include "svg_panels.hpp"

#include "words.hpp"

#include <algorithm>

namespace tridap::drawing {

namespace {

constexpr Index title_height = 18, index_height = 14, gap = 28, row_gap = 20;

Index longest(const std::vector<Bands>& of_each_coordinate) {
  Index cells = 1;  // an empty buffer has the size of one cell
  for (const Bands& bands : of_each_coordinate) cells = std::max(cells, bands.size());
  return cells;
}

}  // namespace

Panels::Panels(const View& view, Index most, const Room& room) : view_(view), room_(room) {
  std::vector<Index> counts;
  for (Index i = 0; i < view.ndim(); ++i) counts.push_back(view.axis(i).proc_grid_size());
  most = std::max<Index>(most, 1);
  if (view.ndim() == 1) {
    counts[0] = std::min<Index>(counts[0], std::min<Index>(most, 16));
  } else if (view.ndim() == 2 && (counts[0] > most || counts[1] > most / counts[0])) {
    for (Index& count : counts) count = std::min<Index>(count, 8);
    while (counts[0] * counts[1] > most) --*std::max_element(counts.begin(), counts.end());
  }
  for (Index i = 0; i < view.ndim(); ++i) {
    const Index count = counts[static_cast<std::size_t>(i)];
    axes_.push_back(local_bands(view.axis(i), count,
                                view.ndim() == 1 ? room.local_cells : std::max<Index>(room.local_cells / count, 4)));
  }
  aligned_ = view.ndim() == 1 && view.axis(0).dist_type() == 'b' && view.axis(0).size() <= 48;
}

Index Panels::across() const {
  if (axes_.empty()) return 1;
  if (aligned_) return std::max<Index>(view_.axis(0).size(), 1);
  if (axes_.size() == 1) return longest(axes_[0]);
  Index cells = 0;
  for (const Bands& bands : axes_[1]) cells += std::max<Index>(bands.size(), 1) + 1;
  return cells;
}

Index Panels::down() const {
  if (axes_.size() < 2) return static_cast<Index>(axes_.empty() ? 1 : axes_[0].size());
  Index cells = 0;
  for (const Bands& bands : axes_[0]) cells += std::max<Index>(bands.size(), 1);
  return cells;
}

Index Panels::letters() const {
  Index letters = axes_.empty() ? 1 : 0;  // an array without axes has one element, without an index
  for (const std::vector<Bands>& axis : axes_) {
    if (axis.front().step > 1) return 0;
    std::size_t most = 0;
    for (const Bands& bands : axis)
      for (const Band& band : bands.list) most = std::max(most, std::to_string(band.first).size());
    letters += static_cast<Index>(most) + (letters > 0 ? 1 : 0);
  }
  return letters;
}

Index Panels::shown() const {
  Index product = 1;
  for (const std::vector<Bands>& axis : axes_) product *= static_cast<Index>(axis.size());
  return product;
}

std::string Panels::name(Index process) const {
  return std::to_string(process) + coordinates_text(view_.distribution(), process);
}

Index Panels::header_width() const {
  return axes_.size() == 1 ? text_width(name(view_.nth_process(shown() - 1)), 11) + 16 : 0;
}

std::string Panels::letters_of(const Metrics& cells, const std::vector<Band>& bands) const {
  std::string letters;
  if (!cells.lettered) return letters;
  for (const Band& band : bands) {
    if (band.count > 1) return "";
    letters += (letters.empty() ? "" : ",") + std::to_string(band.first);
  }
  return letters;
}

Figure Panels::draw(const Metrics& cells, Index left) const {
  return axes_.size() == 1 ? strips(cells, left) : sheet(cells);
}

/// One buffer's cells, without its name. If the view has no such axis, `rows` or `columns` is one band without a label.
Figure Panels::panel(const Metrics& cells, const Bands& rows, const Bands& columns, Index process) const {
  Figure block;
  block.svg = "<g class=\"local\" data-process=\"" + std::to_string(process) + "\">\n";
  if (rows.list.empty() || columns.list.empty()) {
    const Index width = std::max<Index>(columns.size(), 1) * cells.width - 1,
                height = std::max<Index>(rows.size(), 1) * cells.height - 1;
    block.put("<rect class=\"nothing\" x=\"0.5\" y=\"0.5\" width=\"" + std::to_string(width - 1) + "\" height=\"" +
                  std::to_string(height - 1) + "\"/>\n",
              width, height);
  }
  const auto bands_at = [&](Index row, Index column) {
    std::vector<Band> bands = {rows[row], columns[column]};
    bands.erase(bands.begin(), bands.end() - view_.ndim());
    return bands;
  };
  for (const Tile& tile : tiles_of(rows.size(), columns.size(), room_.merge && !cells.lettered,
                                   [&](Index row, Index column) { return cell_of(view_, bands_at(row, column)); }))
    block.put(tile_at(0, 0, cells, tile, letters_of(cells, bands_at(tile.row, tile.column))),
              (tile.column + tile.columns) * cells.width - cells.gap(),
              (tile.row + tile.rows) * cells.height - cells.gap());
  block.svg += "</g>\n";
  return block;
}

/// Name and buffer of each process, one below the other. If aligned, each buffer is below its first element in the
/// global array.
Figure Panels::strips(const Metrics& cells, Index left) const {
  Figure block;
  const Index above = cells.lettered ? index_height : 0, pitch = cells.height + above + (cells.lettered ? 6 : 8);
  for (Index c = 0; c < shown(); ++c) {
    const Bands& bands = axes_[0][static_cast<std::size_t>(c)];
    const Index process = view_.nth_process(c), y = c * pitch;
    const Index x = left + (aligned_ && bands.size() > 0 ? bands[0].first * cells.width : 0);
    block.put(text_at(0, y + above + cells.height / 2 + 3, "start", name(process)), 0, y);
    if (above > 0) block.put(indices_across(bands, x, y + above - 4, cells, true), 0, y);
    block.put(panel(cells, {{Band{}}, 1}, bands, process), x, y + above);
  }
  return block;
}

/// The buffers at their coordinates in the process grid. Each row and column of the grid is as large as its largest
/// buffer.
Figure Panels::sheet(const Metrics& cells) const {
  const std::vector<Bands> one = {{{Band{}}, 1}};
  const std::vector<Bands>&all_rows = axes_.empty() ? one : axes_[0], &all_columns = axes_.empty() ? one : axes_[1];
  const bool indexed = cells.lettered && !axes_.empty();
  const auto place = [&](std::size_t r, std::size_t c) {
    return view_.process(axes_.empty() ? Indices{} : Indices{static_cast<Index>(r), static_cast<Index>(c)});
  };
  Index digits = 1;
  for (const Bands& rows : all_rows)
    if (rows.size() > 0) digits = std::max(digits, static_cast<Index>(std::to_string(rows.list.back().local).size()));
  const Index margin = indexed ? digits * 7 + 6 : 0, above = title_height + (indexed ? index_height : 0);

  Figure block;
  std::vector<Index> x(all_columns.size() + 1), y(all_rows.size() + 1);
  for (std::size_t c = 0; c < all_columns.size(); ++c) {
    const std::string longest_name = name(place(all_rows.size() - 1, c));
    x[c + 1] = x[c] + margin + gap +
               std::max(std::max<Index>(all_columns[c].size(), 1) * cells.width, text_width(longest_name, 11));
  }
  for (std::size_t r = 0; r < all_rows.size(); ++r) {
    const Bands& rows = all_rows[r];
    y[r + 1] = y[r] + above + std::max<Index>(rows.size(), 1) * cells.height + row_gap;
    for (std::size_t c = 0; c < all_columns.size(); ++c) {
      const Bands& columns = all_columns[c];
      const Index process = place(r, c), left = x[c] + margin, top = y[r] + above;
      block.put(text_at(left, y[r] + 11, "start", name(process)), left + text_width(name(process), 11), y[r]);
      if (indexed && rows.size() > 0 && columns.size() > 0) {
        block.put(indices_across(columns, left, top - 4, cells, true), 0, 0);
        block.put(indices_down(rows, left - 5, top, cells, true), 0, 0);
      }
      block.put(panel(cells, rows, columns, process), left, top);
    }
  }
  return block;
}

}  // namespace tridap::drawing
