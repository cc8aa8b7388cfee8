#include "support.hpp"
#include "support/different_calls.hpp"
#include <tridap/make.hpp>
#include <tridap/tpetra/matrix.hpp>
#include <tridap/tpetra/operator.hpp>

using namespace tpetra_test;
namespace tpetra = tridap::tpetra;

TEST(TpetraCalls, ThatDifferAreAnErrorOnAllProcesses) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const tridap::DistArray array =
      stamped(oracle::Array({oracle::block(oracle::List(processes(), 3)), oracle::block({2})}));
  const tpetra::ArrayMap map(array, comm);
  const auto vector = tpetra::import_vector<double>(array, map).vector;
  const tridap::GhostedArray ghosted = tridap::make_ghosted(tridap::allocate(tridap::element_type<double>(), {4}),
                                                            {(3 * rank() + 3) % (3 * processes())}, comm);
  const Teuchos::RCP<tpetra::CrsMatrix> matrix = Teuchos::rcp(new tpetra::CrsMatrix(map.map(), 1));
  for (const Index number : ids_of(*map.map())) {
    const auto id = static_cast<tpetra::Map::global_ordinal_type>(number);
    const double two = 2;
    matrix->insertGlobalValues(id, 1, &two, &id);
  }
  matrix->fillComplete();
  const tridap::SparseRows rows = tpetra::export_matrix(matrix).rows;
  const tridap::LinearOperator op = tpetra::export_operator(matrix);
  different_calls::expect_errors({
      {"ArrayMap", [&] { tpetra::ArrayMap(array, comm); }},
      {"import_vector", [&] { tpetra::import_vector<double>(array, map); }},
      {"import_multivector", [&] { tpetra::import_multivector<double>(array, comm, tridap::Copy::if_needed); }},
      {"export_array", [&] { tpetra::export_array(vector, map); }},
      {"import_padded", [&] { tpetra::import_padded<double>(array, comm); }},
      {"GhostedVector", [&] { tpetra::GhostedVector<double>(ghosted, comm); }},
      {"import_matrix", [&] { tpetra::import_matrix(rows, comm); }},
      {"export_matrix", [&] { tpetra::export_matrix(matrix); }},
      {"import_operator", [&] { tpetra::import_operator(op, comm); }},
      {"export_operator", [&] { tpetra::export_operator(matrix); }},
      {"make_ghosted", [&] { tridap::make_ghosted(ghosted.local(), {}, comm); }},
  });
}
