#include "support/ascii_grid.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace examples {
namespace {

const std::string header_lines =
    "ncols 3\nnrows 2\nxllcorner -84.5\nyllcorner 36.25\ncellsize 0.5\nNODATA_value -9999\n";
const Window whole{0, 2, 0, 3};

class AsciiGrid : public testing::Test {
 protected:
  ~AsciiGrid() override { std::remove(path.c_str()); }

  void write(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }

  std::vector<double> read(const std::string& text, const Window& window = whole) const {
    write(text);
    const GridHeader header = read_header(path);
    std::vector<double> values(
        static_cast<std::size_t>((window.row_end - window.row_begin) * (window.col_end - window.col_begin)));
    read_window(path, header, window, values.data());
    return values;
  }

  // What reading `text` throws, after the path that it begins with.
  std::string refusal(const std::string& text, const Window& window = whole) const {
    try {
      read(text, window);
    } catch (const std::runtime_error& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.rfind(path + ":", 0), 0u) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      return message.substr(path.size());
    }
    return "nothing";
  }

  const std::string path = testing::TempDir() + "ascii_grid_" + std::to_string(getpid()) + ".asc";
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST_F(AsciiGrid, RowsAreReadFromTheNorthAndColumnsFromTheWest) {
  EXPECT_EQ(read(header_lines + "1 2 3\n4 5 6\n"), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST_F(AsciiGrid, HeaderValuesAreThoseOfTheFile) {
  write(header_lines + "1 2 3\n4 5 6\n");
  const GridHeader header = read_header(path);
  EXPECT_EQ(header.rows, 2);
  EXPECT_EQ(header.cols, 3);
  EXPECT_EQ(header.west, -84.5);
  EXPECT_EQ(header.south, 36.25);
  EXPECT_EQ(header.cellsize, 0.5);
  EXPECT_EQ(header.nodata, -9999);
  EXPECT_EQ(header.middle_latitude(), 36.75);
}

TEST_F(AsciiGrid, KeysHaveAnyCaseAndOrderAndNodataMayBeAbsent) {
  write("CELLSIZE 0.5\r\nXllCorner 1\r\nYLLCORNER 2\r\nNRows 1\r\nNCOLS 2\r\n7 8");
  const GridHeader header = read_header(path);
  EXPECT_EQ(header.rows, 1);
  EXPECT_EQ(header.cols, 2);
  EXPECT_EQ(header.nodata, -9999);
}

TEST_F(AsciiGrid, CentersLieHalfACellInsideTheEdges) {
  write("ncols 1\nnrows 1\ncellsize 0.5\nxllcenter -84.25\nyllcenter 36.5\n7");
  EXPECT_EQ(read_header(path).west, -84.5);
  EXPECT_EQ(read_header(path).south, 36.25);
}

TEST_F(AsciiGrid, EveryWindowIsThatPartOfTheWhole) {
  for (Index row_begin = 0; row_begin <= 2; ++row_begin)
    for (Index row_end = row_begin; row_end <= 2; ++row_end)
      for (Index col_begin = 0; col_begin <= 3; ++col_begin)
        for (Index col_end = col_begin; col_end <= 3; ++col_end) {
          std::vector<double> expected;
          for (Index row = row_begin; row < row_end; ++row)
            for (Index col = col_begin; col < col_end; ++col) expected.push_back(static_cast<double>(10 * row + col));
          EXPECT_EQ(read(header_lines + "0 1 2 10 11 12", {row_begin, row_end, col_begin, col_end}), expected);
        }
}

TEST_F(AsciiGrid, WindowBeyondTheGridIsRefused) {
  const std::string values = header_lines + "1 2 3\n4 5 6\n";
  EXPECT_EQ(refusal(values, {0, 3, 0, 1}),
            ": the window of rows 0 to 3 and columns 0 to 1 must lie in 2 rows x 3 columns");
  for (const Window& window : {Window{-1, 0, 0, 1}, Window{0, 1, 0, 4}, Window{0, 1, -1, 1}}) {
    std::vector<double> out(8);
    EXPECT_THROW(read_window(path, read_header(path), window, out.data()), std::runtime_error);
  }
}

TEST_F(AsciiGrid, FileOfAnotherShapeThanItsHeaderSaidIsRefused) {
  write(header_lines + "1 2 3\n4 5 6\n");
  GridHeader header = read_header(path);
  header.rows = 1;
  double out[6];
  EXPECT_THROW(read_window(path, header, {0, 1, 0, 1}, out), std::runtime_error);
}

TEST_F(AsciiGrid, MissingFileNamesPathAndReason) {
  try {
    read_header(path);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), path + ": cannot be read: No such file or directory");
  }
  EXPECT_THROW(read_header(testing::TempDir()), std::runtime_error);
}

TEST_F(AsciiGrid, FaultyHeaderNamesLineAndKey) {
  const std::string text = header_lines + "1 2 3\n4 5 6\n";
  EXPECT_EQ(refusal(""), ":1: found no ncols above, expected it in the header");
  EXPECT_EQ(refusal(replaced(text, "nrows 2\n", "")), ":6: found no nrows above, expected it in the header");
  EXPECT_EQ(refusal(replaced(text, "nrows 2", "ncols 2")),
            ":2: found a second ncols, expected only one: the first is on line 1");
  EXPECT_EQ(refusal(replaced(text, "nrows 2", "nrows 2\nXLLCENTER 4")),
            ":4: found a second xllcorner, expected only one: the first is on line 3");
  EXPECT_EQ(refusal(replaced(text, "nrows", "nraws")),
            ":2: found 'nraws', expected a number, or a key of an ESRI ASCII grid such as ncols");
  EXPECT_EQ(refusal(replaced(text, "-84.5", "west")), ":3: found 'west' for xllcorner, expected a finite number");
  EXPECT_EQ(refusal(replaced(text, "-84.5", "nan")), ":3: found 'nan' for xllcorner, expected a finite number");
  EXPECT_EQ(refusal(replaced(text, "0.5", "-0.5")), ":5: found '-0.5' for cellsize, expected a finite number above 0");
  EXPECT_EQ(
      refusal(replaced(text, "36.25", "4072345")),
      ":7: found a grid whose middle latitude is 4072345.500000, expected one between -90 and 90: coordinates are "
      "degrees");
  EXPECT_EQ(refusal("ncols"),
            ":1: found the end of the file for ncols, expected a whole number from 1 to 5, the bytes of the file");
}

TEST_F(AsciiGrid, CountsAreWholeAndPositiveAndFitTheFile) {
  const std::string text = header_lines + "1 2 3\n4 5 6\n";
  for (const char* count : {"0", "-2", "2.5", "two", "1e3", "200", "99999999999999999999"})
    EXPECT_EQ(refusal(replaced(text, "nrows 2", std::string("nrows ") + count)),
              std::string(":2: found '") + count + "' for nrows, expected a whole number from 1 to " +
                  std::to_string(text.size() - 1 + std::string(count).size()) + ", the bytes of the file");
}

TEST_F(AsciiGrid, ShapeThatTheFileCannotHoldIsRefusedBeforeItsValues) {
  const std::string text = replaced(replaced(header_lines, "ncols 3", "ncols 70"), "nrows 2", "nrows 80");
  EXPECT_EQ(refusal(text + "1 2 3\n"),
            ":7: found 80 rows x 70 columns, expected at most 3 values in the 6 bytes from here");
  EXPECT_EQ(refusal(header_lines + "1 2 3 4 5"),
            ":7: found 2 rows x 3 columns, expected at most 5 values in the 9 bytes from here");
}

TEST_F(AsciiGrid, WordThatIsNoNumberNamesRowAndColumn) {
  for (const char* word : {"12x", "1,5", "0x10", "--4", "1e999", "nan", "-inf"})
    EXPECT_EQ(refusal(header_lines + "1 2 3\n4 " + word + " 6\n"),
              std::string(":8: found '") + word + "' in row 1, column 1 (from 0), expected a finite number");
  EXPECT_EQ(refusal(header_lines + "nan 2 3\n4 5 6\n", {1, 2, 0, 3}),
            ":7: found 'nan' in row 0, column 0 (from 0), expected a finite number");
}

TEST_F(AsciiGrid, UnprintableWordIsShownInOneShortLine) {
  EXPECT_EQ(refusal(header_lines + "1 \x01\xff" + std::string(100, '7') + " 3 4 5 6"),
            ":7: found '??" + std::string(30, '7') + "...' in row 0, column 1 (from 0), expected a finite number");
}

TEST_F(AsciiGrid, TooFewValuesNamesFileAndCount) {
  EXPECT_EQ(refusal(header_lines + "111 222 333\n444 555\n"),
            ":9: found the end of the file after 5 values, expected 6: 2 rows x 3 columns");
}

TEST_F(AsciiGrid, AnythingAfterTheLastValueIsRefused) {
  EXPECT_EQ(refusal(header_lines + "1 2 3\n4 5 6 7\n"), ":8: found '7', expected the end of the file after 6 values");
  EXPECT_EQ(refusal(header_lines + "1 2 3\n4 5 6\nend", {0, 0, 0, 0}),
            ":9: found 'end', expected the end of the file after 6 values");
}

TEST_F(AsciiGrid, CellWithoutDataIsRefusedOnlyInItsWindow) {
  const std::string text = header_lines + "1 2 3\n4 -9999.0 6\n";
  EXPECT_EQ(refusal(text, {1, 2, 1, 3}),
            ":8: found the NODATA value '-9999.0' in row 1, column 1 (from 0), expected a complete field");
  EXPECT_EQ(read(text, {0, 2, 2, 3}), (std::vector<double>{3, 6}));
}

TEST_F(AsciiGrid, WhatIsWrittenIsReadBackExactly) {
  const GridHeader header{2, 3, -84.1, 36.1, 1.0 / 1200, -1};
  const std::vector<double> values{0.1, 1.0 / 3, -5e-324, std::numeric_limits<double>::max(), 305, -0.0};
  write_grid(path, header, values.data());
  const GridHeader again = read_header(path);
  EXPECT_EQ(again.rows, header.rows);
  EXPECT_EQ(again.cols, header.cols);
  EXPECT_EQ(again.west, header.west);
  EXPECT_EQ(again.south, header.south);
  EXPECT_EQ(again.cellsize, header.cellsize);
  EXPECT_EQ(again.nodata, header.nodata);
  std::vector<double> copy(6);
  read_window(path, again, whole, copy.data());
  EXPECT_EQ(copy, values);
  EXPECT_TRUE(std::signbit(copy[5]));
}

TEST_F(AsciiGrid, WhatCannotBeWrittenIsRefused) {
  const GridHeader header{1, 2, 0, 0, 1, -9999};
  const double values[] = {1, 2}, broken[] = {1, std::nan("")};
  EXPECT_THROW(write_grid(path, header, broken), std::runtime_error);
  EXPECT_FALSE(std::ifstream(path).good());
  EXPECT_THROW(write_grid(testing::TempDir() + "no_such_folder/grid.asc", header, values), std::runtime_error);
}

TEST(GridHeader, CellsHaveTheirSizeOnTheEllipsoid) {
  // One degree at the equator and at 45 degrees north, as tabulated for WGS 84: 110574, 111320, 111132, 78847 m.
  const GridHeader equator{1, 1, 0, -0.5, 1, -9999}, middle{1, 1, 0, 44.5, 1, -9999};
  EXPECT_NEAR(equator.cell_height(), 110574, 1);
  EXPECT_NEAR(equator.cell_width(), 111320, 1);
  EXPECT_NEAR(middle.cell_height(), 111132, 1);
  EXPECT_NEAR(middle.cell_width(), 78847, 1);
}

TEST(Jacksboro, IsTheElevationModelAsPublished) {
  const std::string path = EXAMPLES_DATA_DIR "/jacksboro.asc";
  const GridHeader header = read_header(path);
  ASSERT_EQ(header.rows, 344);
  ASSERT_EQ(header.cols, 403);
  EXPECT_NEAR(header.cell_width(), 74.85, 0.01);
  EXPECT_NEAR(header.cell_height(), 92.47, 0.01);
  std::vector<double> elevation(344 * 403);
  read_window(path, header, {0, 344, 0, 403}, elevation.data());
  EXPECT_EQ(*std::min_element(elevation.begin(), elevation.end()), 236);
  EXPECT_EQ(std::accumulate(elevation.begin(), elevation.end(), 0.0), 73617913);

  // Its summit is Cross Mountain: 1077 m at 36.19833 north, 84.23056 west.
  const auto highest = std::max_element(elevation.begin(), elevation.end()) - elevation.begin();
  EXPECT_EQ(elevation[static_cast<std::size_t>(highest)], 1076);
  EXPECT_NEAR(header.south + (344 - 0.5 - static_cast<double>(highest / 403)) * header.cellsize, 36.19833, 0.001);
  EXPECT_NEAR(header.west + (0.5 + static_cast<double>(highest % 403)) * header.cellsize, -84.23056, 0.001);
}

}  // namespace
}  // namespace examples
