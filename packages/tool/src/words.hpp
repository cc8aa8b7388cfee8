#pragma once

#include "view.hpp"

namespace tridap::drawing {

/// "1 element", "2 elements".
std::string counted(Index count, const std::string& one, const std::string& many);

/// Numbers with `between` between them.
std::string joined(const std::vector<Index>& numbers, const std::string& between);

/// The array in a sentence: "5 x 9 array, cyclic x block over a grid of 2 x 2 processes"; `times` is " x " or better.
std::string array_words(const Distribution& distribution, const std::string& times);

/// Which slice is drawn, and where nobody asked for it; empty where the array is drawn as a whole.
std::string slice_words(const View& view);

/// " (1, 0)", as it stands behind a rank; empty where there are no axes.
std::string coordinates_text(const Distribution& distribution, Index process);

/// How many elements a process owns, and how many it holds as communication padding; as a product where the number
/// does not fit 64 bits.
std::string owned_text(const Distribution& distribution, Index process, const std::string& times);
std::string padding_text(const Distribution& distribution, Index process);  ///< empty for none

/// How many characters valid UTF-8 has.
Index characters(const std::string& text);

/// Words in lines of at most `width` characters; a longer word is broken.
std::vector<std::string> wrapped(const std::string& text, Index width);

/// The first of 1, 2, 5, 10, 20, 50 ... that is no less: which labels there is room for.
Index round_up(Index least);

}  // namespace tridap::drawing
