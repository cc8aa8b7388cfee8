// From Vecs to arrays and back, new values of a Mat, and updates of ghosts, against PETSc's own calls by hand.

#include "support/agree_by_hand.hpp"
#include "support/ghosts.hpp"
#include "support/pairs.hpp"
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/petsc.hpp>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

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

// How the processes learn the global length. `checked`: as a correct import must, whose every process learns that all
// are right; `added_up`: PETSc adds the lengths up, and trusts them; `known`: the program knows it.
enum class Length { checked, added_up, known };

void by_hand(Vec vec, Length length) {
  PetscScalar* data = nullptr;
  PetscInt local = 0, size = PETSC_DETERMINE;
  VecGetLocalSize(vec, &local);
  if (length != Length::added_up) VecGetSize(vec, &size);
  VecGetArray(vec, &data);
  if (length == Length::checked) bench::agree_by_hand(data != nullptr, local, size, PETSC_COMM_WORLD);
  Vec made = nullptr;
  if (VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, local, size, data, &made) != 0) std::abort();
  VecDestroy(&made);
  VecRestoreArray(vec, &data);
}

void petsc_update(Vec vec, InsertMode insert, ScatterMode direction) {
  if (VecGhostUpdateBegin(vec, insert, direction) != 0 || VecGhostUpdateEnd(vec, insert, direction) != 0) std::abort();
}

// Both have the same ghosts, in memory of their own, several times.
bool measure_ghosts(const std::string& name, const bench::GhostCase& of, Index dof, int times) {
  constexpr int copies = 5;
  const auto array = [&] { return bench::ghosted<PetscScalar>(of, dof, PETSC_COMM_WORLD); };
  std::vector<tridap::GhostUpdate> ours;
  std::vector<Vec> theirs;
  for (int k = 0; k < copies; ++k) {
    ours.emplace_back(array(), PETSC_COMM_WORLD);
    theirs.push_back(petsc::import_ghosted(array(), PETSC_COMM_WORLD).vec);
  }
  const auto compare = [&](const std::string& what, auto our_work, auto their_work) {
    return bench::compare_closely("ghosts: " + name + ", " + std::to_string(dof) + " dof, " + what, 1.0,
                                  bench::in_turns(copies, times, our_work),
                                  bench::in_turns(copies, times, their_work, true), times);
  };
  bool ok = compare(
      "update_ghosts", [&](std::size_t k) { ours[k].update_ghosts(); },
      [&](std::size_t k) { petsc_update(theirs[k], INSERT_VALUES, SCATTER_FORWARD); });
  ok = compare(
           "sum_ghosts", [&](std::size_t k) { ours[k].sum_ghosts(); },
           [&](std::size_t k) { petsc_update(theirs[k], ADD_VALUES, SCATTER_REVERSE); }) &&
       ok;
  for (Vec& vec : theirs) VecDestroy(&vec);
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
  int processes = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &processes);
  const double checked = processes == 1 ? 3 : 2.5;  // on one process no message takes time
  bool ok = true;
  Vec small = make(1'000), large = make(100'000'000);
  for (const auto& [name, vec] : {std::pair{"10^3", small}, {"10^8", large}}) {
    const std::string title = std::string("petsc: ") + name + ", Vec -> array -> Vec";
    const auto ours = [vec = vec] { there_and_back(vec); };
    for (const auto& [peer, length, bound] : {std::tuple{"", Length::checked, checked},
                                              {", added up", Length::added_up, INFINITY},
                                              {", known", Length::known, INFINITY}})
      ok = bench::compare(
               title + peer, bound, ours, [vec = vec, length = length] { by_hand(vec, length); }, times, pairs) &&
           ok;
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
