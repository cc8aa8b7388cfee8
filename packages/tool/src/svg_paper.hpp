#pragma once

#include "bands.hpp"

#include <string>

namespace tridap::drawing {

/// A part of a picture whose upper left corner is (0, 0); all lengths are pixels.
struct Figure {
  std::string svg;
  Index width = 0, height = 0;

  void put(const Figure& part, Index x, Index y);                   ///< and grows to hold it
  void put(const std::string& element, Index right, Index bottom);  ///< which reaches to here
};

/// How large cells are drawn, and whether they are large enough for letters.
struct Metrics {
  Index width = 0, height = 0;
  bool lettered = false;

  Index gap() const { return lettered ? 2 : width >= 10 ? 1 : 0; }  ///< between two cells
};

/// For `across` x `down` cells whose letters are `characters` long; 0: they have none.
Metrics metrics_for(Index across, Index down, Index characters);

std::string escaped(const std::string& text);              ///< clean, and safe as XML text and attribute
Index text_width(const std::string& text, Index size);     ///< about as wide as a wide font makes it, bold included
Index index_width(const std::vector<Bands>& of_each_row);  ///< of the longest global index among all bands

/// A line of text whose baseline is at y; `look` are classes of the style sheet, `start`, `middle` or `end` among them;
/// on a hatched ground a halo of its colour keeps it legible.
std::string text_at(Index x, Index y, const std::string& look, const std::string& text, const std::string& halo = "");
/// Lines of text under one another.
Figure paragraph(const std::string& text, const std::string& look, Index size, Index width);

/// A cell with its letters, empty for none.
std::string cell_at(Index x, Index y, const Metrics& metrics, const Cell& cell, const std::string& letters);
/// A filled square as the legend has it, in a process's colour or in one of the classes of padding.
std::string swatch_at(Index x, Index y, std::optional<Index> process, const std::string& padding);

/// Indices beside the cells of one axis, as many as there is room for: centred at y below each cell's x, or beside
/// each cell's y ending at x. `local` counts from each buffer's first element.
std::string indices_across(const Bands& bands, Index x, Index y, const Metrics& metrics, bool local);
std::string indices_down(const Bands& bands, Index x, Index y, const Metrics& metrics, bool local);

/// The whole document around what is drawn.
std::string document(const Figure& content, const std::string& title);

}  // namespace tridap::drawing
