#include <tridap/compare.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/padding.hpp>
#include <tridap/solvers/vectors.hpp>
#include <tridap/tpetra/import.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace tridap::solvers {

namespace {

using tridap::tpetra::ArrayMap;
using tridap::tpetra::detail::ImportRequest;
using Form = ImportRequest::Form;

/// A property in which an array differs from the rows of a matrix.
struct Difference {
  Index axis = 0;  // of the array
  std::string given, expected;
};

/// The first difference between the rows and the axes of an array, of which axis `left_out` is that of the vectors.
std::optional<Difference> difference(const Distribution& array, const ArrayMap& rows, std::optional<Index> left_out) {
  const Indices coordinates = rows.rows().coordinates(rows.process());
  Index axis = 0;
  for (Index row_axis = 0; row_axis < rows.rows().ndim(); ++row_axis, ++axis) {
    if (left_out && axis == *left_out) ++axis;
    const Axis given = interior_of(array.axis(axis)), expected = interior_of(rows.rows().axis(row_axis));
    const Index c = coordinates[static_cast<std::size_t>(row_axis)];
    if (const auto found =
            first_difference(given.dimension(std::min(c, given.proc_grid_size() - 1)), expected.dimension(c)))
      return Difference{axis, found->given_text(), found->expected_text()};
  }
  return std::nullopt;
}

[[noreturn]] void refuse_difference(const SolverArray& array, const ArrayMap& rows, const Difference& found) {
  const std::string& name = array.name;
  const bool is_misplaced = array.distribution.shape() == rows.rows().shape() &&
                            interior_of(array.distribution).shape() == interior_of(rows.rows()).shape();
  refuse(name + " has " + found.given + ", the rows of A have " + found.expected, "",
         is_misplaced ? "move it to the distribution of the rows (in Python " + name + " = " + name +
                            ".redistribute(A.distribution))"
                      : "give an array with the distribution of the rows: " + name +
                            " = tridap.zeros(A.distribution, comm=A.comm) makes one",
         found.axis);
}

std::string axes(Index count) { return std::to_string(count) + (count == 1 ? " axis" : " axes"); }

/// The elements of the array in the order of the map; the last axis is that of the vectors.
Buffer in_columns(const Buffer& interior, const ArrayMap& rows, std::optional<Index> vectors) {
  Buffer columns = interior;
  const auto move_last = [&](auto& list) {
    const auto from = list.begin() + *vectors;
    std::rotate(from, from + 1, list.end());
  };
  if (vectors) {
    move_last(columns.shape);
    move_last(columns.strides);
  } else {
    columns.shape.push_back(1);
    columns.strides.push_back(columns.type.bytes);
  }
  MemoryOrder order = rows.order();
  order.axes.push_back(columns.ndim() - 1);
  order.reversed.push_back(false);
  return in_order(columns, order);
}

/// What a copy of the elements costs, for a remedy.
std::string copied(const SolverArray& given, const Buffer& columns) {
  const Index bytes = element_count(columns) * columns.type.bytes;
  if (!given.writable) return std::to_string(bytes) + " bytes on this process";
  return std::to_string(2 * bytes) + " bytes on this process, the initial guess and the solution";
}

/// Throws Error that names the padding, if it is why the elements cannot be shared.
void refuse_padding(const SolverArray& given, const std::vector<Range>& interior, const Buffer& columns) {
  Buffer column = columns;
  column.shape.back() = std::min<Index>(column.shape.back(), 1);
  if (element_count(column) == 0 || is_row_major(column)) return;
  for (std::size_t axis = 0; axis < interior.size(); ++axis) {
    const Index extent = given.array.buffer.shape[axis];
    if (interior[axis].begin == 0 && interior[axis].end == extent) continue;
    const auto& block = std::get<Block>(given.array.dim_data[axis].dist);
    const std::array<Index, 2> padding = block.padding.value_or(std::array<Index, 2>{0, 0});
    refuse("copy=never, but " + given.name + " has padding (" + std::to_string(padding[0]) + ", " +
               std::to_string(padding[1]) + "), and its other elements are not one piece of memory",
           "", "pass copy=if_needed, which copies " + copied(given, columns) + ", or an array without padding",
           static_cast<Index>(axis));
  }
}

/// Throws Error that names the vectors, if each is in pieces.
void refuse_pieces(const SolverArray& given, const Buffer& columns) {
  Buffer column = columns;
  if (column.shape.back() < 2) return;
  column.shape.back() = 1;
  if (element_count(column) > 0 && !is_row_major(column))
    refuse("copy=never, but " + given.name + " has " + std::to_string(columns.shape.back()) +
               " vectors whose elements are not one piece of memory each",
           "", "pass copy=if_needed, or an array in column-major memory (order='F')");
}

/// Throws Error if the elements are one piece of memory, in another order than the rows.
void refuse_order(const SolverArray& given, const Buffer& columns) {
  Buffer column = columns;
  column.shape.back() = std::min<Index>(column.shape.back(), 1);
  if (element_count(column) > 0 && !is_row_major(column) && memory_order(column).is_contiguous)
    refuse("copy=never, but the buffer's memory order is not that of the map of the rows of A", "",
           "pass copy=if_needed, or make A in the memory order of " + given.name + ": tridap.Matrix(rows, " +
               given.name + ")");
}

}  // namespace

std::optional<Index> vectors_axis(const SolverArray& array, const ArrayMap& rows) {
  const Index given = array.distribution.ndim(), expected = rows.rows().ndim();
  if (given == expected) {
    if (const auto found = difference(array.distribution, rows, {})) refuse_difference(array, rows, *found);
    return std::nullopt;
  }
  std::optional<Difference> first;
  if (given == expected + 1)
    for (Index axis = given - 1; axis >= 0; --axis) {
      if (array.distribution.axis(axis).proc_grid_size() != 1) continue;
      const auto found = difference(array.distribution, rows, axis);
      if (!found) return axis;
      if (!first) first = found;
    }
  if (first) refuse_difference(array, rows, *first);
  refuse(
      array.name + " has " + axes(given) + ", the rows of A have " + axes(expected), "",
      "give an array with the distribution of the rows; for several right-hand sides, it has one axis more, which is "
      "not distributed");
}

bool have_same_rows(const ArrayMap& a, const ArrayMap& b) {
  if (!a.map()->locallySameAs(*b.map())) return false;
  if (a.has_flat_ids() && b.has_flat_ids()) return true;
  if (a.rows().ndim() != b.rows().ndim() || difference(a.rows(), b, {})) return false;
  const std::vector<Range> box = a.rows().part(a.process(), Part::interior);
  const auto order_of = [&](const ArrayMap& map) {  // an axis of one element has no order
    std::vector<std::pair<Index, bool>> order;
    for (const Index axis : map.order().axes)
      if (const auto i = static_cast<std::size_t>(axis); box[i].size() > 1)
        order.emplace_back(axis, map.order().reversed[i]);
    return order;
  };
  return order_of(a) == order_of(b);
}

struct LocalVectors::Half {
  double begin = tridap::tpetra::detail::now();
  const ArrayMap& rows;
  Buffer columns = {};
  tridap::tpetra::detail::Dense dense = {};
  tridap::tpetra::detail::DualView<double> view = {};
};

LocalVectors::LocalVectors(const SolverArray& given, const ArrayMap& rows, Copy copy, CopyMemory* memory)
    : half_(new Half{tridap::tpetra::detail::now(), rows}) {
  using namespace tridap::tpetra::detail;
  const std::optional<Index> vectors = vectors_axis(given, rows);
  const Form form = vectors ? Form::multivector : Form::vector;
  ImportRequest wanted = given.writable ? tridap::tpetra::detail::wanted<double>(form, {copy, given.stream})
                                        : tridap::tpetra::detail::wanted<const double>(form, {copy, given.stream});
  wanted.argument = given.name.c_str();
  if (memory != nullptr)
    wanted.copy_memory = [memory](ElementType type, const IndexList& shape) { return memory->take(type, shape); };
  check_memory(given.array.buffer, wanted);
  const std::vector<Range> box = given.distribution.part(rows.process(), Part::interior);
  const Buffer interior = sub_buffer(given.array.buffer, box);
  Buffer& columns = half_->columns = in_columns(interior, rows, vectors);
  if (copy == Copy::never) {
    refuse_padding(given, box, columns);
    refuse_pieces(given, columns);
    refuse_order(given, columns);
  }
  Buffer one = interior;  // of one vector
  if (vectors) one.shape[static_cast<std::size_t>(*vectors)] = std::min<Index>(columns.shape.back(), 1);
  half_->dense = dense(given.array.buffer.data, one, columns, wanted);
  half_->view = dual_view<DualView<double>>(half_->dense.buffer);
}

Vectors LocalVectors::join() {
  const std::shared_ptr<Half> half = std::move(half_);
  Vectors made;
  made.vectors = Teuchos::rcp(new MultiVector(half->rows.map(), half->view));
  made.receipt = std::move(half->dense.receipt);
  made.elements = std::move(half->columns);
  made.receipt.seconds = tridap::tpetra::detail::now() - half->begin;
  return made;
}

Vectors import_vectors(const SolverArray& array, const ArrayMap& rows, Copy copy, CopyMemory* memory) {
  std::optional<LocalVectors> local;
  const mpi::Call call(rows.communicator().raw(), "import_vectors", mpi::Library::trilinos,
                       [&](mpi::Record&) { local.emplace(array, rows, copy, memory); });
  return call.run([&] { return local->join(); });
}

void Vectors::write_back() const {
  if (receipt.shared) return;
  const auto values = vectors->getLocalViewHost(Tpetra::Access::ReadOnly);
  Buffer column = elements;
  column.shape.pop_back();
  column.strides.pop_back();
  if (element_count(column) == 0) return;
  Buffer value = column;
  value.memory = {};
  value.strides = row_major_strides(column.shape, column.type.bytes);
  for (std::size_t j = 0; j < values.extent(1); ++j) {
    column.data = static_cast<std::byte*>(elements.data) + static_cast<Index>(j) * elements.strides.back();
    value.data = const_cast<double*>(&values(0, j));
    tridap::tpetra::detail::copy_elements(value, column);
  }
}

}  // namespace tridap::solvers
