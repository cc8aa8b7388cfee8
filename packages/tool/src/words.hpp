#pragma once

#include "view.hpp"
#include <tridap/internal/number_texts.hpp>
#include <tridap/internal/text_lines.hpp>

#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::drawing {

/// The array in a sentence: "5 x 9 array, cyclic x block over a grid of 2 x 2 processes"; `by` is " x " or a better
/// sign.
std::string array_words(const Distribution& distribution, const std::string& by);

/// The slice that is drawn, and whether it was chosen by default. Empty if the whole array is drawn.
std::string slice_words(const View& view);

/// The coordinates of a process, which follow its rank: " (1, 0)". Empty if there are no axes.
std::string coordinates_text(const Distribution& distribution, Index process);

/// The number of elements that a process owns, and that it holds as communication padding. It is written as a product
/// if it does not fit 64 bits.
std::string owned_text(const Distribution& distribution, Index process, const std::string& by);
std::string padding_text(const Distribution& distribution, Index process);  ///< empty if there is none

/// A text of at least `width` characters: with blanks behind it, or before it.
std::string left(const std::string& text, Index width);
std::string right(const std::string& text, Index width);

/// A text as JSON.
std::string json_text(const std::string& text);

/// The smallest of 1, 2, 5, 10, 20, 50 ... that is at least `least`: the distance between labels.
Index round_up(Index least);

}  // namespace tridap::drawing

#pragma GCC visibility pop
