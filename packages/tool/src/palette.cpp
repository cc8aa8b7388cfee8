#include "palette.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>

namespace tridap::drawing {

namespace {

constexpr std::array<Colour, 8> hues = {{{68, 125, 190},   // blue
                                         {240, 156, 45},   // orange
                                         {70, 160, 110},   // green
                                         {222, 135, 185},  // pink
                                         {238, 215, 95},   // yellow
                                         {120, 95, 175},   // violet
                                         {120, 200, 225},  // sky
                                         {205, 85, 65}}};  // red

constexpr std::array<int, 6> levels = {0, 95, 135, 175, 215, 255};  // of a terminal's colours

int towards(int from, int to, int percent) { return from + (to - from) * percent / 100; }

Colour mix(Colour from, int to, int percent) {
  return {towards(from.red, to, percent), towards(from.green, to, percent), towards(from.blue, to, percent)};
}

int nearest_level(int value) {
  int best = 0;
  for (int i = 1; i < 6; ++i)
    if (std::abs(levels[static_cast<std::size_t>(i)] - value) <
        std::abs(levels[static_cast<std::size_t>(best)] - value))
      best = i;
  return best;
}

}  // namespace

Colour process_colour(Index process) {
  const Index row = process / 8;
  const Colour hue = hues[static_cast<std::size_t>((process + 3 * (row % 8)) % 8)];
  if (row % 3 == 1) return mix(hue, 255, 46);
  if (row % 3 == 2) return mix(hue, 0, 34);
  return hue;
}

bool takes_black(Colour colour) { return 299 * colour.red + 587 * colour.green + 114 * colour.blue > 118'000; }

std::string hex(Colour colour) {
  const char* digits = "0123456789abcdef";
  std::string text = "#";
  for (int value : {colour.red, colour.green, colour.blue}) {
    text += digits[value / 16];
    text += digits[value % 16];
  }
  return text;
}

int terminal_number(Colour colour) {
  return 16 + 36 * nearest_level(colour.red) + 6 * nearest_level(colour.green) + nearest_level(colour.blue);
}

std::string terminal_background(Index process) {
  const Colour colour = process_colour(process);
  return "\x1b[48;5;" + std::to_string(terminal_number(colour)) + (takes_black(colour) ? ";38;5;16m" : ";38;5;231m");
}

}  // namespace tridap::drawing
