#include "crs_case.hpp"
#include "second_difference.hpp"
#include <tridap/tpetra/operator.hpp>

using namespace sparse_test;
using tridap::DistArray;
using tridap::LinearOperator;

TEST(CrsOperator, GoesThereAndBackOnAnyMaps) {
  Random random(71);
  for (int i = 0; i < effort::of(100, 30); ++i) {
    const Case of = random_case(random, i % 2 == 0);
    const Names rows = shuffled(of.rows.back(), random);
    const Names columns = i % 2 == 0 ? rows : shuffled(of.columns.back(), random);
    const auto row_map = named_map(of.rows, rows), domain = i % 2 == 0 ? row_map : named_map(of.columns, columns);
    Teuchos::RCP<const tpetra::Operator> matrix = make_matrix(of, row_map, domain, rows, columns);
    const LinearOperator op = tpetra::export_operator(matrix);
    matrix = Teuchos::null;  // the operator keeps it
    EXPECT_EQ(op.row_bounds, of.rows);
    EXPECT_EQ(op.column_bounds, of.columns);
    expect_product(op, of);
    expect_product(*tpetra::import_operator(op, row_map, domain), of);
    expect_product(*tpetra::import_operator(op, MPI_COMM_WORLD), of);
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(CrsOperator, ApplyScalesAndAddsSeveralVectors) {
  const Case of = second_difference();
  const Names names = counted(of.rows.back());
  const Teuchos::RCP<const tpetra::Operator> matrix =
      make_matrix(of, counted_map(of.rows), counted_map(of.rows), names, names);
  const auto op = tpetra::import_operator(tpetra::export_operator(matrix), MPI_COMM_WORLD);
  Tpetra::MultiVector<double> x(op->getDomainMap(), 3), y(op->getRangeMap(), 3), expected(op->getRangeMap(), 3);
  x.randomize();
  y.randomize();
  Tpetra::deep_copy(expected, y);
  op->apply(x, y, Teuchos::NO_TRANS, 2, -3);
  matrix->apply(x, expected, Teuchos::NO_TRANS, 2, -3);
  expected.update(-1, y, 1);
  Teuchos::Array<double> norms(3);
  expected.normInf(norms());
  for (const double norm : norms) EXPECT_LT(norm, 1e-9);
  EXPECT_THROW(op->apply(x, y, Teuchos::TRANS, 1, 0), std::invalid_argument);
}

TEST(CrsOperator, WhatOneProcessThrowsIsThrownOnAll) {
  for (int bad = 0; bad < processes(); ++bad) {
    LinearOperator op;
    for (int p = 0; p <= processes(); ++p) op.row_bounds.push_back(p);
    op.column_bounds = op.row_bounds;
    op.process = rank();
    op.type = tridap::element_type<double>();
    op.apply = [bad](const DistArray&, const DistArray&) {
      if (rank() == bad) throw std::runtime_error("no product here");
    };
    const auto made = tpetra::import_operator(op, MPI_COMM_WORLD);
    Vector x(made->getDomainMap()), y(made->getRangeMap());
    on::expect_refused([&] { made->apply(x, y); }, "no product here");
    if (rank() == bad) op.type = tridap::element_type<float>();
    on::expect_refused([&] { tpetra::import_operator(op, MPI_COMM_WORLD); }, "vectors of float32");
  }
}
