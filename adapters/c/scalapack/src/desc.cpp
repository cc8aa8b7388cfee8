#include <tridap/c/objects.hpp>
#include <tridap/scalapack/array.hpp>

#include <algorithm>
#include <string>

using namespace tridap;
using namespace tridap::c;

namespace {

// Runs a step over the grid of a context of the program. What is made for it is ended, also if the step throws, which
// it does on all processes or on none. **Collective.**
template <class Step>
void on_grid_of(int context, MPI_Comm comm, Step&& step) {
  auto grid = scalapack::ProcessGrid::of_context(context, comm);
  try {
    step(grid);
  } catch (...) {
    grid.close();
    throw;
  }
  grid.close();
}

// Throws the same Error on all processes unless process r of the grid is rank r, and the grid has all processes.
void need_in_order(const scalapack::ProcessGrid& grid, Index processes) {
  const auto& ranks = grid.ranks();
  if (static_cast<Index>(ranks.size()) != processes)
    refuse("the grid of the context has " + std::to_string(ranks.size()) + " processes, and the communicator " +
               std::to_string(processes),
           "must have as many", "pass a communicator of the processes of the grid alone");
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] != static_cast<Index>(i))
      refuse("the grid numbers its processes in another order than by its rows",
             "must be row-major, as the array's processes are",
             "make the grid by BLACS_GRIDINIT with order 'R', or pass a communicator in the order of its rows");
}

}  // namespace

int tridap_array_of_desc(const int desc[9], void* local, tridap_type type, MPI_Comm comm, tridap_array* array) {
  Comm over;
  if (const int status = locally([&] { over = comm_of(comm); }); status != TRIDAP_OK)
    return give<ArrayObject>(status, number_in(array), over, nullptr);
  scalapack::Desc given{};
  ElementType elements;
  return making_together<ArrayObject>(
      "tridap_array_of_desc", number_in(array), over, mpi::Library::blacs,
      [&] {
        std::copy_n(need(desc, "desc"), given.size(), given.begin());
        if (type == 0)  // of Fortran's interface
          refuse("the memory is a section with gaps, or of a kind that is no number",
                 "must have the elements one behind the other, in columns that are LLD_ of desc apart",
                 "pass the whole array");
        elements = element_type_of(type);
      },
      [&](MPI_Comm caller) {
        std::shared_ptr<ArrayObject> made;
        on_grid_of(given[1], caller, [&](const scalapack::ProcessGrid& grid) {
          need_in_order(grid, over->processes());
          mpi::collectively(grid.comm(), [&] {  // which the export itself leaves to each process
            auto exported = scalapack::export_array(given, local, elements, grid);
            auto whole = std::make_shared<const Distribution>(scalapack::placed(given, grid).distribution());
            made = array_over(std::move(exported.array.buffer), std::move(whole), rank_in(over));
          });
        });
        return made;
      });
}

int tridap_array_to_desc(tridap_array array, int context, int desc[9], void** local) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({array.number}); }); status != TRIDAP_OK) return status;
  std::shared_ptr<ArrayObject> of;
  return collectively(
      "tridap_array_to_desc", comm, mpi::Library::blacs,
      [&] {
        of = find<ArrayObject>(array.number);
        need(desc, "desc");
        need(local, "local");
      },
      [&](MPI_Comm caller) {
        on_grid_of(context, caller, [&](const scalapack::ProcessGrid& grid) {
          need_in_order(grid, comm->processes());
          const scalapack::ImportedMatrix made = scalapack::import_array(of->array, grid);
          if (made.transposed)
            refuse("the memory of the array is row-major", "must be column-major, as ScaLAPACK has matrices",
                   "make the array with TRIDAP_COLUMN_MAJOR");
          std::copy(made.desc.begin(), made.desc.end(), desc);
          *local = made.data;
        });
      });
}
