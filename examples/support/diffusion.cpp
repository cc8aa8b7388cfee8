#include "support/diffusion.hpp"

namespace examples {

Teuchos::RCP<const Tpetra::CrsMatrix<double>> five_point_matrix(const Teuchos::RCP<const tridap::tpetra::Map>& map,
                                                                Index rows, Index cols, double ky, double kx) {
  using Id = tridap::tpetra::Map::global_ordinal_type;
  const auto row_of = [&](Index cell, std::vector<Id>& ids, std::vector<double>& values) {
    const Index row = cell / cols, col = cell % cols;
    ids = {static_cast<Id>(cell)};
    values = {1.0};
    const auto neighbour = [&](bool exists, Index id, double k) {
      if (!exists) return;
      ids.push_back(static_cast<Id>(id));
      values.push_back(-k);
      values.front() += k;
    };
    neighbour(row > 0, cell - cols, ky);
    neighbour(row + 1 < rows, cell + cols, ky);
    neighbour(col > 0, cell - 1, kx);
    neighbour(col + 1 < cols, cell + 1, kx);
  };

  std::vector<Id> ids;
  std::vector<double> values;
  std::vector<std::size_t> lengths;
  const auto cells = tridap::tpetra::compat::local_ids(*map);
  for (const Id cell : cells) {
    row_of(cell, ids, values);
    lengths.push_back(ids.size());
  }
  const auto matrix = Teuchos::rcp(new Tpetra::CrsMatrix<double>(map, Teuchos::ArrayView<const std::size_t>(lengths)));
  for (const Id cell : cells) {
    row_of(cell, ids, values);
    matrix->insertGlobalValues(cell, Teuchos::ArrayView<const Id>(ids), Teuchos::ArrayView<const double>(values));
  }
  matrix->fillComplete();
  return matrix;
}

Teuchos::RCP<const Tpetra::CrsMatrix<double>> diffusion_matrix(const Teuchos::RCP<const tridap::tpetra::Map>& map,
                                                               const GridHeader& grid, double diffusion) {
  const double dx = grid.cell_width(), dy = grid.cell_height();
  return five_point_matrix(map, grid.rows, grid.cols, diffusion / (dy * dy), diffusion / (dx * dx));
}

}  // namespace examples
