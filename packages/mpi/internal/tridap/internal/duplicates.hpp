#pragma once

#include <tridap/internal/call.hpp>
#include <tridap/internal/state.hpp>
#include <tridap/mpi/agree.hpp>

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tridap::mpi {

/// True once MPI is over and what it made must be left alone.
bool mpi_is_over();
/// Lets MPI_Finalize call a function while everything of ours still works. MPI must have been initialised. Local.
void when_mpi_ends(void (*function)());

/// The duplicates of a communicator of the caller: one for our messages, and one for each library that we call. So the
/// messages of the caller, ours and theirs never meet. What we keep for a communicator is attached here.
///
/// Example: `duplicates_of(comm)->ours()` is a communicator with the processes of `comm` in their order, on which the
/// caller sends nothing. A second call returns the same one.
///
/// The caller's communicator owns this object, and so does everything that communicates on a duplicate: a plan, a map,
/// an array of Python. So these do not depend on whether the caller's communicator is freed. Releasing them is local:
/// duplicates without an owner are freed by the next call that makes one, if no process of theirs has an owner any
/// more, and by MPI_Finalize.
class Duplicates : public std::enable_shared_from_this<Duplicates> {
 public:
  Duplicates(const Duplicates&) = delete;
  Duplicates& operator=(const Duplicates&) = delete;

  /// The caller's communicator; MPI_COMM_NULL once it is freed. Local.
  MPI_Comm caller() const { return caller_; }
  /// The caller's communicator as long as it exists, then ours(). **Collective** if there is no duplicate yet.
  MPI_Comm caller_or_ours() { return caller_ != MPI_COMM_NULL ? caller_.load() : ours(); }
  /// Whether ours() would return without communicating. Local.
  bool is_made() const { return ours_ != MPI_COMM_NULL; }
  /// The duplicate for our messages. **Collective** the first time, and local then: throws the same Error on every
  /// process or on none.
  MPI_Comm ours();
  /// The duplicate for a library. **Collective** as ours().
  MPI_Comm of(Library library);
  /// A number that is the same on every process, and different for each communicator that has a duplicate. Local.
  std::uint64_t number() const { return id_; }
  /// How many processes the communicator has. Local.
  int processes() const { return processes_; }
  /// A tag for messages between two processes on ours(): another one for each call, until all that MPI has were used.
  /// 0 is for messages that arrive before a call ends. Every process must call it together.
  int next_tag();
  /// 1 and 2 in turn: for messages that may arrive while another process has not ended the exchange before. Every
  /// process must call it together.
  int next_tag_of_exchange() { return tag_of_exchange_ = 3 - tag_of_exchange_; }
  /// Makes the next tag the same on all processes, after some of them took one alone. **Collective.**
  void agree_on_tags();

  /// The T that is attached; null: there is none. Local.
  template <class T>
  T* attached() const {
    for (const Attached& list : attached_)
      for (const auto& [key, object] : list)
        if (key == key_of<T>()) return static_cast<T*>(object.get());
    return nullptr;
  }
  /// How long something stays attached.
  enum Until {
    caller_frees,  ///< until the caller frees the communicator, which must exist; the object may be an owner
    released,      ///< until the last owner is released, on any thread; its destructor must not call MPI
    freed          ///< until the duplicates are freed, by a call of MPI
  };
  /// Attaches a T; there must be none. **Collective**: throws the same Error on every process or on none.
  template <class T>
  T& attach(std::unique_ptr<T> object, Until until) {
    T* const kept = object.get();
    collectively(ours(), [&] { attached_[until].emplace_back(key_of<T>(), std::shared_ptr<void>(std::move(object))); });
    return *kept;
  }
  /// Frees another communicator of ours with the duplicates. There must have been room for it: see make_room().
  void adopt(MPI_Comm comm) { of_us_.push_back(comm); }
  void make_room() { of_us_.reserve(of_us_.size() + 1); }

 private:
  using Attached = std::vector<std::pair<const void*, std::shared_ptr<void>>>;
  struct Kept;
  friend std::shared_ptr<Duplicates> duplicates_of(MPI_Comm comm);
  friend std::shared_ptr<Duplicates> made_duplicates_of(MPI_Comm comm);
  friend bool is_ours(MPI_Comm comm);
  explicit Duplicates(MPI_Comm caller) : caller_(caller) { of_library_.fill(MPI_COMM_NULL); }
  ~Duplicates() = default;

  static std::shared_ptr<Duplicates> find(MPI_Comm comm);
  static std::shared_ptr<Duplicates> make(MPI_Comm caller);
  static void release(Duplicates* unowned) noexcept;
  static std::vector<Duplicates*> offer();
  static void free_released(MPI_Comm comm);
  friend void when_mpi_ends(void (*function)());
  static int free_all(MPI_Comm, int, void*, void*);
  void enter();
  MPI_Comm duplicate(MPI_Comm comm);
  void free_duplicates();

  template <class T>
  static const void* key_of() {
    static const char key = 0;
    return &key;
  }

  std::atomic<MPI_Comm> caller_;
  MPI_Comm ours_ = MPI_COMM_NULL;
  std::array<MPI_Comm, libraries> of_library_;
  std::array<Attached, 3> attached_;  // by Until
  std::vector<MPI_Comm> of_us_;
  std::uint64_t id_ = 0;  // number()
  int processes_ = 0;
  static constexpr int first_tag = 3;
  int tag_ = first_tag - 1, tag_of_exchange_ = 1;
  bool entered_ = false, released_ = false, offered_ = false;
};

/// The Duplicates of a communicator, which may also be one of the duplicates. Local. Throws an Error if `comm` is
/// MPI_COMM_NULL or an inter-communicator, or runs out of memory.
std::shared_ptr<Duplicates> duplicates_of(MPI_Comm comm);

/// The same, with a duplicate for our messages. **Collective** the first time: throws the same Error on every process
/// or on none, but for MPI_COMM_NULL, which is an Error on this process alone.
std::shared_ptr<Duplicates> made_duplicates_of(MPI_Comm comm);

/// The duplicate of `comm` for our messages; `comm` itself, if it is one. **Collective** as made_duplicates_of().
inline MPI_Comm ours(MPI_Comm comm) { return made_duplicates_of(comm)->ours(); }

/// Whether `comm` is a duplicate for our messages. Local.
bool is_ours(MPI_Comm comm);

/// A communicator and two tags for messages of a plan, so that they cannot be confused with the caller's or with each
/// other.
struct Channel {
  MPI_Comm comm = MPI_COMM_NULL;
  int tag = 0;                        ///< of elements
  int credit_tag = 0;                 ///< of what a receiver of elements tells their sender
  std::shared_ptr<Duplicates> owner;  ///< of `comm`
};

/// A channel on the duplicate for our messages. **Collective**; throws the same Error on every process or on none.
Channel channel_of(MPI_Comm comm);

}  // namespace tridap::mpi
