#include <tridap/c/handles.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/state.hpp>

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tridap::c {

namespace {

// A number: the kind in the highest 8 bits, then 24 bits that count the uses of a place, then the place, from 1.
constexpr unsigned place_bits = 32, use_bits = 24;
constexpr std::uint64_t most_uses = (std::uint64_t{1} << use_bits) - 1;

// So many places are not taken again at once, so that the communicator of a handle is known for a while after its
// release.
constexpr std::size_t most_free = 1024;

struct Place {
  std::shared_ptr<Object> object;       // null: it was released
  std::weak_ptr<mpi::Duplicates> comm;  // of the last object
  std::uint64_t use = 0;
  Kind kind = Kind::none;

  std::uint64_t number(std::uint64_t at) const {
    return static_cast<std::uint64_t>(kind) << (place_bits + use_bits) | use << place_bits | (at + 1);
  }
};

// A lock that is held for a few instructions: it costs a local question less than half of what a mutex does.
class ShortLock {
 public:
  void lock() {
    while (taken_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

struct Table {
  ShortLock guard;
  std::deque<Place> places;
  std::deque<std::size_t> free;  // the place that was released first is taken first
  std::weak_ptr<mpi::Duplicates> last;
  std::vector<std::shared_ptr<Object>> ending;  // which were released, and must live a little longer
  std::atomic<bool> has_ending{false};
  std::int64_t held = 0;

  // The place of a number that was given; null: it never was, or another object has the place now.
  Place* place(std::uint64_t number) {
    const std::uint64_t at = (number & ((std::uint64_t{1} << place_bits) - 1)) - 1;
    if (at >= places.size() || places[at].number(at) != number) return nullptr;
    return &places[at];
  }
};

// It is never destroyed: handles are released after the end of main() as well.
Table& table() {
  static Table& only = *new Table;
  return only;
}

Kind kind_in(std::uint64_t number) {
  const std::uint64_t kind = number >> (place_bits + use_bits);
  return kind <= static_cast<std::uint64_t>(Kind::preconditioner) ? static_cast<Kind>(kind) : Kind::none;
}

[[noreturn]] void refuse_number(Kind wanted, std::uint64_t number) {
  const std::string name = wanted == Kind::none ? "handle" : name_of(wanted);
  if (number == 0)
    refuse("a " + name + " has the number 0", "must be a handle that a call has made",
           "make it first, and check the status of the call that makes it");
  const Kind kind = kind_in(number);
  if (kind != wanted && kind != Kind::none && wanted != Kind::none)
    refuse("a " + name + " has the number of a " + name_of(kind), "must be a handle of its own type",
           "pass the handle that was made for this purpose");
  refuse("a " + name + " with the number " + std::to_string(number) + " is not in use",
         "must be a handle that was made, and not released", "release it after its last use");
}

}  // namespace

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::distribution:
      return "tridap_distribution";
    case Kind::array:
      return "tridap_array";
    case Kind::plan:
      return "tridap_plan";
    case Kind::padding:
      return "tridap_padding";
    case Kind::ghosts:
      return "tridap_ghosts";
    case Kind::matrix:
      return "tridap_matrix";
    case Kind::preconditioner:
      return "tridap_preconditioner";
    case Kind::none:
      break;
  }
  return "handle";
}

std::uint64_t keep(Kind kind, std::shared_ptr<Object> object) {
  Table& all = table();
  const std::shared_ptr<mpi::Duplicates> comm = object->comm;
  const std::lock_guard<ShortLock> alone(all.guard);
  std::size_t at = all.places.size();
  if (all.free.size() > most_free) {
    at = all.free.front();
    all.free.pop_front();
  } else {
    all.places.emplace_back();
  }
  Place& place = all.places[at];
  place.object = std::move(object);
  place.comm = comm;
  place.use = place.use % most_uses + 1;
  place.kind = kind;
  if (comm != nullptr) all.last = comm;
  ++all.held;
  return place.number(at);
}

std::shared_ptr<Object> find(Kind kind, std::uint64_t number) {
  std::shared_ptr<Object> found;
  if (kind_in(number) == kind) {
    Table& all = table();
    const std::lock_guard<ShortLock> alone(all.guard);
    if (const Place* const place = all.place(number)) found = place->object;
  }
  if (found == nullptr) refuse_number(kind, number);
  if (found->has_failed) throw Error(static_cast<const Failed&>(*found).why);
  return found;
}

Held::Held(Kind kind, std::uint64_t number) : object_(nullptr) {
  Table& all = table();
  all.guard.lock();
  const Place* const place = kind_in(number) == kind ? all.place(number) : nullptr;
  if (place != nullptr) object_ = place->object.get();
  if (object_ != nullptr && !object_->has_failed) return;
  all.guard.unlock();
  find(kind, number);  // which throws
  refuse_number(kind, number);
}

Held::~Held() { table().guard.unlock(); }

std::shared_ptr<mpi::Duplicates> communicator_of(std::uint64_t number) {
  Table& all = table();
  const std::lock_guard<ShortLock> alone(all.guard);
  const Place* const place = all.place(number);
  return place == nullptr ? nullptr : place->comm.lock();
}

std::shared_ptr<mpi::Duplicates> last_communicator() {
  Table& all = table();
  const std::lock_guard<ShortLock> alone(all.guard);
  return all.last.lock();
}

namespace {

// Whether this thread may call MPI now.
bool may_end_here() {
  int initialized = 0, main = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0 || mpi::mpi_is_over() || mpi::may_be_in_mpi_at_once()) return true;
  MPI_Is_thread_main(&main);
  return main != 0;
}

}  // namespace

void end_released() {
  Table& all = table();
  if (!all.has_ending) return;
  std::vector<std::shared_ptr<Object>> ending;
  const std::lock_guard<ShortLock> alone(all.guard);
  ending.swap(all.ending);  // they end when the lock is free again
  all.has_ending = false;
}

void release(std::uint64_t number) {
  if (number == 0) return;
  std::shared_ptr<Object> released;  // outside of the lock, because the program may release others then
  {
    Table& all = table();
    const std::lock_guard<ShortLock> alone(all.guard);
    if (Place* const place = all.place(number); place != nullptr && place->object != nullptr) {
      const std::uint64_t at = (number & ((std::uint64_t{1} << place_bits) - 1)) - 1;
      all.free.push_back(at);
      released = std::move(place->object);
      place->object = nullptr;
      --all.held;
    }
  }
  if (released == nullptr) refuse_number(Kind::none, number);
  if (!released->is_in_progress() && may_end_here()) return;
  Table& all = table();
  const std::lock_guard<ShortLock> alone(all.guard);
  all.ending.push_back(std::move(released));
  all.has_ending = true;
}

void release_all() {
  end_released();
  std::vector<std::shared_ptr<Object>> released;
  {
    Table& all = table();
    const std::lock_guard<ShortLock> alone(all.guard);
    for (std::size_t at = 0; at < all.places.size(); ++at) {
      if (all.places[at].object == nullptr) continue;
      released.push_back(std::move(all.places[at].object));
      all.places[at].object = nullptr;
      all.free.push_back(at);
    }
    all.held = 0;
  }
  while (!released.empty()) released.pop_back();  // what was made last first
}

std::int64_t held() {
  Table& all = table();
  const std::lock_guard<ShortLock> alone(all.guard);
  return all.held;
}

}  // namespace tridap::c
