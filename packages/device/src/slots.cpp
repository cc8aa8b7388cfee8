#include "moves.hpp"

#include <map>

namespace tridap::device {

namespace {

/// The elements of one stream. They pass through a piece of memory of the device, in which they are contiguous.
class SlotPieces : public redistribute::DevicePieces {
 public:
  SlotPieces(std::vector<const redistribute::AxisPieces*> axes, mpi::Faults& faults)
      : axes_(std::move(axes)), faults_(faults) {}

  void pack(const Buffer& from, Index first, Index bytes, std::byte* slot) override {
    faults_.attempt([&] { move(from, first, bytes, slot, false); });
  }
  void unpack(const Buffer& to, Index first, Index bytes, const std::byte* slot) override {
    faults_.attempt([&] { move(to, first, bytes, const_cast<std::byte*>(slot), true); });
  }
  /// Makes what a move needs.
  void reserve(const Buffer& buffer, Index bytes) {
    tables(buffer, word_of(buffer));
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

  const Uploaded& tables(const Buffer& buffer, const WordSize& word) {
    const Index bytes = word.bytes();
    std::unique_ptr<Uploaded>& found = uploaded_[bytes];
    if (found) return *found;
    HostTables host;
    for (const redistribute::AxisPieces* const axis : axes_) host.add(*axis);
    if (buffer.type.bytes > bytes || host.axes().empty()) host.add_words(buffer.type.bytes / bytes, bytes);
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
    task.tables = tables(buffer, word).tables;
    task.buffer = static_cast<char*>(buffer.data);
    task.slot = static_cast<char*>(contiguous_.get());
    task.first = first / unit;
    task.count = bytes / unit;
    task.to_buffer = to_buffer;
    const driver::Table& table = driver::need_table(buffer.memory);
    const driver::InContext in(table, buffer.memory.device);
    const auto there = reinterpret_cast<std::uintptr_t>(contiguous_.get());
    const auto length = static_cast<std::size_t>(bytes);
    const auto copied = [&](int error) { driver::need_success(table, error, "copying a slot"); };
    if (to_buffer) copied(table.copy_to_device(there, slot, length, nullptr));
    const auto blocks = static_cast<unsigned>(std::min<Long>((task.count + threads - 1) / threads, 1024));
    launch(buffer.memory, "tridap_slot_" + std::to_string(unit), blocks, threads, &task);
    if (!to_buffer) copied(table.copy_to_host(slot, there, length, nullptr));
    copied(table.synchronize_stream(nullptr));
  }

  std::vector<const redistribute::AxisPieces*> axes_;
  mpi::Faults& faults_;
  std::map<Index, std::unique_ptr<Uploaded>> uploaded_;  // by bytes of a word
  std::shared_ptr<void> contiguous_;
  Index room_ = 0;
};

}  // namespace

std::unique_ptr<redistribute::DevicePieces> Pulls::pieces(const std::vector<const redistribute::AxisPieces*>& axes,
                                                          const Buffer& buffer) {
  auto made = std::make_unique<SlotPieces>(axes, faults_);
  made->reserve(buffer, 1);
  return made;
}

}  // namespace tridap::device
