#include "access.hpp"
#include "call.hpp"
#include "comms.hpp"
#include "lasting_memory.hpp"
#include "source.hpp"
#include "vec.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/ghost_owners.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/petsc/ghosted.hpp>
#include <tridap/process_numbers.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tridap::petsc {

namespace {

constexpr const char* own_mapping = "export the Vec before VecSetLocalToGlobalMapping";
constexpr const char* in_rows =
    "pass a C-contiguous buffer (in Python array = tridap.GhostedArray(array.local.copy(), array.ghosts, "
    "distribution=array.owned.distribution, comm=array.comm)), or use copy_with_ghosts()";

// The ghosts of a Vec, as PETSc has them in its mapping: blocks of `block` elements.
struct Numbered {
  PetscInt block = 1;
  std::vector<Index> ghosts;
};

Numbered numbers_of(Vec vec, Index own, Index all) {
  ISLocalToGlobalMapping mapping = nullptr;
  call("VecGetLocalToGlobalMapping", [&] { return VecGetLocalToGlobalMapping(vec, &mapping); });
  if (mapping == nullptr) refuse("the Vec has no local-to-global mapping", "must have that of its ghosts", own_mapping);
  Numbered made;
  PetscInt size = 0, begin = 0;
  call("ISLocalToGlobalMappingGetBlockSize", [&] { return ISLocalToGlobalMappingGetBlockSize(mapping, &made.block); });
  call("ISLocalToGlobalMappingGetSize", [&] { return ISLocalToGlobalMappingGetSize(mapping, &size); });
  call("VecGetOwnershipRange", [&] { return VecGetOwnershipRange(vec, &begin, nullptr); });
  const PetscInt* blocks = nullptr;
  call("ISLocalToGlobalMappingGetBlockIndices",
       [&] { return ISLocalToGlobalMappingGetBlockIndices(mapping, &blocks); });
  const Index first = begin / made.block, owned = own / made.block, count = size / made.block;
  bool fits = size == all && own % made.block == 0;
  for (Index k = 0; fits && k < owned; ++k) fits = blocks[k] == first + k;
  if (fits) made.ghosts.assign(blocks + owned, blocks + count);
  call("ISLocalToGlobalMappingRestoreBlockIndices",
       [&] { return ISLocalToGlobalMappingRestoreBlockIndices(mapping, &blocks); });
  if (!fits)
    refuse("the Vec's local-to-global mapping is not that of its ghosts",
           "must have the " + std::to_string(own) + " elements of this process and then its " +
               std::to_string(all - own) + " ghosts",
           own_mapping);
  return made;
}

// Throws Error if PETSc cannot have the memory of a ghosted array. Local.
void need_ghosted(const GhostedArray& array, const Distribution& distribution) {
  need_petsc();
  need_buffer(array.local(), Copy::never, {"", in_rows, ""});
  if (!is_row_major(array.local()))
    refuse("the local buffer is not contiguous in row-major order",
           "must be, with the ghosts behind the owned elements", in_rows);
  for (Index i = array.numbered(); i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    if (axis.proc_grid_size() > 1)
      refuse("the components are distributed", "must all be on the process that owns the element",
             "distribute the numbered axes alone", i);
    if (axis.size() == 0) refuse("there are no components", "must be at least one", "", i);
  }
}

// PETSc's numbers of the ghosts: the elements of a process are numbered after those of the processes before it.
std::vector<PetscInt> petsc_numbers(const CheckedGhosts& checked, std::size_t count, Index components) {
  const ProcessNumbers elements(checked.distribution);
  std::vector<PetscInt> numbers(count);
  for (const Wanted& of : checked.wanted) {
    const Index first = elements.first(of.process) / components;
    for (std::size_t k = 0; k < of.ghosts.size(); ++k)
      numbers[static_cast<std::size_t>(of.ghosts[k])] = static_cast<PetscInt>(first + of.rows[k]);
  }
  return numbers;
}

}  // namespace

GhostedArray export_ghosted(Vec vec) {
  need_plain(vec);
  const std::optional<Index> size = size_with_ghosts(vec);
  if (!size)
    refuse("the Vec has no ghosts", "must be made by VecCreateGhost or VecCreateGhostBlock",
           "use export_array(), and copy_with_ghosts() to give it ghosts (in Python array = "
           "tridap.GhostedArray.copy_of(tridap.petsc.export_array(vec), ghosts))");
  const Index own = local_size(vec), all = *size;
  Numbered numbered = numbers_of(vec, own, all);
  Buffer local;
  local.type = scalar_type();
  local.shape = {all / numbered.block};
  if (numbered.block > 1) local.shape.push_back(numbered.block);
  local.strides = row_major_strides(local.shape, local.type.bytes);
  local.owner = open_access(vec, false, local.data);
  return GhostedArray(std::move(local), dim_data_of(vec, numbered.block), std::move(numbered.ghosts));
}

ImportedVec import_ghosted(const GhostedArray& array, MPI_Comm comm) {
  need_communicator(comm);
  const mpi::Call beginning(comm, "petsc::import_ghosted", mpi::Library::petsc);
  return beginning.run([&] {
    const double begin = MPI_Wtime();
    const CheckedGhosts checked = check_ghosts(array, comm);
    const Source source{checked.distribution, mpi::rank_of(comm), true};
    Index components = 1;
    for (Index i = array.numbered(); i < array.owned().ndim(); ++i) components *= checked.distribution.axis(i).size();
    const std::vector<PetscInt> numbers = mpi::collectively(comm, [&] {
      need_ghosted(array, checked.distribution);
      petsc_int(source.total());
      return petsc_numbers(checked, array.ghosts().size(), components);
    });
    collect_on(comm);
    ImportedVec made;
    add_numbering(source, made.receipt);
    add_losses(array.owned(), checked.distribution, made.receipt);
    make_together(comm, made.vec, [&] {
      call("VecCreateGhostBlockWithArray", [&] {
        return VecCreateGhostBlockWithArray(
            comm, static_cast<PetscInt>(components), static_cast<PetscInt>(source.count()),
            static_cast<PetscInt>(source.total()), static_cast<PetscInt>(numbers.size()), numbers.data(),
            static_cast<const PetscScalar*>(array.local().data), &made.vec);
      });
      keep_memory(made.vec, made_over, array.local().owner);
    });
    keep_users_comm(reinterpret_cast<PetscObject>(made.vec), comm);
    made.receipt.seconds = MPI_Wtime() - begin;
    return made;
  });
}

}  // namespace tridap::petsc
