#include "call.hpp"
#include "comms.hpp"
#include "dmda.hpp"
#include "lasting_memory.hpp"
#include "source.hpp"
#include "vec.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/needs.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/petsc/compat.hpp>
#include <tridap/petsc/dmda.hpp>
#include <tridap/petsc/import.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tridap::petsc {

namespace {

// How the dimension of an axis differs from that of the DMDA; empty: it does not.
std::string difference(const Dimension& is, const Dimension& must) {
  const auto* const here = std::get_if<Block>(&is.dist);
  if (here == nullptr) return "it is not in blocks";
  const auto& there = std::get<Block>(must.dist);
  const std::array<Index, 2> none{0, 0};
  const auto range = [](const Block& block) {
    return "[" + std::to_string(block.start) + ", " + std::to_string(block.stop) + ")";
  };
  const auto text = [](const std::array<Index, 2>& pair) {
    return "(" + std::to_string(pair[0]) + ", " + std::to_string(pair[1]) + ")";
  };
  const std::array<Index, 2> padding = here->padding.value_or(none), other = there.padding.value_or(none);
  if (is.size != must.size) return "size " + std::to_string(is.size) + ", and the DMDA " + std::to_string(must.size);
  if (is.proc_grid_size != must.proc_grid_size || is.proc_grid_rank != must.proc_grid_rank)
    return "place " + std::to_string(is.proc_grid_rank) + " of " + std::to_string(is.proc_grid_size) +
           ", and the DMDA " + std::to_string(must.proc_grid_rank) + " of " + std::to_string(must.proc_grid_size);
  if (here->start != there.start || here->stop != there.stop)
    return "the range " + range(*here) + ", and the DMDA " + range(there);
  if (padding != other) return "padding " + text(padding) + ", and the DMDA " + text(other);
  return "";
}

// Of all axes; empty: they are the DMDA's.
std::string difference(const DimData& is, const DimData& must) {
  if (is.size() != must.size())
    return "the number of axes of the array is " + std::to_string(is.size()) + ", and that of the DMDA " +
           std::to_string(must.size());
  for (std::size_t i = 0; i < is.size(); ++i) {
    const std::string found = difference(is[i], must[i]);
    if (!found.empty()) return "axis " + std::to_string(i) + " of the array has " + found;
  }
  return "";
}

bool same_shape(const DimData& a, const DimData& b) {
  const auto same_size = [](const Dimension& one, const Dimension& other) { return one.size == other.size; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_size);
}

bool can_be_dmda(const Distribution& distribution, const DmdaOptions& options) {
  try {
    return !refusal(distribution, options);
  } catch (const Error&) {  // it has too many axes
    return false;
  }
}

// For an array that has other places than the Vecs of the DMDA.
std::string remedy_for(const Dmda& grid, const Distribution& distribution, const DimData& is, const DimData& must,
                       bool padded) {
  std::string text;
  if (same_shape(is, must))
    text = std::string(
               "move the array to the DMDA's distribution (in Python array = array.redistribute("
               "tridap.petsc.export_array(dm.") +
           (padded ? "createLocalVec" : "createGlobalVec") + "(), dm).distribution))";
  const bool dof = grid.dof > 1;
  if (can_be_dmda(distribution, {{}, grid.stencil, dof}))
    text += std::string(text.empty() ? "" : ", or ") +
            "make a DMDA of this distribution with create_dmda() (in Python dm = "
            "tridap.petsc.create_dmda(array.distribution, array.comm" +
            (dof ? ", dof=True))" : "))");
  return text.empty() ? "give an array with the grid points of the DMDA" : text;
}

// Whether the array has the places of a local Vec; throws Error if it has neither these nor those of a global one.
bool is_local(const Dmda& grid, const Source& source, bool padded) {
  const DimData is = source.distribution.dim_data(source.rank), must = dim_data_of(grid, padded);
  const std::string other = difference(is, must);
  if (other.empty()) return padded;
  refuse(other, std::string("must be those of a ") + (padded ? "local" : "global") + " Vec of the DMDA",
         remedy_for(grid, source.distribution, is, must, padded));
}

Vec make_global(DM dm, const Dmda& grid, PetscScalar* data) {
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(dm));
  Index total = grid.dof;
  for (std::size_t i = 0; i < grid.ndim; ++i) total *= grid.axes[i].size;
  Vec vec = nullptr;
  call("VecCreateMPIWithArray", [&] {
    return VecCreateMPIWithArray(comm, static_cast<PetscInt>(grid.dof), static_cast<PetscInt>(grid.owned()),
                                 static_cast<PetscInt>(total), data, &vec);
  });
  ISLocalToGlobalMapping mapping = nullptr;
  call("DMGetLocalToGlobalMapping", [&] { return DMGetLocalToGlobalMapping(dm, &mapping); });
  call("VecSetLocalToGlobalMapping", [&] { return VecSetLocalToGlobalMapping(vec, mapping); });
  return vec;
}

Vec make_local(const Dmda& grid, PetscScalar* data) {
  Vec vec = nullptr;
  call("VecCreateSeqWithArray", [&] {
    return VecCreateSeqWithArray(PETSC_COMM_SELF, static_cast<PetscInt>(grid.dof),
                                 static_cast<PetscInt>(grid.ghosted()), data, &vec);
  });
  return vec;
}

bool has_padding(const Distribution& distribution) {
  for (Index i = 0; i < distribution.ndim(); ++i)
    if (const auto* block = distribution.axis(i).block())
      for (Index c = 0; c < block->grid(); ++c)
        if (block->padding(c) != std::array<Index, 2>{0, 0}) return true;
  return false;
}

}  // namespace

ImportedVec import_array(DM dm, const DistArray& array) {
  need_petsc();
  const double begin = MPI_Wtime();
  if (dm == nullptr) refuse("the DM is null", "", "give a DMDA");
  const MPI_Comm comm = users_comm(reinterpret_cast<PetscObject>(dm));
  Dmda grid;
  const mpi::Call beginning(comm, "petsc::import_array of a DM", mpi::Library::petsc,
                            [&](mpi::Record&) { grid = describe(dm); });
  return beginning.run([&] {
    const Source source = need_source(array, beginning.comm(), Copy::never, never_copied, true);
    const bool local = mpi::collectively(comm, [&] {
      if (!source.row_major)
        refuse("the elements are not in row-major order on every process, and a DMDA's are", "",
               "give a row-major array (in Python array = array.copy(order=\"C\")), or import it without the DMDA");
      return is_local(grid, source, has_padding(source.distribution));
    });
    ImportedVec made;
    add_lost_keys(array.dim_data, made.receipt);
    make_together(comm, made.vec, [&] {
      auto* const data = static_cast<PetscScalar*>(array.buffer.data);
      made.vec = local ? make_local(grid, data) : make_global(dm, grid, data);
      keep_memory(made.vec, made_over, array.buffer.owner);
      call("VecSetDM", [&] { return VecSetDM(made.vec, dm); });
    });
    made.receipt.seconds = MPI_Wtime() - begin;
    return made;
  });
}

}  // namespace tridap::petsc
