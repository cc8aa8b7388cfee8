#include "petsc_support.hpp"
#include "support/two_threads.hpp"
#include <tridap/internal/state.hpp>

#include <petscmat.h>

#include <array>
#include <future>
#include <list>

using namespace petsc_test;
using tridap::DistArray;
using tridap::Distribution;

namespace {

constexpr Index n = 12;

/// What one thread makes. Its Vecs and Mats are read and destroyed after both threads have ended, because PETSc lets
/// one thread in, and the threads call it through TriDAP alone.
struct Made {
  std::list<DistArray> parts;
  std::vector<Vec> vecs;
  std::vector<Mat> mats;
  std::vector<DM> dms;
  std::vector<AO> orderings;
};

DistArray& numbered_part(Made& made, MPI_Comm comm, int number) {
  const Distribution line = Distribution::make({n}, {tridap::block()}, {Index{on::processes(comm)}});
  DistArray& part = made.parts.emplace_back(part_of(line));
  const Index first = std::get<tridap::Block>(part.dim_data[0].dist).start;
  for (Index i = 0; i < part.buffer.shape[0]; ++i) at(part, {i}) = value_of(first + i + 100 * number);
  return part;
}

// The identity times 2.
tridap::SparseRows rows_of(MPI_Comm comm, std::vector<Index>& starts, std::vector<Index>& columns,
                           std::vector<PetscScalar>& values) {
  const Distribution line = Distribution::make({n}, {tridap::block()}, {Index{on::processes(comm)}});
  tridap::SparseRows rows;
  rows.process = on::rank(comm);
  for (int p = 0; p < on::processes(comm); ++p)
    rows.row_bounds.push_back(std::get<tridap::Block>(line.dim_data(p)[0].dist).start);
  rows.row_bounds.push_back(n);
  rows.column_bounds = rows.row_bounds;
  rows.type = tridap::element_type<PetscScalar>();
  const Index count = rows.rows().end - rows.rows().begin;
  values.assign(static_cast<std::size_t>(count), 2);
  starts.clear();
  columns.clear();
  for (Index i = 0; i <= count; ++i) starts.push_back(i);
  for (Index i = 0; i < count; ++i) columns.push_back(i);
  rows.parts.push_back(
      {{starts.data(), 8, count + 1}, {columns.data(), 8, count}, values.data(), nullptr, rows.rows().begin});
  return rows;
}

}  // namespace

TEST(PetscThreads, ImportWithACommunicatorEach) {
  std::array<Made, 2> all;
  two_threads::run([&](MPI_Comm comm, int number) {
    Made& made = all[static_cast<std::size_t>(number)];
    std::vector<Index> starts, columns;
    std::vector<PetscScalar> values;
    for (int round = 0; round < 10; ++round) {
      DistArray& part = numbered_part(made, comm, number);
      made.vecs.push_back(petsc::import_array(part, comm).vec);
      made.dms.push_back(
          petsc::create_dmda(Distribution::make({n}, {tridap::block()}, {Index{on::processes(comm)}}), comm));
      made.vecs.push_back(petsc::import_array(made.dms.back(), numbered_part(made, comm, number)).vec);
      made.orderings.push_back(petsc::make_ordering(part, comm));
      made.mats.push_back(petsc::import_matrix(rows_of(comm, starts, columns, values), comm).mat);
      petsc::update_values(made.mats.back(), rows_of(comm, starts, columns, values));
    }
  });
  for (int number = 0; number < 2; ++number) {
    Made& made = all[static_cast<std::size_t>(number)];
    for (Vec vec : made.vecs) {
      PetscInt begin = 0, end = 0;
      VecGetOwnershipRange(vec, &begin, &end);
      for (PetscInt g = begin; g < end; ++g) EXPECT_EQ(value_in(vec, g), value_of(g + 100 * number));
      VecDestroy(&vec);
    }
    for (Mat mat : made.mats) {
      PetscReal norm = 0;
      EXPECT_EQ(MatNorm(mat, NORM_INFINITY, &norm), 0);
      EXPECT_EQ(norm, 2);
      MatDestroy(&mat);
    }
    for (AO ordering : made.orderings) AODestroy(&ordering);
    for (DM dm : made.dms) DMDestroy(&dm);
  }
}

TEST(PetscThreads, AnExportWaitsForTheThreadInsideToBeReleased) {
  Vec vec = make_vec(3);
  tridap::Buffer exported = petsc::export_array(vec).array.buffer;
  std::promise<void> inside, released;
  std::thread other([&] {
    const tridap::mpi::Inside entered(tridap::mpi::Library::petsc);
    inside.set_value();
    released.get_future().wait();
  });
  inside.get_future().wait();
  exported = {};  // on the thread that exported
  EXPECT_EQ(references(vec), 2);
  released.set_value();
  other.join();
  EXPECT_EQ(petsc::held().exports, 0);
  EXPECT_EQ(references(vec), 1);
  VecDestroy(&vec);
}
