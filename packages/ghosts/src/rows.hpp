#pragma once

#include <tridap/buffer.hpp>
#include <tridap/internal/device_halo.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap {

/// Chosen indices along axis 0 of a buffer, with all their components, as places in memory. Packed, they stand one
/// after the other, the components of each in row-major order, whatever the strides of the buffer.
///
/// Rows 4, 5 and 7 of a contiguous buffer of 8 x 3 doubles are places of 24 bytes at 96, 120 and 168; rows that follow
/// one another may be one place. In a column-major buffer of the same extents each row is three places of 8 bytes.
class Rows {
 public:
  /// `faults`: of a buffer on a device.
  Rows(const Buffer& buffer, const std::vector<Index>& rows, const std::shared_ptr<mpi::Faults>& faults);

  Index bytes() const { return bytes_; }  ///< of all, packed
  /// Where all stand, if they stand in a row in the order of packing; otherwise null.
  std::byte* contiguous() const;

  void pack(std::byte* to);
  void unpack(const std::byte* from);
  /// Adds packed elements to those of the buffer, whose type is `type`: any that redistribute::combiner() can add.
  void add(const ElementType& type, const std::byte* from);

 private:
  void shorten();
  template <class Byte, class Copy>
  void each(Byte* packed, const Copy& copy) const;
  template <class Offset, class Byte, class Copy>
  void each(const std::vector<Offset>& offsets, Byte* packed, const Copy& copy) const;
  template <class T>
  void add_as(const std::byte* from) const;

  std::optional<redistribute::DeviceHalo> on_device_;  // of a buffer on a device, in place of what follows
  std::byte* begin_;                                   // of the buffer
  Index bytes_ = 0;
  std::vector<Index> offsets_;          // bytes, of each place
  std::vector<std::uint32_t> shorter_;  // the same if they fit, which take half the time to read; `offsets_` is empty
  Index length_ = 0;                    // bytes of each place, if all have the same
  std::vector<Index> lengths_;          // otherwise
};

}  // namespace tridap

#pragma GCC visibility pop
