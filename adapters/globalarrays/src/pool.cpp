#include "pool.hpp"

#include "ending.hpp"
#include "fingerprint.hpp"
#include "ga.hpp"
#include "memory.hpp"
#include "refused.hpp"
#include <dap/mpi/agree.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <utility>

namespace dap::globalarrays {

struct Pin {
  Pin(int of, const void* begin, const Fingerprint& print) : handle(of), data(begin), is(print) {}

  const int handle;
  const void* const data;
  const Fingerprint is;
  const std::thread::id thread = std::this_thread::get_id();  // which uses GA
  std::atomic<int> owners{0};                                 // outside of the pool
  std::atomic<bool> there{true};                              // false: GA has ended, or the handle is another array's
};

struct GlobalArray::State {
  int handle;
  redistribute::Placed placed;
  ElementType type;
  std::atomic<bool> there{true};
};

struct Pool::Entry {
  int handle;
  int group;
  Fingerprint is;
  std::weak_ptr<GlobalArray::State> state;  // of an array made here
  bool gone = false;                        // somebody called GA_Destroy
  Index serial = 0;                         // among those of its group
};

namespace {

bool there_is(int handle) { return GA_Initialized() != 0 && GA_Verify_handle(handle) != 0; }

bool is_still(const Pin& pin) { return pin.there && there_is(pin.handle) && fingerprint(pin.handle) == pin.is; }

void close_access(const Pin& pin) {
  if (pin.owners == 0 && is_still(pin)) close_access(pin.handle, pin.is);
}

// The pins that other threads let go of. It has a lock of its own, under which nothing else is done: a pin may be let
// go of under any other lock.
class LetGo {
 public:
  static LetGo& all() {
    static auto* const let_go = new LetGo;
    return *let_go;
  }
  void add(std::shared_ptr<Pin> pin) {
    const std::lock_guard lock(mutex_);
    pins_.push_back(std::move(pin));
    any_ = true;
  }
  void close() {
    if (!any_) return;
    std::vector<std::shared_ptr<Pin>> pins;
    {
      const std::lock_guard lock(mutex_);
      pins.swap(pins_);
      any_ = false;
    }
    for (const std::shared_ptr<Pin>& pin : pins) close_access(*pin);
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<Pin>> pins_;
  std::atomic<bool> any_{false};
};

// One owner's share in a pin. Tells our owners from everybody else's.
struct LetGoOf {
  std::shared_ptr<Pin> pin;
  std::shared_ptr<void> array;  // what the GlobalArray is, where it is one: find() finds it meanwhile

  void operator()(Pin*) {
    array = nullptr;
    if (--pin->owners != 0 || !pin->there) return;
    if (pin->thread == std::this_thread::get_id()) {
      close_access(*pin);
    } else {
      LetGo::all().add(std::move(pin));
    }
  }
};

void forget_all() { Pool::all().forget(); }

}  // namespace

int GlobalArray::handle() const {
  if (empty()) throw refused("the GlobalArray is empty", "make one with create()");
  if (!state_->there || GA_Initialized() == 0)
    throw refused("the Global Array is there no more: Global Arrays has ended, or GA_Destroy was called",
                  "use it before the Session ends, and let go of it in place of GA_Destroy");
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
  enter(std::make_shared<Entry>(Entry{handle, GA_Get_pgroup(handle), fingerprint(handle), made.state_}));
  const auto before = pinned_.find(handle);
  if (before == pinned_.end()) return made;
  before->second->there = false;  // another array's, which somebody destroyed: GA has just given the handle
  pinned_.erase(before);
  return made;
}

void Pool::adopt(int handle) {
  const std::lock_guard lock(mutex_);
  enter(std::make_shared<Entry>(Entry{handle, GA_Get_pgroup(handle), fingerprint(handle), {}}));
}

void Pool::watch() {
  if (!watched_) at_ga_end(forget_all);
  watched_ = true;
}

void Pool::enter(std::shared_ptr<Entry> made) {
  watch();
  std::shared_ptr<Entry>& known = known_[made->handle];
  if (known != nullptr) {
    known->gone = true;
    if (const auto state = known->state.lock()) state->there = false;
  }
  made->serial = ++given_[made->group];
  kept_[made->group].push_back(made);
  known = std::move(made);
}

Pool::Entry* Pool::entry(int handle) {
  const auto found = known_.find(handle);
  if (found == known_.end()) return nullptr;
  Entry& known = *found->second;
  if (there_is(handle) && fingerprint(handle) == known.is) return &known;
  known.gone = true;
  if (const auto state = known.state.lock()) state->there = false;
  known_.erase(found);
  return nullptr;
}

GlobalArray Pool::find(int handle) {
  const std::lock_guard lock(mutex_);
  GlobalArray found;
  if (const Entry* const kept = entry(handle)) found.state_ = kept->state.lock();
  return found;
}

Index Pool::serial(int handle) {
  const std::lock_guard lock(mutex_);
  const Entry* const kept = entry(handle);
  return kept == nullptr ? 0 : kept->serial;
}

bool Pool::keeps(int handle) {
  const std::lock_guard lock(mutex_);
  return entry(handle) != nullptr;
}

std::shared_ptr<void> Pool::pin(int handle, const void* data) {
  LetGo::all().close();
  const Fingerprint is = fingerprint(handle);
  const std::lock_guard lock(mutex_);
  watch();
  std::shared_ptr<Pin>& known = pinned_[handle];
  if (known == nullptr || known->data != data || !(known->is == is)) {
    if (known != nullptr) known->there = false;  // GA_Destroy was called, and the handle given anew
    known = std::make_shared<Pin>(handle, data, is);
  }
  ++known->owners;
  const Entry* const kept = entry(handle);
  return std::shared_ptr<void>(known.get(), LetGoOf{known, kept == nullptr ? nullptr : kept->state.lock()});
}

bool Pool::pinned(int handle) const {
  const auto pin = pinned_.find(handle);
  return pin != pinned_.end() && pin->second->owners > 0;
}

int Pool::handle_of(const std::shared_ptr<void>& owner) {
  if (owner == nullptr || std::get_deleter<LetGoOf>(owner) == nullptr) return -1;
  return static_cast<const Pin*>(owner.get())->handle;
}

bool Pool::is_there(const std::shared_ptr<void>& owner) {
  if (owner == nullptr || std::get_deleter<LetGoOf>(owner) == nullptr) return false;
  const Pin& pin = *static_cast<const Pin*>(owner.get());
  return is_still(pin) && local_memory(pin.handle) == pin.data;
}

Index Pool::collect(int group) {
  LetGo::all().close();
  Entries all;
  std::vector<Index> said;  // of each: whether it is held, and whether it is gone
  {
    const std::lock_guard lock(mutex_);
    if (const auto entries = kept_.find(group); entries != kept_.end()) all = entries->second;
    for (const std::shared_ptr<Entry>& one : all) {
      const bool still = entry(one->handle) == one.get();
      said.push_back(still && (!one->state.expired() || pinned(one->handle)) ? 1 : 0);
      said.push_back(still ? 0 : 1);
    }
  }
  if (all.empty()) return 0;  // here, as on every process of the group
  mpi::Team(GA_MPI_Comm_pgroup(group)).largest(said);
  Entries ended;
  Index freed = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool held = said[2 * k] != 0, gone = said[2 * k + 1] != 0;
    if (gone) all[k]->gone = true;
    if (held && !gone) continue;
    if (!gone) {
      GA_Destroy(all[k]->handle);
      ++freed;
    }
    ended.push_back(all[k]);
  }
  leave(group, ended);
  return freed;
}

void Pool::leave(int group, const Entries& ended) {
  if (ended.empty()) return;
  const std::lock_guard lock(mutex_);
  Entries& entries = kept_[group];
  auto next = ended.begin();  // in the same order
  entries.erase(std::remove_if(entries.begin(), entries.end(),
                               [&](const std::shared_ptr<Entry>& one) {
                                 if (next == ended.end() || one != *next) return false;
                                 ++next;
                                 return true;
                               }),
                entries.end());
  for (const std::shared_ptr<Entry>& one : ended) {
    if (const auto state = one->state.lock()) state->there = false;
    const auto known = known_.find(one->handle);
    if (known == known_.end() || known->second != one) continue;
    known_.erase(known);
    if (!one->gone) pinned_.erase(one->handle);
  }
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

bool Pool::keeps_of_others(int group) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(kept_.begin(), kept_.end(), [&](const auto& of_group) {
    return of_group.first != group && of_group.first != GA_Pgroup_get_world() && !of_group.second.empty();
  });
}

Index Pool::held() const {
  const std::lock_guard lock(mutex_);
  Index count = 0;
  for (const auto& [handle, one] : known_) count += !one->state.expired() && !pinned(handle) ? 1 : 0;
  for (const auto& [handle, pin] : pinned_) count += pin->owners > 0 ? 1 : 0;
  return count;
}

void Pool::forget() {
  const std::lock_guard lock(mutex_);
  for (const auto& [group, entries] : kept_)
    for (const std::shared_ptr<Entry>& one : entries)
      if (const auto state = one->state.lock()) state->there = false;
  for (const auto& [handle, known] : pinned_) known->there = false;
  kept_.clear();
  known_.clear();
  pinned_.clear();
  given_.clear();
  watched_ = false;
}

namespace {

void check_destroyable(int handle, MPI_Comm comm) {
  const std::string name = "Global Array " + std::to_string(handle);
  if (!there_is(handle)) throw refused("there is no " + name, "pass a handle before it is destroyed");
  if (Pool::all().keeps(handle)) throw refused(name + " is the pool's already", "let go of its GlobalArray");
  int same = MPI_UNEQUAL;
  MPI_Group given = MPI_GROUP_NULL, its = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &given);
  MPI_Comm_group(GA_MPI_Comm_pgroup(GA_Get_pgroup(handle)), &its);
  MPI_Group_compare(given, its, &same);
  MPI_Group_free(&given);
  MPI_Group_free(&its);
  if (same == MPI_UNEQUAL)
    throw refused(name + " is on other processes than those of the communicator",
                  "pass a communicator of its processes");
}

// Numbers of one array may differ between processes, and so may arrays of one number. **Collective.**
void check_same(int handle, MPI_Comm comm) {
  const std::vector<Index> shape = shape_and_type(handle);
  std::vector<Index> extremes = shape;
  for (const Index number : shape) extremes.push_back(-number);
  mpi::Team(comm).largest(extremes);
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (extremes[k] != -extremes[k + shape.size()])
      throw refused("the processes pass Global Arrays of different shapes or types", "pass the same one everywhere");
}

}  // namespace

bool destroy(int handle, MPI_Comm comm) {
  mpi::collectively(comm, [&] { check_destroyable(handle, comm); });
  check_same(handle, comm);
  Pool::all().adopt(handle);
  Pool::all().collect(GA_Get_pgroup(handle));
  return !Pool::all().keeps(handle);
}

Index collect() { return Pool::all().collect(); }

Index held() { return Pool::all().held(); }

}  // namespace dap::globalarrays
