#include <tridap/detail/refuse.hpp>
#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/or_end_job.hpp>
#include <tridap/internal/typed.hpp>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <random>

namespace tridap::mpi {

namespace {

int new_key(MPI_Comm_delete_attr_function* destroy) {
  int key = MPI_KEYVAL_INVALID;
  must_succeed(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, destroy, &key, nullptr), "MPI_Comm_create_keyval");
  return key;
}

// Lets MPI_Finalize call a function first.
void call_at_the_end(MPI_Comm_delete_attr_function* function) {
  State& all = state();
  const std::lock_guard lock(all.guard);
  if (all.ends_with_mpi) return;
  must_succeed(MPI_Comm_set_attr(MPI_COMM_SELF, new_key(function), nullptr), "MPI_Comm_set_attr");
  all.ends_with_mpi = true;
}

// How many tags there are.
int tags(MPI_Comm comm) {
  int* highest = nullptr;
  int found = 0;
  must_succeed(MPI_Comm_get_attr(comm, MPI_TAG_UB, &highest, &found), "MPI_Comm_get_attr");
  return found != 0 ? *highest : 32767;  // that every MPI has
}

void need_comm(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL)
    refuse("the communicator is MPI_COMM_NULL", "must be a communicator that exists and has this process",
           "make this call on the processes of the communicator alone, before it is freed");
}

void need_intra(MPI_Comm comm) {
  int inter = 0;
  must_succeed(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
  if (inter != 0)
    refuse("the communicator is an inter-communicator", "must be an intra-communicator",
           "merge its two groups by MPI_Intercomm_merge");
}

}  // namespace

bool mpi_is_over() {
  int over = 0;
  MPI_Finalized(&over);
  return over != 0;
}

// What MPI keeps with a communicator: with the caller's an owner, with a duplicate none.
struct Duplicates::Kept {
  std::shared_ptr<Duplicates> owner;
  Duplicates* of = nullptr;

  static int key() {
    State& all = state();
    if (const int made = all.key_of_kept.load(std::memory_order_acquire); made != MPI_KEYVAL_INVALID) return made;
    const std::lock_guard lock(all.guard);
    if (all.key_of_kept == MPI_KEYVAL_INVALID) all.key_of_kept = new_key(destroy);
    return all.key_of_kept;
  }
  static int destroy(MPI_Comm, int, void* value, void*) {
    const auto* const kept = static_cast<Kept*>(value);
    if (kept->owner) {
      kept->of->caller_ = MPI_COMM_NULL;
      std::exchange(kept->of->attached_[caller_frees], {});
    }
    delete kept;
    return MPI_SUCCESS;
  }
};

// The Duplicates that a communicator has; null: it has none yet. Local.
std::shared_ptr<Duplicates> Duplicates::find(MPI_Comm comm) {
  Kept* kept = nullptr;
  int found = 0;
  must_succeed(MPI_Comm_get_attr(comm, Kept::key(), &kept, &found), "MPI_Comm_get_attr");
  if (found == 0) return nullptr;
  if (kept->owner) return kept->owner;
  std::shared_ptr<Duplicates> owned = kept->of->weak_from_this().lock();
  if (!owned)
    refuse("the communicator is the duplicate of one that was freed, and nothing uses it any more",
           "must be a communicator that exists", "keep the array whose communicator this is");
  return owned;
}

std::shared_ptr<Duplicates> Duplicates::make(MPI_Comm caller) {
  std::shared_ptr<Duplicates> made(new Duplicates(caller), release);
  made->processes_ = processes_of(caller);
  auto* const kept = new Kept{made, made.get()};  // belongs to MPI, also if the call fails: it may have set it
  must_succeed(MPI_Comm_set_attr(caller, Kept::key(), kept), "MPI_Comm_set_attr");
  return made;
}

std::shared_ptr<Duplicates> duplicates_of(MPI_Comm comm) {
  need_comm(comm);
  std::shared_ptr<Duplicates> found = Duplicates::find(comm);
  if (found) return found;
  need_intra(comm);
  return Duplicates::make(comm);
}

std::shared_ptr<Duplicates> made_duplicates_of(MPI_Comm comm) {
  need_comm(comm);
  std::shared_ptr<Duplicates> found = Duplicates::find(comm);
  if (!found || found->ours_ == MPI_COMM_NULL) {  // on every process
    need_intra(comm);
    found = collectively(comm, [&] { return duplicates_of(comm); });
    found->ours();
  }
  return found;
}

bool is_ours(MPI_Comm comm) {
  const std::shared_ptr<Duplicates> found = Duplicates::find(comm);
  return found && found->ours_ == comm;
}

MPI_Comm Duplicates::ours() {
  if (ours_ != MPI_COMM_NULL) return ours_;
  const MPI_Comm caller = caller_;
  if (caller == MPI_COMM_NULL)
    refuse("the communicator was freed before the first call that communicates on it", "must exist at that call",
           "free it later");
  std::uint64_t id = 0;
  collectively(caller, [&] {
    std::random_device random;
    id = std::uint64_t{random()} << 32 | random();
    enter();
  });
  const MPI_Comm made = duplicate(caller);
  id_ = broadcast(id, 0, made);
  ours_ = made;
  free_released(made);
  return ours_;
}

MPI_Comm Duplicates::of(Library library) {
  MPI_Comm& kept = of_library_[static_cast<std::size_t>(library)];
  if (kept == MPI_COMM_NULL) kept = duplicate(ours());
  return kept;
}

int Duplicates::next_tag() {
  tag_ = tag_ == tags(ours_) ? first_tag : tag_ + 1;
  return tag_;
}

void Duplicates::agree_on_tags() { tag_ = reduced(tag_, MPI_MAX, ours_); }

void Duplicates::enter() {
  call_at_the_end(free_all);
  const std::lock_guard lock(state().guard);
  state().record_operation.make();
  state().duplicates.insert(this);
  entered_ = true;
}

// A duplicate by which find() finds this object.
MPI_Comm Duplicates::duplicate(MPI_Comm comm) {
  auto kept = collectively(comm, [&] { return std::make_unique<Kept>(Kept{nullptr, this}); });
  Duplicate made(comm);
  const int status = MPI_Comm_set_attr(made.get(), Kept::key(), kept.release());  // as in make()
  must_succeed_everywhere(status, "MPI_Comm_set_attr", comm);
  return made.release();
}

void Duplicates::free_duplicates() {
  for (MPI_Comm& comm : of_us_) MPI_Comm_free(&comm);
  of_us_.clear();
  for (MPI_Comm& comm : of_library_)
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  if (ours_ != MPI_COMM_NULL) MPI_Comm_free(&ours_);
}

// The last owner is gone: the duplicates wait until no process has an owner any more.
void Duplicates::release(Duplicates* unowned) noexcept {
  unowned->attached_[Until::released].clear();
  if (unowned->entered_) {
    const std::lock_guard lock(state().guard);
    unowned->released_ = true;
    if (unowned->ours_ != MPI_COMM_NULL) return;
    state().duplicates.erase(unowned);
  }
  delete unowned;
}

// The released ones, in one order on every process, that no other thread has offered.
std::vector<Duplicates*> Duplicates::offer() {
  const std::lock_guard lock(state().guard);
  std::vector<Duplicates*> offered;
  offered.reserve(state().duplicates.size());
  for (Duplicates* const each : state().duplicates)
    if (each->released_ && !std::exchange(each->offered_, true)) offered.push_back(each);
  std::sort(offered.begin(), offered.end(), [](const auto* a, const auto* b) { return a->id_ < b->id_; });
  return offered;
}

// Frees the duplicates that are released on all their processes, if these are processes of `comm`. **Collective.**
void Duplicates::free_released(MPI_Comm comm) {
  or_end_job("the first call on a communicator", comm, [&] {
    std::vector<Duplicates*> offered = offer();
    const auto processes = static_cast<std::size_t>(processes_of(comm));
    const int count = static_cast<int>(offered.size());
    if (reduced(count, MPI_MAX, comm) == 0) return;
    std::vector<int> counts(processes), begins(processes + 1);
    gather_all(&count, 1, counts.data(), comm);
    std::partial_sum(counts.begin(), counts.end(), begins.begin() + 1);
    std::vector<std::uint64_t> own, ids(static_cast<std::size_t>(begins.back()));
    for (const Duplicates* const each : offered) own.push_back(each->id_);
    must_succeed(
        MPI_Allgatherv(own.data(), count, MPI_UINT64_T, ids.data(), counts.data(), begins.data(), MPI_UINT64_T, comm),
        "MPI_Allgatherv");
    for (Duplicates* const each : offered) {
      const bool is_free = std::count(ids.begin(), ids.end(), each->id_) == each->processes_;
      if (is_free) each->free_duplicates();
      {
        const std::lock_guard lock(state().guard);
        each->offered_ = false;
        if (is_free) state().duplicates.erase(each);
      }
      if (is_free) delete each;
    }
  });
}

void when_mpi_ends(void (*function)()) {
  call_at_the_end(Duplicates::free_all);
  const std::lock_guard lock(state().guard);
  state().ends.push_back(function);
}

// Frees all duplicates, in one order on every process, when MPI_Finalize begins.
int Duplicates::free_all(MPI_Comm, int, void*, void*) {
  std::vector<void (*)()> ends;
  {
    const std::lock_guard lock(state().guard);
    ends.swap(state().ends);
  }
  for (auto end = ends.rbegin(); end != ends.rend(); ++end) (*end)();
  std::vector<Duplicates*> left;
  {
    const std::lock_guard lock(state().guard);
    left.assign(state().duplicates.begin(), state().duplicates.end());
    state().duplicates.clear();
    state().record_operation.free();
  }
  std::sort(left.begin(), left.end(), [](const auto* a, const auto* b) { return a->id_ < b->id_; });
  for (Duplicates* const each : left) {
    each->free_duplicates();
    if (each->released_) delete each;
  }
  return MPI_SUCCESS;
}

Channel channel_of(MPI_Comm comm) {
  std::shared_ptr<Duplicates> owner = made_duplicates_of(comm);
  const MPI_Comm ours = owner->ours();
  const int tag = owner->next_tag(), credit_tag = owner->next_tag();
  return {ours, tag, credit_tag, std::move(owner)};
}

}  // namespace tridap::mpi
