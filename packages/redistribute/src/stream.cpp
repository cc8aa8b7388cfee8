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

void Stream::begin(Index rank, const ElementStep& step, bool slots_on_device) {
  rank_ = rank;
  slots_on_device_ = slots_on_device;
  has_devices_ = false;
  begun = 0;
  slots_begun = 0;
  step_ = step;
  arrays_.clear();
  left_ = 0;
  at_ = 0;
}

void Stream::add(const Pieces& pieces, std::byte* here, MPI_Datatype type) {
  arrays_.push_back({&pieces, here, type});
  left_ += units_of(arrays_.back());
  if (arrays_.size() == 1) begin_array();
}

void Stream::add(const Pieces& pieces, const Buffer& buffer, DevicePieces& device) {
  has_devices_ = true;
  arrays_.push_back({&pieces, nullptr, MPI_DATATYPE_NULL, &device, &buffer});
  left_ += units_of(arrays_.back());
  if (arrays_.size() == 1) begin_array();
}

void Stream::begin_array() {
  const Array& array = arrays_[at_];
  if (array.device == nullptr)
    cursor_.restart(*array.pieces, step_.copies());
  else
    device_left_ = units_of(array);
}

Index Stream::units_of(const Array& array) const {
  return array.pieces->elements() * (step_.copies() ? array.pieces->here_bytes() : 1);
}

// Calls visit(here, run, units) for the next units, or visit_device(array, first, units).
template <class Visit, class VisitDevice>
void Stream::advance(Index units, Visit&& visit, VisitDevice&& visit_device) {
  left_ -= units;
  while (units > 0) {
    const Array& array = arrays_[at_];
    Index left = 0;
    if (array.device == nullptr) {
      cursor_.advance([&, here = array.here](const Cursor::Run& run) {
        const Index now = std::min(units, run.all_units());
        if (now > 0) visit(here + run.here, run, now);
        units -= now;
        return now;
      });
      left = cursor_.left();
    } else {
      const Index now = std::min(units, device_left_);
      if (now > 0) visit_device(array, units_of(array) - device_left_, now);
      units -= now;
      left = device_left_ -= now;
    }
    if (left == 0 && ++at_ < arrays_.size()) begin_array();
  }
}

template <class Copy>
void Stream::pack(std::byte* slot, Index units) {
  advance(
      units,
      [&](const std::byte* here, const Cursor::Run& run, Index now) {
        redistribute::pack<Copy>(step_, run, now, here, slot);
        slot += now * step_.slot_unit();
      },
      [&](const Array& array, Index first, Index now) {
        array.device->pack(*array.buffer, first, now, {slot, slots_on_device_});
        slot += now * step_.slot_unit();
      });
  Copy::finish();
}

template <class Copy>
void Stream::unpack(const std::byte* slot, Index units) {
  advance(
      units,
      [&](std::byte* here, const Cursor::Run& run, Index now) {
        redistribute::unpack<Copy>(step_, run, now, here, slot);
        slot += now * step_.slot_unit();
      },
      [&](const Array& array, Index first, Index now) {
        array.device->unpack(*array.buffer, first, now, {const_cast<std::byte*>(slot), slots_on_device_});
        slot += now * step_.slot_unit();
      });
  Copy::finish();
}

std::byte* Stream::contiguous() const {
  if (arrays_.size() != 1 || left_ == 0 || arrays_[0].device != nullptr) return nullptr;
  const Cursor::Run run = cursor_.run();
  return run.units == left_ ? arrays_[0].here + run.here : nullptr;
}

template void Stream::pack<CachedCopy>(std::byte*, Index);
template void Stream::pack<StreamCopy>(std::byte*, Index);
template void Stream::unpack<CachedCopy>(const std::byte*, Index);
template void Stream::unpack<StreamCopy>(const std::byte*, Index);

}  // namespace tridap::redistribute
