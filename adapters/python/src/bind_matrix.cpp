#include "comm.hpp"
#include "matrix_rows.hpp"
#include "own_numbers.hpp"
#include "solvable.hpp"
#include "together.hpp"
#include "value.hpp"
#include <tridap/tpetra/compat.hpp>
#include <tridap/tpetra/matrix.hpp>

#include <Tpetra_RowMatrixTransposer.hpp>
#include <pybind11/stl.h>

#include <array>
#include <optional>

namespace tridap::python {

namespace {

using namespace py::literals;
using solvers::Csr;
using solvers::Integers;

Integers integers_of(const py::array& array, const char* name) {
  const py::dtype type = array.dtype();
  if (type.kind() != 'i' || (type.itemsize() != 4 && type.itemsize() != 8) || array.ndim() != 1 ||
      (array.flags() & py::array::c_style) == 0 || type.byteorder() == '>')
    throw Error(Finding{Rule::conversion,
                        {},
                        {},
                        name,
                        text_of(type),
                        "must be a contiguous one-dimensional array of int32 or int64",
                        ""});
  return {array.data(), static_cast<int>(type.itemsize()), array.size()};
}

const double* doubles_of(const py::array& array, const char* name) {
  if (!py::isinstance<py::array_t<double>>(array) || array.ndim() != 1 || (array.flags() & py::array::c_style) == 0)
    throw Error(Finding{Rule::conversion,
                        {},
                        {},
                        name,
                        text_of(array.dtype()),
                        "must be a contiguous one-dimensional array of float64",
                        ""});
  return static_cast<const double*>(array.data());
}

std::optional<std::array<Index, 2>> shape_of(const py::object& shape) {
  if (shape.is_none()) return std::nullopt;
  const Value value = to_value(shape);
  const auto* numbers = value.as<Value::Integers>();
  if (numbers == nullptr || numbers->size() != 2)
    refuse_key("shape", value.text(), "must be two integers: this process's rows, and all columns", "");
  return std::array<Index, 2>{(*numbers)[0], (*numbers)[1]};
}

// The order of the rows by local index that a user names; nothing for "K".
std::optional<Order> order_named(const py::object& order) {
  const bool is_text = py::isinstance<py::str>(order);
  const std::string name = is_text ? text_of(order) : "";
  if (name == "K") return std::nullopt;
  if (name != "C" && name != "F")
    refuse_key("order", text_of(py::repr(order)), "must be 'C', 'F' or 'K'",
               "pass order='C' if the rows are in the order of numpy.ravel");
  return name == "C" ? Order::row_major : Order::column_major;
}

std::string order_text(const std::optional<Order>& order) {
  return !order ? "order='K'" : *order == Order::row_major ? "order='C'" : "order='F'";
}

// The CSR arrays of this process as C++ reads them; throws Error. Local.
Csr csr_of(const py::object& data, const py::object& columns, const py::object& row_starts, const py::object& shape) {
  raise_if_raised(data);
  return {doubles_of(data, "data"), py::cast<py::array>(data).size(), integers_of(columns, "indices"),
          integers_of(row_starts, "indptr"), shape_of(shape)};
}

// `given` with the numbers of the array's Distribution; `columns` holds them if they differ.
Csr with_numbers(const OwnNumbers& own, const Csr& given, std::vector<Index>& columns) {
  return own.are_the_same() ? given : own.renumbered(given, columns);
}

// Throws Error if the rows of another library would be in another order than that of the matrix. Local.
void need_memory_order(const tpetra::ArrayMap& rows, const std::optional<Order>& order) {
  if (order && !solvers::places_in(rows, *order).empty())
    refuse("the rows of a PETSc Mat are asked for with " + order_text(order) +
               ", and the memory of the array has its elements in another order",
           "must be in the order of the memory, as PETSc numbers them", "pass order='K' to tridap.Matrix");
}

Index entries_of(const solvers::CrsMatrix& matrix) {  // on this process
  using Row = solvers::CrsMatrix::local_ordinal_type;
  Index count = 0;
  const auto rows = static_cast<Row>(tpetra::compat::local_count(*matrix.getRowMap()));
  for (Row row = 0; row < rows; ++row) count += static_cast<Index>(matrix.getNumEntriesInLocalRow(row));
  return count;
}

std::shared_ptr<Solvable> solvable(const tpetra::ArrayMap& array_map, const Teuchos::RCP<solvers::CrsMatrix>& matrix,
                                   OwnNumbers own, Receipt receipt, const std::optional<Order>& order) {
  auto made = std::make_shared<Solvable>(array_map, matrix, matrix);
  made->own_numbers = std::move(own);
  made->order = order;
  made->receipt = std::move(receipt);
  return made;
}

Matrix make(const Array& rows, const py::object& data, const py::object& columns, const py::object& row_starts,
            const py::object& comm, const py::object& shape, const py::object& order) {
  const MPI_Comm handle = comm_of(comm);
  std::string asked;
  std::optional<OwnNumbers> own;
  std::vector<Index> kept;
  const Csr csr = together(
      handle,
      [&] {
        Csr given = csr_of(data, columns, row_starts, shape);
        given.order = order_named(order);
        asked = order_text(given.order);
        own.emplace(rows, FlatNumbers(*rows.distribution()));
        return with_numbers(*own, given, kept);
      },
      &asked);
  need_kokkos();
  return {inside_on_all(handle,
                        [&] {
                          const tpetra::ArrayMap array_map(rows.array(), *rows.distribution(), handle,
                                                           numbering_of(rows));
                          const auto matrix = solvers::make_matrix(array_map, csr);
                          Receipt receipt;
                          receipt.shared = receipt.same_address = false;
                          receipt.bytes_copied = csr.count * static_cast<Index>(sizeof(double));
                          return solvable(array_map, matrix, std::move(*own), std::move(receipt), csr.order);
                        }),
          comm};
}

// Of the rows of another library, whose i-th row on a process is that of the i-th element in memory order.
Matrix make_of_rows(const Array& rows, const MatrixRows& given, const py::object& comm, const py::object& order) {
  const MPI_Comm handle = comm_of(comm);
  std::string asked;
  const std::optional<Order> wanted = together(
      handle,
      [&] {
        const std::optional<Order> named = order_named(order);
        asked = order_text(named);
        return named;
      },
      &asked);
  need_kokkos();
  return {inside_on_all(handle,
                        [&] {
                          const tpetra::ArrayMap array_map(rows.array(), *rows.distribution(), handle,
                                                           numbering_of(rows));
                          OwnNumbers own = mpi::collectively(handle, [&] {
                            need_memory_order(array_map, wanted);
                            return OwnNumbers(rows, array_map.flat_numbers());
                          });
                          auto made = tpetra::import_matrix(given.rows, array_map.map(), array_map.map());
                          made.receipt.losses = given.receipt.losses;
                          return solvable(array_map, made.matrix, std::move(own), std::move(made.receipt), wanted);
                        }),
          comm};
}

// The transpose, on the same elements. Each value is copied once, and some are sent to other processes. **Collective.**
Matrix transpose_of(const Matrix& a) {
  const std::shared_ptr<Solvable> of = a.usable();
  return {inside(of->array_map.comm(),
                 [&] {
                   const auto matrix = Tpetra::RowMatrixTransposer<double>(of->matrix).createTranspose();
                   Receipt receipt;
                   receipt.shared = receipt.same_address = false;
                   receipt.bytes_copied = static_cast<Index>(sizeof(double)) * entries_of(*of->matrix);
                   return solvable(of->array_map, matrix, *of->own_numbers, std::move(receipt), of->order);
                 }),
          a.comm()};
}

// New values make the preconditioner and the factors of the old ones useless.
template <class Copy>
Receipt updated(const Matrix& a, const Copy& copy) {
  const std::shared_ptr<Solvable> of = a.usable();
  return inside_on_all(of->array_map.comm(), [&] {
    const Receipt receipt = copy(*of);
    *of->prepared = {};
    return receipt;
  });
}

Receipt update_with_csr(const Matrix& a, const py::object& data, const py::object& columns,
                        const py::object& row_starts, const py::object& shape) {
  const std::string asked = "rows in CSR form";
  std::vector<Index> kept;
  const Csr csr = together(
      a.usable()->array_map.comm(),
      [&] {
        Csr given = csr_of(data, columns, row_starts, shape);
        given.order = a.solvable()->order;
        return with_numbers(*a.solvable()->own_numbers, given, kept);
      },
      &asked);
  return updated(a, [&](const Solvable& of) { return solvers::update_values(of.array_map, *of.matrix, csr); });
}

Receipt update_with_rows(const Matrix& a, const MatrixRows& given) {
  return updated(a, [&](const Solvable& of) {
    if (of.order) mpi::collectively(of.array_map.comm(), [&] { need_memory_order(of.array_map, of.order); });
    return tpetra::update_values(of.matrix, given.rows);
  });
}

// The rows of a matrix for another library. The thread inside of Trilinos releases them. **Collective.**
MatrixRows rows_of(const Matrix& a) {
  const std::shared_ptr<Solvable> of = a.usable();
  const Native native(of->array_map.comm());
  tpetra::ExportedMatrix exported = tpetra::export_matrix(Teuchos::RCP<const solvers::CrsMatrix>(of->matrix));
  exported.rows.owner = std::shared_ptr<void>(
      nullptr, [kept = std::move(exported.rows.owner)](void*) mutable { release_inside(std::move(kept)); });
  return MatrixRows{std::move(exported.rows), std::move(exported.receipt)};
}

}  // namespace

void bind_matrix(py::module_& module, py::class_<Matrix>& matrix) {
  py::class_<MatrixRows>(module, "_SparseRows", py::custom_type_setup(forbid_new))
      .def_property_readonly("receipt", [](const MatrixRows& rows) { return rows.receipt; })
      .def_property_readonly("row_bounds", [](const MatrixRows& rows) { return tuple_of(rows.rows.row_bounds); })
      .def_property_readonly("column_bounds", [](const MatrixRows& rows) { return tuple_of(rows.rows.column_bounds); });
  matrix.def(py::init(&make), "rows"_a, "data"_a, "indices"_a, "indptr"_a, "comm"_a, "shape"_a, "order"_a);
  matrix.def(py::init([](const Array& rows, const py::object& given, const py::object& comm, const py::object& order) {
               return make_of_rows(rows, value_in<MatrixRows>(given), comm, order);
             }),
             "rows"_a, "given"_a, "comm"_a, "order"_a);
  matrix.def(py::init([](const py::object& of) { return transpose_of(made<Matrix>(of)); }), "transpose_of"_a);
  matrix.def_property_readonly("_count",
                               [](const py::object& a) { return made<Matrix>(a).solvable()->own_numbers->count(); });
  matrix.def("_update_csr", [](const py::object& a, const py::object& data, const py::object& columns,
                               const py::object& row_starts, const py::object& shape) {
    return update_with_csr(made<Matrix>(a), data, columns, row_starts, shape);
  });
  matrix.def("_update_rows", [](const py::object& a, const py::object& given) {
    return update_with_rows(made<Matrix>(a), value_in<MatrixRows>(given));
  });
  matrix.def_property_readonly(
      "receipt", [](const py::object& a) { return made<Matrix>(a).solvable()->receipt; },
      "The Receipt of making it on this process: its values were copied once.");
  matrix.def("_rows", [](const py::object& a) { return rows_of(made<Matrix>(a)); });
}

}  // namespace tridap::python
