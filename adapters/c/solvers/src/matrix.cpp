#include "solvable.hpp"
#include <tridap/flat_numbers.hpp>

#include <limits>
#include <vector>

using namespace tridap;
using namespace tridap::c;

namespace {

// The integers of a program.
Integers integers_at(const void* data, std::int32_t bytes, Index count, const char* name) {
  if (bytes != 0 && bytes != 4 && bytes != 8)
    refuse_key(std::string(name) + "_bytes", std::to_string(bytes), "must be 4 or 8", "pass sizeof of an integer");
  if (count > 0) need(data, name);
  return {data, bytes == 0 ? 8 : static_cast<int>(bytes), count};
}

// The rows of a program as those of solvers::Csr: numbers from 0, and columns in row-major order.
class GivenRows {
 public:
  void read(const DistributionObject& rows, const tridap_csr* given) { read(*rows.distribution, rows.rank, given); }
  void read(const Distribution& rows, Index process, const tridap_csr* given) {
    const tridap_csr& of = *need(given, "csr");
    if (of.order != TRIDAP_ROW_MAJOR && of.order != TRIDAP_COLUMN_MAJOR)
      refuse_key("order", std::to_string(static_cast<int>(of.order)), "must be one of tridap_order",
                 "pass TRIDAP_ROW_MAJOR");
    if (of.index_base != 0 && of.index_base != 1)
      refuse_key("index_base", std::to_string(of.index_base), "must be 0 or 1",
                 "pass 1 for numbers as Fortran has them");
    const Index count = rows.count(process, Part::interior);
    if (of.row_count != count)
      refuse_key("row_count", std::to_string(of.row_count),
                 "must be " + std::to_string(count) + ", one row for each element of this process's interior",
                 "ask tridap_count for TRIDAP_INTERIOR");
    if (of.entry_count < 0) refuse_key("entry_count", std::to_string(of.entry_count), "must be at least 0", "");
    csr.count = of.entry_count;
    csr.data = of.entry_count > 0 ? need(of.values, "values") : of.values;
    csr.columns = integers_at(of.columns, of.column_bytes, of.entry_count, "columns");
    csr.row_starts = integers_at(of.row_starts, of.row_start_bytes, count + 1, "row_starts");
    csr.order = order_of(of.order);
    if (of.index_base != 0) from_zero(of.index_base);
    if (of.index_base != 0 || (of.order == TRIDAP_COLUMN_MAJOR && rows.ndim() > 1))
      renumber(rows, of.order, of.index_base);
  }

  solvers::Csr csr;

 private:
  void from_zero(Index base) {
    starts_.reserve(static_cast<std::size_t>(csr.row_starts.count));
    for (Index i = 0; i < csr.row_starts.count; ++i) starts_.push_back(csr.row_starts[i] - base);
    if (starts_.front() != 0)
      refuse("the first row starts at " + std::to_string(starts_.front() + base),
             "must be " + std::to_string(base) + ", the index base", "count the entries of this process");
    for (std::size_t row = 0; row + 1 < starts_.size(); ++row)  // else errors would have the numbers from 0
      if (starts_[row + 1] < starts_[row] || starts_[row + 1] > csr.count)
        refuse("local row " + std::to_string(row) + " goes from " + std::to_string(starts_[row] + base) + " to " +
                   std::to_string(starts_[row + 1] + base),
               "must neither descend nor end after the " + std::to_string(csr.count) + " values",
               "give indptr as SciPy has it");
    csr.row_starts = integers(starts_.data(), csr.row_starts.count);
  }

  void renumber(const Distribution& rows, tridap_order order, Index base) {
    const bool turned = order == TRIDAP_COLUMN_MAJOR;
    const FlatNumbers theirs(rows, order_of(order)), ours(rows);
    columns_.reserve(static_cast<std::size_t>(csr.count));
    Indices global(static_cast<std::size_t>(rows.ndim()));
    for (Index k = 0; k < csr.count; ++k) {
      const Index number = csr.columns[k] - base;
      if (number < 0 || number >= theirs.count())
        refuse("a row has column " + std::to_string(number + base),
               "must be the number of an element, at least " + std::to_string(base) + " and at most " +
                   std::to_string(theirs.count() - 1 + base),
               "columns are global: a column is the number of an element in the whole array, in the order that "
               "`order` says");
      if (turned) theirs.indices(number, global.data());
      columns_.push_back(turned ? ours.number(global) : number);
    }
    csr.columns = integers(columns_.data(), csr.count);
  }

  std::vector<Index> starts_, columns_;
};

}  // namespace

int tridap_matrix_of_csr(tridap_distribution rows, const tridap_csr* csr, tridap_matrix* matrix) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({rows.number}); }); status != TRIDAP_OK)
    return give<MatrixObject>(status, number_in(matrix), comm, nullptr);
  std::shared_ptr<DistributionObject> over;
  GivenRows given;
  return making_together<MatrixObject>(
      "tridap_matrix_of_csr", number_in(matrix), comm, mpi::Library::trilinos,
      [&] {
        need_kokkos();
        over = find<DistributionObject>(rows.number);
        given.read(*over, csr);
      },
      [&](MPI_Comm) {
        auto made = solvable_over<MatrixObject>(*over, csr->order, comm);
        made->content->matrix = solvers::make_matrix(made->content->rows, given.csr);
        made->content->op = made->content->matrix;
        return made;
      });
}

int tridap_matrix_update(tridap_matrix matrix, const tridap_csr* csr, tridap_receipt* receipt) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({matrix.number}); }); status != TRIDAP_OK) return status;
  std::shared_ptr<MatrixObject> of;
  GivenRows given;
  return collectively(
      "tridap_matrix_update", comm, mpi::Library::trilinos,
      [&] {
        of = find<MatrixObject>(matrix.number);
        const Solvable& a = *of->content;
        if (a.matrix.is_null())
          refuse("an operator has no entries", "must be of tridap_matrix_of_csr", "pass a matrix");
        given.read(a.rows.distribution(), a.rows.process(), csr);
        if (order_of(csr->order) != a.order)
          refuse_key("order", std::to_string(static_cast<int>(csr->order)), "must be that of the matrix",
                     "give the rows in the order in which the matrix was made");
      },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, "tridap_matrix_update", mpi::Library::trilinos,
                             [&](mpi::Record& record) { record.add(of->content->serial); });
        need_same(call, 0, "matrices");
        call.run([&] {
          Solvable& a = *of->content;
          const Receipt done = solvers::update_values(a.rows, *a.matrix, given.csr);
          a.prepared = {};
          write_receipt(done, receipt);
        });
      });
}
