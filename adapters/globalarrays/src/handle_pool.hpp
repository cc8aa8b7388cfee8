#pragma once

#include "fingerprint.hpp"
#include "lasting.hpp"
#include <tridap/globalarrays/array.hpp>

#include <mpi.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// GA's access to the memory of one array, which all pins of the array share.
struct Access {
  int handle = 0, group = 0;
  int rank = 0;      ///< of this process in the group
  Index serial = 0;  ///< among all accesses that ever existed; 0: none
};

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
  /// This process's pool; never destroyed, since static objects may release their handles after anything else.
  static HandlePool& all();

  /// A handle that the pool has memory to take, and has not taken.
  class Offer;
  /// Prepares to take a handle that was just allocated here, or that was made elsewhere. Throws if memory runs out.
  /// Then nothing has changed; the same is true if the offer is not taken. Local.
  Offer offer(int handle, redistribute::PlacedDistribution placed, const ElementType& type);
  Offer offer(int handle);
  /// Takes it: in the same order on all processes of its group, whatever number it has on each. The GlobalArray is
  /// empty if the handle was made elsewhere. Throws nothing. Local.
  GlobalArray take(Offer offer);

  /// offer() and take() in one call.
  GlobalArray keep(int handle, redistribute::PlacedDistribution placed, const ElementType& type);
  /// The GlobalArray that `handle` was kept as; empty if it was not made here, or if this process does not hold it.
  GlobalArray find(int handle);
  /// Its number among the handles of its group that came to the pool: the same on every process, unlike the handle. 0:
  /// it is not in the pool.
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
  /// What a released pin calls on the thread that uses GA.
  void let_go(const Access& access);

  bool keeps(int handle);  ///< whether the pool will free it
  /// Frees the arrays that no process of the group holds. **Collective** over the group; needs no memory. Returns how
  /// many.
  Index collect(int group);
  /// The same for all groups that this process is in. **Collective** over GA's processes.
  Index collect();
  /// Whether it keeps arrays, held or not, of a group other than `group` and GA's group of all processes.
  bool keeps_of_others(int group) const;
  Index held();   ///< arrays that this process holds
  void forget();  ///< GA has ended: the memory of held arrays no longer exists

 private:
  struct Entry;
  struct Slot {
    std::shared_ptr<Entry> kept;  // null: the pool will free nothing here
    Access access;                // what the pins have opened
    std::shared_ptr<void> array;  // the state of the GlobalArray, if it is one: find() finds it while it is pinned
    const void* data = nullptr;   // the pinned memory; `is`: of which array
    Fingerprint is = 0;
    Index pins = 0;

    bool is_pinned() const { return access.serial != 0; }
    void unpin() {
      access = {};
      array = nullptr;
    }
  };
  using Entries = std::vector<std::shared_ptr<Entry>>;
  friend class Lasting<HandlePool>;
  HandlePool() = default;
  Entry* entry(int handle);
  void watch();
  void make_room(const Entry& entry);
  Index free_unheld(std::shared_ptr<Entry>* entries, std::size_t count, int group);
  static void pin_kept(Slot& slot);
  static void lose(std::shared_ptr<Entry>& known);
  void leave(Entry& gone);
  bool is_open(const Access& access) const;
  bool knows(int handle) const {
    return handle >= first_handle && handle - first_handle < static_cast<Index>(slots_.size());
  }
  void close_let_go();
  Slot& slot(int handle) {
    const auto place = static_cast<std::size_t>(handle - first_handle);
    if (place >= slots_.size()) make_room(place + 1);
    return slots_[place];
  }
  void make_room(std::size_t slots);

  static constexpr int first_handle = -1000;  // GA's lowest handle

  std::map<int, Entries> kept_;  // by group, in the order in which they came
  std::vector<Slot> slots_;      // by handle: what it is now
  std::map<int, Index> given_;   // by group: how many handles came
  Index accesses_ = 0;           // how many were ever open
  bool watched_ = false;         // forget() will be called when GA ends
};

class HandlePool::Offer {
  friend class HandlePool;
  std::shared_ptr<Entry> entry_;
  GlobalArray array_;
};

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
