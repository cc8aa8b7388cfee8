#include "stream.hpp"

namespace tridap::redistribute {

namespace {

// Copies the next `units` of a slot into a run of our buffer.
template <class Copy>
void unpack(const ElementStep& step, const Cursor::Run& run, Index units, std::byte* here, const std::byte* slot) {
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
  arrays_.clear();
  left_ = 0;
  at_ = 0;
}

void Stream::add(const Pieces& pieces, std::byte* here, MPI_Datatype type) {
  arrays_.push_back({&pieces, here, type});
  left_ += pieces.elements() * (step_.copies() ? pieces.here_bytes() : 1);
  if (arrays_.size() == 1) cursor_.restart(pieces, step_.copies());
}

// Calls visit(here, run, units) for the next units.
template <class Visit>
void Stream::advance(Index units, Visit&& visit) {
  left_ -= units;
  while (units > 0) {
    cursor_.advance([&, here = arrays_[at_].here](const Cursor::Run& run) {
      const Index now = std::min(units, run.all_units());
      if (now > 0) visit(here + run.here, run, now);
      units -= now;
      return now;
    });
    if (cursor_.left() == 0 && ++at_ < arrays_.size()) cursor_.restart(*arrays_[at_].pieces, step_.copies());
  }
}

template <class Copy>
void Stream::pack(std::byte* slot, Index units) {
  advance(units, [&](const std::byte* here, const Cursor::Run& run, Index now) {
    redistribute::pack<Copy>(step_, run, now, here, slot);
    slot += now * step_.slot_unit();
  });
  Copy::finish();
}

template <class Copy>
void Stream::unpack(const std::byte* slot, Index units) {
  advance(units, [&](std::byte* here, const Cursor::Run& run, Index now) {
    redistribute::unpack<Copy>(step_, run, now, here, slot);
    slot += now * step_.slot_unit();
  });
  Copy::finish();
}

std::byte* Stream::contiguous() const {
  if (arrays_.size() != 1 || left_ == 0) return nullptr;
  const Cursor::Run run = cursor_.run();
  return run.units == left_ ? arrays_[0].here + run.here : nullptr;
}

template void Stream::pack<CachedCopy>(std::byte*, Index);
template void Stream::pack<StreamCopy>(std::byte*, Index);
template void Stream::unpack<CachedCopy>(const std::byte*, Index);
template void Stream::unpack<StreamCopy>(const std::byte*, Index);

}  // namespace tridap::redistribute
