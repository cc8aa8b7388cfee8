#pragma once

#include <cstddef>
#include <new>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// A static object that is never destroyed, because others may use it in their destructors after main. Making it
/// allocates nothing by itself, so its first use cannot run out of memory on one process alone.
///
///     static Lasting<std::list<int>> numbers;
///     numbers->push_back(3);
template <class T>
class Lasting {
 public:
  Lasting() : object_(new (memory_) T) {}

  T& operator*() { return *object_; }
  T* operator->() { return object_; }

 private:
  alignas(T) std::byte memory_[sizeof(T)];
  T* object_;
};

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
