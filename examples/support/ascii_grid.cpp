#include "support/ascii_grid.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace examples {
namespace {

constexpr double semi_major_axis = 6378137.0, eccentricity_squared = 0.00669437999014;  // WGS 84; metres
constexpr double radians_per_degree = 3.14159265358979323846 / 180;

enum Field { rows, cols, west, south, cellsize, nodata, field_count };

struct Key {
  std::string_view name;
  Field field;
  double inset = 0;  // cells from the grid's edge to the coordinate
};

constexpr Key keys[] = {{"ncols", cols},          {"nrows", rows},         {"xllcorner", west},
                        {"xllcenter", west, 0.5}, {"yllcorner", south},    {"yllcenter", south, 0.5},
                        {"cellsize", cellsize},   {"nodata_value", nodata}};

const Key* find_key(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const Key* key = std::find_if(std::begin(keys), std::end(keys), [&](const Key& k) { return k.name == lower; });
  return key == std::end(keys) ? nullptr : key;
}

template <class Number>
std::optional<Number> parse(std::string_view word) {
  Number number{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

std::optional<double> parse_finite(std::string_view word) {
  const auto number = parse<double>(word);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::string load(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error) throw std::runtime_error(path + ": cannot be read: " + error.message());
  std::string text(bytes, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(text.data(), static_cast<std::streamsize>(bytes)))
    throw std::runtime_error(path + ": cannot be read: " + std::generic_category().message(errno));
  return text;
}

// Reads the words of a file one after another, with the line of the current word. At the end the word is empty.
class Words {
 public:
  explicit Words(const std::string& path) : path_(path), text_(load(path)) { advance(); }

  std::string_view word() const { return {text_.data() + begin_, end_ - begin_}; }
  bool at_end() const { return begin_ == end_; }
  Index line() const { return line_; }
  Index bytes() const { return static_cast<Index>(text_.size()); }
  Index bytes_left() const { return static_cast<Index>(text_.size() - begin_); }

  void advance() {
    for (begin_ = end_; begin_ < text_.size() && is_space(text_[begin_]); ++begin_) line_ += text_[begin_] == '\n';
    for (end_ = begin_; end_ < text_.size() && !is_space(text_[end_]);) ++end_;
  }

  std::string quoted() const {
    if (at_end()) return "the end of the file";
    std::string text(word().substr(0, 32));
    for (char& c : text) c = std::isprint(static_cast<unsigned char>(c)) ? c : '?';
    return "'" + text + (text.size() < word().size() ? "...'" : "'");
  }

  [[noreturn]] void fail(const std::string& found, const std::string& expected) const {
    throw std::runtime_error(path_ + ":" + std::to_string(line_) + ": found " + found + ", expected " + expected);
  }

 private:
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  std::string path_, text_;
  std::size_t begin_ = 0, end_ = 0;
  Index line_ = 1;
};

std::string shape(const GridHeader& header) {
  return std::to_string(header.rows) + " rows x " + std::to_string(header.cols) + " columns";
}

std::string cell(Index row, Index col) {
  return " in row " + std::to_string(row) + ", column " + std::to_string(col) + " (from 0)";
}

Index count_for(const Key& key, const Words& words) {
  const auto count = parse<Index>(words.word());
  if (!count || *count < 1 || *count > words.bytes())
    words.fail(words.quoted() + " for " + std::string(key.name),
               "a whole number from 1 to " + std::to_string(words.bytes()) + ", the bytes of the file");
  return *count;
}

double number_for(const Key& key, const Words& words) {
  const auto number = parse_finite(words.word());
  if (!number || (key.field == cellsize && *number <= 0))
    words.fail(words.quoted() + " for " + std::string(key.name),
               key.field == cellsize ? "a finite number above 0" : "a finite number");
  return *number;
}

// Stops at the first value.
GridHeader take_header(Words& words) {
  GridHeader header;
  std::array<double, field_count> number{}, inset{};
  std::array<Index, field_count> seen{};  // the line of each field; 0: none yet
  number[nodata] = header.nodata;

  const auto is_key = [](std::string_view word) {  // "nan" is a value
    return !word.empty() && std::isalpha(static_cast<unsigned char>(word[0])) && !parse<double>(word);
  };
  for (; is_key(words.word()); words.advance()) {
    const Key* key = find_key(words.word());
    if (!key) words.fail(words.quoted(), "a number, or a key of an ESRI ASCII grid such as ncols");
    if (Index& line = seen[key->field]; line == 0)
      line = words.line();
    else
      words.fail("a second " + std::string(key->name), "only one: the first is on line " + std::to_string(line));
    words.advance();
    if (key->field == rows) {
      header.rows = count_for(*key, words);
    } else if (key->field == cols) {
      header.cols = count_for(*key, words);
    } else {
      number[key->field] = number_for(*key, words);
      inset[key->field] = key->inset;
    }
  }
  for (const Key& key : keys)
    if (seen[key.field] == 0 && key.field != nodata)
      words.fail("no " + std::string(key.name) + " above", "it in the header");
  const Index most = (words.bytes_left() + 1) / 2;  // at least a digit for each value and a space between two
  if (header.cols > most / header.rows)
    words.fail(shape(header), "at most " + std::to_string(most) + " values in the " +
                                  std::to_string(words.bytes_left()) + " bytes from here");

  header.cellsize = number[cellsize];
  header.west = number[west] - inset[west] * header.cellsize;
  header.south = number[south] - inset[south] * header.cellsize;
  header.nodata = number[nodata];
  if (!(std::abs(header.middle_latitude()) < 90))
    words.fail("a grid whose middle latitude is " + std::to_string(header.middle_latitude()),
               "one between -90 and 90: coordinates are degrees");
  return header;
}

double curvature_term(double latitude) {
  const double sine = std::sin(latitude * radians_per_degree);
  return 1 - eccentricity_squared * sine * sine;
}

void append(std::string& text, double value) {
  char digits[32];
  text.append(digits, std::to_chars(digits, std::end(digits), value, std::chars_format::general, 17).ptr);
}

}  // namespace

double GridHeader::middle_latitude() const { return south + 0.5 * static_cast<double>(rows) * cellsize; }

double GridHeader::cell_width() const {
  const double latitude = middle_latitude();
  return cellsize * radians_per_degree * semi_major_axis * std::cos(latitude * radians_per_degree) /
         std::sqrt(curvature_term(latitude));
}

double GridHeader::cell_height() const {
  return cellsize * radians_per_degree * semi_major_axis * (1 - eccentricity_squared) /
         std::pow(curvature_term(middle_latitude()), 1.5);
}

GridHeader read_header(const std::string& path) {
  Words words(path);
  return take_header(words);
}

void read_window(const std::string& path, const GridHeader& header, const Window& window, double* out) {
  Words words(path);
  const GridHeader own = take_header(words);
  if (own.rows != header.rows || own.cols != header.cols) words.fail(shape(own), shape(header));
  const auto within = [](Index begin, Index end, Index size) { return 0 <= begin && begin <= end && end <= size; };
  if (!within(window.row_begin, window.row_end, own.rows) || !within(window.col_begin, window.col_end, own.cols))
    throw std::runtime_error(path + ": the window of rows " + std::to_string(window.row_begin) + " to " +
                             std::to_string(window.row_end) + " and columns " + std::to_string(window.col_begin) +
                             " to " + std::to_string(window.col_end) + " must lie in " + shape(own));

  for (Index row = 0; row < own.rows; ++row)
    for (Index col = 0; col < own.cols; ++col, words.advance()) {
      if (words.at_end())
        words.fail("the end of the file after " + std::to_string(row * own.cols + col) + " values",
                   std::to_string(own.rows * own.cols) + ": " + shape(own));
      const auto value = parse_finite(words.word());
      if (!value) words.fail(words.quoted() + cell(row, col), "a finite number");
      if (row < window.row_begin || row >= window.row_end || col < window.col_begin || col >= window.col_end) continue;
      if (*value == own.nodata) words.fail("the NODATA value " + words.quoted() + cell(row, col), "a complete field");
      *out++ = *value;
    }
  if (!words.at_end())
    words.fail(words.quoted(), "the end of the file after " + std::to_string(own.rows * own.cols) + " values");
}

void write_grid(const std::string& path, const GridHeader& header, const double* values) {
  std::string text = "ncols " + std::to_string(header.cols) + "\nnrows " + std::to_string(header.rows);
  append(text += "\nxllcorner ", header.west);
  append(text += "\nyllcorner ", header.south);
  append(text += "\ncellsize ", header.cellsize);
  append(text += "\nNODATA_value ", header.nodata);
  text += '\n';
  for (Index row = 0; row < header.rows; ++row)
    for (Index col = 0; col < header.cols; ++col) {
      const double value = values[row * header.cols + col];
      if (!std::isfinite(value))
        throw std::runtime_error(path + ": cannot hold " + std::to_string(value) + cell(row, col) +
                                 ": values must be finite");
      append(text, value);
      text += col + 1 < header.cols ? ' ' : '\n';
    }
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) throw std::runtime_error(path + ": cannot be written: " + std::generic_category().message(errno));
}

}  // namespace examples
