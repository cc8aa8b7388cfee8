#pragma once

#include "bands.hpp"

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::drawing {

/// A part of a picture whose upper left corner is (0, 0). All lengths are pixels.
struct Figure {
  std::string svg;
  Index width = 0, height = 0;

  void put(const Figure& part, Index x, Index y);                   ///< grows to contain the part
  void put(const std::string& element, Index right, Index bottom);  ///< grows to contain (right, bottom)
};

/// The size of cells, and whether they are large enough for letters.
struct Metrics {
  Index width = 0, height = 0;
  bool lettered = false;

  Index gap() const { return lettered ? 2 : width >= 10 ? 1 : 0; }  ///< between two cells
};

/// The largest sizes of what a picture consists of.
struct Room {
  Index pixels = 960;      ///< width and height of all cells of an array
  Index local_cells = 48;  ///< along each axis, for all local buffers together
  bool merge = false;      ///< adjacent cells that look the same and have no letters are one rectangle
};

/// For `across` x `down` cells with `characters` letters each; 0 for none.
Metrics metrics_for(Index across, Index down, Index characters, const Room& room);

/// A text in which each of these characters is replaced.
std::string replaced(const std::string& text, std::initializer_list<std::pair<char, const char*>> by);
std::string escaped(const std::string& text);              ///< made clean(), and safe as XML text and attribute
Index text_width(const std::string& text, Index size);     ///< approximate, for a wide, bold font
Index index_width(const std::vector<Bands>& of_each_row);  ///< of the longest global index of all bands

/// Attributes of an element: a number, and those of a rectangle.
std::string attribute(const char* name, Index value);
std::string box(Index x, Index y, Index width, Index height);

/// A line of text with its baseline at y. `look` are classes of the style sheet, one of them `start`, `middle` or
/// `end`. On a hatched background `halo` is the colour of an outline that keeps the text legible.
std::string text_at(Index x, Index y, const std::string& look, const std::string& text, const std::string& halo = "");
/// Lines of text, one below the other.
Figure paragraph(const std::string& text, const std::string& look, Index size, Index width);
/// What is above the parts of a picture: its title, unless it is empty, and what the picture shows.
Figure heading_of(const std::string& title, const std::string& words, Index width);

/// A cell with its letters; empty for none.
std::string cell_at(Index x, Index y, const Metrics& metrics, const Cell& cell, const std::string& letters);
/// A rectangle of cells that look the same.
struct Tile {
  Index row = 0, column = 0, rows = 1, columns = 1;
  Cell cell;
};

/// The tiles of `rows` x `columns` cells, row-major. Without `merge`, each cell is a tile.
std::vector<Tile> tiles_of(Index rows, Index columns, bool merge, const std::function<Cell(Index, Index)>& cell);
/// A tile whose cells have this size; (x, y) is the corner of cell (0, 0).
std::string tile_at(Index x, Index y, const Metrics& metrics, const Tile& tile, const std::string& letters);
/// A filled square of the legend, with a process's colour or a padding class.
std::string swatch_at(Index x, Index y, std::optional<Index> process, const std::string& padding);

/// Indices beside the cells of one axis, as many as there is room for: centred at y at each cell's x, or ending at x at
/// each cell's y. `local` indices count from each buffer's first element.
std::string indices_across(const Bands& bands, Index x, Index y, const Metrics& metrics, bool local);
std::string indices_down(const Bands& bands, Index x, Index y, const Metrics& metrics, bool local);

/// The complete document of a drawing. If it is wider or higher than `most` pixels, it is shown smaller; 0: no limit.
std::string document(const Figure& content, const std::string& title, Index most = 0);
/// The pixels around a drawing's content in its document.
inline constexpr Index page_margin = 28;

}  // namespace tridap::drawing

#pragma GCC visibility pop
