#include "call.hpp"
#include "comms.hpp"
#include "form.hpp"
#include "lasting_memory.hpp"
#include "source.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/needs.hpp>
#include <tridap/internal/typed.hpp>

#include <array>
#include <string>
#include <vector>

namespace tridap::petsc {

namespace {

PetscInt points(Index number) { return petsc_int(number, "the DMDA has", "points on an axis"); }

// By PETSc's order: x, y, z.
struct Arguments {
  std::array<PetscInt, 3> size{1, 1, 1}, processes{1, 1, 1};
  std::array<DMBoundaryType, 3> boundary{DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE};
  std::array<std::vector<PetscInt>, 3> lengths;
  PetscInt dim = 0, dof = 1, width = 0;
};

Arguments arguments_of(const Form& form) {
  Arguments made;
  made.dim = static_cast<PetscInt>(form.axes.size());
  made.dof = points(form.dof);
  made.width = points(form.width);
  for (std::size_t k = 0; k < form.axes.size(); ++k) {
    const AxisForm& axis = form.axes[form.axes.size() - 1 - k];
    made.size[k] = points(axis.size);
    made.processes[k] = points(static_cast<Index>(axis.lengths.size()));
    made.boundary[k] = axis.boundary;
    for (const Index length : axis.lengths) made.lengths[k].push_back(points(length));
  }
  return made;
}

// For a distribution that no DMDA can have.
std::string remedy_for(const Distribution& distribution, const DmdaOptions& options) {
  try {
    static_cast<void>(nearest(distribution, options));
  } catch (const Error&) {
    return "change the distribution, or the DMDA's stencil";
  }
  std::string line = "dist = tridap.petsc.nearest(dist";
  if (options.stencil_width) line += ", stencil_width=" + std::to_string(*options.stencil_width);
  return "move the array to that distribution (in Python " + line + (options.dof ? ", dof=True" : "") +
         ")), or change the DMDA's stencil";
}

Arguments need_arguments(const Distribution& distribution, MPI_Comm comm, const DmdaOptions& options) {
  need_petsc();
  need_processes(distribution, mpi::processes_of(comm));
  const auto found = form_of(distribution, options);
  if (const auto* const form = std::get_if<Form>(&found)) return arguments_of(*form);
  refuse(*refusal(distribution, options), "", remedy_for(distribution, options));
}

// A number that differs if the arguments differ.
Index digest_of(const Arguments& arguments, DMDAStencilType stencil) {
  Digest digest;
  for (const PetscInt number : {arguments.dim, arguments.dof, arguments.width, static_cast<PetscInt>(stencil)})
    digest.add(number);
  digest.add_all(arguments.size);
  digest.add_all(arguments.processes);
  digest.add_all(arguments.boundary);
  for (const std::vector<PetscInt>& lengths : arguments.lengths) digest.add_all(lengths);
  return digest.value();
}

DM make_dmda(const Arguments& a, DMDAStencilType stencil, MPI_Comm comm) {
  DM dm = nullptr;
  make_together(comm, dm, [&] {
    call("DMDACreate", [&]() -> PetscErrorCode {
      if (a.dim == 1) return DMDACreate1d(comm, a.boundary[0], a.size[0], a.dof, a.width, a.lengths[0].data(), &dm);
      if (a.dim == 2)
        return DMDACreate2d(comm, a.boundary[0], a.boundary[1], stencil, a.size[0], a.size[1], a.processes[0],
                            a.processes[1], a.dof, a.width, a.lengths[0].data(), a.lengths[1].data(), &dm);
      return DMDACreate3d(comm, a.boundary[0], a.boundary[1], a.boundary[2], stencil, a.size[0], a.size[1], a.size[2],
                          a.processes[0], a.processes[1], a.processes[2], a.dof, a.width, a.lengths[0].data(),
                          a.lengths[1].data(), a.lengths[2].data(), &dm);
    });
    call("DMSetUp", [&] { return DMSetUp(dm); });
  });
  return dm;
}

}  // namespace

DM create_dmda(const Distribution& distribution, MPI_Comm comm, const DmdaOptions& options) {
  need_communicator(comm);
  Arguments arguments;
  const mpi::Call beginning(comm, "petsc::create_dmda", mpi::Library::petsc, [&](mpi::Record& record) {
    arguments = need_arguments(distribution, comm, options);
    record.add(digest_of(arguments, options.stencil));
  });
  return beginning.run([&] {
    if (!beginning.is_same(0))
      refuse("the processes ask for different DMDAs", "all must give the same distribution and options",
             "gather the distribution with gather_distribution()");
    const DM made = make_dmda(arguments, options.stencil, comm);
    keep_users_comm(reinterpret_cast<PetscObject>(made), comm);
    return made;
  });
}

}  // namespace tridap::petsc
