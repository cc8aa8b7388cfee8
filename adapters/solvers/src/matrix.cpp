#include "foreign_step.hpp"
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/directory.hpp>
#include <tridap/internal/learned_of_numbers.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/solvers/matrix.hpp>
#include <tridap/tpetra/compat.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace tridap::solvers {

namespace {

using tridap::tpetra::ArrayMap;
using tridap::tpetra::ElementNumbers;
using tridap::tpetra::Map;
using GlobalOrdinal = Map::global_ordinal_type;

constexpr Index most = std::numeric_limits<int>::max();

bool is_compact(const ArrayMap& array_map) { return array_map.options().unstructured_ids == UnstructuredIds::compact; }

/// The columns that a caller may give, and their ids on the map. A column is the flat number of an element, plus the
/// index base, also if the ids are numbered by process.
class Columns {
 public:
  /// `known`: the distribution of the rows, which knows the columns that are asked for.
  Columns(const ArrayMap& array_map, Distribution known)
      : distribution_(std::move(known)),
        map_(*array_map.map()),
        flat_(is_compact(array_map) ? array_map.flat_numbers() : FlatNumbers(distribution_)),
        base_(array_map.options().index_base) {
    for (Index i = 0; i < distribution_.ndim(); ++i)
      if ((distribution_.axis(i).dist_type() == 'u' && !is_compact(array_map)) || distribution_.axis(i).periodic())
        holes_ = true;
    if (array_map.has_flat_ids()) return;
    numbers_.emplace(array_map.numbers(distribution_));
    global_.resize(static_cast<std::size_t>(distribution_.ndim()));
  }

  Index base() const { return base_; }
  Index count() const { return flat_.count(); }

  /// Whether some process has the element of a column.
  bool exists(Index column) const {
    if (column < base_ || column - base_ >= count()) return false;
    if (!holes_) return true;
    if (numbers_) return number(column).has_value();
    if (map_.getLocalElement(tridap::tpetra::compat::id_of(column)) >= 0) return true;
    const std::optional<Indices> global = flat_.global_index(column - base_);
    if (!global) return false;
    const std::optional<Index> owner = distribution_.owner(*global);
    return owner && distribution_.local_index(*owner, *global, Part::interior);
  }
  /// The id of a column that exists.
  GlobalOrdinal id(Index column) const {
    return tridap::tpetra::compat::id_of(numbers_ ? *number(column) + base_ : column);
  }
  /// The column of an id, in words: of an element in another process's list, it may not be known here.
  std::string described(GlobalOrdinal id) const {
    const auto column = static_cast<Index>(id);
    try {
      return "column " +
             std::to_string(numbers_ ? flat_.number(*numbers_->global_index(column - base_)) + base_ : column);
    } catch (const Error&) {
      return "a column of another process, which has number " + std::to_string(column) + " on the map";
    }
  }

 private:
  std::optional<Index> number(Index column) const {
    flat_.indices(column - base_, global_.data());
    return numbers_->number(global_);
  }

  Distribution distribution_;
  const Map& map_;
  FlatNumbers flat_;
  Index base_;
  bool holes_ = false;                     // some flat numbers are not elements
  std::optional<ElementNumbers> numbers_;  // if ids are other numbers than columns
  mutable Indices global_;
};

void check_integers(const Integers& integers, const char* name) {
  if (integers.bytes != 4 && integers.bytes != 8)
    refuse(std::string(name) + " are integers of " + std::to_string(integers.bytes) + " bytes", "must be of 4 or 8",
           "convert them to int64");
  if (integers.count < 0 || (integers.count > 0 && integers.data == nullptr))
    refuse(std::string(name) + " are " + std::to_string(integers.count) + " integers at a null address",
           "must be in memory", "give an array");
}

void check_row_starts(const Csr& csr, Index rows) {
  if (csr.row_starts.count != rows + 1)
    refuse("there are " + std::to_string(csr.row_starts.count) + " row starts",
           "must be " + std::to_string(rows + 1) + ", one more than this process has elements",
           "give one row for each element of this process");
  if (const Index first = csr.row_starts[0]; first != 0)
    refuse("the first row starts at " + std::to_string(first), "must be 0", "give indptr as SciPy has it");
  for (Index row = 0; row < rows; ++row) {
    const Index start = csr.row_starts[row], end = csr.row_starts[row + 1];
    if (end < start || end > csr.count)
      refuse("local row " + std::to_string(row) + " goes from " + std::to_string(start) + " to " + std::to_string(end),
             end < start ? "must not descend" : "must not end after the " + std::to_string(csr.count) + " values",
             "give indptr as SciPy has it");
  }
}

void check_shape(const std::array<Index, 2>& shape, Index rows, Index columns) {
  if (shape[0] != rows)
    refuse("the matrix has " + std::to_string(shape[0]) + " rows",
           "must have " + std::to_string(rows) + ", as many as this process has elements",
           "give one row for each element of this process");
  if (shape[1] != columns)
    refuse("the matrix has " + std::to_string(shape[1]) + " columns",
           "must have " + std::to_string(columns) + ", as many as the whole array has elements",
           "columns are global: a column is the row-major number of an element in the whole array");
}

void check(const Csr& csr, Index rows, const Columns& known) {
  if (csr.count < 0 || csr.count > most)
    refuse("there are " + std::to_string(csr.count) + " values", "must be at most " + std::to_string(most),
           "use more processes");
  if (csr.count > 0 && csr.data == nullptr)
    refuse("the values are at a null address", "must be in memory", "give an array");
  check_integers(csr.columns, "the columns");
  check_integers(csr.row_starts, "the row starts");
  if (csr.columns.count != csr.count)
    refuse("there are " + std::to_string(csr.columns.count) + " columns",
           "must be " + std::to_string(csr.count) + ", as many as there are values",
           "give indices and data of the same length");
  if (csr.shape) check_shape(*csr.shape, rows, known.count());
  check_row_starts(csr, rows);
  for (Index row = 0; row < rows; ++row)
    for (Index k = csr.row_starts[row]; k < csr.row_starts[row + 1]; ++k) {
      if (const Index column = csr.columns[k]; !known.exists(column))
        refuse("local row " + std::to_string(row) + " has column " + std::to_string(column),
               "must be the number of an element that some process has, at least " + std::to_string(known.base()) +
                   " and less than " + std::to_string(known.base() + known.count()),
               "columns are global: a column is the row-major number of an element in the whole array");
      if (!std::isfinite(csr.data[k]))
        refuse("local row " + std::to_string(row) + " has the value " + std::to_string(csr.data[k]), "must be finite",
               "give it a finite value");
    }
}

// The rows, of which this process knows whether the columns of its part are elements. **Collective**, if lists are in a
// directory.
Distribution knowing_columns(const ArrayMap& rows, const Csr& csr) {
  if (is_compact(rows)) return rows.rows();  // each number is an element
  std::vector<Index> ranks;
  for (Index process = 0; rows.is_reordered() && process < rows.rows().processes(); ++process)
    ranks.push_back(rows.rank(process));
  const Index base = rows.options().index_base;
  const auto columns = [&](const std::function<void(Index)>& visit) {
    check_integers(csr.columns, "the columns");
    for (Index k = 0; k < csr.columns.count; ++k)
      if (csr.columns[k] >= base) visit(csr.columns[k] - base);
  };
  const redistribute::PlacedDistribution placed(rows.rows(), std::move(ranks));
  return redistribute::learned_of_numbers(placed, Order::row_major, columns, rows.communicator().raw()).distribution();
}

// A collective call that takes a process's part of a matrix: `step` does its local work, given all elements.
template <class Step>
class MatrixCall {
 public:
  MatrixCall(const ArrayMap& rows, const Csr& csr, const char* name, Step step)
      : call_(rows.communicator().raw(), name, mpi::Library::trilinos, [&](mpi::Record& record) {
          record.add(mpi::said_of_directory(rows.rows()));
          if (!mpi::has_directory(rows.rows())) step(Columns(rows, rows.rows()));
        }) {
    mpi::need_same_directory(call_, 0);
    if (!mpi::has_directory(rows.rows())) return;
    call_.run([&] {
      const Columns columns(rows, knowing_columns(rows, csr));
      mpi::collectively(call_.comm(), [&] { step(columns); });
    });
  }
  template <class Body>
  decltype(auto) run(Body&& body) const {
    return call_.run(std::forward<Body>(body));
  }

 private:
  mpi::Call call_;
};

/// The row of the caller's arrays for each local index of the map.
class RowPlaces {
 public:
  RowPlaces(const ArrayMap& rows, const Csr& csr) {
    if (csr.order) places_ = places_in(rows, *csr.order);
  }
  Index operator[](Index local) const { return places_.empty() ? local : places_[static_cast<std::size_t>(local)]; }

 private:
  std::vector<Index> places_;
};

/// A row with each column once: the fillComplete of Trilinos 13.2 fails if a row is shorter than the length that was
/// given before.
struct RowEntries {
  std::vector<Index> columns;
  std::vector<double> values;

  void read(const Csr& csr, Index row) {
    order_.clear();
    for (Index k = csr.row_starts[row]; k < csr.row_starts[row + 1]; ++k) order_.emplace_back(csr.columns[k], k);
    std::sort(order_.begin(), order_.end());
    columns.clear();
    values.clear();
    for (const auto& [column, k] : order_) {
      if (columns.empty() || columns.back() != column) {
        columns.push_back(column);
        values.push_back(0);
      }
      values.back() += csr.data[k];
    }
  }

 private:
  std::vector<std::pair<Index, Index>> order_;  // column and place
};

/// The new values of a matrix, in the order of its own; throws Error if a row has other columns.
class NewValues {
 public:
  NewValues(const CrsMatrix& matrix, const Csr& csr, const RowPlaces& places, const Columns& known)
      : known_(known),
        columns_(*matrix.getColMap()),
        local_(matrix.getLocalMatrixHost()),
        values_(local_.values.extent(0)) {
    RowEntries entries;
    for (Index row = 0; row + 1 < static_cast<Index>(local_.graph.row_map.extent(0)); ++row) {
      entries.read(csr, places[row]);
      place(entries, row, places[row]);
    }
  }

  Index copy() const {
    std::copy(values_.begin(), values_.end(), local_.values.data());
    return static_cast<Index>(values_.size() * sizeof(double));
  }

 private:
  void place(const RowEntries& entries, Index row, Index given_row) {
    const auto begin = local_.graph.row_map(static_cast<std::size_t>(row));
    const auto end = local_.graph.row_map(static_cast<std::size_t>(row) + 1);
    by_position_.clear();
    for (std::size_t k = 0; k < entries.columns.size(); ++k) {
      const int position = columns_.getLocalElement(known_.id(entries.columns[k]));
      const auto* const first = local_.graph.entries.data();
      if (position < 0 || !std::binary_search(first + begin, first + end, position))
        refuse_column(given_row, "a new", "column " + std::to_string(entries.columns[k]));
      by_position_.emplace_back(position, entries.values[k]);
    }
    std::sort(by_position_.begin(), by_position_.end());
    for (auto k = begin; k < end; ++k) {
      const std::size_t i = k - begin;
      if (i == by_position_.size() || by_position_[i].first != local_.graph.entries(k))
        refuse_column(given_row, "no", known_.described(columns_.getGlobalElement(local_.graph.entries(k))));
      values_[k] = by_position_[i].second;
    }
  }

  [[noreturn]] static void refuse_column(Index row, const char* what, const std::string& column) {
    refuse("local row " + std::to_string(row) + " has " + what + " entry in " + column,
           "must have the same columns as before", "make the matrix again, with the new pattern");
  }

  const Columns& known_;
  const Map& columns_;
  CrsMatrix::local_matrix_host_type local_;
  std::vector<double> values_;
  std::vector<std::pair<int, double>> by_position_;
};

}  // namespace

std::vector<Index> places_in(const ArrayMap& rows, Order order) {
  const MemoryOrder& memory = rows.order();
  const std::vector<Range> box = rows.rows().part(rows.process(), Part::interior);
  const std::size_t ndim = box.size();
  Indices weights(ndim, 1);
  for (std::size_t k = 1; k < ndim; ++k) {  // from the axis that varies fastest
    const bool rising = order == Order::column_major;
    const std::size_t axis = rising ? k : ndim - 1 - k, inside = rising ? k - 1 : ndim - k;
    weights[axis] = weights[inside] * box[inside].size();
  }
  std::vector<Index> places{0};
  for (std::size_t k = ndim; k-- > 0;) {
    const auto axis = static_cast<std::size_t>(memory.axes[k]);
    const Index extent = box[axis].size();
    std::vector<Index> further;
    further.reserve(places.size() * static_cast<std::size_t>(extent));
    for (Index i = 0; i < extent; ++i) {
      const Index local = memory.reversed[axis] ? extent - 1 - i : i;
      for (const Index place : places) further.push_back(place + local * weights[axis]);
    }
    places = std::move(further);
  }
  if (std::is_sorted(places.begin(), places.end())) places.clear();  // they are 0, 1, 2, ...
  return places;
}

Teuchos::RCP<CrsMatrix> make_matrix(const ArrayMap& rows, const Csr& csr) {
  const mpi::Region region("tridap::solvers::make_matrix");
  for (Index i = 0; i < rows.rows().ndim(); ++i)
    if (rows.rows().axis(i).shares_indices())
      refuse("an index is on several processes, so that a matrix would have its row twice", "",
             "distribute the rows so that each is on one process", i);
  const auto& map = rows.map();
  const auto count = static_cast<Index>(tridap::tpetra::compat::local_count(*map));
  Teuchos::RCP<CrsMatrix> matrix;
  const MatrixCall call(rows, csr, "make_matrix", [&](const Columns& known) {
    check(csr, count, known);
    const RowPlaces places(rows, csr);
    Teuchos::Array<std::size_t> lengths(static_cast<Teuchos::Ordinal>(count));
    RowEntries entries;
    for (Index row = 0; row < count; ++row) {
      entries.read(csr, places[row]);
      lengths[static_cast<Teuchos::Ordinal>(row)] = entries.columns.size();
    }
    matrix = Teuchos::rcp(new CrsMatrix(map, lengths()));
    std::vector<GlobalOrdinal> ids;
    for (Index row = 0; row < count; ++row) {
      entries.read(csr, places[row]);
      ids.clear();
      for (const Index column : entries.columns) ids.push_back(known.id(column));
      if (!ids.empty())
        matrix->insertGlobalValues(map->getGlobalElement(static_cast<int>(row)), static_cast<int>(ids.size()),
                                   entries.values.data(), ids.data());
    }
  });
  return call.run([&] {
    matrix->fillComplete(map, map);
    return matrix;
  });
}

Receipt update_values(const ArrayMap& rows, CrsMatrix& matrix, const Csr& csr) {
  const mpi::Region region("tridap::solvers::update_values");
  std::optional<Columns> known;
  std::optional<NewValues> values;
  const MatrixCall call(rows, csr, "solvers::update_values", [&](const Columns& columns) {
    check(csr, static_cast<Index>(tridap::tpetra::compat::local_count(*rows.map())), columns);
    known.emplace(columns);
    values.emplace(matrix, csr, RowPlaces(rows, csr), *known);
  });
  return call.run([&] {
    Receipt receipt;
    receipt.shared = receipt.same_address = false;
    receipt.bytes_copied = values->copy();
    return receipt;
  });
}

}  // namespace tridap::solvers
