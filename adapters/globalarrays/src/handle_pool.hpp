#pragma once

#include "fingerprint.hpp"
#include "lasting.hpp"
#include <tridap/globalarrays/array.hpp>

#include <mpi.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace tridap::globalarrays {

/// What pins of one array share: GA's access to its memory.
struct Access {
  int handle = 0, group = 0;
  int rank = 0;      ///< this process's own in the group
  Index serial = 0;  ///< among all there ever were; 0: none
};

/// All handles that this library keeps: those it made, and others' that an export pins.
///
/// Letting go is local, and may come from any thread: it is noticed when the pool is asked for next. All else is for
/// the thread that uses GA. Handles are freed where the processes of their group come together, which agree on those
/// that none of them holds. A handle that somebody destroyed by GA_Destroy, and that GA gave anew, is told from what it
/// was by the array's shape, type and place in memory: a like array in the same place is taken for the old one.
class HandlePool {
 public:
  /// This process's; never destroyed, since static objects may let go after anything.
  static HandlePool& all();

  /// A handle that the pool has memory to take, and has not taken.
  class Offer;
  /// Makes ready to take a handle that was just allocated here, or that is somebody else's. Throws where memory ends,
  /// and then, as where the offer is not taken, nothing has changed. Local.
  Offer offer(int handle, redistribute::PlacedDistribution placed, const ElementType& type);
  Offer offer(int handle);
  /// Takes it: in the same order on all processes of its group, whatever number it has on each. The GlobalArray is
  /// empty where the handle is somebody else's. Throws nothing. Local.
  GlobalArray take(Offer offer);

  /// Both at once.
  GlobalArray keep(int handle, redistribute::PlacedDistribution placed, const ElementType& type);
  /// What `handle` was kept as; empty where it was not made here, or nobody here holds it.
  GlobalArray find(int handle);
  /// Which one of its group's it is, of those that came to the pool: the same number on every process, unlike its
  /// handle; 0: it is not here.
  Index serial(int handle);

  /// Shares in the memory of `handle`, which begins at `data` here, as local_memory() says, for as long as the result
  /// lives. GA's access, which the caller opened, is closed with the last one: at once on this thread, and where
  /// another one lets go, at the next pin, find(), held() or collect(). Local.
  std::shared_ptr<void> pin(int handle, const void* data);
  /// The same for an owner of nothing, where the caller has asked for the array's group, our rank in it, and its
  /// fingerprint.
  void pin(std::shared_ptr<void>& owner, int handle, int group, int rank, const void* data, Fingerprint is);
  /// The handle whose memory `owner` keeps; nothing where it keeps none.
  static std::optional<int> handle_of(const std::shared_ptr<void>& owner);
  /// Whether the memory that `owner` keeps is still the array's.
  static bool is_there(const std::shared_ptr<void>& owner);
  /// What a pin does on the thread that uses GA.
  void let_go(const Access& access);

  bool keeps(int handle);  ///< whether the pool will free it
  /// Frees what no process of the group holds. **Collective** over the group; needs no memory. Returns how many.
  Index collect(int group);
  /// The same for all groups that this process is in. **Collective** over GA's processes.
  Index collect();
  /// Whether it keeps arrays of a group other than `group` and GA's whole one, be they held or not.
  bool keeps_of_others(int group) const;
  Index held();   ///< arrays that this process holds
  void forget();  ///< GA has ended: what is held is nobody's memory any more

 private:
  struct Entry;
  struct Slot {
    std::shared_ptr<Entry> kept;  // null: the pool will free nothing here
    Access access;                // what the pins have open
    std::shared_ptr<void> array;  // what the GlobalArray is, where it is one: find() finds it meanwhile
    const void* data = nullptr;   // where, and of which array
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

  static constexpr int first_handle = -1000;  // GA's

  std::map<int, Entries> kept_;  // by group, in the order in which they came
  std::vector<Slot> slots_;      // by handle: what it stands for now
  std::map<int, Index> given_;   // by group: how many came
  Index accesses_ = 0;           // that were ever open
  bool watched_ = false;         // GA tells us of its end
};

class HandlePool::Offer {
  friend class HandlePool;
  std::shared_ptr<Entry> entry_;
  GlobalArray array_;
};

}  // namespace tridap::globalarrays
