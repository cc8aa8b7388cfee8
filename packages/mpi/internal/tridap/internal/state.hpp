#pragma once

#include <tridap/internal/fold.hpp>
#include <tridap/mpi/regions.hpp>

#include <mpi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace tridap::mpi {

class Call;
class Duplicates;

/// The libraries that we call. Each gets a duplicate of the caller's communicator, but PETSc makes one itself, and
/// Global Arrays have communicators of their own. None of them lets two threads in at once.
enum class Library { trilinos, blacs, hdf5, petsc, globalarrays };
inline constexpr std::size_t libraries = 5;

/// A set of libraries.
class Libraries {
 public:
  constexpr Libraries() = default;
  constexpr Libraries(Library library) : bits_(1U << static_cast<unsigned>(library)) {}
  constexpr Libraries(std::initializer_list<Library> all) {
    for (const Library each : all) bits_ |= Libraries(each).bits_;
  }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool has(std::size_t library) const { return (bits_ >> library & 1U) != 0; }
  constexpr bool meets(Libraries other) const { return (bits_ & other.bits_) != 0; }
  constexpr bool has(Libraries others) const { return (others.bits_ & ~bits_) == 0; }
  constexpr void add(std::size_t library) { bits_ |= 1U << library; }
  constexpr void add(Libraries others) { bits_ |= others.bits_; }

 private:
  unsigned bits_ = 0;
};

/// What a thread of this process is in. The thread writes it; a watchdog reads what is atomic, under
/// State::guard_of_threads. It is never destroyed by C++, so that a thread may call us until its very end.
struct ThreadCalls {
  static constexpr int most_names = 4;

  std::atomic<int> depth{0};  ///< how many calls are nested; 0: the thread is in none. Read it before the names
  std::array<std::atomic<const char*>, most_names> names{};  ///< of the outermost calls, each of them a literal
  std::atomic<std::int64_t> since{0};  ///< when the outermost call began: nanoseconds of std::chrono::steady_clock
  std::atomic<bool> waits{false};      ///< for other processes to make the same call; false: it is inside of the call
  std::atomic<std::int64_t> until{0};  ///< when the last outermost call ended, while State::watches; 0: none did
  std::atomic<const char*> place{nullptr};  ///< the line of the program that made the call, never freed; null: unknown

  const Call* innermost = nullptr;  ///< for this thread alone
  const char* called = nullptr;  ///< the outermost call, as a user of another language writes it; for this thread alone
  Regions regions;               ///< of its calls, for this thread alone
  const char* region = nullptr;  ///< the innermost region that it is in, for this thread alone
  ThreadCalls* next = nullptr;   ///< in State::threads
  ThreadCalls* previous = nullptr;

  void enter(const char* name);  ///< a call of this name, which is never freed
  void leave();
};

/// Nanoseconds of std::chrono::steady_clock, as ThreadCalls counts them.
inline std::int64_t now_in_calls() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

/// Which thread is in a library that lets only one in.
///
/// A call over several processes may not hold a lock while it waits for a process that may hold another one. So it
/// takes the locks that are free, and the record with which a call begins says whether all processes have theirs. While
/// it waits for this record, its locks are on offer: a call all of whose processes have arrived may take them. If a
/// process lacks one, all give theirs back and try again; now all have arrived, so that no lock is held for long. Of
/// several calls that try again, the one with the least number goes first on every process.
class LibraryLocks {
 public:
  /// What a call wants, until it has it on all processes.
  struct Claim {
    enum Stage {
      first,    ///< its locks are on offer, and no other call may take them without all of its processes
      arrived,  ///< all of its processes have arrived, and one of them lacked a lock
      promised  ///< all processes had the locks; this one must get back what another call took
    };
    std::uint64_t number = 0;  ///< of the communicator, the same on all processes
    Libraries wanted;
    Stage stage = first;
    bool listed = false;
    Claim* next = nullptr;
  };

  /// Whether the thread has them all. Local, as everything here.
  bool has(Libraries wanted, const ThreadCalls& thread);
  /// Takes all, or none, in the first attempt of a call. `at_once`: offers them then.
  bool take_if_free(Claim& claim, ThreadCalls& thread, bool at_once = false);
  /// Offers what take_if_free() took, until keep() or give().
  void offer(const Claim& claim, ThreadCalls& thread);
  /// Takes all, or none, in a later attempt, which the first one is number 0; waits a little if it cannot take them.
  bool take_in_turn(Claim& claim, ThreadCalls& thread, int attempt);
  /// Ends a claim that all processes could meet. Waits for what was taken while it was on offer.
  void keep(Claim& claim, ThreadCalls& thread);
  /// Ends a claim.
  void withdraw(Claim& claim);
  /// Takes all, for a step that does not communicate; waits.
  void take(Libraries wanted, ThreadCalls& thread);
  /// Gives back what was taken once. When the thread leaves the library, it releases what others left.
  void give(Libraries taken, ThreadCalls& thread);
  /// Releases an owner when no other thread is in the library: now, or when that thread leaves it. After MPI_Finalize
  /// it is kept until the process ends, because objects of most libraries need MPI in their destructors.
  void release(Library library, std::shared_ptr<void> owned, ThreadCalls& thread);

 private:
  struct Lock {
    const ThreadCalls* owner = nullptr;
    int depth = 0;
    bool offered = false;
  };
  bool may_take(Libraries wanted, const ThreadCalls& thread, bool offers_too) const;
  bool is_turn(const Claim& claim, const ThreadCalls& thread) const;
  Libraries lacked(Libraries wanted, const ThreadCalls& thread) const;
  void enter(Libraries wanted, const ThreadCalls& thread);
  void put_on_offer(Libraries wanted, const ThreadCalls& thread);
  void list(Claim& claim);
  void unlist(Claim& claim);

  std::mutex guard_;
  std::condition_variable freed_;
  std::array<Lock, libraries> locks_;
  std::array<std::vector<std::shared_ptr<void>>, libraries> left_;
  Claim* claims_ = nullptr;
};

/// Everything of this package that belongs to the process. Modules that each contain a copy of this package share one.
/// It is never destroyed, because owners may be released after the end of main().
struct State {
  State();

  std::mutex guard;  ///< of what follows, up to the empty line
  std::set<Duplicates*> duplicates;
  std::atomic<int> key_of_kept{MPI_KEYVAL_INVALID};  ///< read without the guard
  bool ends_with_mpi = false;
  RecordOperation record_operation;  ///< made before the first duplicate

  std::mutex guard_of_threads;
  ThreadCalls* threads = nullptr;  ///< a list of all threads that made a call

  std::vector<void (*)()> ends;      ///< what MPI_Finalize calls before it frees what is ours, the last one first
  std::atomic<bool> watches{false};  ///< a watchdog runs
  std::atomic<bool> traces{false};   ///< a thread has had regions
  LibraryLocks locks;
  ThreadCalls& (*this_thread)();  ///< that calls
};

/// The State of this process.
State& state();

/// Whether MPI lets several threads in at a time; MPI must have been initialised. Local.
bool may_be_in_mpi_at_once();

/// Makes this module use the State of another. It must be the first call of this package in this module.
void share_state(State* of_another_module);

/// Lets this thread into libraries for a step that does not communicate: others wait. Local.
///
/// Example: `const Inside hdf5(Library::hdf5);` before a type of HDF5 is copied.
class Inside {
 public:
  explicit Inside(Libraries entered);
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside();

 private:
  Libraries entered_;
};

/// Releases an owner of objects of a library when no other thread is in the library. Local, on any thread.
void release_inside(Library library, std::shared_ptr<void> owned);

}  // namespace tridap::mpi
