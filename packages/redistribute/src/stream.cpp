#include "stream.hpp"

namespace tridap::redistribute {

namespace {

constexpr std::size_t size(Index bytes) { return static_cast<std::size_t>(bytes); }

}  // namespace

void unpack(const ElementStep& step, const StridedRun& run, Index units, std::byte* here, const std::byte* slot) {
  const Index unit = step.slot_unit();
  if (!step.copies() && run.units == 1) return step.combine(here, run.here_step, slot, unit, units, step.scaling);
  for (; units > 0; units -= run.units, here += run.here_step) {
    const Index now = std::min(run.units, units);
    if (step.copies())
      StreamCopy::run(here, slot, size(now));
    else
      step.combine(here, step.target_bytes, slot, unit, now, step.scaling);
    slot += now * unit;
  }
}

void Stream::begin(Index rank, const ElementStep& step) {
  rank_ = rank;
  step_ = step;
  loads_.clear();
  left_ = 0;
  at_ = 0;
}

void Stream::add(const Load& load) {
  loads_.push_back(load);
  left_ += load.pieces->elements() * (step_.copies() ? load.pieces->here_bytes() : 1);
  if (loads_.size() == 1) cursor_.restart(*load.pieces, step_.copies());
}

// Calls visit(here, run, units) for the next units.
template <class Visit>
void Stream::advance(Index units, Visit&& visit) {
  left_ -= units;
  while (units > 0) {
    const StridedRun run = cursor_.run();
    const Index now = std::min(units, run.all_units());
    visit(loads_[at_].here + run.here, run, now);
    cursor_.skip(now);
    units -= now;
    if (cursor_.left() == 0 && ++at_ < loads_.size()) cursor_.restart(*loads_[at_].pieces, step_.copies());
  }
}

template <class Copy>
void Stream::pack(std::byte* slot, Index units) {
  advance(units, [&](const std::byte* here, const StridedRun& run, Index now) {
    redistribute::pack<Copy>(step_, run, now, here, slot);
    slot += now * step_.slot_unit();
  });
  Copy::finish();
}

template void Stream::pack<CachedCopy>(std::byte*, Index);
template void Stream::pack<StreamCopy>(std::byte*, Index);

void Stream::unpack(const std::byte* slot, Index units) {
  advance(units, [&](std::byte* here, const StridedRun& run, Index now) {
    redistribute::unpack(step_, run, now, here, slot);
    slot += now * step_.slot_unit();
  });
  StreamCopy::finish();
}

}  // namespace tridap::redistribute
