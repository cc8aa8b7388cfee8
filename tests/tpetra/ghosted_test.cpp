#include "ghosts/ghost_case.hpp"
#include "tpetra/support.hpp"
#include <tridap/make.hpp>

#include <random>

using ghost::Case;
using oracle::List;
using tridap::GhostedArray;
using tridap::Index;
using tridap::tpetra::export_ghosted;
using tridap::tpetra::GhostedVector;
using tridap::tpetra::Map;
using Vector = tridap::tpetra::Vector<double>;
using tpetra_test::Id;
using tpetra_test::id_of;
using tpetra_test::processes;
using tpetra_test::rank;

namespace {

/// Arrays whose components are on one process.
Case random_case(std::mt19937& random, int i) {
  const std::size_t numbered = 1 + static_cast<std::size_t>(i) % 2;
  const auto grids = on::grids(processes(), static_cast<int>(numbered));
  std::vector<oracle::Axis> axes;
  for (const Index extent : grids[random() % grids.size()]) axes.push_back(ghost::any_axis(extent, random));
  if (i % 3 != 0) axes.push_back(oracle::block({1 + i % 4}));
  Case of{oracle::Array(axes), numbered};
  of.choose_ghosts(random, 12);
  return of;
}

std::vector<std::vector<std::byte>> rows_of(const Vector& vector) {
  std::vector<std::vector<std::byte>> rows;
  const auto view = vector.getLocalViewHost(Tpetra::Access::ReadOnly);
  for (std::size_t i = 0; i < view.extent(0); ++i) {
    rows.emplace_back(sizeof(double));
    std::memcpy(rows.back().data(), &view(i, 0), sizeof(double));
  }
  return rows;
}

}  // namespace

TEST(Ghosted, VectorsHaveTheArraysMemoryAndUpdatesAreTpetrasOwn) {
  std::mt19937 random(23);
  for (int i = 0; i < 60; ++i) {
    const Case of = random_case(random, i);
    const std::size_t axes = of.array.axes.size() - of.numbered + 1;
    ghost::Local local(of, rank(), {tridap::ElementType::Kind::floating, 8}, axes == 1 ? List{0} : List{0, 1},
                       {false, false}, 0);
    const GhostedArray array = local.array();
    GhostedVector<double> vector(array, MPI_COMM_WORLD, i % 2);
    EXPECT_TRUE(vector.owned()->getMap()->isOneToOne());
    if (tridap::element_count(local.buffer()) > 0) {
      EXPECT_EQ(vector.overlap()->getLocalViewHost(Tpetra::Access::ReadOnly).data(), local.buffer().data);
    }

    local.fill(1);
    Vector imported(vector.overlap()->getMap());
    const Tpetra::Import<> importer(vector.owned()->getMap(), vector.overlap()->getMap());
    imported.doImport(*vector.owned(), importer, Tpetra::INSERT);
    vector.update_ghosts();
    local.expect_updated(1);
    EXPECT_EQ(rows_of(imported), rows_of(*vector.overlap()));

    local.fill(2);  // ghosts alone are added: Tpetra would also add the owned entries of the overlapping vector
    Vector exported(*vector.overlap(), Teuchos::Copy), sums(vector.owned()->getMap());
    exported.doExport(*vector.overlap(), Tpetra::Export<>(vector.overlap()->getMap(), vector.overlap()->getMap()),
                      Tpetra::REPLACE);
    sums.doExport(exported, Tpetra::Export<>(vector.overlap()->getMap(), vector.owned()->getMap()), Tpetra::ADD);
    vector.sum_ghosts();
    local.expect_summed(2);
    EXPECT_EQ(rows_of(sums), rows_of(*vector.owned()));
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(Ghosted, MapsOfTpetraBecomeAnArrayAndBack) {
  std::mt19937 random(29);
  for (int i = 0; i < 40; ++i) {
    Case of{oracle::Array({ghost::any_axis(processes(), random)})};
    of.choose_ghosts(random, 9);
    const auto comm = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
    std::vector<Id> owned, all;
    for (const Index id : of.ids_of(rank())) owned.push_back(id_of(id + 40));
    if (i % 4 == 0) std::reverse(owned.begin(), owned.end());
    all = owned;
    for (const Index id : of.ghosts_of(rank())) all.push_back(id_of(id + 40));
    const auto unknown = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
    const auto map_of = [&](const std::vector<Id>& ids) {
      return Teuchos::rcp(new Map(
          unknown, Teuchos::ArrayView<const Id>(ids.data(), static_cast<Teuchos::Ordinal>(ids.size())), 30, comm));
    };
    const Teuchos::RCP<const Map> one_to_one = map_of(owned), overlap = map_of(all);
    const auto vector = Teuchos::rcp(new Vector(overlap));
    const GhostedArray array = export_ghosted(vector, one_to_one);
    if (!all.empty()) {
      EXPECT_EQ(array.local().data, vector->getLocalViewHost(Tpetra::Access::ReadOnly).data());
    }
    EXPECT_EQ(array.owned_count(), static_cast<Index>(owned.size()));

    for (const bool sum : {false, true}) {
      vector->randomize();
      Vector expected(overlap), source(one_to_one);
      for (std::size_t k = 0; k < owned.size(); ++k)
        source.replaceLocalValue(static_cast<int>(k), vector->getLocalViewHost(Tpetra::Access::ReadOnly)(k, 0));
      if (!sum) {
        expected.doImport(source, Tpetra::Import<>(one_to_one, overlap), Tpetra::INSERT);
        tridap::update_ghosts(array, MPI_COMM_WORLD);
        EXPECT_EQ(rows_of(expected), rows_of(*vector));
      } else {
        Vector sums(one_to_one);
        sums.doExport(*vector, Tpetra::Export<>(overlap, one_to_one), Tpetra::ADD);
        tridap::sum_ghosts(array, MPI_COMM_WORLD);
        const auto a = sums.getLocalViewHost(Tpetra::Access::ReadOnly);
        const auto b = vector->getLocalViewHost(Tpetra::Access::ReadOnly);
        for (std::size_t k = 0; k < owned.size(); ++k) EXPECT_NEAR(a(k, 0), b(k, 0), 1e-13);
      }
    }
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(Ghosted, SeveralVectorsAreComponents) {
  const Index p = processes(), next = (rank() + 1) % p;
  const auto comm = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
  const auto owned = Teuchos::rcp(new const Map(static_cast<Tpetra::global_size_t>(2 * p), 2, 0, comm));
  std::vector<Id> ids{id_of(2 * rank()), id_of(2 * rank() + 1)};
  if (p > 1) ids.push_back(id_of(2 * next));
  const Teuchos::RCP<const Map> overlap = Teuchos::rcp(
      new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
              Teuchos::ArrayView<const Id>(ids.data(), static_cast<Teuchos::Ordinal>(ids.size())), 0, comm));
  const auto vectors = Teuchos::rcp(new tridap::tpetra::MultiVector<double>(overlap, 3));
  const GhostedArray array = export_ghosted(vectors, owned);
  EXPECT_EQ(array.owned().buffer.shape, (tridap::IndexList{2, 3}));
  for (std::size_t k = 0; k < 3; ++k)
    vectors->replaceLocalValue(0, k, static_cast<double>(10 * rank()) + 1.0 * double(k));
  tridap::update_ghosts(array, MPI_COMM_WORLD);
  for (std::size_t k = 0; p > 1 && k < 3; ++k)
    EXPECT_EQ(vectors->getLocalViewHost(Tpetra::Access::ReadOnly)(2, k),
              static_cast<double>(10 * next) + 1.0 * double(k));
}

TEST(Ghosted, OneBadProcessFailsEveryProcess) {
  const Index p = processes();
  if (p == 1) GTEST_SKIP() << "needs at least 2 processes";
  const auto comm = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
  const auto owned = Teuchos::rcp(new const Map(static_cast<Tpetra::global_size_t>(2 * p), 2, 0, comm));
  for (Index bad = 0; bad < p; ++bad) {
    std::vector<Id> ids{id_of(2 * rank()), id_of(2 * rank() + 1), id_of(2 * ((rank() + 1) % p))};
    if (rank() == bad) std::swap(ids[0], ids[1]);
    const Teuchos::RCP<const Map> overlap = Teuchos::rcp(
        new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                Teuchos::ArrayView<const Id>(ids.data(), static_cast<Teuchos::Ordinal>(ids.size())), 0, comm));
    const auto vector = Teuchos::rcp(new Vector(overlap));
    const std::string text = on::error_of([&] { export_ghosted(vector, owned); }).value().what();
    on::expect_says(text, "local index 0 is the id");
    EXPECT_TRUE(on::same_everywhere(text, MPI_COMM_WORLD));

    std::vector<double> memory(10);
    tridap::Buffer local = tridap::row_major(memory.data(), {3});
    if (rank() == bad) local.strides[0] = 16;
    const GhostedArray array = tridap::make_ghosted(local, {2 * ((rank() + 1) % p)}, MPI_COMM_WORLD);
    const std::string strided = on::error_of([&] { GhostedVector<double> made(array, MPI_COMM_WORLD); }).value().what();
    on::expect_says(strided, "not contiguous and row-major");
    EXPECT_TRUE(on::same_everywhere(strided, MPI_COMM_WORLD));
  }
}

TEST(Ghosted, ColumnMajorNumbersAreRefused) {
  const auto distribution =
      tridap::Distribution::make({2 * processes(), 2}, {tridap::block(), tridap::whole()}, {processes(), 1});
  std::vector<double> memory(4);
  const GhostedArray array(tridap::row_major(memory.data(), {4}), distribution.dim_data(rank()), {}, "0.10.0",
                           tridap::Order::column_major);
  const std::string text = on::error_of([&] { GhostedVector<double> made(array, MPI_COMM_WORLD); }).value().what();
  on::expect_says(text, "the ids are column-major numbers");
}

TEST(Ghosted, ComponentsOnSeveralProcessesAreRefused) {
  const Index p = processes();
  if (p == 1) GTEST_SKIP() << "one process has all components";
  const auto distribution = tridap::Distribution::make({3, 2 * p}, {tridap::whole(), tridap::block()}, {1, p});
  const GhostedArray array = tridap::make_ghosted(tridap::allocate(tridap::element_type<double>(), {3, 2}),
                                                  distribution.dim_data(rank()), {}, MPI_COMM_WORLD);
  const std::string text = on::error_of([&] { GhostedVector<double> made(array, MPI_COMM_WORLD); }).value().what();
  on::expect_says(text, "the components are distributed over " + std::to_string(p));
  EXPECT_TRUE(on::same_everywhere(text, MPI_COMM_WORLD));
}
