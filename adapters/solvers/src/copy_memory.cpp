#include <tridap/solvers/copy_memory.hpp>

#include <algorithm>

namespace tridap::solvers {

namespace {

Index bytes_of(const Buffer& buffer) { return element_count(buffer) * buffer.type.bytes; }

}  // namespace

Buffer CopyMemory::take(ElementType type, const IndexList& shape) {
  const auto is_free = [](const Buffer& held) { return held.owner.use_count() == 1; };
  const auto fits = [&](const Buffer& held) { return held.type == type && held.shape == shape && is_free(held); };
  const auto found = std::find_if(held_.begin(), held_.end(), fits);
  if (found != held_.end()) return *found;
  held_.erase(std::remove_if(held_.begin(), held_.end(), is_free), held_.end());
  held_.push_back(allocate(type, shape));
  return held_.back();
}

Index CopyMemory::bytes() const {
  Index sum = 0;
  for (const Buffer& held : held_) sum += bytes_of(held);
  return sum;
}

}  // namespace tridap::solvers
