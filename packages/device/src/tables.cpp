#include "tables.hpp"

#include "module.hpp"
#include <tridap/internal/driver.hpp>

namespace tridap::device {

// `unit`: bytes from one local index of the sections to the next; 1 if they count bytes.
template <class Entry>
void HostTables::add(const std::vector<redistribute::Section>& sections, Index unit, Index step, Entry&& entry) {
  AxisEntry axis{0, step, static_cast<std::int32_t>(sections_.size()), 0};
  for (const redistribute::Section& section : sections) {
    SectionEntry made{axis.extent,
                      0,
                      section.here_step * unit,
                      section.there_step,
                      static_cast<std::int32_t>(pieces_.size()),
                      static_cast<std::int32_t>(section.pieces.size())};
    for (const redistribute::Piece& piece : section.pieces) {
      pieces_.push_back({made.length, piece.here * unit, piece.there, entry(piece)});
      made.length += piece.length;
    }
    if (made.length == 0) continue;
    axis.extent += made.length * section.repeat;
    sections_.push_back(made);
  }
  axis.sections = static_cast<std::int32_t>(sections_.size()) - axis.section;
  axes_.push_back(axis);
}

void HostTables::add(const redistribute::AxisMoves& moves, Index step, Index weight) {
  add(moves.sections, step, step, [&](const redistribute::Piece& piece) {
    return static_cast<std::int32_t>(static_cast<Index>(moves.slot(piece.peer)) * weight);
  });
}

void HostTables::add(const redistribute::AxisPieces& pieces) {
  add(pieces.sections, 1, pieces.step, [](const redistribute::Piece&) { return 0; });
}

void HostTables::add_words(Index count, Index bytes) {
  axes_.push_back({count, bytes, static_cast<std::int32_t>(sections_.size()), 1});
  sections_.push_back({0, count, 0, 0, static_cast<std::int32_t>(pieces_.size()), 1});
  pieces_.push_back({0, 0, 0, 0});
}

Index HostTables::divide(std::size_t axis, Index bytes, Index most) {
  AxisEntry& divided = axes_[axis];
  const auto of_axis = [](auto& all, std::int32_t first, std::int32_t count, const auto& visit) {
    for (std::int32_t i = first; i < first + count; ++i) visit(all[static_cast<std::size_t>(i)]);
  };
  const auto each = [&](const auto& section, const auto& piece) {
    of_axis(sections_, divided.section, divided.sections, [&](SectionEntry& one) {
      section(one);
      of_axis(pieces_, one.piece, one.pieces, piece);
    });
  };
  WordSize word;
  word.add(most);
  each(
      [&](const SectionEntry& one) {
        for (const Long elements : {one.first, one.length, one.there_step}) word.add(elements * bytes);
        word.add(one.here_step);
      },
      [&](const PieceEntry& one) {
        for (const Long elements : {one.first, one.there}) word.add(elements * bytes);
        word.add(one.here);
      });
  const Index unit = word.bytes();
  const auto divide = [&](Long& elements) { elements = elements * bytes / unit; };
  each(
      [&](SectionEntry& one) {
        for (Long* const elements : {&one.first, &one.length, &one.there_step}) divide(*elements);
      },
      [&](PieceEntry& one) {
        for (Long* const elements : {&one.first, &one.there}) divide(*elements);
      });
  divide(divided.extent);
  divided.step = unit;
  return unit;
}

Index HostTables::words() const {
  Index all = 1;
  for (const AxisEntry& axis : axes_) all *= axis.extent;
  return all;
}

void Upload::send(const Memory& memory) {
  if (bytes_.empty()) return;
  there_ = driver::allocate(memory, static_cast<Index>(bytes_.size()));
  const driver::Table& table = driver::need_table(memory);
  const driver::InContext in(table, memory.device);
  driver::need_success(
      table,
      table.copy_to_device(reinterpret_cast<std::uintptr_t>(there_.get()), bytes_.data(), bytes_.size(), nullptr),
      "copying a plan's tables");
  driver::need_success(table, table.synchronize_stream(nullptr), "copying a plan's tables");
  bytes_ = {};
}

UploadedTables::UploadedTables(Upload& upload, const HostTables& tables)
    : axes(upload.add(tables.axes())),
      sections(upload.add(tables.sections())),
      pieces(upload.add(tables.pieces())),
      ndim(static_cast<std::int32_t>(tables.axes().size())) {}

Tables UploadedTables::in(const Upload& upload) const {
  return {upload.at<AxisEntry>(axes), upload.at<SectionEntry>(sections), upload.at<PieceEntry>(pieces), ndim};
}

}  // namespace tridap::device
