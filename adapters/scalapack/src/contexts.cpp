#include "contexts.hpp"

#include "blacs.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/state.hpp>
#include <tridap/mpi/agree.hpp>

#include <memory>
#include <string>

namespace tridap::scalapack {

Contexts& Contexts::of(mpi::Duplicates& duplicates) {
  if (Contexts* const kept = duplicates.attached<Contexts>()) return *kept;
  const MPI_Comm comm = duplicates.of(mpi::Library::blacs);
  auto made = mpi::collectively(comm, [&] { return std::make_unique<Contexts>(comm); });
  return duplicates.attach(std::move(made), mpi::Duplicates::freed);
}

Contexts::Contexts(MPI_Comm comm) : handle_(Csys2blacs_handle(comm)) {}

Contexts::~Contexts() {
  const mpi::Inside inside(mpi::Library::blacs);
  for (const Kept& kept : all_) Cblacs_gridexit(kept.context);
  Cfree_blacs_system_handle(handle_);
}

int Contexts::context(Index nprow, Index npcol, Order order, MPI_Comm comm) {
  for (const Kept& kept : all_)
    if (kept.nprow == nprow && kept.npcol == npcol && kept.order == order) return kept.context;
  mpi::collectively(comm, [&] { need_started_together(nprow * npcol); });
  std::vector<int> down;
  for (Index j = 0; j < npcol; ++j)
    for (Index i = 0; i < nprow; ++i)
      down.push_back(static_cast<int>(order == Order::row_major ? i * npcol + j : i + j * nprow));
  all_.push_back({nprow, npcol, order, make_context(handle_, nprow, npcol, down)});
  return all_.back().context;
}

int make_context(int handle, Index nprow, Index npcol, std::vector<int>& down) {
  int context = handle;
  Cblacs_gridmap(&context, down.data(), static_cast<int>(nprow), static_cast<int>(nprow), static_cast<int>(npcol));
  return context;
}

void need_started_together(Index processes) {
  int number = 0, together = 0;
  Cblacs_pinfo(&number, &together);
  if (processes > together)
    refuse("the grid has " + std::to_string(processes) + " processes, and MPI_COMM_WORLD of this process has " +
               std::to_string(together),
           "must not have more, because the BLACS count those of MPI_COMM_WORLD",
           "start all processes together (mpiexec) and not by MPI_Comm_spawn, or use a smaller grid");
}

}  // namespace tridap::scalapack
