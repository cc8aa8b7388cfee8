#include "scratch.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace tridap::device {

namespace {

constexpr Index least_bytes = Index{64} << 10;
constexpr Index most_kept_bytes = Index{128} << 20;

Index rounded(Index bytes) {
  Index length = least_bytes;
  while (length < bytes) length *= 2;
  return length;
}

}  // namespace

struct Scratch::Kept {
  std::mutex mutex;
  std::vector<Scratch> all;
  Index bytes = 0;

  static Kept& of_process() {
    static Kept& made = *new Kept;  // plans may move until the program ends
    return made;
  }
};

Scratch::Scratch(const Memory& memory, Index bytes) : memory_(memory), bytes_(rounded(bytes)) {
  Kept& kept = Kept::of_process();
  {
    const std::lock_guard<std::mutex> lock(kept.mutex);
    const auto found = std::find_if(kept.all.begin(), kept.all.end(), [&](const Scratch& each) {
      return each.bytes_ == bytes_ && each.memory_.kind == memory.kind && each.memory_.device == memory.device;
    });
    if (found != kept.all.end()) {
      held_ = std::move(found->held_);
      kept.bytes -= bytes_;
      kept.all.erase(found);
      return;
    }
  }
  held_ = driver::allocate(memory, bytes_);
}

void Scratch::keep() {
  Kept& kept = Kept::of_process();
  const std::lock_guard<std::mutex> lock(kept.mutex);
  if (!held_ || kept.bytes + bytes_ > most_kept_bytes) return;  // its memory is freed with it
  kept.bytes += bytes_;
  kept.all.push_back(std::move(*this));
}

void Scratch::free_kept() {
  Kept& kept = Kept::of_process();
  std::vector<Scratch> last;  // is freed when the mutex is
  const std::lock_guard<std::mutex> lock(kept.mutex);
  last.swap(kept.all);
  kept.bytes = 0;
}

}  // namespace tridap::device
