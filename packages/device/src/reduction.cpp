#include "reduction.hpp"

#include "module.hpp"
#include "reduce.hpp"
#include "tables.hpp"
#include <tridap/detail/refuse.hpp>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace tridap::device {

namespace {

using redistribute::DeviceReduction;

/// The elements that count, as a kernel finds them.
class Elements {
 public:
  explicit Elements(const DeviceReduction& reduction)
      : what_(reduction.what), from_(reduction.from), with_(reduction.with) {
    const bool is_pair = with_.data != nullptr;
    std::vector<std::size_t> order(from_.shape.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::abs(from_.strides[a]) > std::abs(from_.strides[b]);
    });
    for (const std::size_t axis : order) {
      const ReduceAxis all{from_.shape[axis], {from_.strides[axis], is_pair ? with_.strides[axis] : 0}, nullptr};
      if (axis < reduction.kept.size() && reduction.kept[axis])
        add(all, *reduction.kept[axis]);
      else
        add(all);
    }
    if (axes_.size() > most_axes)
      refuse("an array of " + std::to_string(from_.shape.size()) + " axes is reduced", "must have at most 33", "");
  }

  Index count() const { return count_; }

  /// Copies the lists to the device. Throws Error.
  ReduceTask task() {
    ReduceTask made{};
    made.what = what_;
    made.from[0] = static_cast<const char*>(from_.data);
    made.from[1] = static_cast<const char*>(with_.data);
    made.types[0] = number_of(from_.type);
    made.types[1] = made.from[1] != nullptr ? number_of(with_.type) : made.types[0];
    made.aligned = is_aligned(from_) && (made.from[1] == nullptr || is_aligned(with_));
    made.ndim = static_cast<std::int32_t>(axes_.size());
    made.count = count_;
    if (has_lists_) upload_.send(from_.memory);
    for (std::size_t axis = 0; axis < axes_.size(); ++axis)
      if (lists_[axis]) axes_[axis].kept = upload_.at<Long>(*lists_[axis]);
    std::copy(axes_.begin(), axes_.end(), made.axes);
    return made;
  }

 private:
  static bool is_aligned(const Buffer& buffer) {
    WordSize word;
    word.add(buffer.data);
    for (const Index stride : buffer.strides) word.add(stride);
    return word.bytes() >= part_bytes(buffer.type);
  }

  // Axes that follow one another in memory become one.
  void add(const ReduceAxis& axis) {
    count_ *= axis.extent;
    if (axis.extent == 1) return;
    if (!axes_.empty() && !lists_.back() && axes_.back().steps[0] == axis.extent * axis.steps[0] &&
        axes_.back().steps[1] == axis.extent * axis.steps[1]) {
      axes_.back().extent *= axis.extent;
      std::copy(axis.steps, axis.steps + 2, axes_.back().steps);
    } else {
      axes_.push_back(axis);
      lists_.emplace_back();
    }
  }
  void add(ReduceAxis axis, const std::vector<Index>& list) {
    axis.extent = static_cast<Index>(list.size());
    count_ *= axis.extent;
    axes_.push_back(axis);
    lists_.emplace_back(upload_.add(list));
    has_lists_ = true;
  }

  Reduce what_;
  const Buffer &from_, &with_;
  std::vector<ReduceAxis> axes_;
  std::vector<std::optional<std::size_t>> lists_;  // by axis: where its list is uploaded
  bool has_lists_ = false;
  Upload upload_;
  Index count_ = 1;
};

/// What elements are computed in: each kernel has one.
Number wide_of(const DeviceReduction& reduction) {
  using Kind = ElementType::Kind;
  switch (reduction.what) {
    case Reduce::smallest:
    case Reduce::largest:
      if (reduction.from.type.kind == Kind::signed_integer) return Number::i64;
      break;
    case Reduce::every:
    case Reduce::some:
      return Number::u64;
    case Reduce::magnitudes:
    case Reduce::largest_magnitude:
    case Reduce::squares:
      return Number::f64;
    default:
      break;
  }
  if (reduction.to.kind == Kind::complex) return Number::c128;
  return reduction.to.kind == Kind::floating ? Number::f64 : Number::u64;
}

// What a reduction does with the values of the first one's blocks.
Reduce of_values(Reduce what) {
  switch (what) {
    case Reduce::magnitudes:
    case Reduce::squares:
    case Reduce::dot:
    case Reduce::vdot:
      return Reduce::sum;
    case Reduce::largest_magnitude:
      return Reduce::largest;
    default:
      return what;
  }
}

constexpr Index widest = sizeof(Complex<double>);

/// Memory of a device for the values of blocks, which stays, and who uses it.
struct Partials {
  std::mutex mutex;
  std::map<driver::Context, std::shared_ptr<void>> memory;

  char* of(const Memory& device) {
    const driver::Table& table = driver::need_table(device);
    const driver::InContext in(table, device.device);
    std::shared_ptr<void>& found = memory[in.context()];
    if (!found) found = driver::allocate(device, (most_blocks + 1) * widest);
    return static_cast<char*>(found.get());
  }
};

// Reduces the elements to one value for each block, and these to one, whose address it returns.
const char* run(ReduceTask task, Number wide, char* values, const Memory& memory) {
  const char* const name = wide == Number::i64   ? "i64"
                           : wide == Number::u64 ? "u64"
                           : wide == Number::f64 ? "f64"
                                                 : "c128";
  const Index bytes = wide == Number::c128 ? widest : widest / 2;
  const std::string kernel = std::string("tridap_reduce_") + name;
  const Index blocks = std::min((task.count + threads - 1) / threads, most_blocks);
  task.values = values + widest;
  launch(memory, kernel, static_cast<unsigned>(blocks), threads, &task);
  if (blocks == 1) return task.values;
  task.from[0] = task.from[1] = task.values;
  task.types[0] = task.types[1] = wide;
  task.what = of_values(task.what);
  task.aligned = true;
  task.ndim = 1;
  task.count = blocks;
  task.axes[0] = {blocks, {bytes, 0}, nullptr};
  task.values = values;
  launch(memory, kernel, 1, threads, &task);
  return values;
}

}  // namespace

void reduce(const DeviceReduction& reduction, std::byte* result) {
  static auto& partials = *new Partials;
  const Memory& memory = reduction.from.memory;
  const driver::Table& table = driver::need_table(memory);
  Elements elements(reduction);
  assert(elements.count() > 0);
  const Number wide = wide_of(reduction);
  alignas(widest) std::byte value[widest];
  {
    const std::lock_guard<std::mutex> alone(partials.mutex);
    const char* const found = run(elements.task(), wide, partials.of(memory), memory);
    const driver::InContext in(table, memory.device);
    driver::need_success(table, table.copy_to_host(value, reinterpret_cast<std::uintptr_t>(found), widest, nullptr),
                         "copying a result");
    driver::need_success(table, table.synchronize_stream(nullptr), "reducing elements");
  }
  ElementType to = reduction.to;
  if (to.kind == ElementType::Kind::signed_integer) to.kind = ElementType::Kind::unsigned_integer;
  combine_any({{{1, 0}, {0, 0}}, wide, number_of(to), false}, result, value);
}

}  // namespace tridap::device
