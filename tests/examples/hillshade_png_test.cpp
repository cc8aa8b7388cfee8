#include "support/hillshade_png.hpp"

#include <gtest/gtest.h>
#include <png.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace examples {
namespace {

using Bytes = std::vector<png_byte>;                                 // red, green, blue of each pixel, row by row
using Elevation = std::function<double(double south, double east)>;  // metres, of the cell that many cells away

constexpr Index rows = 6, cols = 10, margin = 12, top_margin = 30, scale_height = 42;

std::vector<double> field(const Elevation& elevation) {
  std::vector<double> values;
  for (Index row = 0; row < rows; ++row)
    for (Index col = 0; col < cols; ++col)
      values.push_back(elevation(static_cast<double>(row), static_cast<double>(col)));
  return values;
}

const Elevation flat = [](double, double) { return 400.0; };
const Elevation rises_east = [](double, double east) { return 10 * east; };
const Elevation rises_west = [](double, double east) { return 90 - 10 * east; };
const Elevation rises_south = [](double south, double) { return 10 * south; };
const Elevation rises_north = [](double south, double) { return 50 - 10 * south; };

struct Picture {
  Index width = 0, height = 0;
  Bytes captions, before, after, scale;  // above the panels, each of them, and below them

  Bytes below(Index x, Index y) const {  // a pixel of the scale
    const auto first = scale.begin() + 3 * (y * width + x);
    return {first, first + 3};
  }
};

Picture read_picture(const std::string& path) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&png, path.c_str()), 0) << png.message;
  png.format = PNG_FORMAT_RGB;
  Bytes bytes(PNG_IMAGE_SIZE(png));
  EXPECT_NE(png_image_finish_read(&png, nullptr, bytes.data(), 0, nullptr), 0) << png.message;

  Picture picture{png.width, png.height, {}, {}, {}, {}};
  picture.captions.assign(bytes.begin(), bytes.begin() + 3 * top_margin * picture.width);
  picture.scale.assign(bytes.end() - 3 * scale_height * picture.width, bytes.end());
  const Index panel_width = (picture.width - 3 * margin) / 2;
  for (Index y = top_margin; y < picture.height - margin - scale_height; ++y) {
    const auto line = bytes.begin() + 3 * (y * picture.width + margin);
    picture.before.insert(picture.before.end(), line, line + 3 * panel_width);
    picture.after.insert(picture.after.end(), line + 3 * (panel_width + margin), line + 3 * (2 * panel_width + margin));
  }
  return picture;
}

double brightness(const Bytes& panel) {
  return std::accumulate(panel.begin(), panel.end(), 0.0) / static_cast<double>(panel.size());
}

class HillshadePng : public testing::Test {
 protected:
  HillshadePng() { std::filesystem::create_directory(folder); }
  ~HillshadePng() override { std::filesystem::remove_all(folder); }

  Picture draw(const Elevation& before, const Elevation& after, double dx = 50, double dy = 50) const {
    write_before_after(path, rows, cols, dx, dy, field(before).data(), field(after).data());
    return read_picture(path);
  }

  bool folder_is_empty() const { return std::filesystem::is_empty(folder); }

  // What drawing throws.
  static std::string refusal(const std::string& to, const Elevation& after = flat, double dx = 50,
                             Index row_count = rows) {
    try {
      write_before_after(to, row_count, cols, dx, 50, field(flat).data(), field(after).data());
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "nothing";
  }

  const std::string folder = testing::TempDir() + "hillshade_png_" + std::to_string(getpid());
  const std::string path = folder + "/picture.png";
};

TEST_F(HillshadePng, PanelsKeepTheGroundsProportions) {
  const Picture square = draw(flat, flat);
  EXPECT_EQ(square.width, 3 * margin + 2 * 20);
  EXPECT_EQ(square.height, top_margin + 12 + margin + scale_height);
  const Picture tall = draw(flat, flat, 50, 100);
  EXPECT_EQ(tall.width, 3 * margin + 2 * 20);
  EXPECT_EQ(tall.height, top_margin + 24 + margin + scale_height);
}

TEST_F(HillshadePng, FlatGroundIsOneColour) {
  const Picture picture = draw(flat, flat);
  EXPECT_EQ(picture.before, picture.after);
  for (std::size_t i = 3; i < picture.before.size(); ++i) ASSERT_EQ(picture.before[i], picture.before[i - 3]);
}

TEST_F(HillshadePng, SlopeFacingTheSunIsBrighterThanOneFacingAway) {
  // A slope that rises to the east faces west, and the sun is in the north-west.
  const Picture west_east = draw(rises_east, rises_west);
  EXPECT_GT(brightness(west_east.before), brightness(west_east.after) + 10);
  const Picture north_south = draw(rises_south, rises_north);
  EXPECT_GT(brightness(north_south.before), brightness(north_south.after) + 10);
}

TEST_F(HillshadePng, SteepnessIsMeasuredInMetres) {
  const Picture near = draw(rises_east, rises_west, 50, 50), far = draw(rises_east, rises_west, 500, 500);
  EXPECT_GT(brightness(far.after), brightness(near.after) + 10);
}

TEST_F(HillshadePng, BothPanelsShareOneScaleOfElevation) {
  const Elevation higher = [](double south, double east) { return rises_east(south, east) + 500; };
  const Picture same = draw(rises_east, rises_east), lifted = draw(rises_east, higher);
  EXPECT_EQ(same.before, same.after);
  EXPECT_NE(lifted.before, lifted.after);
}

TEST_F(HillshadePng, WavesAreBlueBelowZeroRedAboveAndLikeEachOtherInStrength) {
  const auto colour = [&](double height, double other) {  // of flat water, where the other panel is as high as this
    const std::vector<double> here(rows * cols, height), there(rows * cols, other);
    write_before_after(path, rows, cols, 50, 50, here.data(), there.data(), Colors::waves);
    const Bytes panel = read_picture(path).before;
    return std::array<int, 3>{panel[0], panel[1], panel[2]};
  };
  const auto low = colour(-1, 2), zero = colour(0, 2), high = colour(1, 2);
  EXPECT_GT(low[2], low[0] + 40);
  EXPECT_GT(high[0], high[2] + 40);
  EXPECT_LT(std::abs(zero[0] - zero[2]), 10);
  EXPECT_GT(zero[1], 200);
  EXPECT_EQ(colour(-1, -2), low);
  EXPECT_EQ(colour(0, 0), zero);
}

TEST_F(HillshadePng, CellIsDrawnWhereItLies) {
  const Elevation north_east = [](double south, double east) { return south == 0 && east == 9 ? 1.0 : 0.0; };
  const Picture marked = draw([](double, double) { return 0.0; }, north_east);
  const auto pixel = [&](Index x, Index y) {
    const auto first = marked.after.begin() + 3 * (20 * y + x);
    return Bytes(first, first + 3);
  };
  EXPECT_NE(pixel(19, 0), pixel(0, 0));
  EXPECT_EQ(pixel(0, 11), pixel(0, 0));
  EXPECT_EQ(pixel(19, 11), pixel(0, 0));
}

TEST_F(HillshadePng, CaptionsAreDrawnAboveThePanels) {
  const Bytes captions = draw(flat, flat).captions;
  EXPECT_LT(*std::min_element(captions.begin(), captions.end()), 100);
  EXPECT_GT(*std::max_element(captions.begin(), captions.end()), 240);
}

TEST_F(HillshadePng, BordersAreLinesOnBothPanels) {
  write_before_after(path, rows, cols, 50, 50, field(flat).data(), field(flat).data(), Colors::terrain, {{2}, {5, 9}});
  const Picture lined = read_picture(path), plain = draw(flat, flat);
  EXPECT_EQ(lined.before, lined.after);
  for (Index y = 0; y < 12; ++y)
    for (Index x = 0; x < 20; ++x) {
      const auto at = static_cast<std::size_t>(3 * (20 * y + x));
      const bool dark = y == 4 || x == 10 || x == 18;
      const bool beside = std::abs(y - 4) <= 1 || std::abs(x - 10) <= 1 || std::abs(x - 18) <= 1;
      if (!beside) {
        EXPECT_EQ(lined.before[at], plain.before[at]) << x << " " << y;
      }
      EXPECT_EQ(lined.before[at] < plain.before[at], dark) << x << " " << y;
    }
}

TEST_F(HillshadePng, ScaleRunsFromLowToHighAndHasNumbersIfWideEnough) {
  const Picture narrow = draw(rises_east, rises_west);
  const std::vector<double> wide(2 * 100, 3.5);
  write_before_after(path, 2, 100, 50, 50, wide.data(), wide.data());
  const Picture broad = read_picture(path);
  for (const Picture* picture : {&narrow, &broad}) {
    EXPECT_LT(picture->below(margin, 7)[0], picture->below(picture->width - margin - 1, 7)[0] - 100);
    EXPECT_EQ(picture->below(margin, 0), picture->below(margin, 13));
    EXPECT_EQ(picture->below(margin - 1, 7), picture->below(0, 41));  // paper
    bool letters = false;
    for (Index y = 14; y < scale_height; ++y)
      for (Index x = 0; x < picture->width; ++x) letters = letters || picture->below(x, y) != picture->below(0, 41);
    EXPECT_EQ(letters, picture == &broad);
  }
}

TEST_F(HillshadePng, OneCellIsAPicture) {
  const double height = 7;
  write_before_after(path, 1, 1, 50, 50, &height, &height);
  EXPECT_EQ(read_picture(path).width, 3 * margin + 2 * 2);
}

TEST_F(HillshadePng, EarlierPictureIsReplacedAndNothingElseIsLeft) {
  draw(flat, flat);
  draw(rises_east, rises_west);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST_F(HillshadePng, FailureToWriteNamesPathAndReasonAndLeavesNothing) {
  const std::string missing = folder + "/missing/picture.png";
  EXPECT_EQ(refusal(missing), missing + ": cannot be written: No such file or directory");
  EXPECT_TRUE(folder_is_empty());
  std::filesystem::create_directory(path);
  EXPECT_EQ(refusal(path), path + ": cannot be written: Is a directory");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST_F(HillshadePng, WhatCannotBeDrawnIsRefused) {
  const Elevation broken = [](double south, double east) { return south == 2 && east == 7 ? std::nan("") : 0.0; };
  EXPECT_EQ(refusal(path, broken),
            path + ": cannot be drawn: after holds nan in row 2, column 7 (from 0), must be finite");
  EXPECT_EQ(refusal(path, flat, 0),
            path + ": cannot be drawn: a cell is 0.000000 m x 50.000000 m, must be larger than 0");
  EXPECT_EQ(
      refusal(path, flat, 50, 0),
      path + ": cannot be drawn: 0 rows x 10 columns, must be at least one of each and 32768 pixels a side at most");
  EXPECT_NE(refusal(path, flat, 1e-9), "nothing");
  EXPECT_TRUE(folder_is_empty());
}

}  // namespace
}  // namespace examples
