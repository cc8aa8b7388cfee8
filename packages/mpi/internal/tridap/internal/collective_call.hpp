#pragma once

#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/fold.hpp>
#include <tridap/internal/or_end_job.hpp>
#include <tridap/internal/state.hpp>
#include <tridap/mpi/agree.hpp>

#include <mpi.h>

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace tridap::mpi {

/// A number for what is called, by its name.
constexpr Index number_of_call(const char* name) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (; *name != '\0'; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100000001b3U;
  return static_cast<Index>(hash >> 1);
}

/// What a call of this thread says that it is: `name`, or ThreadCalls::called for the outermost one.
inline const char* said_name(const char* name) {
  const ThreadCalls& thread = state().this_thread();
  return thread.innermost == nullptr && thread.called != nullptr ? thread.called : name;
}

/// Throws the Error that says which processes make which calls. **Collective**, of all processes of the duplicate, each
/// with the name of its own call, after the first two numbers of a record have differed.
[[noreturn]] void refuse_different_calls(const char* name, Duplicates& duplicates);

/// What a process brings to the beginning of a call: numbers that the processes compare, a value that they reduce, and
/// what failed.
class Record {
 public:
  static constexpr std::size_t most = 12;

  /// Adds a number. Every process adds equally many, unless it failed.
  void add(Index value) {
    assert(count_ < most);
    values_[count_++] = value;
  }
  Faults faults;  ///< a process that has some makes the call fail on all
  Folded folded;  ///< Call::folded() is that of all processes

 private:
  friend class Call;
  std::array<Index, most> values_{};
  std::size_t count_ = 0;
};

/// The beginning of a collective call of ours. All processes make one reduction of one size with one operation,
/// whichever call they are in. So they always meet there, and learn whether they make the same call, whether one of
/// them failed, whether their numbers differ, and whether each is alone in the libraries that the call needs, until
/// this object ends.
///
/// Example: the path of a file must be the same on all processes, and its name must be right on each.
///
///     Call call(comm, "hdf5::load", Library::hdf5, [&](Record& record) {
///       need_name(name);                  // throws the same Error on every process if it throws on one
///       record.add(digest_of(path));
///     });
///     return call.run([&] {
///       if (!call.is_same(0)) refuse(...);  // on every process
///       ...                                 // communicates on call.comm(), our duplicate
///     });
///
/// A call inside of another one of this thread on the same communicator makes no reduction, unless it has a step or
/// needs another library. A function of the user runs in a Callback, in which a call begins as outside.
///
/// **Collective**: throws the same Error on every process or on none, also if the calls differ. A call names all
/// libraries that are called inside of it: to enter one while it has another may wait for ever for a call that does the
/// opposite.
class Call {
 public:
  /// `name` is what the user wrote, a literal. ThreadCalls::called replaces it for the outermost call.
  Call(MPI_Comm comm, const char* name, Libraries needed = {}) : Call(comm, name, needed, nullptr, nullptr) {}
  /// Runs `step` before, which does not communicate, inside of the libraries. It takes a Record&.
  template <class Step, class = std::enable_if_t<std::is_invocable_v<Step&, Record&>>>
  Call(MPI_Comm comm, const char* name, Libraries needed, Step&& step)
      : Call(
            comm, name, needed,
            [](void* object, Record& record) { (*static_cast<std::remove_reference_t<Step>*>(object))(record); },
            const_cast<void*>(static_cast<const void*>(std::addressof(step)))) {}
  /// The same for a communicator whose duplicates are known.
  Call(std::shared_ptr<Duplicates> made, const char* name, Libraries needed = {});
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  /// Runs what the call does after its beginning, as or_end_job() does, and returns what that returns.
  template <class Body>
  decltype(auto) run(Body&& body) const {
    return or_end_job(name_, comm_, std::forward<Body>(body));
  }

  /// Our duplicate, on which the call communicates.
  MPI_Comm comm() const { return comm_; }
  const std::shared_ptr<Duplicates>& duplicates() const { return duplicates_; }
  /// Whether the number that was added as number `i` is the same on all processes.
  bool is_same(std::size_t i) const { return smallest(i) == largest(i); }
  Index smallest(std::size_t i) const { return ~all_[first_value + Record::most + i]; }
  Index largest(std::size_t i) const { return all_[first_value + i]; }
  /// What Record::folded of all processes gives, the same bits on every process, if it was of one type on all.
  Folded folded() const;

 private:
  friend class Callback;
  using Step = void (*)(void*, Record&);
  static constexpr std::size_t first_value = 4;
  static_assert(first_value + 2 * Record::most == record_numbers);

  Call(MPI_Comm comm, const char* name, Libraries needed, Step step, void* object);
  bool is_inside();
  void begin(Step step, void* object);
  void reduce(const Record& record, bool has_locks);
  void enter();
  void leave();

  std::shared_ptr<Duplicates> duplicates_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  const char* name_;
  Libraries needed_;
  ThreadCalls& thread_;
  const Call* outer_ = nullptr;
  RecordNumbers all_;  // name, complement, one failed, one lacks a lock; values, complements; what is folded
};

/// While it lives, this thread is in a function of the user that one of our calls runs: calls that this function makes
/// begin with a reduction.
class Callback {
 public:
  Callback()
      : thread_(state().this_thread()),
        inside_of_(std::exchange(thread_.innermost, nullptr)),
        called_(std::exchange(thread_.called, nullptr)),
        region_(std::exchange(thread_.region, nullptr)) {}
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;
  ~Callback() {
    thread_.innermost = inside_of_;
    thread_.called = called_;
    thread_.region = region_;
  }

 private:
  ThreadCalls& thread_;
  const Call* inside_of_;
  const char* called_;
  const char* region_;
};

}  // namespace tridap::mpi
