#pragma once

#include <tridap/capture.hpp>
#include <tridap/draw.hpp>

#include <string>
#include <vector>

namespace tridap {

/// What one process states about an element.
struct Claim {
  Index process = 0;     ///< its rank
  Indices local;         ///< the local index
  bool padding = false;  ///< communication padding; false: the process states that it owns the element
};

/// The processes of a capture that state to hold an element, ascending by rank. The capture may be invalid: then
/// several processes may own an element, or none. A process whose axes cannot all be read states nothing.
std::vector<Claim> claims_of(const Capture& capture, const Indices& global);

/// Draws what each process of a capture states, for a terminal, also if the capture is invalid. Each axis has a line
/// for each group of processes that state the same about it: the global indices that they own, and their padding. Below
/// them are the gaps, which no process owns, and the overlaps, which several coordinates of the process grid own. Of a
/// slice in the style nothing is used.
///
/// For blocks [0, 4), [4, 9), [8, 12) of three processes the lines are `####........`, `....#####...`, `........####`,
/// and `overlap [8, 9): ranks 1 and 2`. A cell represents several elements if the axis does not fit. The gaps and
/// overlaps are exact; of a cyclic axis of many blocks only the first ones are drawn, and the drawing says so.
std::string draw_claims(const Capture& capture, const TextStyle& style = {});

/// Draws the same as a self-contained SVG document. What a group owns is `<rect class="claim" data-processes="0,1">`,
/// with padding `<rect class="claim padding" ...>`; gaps and overlaps are `<rect class="gap">` and
/// `<rect class="overlap">`.
std::string draw_claims_svg(const Capture& capture, const SvgStyle& style = {});

/// A capture that a page shows.
struct PageCapture {
  std::string title;  ///< UTF-8; control characters are made harmless
  Capture capture;
  Reading reading;  ///< how its report is made
};

/// Draws captures as one HTML document for a browser, without any other file, script and network: why each one is
/// invalid, the picture that draw_claims_svg() draws, and a table of what each process states.
std::string draw_claims_html(const std::vector<PageCapture>& captures);

}  // namespace tridap
