#include "call.hpp"
#include "form.hpp"
#include "source.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>

#include <limits>

namespace tridap::petsc {

namespace {

PetscInt petsc_int(Index number) {
  if (number > std::numeric_limits<PetscInt>::max())
    refuse("the DMDA has " + std::to_string(number) + " points on an axis, and PETSc was built with integers of " +
               std::to_string(8 * sizeof(PetscInt)) + " bits",
           "", "use a PETSc that was built with 64-bit indices");
  return static_cast<PetscInt>(number);
}

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
  made.dof = petsc_int(form.dof);
  made.width = petsc_int(form.width);
  for (std::size_t k = 0; k < form.axes.size(); ++k) {
    const AxisForm& axis = form.axes[form.axes.size() - 1 - k];
    made.size[k] = petsc_int(axis.size);
    made.processes[k] = petsc_int(static_cast<Index>(axis.lengths.size()));
    made.boundary[k] = axis.boundary;
    for (const Index length : axis.lengths) made.lengths[k].push_back(petsc_int(length));
  }
  return made;
}

void need_processes(const Distribution& distribution, MPI_Comm comm) {
  const int processes = mpi::processes_of(comm);
  if (distribution.processes() != processes)
    refuse("the distribution is for " + std::to_string(distribution.processes()) +
               " processes, and the communicator has " + std::to_string(processes),
           "", "give the communicator of the distribution's processes", {}, Rule::grid_product);
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
  need_processes(distribution, comm);
  const auto found = form_of(distribution, options);
  if (const auto* const form = std::get_if<Form>(&found)) return arguments_of(*form);
  refuse(*refusal(distribution, options), "", remedy_for(distribution, options));
}

// Numbers that differ if the arguments differ.
std::vector<Index> numbers_of(const Arguments& arguments, DMDAStencilType stencil) {
  std::vector<Index> numbers{arguments.dim, arguments.dof, arguments.width, static_cast<Index>(stencil)};
  for (std::size_t k = 0; k < 3; ++k) {
    numbers.insert(numbers.end(),
                   {arguments.size[k], arguments.processes[k], static_cast<Index>(arguments.boundary[k])});
    Index sum = 0;  // of the lengths, each with its place
    for (std::size_t c = 0; c < arguments.lengths[k].size(); ++c)
      sum = static_cast<Index>((static_cast<std::uint64_t>(sum) * 1000003u) ^
                               static_cast<std::uint64_t>(arguments.lengths[k][c]));
    numbers.push_back(sum & std::numeric_limits<std::int32_t>::max());
  }
  return numbers;
}

}  // namespace

DM create_dmda(const Distribution& distribution, MPI_Comm comm, const DmdaOptions& options) {
  need_communicator(comm);
  Arguments arguments;
  std::vector<Index> numbers;
  const mpi::Call beginning(comm, "petsc::create_dmda", mpi::Library::petsc, [&](mpi::Record&) {
    arguments = need_arguments(distribution, comm, options);
    numbers = numbers_of(arguments, options.stencil);
  });
  for (const MinMax& number : mpi::min_max(numbers, comm))
    if (!number.is_same())
      refuse("the processes ask for different DMDAs", "all must give the same distribution and options",
             "gather the distribution with gather_distribution()");
  DM dm = nullptr;
  mpi::Faults faults;
  faults.attempt([&] {
    const Arguments& a = arguments;
    call("DMDACreate", [&]() -> PetscErrorCode {
      if (a.dim == 1) return DMDACreate1d(comm, a.boundary[0], a.size[0], a.dof, a.width, a.lengths[0].data(), &dm);
      if (a.dim == 2)
        return DMDACreate2d(comm, a.boundary[0], a.boundary[1], options.stencil, a.size[0], a.size[1], a.processes[0],
                            a.processes[1], a.dof, a.width, a.lengths[0].data(), a.lengths[1].data(), &dm);
      return DMDACreate3d(comm, a.boundary[0], a.boundary[1], a.boundary[2], options.stencil, a.size[0], a.size[1],
                          a.size[2], a.processes[0], a.processes[1], a.processes[2], a.dof, a.width,
                          a.lengths[0].data(), a.lengths[1].data(), a.lengths[2].data(), &dm);
    });
    call("DMSetUp", [&] { return DMSetUp(dm); });
  });
  mpi::throw_faults(std::move(faults), comm);
  return dm;
}

}  // namespace tridap::petsc
