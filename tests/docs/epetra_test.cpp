// The lines about Epetra in docs/coming_from.md, which CMake writes to epetra_lines.inc.

#include <tridap/tpetra.hpp>

#include <Epetra_Map.h>
#include <Epetra_MpiComm.h>
#include <Epetra_Vector.h>
#include <Teuchos_DefaultMpiComm.hpp>
#include <gtest/gtest.h>

#include <memory>

namespace {

TEST(Epetra, IsSharedAndChangedByTpetra) {
  const Epetra_MpiComm theirs(MPI_COMM_WORLD);
  const Teuchos::RCP<const Teuchos::Comm<int>> comm = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
  for (const int size : {7, 100, 1001}) {
    const Epetra_Map map_of_epetra(size, 0, theirs);
    const auto epetra = std::make_shared<Epetra_Vector>(map_of_epetra);
    for (int i = 0; i < epetra->MyLength(); ++i) (*epetra)[i] = 1 + map_of_epetra.GID(i);
    const std::weak_ptr<Epetra_Vector> alive = epetra;
    {
#include "epetra_lines.inc"

      EXPECT_TRUE(x.receipt.shared);
      EXPECT_EQ(x.receipt.bytes_copied, 0);
      EXPECT_EQ(x.vector->getData().getRawPtr(), values);
      EXPECT_EQ(static_cast<int>(x.vector->getGlobalLength()), size);
      EXPECT_EQ(static_cast<int>(map.map()->getMinGlobalIndex()), map_of_epetra.MinMyGID());
      EXPECT_GT(alive.use_count(), 1);
    }
    EXPECT_EQ(alive.use_count(), 1);
    for (int i = 0; i < epetra->MyLength(); ++i) EXPECT_EQ((*epetra)[i], 2 * (1 + map_of_epetra.GID(i)));
  }
}

}  // namespace
