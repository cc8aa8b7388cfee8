#include "pool.hpp"

#include "ga.hpp"
#include "group.hpp"
#include "memory.hpp"
#include <dap/mpi/agree.hpp>
#include <dap/report.hpp>

#include <algorithm>
#include <atomic>
#include <utility>

namespace dap::globalarrays {

namespace {

// Tells our owners from everybody else's.
struct CloseAccess {
  void operator()(Pin* pin) const;
};

Error refused(const std::string& fault, const std::string& remedy) {
  return Error(Finding{Rule::conversion, {}, {}, "", fault, "", remedy});
}

}  // namespace

struct Pin {
  int handle = -1;
  const void* data = nullptr;
  std::atomic<bool> there{true};  // false: GA has ended, or the handle is another array's
  std::shared_ptr<void> array;    // what the GlobalArray is, where it is one, so that find() finds it
};

namespace {

void CloseAccess::operator()(Pin* pin) const { delete pin; }

}  // namespace

struct GlobalArray::State {
  int handle;
  redistribute::Placed placed;
  ElementType type;
  std::atomic<bool> there{true};
};

struct Pool::Entry {
  int handle;
  Index serial;                             // among those of its group
  std::weak_ptr<GlobalArray::State> state;  // of an array made here
  bool held = true;                         // what this process says of it in collect()
};

int GlobalArray::handle() const {
  if (empty()) throw refused("the GlobalArray is empty", "make one with create()");
  if (!state_->there)
    throw refused("Global Arrays has ended, and the array with it", "let go of it before the Session");
  return state_->handle;
}

const redistribute::Placed& GlobalArray::placed() const {
  if (empty()) throw refused("the GlobalArray is empty", "make one with create()");
  return state_->placed;
}

const ElementType& GlobalArray::type() const {
  if (empty()) throw refused("the GlobalArray is empty", "make one with create()");
  return state_->type;
}

Pool& Pool::all() {
  static Pool* const pool = new Pool;
  return *pool;
}

GlobalArray Pool::keep(int handle, redistribute::Placed placed, const ElementType& type) {
  GlobalArray made;
  made.state_.reset(new GlobalArray::State{handle, std::move(placed), type});
  const std::lock_guard lock(mutex_);
  put(handle, made.state_);
  return made;
}

GlobalArray Pool::find(int handle) const {
  const std::lock_guard lock(mutex_);
  GlobalArray found;
  if (const Entry* const kept = entry(handle)) found.state_ = kept->state.lock();
  return found;
}

void Pool::put(int handle, std::weak_ptr<GlobalArray::State> state) {
  const int group = GA_Get_pgroup(handle);
  kept_[group].push_back(std::make_shared<Entry>(Entry{handle, ++given_[group], std::move(state)}));
}

Index Pool::serial(int handle) const {
  const std::lock_guard lock(mutex_);
  const Entry* const kept = entry(handle);
  return kept == nullptr ? 0 : kept->serial;
}

const Pool::Entry* Pool::entry(int handle) const {
  for (const auto& [group, entries] : kept_)
    for (const std::shared_ptr<Entry>& one : entries)
      if (one->handle == handle) return one.get();
  return nullptr;
}

std::shared_ptr<void> Pool::pin(int handle, const void* data) {
  const std::lock_guard lock(mutex_);
  std::weak_ptr<Pin>& known = pinned_[handle];
  if (std::shared_ptr<Pin> pin = known.lock()) {
    if (pin->data == data && pin->there) return pin;
    pin->there = false;  // GA_Destroy was called, and the handle given anew
  }
  const std::shared_ptr<Pin> made(new Pin{handle, data, {true}, {}}, CloseAccess{});
  if (const Entry* const kept = entry(handle)) made->array = kept->state.lock();
  known = made;
  return made;
}

int Pool::handle_of(const std::shared_ptr<void>& owner) {
  if (owner == nullptr || std::get_deleter<CloseAccess>(owner) == nullptr) return -1;
  return static_cast<const Pin*>(owner.get())->handle;
}

bool Pool::is_there(const std::shared_ptr<void>& owner) {
  const int handle = handle_of(owner);
  if (handle == -1 || GA_Initialized() == 0) return false;
  const Pin& pin = *static_cast<const Pin*>(owner.get());
  return pin.there && GA_Verify_handle(handle) != 0 && local_memory(handle) == pin.data;
}

void Pool::adopt(int handle) {
  const std::lock_guard lock(mutex_);
  put(handle, {});
}

bool Pool::keeps(int handle) const {
  const std::lock_guard lock(mutex_);
  return entry(handle) != nullptr;
}

Index Pool::collect(int group) {
  std::vector<std::shared_ptr<Entry>> all;
  std::vector<Index> wanted;
  {
    const std::lock_guard lock(mutex_);
    const auto entries = kept_.find(group);
    if (entries != kept_.end()) all.assign(entries->second.begin(), entries->second.end());
    for (const std::shared_ptr<Entry>& one : all) {
      const auto pin = pinned_.find(one->handle);
      wanted.push_back(!one->state.expired() || (pin != pinned_.end() && !pin->second.expired()) ? 1 : 0);
    }
  }
  if (all.empty()) return 0;  // here, as on every process of the group
  mpi::Team(GA_MPI_Comm_pgroup(group)).largest(wanted);
  Index freed = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (wanted[k] != 0) continue;
    if (GA_Verify_handle(all[k]->handle) != 0) GA_Destroy(all[k]->handle);  // not where somebody did so himself
    ++freed;
    const std::lock_guard lock(mutex_);
    kept_[group].remove(all[k]);
    pinned_.erase(all[k]->handle);
  }
  return freed;
}

Index Pool::collect() {
  std::vector<int> groups;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [group, entries] : kept_)  // in ascending order, which is the same everywhere
      if (!entries.empty()) groups.push_back(group);
  }
  Index freed = 0;
  for (const int group : groups) freed += collect(group);
  return freed;
}

Index Pool::held() const {
  const std::lock_guard lock(mutex_);
  Index count = 0;
  std::vector<int> counted;
  for (const auto& [group, entries] : kept_)
    for (const std::shared_ptr<Entry>& one : entries)
      if (!one->state.expired()) counted.push_back(one->handle);
  for (const auto& [handle, pin] : pinned_)
    if (!pin.expired() && std::find(counted.begin(), counted.end(), handle) == counted.end()) ++count;
  return count + static_cast<Index>(counted.size());
}

void Pool::forget() {
  const std::lock_guard lock(mutex_);
  for (auto& [group, entries] : kept_)
    for (const std::shared_ptr<Entry>& one : entries)
      if (const auto state = one->state.lock()) state->there = false;
  for (auto& [handle, known] : pinned_)
    if (const auto pin = known.lock()) pin->there = false;
  kept_.clear();
  given_.clear();
  pinned_.clear();
  forget_groups();
}

bool destroy(int handle, MPI_Comm comm) {
  mpi::collectively(comm, [&] {
    if (GA_Initialized() == 0 || GA_Verify_handle(handle) == 0)
      throw refused("there is no Global Array " + std::to_string(handle), "pass a handle before it is destroyed");
    if (Pool::all().keeps(handle))
      throw refused("Global Array " + std::to_string(handle) + " is the pool's already", "let go of its GlobalArray");
    int same = MPI_UNEQUAL;
    MPI_Group given = MPI_GROUP_NULL, its = MPI_GROUP_NULL;
    MPI_Comm_group(comm, &given);
    MPI_Comm_group(GA_MPI_Comm_pgroup(GA_Get_pgroup(handle)), &its);
    MPI_Group_compare(given, its, &same);
    MPI_Group_free(&given);
    MPI_Group_free(&its);
    if (same == MPI_UNEQUAL)
      throw refused("Global Array " + std::to_string(handle) + " is on other processes than those of the communicator",
                    "pass a communicator of its processes");
    Pool::all().adopt(handle);
  });
  const int group = GA_Get_pgroup(handle);
  Pool::all().collect(group);
  return !Pool::all().keeps(handle);
}

Index collect() { return Pool::all().collect(); }

Index held() { return Pool::all().held(); }

}  // namespace dap::globalarrays
