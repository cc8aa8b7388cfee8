#pragma once

#include "pieces.hpp"
#include <tridap/internal/elements.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
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
void pack(const ElementStep& step, const StridedRun& run, Index units, const std::byte* here, std::byte* slot) {
  const Index unit = step.slot_unit();
  for (; units > 0; units -= run.units, here += run.here_step) {
    const Index bytes = std::min(run.units, units) * unit;
    Copy::run(slot, here, static_cast<std::size_t>(bytes));
    slot += bytes;
  }
}
/// The elements of one array that pass between this process and another.
struct Load {
  const Pieces* pieces = nullptr;
  std::byte* here = nullptr;              ///< element (0, ..., 0) of our buffer
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< of the pieces; null: they travel in slots
};

/// All that passes one way between this process and another in a move: the elements of its arrays, one array after the
/// other.
class Stream {
 public:
  /// Begins anew; the memory of an earlier move is used again.
  void begin(Index rank, const ElementStep& step);
  void add(const Load& load);

  Index rank() const { return rank_; }
  const std::vector<Load>& loads() const { return loads_; }
  Index left() const { return left_; }  ///< units

  /// Copies the next `units` from our buffer into a slot that this process reads soon (CachedCopy), or only another one
  /// (StreamCopy).
  template <class Copy>
  void pack(std::byte* slot, Index units);
  /// Copies as many from a slot into our buffer, whose elements are read soon (CachedCopy) or not (StreamCopy).
  template <class Copy>
  void unpack(const std::byte* slot, Index units);
  /// Where all elements stand in our buffer, if they stand there in a row; otherwise null. Of a stream that has begun.
  std::byte* contiguous() const;

 private:
  template <class Visit>
  void advance(Index units, Visit&& visit);

  Index rank_ = 0, left_ = 0;
  ElementStep step_;
  std::vector<Load> loads_;
  std::size_t at_ = 0;
  Cursor cursor_;
};

}  // namespace tridap::redistribute

#pragma GCC visibility pop
