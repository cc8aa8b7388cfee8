#include <tridap/detail/refuse.hpp>
#include <tridap/detail/say.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/different_calls.hpp>
#include <tridap/internal/typed.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace tridap::mpi {

namespace {

// The first numbers of a record, all of them under MPI_MAX.
enum { name_number, name_complement, failed_number, lacks_number };

constexpr std::size_t longest_name = 64;  // bytes of a name in a message
using Name = std::array<char, longest_name>;

// The name that the lowest rank with `counts` calls, that rank, and how many call the same. **Collective.**
struct Callers {
  Name name{};
  int first = 0, count = 0;
};

Callers next_callers(const Name& own, bool counts, int rank, int processes, MPI_Comm comm) {
  Callers found;
  found.first = reduced(counts ? rank : processes, MPI_MIN, comm);
  if (found.first == processes) return found;
  found.name = broadcast(own, found.first, comm);
  found.count = reduced(counts && found.name == own ? 1 : 0, MPI_SUM, comm);
  return found;
}

std::string said(const Callers& callers) {
  std::string text = "rank " + std::to_string(callers.first);
  if (callers.count > 1)
    text += " and " + std::to_string(callers.count - 1) + (callers.count == 2 ? " other" : " others");
  return text + (callers.count > 1 ? " call " : " calls ") + callers.name.data();
}

// "rank 0 calls sum, the others call max". Of more than four names, the first four.
std::string said(const std::array<Callers, 4>& all, std::size_t kinds, int processes) {
  if (kinds == 2 && processes > 2 && (all[0].count == 1 || all[1].count == 1)) {
    const Callers& one = all[all[0].count == 1 ? 0 : 1];
    const Callers& others = all[all[0].count == 1 ? 1 : 0];
    return said(one) + ", the others call " + others.name.data();
  }
  std::string text;
  int counted = 0;
  for (std::size_t i = 0; i < kinds; ++i) {
    text += (i > 0 ? ", " : "") + said(all[i]);
    counted += all[i].count;
  }
  return counted < processes ? text + ", and others other functions" : text;
}

}  // namespace

// It allocates nothing, and MPI_Abort does not return.
void end_job(const char* name, MPI_Comm comm) {
  int rank = 0, processes = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &processes);
  if (processes == 1) throw;
  say("rank %d has no memory left for a step of %s, in which the other processes wait for it; this ends the job", rank,
      name);
  MPI_Abort(comm, EXIT_FAILURE);
  std::abort();
}

// All processes are here, and none is in its call yet. Some may have taken a tag.
void refuse_different_calls(const char* name, Duplicates& duplicates) {
  const MPI_Comm comm = duplicates.ours();
  duplicates.agree_on_tags();
  const int processes = processes_of(comm);
  const auto rank = static_cast<int>(rank_of(comm));
  Name own{};
  std::memcpy(own.data(), name, std::min(std::strlen(name), longest_name - 1));
  std::array<Callers, 4> all;
  std::size_t kinds = 0;
  for (bool counts = true; kinds < all.size(); ++kinds) {
    all[kinds] = next_callers(own, counts, rank, processes, comm);
    if (all[kinds].count == 0) break;
    counts = counts && all[kinds].name != own;
  }
  throw DifferentCalls(refusal(
      said(all, kinds, processes), "must be the same collective call on every process, in the same order",
      "make the call on all processes of the communicator, for example outside of a block that only rank 0 runs", {},
      Rule::process_failure));
}

Call::Call(MPI_Comm comm, const char* name, Libraries needed, Step step, void* object)
    : name_(said_name(name)), needed_(needed), thread_(state().this_thread()), outer_(thread_.innermost) {
  if (comm == MPI_COMM_NULL) duplicates_of(comm);  // throws on this process alone
  enter();
  try {
    duplicates_ = made_duplicates_of(comm);  // which waits for the other processes the first time
    comm_ = duplicates_->ours();
    begin(step, object);
  } catch (...) {
    leave();
    throw;
  }
}

Call::Call(std::shared_ptr<Duplicates> made, const char* name, Libraries needed)
    : duplicates_(std::move(made)),
      comm_(duplicates_->ours()),
      name_(said_name(name)),
      needed_(needed),
      thread_(state().this_thread()),
      outer_(thread_.innermost) {
  enter();
  try {
    begin(nullptr, nullptr);
  } catch (...) {
    leave();
    throw;
  }
}

Call::~Call() {
  state().locks.give(needed_, thread_);
  leave();
}

void Call::enter() {
  thread_.innermost = this;
  thread_.enter(name_);
}

void Call::leave() {
  thread_.leave();
  thread_.innermost = outer_;
}

// Whether an outer call of this thread has begun on the same communicator, and the thread has the libraries. What outer
// calls have is not taken again.
bool Call::is_inside() {
  bool inside = false;
  Libraries held;
  for (const Call* outer = outer_; outer != nullptr; outer = outer->outer_) {
    inside = inside || outer->duplicates_ == duplicates_;
    held.add(outer->needed_);
  }
  if (!inside) return false;
  LibraryLocks& locks = state().locks;
  if (held.has(needed_))
    needed_ = {};
  else if (locks.has(needed_, thread_))
    locks.take(needed_, thread_);
  else
    return false;
  return true;
}

void Call::begin(Step step, void* object) {
  if (step == nullptr && is_inside()) return;
  LibraryLocks& locks = state().locks;
  LibraryLocks::Claim claim{duplicates_->number(), needed_};
  Record record;
  thread_.waits.store(true, std::memory_order_relaxed);
  try {
    bool has_locks = locks.take_if_free(claim, thread_, step == nullptr);
    for (int attempt = 0;; ++attempt) {
      if (has_locks && step != nullptr) {
        record.faults.attempt([&] { step(object, record); });
        step = nullptr;
        if (attempt == 0) locks.offer(claim, thread_);
      }
      reduce(record, has_locks);
      const bool differ = all_[name_number] != ~all_[name_complement];
      if (all_[lacks_number] == 0 && !differ) break;
      if (has_locks) locks.give(needed_, thread_);
      if (differ) refuse_different_calls(name_, *duplicates_);
      has_locks = locks.take_in_turn(claim, thread_, attempt);
    }
  } catch (...) {
    locks.withdraw(claim);
    thread_.waits.store(false, std::memory_order_relaxed);
    throw;
  }
  locks.keep(claim, thread_);
  thread_.waits.store(false, std::memory_order_relaxed);
  if (all_[failed_number] == 0) return;
  try {
    duplicates_->agree_on_tags();  // a process that failed early may have taken none
    throw_faults(std::move(record.faults), comm_);
  } catch (...) {
    locks.give(needed_, thread_);
    throw;
  }
}

void Call::reduce(const Record& record, bool has_locks) {
  std::fill_n(all_.begin(), record_numbers, std::numeric_limits<Index>::min());
  all_[name_number] = number_of_call(name_);
  all_[name_complement] = ~all_[name_number];
  all_[failed_number] = record.faults.ok() ? 0 : 1;
  all_[lacks_number] = has_locks ? 0 : 1;
  for (std::size_t i = 0; i < record.count_; ++i) {
    all_[first_value + i] = record.values_[i];
    all_[first_value + Record::most + i] = ~record.values_[i];
  }
  record.folded.write(&all_[record_numbers]);
  reduce_record(all_, comm_);
}

Folded Call::folded() const { return Folded::read(&all_[record_numbers]); }

}  // namespace tridap::mpi
