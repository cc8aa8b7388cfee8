#include "access.hpp"
#include "call.hpp"
#include "comms.hpp"
#include "lasting_memory.hpp"
#include "source.hpp"
#include "vec.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/flat_numbers.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/own_positions.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/petsc/compat.hpp>
#include <tridap/petsc/import.hpp>

#include <array>
#include <new>
#include <string>
#include <vector>

namespace tridap::petsc {

namespace {

void need_length(Vec vec, const Source& source) {
  if (local_size(vec) == source.count()) return;
  PetscInt size = 0;
  call("VecGetSize", [&] { return VecGetSize(vec, &size); });
  const bool movable = source.distribution.ndim() == 1 && source.distribution.axis(0).size() == size;
  refuse("the Vec has " + std::to_string(local_size(vec)) + " elements on this process, and the array has " +
             std::to_string(source.count()),
         "must be as many",
         movable ? "give an array with the Vec's distribution (in Python array = "
                   "array.redistribute(tridap.petsc.export_array(vec).distribution))"
                 : "make a Vec of this array (in Python vec, receipt = tridap.petsc.import_array(array))");
}

// The flat number of an element if the mirrors of periodic axes are not counted, as PETSc does not.
Index without_mirrors(Index number, const FlatNumbers& flat, const Distribution& distribution) {
  Index made = 0, before = 0;  // the last: the weight of the axis before
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Index weight = flat.weight(i);
    const std::array<Index, 2> mirrors = distribution.axis(i).mirrors();
    if (i > 0) made *= before / weight - mirrors[0] - mirrors[1];
    made += number / weight - mirrors[0];
    number %= weight;
    before = weight;
  }
  return made;
}

}  // namespace

ImportedVec import_array(const DistArray& array, MPI_Comm comm, Copy copy) {
  need_communicator(comm);
  const mpi::Call beginning(comm, "petsc::import_array", mpi::Library::petsc);
  return beginning.run([&] {
    const double begin = MPI_Wtime();
    const Source source = need_source(array, beginning.comm(), copy);
    collect_on(comm);
    ImportedVec made;
    const auto get = [&] { return elements_of(array, source, copy, made.receipt); };
    const Elements elements = copy == Copy::never ? get() : mpi::collectively(comm, get);  // a copy may be made
    add_numbering(source, made.receipt);
    add_losses(array, source.distribution, made.receipt);
    const auto make = [&] {
      const QuietCalls quiet;
      const auto create = source.on_device ? compat::create_on_device() : &VecCreateMPIWithArray;
      call(source.on_device ? "VecCreateMPICUDAWithArray or VecCreateMPIHIPWithArray" : "VecCreateMPIWithArray", [&] {
        const PetscErrorCode code = create(comm, 1, static_cast<PetscInt>(source.count()),
                                           static_cast<PetscInt>(source.total()), elements.data, &made.vec);
        if (code == PETSC_ERR_MEM && !source.on_device) throw std::bad_alloc();
        return code;
      });
      keep_memory(made.vec, made_over, elements.owner);
    };
    // On the host its arguments are right on every process, and it allocates nothing that is as large as data.
    source.on_device ? make_together(comm, made.vec, make) : make();
    keep_users_comm(reinterpret_cast<PetscObject>(made.vec), comm);
    made.receipt.seconds = MPI_Wtime() - begin;
    return made;
  });
}

Receipt place_array(Vec vec, const DistArray& array) {
  inside_petsc([&] { need_plain(vec); });
  const double begin = MPI_Wtime();
  const MPI_Comm comm = users_comm(reinterpret_cast<PetscObject>(vec));
  const mpi::Call beginning(comm, "petsc::place_array", mpi::Library::petsc);
  return beginning.run([&] {
    const Source source = need_source(array, beginning.comm(), Copy::never, never_copied);
    Receipt receipt;
    bool placed = false;
    try {
      mpi::collectively(comm, [&] {
        need_length(vec, source);
        const Elements elements = elements_of(array, source, Copy::never, receipt);
        call("VecPlaceArray", [&] { return VecPlaceArray(vec, elements.data); });
        placed = true;
        keep_memory(vec, placed_in, elements.owner);
      });
    } catch (...) {
      if (placed) VecResetArray(vec);
      throw;
    }
    add_numbering(source, receipt);
    add_losses(array, source.distribution, receipt);
    receipt.seconds = MPI_Wtime() - begin;
    return receipt;
  });
}

void reset_array(Vec vec) {
  const mpi::Inside inside(mpi::Library::petsc);
  need_plain(vec);
  const auto object = reinterpret_cast<PetscObject>(vec);
  call("VecResetArray", [&] { return VecResetArray(vec); });
  call("PetscObjectCompose", [&] { return PetscObjectCompose(object, placed_in, nullptr); });
}

AO make_ordering(const DistArray& array, MPI_Comm comm, Copy copy) {
  need_communicator(comm);
  const mpi::Call beginning(comm, "petsc::make_ordering", mpi::Library::petsc);
  return beginning.run([&] {
    const Source source = need_source(array, beginning.comm(), copy);
    const PositionsOfAxes positions = mpi::own_positions(source.distribution, beginning.comm());
    const std::vector<PetscInt> numbers = mpi::collectively(comm, [&] {
      const FlatNumbers flat = mpi::compact_numbers(source.distribution, positions);
      const std::vector<Index> list = flat.list(source.rank, Part::interior, order_of(array, source, copy));
      std::vector<PetscInt> made;
      made.reserve(list.size());
      for (const Index number : list)
        made.push_back(static_cast<PetscInt>(without_mirrors(number, flat, source.distribution)));
      return made;
    });
    AO ordering = nullptr;
    make_together(comm, ordering, [&] {
      call("AOCreateMemoryScalable", [&] {
        return AOCreateMemoryScalable(comm, static_cast<PetscInt>(numbers.size()), numbers.data(), nullptr, &ordering);
      });
    });
    keep_users_comm(reinterpret_cast<PetscObject>(ordering), comm);
    return ordering;
  });
}

}  // namespace tridap::petsc
