#pragma once

#include <tridap/distribution.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tridap {

/// What of an array is drawn: for each axis the global index it is fixed at, or nothing where it is shown (on two axes
/// at most). Empty: the last two axes are shown, every other one is fixed at its first index, and the caption says so.
using Section = std::vector<std::optional<Index>>;

/// How a drawing in characters looks.
struct TextStyle {
  std::string title;    ///< UTF-8; control characters are made harmless
  Section section;      ///< what is drawn
  Index columns = 80;   ///< characters in a line; fewer than 60 may not do
  Index lines = 40;     ///< lines of the whole drawing; fewer than 20 may not do
  bool colour = false;  ///< a background for each process, by escape sequences of terminals of 256 colours
};

/// How a drawing in SVG looks.
struct SvgStyle {
  std::string title;     ///< UTF-8; control characters are made harmless
  Section section;       ///< what is drawn
  Index cells = 48;      ///< most cells along each of two axes; one axis alone takes lines of 40
  Index processes = 64;  ///< most processes in the legend, and most local buffers
};

/// Who owns what, for a terminal: the global array as cells that name their process, and a legend.
///
/// A cell stands for one element, or for several side by side where the array does not fit; the drawing says how many.
/// It names a process only where that process owns all of them; `0+` where further processes own some of them too
/// (shared indices of an unstructured axis), and `*` where no process is known to own all. An unstructured axis shows
/// the indices that somebody holds, in ascending order. For 4 elements dealt over 2 processes the row of cells reads `0
/// 1 0 1`. Costs as much as the picture is large, whatever the array's size; an unstructured axis costs its lists.
/// Throws Error where the slice does not fit the array.
std::string draw_text(const Distribution& distribution, const TextStyle& style = {});

/// The same as a self-contained SVG document, and below it the local buffers in the order of their process grid:
/// communication padding hatched in its owner's colour, boundary padding (the mirrors of a periodic axis) hatched too.
///
/// Cells are `<rect class="cell">` elements, row-major, in `<g class="global">` and in one `<g class="local"
/// data-process="3">` for each buffer drawn; `data-owner` says the process, or `3+` and `*` as above, and the classes
/// `communication` and `boundary` stand on padding. Throws Error where the slice does not fit the array.
std::string draw_svg(const Distribution& distribution, const SvgStyle& style = {});

}  // namespace tridap
