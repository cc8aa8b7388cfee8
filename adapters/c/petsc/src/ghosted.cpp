#include "petsc.hpp"
#include <tridap/petsc/ghosted.hpp>

#include <memory>
#include <optional>

using namespace tridap;
using namespace tridap::c;

int tridap_ghosts_of_vec(void* vec, MPI_Comm comm, tridap_ghosts* ghosts) {
  Comm over;
  if (const int status = locally([&] { over = comm_of(comm); }); status != TRIDAP_OK)
    return give<GhostsObject>(status, number_in(ghosts), over, nullptr);
  std::optional<GhostedArray> array;
  return making_together<GhostsObject>(
      "tridap_ghosts_of_vec", number_in(ghosts), over, mpi::Library::petsc,
      [&] {
        const Vec given = petsc_object<Vec>(vec, "vec");
        need_processes_of(over, given, "the Vec");
        array = petsc::export_ghosted(given);
      },
      [&](MPI_Comm caller) {
        GhostUpdate update(*array, caller);
        return std::make_shared<GhostsObject>(std::move(*array), std::move(update), DeviceStream{});
      });
}

int tridap_vec_of_ghosts(tridap_ghosts ghosts, void** vec, tridap_receipt* receipt) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({ghosts.number}); }); status != TRIDAP_OK) return status;
  std::shared_ptr<GhostsObject> of;
  return collectively(
      "tridap_vec_of_ghosts", comm, mpi::Library::petsc,
      [&] {
        need_petsc();
        of = find<GhostsObject>(ghosts.number);
        *need(vec, "vec") = nullptr;
      },
      [&](MPI_Comm caller) {
        const petsc::ImportedVec made = petsc::import_ghosted(of->array, caller);
        *vec = made.vec;
        write_receipt(made.receipt, receipt);
      });
}
