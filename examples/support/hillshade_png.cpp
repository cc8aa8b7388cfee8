#include "support/hillshade_png.hpp"

#include <png.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <vector>

namespace examples {
namespace {

constexpr Index margin = 12, top_margin = 30, scale_height = 42, most_pixels = 32768;  // along a side
constexpr double cell_pixels = 2, exaggeration = 2;

using Color = std::array<double, 3>;  // red, green, blue from 0 to 1

constexpr Color paper{0.98, 0.98, 0.97}, ink{0.25, 0.25, 0.28};

Color mix(const Color& a, const Color& b, double t) {
  return {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])};
}

// From 0 to 1: valley green to sand to bare rock; deep blue to white to red.
constexpr std::array<Color, 6> terrain_ramp{{{0.36, 0.55, 0.47},
                                             {0.56, 0.68, 0.48},
                                             {0.82, 0.79, 0.56},
                                             {0.78, 0.63, 0.43},
                                             {0.61, 0.47, 0.39},
                                             {0.93, 0.91, 0.90}}};
constexpr std::array<Color, 5> waves_ramp{
    {{0.10, 0.25, 0.50}, {0.45, 0.66, 0.82}, {0.93, 0.93, 0.91}, {0.90, 0.58, 0.45}, {0.60, 0.13, 0.17}}};

template <std::size_t count>
Color color_at(const std::array<Color, count>& ramp, double height) {
  const double at = height * static_cast<double>(ramp.size() - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(at), ramp.size() - 2);
  return mix(ramp[below], ramp[below + 1], at - static_cast<double>(below));
}

// Slopes away from the sun become dark and blue, slopes towards it pale; flat ground keeps its colour.
Color lit(const Color& color, double shade) {
  const double light = shade / std::sqrt(0.5);
  const Color shadow{0.12 * color[0], 0.15 * color[1], 0.28 * color[2]};
  return light < 1 ? mix(shadow, color, light) : mix(color, {1, 1, 0.97}, 1.3 * (light - 1));
}

struct Samples {
  Index rows, cols;
  const double* values;  // row-major

  double at(Index row, Index col) const { return values[row * cols + col]; }

  // Bilinear between the centres of cells, constant outside the outermost centres.
  double between(double row, double col) const {
    row = std::clamp(row, 0.0, static_cast<double>(rows - 1));
    col = std::clamp(col, 0.0, static_cast<double>(cols - 1));
    const Index r = static_cast<Index>(row), c = static_cast<Index>(col);
    const Index below = std::min(r + 1, rows - 1), right = std::min(c + 1, cols - 1);
    const double v = row - static_cast<double>(r), u = col - static_cast<double>(c);
    return (1 - v) * ((1 - u) * at(r, c) + u * at(r, right)) + v * ((1 - u) * at(below, c) + u * at(below, right));
  }
};

// The cosine of the angle between each cell's normal and the sun, by central differences; 0 if it is negative.
std::vector<double> hillshade(const Samples& field, double dx, double dy) {
  std::vector<double> shade;
  for (Index r = 0; r < field.rows; ++r)
    for (Index c = 0; c < field.cols; ++c) {
      const Index north = std::max<Index>(r - 1, 0), south = std::min(r + 1, field.rows - 1);
      const Index west = std::max<Index>(c - 1, 0), east = std::min(c + 1, field.cols - 1);
      const double run_east = dx * static_cast<double>(std::max<Index>(east - west, 1));
      const double run_north = dy * static_cast<double>(std::max<Index>(south - north, 1));
      const double rise_east = exaggeration * (field.at(r, east) - field.at(r, west)) / run_east;
      const double rise_north = exaggeration * (field.at(north, c) - field.at(south, c)) / run_north;
      const double sun =
          0.5 * rise_east - 0.5 * rise_north + std::sqrt(0.5);  // the sun's direction is (-1/2, 1/2, sqrt(1/2))
      shade.push_back(std::max(0.0, sun / std::hypot(rise_east, rise_north, 1.0)));
    }
  return shade;
}

struct Glyph {
  char letter;
  std::array<unsigned, 7> rows;  // 5 bits each, the leftmost highest
};

constexpr Glyph glyphs[] = {{' ', {}},
                            {'-', {0b00000, 0b00000, 0b00000, 0b11111, 0b00000, 0b00000, 0b00000}},
                            {'.', {0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b01100, 0b01100}},
                            {'0', {0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110}},
                            {'1', {0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110}},
                            {'2', {0b01110, 0b10001, 0b00001, 0b00010, 0b00100, 0b01000, 0b11111}},
                            {'3', {0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110}},
                            {'4', {0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010}},
                            {'5', {0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110}},
                            {'6', {0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110}},
                            {'7', {0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000}},
                            {'8', {0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110}},
                            {'9', {0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100}},
                            {'m', {0b00000, 0b00000, 0b11010, 0b10101, 0b10101, 0b10001, 0b10001}},
                            {'a', {0b00000, 0b00000, 0b01110, 0b00001, 0b01111, 0b10001, 0b01111}},
                            {'b', {0b10000, 0b10000, 0b10110, 0b11001, 0b10001, 0b10001, 0b11110}},
                            {'e', {0b00000, 0b00000, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110}},
                            {'f', {0b00110, 0b01001, 0b01000, 0b11100, 0b01000, 0b01000, 0b01000}},
                            {'o', {0b00000, 0b00000, 0b01110, 0b10001, 0b10001, 0b10001, 0b01110}},
                            {'r', {0b00000, 0b00000, 0b10110, 0b11001, 0b10000, 0b10000, 0b10000}},
                            {'t', {0b01000, 0b01000, 0b11100, 0b01000, 0b01000, 0b01001, 0b00110}}};

class Picture {
 public:
  Picture(Index width, Index height)
      : width_(width), height_(height), bytes_(static_cast<std::size_t>(3 * width * height)) {
    for (Index y = 0; y < height; ++y)
      for (Index x = 0; x < width; ++x) set(x, y, paper);
  }

  void set(Index x, Index y, const Color& color) {  // draws nothing outside the picture
    if (x >= width_ || y >= height_) return;
    png_byte* pixel = bytes_.data() + 3 * (y * width_ + x);
    for (double part : color) *pixel++ = static_cast<png_byte>(std::lround(255 * part));
  }

  void blend(Index x, Index y, const Color& color, double share) {
    if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
    png_byte* pixel = bytes_.data() + 3 * (y * width_ + x);
    for (std::size_t i = 0; i < color.size(); ++i)
      pixel[i] = static_cast<png_byte>(std::lround((1 - share) * pixel[i] + share * 255 * color[i]));
  }

  // Letters are 10 x 14 pixels, 12 apart.
  void write(Index x, Index y, std::string_view text) {
    for (char letter : text) {
      const Glyph* glyph =
          std::find_if(std::begin(glyphs), std::end(glyphs), [&](const Glyph& g) { return g.letter == letter; });
      for (Index v = 0; v < 14; ++v)
        for (Index u = 0; u < 10; ++u)
          if (glyph->rows[static_cast<std::size_t>(v / 2)] >> (4 - u / 2) & 1) set(x + u, y + v, ink);
      x += 12;
    }
  }

  // Writes to another name first, so that `path` never has an incomplete picture.
  void save(const std::string& path) const {
    const std::string partial = path + "." + std::to_string(getpid()) + ".part";
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width_);
    image.height = static_cast<png_uint_32>(height_);
    image.format = PNG_FORMAT_RGB;
    const bool written = png_image_write_to_file(&image, partial.c_str(), 0, bytes_.data(), 0, nullptr) != 0;
    std::error_code error, ignored;
    if (written) std::filesystem::rename(partial, path, error);
    if (written && !error) return;
    std::filesystem::remove(partial, ignored);
    throw std::runtime_error(path + ": cannot be written: " + (written ? error.message() : image.message));
  }

 private:
  Index width_, height_;
  std::vector<png_byte> bytes_;  // red, green, blue of each pixel, row by row
};

// The numbers of a scale, with as many digits as its range needs: "-0.50 m".
std::string number_text(double value, double range) {
  const double digits = range > 0 ? 2 - std::floor(std::log10(range)) : 0;
  char text[400];
  std::snprintf(text, sizeof(text), "%.*f m", static_cast<int>(std::clamp(digits, 0.0, 6.0)), value + 0.0);
  return text;
}

// A bar of the colours from `lowest` to `highest`, and below it the numbers at both ends and in the middle.
template <class ColorOf>
void draw_scale(Picture& picture, Index width, Index top, double lowest, double highest, ColorOf color_of) {
  const Index bar = width - 2 * margin;
  for (Index x = 0; x < bar; ++x)
    for (Index y = 0; y < 14; ++y)
      picture.set(margin + x, top + y, color_of((static_cast<double>(x) + 0.5) / static_cast<double>(bar)));
  std::array<std::string, 3> texts;
  Index room = bar;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i] = number_text(lowest + 0.5 * static_cast<double>(i) * (highest - lowest), highest - lowest);
    room -= 12 * static_cast<Index>(texts[i].size()) + 24;
  }
  for (std::size_t i = 0; room >= 0 && i < texts.size(); ++i) {
    const Index length = 12 * static_cast<Index>(texts[i].size()) - 2;
    picture.write(margin + static_cast<Index>(i) * (bar - length) / 2, top + 20, texts[i]);
  }
}

// A panel: the place of its upper left corner, and its size.
struct Panel {
  Index left, top, width, height;
};

// Dark lines with a pale one on each side, so that they are seen on every colour. `rows` and `cols` are pixels of the
// panel.
void draw_borders(Picture& picture, const Panel& panel, const std::vector<Index>& rows,
                  const std::vector<Index>& cols) {
  const auto draw = [&](Index side, const Color& color, double share) {
    for (const Index row : rows)
      for (Index x = 0; x < panel.width; ++x) picture.blend(panel.left + x, panel.top + row + side, color, share);
    for (const Index col : cols)
      for (Index y = 0; y < panel.height; ++y) picture.blend(panel.left + col + side, panel.top + y, color, share);
  };
  for (const Index side : {-1, 1}) draw(side, paper, 0.45);
  draw(0, ink, 0.9);
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error(path + ": cannot be drawn: " + why);
}

struct Heights {
  double lowest, highest;
};

Heights heights_of(const std::string& path, Index rows, Index cols, const double* before, const double* after) {
  Heights heights{before[0], before[0]};
  for (const double* values : {before, after})
    for (Index i = 0; i < rows * cols; ++i) {
      if (!std::isfinite(values[i]))
        refuse(path, std::string(values == before ? "before" : "after") + " holds " + std::to_string(values[i]) +
                         " in row " + std::to_string(i / cols) + ", column " + std::to_string(i % cols) +
                         " (from 0), must be finite");
      heights = {std::min(heights.lowest, values[i]), std::max(heights.highest, values[i])};
    }
  return heights;
}

}  // namespace

void write_before_after(const std::string& path, Index rows, Index cols, double dx, double dy, const double* before,
                        const double* after, Colors colors, const Borders& borders) {
  if (!(dx > 0 && dy > 0 && std::isfinite(dx) && std::isfinite(dy)))
    refuse(path, "a cell is " + std::to_string(dx) + " m x " + std::to_string(dy) + " m, must be larger than 0");
  const double scale = cell_pixels / std::min(dx, dy);  // pixels per metre
  const double panel_width = std::round(static_cast<double>(cols) * dx * scale);
  const double panel_height = std::round(static_cast<double>(rows) * dy * scale);
  if (rows < 1 || cols < 1 || !(2 * panel_width <= most_pixels && panel_height <= most_pixels))
    refuse(path, std::to_string(rows) + " rows x " + std::to_string(cols) +
                     " columns, must be at least one of each and " + std::to_string(most_pixels) +
                     " pixels a side at most");

  const Heights heights = heights_of(path, rows, cols, before, after);
  const double lowest = heights.lowest, highest = heights.highest;
  const double relief = highest > lowest ? highest - lowest : 1;
  const double amplitude = std::max(std::fabs(lowest), std::fabs(highest));
  const auto color = [&](double value) {
    if (colors == Colors::terrain) return color_at(terrain_ramp, (value - lowest) / relief);
    const double root = amplitude > 0 ? std::copysign(std::sqrt(std::fabs(value) / amplitude), value) : 0;
    return color_at(waves_ramp, std::clamp(0.5 + 0.5 * root, 0.0, 1.0));
  };

  const Index width = static_cast<Index>(panel_width), height = static_cast<Index>(panel_height);
  Picture picture(2 * width + 3 * margin, top_margin + height + margin + scale_height);
  const auto in_pixels = [&](std::vector<Index> places, double side) {
    for (Index& place : places) place = std::lround(static_cast<double>(place) * side * scale);
    return places;
  };
  const auto draw = [&](Index left, const char* caption, const double* values) {
    const Samples field{rows, cols, values};
    const std::vector<double> shades = hillshade(field, dx, dy);
    const Samples shade{rows, cols, shades.data()};
    picture.write(left, 8, caption);
    for (Index y = 0; y < height; ++y)
      for (Index x = 0; x < width; ++x) {
        const double row = (static_cast<double>(y) + 0.5) / (dy * scale) - 0.5;
        const double col = (static_cast<double>(x) + 0.5) / (dx * scale) - 0.5;
        picture.set(left + x, top_margin + y, lit(color(field.between(row, col)), shade.between(row, col)));
      }
    draw_borders(picture, {left, top_margin, width, height}, in_pixels(borders.rows, dy), in_pixels(borders.cols, dx));
  };
  draw(margin, "before", before);
  draw(2 * margin + width, "after", after);
  const Index top = top_margin + height + margin;
  if (colors == Colors::terrain)
    draw_scale(picture, 2 * width + 3 * margin, top, lowest, highest,
               [](double t) { return color_at(terrain_ramp, t); });
  else
    draw_scale(picture, 2 * width + 3 * margin, top, -amplitude, amplitude, [](double t) {
      return color_at(waves_ramp, 0.5 + std::copysign(std::sqrt(std::fabs(2 * t - 1)), t - 0.5) / 2);
    });
  picture.save(path);
}

}  // namespace examples
