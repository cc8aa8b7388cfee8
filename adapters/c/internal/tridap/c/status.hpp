#pragma once

#include <tridap/c/handles.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/duplicates.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/receipt.hpp>
#include <tridap/tridap.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

/// What each function of tridap/tridap.h does around its own work: no exception leaves it, and one process that fails
/// before a collective call makes it fail on all.
namespace tridap::c {

using Comm = std::shared_ptr<mpi::Duplicates>;

/// Who says a failure: this process, as far as it knows; or one process of all that have the same one, and not the
/// others.
enum class Speaker { this_one, first_of_all, not_this_one };

/// Keeps the text of the exception that is being handled for tridap_message(), and returns its status.
int keep_failure() noexcept;
/// The same for a failure that a collective call has on all processes of a communicator.
int keep_failure_of_all(const Comm& comm) noexcept;
/// The report behind the last failure of this thread.
const Report& last_failure();
/// Who is to say the last failure of this thread, if the job ends for it.
Speaker speaker_of_last_failure();

/// Keeps the report of a check of this thread, for the words of other languages.
void keep_checked(const Report& report);
const Report& last_checked();

/// Throws Error unless MPI is initialised and not finalised.
void need_mpi();
/// The communicator of a call with these handles: of the first that was ever made; else of the one made last, or
/// MPI_COMM_WORLD. Local.
Comm comm_of(std::initializer_list<std::uint64_t> numbers);
Comm comm_of(int count, const tridap_array* arrays);
Comm comm_of(MPI_Comm comm);
/// The rank of this process. Local.
Index rank_in(const Comm& comm);

/// Throws Error if a pointer argument is null.
template <class T>
T* need(T* pointer, const char* name) {
  if (pointer == nullptr) refuse(std::string(name) + " is NULL", "must be the address of memory", "pass an address");
  return pointer;
}

/// A collective function of this header, while it runs: the calls inside of it begin under its name.
class Named {
 public:
  explicit Named(const char* name)
      : thread_(mpi::state().this_thread()),
        outer_(thread_.innermost == nullptr && thread_.called == nullptr ? std::exchange(thread_.called, name)
                                                                         : nullptr),
        outermost_(thread_.innermost == nullptr && thread_.called == name) {}
  Named(const Named&) = delete;
  Named& operator=(const Named&) = delete;
  ~Named() {
    if (outermost_) thread_.called = outer_;
  }

 private:
  mpi::ThreadCalls& thread_;
  const char* outer_;
  bool outermost_;
};

/// Runs a local function.
template <class Step>
int locally(Step&& step) noexcept {
  try {
    std::forward<Step>(step)();
    return TRIDAP_OK;
  } catch (...) {
    return keep_failure();
  }
}

/// How a process that cannot take part says so to the others: throws the same Error on all. **Collective.**
[[noreturn]] void object_to_call(const Comm& comm, const char* name, mpi::Libraries libraries, mpi::Faults why);

/// Runs a collective function. `prepare` is local: if it throws on any process, the call fails on all, without a
/// reduction of its own, because `objects` takes part in what `body` begins with.
template <class Prepare, class Body, class Objects>
int collectively_or(const char* name, const Comm& comm, Prepare&& prepare, Body&& body, Objects&& objects) noexcept {
  const int status = locally([] {
    need_mpi();
    end_released();
  });
  if (status != TRIDAP_OK) return status;
  try {
    const Named named(name);
    mpi::Faults faults;
    faults.attempt(std::forward<Prepare>(prepare));
    if (!faults.ok()) {
      std::forward<Objects>(objects)(std::move(faults));
      return TRIDAP_FAILED;
    }
    std::forward<Body>(body)(comm->caller_or_ours());
    return TRIDAP_OK;
  } catch (...) {
    return keep_failure_of_all(comm);
  }
}

/// The same for a body that begins with a mpi::Call.
template <class Prepare, class Body>
int collectively(const char* name, const Comm& comm, mpi::Libraries libraries, Prepare&& prepare,
                 Body&& body) noexcept {
  return collectively_or(name, comm, std::forward<Prepare>(prepare), std::forward<Body>(body),
                         [&](mpi::Faults why) { object_to_call(comm, name, libraries, std::move(why)); });
}

/// Gives the object that a step has made to `*number`; or, if the status says that it failed, an object that stands for
/// the failure, if the communicator is known.
template <class T>
int give(int status, std::uint64_t* number, const Comm& comm, std::shared_ptr<T> made) noexcept {
  if (number == nullptr) return status;
  *number = 0;
  return locally([&] {
           if (status == TRIDAP_OK) {
             if (made == nullptr) return;  // a process without a result
             made->comm = comm;
             *number = keep(T::kind, std::move(made));
           } else if (comm != nullptr) {
             auto failed = std::make_shared<Failed>(last_failure());
             failed->comm = comm;
             *number = keep(T::kind, std::move(failed));
           }
         }) == TRIDAP_OK
             ? status
             : TRIDAP_FAILED;
}

/// Makes an object in a local step, which returns it.
template <class T, class Step>
int making(std::uint64_t* number, Comm comm, Step&& step) noexcept {
  std::shared_ptr<T> made;
  const int status = locally([&] {
    need(number, "the address of the result");
    made = std::forward<Step>(step)();
  });
  return give<T>(status, number, comm, std::move(made));
}

/// Makes an object in a collective function, of which `body` returns it.
template <class T, class Prepare, class Body>
int making_together(const char* name, std::uint64_t* number, const Comm& comm, mpi::Libraries libraries,
                    Prepare&& prepare, Body&& body) noexcept {
  std::shared_ptr<T> made;
  const int status = collectively(
      name, comm, libraries,
      [&] {
        need(number, "the address of the result");
        std::forward<Prepare>(prepare)();
      },
      [&](MPI_Comm caller) { made = std::forward<Body>(body)(caller); });
  return give<T>(status, number, comm, std::move(made));
}

template <class Handle>
std::uint64_t* number_in(Handle* handle) {
  return handle == nullptr ? nullptr : &handle->number;
}

/// Prints the text of the last failure, and ends the job: where a call makes no reduction, so that this process cannot
/// tell the others that it fails.
[[noreturn]] void end_job_with_message(const char* name, const Comm& comm) noexcept;

/// Runs a step of a call that makes no reduction. If it throws, ends the job.
template <class Step>
void or_end_job(const char* name, const Comm& comm, Step&& step) noexcept {
  try {
    std::forward<Step>(step)();
  } catch (...) {
    keep_failure();
    end_job_with_message(name, comm);
  }
}

/// The object of a call that makes no reduction: without it, ends the job.
template <class T>
std::shared_ptr<T> find_or_end_job(std::uint64_t number, const char* name) noexcept {
  try {
    return find<T>(number);
  } catch (...) {
    keep_failure();
    end_job_with_message(name, communicator_of(number));
  }
}

/// Writes a text as the functions of tridap/tridap.h do.
void write_text(const std::string& text, char* to, size_t size, size_t* length);
/// Writes a receipt; nothing for null.
void write_receipt(const Receipt& receipt, tridap_receipt* to);

}  // namespace tridap::c
