// From Vecs to arrays and back, new values of a Mat, and updates of ghosts, against PETSc's own calls by hand.

#include "support/ghosts.hpp"
#include "support/pairs.hpp"
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/petsc.hpp>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace {

using tridap::Index;
namespace petsc = tridap::petsc;

Vec make(Index size) {
  Vec vec = nullptr;
  if (VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, static_cast<PetscInt>(size), &vec) != 0) std::abort();
  return vec;
}

void there_and_back(Vec vec) {
  petsc::ImportedVec made = petsc::import_array(petsc::export_array(vec).array, PETSC_COMM_WORLD);
  if (made.receipt.bytes_copied != 0) std::abort();
  VecDestroy(&made.vec);
}

// `told`: the program knows the global length, and PETSc does not add up the lengths of all processes.
void by_hand(Vec vec, bool told) {
  PetscScalar* data = nullptr;
  PetscInt local = 0, size = PETSC_DETERMINE;
  VecGetLocalSize(vec, &local);
  if (told) VecGetSize(vec, &size);
  VecGetArray(vec, &data);
  Vec made = nullptr;
  if (VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, local, size, data, &made) != 0) std::abort();
  VecDestroy(&made);
  VecRestoreArray(vec, &data);
}

void petsc_update(Vec vec, InsertMode insert, ScatterMode direction) {
  if (VecGhostUpdateBegin(vec, insert, direction) != 0 || VecGhostUpdateEnd(vec, insert, direction) != 0) std::abort();
}

// Both have the same ghosts, in memory of their own.
bool measure_ghosts(const std::string& name, const bench::GhostCase& of, Index dof, int times) {
  const Index all = of.owned + static_cast<Index>(of.ghosts.size());
  const auto array = [&] {
    return tridap::make_ghosted(tridap::allocate(tridap::element_type<PetscScalar>(), {all, dof}), of.ghosts,
                                PETSC_COMM_WORLD);
  };
  tridap::GhostUpdate ours(array(), PETSC_COMM_WORLD);
  Vec theirs = petsc::import_ghosted(array(), PETSC_COMM_WORLD).vec;
  const std::string what = "ghosts: " + name + ", " + std::to_string(dof) + " dof";
  bool ok = bench::compare(
      what + ", update_ghosts", 1.0, [&] { ours.update_ghosts(); },
      [&] { petsc_update(theirs, INSERT_VALUES, SCATTER_FORWARD); }, times);
  ok = bench::compare(
           what + ", sum_ghosts", 1.0, [&] { ours.sum_ghosts(); },
           [&] { petsc_update(theirs, ADD_VALUES, SCATTER_REVERSE); }, times) &&
       ok;
  VecDestroy(&theirs);
  return ok;
}

bool measure_all_ghosts() {
  int rank = 0, processes = 1;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &processes);
  if (processes == 1) return true;
  bool ok = true;
  for (const Index dof : {1, 3}) {
    ok = measure_ghosts("mesh of 32^3", bench::mesh_ghosts(32, rank, processes), dof, 50) && ok;
    ok = measure_ghosts("mesh of 100^3", bench::mesh_ghosts(100, rank, processes), dof, 10) && ok;
    ok = measure_ghosts("50000 anywhere", bench::scattered_ghosts(200'000, 50'000, rank, processes), dof, 10) && ok;
  }
  return ok;
}

// A matrix of seven diagonals.
Mat make_matrix(PetscInt rows) {
  Mat mat = nullptr;
  MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, rows, rows, 7, nullptr, 6, nullptr, &mat);
  PetscInt begin = 0, end = 0;
  MatGetOwnershipRange(mat, &begin, &end);
  for (PetscInt i = begin; i < end; ++i)
    for (const PetscInt step : {-1000, -30, -1, 0, 1, 30, 1000})
      if (i + step >= 0 && i + step < rows) MatSetValue(mat, i, i + step, 7 + step, INSERT_VALUES);
  MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY);
  if (MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY) != 0) std::abort();
  return mat;
}

// Copies the values of one Mat to another, which has the same pattern.
void compare_updates() {
  Mat from = make_matrix(1'000'000), to = make_matrix(1'000'000);
  {
    const tridap::SparseRows source = petsc::export_matrix(from).rows, target = petsc::export_matrix(to).rows;
    const auto ours = [&] { tridap::update_values(source, target, PETSC_COMM_WORLD); };
    bench::compare(
        "petsc: update_values of 7 x 10^6 entries against MatCopy", INFINITY, ours,
        [&] { MatCopy(from, to, SAME_NONZERO_PATTERN); }, 4, 15);
    bench::compare(
        "petsc: update_values of 7 x 10^6 entries against memcpy", INFINITY, ours,
        [&] {
          for (std::size_t p = 0; p < source.parts.size(); ++p)
            std::memcpy(target.parts[p].values, source.parts[p].values,
                        static_cast<std::size_t>(source.parts[p].columns.count) * sizeof(PetscScalar));
        },
        4, 15);
  }
  MatDestroy(&from);
  MatDestroy(&to);
}

}  // namespace

int main(int argc, char** argv) {
  if (PetscInitialize(&argc, &argv, nullptr, nullptr) != 0) return 1;
  constexpr int times = 2000, pairs = 60;
  bool ok = true;
  Vec small = make(1'000), large = make(100'000'000);
  for (const auto& [name, vec] : {std::pair{"10^3", small}, {"10^8", large}}) {
    const std::string title = std::string("petsc: ") + name + ", Vec -> array -> Vec";
    const auto ours = [vec = vec] { there_and_back(vec); };
    ok = bench::compare(
             title, 3, ours, [vec = vec] { by_hand(vec, false); }, times, pairs) &&
         ok;
    bench::compare(
        title + ", length known", INFINITY, ours, [vec = vec] { by_hand(vec, true); }, times, pairs);
  }
  ok = bench::compare(
           "petsc: Vec -> array -> Vec of 10^8 against 10^3", 1.2, [&] { there_and_back(large); },
           [&] { there_and_back(small); }, times, pairs) &&
       ok;
  bench::compare(
      "petsc: export of 10^8 against VecGetArray and back", INFINITY, [&] { petsc::export_array(large); },
      [&] {
        PetscScalar* data = nullptr;
        VecGetArray(large, &data);
        VecRestoreArray(large, &data);
      },
      times, pairs);
  compare_updates();
  VecDestroy(&small);
  VecDestroy(&large);
  ok = measure_all_ghosts() && ok;
  PetscFinalize();
  return ok ? 0 : 1;
}
