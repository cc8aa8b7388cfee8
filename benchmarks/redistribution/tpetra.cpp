// Tpetra's doImport between two vectors over the same memory, whose maps list each process's elements by their
// row-major numbers.

#include "redistribution/peers.hpp"

#include <Teuchos_DefaultMpiComm.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_Vector.hpp>

namespace bench {

namespace {

using Map = Tpetra::Map<>;
using Vector = Tpetra::Vector<double>;
using Number = Map::global_ordinal_type;

double last_import_seconds = 0;

Teuchos::RCP<const Map> map_of(const Layout& layout, const Problem& problem) {
  const auto [row, column] = layout.coordinates(problem.rank);
  const Index rows = layout.extent(0, row), columns = layout.extent(1, column);
  std::vector<Number> numbers;
  numbers.reserve(static_cast<std::size_t>(rows * columns));
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j)
      numbers.push_back(static_cast<Number>(layout.global(0, row, i) * layout.size + layout.global(1, column, j)));
  return Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                              Teuchos::ArrayView<const Number>(numbers), 0,
                              Teuchos::rcp(new Teuchos::MpiComm<int>(problem.comm))));
}

Vector over(const Teuchos::RCP<const Map>& map, std::vector<double>& memory) {
  const Vector::dual_view_type::t_dev view(memory.data(), memory.size(), 1);
  return {map, {view, Kokkos::create_mirror_view(view)}};
}

class Import : public IntoTarget {
 public:
  explicit Import(Problem& problem)
      : IntoTarget(problem),
        source_(over(map_of(problem.source, problem), problem.from)),
        target_(over(map_of(problem.target, problem), problem.to)) {
    MPI_Barrier(problem.comm);
    const double begin = MPI_Wtime();
    import_ = Teuchos::rcp(new Tpetra::Import<>(source_.getMap(), target_.getMap()));
    last_import_seconds = MPI_Wtime() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &last_import_seconds, 1, MPI_DOUBLE, MPI_MAX, problem.comm);
  }
  void move() override { target_.doImport(source_, *import_, Tpetra::REPLACE); }

 private:
  Vector source_, target_;
  Teuchos::RCP<const Tpetra::Import<>> import_;
};

}  // namespace

std::shared_ptr<void> start_tpetra(int& argc, char**& argv) {
  return std::make_shared<Tpetra::ScopeGuard>(&argc, &argv);
}

std::unique_ptr<Competitor> make_tpetra(Problem& problem) { return std::make_unique<Import>(problem); }

double tpetra_import_seconds() { return last_import_seconds; }

}  // namespace bench
