// The lines about deal.II in docs/coming_from.md, which CMake writes to dealii_lines.inc and wrapped_lines.inc.

#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/tpetra.hpp>

#include <Epetra_Vector.h>
#include <deal.II/base/index_set.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/trilinos_vector.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <memory>
#include <vector>

namespace {

constexpr unsigned on_each = 5;

struct Ranges {
  Ranges() {
    int p = 1, r = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    rank = static_cast<unsigned>(r);
    size = on_each * static_cast<unsigned>(p);
    owned.set_size(size);
    owned.add_range(on_each * rank, on_each * (rank + 1));
    ghosts.set_size(size);
    for (unsigned k = 0; k < size; k += 3)
      if (!owned.is_element(k)) ghosts.add_index(k);
  }
  unsigned rank = 0, size = 0;
  dealii::IndexSet owned, ghosts;
};

TEST(DealII, ADistributedVectorIsAGhostedArrayInItsMemory) {
  using Vector = dealii::LinearAlgebra::distributed::Vector<double>;
  const Ranges of;
  const auto vector = std::make_shared<Vector>(of.owned, of.ghosts, MPI_COMM_WORLD);
  for (const auto k : of.owned) (*vector)(k) = 10 + k;
  MPI_Comm comm = MPI_COMM_WORLD;
#include "dealii_lines.inc"
  EXPECT_EQ(x.receipt.bytes_copied, 0);
  EXPECT_EQ(ghosts.size(), of.ghosts.n_elements());
  for (const auto k : of.owned) EXPECT_EQ((*vector)(k), 2 * (10 + k));
  const auto* all = static_cast<const double*>(u.local().data);
  for (std::size_t k = 0; k < ghosts.size(); ++k) EXPECT_EQ(all[on_each + k], 10 + static_cast<double>(ghosts[k]));
  vector->update_ghost_values();
  for (std::size_t k = 0; k < ghosts.size(); ++k) EXPECT_EQ(all[on_each + k], 20 + 2 * static_cast<double>(ghosts[k]));
}

TEST(DealII, AWrappedVectorIsOneOfEpetra) {
  const Ranges of;
  const auto wrapped = std::make_shared<dealii::TrilinosWrappers::MPI::Vector>(of.owned, MPI_COMM_WORLD);
  for (const auto k : of.owned) (*wrapped)(k) = 10 + k;
  const Teuchos::RCP<const Teuchos::Comm<int>> comm = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
#include "wrapped_lines.inc"
  ASSERT_NE(epetra, nullptr);
#include "epetra_lines.inc"
  EXPECT_EQ(x.receipt.bytes_copied, 0);
  for (const auto k : of.owned) EXPECT_EQ((*wrapped)(k), 2 * (10 + k));
}

}  // namespace
