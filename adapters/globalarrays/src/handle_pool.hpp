#pragma once

#include "fingerprint.hpp"
#include <tridap/globalarrays/array.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

class [[gnu::visibility("hidden")]] HandlePool;  // array.hpp has declared it with default visibility

/// All handles that this library keeps: those that it made, and those of others that an export pins.
///
/// A release is local, and may come from any thread: the pool notices it at its next call. Only the thread that uses GA
/// may call the other functions. Handles are freed in collective calls: the processes of their group agree on the
/// handles that none of them holds. If a handle was destroyed with GA_Destroy, and GA reuses it, the pool distinguishes
/// the new array from the old one by shape, type and place in memory. It takes an equal array in the same place for the
/// old one.
class HandlePool {
 public:
  /// Takes a handle that was just allocated here: in the same order on all processes of its group, whatever number it
  /// has on each. Local.
  GlobalArray keep(int handle, redistribute::PlacedDistribution placed, const ElementType& type);
  /// The same for a handle that was made elsewhere.
  void take(int handle);
  /// The GlobalArray that `handle` was kept as; empty if it was not made here, or if this process does not hold it.
  GlobalArray find(int handle);
  /// Its number among the handles of its group that the pool has: the same on every process, unlike the handle. 0: it
  /// is not in the pool, which will not free it.
  Index serial(int handle);

  /// Shares the memory of `handle` as long as the result lives. The memory begins at `data` on this process, as
  /// local_memory() returns it. The caller opened GA's access, and the release of the last pin closes it: at once on
  /// this thread; if another thread releases it, at the next pin, find(), held() or collect(). Local.
  std::shared_ptr<void> pin(int handle, const void* data);
  /// The same for an `owner` that is empty, if the caller has asked for the array's group, our rank in it, and its
  /// fingerprint.
  void pin(std::shared_ptr<void>& owner, int handle, int group, int rank, const void* data, Fingerprint is);
  /// The handle of the array that `owner` keeps in memory; std::nullopt: it keeps none.
  static std::optional<int> handle_of(const std::shared_ptr<void>& owner);
  /// Whether the memory that `owner` keeps is still the array's.
  static bool is_there(const std::shared_ptr<void>& owner);

  /// Frees the arrays that no process of the group holds. **Collective** over the group. Returns how many.
  Index collect(int group);
  /// The same for all groups that this process is in. **Collective** over GA's processes.
  Index collect();
  /// Whether it keeps arrays, held or not, of a group other than `group` and GA's group of all processes.
  bool keeps_of_others(int group) const;
  Index held();   ///< arrays that this process holds
  void forget();  ///< GA has ended: the memory of held arrays no longer exists

 private:
  // The deleter of an owner of an array's memory. It distinguishes such owners from all others.
  struct Pin {
    HandlePool* pool;
    int handle;
    Index access;
    const void* thread;  // that uses GA

    void operator()(void*) const { pool->release(*this); }
  };
  // What a handle is now.
  struct Slot {
    Fingerprint is = 0;  // of which array, which begins at `data` on this process
    const void* data = nullptr;
    int group = 0, rank = 0;                   // its group; of this process there, if it is pinned
    Index serial = 0;                          // see serial()
    std::weak_ptr<GlobalArray::State> state;   // of an array made here
    Index access = 0, pins = 0;                // the number of GA's access, which all pins share; 0: none is open
    std::shared_ptr<GlobalArray::State> kept;  // `state` while it is pinned: find() finds it

    bool is_held() const { return pins > 0 || !state.expired(); }
  };
  static const Pin* pin_of(const std::shared_ptr<void>& owner);
  Slot* used(int handle);
  Slot* there(int handle);
  Slot& emptied(int handle);
  Slot& taken(int handle);
  void release(const Pin& pin);
  void close(const Pin& pin);
  void close_released();

  static constexpr int first_handle = -1000;  // GA's lowest handle

  std::vector<Slot> slots_;                    // by handle
  std::map<int, std::map<Index, int>> taken_;  // by group: handles by serial
  Index accesses_ = 0;                         // how many were ever open

  std::mutex mutex_;  // held for nothing else, because a pin may be released under any other lock
  std::vector<Pin> released_;
  std::atomic<bool> any_released_{false};
};

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
