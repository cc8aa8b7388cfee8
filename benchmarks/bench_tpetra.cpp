// Into Tpetra and out again, against Tpetra's own constructors called by hand over the same memory.

#include "support/pairs.hpp"
#include <dap/tpetra.hpp>

#include <Tpetra_Core.hpp>

#include <numeric>

namespace {

using dap::Index;
using Map = dap::tpetra::Map;
using Vector = dap::tpetra::Vector<double>;

int rank = 0, processes = 1;

dap::DistArray make_array(std::vector<dap::Dimension> dim_data, std::vector<Index> shape) {
  dap::DistArray array;
  array.buffer = dap::allocate(dap::element_type<double>(), shape);
  array.dim_data = std::move(dim_data);
  return array;
}

// What somebody who knows his own ids writes.
Teuchos::RCP<Vector> by_hand(const Teuchos::RCP<const Map>& map, const dap::Buffer& buffer) {
  const Vector::dual_view_type::t_dev view(static_cast<double*>(buffer.data), dap::tpetra::compat::local_count(*map),
                                           1);
  return Teuchos::rcp(new Vector(map, {view, Kokkos::create_mirror_view(view)}));
}

// A dense block array whose ids are one range: the cost must not grow with it.
bool one_range(Index local) {
  const dap::DistArray array = make_array(
      {{local * processes, processes, rank, false, dap::Block{local * rank, local * (rank + 1), {}}, {}}}, {local});
  const auto comm = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
  return bench::compare(
      "tpetra: block of " + std::to_string(local) + ", in and out", 7.0,
      [&] {
        const dap::tpetra::Layout layout(array, MPI_COMM_WORLD);
        const auto in = dap::tpetra::import_vector<double>(array, layout);
        const auto out = dap::tpetra::export_array(in.vector, layout);
        if (out.array.buffer.data != array.buffer.data) std::abort();
      },
      [&] {
        const auto map = Teuchos::rcp(
            new Map(static_cast<Tpetra::global_size_t>(local * processes), static_cast<std::size_t>(local), 0, comm));
        if (by_hand(map, array.buffer).is_null()) std::abort();
      },
      20);
}

// Rows of a two-dimensional array cut across the processes: every id must be listed; theirs are listed beforehand.
bool scattered(Index rows, Index cols) {
  const Index width = cols / processes;
  const dap::DistArray array = make_array(
      {dap::undistributed(rows), {cols, processes, rank, false, dap::Block{width * rank, width * (rank + 1), {}}, {}}},
      {rows, width});
  std::vector<Map::global_ordinal_type> ids;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < width; ++j) ids.push_back(i * cols + width * rank + j);
  const auto comm = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
  return bench::compare(
      "tpetra: columns of " + std::to_string(rows) + " x " + std::to_string(cols) + ", map and vector", 1.25,
      [&] {
        const auto in = dap::tpetra::import_vector<double>(array, MPI_COMM_WORLD);
        if (in.vector.is_null()) std::abort();
      },
      [&] {
        const auto map = Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(rows * cols),
                                              Teuchos::ArrayView<const Map::global_ordinal_type>(ids), 0, comm));
        if (by_hand(map, array.buffer).is_null()) std::abort();
      },
      1, 30);
}

}  // namespace

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard scope(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  bool ok = one_range(1000);
  ok = one_range(10'000'000) && ok;
  ok = scattered(1000, 1000) && ok;
  return ok ? 0 : 1;
}
