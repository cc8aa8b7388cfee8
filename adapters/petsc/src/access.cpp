#include "access.hpp"

#include "call.hpp"
#include <tridap/internal/call.hpp>

#include <atomic>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace tridap::petsc {

namespace {

struct Opened {
  Vec vec = nullptr;
  PetscScalar* data = nullptr;
  bool read_only = false;
  Index life = 0;  // of PETSc, which may begin again after its end
};

// This process's state. It is never destroyed, because static objects may release their arrays after anything else.
struct Ours {
  std::vector<Vec> waiting;      // for collect()
  std::vector<Opened> released;  // by other threads; guarded by the mutex
  std::mutex mutex;
  std::atomic<bool> any_released{false};
  std::atomic<Index> exports{0};
  Index life = 1;
  bool watched = false;  // PETSc will call at_end()
};

Ours& ours() {
  static auto* const one = new Ours;
  return *one;
}

// An address that belongs to a thread until it ends. It takes fewer cycles than std::this_thread::get_id().
const void* this_thread() {
  static thread_local const char own = 0;
  return &own;
}

// If memory runs out here, the Vec is not destroyed before the program ends.
void close(Opened opened) {
  --ours().exports;
  if (opened.life != ours().life || !petsc_is_there()) return;  // PETSc ended, and its objects with it
  try {
    call("VecRestoreArray", [&] {
      const PetscScalar* read = opened.data;
      return opened.read_only ? VecRestoreArrayRead(opened.vec, &read) : VecRestoreArray(opened.vec, &opened.data);
    });
    const auto object = reinterpret_cast<PetscObject>(opened.vec);
    PetscInt references = 0;
    call("PetscObjectGetReference", [&] { return PetscObjectGetReference(object, &references); });
    if (references > 1)
      call("PetscObjectDereference", [&] { return PetscObjectDereference(object); });
    else
      ours().waiting.push_back(opened.vec);
  } catch (const std::exception&) {  // a release cannot report it
  }
}

void close_released() {
  if (!ours().any_released) return;
  std::vector<Opened> released;
  {
    const std::lock_guard lock(ours().mutex);
    ours().any_released = false;
    released = std::exchange(ours().released, {});
  }
  for (const Opened& opened : released) close(opened);
}

class Access {
 public:
  explicit Access(const Opened& opened) : opened_(opened) {}
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;
  ~Access() {
    if (thread_ == this_thread()) {
      close(opened_);
      return;
    }
    try {
      const std::lock_guard lock(ours().mutex);
      ours().released.push_back(opened_);
      ours().any_released = true;
    } catch (const std::exception&) {  // without memory for it, the access stays open
    }
  }

 private:
  Opened opened_;
  const void* thread_ = this_thread();  // the thread that uses PETSc
};

PetscErrorCode at_end() {
  close_released();
  destroy_waiting();
  ++ours().life;
  ours().watched = false;
  return 0;
}

}  // namespace

std::shared_ptr<void> open_access(Vec vec, bool read_only, void*& data) {
  close_released();
  if (!ours().watched) {
    call("PetscRegisterFinalize", [] { return PetscRegisterFinalize(at_end); });
    ours().watched = true;
  }
  Opened opened{vec, nullptr, read_only, ours().life};
  call(read_only ? "VecGetArrayRead" : "VecGetArray", [&] {
    if (!read_only) return VecGetArray(vec, &opened.data);
    const PetscScalar* read = nullptr;
    const PetscErrorCode code = VecGetArrayRead(vec, &read);
    opened.data = const_cast<PetscScalar*>(read);  // the buffer is marked as read-only
    return code;
  });
  call("PetscObjectReference", [&] { return PetscObjectReference(reinterpret_cast<PetscObject>(vec)); });
  ++ours().exports;
  data = opened.data;
  try {
    return std::make_shared<Access>(opened);
  } catch (...) {
    close(opened);
    throw;
  }
}

Index destroy_waiting() {
  close_released();
  const std::vector<Vec> waiting = std::exchange(ours().waiting, {});
  for (Vec vec : waiting) call("VecDestroy", [&] { return VecDestroy(&vec); });
  return static_cast<Index>(waiting.size());
}

void collect_on(MPI_Comm comm) {
  int here = 0, all = 0;
  mpi::must_succeed(MPI_Comm_size(comm, &here), "MPI_Comm_size");
  mpi::must_succeed(MPI_Comm_size(PETSC_COMM_WORLD, &all), "MPI_Comm_size");
  if (here == all) destroy_waiting();
}

Held held() {
  close_released();
  return {ours().exports, static_cast<Index>(ours().waiting.size())};
}

}  // namespace tridap::petsc
