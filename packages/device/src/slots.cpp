#include "moves.hpp"
#include "scratch.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace tridap::device {

namespace {

/// The elements of one stream.
class SlotPieces : public redistribute::DevicePieces {
 public:
  SlotPieces(std::vector<const redistribute::AxisPieces*> axes, const redistribute::DeviceStep& step,
             mpi::Faults& faults)
      : axes_(std::move(axes)), step_(step), faults_(faults) {}

  ~SlotPieces() override {
    while (!ended()) {
    }
  }

  void pack(const Buffer& from, Index first, Index units, redistribute::DeviceSlot slot) override {
    const Index unit = step_.slot_unit();
    faults_.attempt([&] { move(from, first * unit, units * unit, slot, false); });
  }
  void unpack(const Buffer& to, Index first, Index units, redistribute::DeviceSlot slot) override {
    faults_.attempt([&] {
      if (step_.copies)
        move(to, first, units, slot, true);
      else
        combine(to, first, units, slot);
    });
  }
  bool ended() override {
    if (!in_progress_) return true;
    bool has = true;  // also after a failure
    faults_.attempt([&] { has = has_ended(memory_, event_.get()); });
    if (!has) return false;
    in_progress_ = false;
    for (Scratch& each : scratch_) each.keep();
    scratch_.clear();
    return true;
  }
  /// Makes what a move needs.
  void reserve(const Buffer& buffer) {
    memory_ = buffer.memory;
    event_ = make_event(memory_);
    tables(buffer, step_.copies ? word_of(buffer).bytes() : 0);
  }

 private:
  struct Uploaded {
    Upload upload;
    Tables tables{};
  };

  static WordSize word_of(const Buffer& buffer) {
    WordSize word;
    word.add(buffer.type.bytes);
    word.add(buffer.data);
    for (const Index stride : buffer.strides) word.add(stride);
    return word;
  }

  // `bytes`: of a word; 0: elements are not divided.
  const Uploaded& tables(const Buffer& buffer, Index bytes) {
    std::unique_ptr<Uploaded>& found = uploaded_[bytes];
    if (found) return *found;
    HostTables host;
    for (const redistribute::AxisPieces* const axis : axes_) host.add(*axis);
    const Index words = bytes == 0 ? 1 : buffer.type.bytes / bytes;
    if (words > 1 || host.axes().empty()) host.add_words(words, bytes);
    auto made = std::make_unique<Uploaded>();
    const UploadedTables places(made->upload, host);
    made->upload.send(buffer.memory);
    made->tables = places.in(made->upload);
    found = std::move(made);
    return *found;
  }

  void move(const Buffer& buffer, Index first, Index bytes, redistribute::DeviceSlot slot, bool to_buffer) {
    WordSize word = word_of(buffer);
    word.add(first);
    word.add(bytes);
    if (slot.is_on_device) word.add(slot.data);
    const Index unit = word.bytes();
    SlotTask task{};
    task.tables = tables(buffer, unit).tables;
    task.buffer = static_cast<char*>(buffer.data);
    task.first = first / unit;
    task.count = bytes / unit;
    task.to_buffer = to_buffer;
    run(buffer, "tridap_slot_" + std::to_string(unit), task, slot, bytes);
  }

  void combine(const Buffer& buffer, Index first, Index count, redistribute::DeviceSlot slot) {
    const Index bytes = count * step_.from.bytes;
    WordSize here, there;
    here.add(buffer.data);
    for (const Index stride : buffer.strides) here.add(stride);
    there.add(step_.from.bytes);
    there.add(slot.is_on_device ? slot.data : nullptr);
    SlotTask task{};
    task.tables = tables(buffer, 0).tables;
    task.buffer = static_cast<char*>(buffer.data);
    task.first = first;
    task.count = count;
    task.to_buffer = true;
    task.arithmetic = arithmetic_of(step_, here, there);
    task.slot_step = step_.from.bytes;
    run(buffer, "tridap_combine_slot", task, slot, bytes);
  }

  // Begins a kernel, and before or behind it the copy of a slot of the host.
  void run(const Buffer& buffer, const std::string& kernel, SlotTask& task, redistribute::DeviceSlot slot,
           Index bytes) {
    const driver::Table& table = driver::need_table(buffer.memory);
    const driver::InContext in(table, buffer.memory.device);
    const driver::Stream stream = stream_of_slots(buffer.memory, task.to_buffer);
    if (!slot.is_on_device) scratch_.emplace_back(buffer.memory, bytes);
    task.slot = slot.is_on_device ? reinterpret_cast<char*>(slot.data) : scratch_.back().data();
    const auto there = reinterpret_cast<std::uintptr_t>(task.slot);
    const auto length = static_cast<std::size_t>(bytes);
    const auto copied = [&](int error) { driver::need_success(table, error, "copying a slot"); };
    try {
      if (task.to_buffer && !slot.is_on_device) copied(table.copy_to_device(there, slot.data, length, stream));
      launch(buffer.memory, kernel, blocks_for(task.count, threads), threads, &task, stream);
      if (!task.to_buffer && !slot.is_on_device) copied(table.copy_to_host(slot.data, there, length, stream));
      driver::need_success(table, table.record_event(event_.get(), stream), "recording an event");
    } catch (...) {
      table.synchronize_stream(stream);  // what was begun uses the slot
      throw;
    }
    in_progress_ = true;
  }

  std::vector<const redistribute::AxisPieces*> axes_;
  const redistribute::DeviceStep& step_;
  mpi::Faults& faults_;
  std::map<Index, std::unique_ptr<Uploaded>> uploaded_;  // by bytes of a word
  Memory memory_;
  std::shared_ptr<void> event_;   // behind what was begun last
  std::vector<Scratch> scratch_;  // of all that was begun
  bool in_progress_ = false;
};

}  // namespace

std::unique_ptr<redistribute::DevicePieces> slot_pieces(const std::vector<const redistribute::AxisPieces*>& axes,
                                                        const Buffer& buffer, const redistribute::DeviceStep& step,
                                                        mpi::Faults& faults) {
  auto made = std::make_unique<SlotPieces>(axes, step, faults);
  made->reserve(buffer);
  return made;
}

}  // namespace tridap::device
