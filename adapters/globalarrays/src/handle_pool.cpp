#include "handle_pool.hpp"

#include "ending.hpp"
#include "fingerprint.hpp"
#include "ga.hpp"
#include "group.hpp"
#include "lasting.hpp"
#include "memory.hpp"
#include "named.hpp"
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/inside_if_free.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <utility>

namespace tridap::globalarrays {

struct GlobalArray::State {
  int handle;
  redistribute::PlacedDistribution placed;
  ElementType type;
  std::atomic<bool> there{true};
};

struct HandlePool::Entry {
  int handle;
  int group;
  Fingerprint is;
  std::weak_ptr<GlobalArray::State> state;  // of an array made here
  Index serial = 0;                         // among those of its group
  bool ended = false;                       // it will leave the pool
};

namespace {

bool there_is(int handle) { return GA_Initialized() != 0 && GA_Verify_handle(handle) != 0; }

// The accesses that other threads released. It has its own lock, and does nothing else under it, because a pin may be
// released under any other lock.
class LetGo {
 public:
  static LetGo& all() {
    static Lasting<LetGo> let_go;
    return *let_go;
  }
  void add(const Access& access) {
    const std::lock_guard lock(mutex_);
    open_.push_back(access);
    any_ = true;
  }
  bool is_empty() const { return !any_; }
  std::vector<Access> take() {
    const std::lock_guard lock(mutex_);
    any_ = false;
    return std::exchange(open_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Access> open_;
  std::atomic<bool> any_{false};
};

// The deleter of an owner of an array's memory. It distinguishes such owners from all others.
class Pin {
 public:
  explicit Pin(const Access& access) : access_(access) {}

  static const Pin* of(const std::shared_ptr<void>& owner) {
    return owner == nullptr ? nullptr : std::get_deleter<Pin>(owner);
  }

  const Access& access() const { return access_; }

  void operator()(void*) {
    if (thread_ == this_thread())
      if (const mpi::InsideIfFree inside(mpi::Library::globalarrays); inside) {
        HandlePool::all().let_go(access_);
        return;
      }
    LetGo::all().add(access_);
  }

 private:
  // An address that belongs to the thread until it ends. It takes fewer cycles than std::this_thread::get_id().
  static const void* this_thread() {
    static thread_local const char own = 0;
    return &own;
  }

  Access access_;
  const void* thread_ = this_thread();  // the thread that uses GA
};

void forget_all() { HandlePool::all().forget(); }

constexpr std::size_t at_once = 256;  // arrays on which processes agree in one message, which is on the stack

}  // namespace

int GlobalArray::handle() const {
  if (empty()) refuse("the GlobalArray is empty", "", "make one with create()");
  if (!state_->there || GA_Initialized() == 0)
    refuse("the Global Array no longer exists: Global Arrays is terminated, or GA_Destroy was called", "",
           "use it before the Session ends, and destroy the GlobalArray object instead of calling GA_Destroy");
  return state_->handle;
}

const redistribute::PlacedDistribution& GlobalArray::placed() const {
  if (empty()) refuse("the GlobalArray is empty", "", "make one with create()");
  return state_->placed;
}

const ElementType& GlobalArray::type() const {
  if (empty()) refuse("the GlobalArray is empty", "", "make one with create()");
  return state_->type;
}

HandlePool& HandlePool::all() {
  static Lasting<HandlePool> pool;
  return *pool;
}

HandlePool::Offer HandlePool::offer(int handle) {
  Offer made;
  made.entry_ = std::make_shared<Entry>(Entry{handle, GA_Get_pgroup(handle), fingerprint(handle), {}});
  make_room(*made.entry_);
  return made;
}

HandlePool::Offer HandlePool::offer(int handle, redistribute::PlacedDistribution placed, const ElementType& type) {
  Offer made = offer(handle);
  made.array_.state_.reset(new GlobalArray::State{handle, std::move(placed), type});
  made.entry_->state = made.array_.state_;
  return made;
}

// Allocates what take() needs.
void HandlePool::make_room(const Entry& made) {
  if (!watched_) watch();
  slot(made.handle);
  given_[made.group];
  Entries& entries = kept_[made.group];
  if (entries.size() == entries.capacity()) entries.reserve(2 * entries.size() + 1);
}

GlobalArray HandlePool::take(Offer offer) {
  Entry& entry = *offer.entry_;
  Slot& slot = this->slot(entry.handle);
  const bool new_here = !offer.array_.empty();  // then a pin is of an earlier array, which was destroyed
  if (new_here || slot.is != entry.is || slot.data != local_memory(entry.handle)) slot.unpin();
  if (slot.kept != nullptr) lose(slot.kept);
  entry.serial = ++given_[entry.group];
  slot.kept = offer.entry_;
  kept_[entry.group].push_back(std::move(offer.entry_));
  return std::move(offer.array_);
}

GlobalArray HandlePool::keep(int handle, redistribute::PlacedDistribution placed, const ElementType& type) {
  return take(offer(handle, std::move(placed), type));
}

void HandlePool::watch() {
  at_ga_end(forget_all);
  watched_ = true;
}

void HandlePool::lose(std::shared_ptr<Entry>& known) {
  if (const auto state = known->state.lock()) state->there = false;
  known.reset();
}

HandlePool::Entry* HandlePool::entry(int handle) {
  if (!knows(handle)) return nullptr;
  std::shared_ptr<Entry>& known = slot(handle).kept;
  if (known == nullptr) return nullptr;
  if (there_is(handle) && fingerprint(handle) == known->is) return known.get();
  lose(known);
  return nullptr;
}

GlobalArray HandlePool::find(int handle) {
  close_let_go();
  GlobalArray found;
  if (const Entry* const kept = entry(handle)) found.state_ = kept->state.lock();
  return found;
}

Index HandlePool::serial(int handle) {
  const Entry* const kept = entry(handle);
  return kept == nullptr ? 0 : kept->serial;
}

bool HandlePool::keeps(int handle) { return entry(handle) != nullptr; }

std::shared_ptr<void> HandlePool::pin(int handle, const void* data) {
  const int group = GA_Get_pgroup(handle);
  std::shared_ptr<void> owner;
  pin(owner, handle, group, GA_Pgroup_nodeid(group), data, fingerprint(handle));
  return owner;
}

void HandlePool::pin(std::shared_ptr<void>& owner, int handle, int group, int rank, const void* data, Fingerprint is) {
  close_let_go();
  if (!watched_) watch();
  Slot& slot = this->slot(handle);
  Index serial = slot.access.serial;
  if (!slot.is_pinned() || slot.data != data || slot.is != is) {  // GA_Destroy was called, and GA reused the handle
    slot.data = data;
    slot.is = is;
    serial = ++accesses_;
    slot.pins = 0;
    if (slot.kept != nullptr || slot.array != nullptr) pin_kept(slot);
  }
  ++slot.pins;
  slot.access = {handle, group, rank, serial};
  owner = std::shared_ptr<void>(this, Pin({handle, group, rank, serial}));
}

void HandlePool::make_room(std::size_t slots) { slots_.resize(slots); }

void HandlePool::pin_kept(Slot& slot) {
  if (slot.kept != nullptr && slot.kept->is != slot.is) lose(slot.kept);
  slot.array = slot.kept == nullptr ? nullptr : slot.kept->state.lock();
}

// If the handle is another array of the group by now, this changes nothing for it: GA does not count accesses.
void HandlePool::let_go(const Access& access) {
  if (!knows(access.handle)) return;
  Slot& slot = this->slot(access.handle);
  if (slot.access.serial != access.serial || --slot.pins > 0) return;
  slot.unpin();
  if (there_is(access.handle) && GA_Get_pgroup(access.handle) == access.group)
    NGA_Release_update_block_segment(access.handle, access.rank);
}

void HandlePool::close_let_go() {
  if (LetGo::all().is_empty()) return;
  for (const Access& access : LetGo::all().take()) let_go(access);
}

std::optional<int> HandlePool::handle_of(const std::shared_ptr<void>& owner) {
  const Pin* const pin = Pin::of(owner);
  if (pin == nullptr) return std::nullopt;
  return pin->access().handle;
}

bool HandlePool::is_there(const std::shared_ptr<void>& owner) {
  const Pin* const pin = Pin::of(owner);
  return pin != nullptr && all().is_open(pin->access());
}

bool HandlePool::is_open(const Access& access) const {
  if (!knows(access.handle)) return false;
  const Slot& slot = slots_[static_cast<std::size_t>(access.handle - first_handle)];
  return slot.access.serial == access.serial && there_is(access.handle) && fingerprint(access.handle) == slot.is &&
         local_memory(access.handle) == slot.data;
}

Index HandlePool::collect(int group) {
  close_let_go();
  const auto of_group = kept_.find(group);
  if (of_group == kept_.end()) return 0;
  Entries& entries = of_group->second;  // as many on every process of the group
  Index freed = 0;
  for (std::size_t begin = 0; begin < entries.size(); begin += at_once)
    freed += free_unheld(&entries[begin], std::min(at_once, entries.size() - begin), group);
  const auto ended = [](const std::shared_ptr<Entry>& one) { return one->ended; };
  entries.erase(std::remove_if(entries.begin(), entries.end(), ended), entries.end());
  return freed;
}

Index HandlePool::free_unheld(std::shared_ptr<Entry>* entries, std::size_t count, int group) {
  std::array<std::array<Index, 2>, at_once> said{};  // of each: whether it is held, and whether it is gone
  for (std::size_t k = 0; k < count; ++k) {
    const Entry& one = *entries[k];
    const bool still = entry(one.handle) == &one;
    said[k][0] = still && (!one.state.expired() || slot(one.handle).is_pinned()) ? 1 : 0;
    said[k][1] = still ? 0 : 1;
  }
  mpi::must_succeed(MPI_Allreduce(MPI_IN_PLACE, said.data(), static_cast<int>(2 * count), MPI_INT64_T, MPI_MAX,
                                  GA_MPI_Comm_pgroup(group)),
                    "MPI_Allreduce");
  Index freed = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const bool held = said[k][0] != 0, gone = said[k][1] != 0;
    if (held && !gone) continue;
    if (!gone) {
      GA_Destroy(entries[k]->handle);
      ++freed;
    }
    leave(*entries[k]);
  }
  return freed;
}

void HandlePool::leave(Entry& one) {
  one.ended = true;
  if (const auto state = one.state.lock()) state->there = false;
  Slot& slot = this->slot(one.handle);
  if (slot.kept.get() == &one) slot.kept.reset();
}

Index HandlePool::collect() {
  close_let_go();
  Index freed = 0;
  for (const auto& [group, entries] : kept_)  // in ascending order, which is the same on every process
    if (!entries.empty()) freed += collect(group);
  return freed;
}

bool HandlePool::keeps_of_others(int group) const {
  return std::any_of(kept_.begin(), kept_.end(), [&](const auto& of_group) {
    return of_group.first != group && of_group.first != GA_Pgroup_get_world() && !of_group.second.empty();
  });
}

Index HandlePool::held() {
  close_let_go();
  return std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) {
    return slot.is_pinned() || (slot.kept != nullptr && !slot.kept->state.expired());
  });
}

void HandlePool::forget() {
  for (const auto& [group, entries] : kept_)
    for (const std::shared_ptr<Entry>& one : entries)
      if (const auto state = one->state.lock()) state->there = false;
  kept_.clear();
  slots_.clear();
  given_.clear();
  watched_ = false;
}

namespace {

void check_destroyable(int handle, MPI_Comm comm) {
  const std::string name = "Global Array " + std::to_string(handle);
  if (!there_is(handle)) refuse("there is no " + name, "", "pass the handle of an array that is not destroyed");
  if (HandlePool::all().keeps(handle))
    refuse(name + " belongs to a GlobalArray", "", "destroy the GlobalArray object instead");
  int same = MPI_UNEQUAL;
  MPI_Group given = MPI_GROUP_NULL, its = MPI_GROUP_NULL;
  mpi::must_succeed(MPI_Comm_group(comm, &given), "MPI_Comm_group");
  mpi::must_succeed(MPI_Comm_group(GA_MPI_Comm_pgroup(GA_Get_pgroup(handle)), &its), "MPI_Comm_group");
  mpi::must_succeed(MPI_Group_compare(given, its, &same), "MPI_Group_compare");
  mpi::must_succeed(MPI_Group_free(&given), "MPI_Group_free");
  mpi::must_succeed(MPI_Group_free(&its), "MPI_Group_free");
  if (same == MPI_UNEQUAL)
    refuse(name + " is not on the processes of the communicator", "", "pass a communicator of its processes");
}

}  // namespace

bool destroy(int handle, MPI_Comm comm) {
  HandlePool& pool = HandlePool::all();
  std::optional<HandlePool::Offer> offer;
  std::vector<Index> shape;
  const mpi::Call call(comm, "globalarrays::destroy", mpi::Library::globalarrays, [&](mpi::Record&) {
    check_destroyable(handle, comm);
    offer = pool.offer(handle);
    shape = shape_and_type(handle);
  });
  comm = call.comm();
  // One array may have different handles on the processes, and one handle may be different arrays.
  for (const MinMax& spread : mpi::min_max(shape, comm))
    if (!spread.is_same())
      refuse("the processes pass Global Arrays of different shapes or types", "",
             "pass the same array on every process");
  pool.take(*std::move(offer));
  pool.collect(GA_Get_pgroup(handle));
  return !pool.keeps(handle);
}

Index collect() {
  if (GA_Initialized() == 0) return 0;
  const mpi::Call call(all_processes(), "globalarrays::collect", mpi::Library::globalarrays);
  return HandlePool::all().collect();
}

Index held() { return HandlePool::all().held(); }

}  // namespace tridap::globalarrays
