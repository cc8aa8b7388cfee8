#include <tridap/c/objects.hpp>
#include <tridap/internal/fingerprint.hpp>
#include <tridap/petsc.hpp>

#include <algorithm>
#include <string>

using namespace tridap;
using namespace tridap::c;

namespace {

void need_petsc() {
  PetscBool there = PETSC_FALSE;
  if (PetscInitialized(&there) != 0 || there == PETSC_FALSE)
    refuse("PETSc is not initialised", "must be", "call PetscInitialize first");
}

template <class Object>
Object petsc_object(void* given, const char* name) {
  need_petsc();
  if (given == nullptr) refuse(std::string(name) + " is NULL", "must be an object of PETSc", "make it first");
  return static_cast<Object>(given);
}

DM dmda_of(void* given) {
  DM dm = petsc_object<DM>(given, "dm");
  PetscBool is_dmda = PETSC_FALSE;
  if (PetscObjectTypeCompare(reinterpret_cast<PetscObject>(dm), DMDA, &is_dmda) != 0 || is_dmda == PETSC_FALSE)
    refuse("the DM is not a DMDA", "must be one", "make it by DMDACreate1d, DMDACreate2d or DMDACreate3d");
  return dm;
}

// Throws Error unless an object has the processes of a communicator in their order. Local.
template <class Object>
void need_processes_of(const Comm& comm, Object object, const char* name) {
  int result = MPI_UNEQUAL;
  const MPI_Comm ours = comm->caller() != MPI_COMM_NULL ? comm->caller() : comm->ours();
  mpi::must_succeed(MPI_Comm_compare(ours, PetscObjectComm(reinterpret_cast<PetscObject>(object)), &result),
                    "MPI_Comm_compare");
  if (result != MPI_IDENT && result != MPI_CONGRUENT)
    refuse(std::string("the communicator has other processes than ") + name,
           "must have the same processes in their order", "pass the communicator with which it was made");
}

Copy petsc_policy(tridap_copy copy, bool has_dm) {
  if (copy == TRIDAP_COPY_NEVER) return Copy::never;
  if (copy != TRIDAP_COPY_IF_NEEDED && copy != TRIDAP_COPY_ALWAYS)
    refuse_key("copy", std::to_string(static_cast<int>(copy)), "must be one of tridap_copy",
               "pass TRIDAP_COPY_IF_NEEDED");
  if (has_dm)
    refuse_key("copy", std::to_string(static_cast<int>(copy)), "but a Vec of a DMDA is over the memory of the array",
               "pass TRIDAP_COPY_NEVER, or NULL for dm");
  return copy == TRIDAP_COPY_ALWAYS ? Copy::always : Copy::if_needed;
}

// A Vec that a DMDA lends.
class Lent {
 public:
  Lent(DM dm, bool local) : dm_(dm), local_(local) {
    const PetscErrorCode code = local ? DMGetLocalVector(dm, &vec_) : DMGetGlobalVector(dm, &vec_);
    if (code != 0) refuse("PETSc makes no Vec of the DMDA", "must be set up", "call DMSetUp first");
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() { local_ ? DMRestoreLocalVector(dm_, &vec_) : DMRestoreGlobalVector(dm_, &vec_); }
  Vec get() const { return vec_; }

 private:
  DM dm_;
  bool local_;
  Vec vec_ = nullptr;
};

}  // namespace

int tridap_array_of_vec(void* vec, void* dm, MPI_Comm comm, int read_only, tridap_array* array, int64_t* shift) {
  Comm over;
  if (const int status = locally([&] { over = comm_of(comm); }); status != TRIDAP_OK)
    return give<ArrayObject>(status, number_in(array), over, nullptr);
  return making<ArrayObject>(number_in(array), over, [&] {
    Vec given = petsc_object<Vec>(vec, "vec");
    DM grid = dm == nullptr ? nullptr : dmda_of(dm);
    if (grid != nullptr)
      need_processes_of(over, grid, "the DMDA");  // its local Vecs are of one process each
    else
      need_processes_of(over, given, "the Vec");
    const petsc::ExportOptions options{read_only != 0};
    petsc::ExportedArray exported =
        grid == nullptr ? petsc::export_array(given, options) : petsc::export_array(grid, given, options);
    auto whole = std::make_shared<const Distribution>(grid == nullptr ? petsc::distribution_of(given)
                                                                      : petsc::distribution_of(grid, given));
    if (shift != nullptr) std::copy(exported.shift.begin(), exported.shift.end(), shift);
    return array_over(std::move(exported.array.buffer), std::move(whole), rank_in(over));
  });
}

int tridap_vec_of_array(tridap_array array, void* dm, tridap_copy copy, void** vec, tridap_receipt* receipt) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({array.number}); }); status != TRIDAP_OK) return status;
  std::shared_ptr<ArrayObject> of;
  DM grid = nullptr;
  Copy policy = Copy::never;
  return collectively(
      "tridap_vec_of_array", comm, mpi::Library::petsc,
      [&] {
        need_petsc();
        of = find<ArrayObject>(array.number);
        *need(vec, "vec") = nullptr;
        policy = petsc_policy(copy, dm != nullptr);
        if (dm == nullptr) return;
        grid = dmda_of(dm);
        need_processes_of(comm, grid, "the DMDA");
      },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, "tridap_vec_of_array", mpi::Library::petsc, [&](mpi::Record& record) {
          record.add(grid == nullptr ? 0 : 1);
          record.add(static_cast<Index>(policy));
          record.add(fingerprint(*of->distribution));
        });
        if (!call.is_same(0) || !call.is_same(1) || !call.is_same(2))
          refuse("the processes give different arrays, values of copy, or a DMDA on some of them alone",
                 "must be the same on every process", "pass the same on every process");
        call.run([&] {
          const petsc::ImportedVec made =
              grid == nullptr ? petsc::import_array(of->array, caller, policy) : petsc::import_array(grid, of->array);
          *vec = made.vec;
          write_receipt(made.receipt, receipt);
        });
      });
}

int tridap_distribution_of_dmda(void* dm, int ghosts, MPI_Comm comm, tridap_distribution* distribution) {
  Comm over;
  if (const int status = locally([&] { over = comm_of(comm); }); status != TRIDAP_OK)
    return give<DistributionObject>(status, number_in(distribution), over, nullptr);
  DM grid = nullptr;
  return making_together<DistributionObject>(
      "tridap_distribution_of_dmda", number_in(distribution), over, mpi::Library::petsc,
      [&] {
        grid = dmda_of(dm);
        need_processes_of(over, grid, "the DMDA");
      },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, "tridap_distribution_of_dmda", mpi::Library::petsc,
                             [&](mpi::Record& record) { record.add(ghosts != 0 ? 1 : 0); });
        if (!call.is_same(0))
          refuse("the processes give different values of ghosts", "must be the same on every process",
                 "pass the same on every process");
        return call.run([&] {
          const Lent vec(grid, ghosts != 0);
          return std::make_shared<DistributionObject>(petsc::distribution_of(grid, vec.get()), over);
        });
      });
}

int tridap_dmda_of(tridap_distribution distribution, const tridap_dmda_options* options, void** dm) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({distribution.number}); }); status != TRIDAP_OK) return status;
  std::shared_ptr<DistributionObject> of;
  petsc::DmdaOptions chosen;
  return collectively(
      "tridap_dmda_of", comm, mpi::Library::petsc,
      [&] {
        need_petsc();
        of = find<DistributionObject>(distribution.number);
        *need(dm, "dm") = nullptr;
        if (options == nullptr) return;
        if (options->has_width != 0) chosen.stencil_width = options->stencil_width;
        chosen.stencil = options->star != 0 ? DMDA_STENCIL_STAR : DMDA_STENCIL_BOX;
        chosen.dof = options->dof != 0;
      },
      [&](MPI_Comm caller) { *dm = petsc::create_dmda(*of->distribution, caller, chosen); });
}
