#pragma once

#include <tridap/distribution.hpp>
#include <tridap/element_format.hpp>

#include <optional>
#include <string>

namespace tridap {

/// An array that a page shows.
struct PageArray {
  std::string title;  ///< UTF-8; control characters are made harmless
  Distribution distribution;
  std::optional<ElementType> type;  ///< of the elements; nullopt: the page counts elements in place of bytes
};

/// Draws which process owns which elements as one HTML document for a browser, without any other file and without
/// network. One points at an element or moves over the elements by the keyboard, and reads its global index, its
/// owner, its local index and the processes that have it as padding. The axes that are not drawn have sliders.
///
/// The document holds how each axis is distributed, and the page computes from it what it draws: a document of 10^12
/// elements is as long as one of 10. It is proportional to the coordinates of irregular or padded axes, and to the runs
/// in the lists of an unstructured axis.
std::string draw_html(const PageArray& array);

/// Draws two arrays side by side, and which process sends how many bytes to which other one if the first moves to the
/// distribution of the second: what Plan::explain() counts. If the arrays do not have the same elements, or if there
/// are more than 2^20 pairs of processes or too many blocks, the page says so in place of the bytes.
std::string draw_html(const PageArray& source, const PageArray& target);

}  // namespace tridap
