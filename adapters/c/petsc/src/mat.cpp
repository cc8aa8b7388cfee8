#include "petsc.hpp"
#include <tridap/c/given_rows.hpp>
#include <tridap/element_format.hpp>
#include <tridap/internal/fingerprint.hpp>
#include <tridap/petsc/matrix.hpp>
#include <tridap/process_numbers.hpp>

#include <algorithm>
#include <memory>
#include <optional>
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

// The rows of a program as a Mat has them: numbers process after process, and each place once.
class OwnRows {
 public:
  OwnRows(const DistributionObject& of, const GivenRows& given)
      : elements_(*of.distribution),
        numbers_(*of.distribution, orders(*of.distribution, given.order)),
        global_(static_cast<std::size_t>(of.distribution->ndim())) {
    for (Index p = 0; p < of.distribution->processes(); ++p) rows_.row_bounds.push_back(numbers_.first(p));
    rows_.row_bounds.push_back(numbers_.count());
    rows_.column_bounds = rows_.row_bounds;
    rows_.process = of.rank;
    rows_.type = element_type<double>();
    for (Index row = 0; row + 1 < given.row_starts.count; ++row) add(given, row);
    SparsePart part;
    part.row_starts = integers(starts_.data(), static_cast<Index>(starts_.size()));
    part.columns = integers(columns_.data(), static_cast<Index>(columns_.size()));
    part.values = values_.data();
    rows_.parts.push_back(part);
    rows_.read_only = true;
  }
  OwnRows(const OwnRows&) = delete;

  const SparseRows& rows() const { return rows_; }

 private:
  struct Entry {
    Index column;
    double value;
  };

  static std::vector<MemoryOrder> orders(const Distribution& of, Order order) {
    MemoryOrder made = row_major_order(of.ndim());
    if (order == Order::column_major) std::reverse(made.axes.begin(), made.axes.end());
    return {std::move(made)};
  }

  Index own_number(Index flat) {
    elements_.indices(flat, global_.data());
    if (const std::optional<Index> number = numbers_.number(global_)) return *number;
    refuse(
        "a row has column " + std::to_string(flat) + ", the number of an element that no process has in its interior",
        "must be that of an element of the array", "give the number of an element");
  }

  void add(const GivenRows& given, Index row) {
    row_.clear();
    for (Index k = given.row_starts[row]; k < given.row_starts[row + 1]; ++k)
      row_.push_back({own_number(given.columns[k]), given.values[k]});
    std::stable_sort(row_.begin(), row_.end(), [](const Entry& a, const Entry& b) { return a.column < b.column; });
    for (const Entry& entry : row_)
      if (static_cast<Index>(columns_.size()) > starts_.back() && columns_.back() == entry.column) {
        values_.back() += entry.value;
      } else {
        columns_.push_back(entry.column);
        values_.push_back(entry.value);
      }
    starts_.push_back(static_cast<Index>(columns_.size()));
  }

  FlatNumbers elements_;
  ProcessNumbers numbers_;
  Indices global_;
  std::vector<Entry> row_;
  std::vector<double> values_;
  std::vector<Index> columns_, starts_{0};
  SparseRows rows_;
};

}  // namespace

int tridap_mat_of_csr(tridap_distribution rows, const tridap_csr* csr, void** mat, tridap_receipt* receipt) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({rows.number}); }); status != TRIDAP_OK) return status;
  std::shared_ptr<DistributionObject> over;
  std::optional<OwnRows> own;
  return collectively(
      "tridap_mat_of_csr", comm, mpi::Library::petsc,
      [&] {
        need_petsc();
        over = find<DistributionObject>(rows.number);
        *need(mat, "mat") = nullptr;
        GivenRows given;
        given.read(*over, csr, true);
        own.emplace(*over, given);
      },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, "tridap_mat_of_csr", mpi::Library::petsc,
                             [&](mpi::Record& record) { record.add(fingerprint(*over->distribution)); });
        call.run([&] {
          if (!call.is_same(0))
            refuse("the processes give different distributions", "must be the same on every process",
                   "pass the same on every process");
          const petsc::ImportedMat made = petsc::import_matrix(own->rows(), caller);
          *mat = made.mat;
          write_receipt(made.receipt, receipt);
        });
      });
}

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
