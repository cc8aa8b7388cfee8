#include "stream.hpp"

namespace tridap::redistribute {

namespace {

// Copies the next `units` of a slot into a run of our buffer.
template <class Copy>
void unpack(const ElementStep& step, const StridedRun& run, Index units, std::byte* here, const std::byte* slot) {
  const Index unit = step.slot_unit();
  if (!step.copies() && run.units == 1) return step.combine(here, run.here_step, slot, unit, units, step.scaling);
  for (; units > 0; units -= run.units, here += run.here_step) {
    const Index now = std::min(run.units, units);
    if (step.copies())
      Copy::run(here, slot, static_cast<std::size_t>(now));
    else
      step.combine(here, step.target_bytes, slot, unit, now, step.scaling);
    slot += now * unit;
  }
}

}  // namespace

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
    cursor_.advance([&, here = loads_[at_].here](const StridedRun& run) {
      const Index now = std::min(units, run.all_units());
      if (now > 0) visit(here + run.here, run, now);
      units -= now;
      return now;
    });
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

template <class Copy>
void Stream::unpack(const std::byte* slot, Index units) {
  advance(units, [&](std::byte* here, const StridedRun& run, Index now) {
    redistribute::unpack<Copy>(step_, run, now, here, slot);
    slot += now * step_.slot_unit();
  });
  Copy::finish();
}

std::byte* Stream::contiguous() const {
  if (loads_.size() != 1 || left_ == 0) return nullptr;
  const StridedRun run = cursor_.run();
  return run.units == left_ ? loads_[0].here + run.here : nullptr;
}

template void Stream::pack<CachedCopy>(std::byte*, Index);
template void Stream::pack<StreamCopy>(std::byte*, Index);
template void Stream::unpack<CachedCopy>(const std::byte*, Index);
template void Stream::unpack<StreamCopy>(const std::byte*, Index);

}  // namespace tridap::redistribute
