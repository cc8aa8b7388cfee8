#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/state.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <new>
#include <utility>

namespace tridap::mpi {

namespace {

// Constant-initialized and without a destructor, so that it may be used at any time.
thread_local ThreadCalls own_calls;

// Removes the thread from the list when it ends.
struct Listed {
  Listed() {
    State& all = state();
    const std::lock_guard lock(all.guard_of_threads);
    own_calls.next = all.threads;
    if (all.threads != nullptr) all.threads->previous = &own_calls;
    all.threads = &own_calls;
  }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;
  ~Listed() {
    State& all = state();
    const std::lock_guard lock(all.guard_of_threads);
    (own_calls.previous != nullptr ? own_calls.previous->next : all.threads) = own_calls.next;
    if (own_calls.next != nullptr) own_calls.next->previous = own_calls.previous;
    own_calls.next = own_calls.previous = nullptr;
  }
};

ThreadCalls& listed_thread() {
  thread_local const Listed listed;
  static_cast<void>(listed);
  return own_calls;
}

std::atomic<State*> used_state{nullptr};

}  // namespace

static_assert(std::is_trivially_destructible_v<ThreadCalls>);

void ThreadCalls::enter(const char* name) {
  const int before = depth.load(std::memory_order_relaxed);
  if (before == 0) since.store(now_in_calls(), std::memory_order_relaxed);
  if (before < most_names) names[static_cast<std::size_t>(before)].store(name, std::memory_order_relaxed);
  depth.store(before + 1, std::memory_order_release);
}

void ThreadCalls::leave() {
  const int after = depth.load(std::memory_order_relaxed) - 1;
  if (after == 0 && state().watches.load(std::memory_order_relaxed))
    until.store(now_in_calls(), std::memory_order_relaxed);
  depth.store(after, std::memory_order_release);
}

State::State() : this_thread(listed_thread) {}

State& state() {
  State* used = used_state.load(std::memory_order_acquire);
  if (used != nullptr) return *used;
  alignas(State) static std::byte place[sizeof(State)];  // a process without memory must begin a call too
  static State* const made = new (place) State;
  return used_state.compare_exchange_strong(used, made, std::memory_order_acq_rel) ? *made : *used;
}

// MPI is asked once, and not after its end.
bool may_be_in_mpi_at_once() {
  static std::atomic<int> known{-1};
  int level = known.load(std::memory_order_relaxed);
  if (level < 0) {
    if (mpi_is_over()) return false;
    MPI_Query_thread(&level);
    known.store(level, std::memory_order_relaxed);
  }
  return level == MPI_THREAD_MULTIPLE;
}

void share_state(State* of_another_module) { used_state.store(of_another_module, std::memory_order_release); }

// Whether every lock is free, is the thread's own, or is on offer. The caller holds `guard_`, here and in what follows.
bool LibraryLocks::may_take(Libraries wanted, const ThreadCalls& thread, bool offers_too) const {
  for (std::size_t i = 0; i < libraries; ++i) {
    const Lock& lock = locks_[i];
    if (wanted.has(i) && lock.owner != nullptr && lock.owner != &thread && !(offers_too && lock.offered)) return false;
  }
  return true;
}

// Those that the thread does not have yet. No claim of another thread goes before what it has, which the other waits
// for.
Libraries LibraryLocks::lacked(Libraries wanted, const ThreadCalls& thread) const {
  Libraries lacked;
  for (std::size_t i = 0; i < libraries; ++i)
    if (wanted.has(i) && locks_[i].owner != &thread) lacked.add(i);
  return lacked;
}

// Whether no other claim goes before this one, all of whose processes have arrived.
bool LibraryLocks::is_turn(const Claim& claim, const ThreadCalls& thread) const {
  const Libraries wanted = lacked(claim.wanted, thread);
  for (const Claim* other = claims_; other != nullptr; other = other->next)
    if (other != &claim && other->wanted.meets(wanted) &&
        (other->stage == Claim::promised || (other->stage == Claim::arrived && other->number < claim.number)))
      return false;
  return true;
}

void LibraryLocks::enter(Libraries wanted, const ThreadCalls& thread) {
  for (std::size_t i = 0; i < libraries; ++i)
    if (wanted.has(i)) locks_[i] = {&thread, locks_[i].owner == &thread ? locks_[i].depth + 1 : 1, false};
}

void LibraryLocks::list(Claim& claim) {
  if (!std::exchange(claim.listed, true)) claim.next = std::exchange(claims_, &claim);
}

void LibraryLocks::unlist(Claim& claim) {
  if (!std::exchange(claim.listed, false)) return;
  Claim** at = &claims_;
  while (*at != &claim) at = &(*at)->next;
  *at = claim.next;
}

bool LibraryLocks::has(Libraries wanted, const ThreadCalls& thread) {
  if (wanted.empty()) return true;
  const std::lock_guard lock(guard_);
  return lacked(wanted, thread).empty();
}

bool LibraryLocks::take_if_free(Claim& claim, ThreadCalls& thread, bool at_once) {
  if (claim.wanted.empty()) return true;
  {
    const std::lock_guard lock(guard_);
    const Libraries wanted = lacked(claim.wanted, thread);
    for (const Claim* other = claims_; other != nullptr; other = other->next)
      if (other->wanted.meets(wanted)) return false;
    if (!may_take(claim.wanted, thread, false)) return false;
    enter(claim.wanted, thread);
    if (!wanted.empty()) list(claim);
    if (at_once) put_on_offer(claim.wanted, thread);
  }
  if (at_once) freed_.notify_all();
  return true;
}

void LibraryLocks::put_on_offer(Libraries wanted, const ThreadCalls& thread) {
  for (std::size_t i = 0; i < libraries; ++i)
    if (wanted.has(i) && locks_[i].owner == &thread && locks_[i].depth == 1) locks_[i].offered = true;
}

void LibraryLocks::offer(const Claim& claim, ThreadCalls& thread) {
  if (claim.wanted.empty()) return;
  {
    const std::lock_guard lock(guard_);
    put_on_offer(claim.wanted, thread);
  }
  freed_.notify_all();
}

bool LibraryLocks::take_in_turn(Claim& claim, ThreadCalls& thread, int attempt) {
  std::unique_lock lock(guard_);
  claim.stage = Claim::arrived;
  list(claim);
  const auto longest = std::chrono::microseconds(100 << std::min(attempt, 6));
  const bool taken =
      freed_.wait_for(lock, longest, [&] { return is_turn(claim, thread) && may_take(claim.wanted, thread, true); });
  if (taken) enter(claim.wanted, thread);
  return taken;
}

void LibraryLocks::keep(Claim& claim, ThreadCalls& thread) {
  if (claim.wanted.empty()) return;
  {
    std::unique_lock lock(guard_);
    const auto each_lost = [&](auto act) {
      for (std::size_t i = 0; i < libraries; ++i)
        if (claim.wanted.has(i) && locks_[i].owner != &thread) act(locks_[i]);
    };
    bool lost = false;
    each_lost([&](Lock&) { lost = true; });
    if (lost) {
      claim.stage = Claim::promised;
      freed_.wait(lock, [&] { return may_take(claim.wanted, thread, true); });
      each_lost([&](Lock& one) { one = {&thread, 1, false}; });
    }
    for (std::size_t i = 0; i < libraries; ++i)
      if (claim.wanted.has(i)) locks_[i].offered = false;
    unlist(claim);
  }
  freed_.notify_all();
}

void LibraryLocks::withdraw(Claim& claim) {
  {
    const std::lock_guard lock(guard_);
    unlist(claim);
  }
  freed_.notify_all();
}

void LibraryLocks::take(Libraries wanted, ThreadCalls& thread) {
  if (wanted.empty()) return;
  std::unique_lock lock(guard_);
  freed_.wait(lock, [&] { return may_take(wanted, thread, true); });
  enter(wanted, thread);
}

void LibraryLocks::give(Libraries taken, ThreadCalls& thread) {
  if (taken.empty()) return;
  for (std::size_t i = 0; i < libraries; ++i) {
    if (!taken.has(i)) continue;
    std::vector<std::shared_ptr<void>> dead;
    do {
      dead.clear();
      const std::lock_guard lock(guard_);
      if (locks_[i].owner != &thread) break;  // another call took it while it was on offer
      if (locks_[i].depth == 1 && !left_[i].empty() && !mpi_is_over()) {
        locks_[i].offered = false;
        dead.swap(left_[i]);
      } else if (--locks_[i].depth == 0) {
        locks_[i] = {};
      }
    } while (!dead.empty());
  }
  freed_.notify_all();
}

void LibraryLocks::release(Library library, std::shared_ptr<void> owned, ThreadCalls& thread) {
  const Libraries one(library);
  {
    const std::lock_guard lock(guard_);
    if (mpi_is_over() || !may_take(one, thread, true)) {
      left_[static_cast<std::size_t>(library)].push_back(std::move(owned));
      return;
    }
    enter(one, thread);
  }
  owned.reset();
  give(one, thread);
}

Inside::Inside(Libraries entered) : entered_(entered) { state().locks.take(entered_, state().this_thread()); }

Inside::~Inside() { state().locks.give(entered_, state().this_thread()); }

void release_inside(Library library, std::shared_ptr<void> owned) {
  state().locks.release(library, std::move(owned), state().this_thread());
}

}  // namespace tridap::mpi
