#include "block_maps.hpp"
#include "map_parts.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/sparse/sparse_pattern.hpp>
#include <tridap/tpetra/matrix.hpp>

#include <Tpetra_Import.hpp>
#include <Tpetra_Vector.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tridap::tpetra {

namespace {

using GlobalOrdinal = Map::global_ordinal_type;
using LocalOrdinal = Map::local_ordinal_type;
using Graph = CrsMatrix::local_graph_device_type;
using RowStarts = Graph::row_map_type::non_const_type;
using Columns = Graph::entries_type::non_const_type;
using Values = CrsMatrix::local_matrix_device_type::values_type::non_const_type;

constexpr auto unknown = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid;

Teuchos::RCP<const Map> map_of(const std::vector<GlobalOrdinal>& ids, const Communicator& comm) {
  return Teuchos::rcp(
      new Map(unknown(), Teuchos::ArrayView<const GlobalOrdinal>(ids.data(), static_cast<Teuchos::Ordinal>(ids.size())),
              0, comm.teuchos()));
}

// The ids on the domain map of columns of other processes, whose global numbers are ascending. **Collective.**
std::vector<GlobalOrdinal> ids_of(const std::vector<Index>& others, const SparseRows& rows, const Map& domain,
                                  const Communicator& comm) {
  std::vector<GlobalOrdinal> ids;
  ids.reserve(others.size());
  for (const Index number : others) ids.push_back(compat::id_of(number));  // the domain map has as many ids
  if (domain.isContiguous()) {
    for (GlobalOrdinal& id : ids) id += domain.getMinAllGlobalIndex();
    return ids;
  }
  using Ids = Tpetra::Vector<GlobalOrdinal>;
  const Teuchos::RCP<const Map> by_number = detail::block_map(rows.column_bounds, rows.process, comm);
  const Teuchos::RCP<const Map> wanted = map_of(ids, comm);
  Ids all(by_number), found(wanted);
  {
    const auto to = all.getLocalViewHost(Tpetra::Access::OverwriteAll);
    const auto from = compat::local_ids(domain);
    for (std::size_t i = 0; i < to.extent(0); ++i) to(i, 0) = from[static_cast<Teuchos::Ordinal>(i)];
  }
  found.doImport(all, Tpetra::Import<>(by_number, wanted), Tpetra::INSERT);
  const auto read = found.getLocalViewHost(Tpetra::Access::ReadOnly);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = read(i, 0);
  return ids;
}

// The arrays of a matrix in local indices: of an own column its local index on the domain map, of any other its place
// among the others behind them.
struct Local {
  RowStarts row_starts;
  Columns columns;
  Values values;
};

Local local_arrays(const SparseRows& rows, const SparsePattern& pattern) {
  Local made{RowStarts(Kokkos::ViewAllocateWithoutInitializing("tridap row starts"), pattern.row_starts.size()),
             Columns(Kokkos::ViewAllocateWithoutInitializing("tridap columns"), pattern.columns.size()),
             Values("tridap values", pattern.columns.size())};
  const auto starts = Kokkos::create_mirror_view(made.row_starts);
  const auto columns = Kokkos::create_mirror_view(made.columns);
  const Range own = rows.columns();
  for (std::size_t i = 0; i < pattern.row_starts.size(); ++i)
    starts(i) = static_cast<RowStarts::value_type>(pattern.row_starts[i]);
  for (std::size_t k = 0; k < pattern.columns.size(); ++k) {
    const Index column = pattern.columns[k];
    const Index position = own.contains(column)
                               ? column - own.begin
                               : own.size() + (std::lower_bound(pattern.others.begin(), pattern.others.end(), column) -
                                               pattern.others.begin());
    columns(k) = static_cast<LocalOrdinal>(position);
  }
  Kokkos::deep_copy(made.row_starts, starts);
  Kokkos::deep_copy(made.columns, columns);
  return made;
}

void need_fit(const SparseRows& rows, const Map& row_map, const Map& domain_map, MPI_Comm comm) {
  check(rows, comm);
  if (rows.type != element_type<CrsMatrix::scalar_type>())
    refuse("the values are " + rows.type.text(), "must be float64, as those of a Tpetra::CrsMatrix<double>",
           "convert them first");
  detail::need_count(row_map, rows.rows().size(), "rows");
  detail::need_count(domain_map, rows.columns().size(), "columns");
}

// The column map: the ids of the domain map, then `others`. Nothing more, so that it may be the domain map itself.
std::vector<GlobalOrdinal> column_ids(const Map& domain, const std::vector<GlobalOrdinal>& others) {
  std::vector<GlobalOrdinal> ids;
  const auto own = compat::local_ids(domain);
  ids.reserve(static_cast<std::size_t>(own.size()) + others.size());
  ids.insert(ids.end(), own.begin(), own.end());
  ids.insert(ids.end(), others.begin(), others.end());
  return ids;
}

}  // namespace

ImportedMatrix import_matrix(const SparseRows& rows, const Teuchos::RCP<const Map>& row_map,
                             const Teuchos::RCP<const Map>& domain_map) {
  const double begin = detail::now();
  const Communicator comm = detail::communicator_of(row_map, "rows");
  const detail::Collective call(comm, "import_matrix");
  const SparsePattern pattern = mpi::collectively(comm.raw(), [&] {
    detail::need_host_node();
    detail::communicator_of(domain_map, "columns");
    need_fit(rows, *row_map, *domain_map, comm.raw());
    SparsePattern made = pattern_of(rows);
    const Index span = domain_map->getGlobalNumElements() == 0
                           ? 0
                           : Index{domain_map->getMaxAllGlobalIndex()} - domain_map->getMinAllGlobalIndex() + 1;
    detail::check_limits({0, span, rows.columns().size() + static_cast<Index>(made.others.size()),
                          static_cast<Index>(rows.column_bounds.size()) - 1});
    return made;
  });
  const std::vector<GlobalOrdinal> others = ids_of(pattern.others, rows, *domain_map, comm);
  std::vector<GlobalOrdinal> ids;
  const Local local = mpi::collectively(comm.raw(), [&] {
    ids = column_ids(*domain_map, others);
    return local_arrays(rows, pattern);
  });
  ImportedMatrix made;
  made.matrix = Teuchos::rcp(new CrsMatrix(row_map, map_of(ids, comm), local.row_starts, local.columns, local.values));
  made.matrix->expertStaticFillComplete(domain_map, row_map);
  made.rows = export_matrix(made.matrix).rows;
  made.receipt = tridap::update_values(rows, made.rows, comm.raw());
  made.receipt.seconds = detail::now() - begin;
  return made;
}

ImportedMatrix import_matrix(const SparseRows& rows, const Communicator& comm) {
  const detail::Collective call(comm, "import_matrix");
  mpi::collectively(comm.raw(), [&] { check(rows, comm.raw()); });
  const Teuchos::RCP<const Map> row_map = detail::block_map(rows.row_bounds, rows.process, comm);
  if (rows.row_bounds == rows.column_bounds) return import_matrix(rows, row_map, row_map);
  return import_matrix(rows, row_map, detail::block_map(rows.column_bounds, rows.process, comm));
}

}  // namespace tridap::tpetra
