#pragma once

#include "info.hpp"
#include "memory.hpp"
#include "routines.hpp"
#include <tridap/detail/refuse.hpp>

#include <algorithm>
#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::scalapack {

/// The work space of a routine: elements, and real numbers for complex routines.
template <class T>
class WorkSpace {
 public:
  WorkSpace() = default;
  /// Local; throws Error if a length does not fit ScaLAPACK's int.
  explicit WorkSpace(Index length, Index real_length = 0) { allocate(length, real_length); }
  /// Has at least so many. Local; throws as above.
  void allocate(Index length, Index real_length = 0) {
    elements_.resize(std::max(elements_.size(), fitting(length)));
    if constexpr (is_complex_v<T>) reals_.resize(std::max(reals_.size(), fitting(real_length)));
  }

  T* data() { return elements_.data(); }
  int length() const { return static_cast<int>(elements_.size()); }
  Real<T>* real_data() { return reals_.data(); }
  int real_length() const { return static_cast<int>(reals_.size()); }

 private:
  static std::size_t fitting(Index length) {
    if (length > most)
      refuse("the routine needs " + std::to_string(length) + " elements of work space", "must fit ScaLAPACK's int",
             "use a smaller matrix, or more processes");
    return static_cast<std::size_t>(length);
  }

  std::vector<T> elements_;
  std::vector<Real<T>> reals_;
};

inline Ended with_info(Ended ended, int info) {
  ended.info = info;
  return ended;
}

}  // namespace tridap::scalapack

#pragma GCC visibility pop
