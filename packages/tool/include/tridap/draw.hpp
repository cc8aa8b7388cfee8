#pragma once

#include <tridap/distribution.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tridap {

/// The part of an array that is drawn. Each axis has the global index at which it is fixed, or nullopt if it is shown.
/// At most two axes are shown. If the list is empty, the last two axes are shown and the others are fixed at their
/// first index, and the caption says so.
using Section = std::vector<std::optional<Index>>;

/// Options of a drawing in characters.
struct TextStyle {
  std::string title;    ///< UTF-8; control characters are made harmless
  Section section;      ///< the part that is drawn
  Index columns = 80;   ///< characters in a line; fewer than 60 may be too few
  Index lines = 40;     ///< lines of the whole drawing; fewer than 20 may be too few
  bool colour = false;  ///< a background for each process, by escape sequences of terminals of 256 colours
};

/// Options of a drawing in SVG.
struct SvgStyle {
  std::string title;     ///< UTF-8; control characters are made harmless
  Section section;       ///< the part that is drawn
  Index cells = 48;      ///< most cells along each of two axes; a single axis has lines of 40 cells
  Index processes = 64;  ///< most processes in the legend, and most local buffers
};

/// Draws the owners of a global array for a terminal: cells that show their process, and a legend.
///
/// A cell represents one element, or several adjacent ones if the array does not fit; the drawing says how many. A cell
/// shows a process only if this process owns all its elements. It shows `0+` if other processes own some of them too
/// (shared indices of an unstructured axis), and `*` if no process is known to own all. An unstructured axis shows the
/// indices that some process holds, in ascending order. For 4 elements in cyclic distribution over 2 processes the row
/// of cells is `0 1 0 1`. The time depends on the size of the picture, not of the array, and on the lengths of an
/// unstructured axis's lists. Throws Error if the slice does not fit the array.
std::string draw_text(const Distribution& distribution, const TextStyle& style = {});

/// Draws the same as a self-contained SVG document, and below it the local buffers in the order of the process grid.
/// Communication padding is hatched in its owner's colour. Boundary padding (the mirrors of a periodic axis) is hatched
/// too.
///
/// Cells are `<rect class="cell">` elements, row-major, in `<g class="global">` and in one
/// `<g class="local" data-process="3">` for each buffer drawn; `data-owner` is the process, or `3+` and `*` as above.
/// Padding has the class `communication` or `boundary`. Throws Error if the slice does not fit the array.
std::string draw_svg(const Distribution& distribution, const SvgStyle& style = {});

/// Draws the same for a notebook: in less than 40,000 bytes, and at most 900 pixels wide and 900 high. If draw_svg()
/// would be larger, this draws smaller cells without text, and then fewer cells and fewer processes. Adjacent cells
/// that look the same are then one rectangle. The time is that of a few small pictures.
std::string draw_small_svg(const Distribution& distribution, const SvgStyle& style = {});

}  // namespace tridap
