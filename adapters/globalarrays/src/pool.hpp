#pragma once

#include <dap/globalarrays/array.hpp>

#include <mpi.h>

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace dap::globalarrays {

/// What keeps a Global Array's memory in use on this process: the owner of an exported buffer.
struct Pin;

/// All handles that this library keeps: those it made, and others' that an export pins.
///
/// Letting go is local, and may come from any thread: it is noticed when the pool is asked for next. Handles are freed
/// where the processes of their group come together, which agree on those that none of them holds.
class Pool {
 public:
  /// This process's; never destroyed, since static objects may let go after anything.
  static Pool& all();

  /// Takes a handle that was just allocated: the same ones in the same order on all processes of their group. Local.
  GlobalArray keep(int handle, redistribute::Placed placed, const ElementType& type);
  /// What `handle` was kept as; empty where it was not made here, or nobody here holds it.
  GlobalArray find(int handle) const;
  /// Which one of its group's it is, of those that came to the pool: the same number on every process, unlike its
  /// handle; 0: it is not here.
  Index serial(int handle) const;

  /// Shares in the memory of `handle`, which begins at `data` here, for as long as the result lives. Local.
  std::shared_ptr<void> pin(int handle, const void* data);
  /// The handle whose memory `owner` keeps; -1 where it keeps none.
  static int handle_of(const std::shared_ptr<void>& owner);
  /// Whether the memory that `owner` keeps is still the array's.
  static bool is_there(const std::shared_ptr<void>& owner);

  /// Takes somebody else's handle, as keep() does. Local.
  void adopt(int handle);
  bool keeps(int handle) const;  ///< whether the pool will free it
  /// Frees what no process of the group holds. **Collective** over the group. Returns how many.
  Index collect(int group);
  /// The same for all groups that this process is in. **Collective** over GA's processes.
  Index collect();
  Index held() const;  ///< arrays that this process holds
  void forget();       ///< GA has ended: what is held is nobody's memory any more

 private:
  struct Entry;
  Pool() = default;
  const Entry* entry(int handle) const;
  void put(int handle, std::weak_ptr<GlobalArray::State> state);

  mutable std::mutex mutex_;
  std::map<int, std::list<std::shared_ptr<Entry>>> kept_;  // by group, in the order in which they came
  std::map<int, Index> given_;                             // by group: how many came
  std::map<int, std::weak_ptr<Pin>> pinned_;               // by handle
};

}  // namespace dap::globalarrays
