#include "petsc.hpp"
#include <tridap/element_format.hpp>
#include <tridap/petsc/matrix.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace tridap;
using namespace tridap::c;

namespace {

// The entries of this process's rows in the form of tridap_csr.
struct Entries {
  std::vector<double> values;
  std::vector<std::int64_t> columns, starts{0};

  explicit Entries(const SparseRows& rows) {
    const auto count = static_cast<std::size_t>(rows.entries());
    values.reserve(count);
    columns.reserve(count);
    const Index own = rows.rows().size();
    starts.reserve(static_cast<std::size_t>(own) + 1);
    for (Index row = 0; row < own; ++row) {
      for (const SparsePart& part : rows.parts) add(part, row);
      starts.push_back(static_cast<std::int64_t>(columns.size()));
    }
  }

 private:
  void add(const SparsePart& part, Index row) {
    for (Index k = part.row_starts[row]; k < part.row_starts[row + 1]; ++k) {
      columns.push_back(part.column(k));
      values.push_back(static_cast<const double*>(part.values)[k]);
    }
  }
};

// The distribution of the rows of a Mat, and its entries.
struct Rows {
  std::shared_ptr<DistributionObject> distribution;
  std::shared_ptr<Entries> entries;
};

Rows rows_of(Mat mat, const Comm& comm) {
  const SparseRows rows = petsc::export_matrix(mat).rows;
  if (rows.type != element_type<double>())
    refuse("the Mat has elements of " + rows.type.name(), "must be double, with which the solvers compute",
           "use a PETSc whose PetscScalar is double");
  if (rows.row_bounds != rows.column_bounds)
    refuse("the Mat's rows are not distributed as its columns", "must be, because the matrix of a solver is square",
           "give MatSetSizes the same local numbers of rows and columns");
  auto made = std::make_shared<DistributionObject>(Distribution({Axis(BlockKind(rows.row_bounds))}), comm);
  return {std::move(made), std::make_shared<Entries>(rows)};
}

}  // namespace

int tridap_csr_of_mat(void* mat, MPI_Comm comm, tridap_distribution* rows, tridap_csr* csr) {
  Comm over;
  if (const int status = locally([&] { over = comm_of(comm); }); status != TRIDAP_OK)
    return give<DistributionObject>(status, number_in(rows), over, nullptr);
  return making<DistributionObject>(number_in(rows), over, [&] {
    const Mat given = petsc_object<Mat>(mat, "mat");
    need(csr, "csr");
    need_processes_of(over, given, "the Mat");
    const Rows made = rows_of(given, over);
    const Entries& entries = *made.entries;
    *csr = tridap_csr{};
    csr->row_count = static_cast<std::int64_t>(entries.starts.size()) - 1;
    csr->entry_count = static_cast<std::int64_t>(entries.columns.size());
    csr->values = entries.values.data();
    csr->columns = entries.columns.data();
    csr->row_starts = entries.starts.data();
    made.distribution->kept = made.entries;
    return made.distribution;
  });
}
