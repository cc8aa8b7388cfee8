#include "mat_case.hpp"

using namespace sparse_test;
using tridap::DistArray;
using tridap::LinearOperator;

namespace {

// Multiplies by a case, entry by entry; every process knows the whole x.
LinearOperator operator_of(const Case& of) {
  LinearOperator op;
  op.row_bounds = of.rows;
  op.column_bounds = of.columns;
  op.process = rank();
  op.type = tridap::element_type<double>();
  op.apply = [of](const DistArray& x, const DistArray& y) {
    const auto* from = static_cast<const double*>(x.buffer.data);
    auto* to = static_cast<double*>(y.buffer.data);
    std::vector<double> whole(static_cast<std::size_t>(of.columns.back()));
    std::copy(from, from + x.buffer.shape[0], whole.begin() + of.column_begin());
    MPI_Allreduce(MPI_IN_PLACE, whole.data(), static_cast<int>(whole.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    std::fill(to, to + y.buffer.shape[0], 0.0);
    for (const auto& [at, value] : own_entries(of))
      to[at.first - of.row_begin()] += value * whole[static_cast<std::size_t>(at.second)];
  };
  return op;
}

}  // namespace

TEST(MatOperator, AMatOfAnyTypeMultiplies) {
  Random random(41);
  for (int i = 0; i < effort::of(100, 30); ++i) {
    const Case of = random_case(random, i % 2 == 0);
    for (const char* type : {MATAIJ, MATDENSE}) {
      Mat mat = make_mat(of, type);
      const LinearOperator op = petsc::export_operator(mat);
      EXPECT_EQ(op.row_bounds, of.rows);
      EXPECT_EQ(op.column_bounds, of.columns);
      MatDestroy(&mat);  // the operator keeps it
      expect_product(op, of);
      expect_product(op, of);
    }
    petsc::collect();
    EXPECT_EQ(petsc::held().exports, 0);
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(MatOperator, AnOperatorIsAShellMat) {
  Random random(42);
  for (int i = 0; i < effort::of(100, 30); ++i) {
    const Case of = random_case(random, i % 2 == 0);
    petsc::ImportedMat made = petsc::import_operator(operator_of(of), MPI_COMM_WORLD);
    expect_product(made.mat, of);
    EXPECT_EQ(made.receipt.bytes_copied, 0);
    const LinearOperator again = petsc::export_operator(made.mat);
    expect_product(again, of);
    MatDestroy(&made.mat);
    if (HasFailure()) FAIL() << "case " << i;
  }
  petsc::collect();
}

// MatMult returns an error on every process, whose text says which process threw what.
TEST(MatOperator, WhatOneProcessThrowsIsAnErrorOfMatMultOnAll) {
  Case of = square_case(2);
  for (int bad = 0; bad < processes(); ++bad) {
    LinearOperator op = operator_of(of);
    op.apply = [bad](const DistArray&, const DistArray&) {
      if (rank() == bad) throw std::runtime_error("no product here");
    };
    petsc::ImportedMat made = petsc::import_operator(op, MPI_COMM_WORLD);
    const LinearOperator through = petsc::export_operator(made.mat);
    std::vector<double> x(2), y(2);
    const std::string text = on::same_error_text([&] {
      through.apply(tridap::block_vector(op.column_bounds, rank(), op.type, x.data(), true),
                    tridap::block_vector(op.row_bounds, rank(), op.type, y.data(), false));
    });
    expect_says(text, "MatMult of PETSc failed");
    expect_says(text, "no product here");
    MatDestroy(&made.mat);
  }
  petsc::collect();
}

TEST(MatOperator, OneBadProcessFailsEveryProcess) {
  Case of = square_case(2);
  for (int bad = 0; bad < processes(); ++bad) {
    const auto refused = [&](const std::string& says, const auto& change) {
      LinearOperator op = operator_of(of);
      if (rank() == bad) change(op);
      on::expect_refused([&] { petsc::import_operator(op, MPI_COMM_WORLD); }, says);
    };
    refused("no function that computes its product", [](LinearOperator& op) { op.apply = nullptr; });
    refused("vectors of float32", [](LinearOperator& op) { op.type = tridap::element_type<float>(); });
    refused("bounds of the columns", [](LinearOperator& op) { op.column_bounds.push_back(99); });
  }
  Mat shell = nullptr;
  MatCreateShell(MPI_COMM_WORLD, 1, 1, PETSC_DETERMINE, PETSC_DETERMINE, nullptr, &shell);
  MatAssemblyBegin(shell, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(shell, MAT_FINAL_ASSEMBLY);
  MatDestroy(&shell);
  on::expect_refused([&] { petsc::import_operator({}, MPI_COMM_NULL); }, "the communicator is MPI_COMM_NULL");
}

TEST(MatOperator, AProductGoesOnAfterOneThatFailed) {
  Case of = square_case(2);
  LinearOperator op = operator_of(of);
  bool fails = true;
  op.apply = [&fails](const DistArray& x, const DistArray& y) {
    if (fails) throw std::runtime_error("no product yet");
    for (Index i = 0; i < 2; ++i) static_cast<double*>(y.buffer.data)[i] = 3 * static_cast<double*>(x.buffer.data)[i];
  };
  petsc::ImportedMat made = petsc::import_operator(op, MPI_COMM_WORLD);
  const LinearOperator through = petsc::export_operator(made.mat);
  std::vector<double> x{1, 2}, y(2);
  const auto apply = [&] {
    through.apply(tridap::block_vector(op.column_bounds, rank(), op.type, x.data(), true),
                  tridap::block_vector(op.row_bounds, rank(), op.type, y.data(), false));
  };
  on::expect_refused(apply, "no product yet");
  fails = false;
  EXPECT_EQ(on::same_error_text(apply), "");
  EXPECT_EQ(y, (std::vector<double>{3, 6}));
  MatDestroy(&made.mat);
  petsc::collect();
}
