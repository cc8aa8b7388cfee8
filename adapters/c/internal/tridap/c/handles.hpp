#pragma once

#include <tridap/internal/duplicates.hpp>
#include <tridap/report.hpp>

#include <cstdint>
#include <memory>

namespace tridap::c {

/// What a handle may stand for. The number of a handle contains it.
enum class Kind : std::uint8_t { none, distribution, array, plan, padding, ghosts, matrix, preconditioner };

const char* name_of(Kind kind);  ///< "tridap_array"

/// What a handle stands for. Its communicator is that of the calls that get the handle.
struct Object {
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;

  /// Whether a move or an update of it is in progress: its destructor would wait for other processes.
  virtual bool is_in_progress() const { return false; }

  std::shared_ptr<mpi::Duplicates> comm;
  bool has_failed = false;  ///< it is a Failed
};

/// The object of a handle that a call has failed to make.
struct Failed final : Object {
  explicit Failed(Report of) : why(std::move(of)) { has_failed = true; }
  Report why;
};

/// Gives an object a number. It is never 0, and is not given again before 2^24 others of its place.
std::uint64_t keep(Kind kind, std::shared_ptr<Object> object);

/// The object with this number. Throws Error if the number was never given for this kind, if it was released, or if the
/// call that was to make the object has failed.
std::shared_ptr<Object> find(Kind kind, std::uint64_t number);

/// An object while no other thread uses handles: for a question that takes nanoseconds, of which find() would be the
/// largest part. Until it is destroyed, its thread must not use handles either.
class Held {
 public:
  Held(Kind kind, std::uint64_t number);  ///< throws as find()
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held();

  const Object& object() const { return *object_; }

 private:
  const Object* object_;
};

template <class T>
std::shared_ptr<T> find(std::uint64_t number) {
  return std::static_pointer_cast<T>(find(T::kind, number));
}

/// The communicator of a handle, also of one that was released; null if the number was never given.
std::shared_ptr<mpi::Duplicates> communicator_of(std::uint64_t number);
/// The communicator of the handle that this process has made last; null if there is none.
std::shared_ptr<mpi::Duplicates> last_communicator();

/// Forgets a number. Throws Error as find() does, but not for a handle that stands for a failure. An object that is in
/// progress, or whose end calls MPI on a thread that must not, lives until end_released().
void release(std::uint64_t number);
/// Ends the released objects that still live: at the beginning of a collective call, which all processes make.
void end_released();
/// Releases all handles, those that were made last first: when MPI ends. Local.
void release_all();
std::int64_t held();

}  // namespace tridap::c
