#include <tridap/check.hpp>
#include <tridap/compare.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <string>
#include <utility>

namespace tridap {

namespace {

using Differing = std::optional<KeyDifference>;
constexpr std::array<Index, 2> no_padding{0, 0};

Differing differ(const char* key, Index given, Index expected) {
  if (given == expected) return std::nullopt;
  return KeyDifference{key, std::to_string(given), std::to_string(expected)};
}

std::string text(bool value) { return value ? "true" : "false"; }
std::string text(const std::array<Index, 2>& widths) {
  return "(" + std::to_string(widths[0]) + ", " + std::to_string(widths[1]) + ")";
}

// The global indices of the local ones that a dimension describes. Unless it is right it may be wrong: then they may be
// any.
class Described {
 public:
  Described(const Dimension& dimension, bool is_right) {
    if (const auto* lists = std::get_if<Unstructured>(&dimension.dist)) {
      listed_ = read_indices(lists->indices);
      if (!listed_ && is_right) throw std::bad_alloc();
      if (!listed_) listed_.emplace();
    } else if (const auto* cyclic = std::get_if<Cyclic>(&dimension.dist)) {
      start_ = cyclic->start;
      length_ = std::max<Index>(cyclic->block_size, 1);
      grid_ = dimension.proc_grid_size;
    } else {
      start_ = std::get<Block>(dimension.dist).start;
    }
  }

  std::optional<Index> at(Index local) const {
    if (!listed_) {
      const auto unsigned_ = [](Index number) { return static_cast<std::uint64_t>(number); };  // which may wrap
      return static_cast<Index>(unsigned_(start_) + unsigned_(local / length_ * length_) * unsigned_(grid_) +
                                unsigned_(local % length_));
    }
    if (local >= static_cast<Index>(listed_->size())) return std::nullopt;
    return (*listed_)[static_cast<std::size_t>(local)];
  }

 private:
  std::optional<std::vector<Index>> listed_;
  Index start_ = 0, length_ = 1, grid_ = 1;
};

std::array<Index, 2> padding(const Dimension& dimension) {
  const auto* block = std::get_if<Block>(&dimension.dist);
  return block != nullptr ? block->padding.value_or(no_padding) : no_padding;
}

// The widths of padding that repeats other elements: boundary padding does not.
std::array<Index, 2> repeated(const Dimension& dimension) {
  const bool left = dimension.periodic || dimension.proc_grid_rank > 0;
  const bool right = dimension.periodic || dimension.proc_grid_rank < dimension.proc_grid_size - 1;
  return {left ? padding(dimension)[0] : 0, right ? padding(dimension)[1] : 0};
}

Differing indices_differ(const Dimension& given, const Dimension& expected, Index extent) {
  const Described mine(given, false), other(expected, true);
  for (Index local = 0; local < extent; ++local) {
    const std::optional<Index> index = mine.at(local);
    if (!index) break;  // the extents differ
    if (index != other.at(local))
      return KeyDifference{"index", std::to_string(*index) + " at local index " + std::to_string(local),
                           std::to_string(*other.at(local)) + " there"};
  }
  return std::nullopt;
}

Differing shares_differ(const Dimension& given, const Dimension& expected, Index extent) {
  if (repeated(given) != repeated(expected) && given.periodic != expected.periodic)
    return KeyDifference{"periodic", text(given.periodic), text(expected.periodic)};
  if (repeated(given) != repeated(expected))
    return KeyDifference{"padding", text(repeated(given)), text(repeated(expected))};
  if (given.dist_type() != expected.dist_type()) {
    if (!indices_differ(given, expected, extent)) return std::nullopt;
    return KeyDifference{"dist_type", std::string("'") + given.dist_type() + "'",
                         std::string("'") + expected.dist_type() + "'"};
  }
  if (const auto* block = std::get_if<Block>(&given.dist))
    return differ("start", block->start, std::get<Block>(expected.dist).start);
  if (const auto* cyclic = std::get_if<Cyclic>(&given.dist)) {
    const auto& other = std::get<Cyclic>(expected.dist);
    if (auto found = differ("start", cyclic->start, other.start)) return found;
    const auto found = differ("block_size", cyclic->block_size, other.block_size);
    return found && indices_differ(given, expected, extent) ? found : std::nullopt;
  }
  return indices_differ(given, expected, extent);
}

// Elements in the local buffer; nothing for a description that is wrong. A list is not examined: it may be long.
std::optional<Index> extent_of(const Dimension& dimension, Version version) {
  Report ignored;
  if (const auto* listed = std::get_if<Unstructured>(&dimension.dist)) {
    const Buffer& indices = listed->indices.buffer;
    return indices.ndim() == 1 ? std::optional(indices.shape[0]) : std::nullopt;
  }
  return check_dimension(dimension, 0, ignored, version);
}

}  // namespace

std::optional<KeyDifference> first_difference(const Dimension& given, const Dimension& expected, Version version) {
  if (auto found = differ("size", given.size, expected.size)) return found;
  if (auto found = differ("proc_grid_size", given.proc_grid_size, expected.proc_grid_size)) return found;
  if (auto found = differ("proc_grid_rank", given.proc_grid_rank, expected.proc_grid_rank)) return found;
  const std::optional<Index> extent = extent_of(expected, version), theirs = extent_of(given, version);
  if (*extent > 0)
    if (auto found = shares_differ(given, expected, *extent)) return found;
  if (theirs) return differ("local extent", *theirs, *extent);
  return KeyDifference{"local extent", "not one that a rule allows", std::to_string(*extent)};
}

std::optional<Mismatch> mismatch(const DistArray& array, const Distribution& distribution, Index process) {
  Report ignored;  // the array is correct, and so its version is known
  const Version version = read_version(array.version, ignored).value();
  const DimData expected = distribution.dim_data(process, version);
  const auto axes = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " axis" : " axes"); };
  if (array.dim_data.size() != expected.size()) return Mismatch{{}, axes(array.dim_data.size()), axes(expected.size())};
  for (std::size_t axis = 0; axis < expected.size(); ++axis)
    if (const auto found = first_difference(array.dim_data[axis], expected[axis], version))
      return Mismatch{static_cast<Index>(axis), found->given_text(), found->expected_text()};
  return std::nullopt;
}

}  // namespace tridap
