#include "tpetra/support.hpp"
#include <tridap/mpi/gather_distribution.hpp>

using namespace tpetra_test;
using tridap::tpetra::ArrayMap;
using tridap::tpetra::export_array;
using tridap::tpetra::import_vector;
using tridap::tpetra::Map;

namespace {

Teuchos::RCP<tridap::tpetra::Vector<double>> vector_on(const std::vector<Index>& numbers, Index base = 0) {
  const std::vector<Id> ids(numbers.begin(), numbers.end());
  const Teuchos::ArrayView<const Id> list(ids);
  const auto map =
      Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(), list, id_of(base), world()));
  return Teuchos::rcp(new tridap::tpetra::Vector<double>(map));
}

}  // namespace

TEST(ExportArray, ALayoutWithPaddingIsRefused) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  const oracle::Array array({padded_axes(processes())[0]});
  const tridap::DistArray part = stamped(array);
  const ArrayMap layout(part, MPI_COMM_WORLD);
  const auto imported = import_vector<double>(part, layout);
  expect_refused([&] { export_array(imported.vector, layout); }, "the array of the ArrayMap has padding");
  const auto line = export_array(imported.vector);
  EXPECT_EQ(line.array.dim_data[0].dist_type(), 'b');
  EXPECT_EQ(line.array.buffer.data, data_of(*imported.vector));
}

TEST(ExportArray, AVectorOfAnotherMapIsRefusedOnEveryProcess) {
  const oracle::Array array({oracle::cyclic(2 * processes(), 1, processes())});
  const ArrayMap layout(stamped(array), MPI_COMM_WORLD);
  for (Index bad = 0; bad < processes(); ++bad) {
    std::vector<Index> ids{rank(), rank() + processes()};
    if (rank() == bad) std::swap(ids[0], ids[1]);
    expect_refused([&] { export_array(vector_on(ids), layout); }, "does not list the ids of the ArrayMap");
  }
}

TEST(ExportArray, AVectorOfYourOwnMapWithTheSameIdsIsAccepted) {
  const oracle::Array array({oracle::cyclic(2 * processes(), 1, processes())});
  const ArrayMap layout(stamped(array), MPI_COMM_WORLD);
  const auto mine = vector_on({rank(), rank() + processes()});
  const auto exported = export_array(mine, layout);
  EXPECT_EQ(exported.array.buffer.data, data_of(*mine));
  EXPECT_EQ(exported.array.dim_data[0].dist_type(), 'c');
}

TEST(ExportArray, AUniformMapIsBlockWithItsIndexBaseNamedAsLost) {
  for (const Index base : {Index{0}, Index{1}}) {
    const auto map =
        Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(5 * processes() + 1), id_of(base), world()));
    const auto vector = Teuchos::rcp(new tridap::tpetra::Vector<double>(map));
    const auto exported = export_array(vector);
    const tridap::Distribution d = tridap::mpi::gather_distribution(exported.array, MPI_COMM_WORLD);
    EXPECT_EQ(d.axis(0).dist_type(), 'b');
    EXPECT_EQ(d.axis(0).size(), 5 * processes() + 1);
    EXPECT_EQ(exported.array.buffer.data, data_of(*vector));
    for (Index l = 0; l < exported.array.buffer.shape[0]; ++l)
      EXPECT_EQ(d.global_index(rank(), {l})[0] + base, map->getGlobalElement(static_cast<int>(l)));
    EXPECT_EQ(exported.receipt.losses.size(), base == 0 ? 0U : 1U);
  }
}

TEST(ExportArray, AListThatHappensToBeOneRangeIsBlock) {
  const auto vector = vector_on({2 * rank(), 2 * rank() + 1});
  EXPECT_EQ(export_array(vector).array.dim_data[0].dist_type(), 'b');
}

TEST(ExportArray, AnyOtherMapIsUnstructuredWithOneToOneProven) {
  const auto scattered = vector_on({100 - rank(), 7 * rank() + 200});
  const tridap::DistArray one = export_array(scattered).array;
  ASSERT_EQ(one.dim_data[0].dist_type(), 'u');
  EXPECT_TRUE(std::get<tridap::Unstructured>(one.dim_data[0].dist).one_to_one);
  const auto all_lists = tridap::Reading::with_all_lists();
  const tridap::Distribution d = tridap::mpi::gather_distribution(one, MPI_COMM_WORLD, all_lists);
  for (Index p = 0; p < processes(); ++p) EXPECT_EQ(d.owner({100 - p}), p);

  const auto overlapping = vector_on({5, 10 + rank()});
  const auto [shared, receipt] = export_array(overlapping);
  if (processes() > 1) {
    EXPECT_EQ(receipt.losses, std::vector<std::string>{"uniqueness of the indices of axis 0"});
  }
  ASSERT_EQ(shared.dim_data[0].dist_type(), 'u');
  EXPECT_EQ(std::get<tridap::Unstructured>(shared.dim_data[0].dist).one_to_one, processes() == 1);
}

TEST(ExportArray, ARepeatedIdOnOneProcessIsRefusedOnAll) {
  for (Index bad = 0; bad < processes(); ++bad) {
    const Index first = 3 * rank();
    const auto vector = vector_on({first, first + 1, rank() == bad ? first + 1 : first + 2});
    expect_refused([&] { export_array(vector); }, "unstructured.unique");
  }
}

TEST(ExportArray, EmptySharesAndMapsOfEveryMakeAreAccepted) {
  const auto comm = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
  std::vector<Id> ids;
  if (rank() == 0) ids.push_back(0);
  const auto listed = Teuchos::rcp(new tridap::tpetra::Map(1, Teuchos::ArrayView<const Id>(ids), 0, comm));
  const auto counted = Teuchos::rcp(new tridap::tpetra::Map(1, ids.size(), 0, comm));
  oracle::List counts(static_cast<std::size_t>(processes()), 0);
  counts[0] = 1;
  const ArrayMap layout(stamped(oracle::Array({oracle::block(counts)})), MPI_COMM_WORLD);
  for (const auto& map : {listed, counted}) {
    const auto exported = export_array(Teuchos::rcp(new tridap::tpetra::Vector<double>(map)), layout);
    EXPECT_EQ(exported.array.buffer.shape, std::vector<Index>{rank() == 0 ? 1 : 0});
  }
  const Teuchos::ArrayView<const Id> none;
  for (const auto& map : {Teuchos::rcp(new tridap::tpetra::Map(0, none, 0, comm)),
                          Teuchos::rcp(new tridap::tpetra::Map(0, std::size_t{0}, 0, comm))})
    EXPECT_EQ(export_array(Teuchos::rcp(new tridap::tpetra::Vector<double>(map))).array.dim_data.at(0).size, 0);
}

TEST(ExportArray, TheInteriorOfAPeriodicArrayHasItsShapeFromTheIdThatIsSaid) {
  const oracle::List owned(static_cast<std::size_t>(processes()), 3);
  const oracle::List widths(static_cast<std::size_t>(processes() - 1), 0);
  const tridap::DistArray part = stamped(oracle::Array({oracle::block(owned, widths, {1, 1}, true)}));
  const auto imported = tridap::tpetra::import_vector<double>(part, MPI_COMM_WORLD);
  tridap::tpetra::Reshape how;
  how.shape = {3 * processes()};
  how.index_base = 0;
  const auto exported = export_array(imported.vector, how);
  const auto* listed = std::get_if<tridap::Unstructured>(&exported.array.dim_data.at(0).dist);
  ASSERT_NE(listed, nullptr) << "indices 1 to size - 2 are no block of the whole";
  const auto indices = tridap::read_indices(listed->indices);
  ASSERT_TRUE(indices && !indices->empty());
  EXPECT_EQ(indices->front(), rank() == 0 ? 1 : 3 * rank());
}
