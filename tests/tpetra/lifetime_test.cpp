#include "tpetra/support.hpp"

using namespace tpetra_test;
using tridap::tpetra::export_array;
using tridap::tpetra::import_vector;
using Vector = tridap::tpetra::Vector<double>;

// What these tests claim is seen by AddressSanitizer; elsewhere the deleter tells.
namespace {

constexpr Index n = 1000;

// An array that says when its memory is released.
tridap::DistArray told(bool& released) {
  const oracle::Array array({oracle::block(oracle::List(static_cast<std::size_t>(processes()), n))});
  tridap::DistArray part;
  part.dim_data = dim_data(array, rank());
  auto* memory = new double[n];
  for (Index i = 0; i < n; ++i) memory[i] = static_cast<double>(i);
  part.buffer = tridap::row_major(memory, {n}, std::shared_ptr<void>(memory, [&released](void* p) {
                                    released = true;
                                    delete[] static_cast<double*>(p);
                                  }));
  return part;
}

Teuchos::RCP<Vector> imported(bool& released) { return import_vector<double>(told(released), MPI_COMM_WORLD).vector; }

}  // namespace

TEST(Lifetime, TheImportedVectorKeepsTheExportersMemory) {
  bool released = false;
  Teuchos::RCP<Vector> vector = imported(released);
  EXPECT_FALSE(released);
  EXPECT_EQ(data_of(*vector)[n - 1], static_cast<double>(n - 1));
  vector.reset();
  EXPECT_TRUE(released);
}

TEST(Lifetime, ACopyOfTheVectorsHandleKeepsIt) {
  bool released = false;
  Teuchos::RCP<const Vector> other;
  {
    const Teuchos::RCP<Vector> vector = imported(released);
    other = Teuchos::rcp(new Vector(*vector, Teuchos::View));
  }
  EXPECT_FALSE(released);
  EXPECT_EQ(other->norm1(), static_cast<double>(processes()) * static_cast<double>(n * (n - 1) / 2));
  other = Teuchos::null;
  EXPECT_TRUE(released);
}

TEST(Lifetime, ColumnsAndOffsetViewsKeepIt) {
  bool released = false;
  Teuchos::RCP<const Vector> column;
  Teuchos::RCP<Tpetra::MultiVector<double>> tail;
  {
    const Teuchos::RCP<Vector> vector = imported(released);
    column = vector->getVector(0);
    const auto half = Teuchos::rcp(new tridap::tpetra::Map(static_cast<Tpetra::global_size_t>(processes() * n / 2),
                                                           n / 2, 0, vector->getMap()->getComm()));
    tail = vector->offsetViewNonConst(half, n / 2);
  }
  EXPECT_FALSE(released);
  EXPECT_EQ(tail->getData(0)[0], static_cast<double>(n / 2));
  column = Teuchos::null;
  EXPECT_FALSE(released);
  tail = Teuchos::null;
  EXPECT_TRUE(released);
}

TEST(Lifetime, AViewTakenFromTheVectorKeepsIt) {
  bool released = false;
  {
    decltype(imported(released)->getLocalViewHost(Tpetra::Access::ReadWrite)) view;
    {
      const Teuchos::RCP<Vector> vector = imported(released);
      view = vector->getLocalViewHost(Tpetra::Access::ReadWrite);
    }
    EXPECT_FALSE(released);
    EXPECT_EQ(view(7, 0), 7);
  }
  EXPECT_TRUE(released);
}

TEST(Lifetime, TheExportedArrayKeepsTheVectorsMemory) {
  tridap::DistArray array;
  {
    const auto comm = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
    const auto map =
        Teuchos::rcp(new tridap::tpetra::Map(static_cast<Tpetra::global_size_t>(processes() * n), 0, comm));
    const auto vector = Teuchos::rcp(new Vector(map));
    vector->putScalar(4);
    array = export_array(vector).array;
  }
  EXPECT_EQ(static_cast<double*>(array.buffer.data)[n - 1], 4);
}

TEST(Lifetime, OutAgainAfterInTheLastHolderReleases) {
  bool released = false;
  tridap::DistArray array;
  {
    tridap::DistArray part = told(released);
    const tridap::tpetra::ArrayMap layout(part, MPI_COMM_WORLD);
    const Teuchos::RCP<Vector> vector = import_vector<double>(part, layout).vector;
    array = export_array(vector, layout).array;
  }
  EXPECT_FALSE(released);
  static_cast<double*>(array.buffer.data)[0] = 1;
  array = {};
  EXPECT_TRUE(released);
}

TEST(Lifetime, ExportKeepsAVectorThatOwnsNoMemory) {
  bool released = false;
  std::vector<double> memory(n, 2);
  tridap::DistArray array;
  {
    const auto comm = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
    const auto map =
        Teuchos::rcp(new tridap::tpetra::Map(static_cast<Tpetra::global_size_t>(processes() * n), 0, comm));
    const Vector::dual_view_type::t_dev view(memory.data(), n, 1);
    Teuchos::RCP<Vector> vector =
        Teuchos::rcp(new Vector(map, Vector::dual_view_type(view, Kokkos::create_mirror_view(view))));
    const std::shared_ptr<void> told(&released, [](void* flag) { *static_cast<bool*>(flag) = true; });
    Teuchos::set_extra_data(told, "told", Teuchos::inOutArg(vector));  // lives as long as the vector's handle
    array = export_array(vector).array;
  }
  EXPECT_EQ(array.buffer.data, memory.data());
  EXPECT_FALSE(released);
  array = {};
  EXPECT_TRUE(released);
}

TEST(Lifetime, AFailedImportReleasesWhatItHeld) {
  bool released = false;
  {
    tridap::DistArray part = told(released);
    part.buffer.read_only = rank() == processes() - 1;
    refusal([&] { import_vector<double>(part, MPI_COMM_WORLD); });
  }
  EXPECT_TRUE(released);
}

TEST(Lifetime, InAndOutAgainForeverStaysAsSmallAsOnce) {
  bool released = false;
  {
    tridap::DistArray array = told(released);
    const tridap::tpetra::ArrayMap layout(array, MPI_COMM_WORLD);
    const void* owner = array.buffer.owner.get();
    for (int round = 0; round < 100; ++round) {
      array = export_array(import_vector<double>(array, layout).vector, layout).array;
      ASSERT_EQ(array.buffer.owner.get(), owner);
    }
    EXPECT_EQ(array.buffer.owner.use_count(), 1);
  }
  EXPECT_TRUE(released);
}

TEST(Lifetime, ImportedVectorsAreCountedUntilTheyAreReleased) {
  const tridap::kokkos::Living& living = tridap::kokkos::Living::all();
  const Index before = living.imported();
  bool released = false;
  tridap::DistArray part = told(released);
  const std::shared_ptr<void> owner = std::exchange(part.buffer.owner, nullptr);
  Teuchos::RCP<Vector> first = imported(released);
  const Teuchos::RCP<Vector> second = import_vector<double>(part, MPI_COMM_WORLD).vector;
  EXPECT_EQ(living.imported(), before + 2);
  first.reset();
  EXPECT_EQ(living.imported(), before + 1);
}
