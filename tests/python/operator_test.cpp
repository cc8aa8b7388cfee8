#include "operator.hpp"

#include "tpetra/support.hpp"

#include <pybind11/embed.h>

#include <cstdint>

namespace {

namespace py = pybind11;
using namespace tpetra_test;
using tridap::python::PythonOperator;
using MultiVector = PythonOperator::MultiVector;

struct Interpreter {
  Interpreter() {
    static py::scoped_interpreter* const python = new py::scoped_interpreter;  // never ended: MPI ends first
    (void)python;
  }
};

// Python's side of each test: `matvec` keeps what it is given, and doubles.
struct Scope : Interpreter {
  py::dict names;
  Scope() {
    py::exec(R"(
kept = []
def matvec(x, y):
    kept.append((x, y))
    y[...] = 2 * x
)",
             names);
  }
  ~Scope() { names["kept"].attr("clear")(); }  // the function and its names hold each other
};

// Vectors over `memory`, which nobody keeps: as solvers lend vectors from a pool of their own.
MultiVector lent(const tridap::tpetra::ArrayMap& layout, std::vector<double>& memory, std::size_t vectors) {
  using Dual = MultiVector::dual_view_type;
  const std::size_t rows = tridap::tpetra::compat::local_count(*layout.map());
  memory.resize(rows * vectors);
  const Dual::t_dev view(memory.data(), rows, vectors);
  return MultiVector(layout.map(), Dual(view, Kokkos::create_mirror_view(view)));
}

tridap::tpetra::ArrayMap rows_of_three() {
  return {stamped(oracle::Array(
              {oracle::block(oracle::List(static_cast<std::size_t>(processes()), 2)), oracle::block({3})})),
          MPI_COMM_WORLD};
}

std::uintptr_t address_of(const py::handle& array) { return array.attr("ctypes").attr("data").cast<std::uintptr_t>(); }

TEST(PythonOperator, TakesVectorsThatDoNotOwnTheirMemory) {
  const Scope python;
  const tridap::tpetra::ArrayMap layout = rows_of_three();
  const PythonOperator op(layout, python.names["matvec"], std::make_shared<tridap::python::Raised>());
  std::vector<double> x_memory, y_memory;
  const MultiVector x = lent(layout, x_memory, 2);
  MultiVector y = lent(layout, y_memory, 2);
  for (std::size_t i = 0; i < x_memory.size(); ++i) x_memory[i] = static_cast<double>(i) + 0.5;
  op.apply(x, y, Teuchos::NO_TRANS, 1, 0);
  for (std::size_t i = 0; i < y_memory.size(); ++i) EXPECT_EQ(y_memory[i], 2 * x_memory[i]);
  op.apply(x, y, Teuchos::NO_TRANS, 3, -1);  // 3 (2 x) - 2 x
  for (std::size_t i = 0; i < y_memory.size(); ++i) EXPECT_EQ(y_memory[i], 4 * x_memory[i]);
}

TEST(PythonOperator, WhatPythonKeepsOfLentVectorsIsACopy) {
  const Scope python;
  const tridap::tpetra::ArrayMap layout = rows_of_three();
  const PythonOperator op(layout, python.names["matvec"], std::make_shared<tridap::python::Raised>());
  std::vector<double> x_memory, y_memory;
  const MultiVector x = lent(layout, x_memory, 1);
  MultiVector y = lent(layout, y_memory, 1);
  x_memory.assign(x_memory.size(), 3);
  op.apply(x, y, Teuchos::NO_TRANS, 1, 0);
  x_memory.assign(x_memory.size(), 4);
  y_memory.assign(y_memory.size(), 5);
  const py::tuple kept = py::list(python.names["kept"])[0];
  EXPECT_EQ(py::float_(kept[0].attr("sum")()).cast<double>(), 18);
  EXPECT_EQ(py::float_(kept[1].attr("sum")()).cast<double>(), 36);
}

TEST(PythonOperator, PassesVectorsThatOwnTheirMemoryInPlace) {
  const Scope python;
  const tridap::tpetra::ArrayMap layout = rows_of_three();
  const PythonOperator op(layout, python.names["matvec"], std::make_shared<tridap::python::Raised>());
  MultiVector x(layout.map(), 1), y(layout.map(), 1);
  x.putScalar(1);
  op.apply(x, y, Teuchos::NO_TRANS, 1, 0);
  const py::tuple kept = py::list(python.names["kept"])[0];
  const auto at = [](const auto& view) { return reinterpret_cast<std::uintptr_t>(view.data()); };
  EXPECT_EQ(address_of(kept[0]), at(x.getLocalViewHost(Tpetra::Access::ReadOnly)));
  EXPECT_EQ(address_of(kept[1]), at(y.getLocalViewHost(Tpetra::Access::ReadOnly)));
}

TEST(PythonOperator, AnEmptyShareIsCalledToo) {
  const Scope python;
  oracle::List counts(static_cast<std::size_t>(processes()), 2);
  counts.back() = 0;
  const tridap::tpetra::ArrayMap layout(stamped(oracle::Array({oracle::block(counts)})), MPI_COMM_WORLD);
  const PythonOperator op(layout, python.names["matvec"], std::make_shared<tridap::python::Raised>());
  std::vector<double> x_memory, y_memory;
  const MultiVector x = lent(layout, x_memory, 1);
  MultiVector y = lent(layout, y_memory, 1);
  op.apply(x, y, Teuchos::NO_TRANS, 1, 0);
  EXPECT_EQ(py::len(python.names["kept"]), 1U);
}

}  // namespace
