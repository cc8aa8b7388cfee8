// MPI_Alltoallw with a committed type for each pair of processes: a subarray if the part is a box, otherwise runs of
// rows of runs of columns.

#include "redistribution/peers.hpp"

namespace bench {

namespace {

class Alltoallw : public IntoTarget {
 public:
  explicit Alltoallw(Problem& problem) : IntoTarget(problem) {
    for (int other = 0; other < problem.processes; ++other) {
      add(send_, problem.source, problem.target, other);
      add(receive_, problem.target, problem.source, other);
    }
    offsets_.assign(static_cast<std::size_t>(problem.processes), 0);
  }
  ~Alltoallw() override {
    for (Side* side : {&send_, &receive_})
      for (MPI_Datatype& type : side->types) free_type(type);
  }
  void move() override {
    MPI_Alltoallw(problem_.from.data(), send_.counts.data(), offsets_.data(), send_.types.data(), problem_.to.data(),
                  receive_.counts.data(), offsets_.data(), receive_.types.data(), problem_.comm);
  }

 private:
  struct Side {
    std::vector<int> counts;
    std::vector<MPI_Datatype> types;
  };

  static void free_type(MPI_Datatype& type) {
    if (type != MPI_DOUBLE) MPI_Type_free(&type);
  }

  // The elements of our part in one layout that another process has in the other layout.
  void add(Side& side, const Layout& mine, const Layout& theirs, int other) const {
    const auto at = mine.coordinates(problem_.rank), there = theirs.coordinates(other);
    const std::vector<Run> rows = shared_runs(mine, 0, at[0], theirs, there[0]);
    const std::vector<Run> columns = shared_runs(mine, 1, at[1], theirs, there[1]);
    const bool any = !rows.empty() && !columns.empty();
    MPI_Datatype type = MPI_DOUBLE;
    if (any) {
      const int shape[] = {static_cast<int>(mine.extent(0, at[0])), static_cast<int>(mine.extent(1, at[1]))};
      type =
          rows.size() == 1 && columns.size() == 1 ? box(shape, rows[0], columns[0]) : product(shape[1], rows, columns);
      MPI_Type_commit(&type);
    }
    side.counts.push_back(any ? 1 : 0);
    side.types.push_back(type);
  }

  static MPI_Datatype box(const int (&shape)[2], const Run& rows, const Run& columns) {
    const int lengths[] = {static_cast<int>(rows.length), static_cast<int>(columns.length)};
    const int begins[] = {static_cast<int>(rows.begin), static_cast<int>(columns.begin)};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(2, shape, lengths, begins, MPI_ORDER_C, MPI_DOUBLE, &type);
    return type;
  }

  static MPI_Datatype product(int row_length, const std::vector<Run>& rows, const std::vector<Run>& columns) {
    const MPI_Datatype part = indexed(columns, MPI_DOUBLE);
    MPI_Datatype row = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(part, 0, row_length * static_cast<MPI_Aint>(sizeof(double)), &row);
    const MPI_Datatype type = indexed(rows, row);
    for (MPI_Datatype used : {part, row}) MPI_Type_free(&used);
    return type;
  }

  static MPI_Datatype indexed(const std::vector<Run>& runs, MPI_Datatype of) {
    std::vector<int> lengths, begins;
    for (const Run& run : runs) {
      lengths.push_back(static_cast<int>(run.length));
      begins.push_back(static_cast<int>(run.begin));
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_indexed(static_cast<int>(runs.size()), lengths.data(), begins.data(), of, &type);
    return type;
  }

  Side send_, receive_;
  std::vector<int> offsets_;
};

}  // namespace

std::unique_ptr<Competitor> make_alltoallw(Problem& problem) { return std::make_unique<Alltoallw>(problem); }

}  // namespace bench
