#include "handle_pool.hpp"

#include "ga.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/inside_if_free.hpp>
#include <tridap/internal/mpi_collectives.hpp>

#include <algorithm>
#include <utility>

namespace tridap::globalarrays {

struct GlobalArray::State {
  int handle;
  redistribute::PlacedDistribution placed;
  ElementType type;
  std::atomic<bool> there{true};
};

int GlobalArray::handle() const {
  placed();
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
  placed();
  return state_->type;
}

namespace {

bool there_is(int handle) { return GA_Initialized() != 0 && GA_Verify_handle(handle) != 0; }

// An address that belongs to the thread until it ends. It takes fewer cycles than std::this_thread::get_id().
const void* this_thread() {
  static thread_local const char own = 0;
  return &own;
}

}  // namespace

const HandlePool::Pin* HandlePool::pin_of(const std::shared_ptr<void>& owner) {
  return owner == nullptr ? nullptr : std::get_deleter<Pin>(owner);
}

// The slot of a handle that was ever taken or pinned.
HandlePool::Slot* HandlePool::used(int handle) {
  const Index place = Index{handle} - first_handle;
  return place < 0 || place >= static_cast<Index>(slots_.size()) ? nullptr : &slots_[static_cast<std::size_t>(place)];
}

// The same if GA still has the array.
HandlePool::Slot* HandlePool::there(int handle) {
  Slot* const slot = used(handle);
  if (slot == nullptr || (slot->serial == 0 && slot->pins == 0)) return nullptr;
  if (there_is(handle) && fingerprint(handle) == slot->is) return slot;
  emptied(handle);
  return nullptr;
}

// The slot without its array, which is destroyed.
HandlePool::Slot& HandlePool::emptied(int handle) {
  const auto place = static_cast<std::size_t>(handle - first_handle);
  if (place >= slots_.size()) slots_.resize(place + 1);
  Slot& slot = slots_[place];
  if (const auto state = slot.state.lock()) state->there = false;
  slot = {};
  return slot;
}

HandlePool::Slot& HandlePool::taken(int handle) {
  const Fingerprint is = fingerprint(handle);
  const void* const data = local_memory(handle);
  Slot* slot = used(handle);
  if (slot == nullptr || slot->serial != 0 || slot->is != is || slot->data != data) slot = &emptied(handle);
  slot->is = is;
  slot->data = data;
  slot->group = GA_Get_pgroup(handle);
  std::map<Index, int>& others = taken_[slot->group];
  slot->serial = others.empty() ? 1 : others.rbegin()->first + 1;
  others.emplace(slot->serial, handle);
  return *slot;
}

void HandlePool::take(int handle) { taken(handle); }

GlobalArray HandlePool::keep(int handle, redistribute::PlacedDistribution placed, const ElementType& type) {
  GlobalArray array;
  array.state_.reset(new GlobalArray::State{handle, std::move(placed), type});
  emptied(handle);  // a pin is of an earlier array
  taken(handle).state = array.state_;
  return array;
}

GlobalArray HandlePool::find(int handle) {
  close_released();
  GlobalArray found;
  if (const Slot* const slot = there(handle)) found.state_ = slot->state.lock();
  return found;
}

Index HandlePool::serial(int handle) {
  const Slot* const slot = there(handle);
  return slot == nullptr ? 0 : slot->serial;
}

std::shared_ptr<void> HandlePool::pin(int handle, const void* data) {
  const int group = GA_Get_pgroup(handle);
  std::shared_ptr<void> owner;
  pin(owner, handle, group, GA_Pgroup_nodeid(group), data, fingerprint(handle));
  return owner;
}

void HandlePool::pin(std::shared_ptr<void>& owner, int handle, int group, int rank, const void* data, Fingerprint is) {
  close_released();
  Slot* slot = used(handle);
  if (slot == nullptr || slot->is != is || slot->data != data) slot = &emptied(handle);
  if (slot->pins == 0) {
    slot->is = is;
    slot->data = data;
    slot->group = group;
    slot->rank = rank;
    slot->access = ++accesses_;
    slot->kept = slot->state.lock();
  }
  ++slot->pins;
  owner = std::shared_ptr<void>(this, Pin{this, handle, slot->access, this_thread()});
}

void HandlePool::release(const Pin& pin) {
  if (pin.thread == this_thread())
    if (const mpi::InsideIfFree inside(mpi::Library::globalarrays); inside) return close(pin);
  const std::lock_guard lock(mutex_);
  released_.push_back(pin);
  any_released_ = true;
}

// If the handle is another array of the group by now, this changes nothing for it: GA does not count accesses.
void HandlePool::close(const Pin& pin) {
  Slot* const slot = used(pin.handle);
  if (slot == nullptr || slot->access != pin.access || --slot->pins > 0) return;
  slot->access = 0;
  slot->kept = nullptr;
  if (there_is(pin.handle) && GA_Get_pgroup(pin.handle) == slot->group)
    NGA_Release_update_block_segment(pin.handle, slot->rank);
}

void HandlePool::close_released() {
  if (!any_released_) return;
  std::vector<Pin> pins;
  {
    const std::lock_guard lock(mutex_);
    pins.swap(released_);
    any_released_ = false;
  }
  for (const Pin& pin : pins) close(pin);
}

std::optional<int> HandlePool::handle_of(const std::shared_ptr<void>& owner) {
  const Pin* const pin = pin_of(owner);
  if (pin == nullptr) return std::nullopt;
  return pin->handle;
}

bool HandlePool::is_there(const std::shared_ptr<void>& owner) {
  const Pin* const pin = pin_of(owner);
  const Slot* const slot = pin == nullptr ? nullptr : pin->pool->used(pin->handle);
  return slot != nullptr && slot->access == pin->access && there_is(pin->handle) &&
         fingerprint(pin->handle) == slot->is && local_memory(pin->handle) == slot->data;
}

Index HandlePool::collect(int group) {
  close_released();
  const auto of_group = taken_.find(group);
  if (of_group == taken_.end() || of_group->second.empty()) return 0;
  std::map<Index, int>& handles = of_group->second;  // as many on every process of the group
  std::vector<Index> said;                           // of each: whether it is held, and whether it is gone
  for (const auto& [serial, handle] : handles) {
    const Slot* const slot = there(handle);
    const bool still = slot != nullptr && slot->group == group && slot->serial == serial;
    said.push_back(still && slot->is_held() ? 1 : 0);
    said.push_back(still ? 0 : 1);
  }
  mpi::MpiCollectives(GA_MPI_Comm_pgroup(group)).max(said);
  Index freed = 0;
  std::size_t next = 0;
  for (auto one = handles.begin(); one != handles.end();) {
    const auto [serial, handle] = *one;
    const bool held = said[next++] != 0, gone = said[next++] != 0;
    if (held && !gone) {
      ++one;
      continue;
    }
    if (const Slot* const slot = used(handle); slot->group == group && slot->serial == serial) emptied(handle);
    if (!gone) GA_Destroy(handle);
    freed += gone ? 0 : 1;
    one = handles.erase(one);
  }
  return freed;
}

Index HandlePool::collect() {
  Index freed = 0;
  for (const auto& [group, handles] : taken_) freed += collect(group);  // in the same order on every process
  return freed;
}

bool HandlePool::keeps_of_others(int group) const {
  return std::any_of(taken_.begin(), taken_.end(), [&](const auto& of_group) {
    return of_group.first != group && of_group.first != GA_Pgroup_get_world() && !of_group.second.empty();
  });
}

Index HandlePool::held() {
  close_released();
  return std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.is_held(); });
}

void HandlePool::forget() {
  for (std::size_t place = 0; place < slots_.size(); ++place) emptied(first_handle + static_cast<int>(place));
  slots_.clear();
  taken_.clear();
}

}  // namespace tridap::globalarrays
