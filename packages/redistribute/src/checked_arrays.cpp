#include "checked_arrays.hpp"

#include "schedule.hpp"
#include <tridap/check.hpp>
#include <tridap/compare.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/device_moves.hpp>
#include <tridap/memory_order.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace tridap::redistribute {

namespace {

bool same_layout(const Buffer& a, const Buffer& b) {
  return a.type == b.type && a.read_only == b.read_only && a.memory.kind == b.memory.kind && a.shape == b.shape &&
         a.strides == b.strides;
}

bool same(const Block& a, const Block& b) { return a.start == b.start && a.stop == b.stop && a.padding == b.padding; }
bool same(const Cyclic& a, const Cyclic& b) { return a.start == b.start && a.block_size == b.block_size; }
bool same(const Unstructured& a, const Unstructured& b) {
  return a.one_to_one == b.one_to_one && a.indices.buffer.data == b.indices.buffer.data &&
         same_layout(a.indices.buffer, b.indices.buffer);
}

bool same(const Dimension& a, const Dimension& b) {
  if (a.size != b.size || a.proc_grid_size != b.proc_grid_size || a.proc_grid_rank != b.proc_grid_rank ||
      a.periodic != b.periodic || a.dist.index() != b.dist.index())
    return false;
  return std::visit([&](const auto& of_a) { return same(of_a, std::get<std::decay_t<decltype(of_a)>>(b.dist)); },
                    a.dist);
}

// The bytes from the lowest to the highest element.
std::pair<std::uintptr_t, std::uintptr_t> extent(const Buffer& buffer) {
  auto low = reinterpret_cast<std::uintptr_t>(buffer.data), high = low + static_cast<std::uintptr_t>(buffer.type.bytes);
  for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
    const Index reach = (buffer.shape[i] - 1) * buffer.strides[i];
    (reach < 0 ? low : high) += static_cast<std::uintptr_t>(reach);
  }
  return {low, high};
}

class Checker {
 public:
  Checker(const PlacedDistribution& placed, Index process, const char* side, Report& report)
      : of_(placed.distribution()), process_(process), side_(std::string("the ") + side), report_(report) {}

  void check(const DistArray& array, Index bytes, bool written) {
    if (add(tridap::check(array.buffer))) return;
    shape(array.buffer);
    if (!array.dim_data.empty()) dimensions(array);
    const Buffer& buffer = array.buffer;
    if (bytes != 0 && buffer.type.bytes != bytes)
      say(side_ + "'s elements have " + std::to_string(buffer.type.bytes) + " bytes",
          "must have " + std::to_string(bytes) + " bytes, as in the plan", "make a plan with this element_bytes");
    if (!buffer.memory.is_on_host() && device_engine() == nullptr)
      say(side_ + " is in " + buffer.memory.name() + " memory",
          "must be in host memory in a program without TriDAP::device",
          "link TriDAP::device, or copy it to host memory");
    if (written && buffer.read_only) say(side_ + " is read-only", "must be writable", "pass a writable array");
    if (written && !memory_order(buffer).is_unique)
      say(side_ + "'s elements may share memory", "must not, because they are written",
          "pass an array whose elements do not overlap");
  }

 private:
  bool add(const Report& found) {
    report_.merge(found);
    return !found.ok();
  }
  void say(std::string fault, std::string must, std::string remedy, std::optional<Index> axis = {}) {
    report_.add(refusal(std::move(fault), std::move(must), std::move(remedy), axis));
  }

  void shape(const Buffer& buffer) {
    const std::vector<Index> wanted = of_.local_shape(process_);
    if (buffer.ndim() != of_.ndim())
      return say(side_ + " has " + std::to_string(buffer.ndim()) + " axes",
                 "must have " + std::to_string(of_.ndim()) + ", as in the plan",
                 "pass this process's part of the array for which the plan was made");
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (buffer.shape[i] != wanted[i])
        say(side_ + "'s extent is " + std::to_string(buffer.shape[i]),
            "must be " + std::to_string(wanted[i]) + ", the elements that this process holds with padding",
            "pass this process's whole part of the array", static_cast<Index>(i));
  }

  // The dim_data must be those of the plan. Version 0.9 describes padded blocks in another way: of these, only the
  // extents are compared.
  void dimensions(const DistArray& array) {
    if (array.ndim() != of_.ndim())
      return say(side_ + "'s dim_data has " + std::to_string(array.ndim()) + " axes",
                 "must have " + std::to_string(of_.ndim()) + ", as in the plan", "make a plan for this array");
    Report ignored;  // check() reports it
    if (read_version(array.version, ignored) == Version::v0_9) return;
    const DimData wanted = of_.dim_data(process_);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (const auto found = first_difference(array.dim_data[i], wanted[i]))
        report_.add({Rule::conversion,
                     {},
                     static_cast<Index>(i),
                     found->key,
                     found->given + " in " + side_ + "'s dim_data",
                     "must be the plan's, " + found->expected,
                     "make a plan for this array"});
  }

  const Distribution& of_;
  Index process_;
  std::string side_;
  Report& report_;
};

}  // namespace

Report check_source(const PlanData& parts, const DistArray& source) {
  Report report;
  if (parts.source.process)
    Checker(parts.source.placed, *parts.source.process, "source", report).check(source, parts.element_bytes, false);
  return report;
}

Report check_move(const PlanData& parts, const DistArray& source, const DistArray& target, bool convert) {
  Report report = check_source(parts, source);
  if (parts.target.process)
    Checker(parts.target.placed, *parts.target.process, "target", report)
        .check(target, convert ? 0 : parts.element_bytes, true);
  if (report.ok() && parts.source.process && parts.target.process &&
      KnownArray(source).meets(source, KnownArray(target), target))
    report.add(
        refusal("the source and the target share memory", "must not overlap", "pass a target with its own memory"));
  return report;
}

KnownArray::KnownArray(const DistArray& array) : array_(array), has_data_(array.buffer.data != nullptr) {
  Buffer& buffer = array_.buffer;
  dense_ = memory_order(buffer).is_contiguous;
  if (buffer.strides == row_major_strides(buffer.shape, buffer.type.bytes)) {
    dense_order_ = 0;
  } else if (buffer.strides == column_major_strides(buffer.shape, buffer.type.bytes)) {
    dense_order_ = 1;
  }
  stream_order_ = order_number(buffer);
  buffer.data = nullptr;
  buffer.owner = nullptr;
}

bool KnownArray::is(const DistArray& array) const {
  return has_data_ == (array.buffer.data != nullptr) && array_.version == array.version &&
         same_layout(array_.buffer, array.buffer) &&
         std::equal(array_.dim_data.begin(), array_.dim_data.end(), array.dim_data.begin(), array.dim_data.end(),
                    [](const Dimension& a, const Dimension& b) { return same(a, b); });
}

bool KnownArray::meets(const DistArray& ours, const KnownArray& other, const DistArray& theirs) const {
  if (element_count(ours.buffer) == 0 || element_count(theirs.buffer) == 0) return false;
  const auto [low, high] = extent(ours.buffer);
  const auto [other_low, other_high] = extent(theirs.buffer);
  const bool one_end = low == other_low || high == other_high;  // where both have an element
  return low < other_high && other_low < high && (dense_ || other.dense_ || one_end);
}

const KnownArray* KnownArrays::find(const DistArray& array) const {
  for (const auto& known : all_)
    if (known && known->is(array)) return known.get();
  return nullptr;
}

void KnownArrays::add(const DistArray& array) {
  auto known = std::make_unique<KnownArray>(array);
  all_[next_] = std::move(known);
  next_ = (next_ + 1) % all_.size();
}

}  // namespace tridap::redistribute
