#include "block_maps.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/kokkos/view.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/tpetra/matrix.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace tridap::tpetra {

namespace {

using GlobalOrdinal = Map::global_ordinal_type;
using LocalOrdinal = Map::local_ordinal_type;

void need_filled(const CrsMatrix& matrix) {
  detail::need_host_node();
  if (!matrix.isFillComplete()) refuse("the matrix is not complete", "", "call fillComplete first");
  if (!matrix.getGraph()->getExporter().is_null())
    refuse("the row map of the matrix is not its range map", "must be, so that each row is on one process",
           "call fillComplete with the row map as the range map");
}

// What keeps the memory of exported rows.
struct Kept {
  std::shared_ptr<void> matrix;
  std::vector<Index> numbers;  // of the columns, by local index of the column map
};

// The ids of the column map that other processes own.
struct Remote {
  std::vector<GlobalOrdinal> ids;
  std::vector<std::size_t> positions;  // of each, on the column map
  std::vector<int> processes;          // that own them
  std::vector<LocalOrdinal> local;     // their local indices there
};

// Numbers this process's own columns, and lists all others. Local.
Remote number_own(const Map& columns, const Map& domain, Index first, std::vector<Index>& numbers) {
  Remote remote;
  const auto ids = compat::local_ids(columns);
  numbers.resize(static_cast<std::size_t>(ids.size()));
  std::size_t position = 0;
  for (const GlobalOrdinal id : ids) {
    const LocalOrdinal local = domain.getLocalElement(id);
    if (local >= 0) {
      numbers[position] = first + local;
    } else {
      remote.ids.push_back(id);
      remote.positions.push_back(position);
    }
    ++position;
  }
  remote.processes.resize(remote.ids.size());
  remote.local.resize(remote.ids.size());
  return remote;
}

template <class T>
Teuchos::ArrayView<T> view_of(std::vector<T>& list) {
  return {list.data(), static_cast<typename Teuchos::ArrayView<T>::size_type>(list.size())};
}

// The global numbers of the columns of the column map. **Collective.**
std::vector<Index> numbers_of(const CrsMatrix& matrix, const Bounds& bounds, Index process, MPI_Comm comm) {
  const Map& domain = *matrix.getDomainMap();
  std::vector<Index> numbers;
  Remote remote = mpi::collectively(comm, [&] {
    return number_own(*matrix.getColMap(), domain, bounds[static_cast<std::size_t>(process)], numbers);
  });
  if (domain.isContiguous()) {  // an id is a number, plus the first id
    for (std::size_t i = 0; i < remote.ids.size(); ++i)
      numbers[remote.positions[i]] = remote.ids[i] - domain.getMinAllGlobalIndex();
    return numbers;
  }
  domain.getRemoteIndexList(Teuchos::ArrayView<const GlobalOrdinal>(view_of(remote.ids)), view_of(remote.processes),
                            view_of(remote.local));
  for (std::size_t i = 0; i < remote.ids.size(); ++i)
    numbers[remote.positions[i]] = bounds[static_cast<std::size_t>(remote.processes[i])] + remote.local[i];
  return numbers;
}

// The one part of a matrix in local indices. Local.
SparsePart part_of(const CrsMatrix& matrix, const std::vector<Index>& numbers) {
  const auto local = matrix.getLocalMatrixHost();
  SparsePart part;
  part.row_starts = integers(local.graph.row_map.data(), static_cast<Index>(local.graph.row_map.extent(0)));
  part.columns = integers(local.graph.entries.data(), static_cast<Index>(local.graph.entries.extent(0)));
  part.values = local.values.data();
  part.numbers = numbers.data();
  return part;
}

ExportedMatrix exported(const CrsMatrix& matrix, std::shared_ptr<void> owner, bool read_only) {
  const double begin = detail::now();
  const Communicator communicator(matrix.getComm());
  const detail::Collective call(communicator, "export_matrix");
  const MPI_Comm comm = communicator.raw();
  mpi::collectively(comm, [&] { need_filled(matrix); });
  return call.run([&] {
    ExportedMatrix made;
    SparseRows& rows = made.rows;
    rows.process = mpi::rank_of(comm);
    rows.row_bounds = gather_bounds(static_cast<Index>(compat::local_count(*matrix.getRowMap())), comm);
    rows.column_bounds = gather_bounds(static_cast<Index>(compat::local_count(*matrix.getDomainMap())), comm);
    rows.type = element_type<CrsMatrix::scalar_type>();
    rows.read_only = read_only;
    const auto kept = std::make_shared<Kept>();
    kept->numbers = numbers_of(matrix, rows.column_bounds, rows.process, comm);
    if (compat::local_count(*matrix.getRowMap()) > 0) rows.parts = {part_of(matrix, kept->numbers)};
    kept->matrix = std::move(owner);
    rows.owner = kept;
    if (!matrix.getRowMap()->isContiguous()) made.receipt.losses.push_back("the ids of the row map");
    if (!matrix.getDomainMap()->isContiguous()) made.receipt.losses.push_back("the ids of the domain map");
    made.receipt.seconds = detail::now() - begin;
    return made;
  });
}

}  // namespace

ExportedMatrix export_matrix(const Teuchos::RCP<CrsMatrix>& matrix) {
  if (matrix.is_null()) refuse("the matrix is null", "", "give a matrix");
  return exported(*matrix, kokkos::keep(matrix), false);
}

ExportedMatrix export_matrix(const Teuchos::RCP<const CrsMatrix>& matrix) {
  if (matrix.is_null()) refuse("the matrix is null", "", "give a matrix");
  return exported(*matrix, kokkos::keep(matrix), true);
}

Receipt update_values(const Teuchos::RCP<CrsMatrix>& matrix, const SparseRows& rows) {
  if (matrix.is_null()) refuse("the matrix is null", "", "give a matrix");
  const Communicator comm(matrix->getComm());
  const detail::Collective call(comm, "update_values");
  const ExportedMatrix own = export_matrix(matrix);
  return tridap::update_values(rows, own.rows, comm.raw());
}

}  // namespace tridap::tpetra
