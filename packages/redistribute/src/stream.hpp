#pragma once

#include "pieces.hpp"
#include <tridap/internal/device_moves.hpp>
#include <tridap/internal/elements.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// The elements of Pieces as a committed derived type of MPI, in the order of a Cursor. Its address is that of the
/// first element of our buffer. Making it and freeing it are local.
class DerivedType {
 public:
  DerivedType() = default;
  explicit DerivedType(const Pieces& pieces);
  /// Frees `handle` at its end. A predefined type must not be passed.
  static DerivedType owning(MPI_Datatype handle);
  DerivedType(DerivedType&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  DerivedType& operator=(DerivedType&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  ~DerivedType();

  explicit operator bool() const { return type_ != MPI_DATATYPE_NULL; }
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Copies the first `units` of a run from our buffer into a slot, in which they are contiguous.
template <class Copy>
void pack(const ElementStep& step, const Cursor::Run& run, Index units, const std::byte* here, std::byte* slot) {
  const Index unit = step.slot_unit();
  for (; units > 0; units -= run.units, here += run.here_step) {
    const Index bytes = std::min(run.units, units) * unit;
    Copy::run(slot, here, static_cast<std::size_t>(bytes));
    slot += bytes;
  }
}
/// All that passes one way between this process and another in a move: the elements of its arrays, one array after the
/// other.
class Stream {
 public:
  /// Begins anew; the memory of an earlier move is used again.
  void begin(Index rank, const ElementStep& step, bool slots_on_device = false);
  /// Adds elements of one more array, whose element (0, ..., 0) is `here`. `type`: null, or that of the pieces.
  void add(const Pieces& pieces, std::byte* here, MPI_Datatype type = MPI_DATATYPE_NULL);
  /// Adds elements of one more array, whose buffer is on a device.
  void add(const Pieces& pieces, const Buffer& buffer, DevicePieces& device);

  struct Array {
    const Pieces* pieces;
    std::byte* here;
    MPI_Datatype type;
    DevicePieces* device = nullptr;  // of `buffer`
    const Buffer* buffer = nullptr;
  };
  Index rank() const { return rank_; }
  const std::vector<Array>& arrays() const { return arrays_; }
  Index left() const { return left_; }  ///< units

  /// Copies the next `units` from our buffer into a slot that this process reads soon (CachedCopy), or only another one
  /// (StreamCopy).
  template <class Copy>
  void pack(std::byte* slot, Index units);
  /// Copies as many from a slot into our buffer, whose elements are read soon (CachedCopy) or not (StreamCopy).
  template <class Copy>
  void unpack(const std::byte* slot, Index units);
  /// Whether the last pack() or unpack() has ended: at once, but for buffers on devices. The next must not begin
  /// before.
  bool ended() const {
    if (has_devices_)
      for (const Array& array : arrays_)
        if (array.device != nullptr && !array.device->ended()) return false;
    return true;
  }
  bool has_devices() const { return has_devices_; }
  bool slots_on_device() const { return slots_on_device_; }
  /// Units that a transport has packed and not sent, or not unpacked to the end.
  Index begun = 0;
  /// The same in each slot of a ring.
  static constexpr std::uint64_t most_begun = 4;
  std::array<Index, most_begun> in_slots{};
  std::uint64_t slots_begun = 0;
  /// Where all elements stand in our buffer, if they stand there in a row; otherwise null. Of a stream that has begun.
  std::byte* contiguous() const;

 private:
  template <class Visit, class VisitDevice>
  void advance(Index units, Visit&& visit, VisitDevice&& visit_device);
  void begin_array();
  Index units_of(const Array& array) const;

  Index rank_ = 0, left_ = 0;
  bool has_devices_ = false, slots_on_device_ = false;
  ElementStep step_;
  std::vector<Array> arrays_;
  std::size_t at_ = 0;
  Index device_left_ = 0;  // units of the array at_, if it is on a device
  Cursor cursor_;
};

}  // namespace tridap::redistribute

#pragma GCC visibility pop
