#pragma once

#include <tridap/index.hpp>

#include <string>

namespace tridap::drawing {

/// Red, green and blue, 0 to 255.
struct Colour {
  int red = 0, green = 0, blue = 0;
};

inline constexpr Index colours = 24;  ///< how many processes in a row have a colour of their own

/// The colour of a process: eight hues that also differ in lightness, for those who do not see all hues; then the same
/// lighter and darker, shifted, so that the eighth neighbour differs in hue as well.
Colour process_colour(Index process);

/// True where black is easier to read on this colour than white.
bool takes_black(Colour colour);

std::string hex(Colour colour);      ///< as CSS has it, "#1f77b4"
int terminal_number(Colour colour);  ///< the nearest of the 6 x 6 x 6 colours of a terminal of 256

}  // namespace tridap::drawing
