#pragma once

#include "kernels.hpp"
#include <tridap/buffer.hpp>
#include <tridap/internal/axis_pieces.hpp>

#include <cstring>
#include <memory>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::device {

/// The tables of a product of axes, on the host.
class HostTables {
 public:
  /// Adds the next axis. `step`: bytes from one local index to the next here. `weight`: of a peer's position in
  /// AxisMoves::shares in its number.
  void add(const redistribute::AxisMoves& moves, Index step, Index weight);
  /// Adds the next axis, of elements that one peer shares.
  void add(const redistribute::AxisPieces& pieces);
  /// Adds the words of an element as the last axis.
  void add_words(Index count, Index bytes);
  /// Divides the elements of an axis, of so many bytes, which follow one another here and there, anew: into the largest
  /// words of at most `most` bytes that divide all its pieces. Several elements can be one word. Returns a word's
  /// bytes.
  Index divide(std::size_t axis, Index bytes, Index most);

  Index words() const;  ///< the product of all extents
  const std::vector<AxisEntry>& axes() const { return axes_; }
  const std::vector<SectionEntry>& sections() const { return sections_; }
  const std::vector<PieceEntry>& pieces() const { return pieces_; }

 private:
  template <class Entry>
  void add(const std::vector<redistribute::Section>& sections, Index unit, Index step, Entry&& entry);

  std::vector<AxisEntry> axes_;
  std::vector<SectionEntry> sections_;
  std::vector<PieceEntry> pieces_;
};

/// What a kernel reads, in one piece of memory of its device.
class Upload {
 public:
  /// Adds entries behind what was added before, and returns where they will be, in bytes from the beginning.
  template <class Entry>
  std::size_t add(const std::vector<Entry>& entries) {
    constexpr std::size_t unit = 16;
    const std::size_t begin = (bytes_.size() + unit - 1) / unit * unit, length = entries.size() * sizeof(Entry);
    bytes_.resize(begin + length);
    if (length > 0) std::memcpy(bytes_.data() + begin, entries.data(), length);
    return begin;
  }
  /// Copies all to a device. Throws Error.
  void send(const Memory& memory);
  template <class Entry>
  const Entry* at(std::size_t begin) const {
    return reinterpret_cast<const Entry*>(static_cast<const char*>(there_.get()) + begin);
  }

 private:
  std::vector<std::byte> bytes_;
  std::shared_ptr<void> there_;
};

/// HostTables in an Upload.
struct UploadedTables {
  UploadedTables(Upload& upload, const HostTables& tables);
  Tables in(const Upload& upload) const;  ///< after it was sent

  std::size_t axes, sections, pieces;
  std::int32_t ndim;
};

}  // namespace tridap::device

#pragma GCC visibility pop
