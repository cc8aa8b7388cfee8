#pragma once

#include "sparse_case.hpp"
#include <tridap/tpetra/matrix.hpp>

#include <Teuchos_DefaultMpiComm.hpp>

namespace sparse_test {

namespace tpetra = tridap::tpetra;
using tpetra::CrsMatrix;
using tpetra::Map;
using GlobalOrdinal = Map::global_ordinal_type;
using Vector = Tpetra::Vector<double>;

inline Teuchos::RCP<const Teuchos::Comm<int>> world() {
  static const auto comm = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
  return comm;
}

/// The ids of a map: what number `g` is called there.
using Names = std::vector<GlobalOrdinal>;

/// A map of bounds whose ids are `names`.
inline Teuchos::RCP<const Map> named_map(const Bounds& bounds, const Names& names) {
  const auto begin = static_cast<std::size_t>(bounds[static_cast<std::size_t>(rank())]);
  const auto end = static_cast<std::size_t>(bounds[static_cast<std::size_t>(rank()) + 1]);
  const Teuchos::ArrayView<const GlobalOrdinal> own(names.data() + begin, static_cast<Teuchos::Ordinal>(end - begin));
  return Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(), own, 0, world()));
}

/// The numbers themselves on a contiguous map.
inline Teuchos::RCP<const Map> counted_map(const Bounds& bounds) {
  const auto r = static_cast<std::size_t>(rank());
  return Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(bounds.back()),
                              static_cast<std::size_t>(bounds[r + 1] - bounds[r]), 0, world()));
}

inline Names counted(Index count) {
  Names names(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = static_cast<GlobalOrdinal>(i);
  return names;
}

/// Other names in any order.
inline Names shuffled(Index count, Random& random) {
  Names names = counted(count);
  for (GlobalOrdinal& name : names) name = 2 * name + 7;
  std::shuffle(names.begin(), names.end(), random.engine());
  return names;
}

/// A matrix of a case, as a program of Tpetra makes it.
inline Teuchos::RCP<CrsMatrix> make_matrix(const Case& of, const Teuchos::RCP<const Map>& rows,
                                           const Teuchos::RCP<const Map>& domain, const Names& row_names,
                                           const Names& column_names) {
  std::map<Index, std::size_t> lengths;
  for (const auto& [at, value] : own_entries(of)) ++lengths[at.first];
  Teuchos::Array<std::size_t> counts;
  for (Index row = of.row_begin(); row < of.row_end(); ++row) counts.push_back(lengths[row]);
  const auto matrix = Teuchos::rcp(new CrsMatrix(rows, counts()));
  for (const auto& [at, value] : own_entries(of)) {
    const GlobalOrdinal column = column_names[static_cast<std::size_t>(at.second)];
    matrix->insertGlobalValues(row_names[static_cast<std::size_t>(at.first)], 1, &value, &column);
  }
  matrix->fillComplete(domain, rows);
  return matrix;
}

/// This process's entries, as getGlobalRowCopy gives them, by number.
inline std::map<std::pair<Index, Index>, double> entries_of(const CrsMatrix& matrix, const Case& of,
                                                            const Names& row_names, const Names& column_names) {
  std::map<GlobalOrdinal, Index> numbers;
  for (std::size_t j = 0; j < column_names.size(); ++j) numbers[column_names[j]] = static_cast<Index>(j);
  std::map<std::pair<Index, Index>, double> entries;
  for (Index row = of.row_begin(); row < of.row_end(); ++row) {
    std::size_t count = matrix.getNumEntriesInGlobalRow(row_names[static_cast<std::size_t>(row)]);
    CrsMatrix::nonconst_global_inds_host_view_type columns("columns", count);
    CrsMatrix::nonconst_values_host_view_type values("values", count);
    matrix.getGlobalRowCopy(row_names[static_cast<std::size_t>(row)], columns, values, count);
    for (std::size_t k = 0; k < count; ++k) entries[{row, numbers.at(columns(k))}] = values(k);
  }
  return entries;
}

/// apply() gives the products of the case.
inline void expect_product(const Tpetra::Operator<double>& matrix, const Case& of) {
  Vector x(matrix.getDomainMap()), y(matrix.getRangeMap());
  for (Index j = of.column_begin(); j < of.column_end(); ++j)
    x.replaceLocalValue(static_cast<int>(j - of.column_begin()), Case::x(j));
  y.putScalar(77);
  matrix.apply(x, y);
  const auto products = y.getLocalViewHost(Tpetra::Access::ReadOnly);
  for (Index i = of.row_begin(); i < of.row_end(); ++i)
    EXPECT_NEAR(products(static_cast<std::size_t>(i - of.row_begin()), 0), of.product(i), 1e-9) << "row " << i;
}

inline const double* values_of(const CrsMatrix& matrix) { return matrix.getLocalMatrixHost().values.data(); }

}  // namespace sparse_test
