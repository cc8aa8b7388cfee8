#include "moves.hpp"

#include <map>

namespace tridap::device {

namespace {

/// The elements of one stream. They pass through a piece of memory of the device, in which they are contiguous.
class SlotPieces : public redistribute::DevicePieces {
 public:
  SlotPieces(std::vector<const redistribute::AxisPieces*> axes, const redistribute::DeviceStep& step,
             mpi::Faults& faults)
      : axes_(std::move(axes)), step_(step), faults_(faults) {}

  void pack(const Buffer& from, Index first, Index units, std::byte* slot) override {
    const Index unit = step_.slot_unit();
    faults_.attempt([&] { move(from, first * unit, units * unit, slot, false); });
  }
  void unpack(const Buffer& to, Index first, Index units, const std::byte* slot) override {
    faults_.attempt([&] {
      if (step_.copies)
        move(to, first, units, const_cast<std::byte*>(slot), true);
      else
        combine(to, first, units, slot);
    });
  }
  /// Makes what a move needs.
  void reserve(const Buffer& buffer, Index bytes) {
    tables(buffer, step_.copies ? word_of(buffer).bytes() : 0);
    if (bytes <= room_) return;
    room_ = std::max(bytes, 2 * room_);
    contiguous_ = driver::allocate(buffer.memory, room_);
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

  void move(const Buffer& buffer, Index first, Index bytes, std::byte* slot, bool to_buffer) {
    WordSize word = word_of(buffer);
    word.add(first);
    word.add(bytes);
    reserve(buffer, bytes);
    const Index unit = word.bytes();
    SlotTask task{};
    task.tables = tables(buffer, unit).tables;
    task.buffer = static_cast<char*>(buffer.data);
    task.slot = static_cast<char*>(contiguous_.get());
    task.first = first / unit;
    task.count = bytes / unit;
    task.to_buffer = to_buffer;
    run(buffer, "tridap_slot_" + std::to_string(unit), task, slot, bytes);
  }

  void combine(const Buffer& buffer, Index first, Index count, const std::byte* slot) {
    const Index bytes = count * step_.from.bytes;
    reserve(buffer, bytes);
    WordSize here, there;
    here.add(buffer.data);
    for (const Index stride : buffer.strides) here.add(stride);
    there.add(step_.from.bytes);
    SlotTask task{};
    task.tables = tables(buffer, 0).tables;
    task.buffer = static_cast<char*>(buffer.data);
    task.slot = static_cast<char*>(contiguous_.get());
    task.first = first;
    task.count = count;
    task.to_buffer = true;
    task.arithmetic = arithmetic_of(step_, here, there);
    task.slot_step = step_.from.bytes;
    run(buffer, "tridap_combine_slot", task, const_cast<std::byte*>(slot), bytes);
  }

  // Copies a slot to the device or from there, beside a kernel.
  static void run(const Buffer& buffer, const std::string& kernel, SlotTask& task, std::byte* slot, Index bytes) {
    const driver::Table& table = driver::need_table(buffer.memory);
    const driver::InContext in(table, buffer.memory.device);
    const auto there = reinterpret_cast<std::uintptr_t>(task.slot);
    const auto length = static_cast<std::size_t>(bytes);
    const auto copied = [&](int error) { driver::need_success(table, error, "copying a slot"); };
    if (task.to_buffer) copied(table.copy_to_device(there, slot, length, nullptr));
    launch(buffer.memory, kernel, blocks_for(task.count, threads), threads, &task);
    if (!task.to_buffer) copied(table.copy_to_host(slot, there, length, nullptr));
    copied(table.synchronize_stream(nullptr));
  }

  std::vector<const redistribute::AxisPieces*> axes_;
  const redistribute::DeviceStep& step_;
  mpi::Faults& faults_;
  std::map<Index, std::unique_ptr<Uploaded>> uploaded_;  // by bytes of a word
  std::shared_ptr<void> contiguous_;
  Index room_ = 0;
};

}  // namespace

std::unique_ptr<redistribute::DevicePieces> slot_pieces(const std::vector<const redistribute::AxisPieces*>& axes,
                                                        const Buffer& buffer, const redistribute::DeviceStep& step,
                                                        mpi::Faults& faults) {
  auto made = std::make_unique<SlotPieces>(axes, step, faults);
  made->reserve(buffer, 1);
  return made;
}

}  // namespace tridap::device
