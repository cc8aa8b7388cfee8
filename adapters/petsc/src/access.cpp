#include "access.hpp"

#include "call.hpp"
#include "comms.hpp"
#include <tridap/internal/call.hpp>
#include <tridap/internal/driver.hpp>
#include <tridap/internal/inside_if_free.hpp>
#include <tridap/internal/typed.hpp>

#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace tridap::petsc {

namespace {

struct Opened {
  PetscObject object = nullptr;
  void* data = nullptr;
  Restore* restore = nullptr;
  Index life = 0;  // of PETSc, which may begin again after its end
};

// This process's state. It is never destroyed, because static objects may release their arrays after anything else.
struct Ours {
  std::vector<PetscObject> waiting;  // for collect()
  std::vector<Opened> released;      // by other threads; guarded by the mutex
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

// If memory runs out here, the object is not destroyed before the program ends.
void close(Opened opened) {
  --ours().exports;
  if (opened.life != ours().life || !petsc_is_there()) return;  // PETSc ended, and its objects with it
  try {
    const QuietCalls quiet;
    if (opened.restore != nullptr) call("VecRestoreArray", [&] { return opened.restore(opened.object, opened.data); });
    PetscInt references = 0;
    call("PetscObjectGetReference", [&] { return PetscObjectGetReference(opened.object, &references); });
    if (references > 1)
      call("PetscObjectDereference", [&] { return PetscObjectDereference(opened.object); });
    else
      ours().waiting.push_back(opened.object);
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
    if (thread_ == this_thread())
      if (const mpi::InsideIfFree inside(mpi::Library::petsc); inside) {
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

PetscErrorCode restore_array(PetscObject vec, void* data) {
  auto* scalars = static_cast<PetscScalar*>(data);
  return VecRestoreArray(reinterpret_cast<Vec>(vec), &scalars);
}

PetscErrorCode restore_array_read(PetscObject vec, void* data) {
  const auto* scalars = static_cast<const PetscScalar*>(data);
  return VecRestoreArrayRead(reinterpret_cast<Vec>(vec), &scalars);
}

PetscErrorCode restore_anywhere(PetscObject vec, void* data) {
  auto* scalars = static_cast<PetscScalar*>(data);
  return VecRestoreArrayAndMemType(reinterpret_cast<Vec>(vec), &scalars);
}

PetscErrorCode restore_read_anywhere(PetscObject vec, void* data) {
  const auto* scalars = static_cast<const PetscScalar*>(data);
  return VecRestoreArrayReadAndMemType(reinterpret_cast<Vec>(vec), &scalars);
}

// PETSc does not say the number of the device. A driver does.
Memory memory_of(PetscMemType type, const void* data) {
  if (PetscMemTypeHost(type)) return {};
  const Memory::Kind kind = PetscMemTypeHIP(type)    ? Memory::Kind::hip
                            : PetscMemTypeSYCL(type) ? Memory::Kind::sycl
                                                     : Memory::Kind::cuda;
  const std::optional<driver::Place> place = driver::place_of(data, kind);
  return {kind, place ? place->device : 0};
}

PetscErrorCode at_end() {
  mpi::Faults faults;
  faults.attempt(destroy_waiting);
  faults.attempt(give_back_all_comms);
  ++ours().life;
  ours().watched = false;
  return faults.ok() ? PetscErrorCode(0) : PetscErrorCode(PETSC_ERR_LIB);
}

}  // namespace

void call_at_end() {
  if (ours().watched) return;
  call("PetscRegisterFinalize", [] { return PetscRegisterFinalize(at_end); });
  ours().watched = true;
}

std::shared_ptr<void> hold(PetscObject object, Restore* restore, void* data) {
  close_released();
  call_at_end();
  const Opened opened{object, data, restore, ours().life};
  call("PetscObjectReference", [&] { return PetscObjectReference(object); });
  ++ours().exports;
  try {
    return std::make_shared<Access>(opened);
  } catch (...) {
    close(opened);
    throw;
  }
}

std::shared_ptr<void> open_access(Vec vec, bool read_only, void*& data) {
  PetscScalar* writable = nullptr;
  call(read_only ? "VecGetArrayRead" : "VecGetArray", [&] {
    if (!read_only) return VecGetArray(vec, &writable);
    const PetscScalar* read = nullptr;
    const PetscErrorCode code = VecGetArrayRead(vec, &read);
    writable = const_cast<PetscScalar*>(read);  // the buffer is marked as read-only
    return code;
  });
  data = writable;
  return hold(reinterpret_cast<PetscObject>(vec), read_only ? restore_array_read : restore_array, data);
}

void open_access_anywhere(Vec vec, bool read_only, Buffer& buffer) {
  PetscScalar* writable = nullptr;
  PetscMemType type = PETSC_MEMTYPE_HOST;
  call(read_only ? "VecGetArrayReadAndMemType" : "VecGetArrayAndMemType", [&] {
    if (!read_only) return VecGetArrayAndMemType(vec, &writable, &type);
    const PetscScalar* read = nullptr;
    const PetscErrorCode code = VecGetArrayReadAndMemType(vec, &read, &type);
    writable = const_cast<PetscScalar*>(read);  // the buffer is marked as read-only
    return code;
  });
  buffer.data = writable;
  buffer.owner =
      hold(reinterpret_cast<PetscObject>(vec), read_only ? restore_read_anywhere : restore_anywhere, writable);
  buffer.memory = memory_of(type, writable);
}

Index destroy_waiting() {
  close_released();
  const std::vector<PetscObject> waiting = std::exchange(ours().waiting, {});
  for (PetscObject object : waiting) call("PetscObjectDestroy", [&] { return PetscObjectDestroy(&object); });
  return static_cast<Index>(waiting.size());
}

void collect_on(MPI_Comm comm) {
  if (mpi::processes_of(comm) == mpi::processes_of(PETSC_COMM_WORLD)) destroy_waiting();
}

Held held() {
  close_released();
  return {ours().exports, static_cast<Index>(ours().waiting.size())};
}

}  // namespace tridap::petsc
