#pragma once

#include "stream.hpp"

#include <vector>

namespace tridap::redistribute {

/// Carries streams between this process and others, in slots: the sender packs a slot, and the receiver unpacks it. A
/// transport does not wait: its user calls progress() until done().
class Transport {
 public:
  virtual ~Transport() = default;

  /// Begins a move, and sends nothing yet. The streams must outlive it. `out` is in the order of (their rank - our
  /// rank) mod P, and `in` in the order of (our rank - their rank) mod P. Allocates only if there are more streams than
  /// in any move before.
  virtual void begin(const std::vector<Stream*>& out, const std::vector<Stream*>& in) = 0;
  /// Carries what it can without waiting; false: nothing.
  virtual bool progress() = 0;
  /// Whether all was carried: we may use the memory of the streams again.
  virtual bool done() const = 0;
};

}  // namespace tridap::redistribute
