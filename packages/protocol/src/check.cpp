#include "checking.hpp"
#include "extras.hpp"
#include <tridap/axis.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/detail/say.hpp>
#include <tridap/internal/driver.hpp>
#include <tridap/local_part.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace tridap {

Index Reading::default_most_listed() {
  static const Index most = [] {
    constexpr Index usual = 1'000'000;
    const char* const text = std::getenv("TRIDAP_MOST_LISTED");
    char* end = nullptr;
    const long long given = text != nullptr ? std::strtoll(text, &end, 10) : -1;
    const bool right = text != nullptr && end != text && *end == '\0' && given >= 0;
    if (text != nullptr && !right)
      say("TRIDAP_MOST_LISTED is '%s', but must be a whole number of at least 0: 1000000 is used", text);
    return right ? static_cast<Index>(given) : usual;
  }();
  return most;
}

Reading Reading::with_all_lists() {
  Reading reading;
  reading.most_listed = std::numeric_limits<Index>::max();
  return reading;
}

namespace {

// The rules for one dimension alone.
class DimensionCheck {
 public:
  DimensionCheck(const Dimension& dimension, Index axis, Report& report, Version version)
      : d_(dimension), axis_(axis), report_(report), version_(version) {}

  std::optional<Index> run() {
    const Index before = report_.errors();
    if (d_.size < 0) wrong(Rule::size, "size", d_.size, "must be at least 0");
    if (d_.proc_grid_size < 1) wrong(Rule::grid_size, "proc_grid_size", d_.proc_grid_size, "must be at least 1");
    if (d_.proc_grid_rank < 0 || d_.proc_grid_rank >= std::max<Index>(d_.proc_grid_size, 1))
      wrong(Rule::grid_rank, "proc_grid_rank", d_.proc_grid_rank,
            "must be at least 0 and less than proc_grid_size " + std::to_string(d_.proc_grid_size));
    std::visit([this](const auto& kind) { check(kind); }, d_.dist);
    if (d_.periodic && d_.dist_type() != 'b' && version_ == Version::v0_10)
      add(Rule::periodic_kind, "periodic", "true",
          std::string("but it has no meaning for dist_type '") + d_.dist_type() + "'");
    for (const Extra& extra : d_.extras) report_.add(unknown_key(extra, d_, axis_));
    if (report_.errors() > before) return std::nullopt;
    return local_part(d_, Part::local, version_).size();
  }

 private:
  void check(const Block& block) {
    if (block.start < 0) wrong(Rule::block_bounds, "start", block.start, "must be at least 0");
    if (block.stop < block.start)
      wrong(Rule::block_bounds, "stop", block.stop, "must be at least start " + std::to_string(block.start));
    if (block.stop > d_.size)
      wrong(Rule::block_bounds, "stop", block.stop, "must be at most size " + std::to_string(d_.size));
    if (!block.padding) return;
    const auto [left, right] = *block.padding;
    const std::string value = "(" + std::to_string(left) + ", " + std::to_string(right) + ")";
    if (left < 0 || right < 0) return add(Rule::block_padding, "padding", value, "must be two widths of at least 0");
    if (block.start < 0 || block.stop < block.start) return;
    const Index extent = block.stop - block.start;
    const bool all_inside = version_ == Version::v0_10;  // 0.9: only boundary padding is inside [start, stop)
    const auto [before, behind] = communication_widths(d_, version_);
    const Index lower = all_inside ? left : left - before, upper = all_inside ? right : right - behind;
    if (lower > extent || upper > extent - lower)
      add(Rule::block_padding, "padding", value, "must fit into stop - start = " + std::to_string(extent));
    else if (!all_inside && (before > most_before(block) || behind > most_behind(block) ||
                             !checked_add(extent, before) || !checked_add(extent + before, behind)))
      add(Rule::block_padding_owned, "padding", value,
          "but the other processes own at most " + std::to_string(most_before(block)) + " elements before it and " +
              std::to_string(most_behind(block)) + " after it");
  }

  // The most elements that the processes before and after this one can own in 0.9, where [start, stop) is the owned
  // range.
  Index most_before(const Block& block) const { return d_.periodic ? d_.size : std::min(block.start, d_.size); }
  Index most_behind(const Block& block) const {
    return d_.periodic ? d_.size : d_.size - std::min(block.stop, d_.size);
  }

  void check(const Cyclic& cyclic) {
    const Index grid = d_.proc_grid_size;
    if (cyclic.start < 0) wrong(Rule::cyclic_start, "start", cyclic.start, "must be at least 0");
    if (cyclic.block_size < 1) wrong(Rule::cyclic_block_size, "block_size", cyclic.block_size, "must be at least 1");
    if (cyclic.start < 0 || cyclic.block_size < 1 || grid < 1 || cyclic.start >= d_.size) return;
    if (cyclic.start % cyclic.block_size != 0)
      wrong(Rule::cyclic_start, "start", cyclic.start,
            "must be a multiple of block_size " + std::to_string(cyclic.block_size));
    else if (cyclic.start / cyclic.block_size >= grid)
      wrong(Rule::cyclic_start, "start", cyclic.start,
            "must be less than proc_grid_size * block_size = " + std::to_string(grid * cyclic.block_size));
  }

  void check(const Unstructured& unstructured) {
    const Buffer& buffer = unstructured.indices.buffer;
    if (buffer.ndim() == 1 && d_.size >= 0 &&
        buffer.shape[0] > d_.size)  // before any index is read: the count may be wrong
      return add(Rule::unstructured_size, "size", std::to_string(d_.size),
                 "must be at least the " + std::to_string(buffer.shape[0]) + " indices of this process");
    std::optional<std::vector<Index>> indices = read_indices(unstructured.indices);
    if (!indices) {
      std::string value =
          "a " + std::to_string(buffer.ndim()) + "-d " + buffer.memory.name() + " buffer of " + buffer.type.name();
      if (buffer.ndim() == 1 && buffer.shape[0] < 0)
        value = "a buffer of " + std::to_string(buffer.shape[0]) + " elements";
      return add(Rule::unstructured_indices, "indices", value,
                 "must be a one-dimensional host buffer of integers that fit 64 bits");
    }
    if (!std::is_sorted(indices->begin(), indices->end())) std::sort(indices->begin(), indices->end());
    for (auto at = indices->begin(); (at = std::adjacent_find(at, indices->end())) != indices->end();) {
      add(Rule::unstructured_unique, "indices", "a list with " + std::to_string(*at) + " more than once",
          "but an index must be in the list of a process once");
      at = std::upper_bound(at, indices->end(), *at);
    }
  }

  void wrong(Rule rule, const char* key, Index value, std::string must) {
    add(rule, key, std::to_string(value), std::move(must));
  }
  void add(Rule rule, std::string key, std::string value, std::string must) {
    report_.add({rule, {}, axis_, std::move(key), std::move(value), std::move(must), ""});
  }

  const Dimension& d_;
  Index axis_;
  Report& report_;
  Version version_;
};

// True if the elements can be visited by the extents and strides.
bool check_buffer(const Buffer& buffer, Report& report) {
  const auto wrong = [&](Rule rule, std::string fault) {
    report.add({rule, {}, {}, "", std::move(fault), rule_text(rule).says, ""});
    return false;
  };
  if (buffer.strides.size() != buffer.shape.size())
    return wrong(Rule::buffer_layout, "the buffer has " + std::to_string(buffer.ndim()) + " extents and " +
                                          std::to_string(static_cast<Index>(buffer.strides.size())) + " strides");
  for (Index extent : buffer.shape)
    if (extent < 0) return wrong(Rule::buffer_layout, "the buffer has an extent of " + std::to_string(extent));
  if (buffer.type.bytes < 1)
    return wrong(Rule::buffer_type, "the buffer's elements are " + std::to_string(buffer.type.bytes) + " bytes long");
  const std::optional<Index> count = checked_product(buffer.shape);
  if (!count || !checked_multiply(*count, buffer.type.bytes))
    return wrong(Rule::buffer_layout, "the product of the buffer's extents does not fit 64 bits");
  if (*count == 0) return true;
  if (buffer.data == nullptr && buffer.memory.kind != Memory::Kind::nowhere)
    return wrong(Rule::buffer_data, "the buffer's address is null");
  Index span = buffer.type.bytes;
  for (std::size_t axis = 0; axis < buffer.shape.size(); ++axis) {
    const Index stride = buffer.shape[axis] > 1 ? buffer.strides[axis] : 0;  // the stride of one element is not used
    const bool lowest = stride == std::numeric_limits<Index>::min();
    const auto reach = checked_multiply(buffer.shape[axis] - 1, lowest ? 0 : std::abs(stride));
    const auto sum = reach ? checked_add(span, *reach) : std::nullopt;
    if (!sum || lowest)
      return wrong(Rule::buffer_layout,
                   "the bytes from the lowest to the highest element of the buffer do not fit 64 bits");
    span = *sum;
  }
  if (std::optional<Finding> wrong_place = driver::wrong_place(buffer)) {
    report.add(std::move(*wrong_place));
    return false;
  }
  return true;
}

using Held = SmallList<std::optional<Index>, 4>;  // by axis: the elements that the dimension holds on this process

Held held(const DistArray& array, Version version, Report& report) {
  Held all;
  for (Index axis = 0; axis < array.ndim(); ++axis)
    all.push_back(check_dimension(array.dim_data[static_cast<std::size_t>(axis)], axis, report, version));
  return all;
}

bool fits(const Held& held, const Buffer& buffer) {
  if (buffer.shape.size() != held.size()) return false;
  for (std::size_t axis = 0; axis < held.size(); ++axis)
    if (!held[axis] || *held[axis] != buffer.shape[axis]) return false;
  return true;
}

// What may be meant if a buffer holds more elements than a block without padding: an inclusive `stop`, or a halo. Each
// remedy is complete for one process. Empty: neither fits.
std::string longer_block(const Dimension& d, Index extent, Index held, Version version) {
  const auto* block = std::get_if<Block>(&d.dist);
  if (block == nullptr || extent <= held ||
      block->padding.value_or(std::array<Index, 2>{0, 0}) != std::array<Index, 2>{0, 0})
    return "";
  std::string remedy;
  const auto either = [&](const std::string& other) { remedy += (remedy.empty() ? "" : ", or ") + other; };
  if (extent - held == 1 && block->stop < d.size)
    either("set 'stop' to " + std::to_string(block->stop + 1) +
           " if it is the last index: it must be the one after it");
  const Index before = d.proc_grid_rank > 0 ? 1 : 0, behind = d.proc_grid_rank < d.proc_grid_size - 1 ? 1 : 0;
  const Index neighbours = before + behind, width = neighbours > 0 ? (extent - held) / neighbours : 0;
  if (width == 0 || width * neighbours != extent - held) return remedy;
  const Index left = before * width, right = behind * width;
  if (left > block->start || right > d.size - block->stop) return remedy;
  std::string halo =
      "if the buffer has a halo, give 'padding' (" + std::to_string(left) + ", " + std::to_string(right) + ")";
  if (version == Version::v0_10)
    halo += ", 'start' " + std::to_string(block->start - left) + " and 'stop' " + std::to_string(block->stop + right);
  either(halo);
  return remedy;
}

void check_extents(const DistArray& array, const Held& held, bool other_fits, Version version, Report& report) {
  const Buffer& buffer = array.buffer;
  if (buffer.shape.size() == held.size()) {
    const std::string other = version == Version::v0_9 ? "0.10" : "0.9";
    for (std::size_t axis = 0; axis < held.size(); ++axis) {
      if (!held[axis] || buffer.shape[axis] == *held[axis]) continue;
      std::string remedy = longer_block(array.dim_data[axis], buffer.shape[axis], *held[axis], version);
      if (other_fits)
        remedy = "it would fit as version " + other + ": correct '__version__', or read with trust_extent";
      report.add(refusal(
          "the buffer's extent is " + std::to_string(buffer.shape[axis]),
          "must be " + std::to_string(*held[axis]) + ", the number of elements that dim_data gives this process",
          std::move(remedy), static_cast<Index>(axis), Rule::shape_extent));
    }
    return;
  }
  // Example 2.1 of 0.10.0 prints a 1-D buffer under two dictionaries: an error whose remedy is the reshape that would
  // do.
  std::string shape;
  std::vector<Index> extents;
  for (const std::optional<Index>& extent : held) {
    extents.push_back(extent.value_or(-1));
    shape += (shape.empty() ? "" : " x ") + std::to_string(extents.back());
  }
  const bool known = std::none_of(extents.begin(), extents.end(), [](Index extent) { return extent < 0; });
  const bool reshapes = known && checked_product(extents) == checked_product(buffer.shape);
  report.add(refusal(
      "the buffer has " + std::to_string(buffer.ndim()) + " axes and dim_data has " + std::to_string(array.ndim()),
      "but both must have the same", reshapes && !shape.empty() ? "reshape the buffer to " + shape : "", {},
      Rule::shape_ndim));
}

// The rules between processes that one process can check alone. The first share begins the axis and the last one ends
// it; an empty share may be at `size`. If there is one process along the axis, all rules can be checked. If the
// dimensions of all processes are known, Axis::make() compares every share with its neighbours instead.
void check_alone(const Dimension& d, Index axis, Version version, Report& report) {
  const auto wrong = [&](const char* key, Index value, std::string must) {
    report.add({Rule::block_tiling, {}, axis, key, std::to_string(value), std::move(must), ""});
  };
  const auto* const block = std::get_if<Block>(&d.dist);
  if (block != nullptr && d.proc_grid_rank == 0 && block->start != 0 && block->start != d.size)
    return wrong("start", block->start, "must be 0 on the first process of the axis");
  if (block != nullptr && d.proc_grid_rank == d.proc_grid_size - 1 && block->stop != d.size)
    return wrong("stop", block->stop, "must be size " + std::to_string(d.size) + " on the last process of the axis");
  if (d.proc_grid_size > 1) return;
  if (block != nullptr && block->start == 0 && !block->padding) return;  // all of the axis, and nothing else to check
  Report found;
  Axis::make({d}, axis, found, version);
  std::vector<Finding> findings = found.findings();
  for (Finding& finding : findings)
    finding.process.reset();  // it is the coordinate 0, not the rank, which is unknown here
  report.merge(Report::from_parts(std::move(findings), found.counts()));
}

}  // namespace

bool fits_version(const DistArray& array, Version version) {
  Report ignored;
  return fits(held(array, version, ignored), array.buffer);
}

Report check(const Buffer& buffer) {
  Report report;
  check_buffer(buffer, report);
  return report;
}

std::optional<Index> check_dimension(const Dimension& dimension, Index axis, Report& report, Version version) {
  return DimensionCheck(dimension, axis, report, version).run();
}

Report check_as(const DistArray& array, Version version) {
  Report report;
  const bool buffer_ok = check_buffer(array.buffer, report);
  const Held found = held(array, version, report);
  IndexList grid;
  for (const Dimension& dimension : array.dim_data) grid.push_back(std::max<Index>(dimension.proc_grid_size, 1));
  if (!checked_product(grid))
    report.add({Rule::grid_product, {}, {}, "", "the product of all 'proc_grid_size' does not fit 64 bits", "", ""});
  if (buffer_ok && !fits(found, array.buffer))
    check_extents(array, found, fits_version(array, other(version)), version, report);
  return report;
}

Finding trusted(Version stamped) {
  return key_fault(Rule::version_extent, {}, "__version__", std::string("'") + stamp(stamped) + "'",
                   std::string("but the buffer's extents agree with ") + stamp(other(stamped)));
}

Report check(const DistArray& array, const Reading& reading) {
  Report report;
  const std::optional<Version> stamped = read_version(array.version, report);
  Version version = stamped.value_or(Version::v0_10);
  if (reading.trust_extent && stamped && !fits_version(array, version) && fits_version(array, other(version))) {
    report.add(trusted(version));
    version = other(version);
  }
  Report found = check_as(array, version);
  if (found.ok())
    for (Index axis = 0; axis < array.ndim(); ++axis)
      check_alone(array.dim_data[static_cast<std::size_t>(axis)], axis, version, found);
  if (!found.counts().empty()) report.merge(found);
  return report;
}

}  // namespace tridap
