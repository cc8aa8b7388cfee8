#include "access.hpp"
#include "call.hpp"
#include "comms.hpp"
#include "lasting_memory.hpp"
#include "mat.hpp"
#include "source.hpp"
#include "vec.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/petsc/compat.hpp>
#include <tridap/petsc/matrix.hpp>

#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace tridap::petsc {

namespace {

// A Mat that multiplies, with Vecs for memory that is placed in them.
struct Product {
  Mat mat = nullptr;
  Vec x = nullptr, y = nullptr;
  std::shared_ptr<void> owners[3];

  void apply(const void* from, void* to) const {
    call("VecPlaceArray", [&] { return VecPlaceArray(x, static_cast<const PetscScalar*>(from)); });
    try {
      call("VecPlaceArray", [&] { return VecPlaceArray(y, static_cast<PetscScalar*>(to)); });
      call("MatMult", [&] { return MatMult(mat, x, y); });
    } catch (...) {
      VecResetArray(y);
      VecResetArray(x);
      throw;
    }
    call("VecResetArray", [&] { return VecResetArray(y); });
    call("VecResetArray", [&] { return VecResetArray(x); });
  }
};

// A Vec without memory of its own. PETSc communicates.
void make_vec(const Bounds& bounds, Index process, MPI_Comm comm, Vec& vec) {
  const auto p = static_cast<std::size_t>(process);
  const auto size = static_cast<PetscInt>(bounds[p + 1] - bounds[p]);
  call("VecCreateWithArray", [&] {
    if (bounds.size() == 2) return VecCreateSeqWithArray(comm, 1, size, nullptr, &vec);
    return VecCreateMPIWithArray(comm, 1, size, static_cast<PetscInt>(bounds.back()), nullptr, &vec);
  });
}

// Makes the Vecs of a product. Its owners then have the only references to them. **Collective.**
void make_vecs(const LinearOperator& op, Product& product, MPI_Comm comm) {
  mpi::Faults faults;
  faults.attempt([&] { make_vec(op.column_bounds, op.process, comm, product.x); });
  faults.attempt([&] { make_vec(op.row_bounds, op.process, comm, product.y); });
  try {
    mpi::throw_faults(std::move(faults), comm);
  } catch (...) {
    VecDestroy(&product.x);
    VecDestroy(&product.y);
    throw;
  }
  const Vec vecs[] = {product.x, product.y};
  for (std::size_t k = 0; k < 2; ++k) {
    product.owners[1 + k] = hold(reinterpret_cast<PetscObject>(vecs[k]));
    PetscObjectDereference(reinterpret_cast<PetscObject>(vecs[k]));
  }
}

void need_product(Mat mat) {
  const std::string type = need_mat(mat);
  PetscBool multiplies = PETSC_FALSE;
  call("MatHasOperation", [&] { return MatHasOperation(mat, MATOP_MULT, &multiplies); });
  if (multiplies != PETSC_TRUE)
    refuse("the Mat is of type " + type + ", and has no MatMult", "",
           "set it with MatShellSetOperation(mat, MATOP_MULT, ...), or give a Mat that multiplies");
}

PetscErrorCode multiply(Mat mat, Vec x, Vec y) {
  LinearOperator* op = nullptr;
  PetscCall(MatShellGetContext(mat, &op));
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArrayWrite(y, &to));
  mpi::Faults faults;
  faults.attempt([&] {
    const mpi::Callback user;
    op->apply(block_vector(op->column_bounds, op->process, scalar_type(), from, true),
              block_vector(op->row_bounds, op->process, scalar_type(), to, false));
  });
  PetscCall(VecRestoreArrayWrite(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(mat));
  try {
    mpi::throw_faults(std::move(faults), comm);
  } catch (const std::exception& error) {
    SETERRQ(comm, PETSC_ERR_LIB, "%s", error.what());
  }
  return 0;
}

void forget(void* op) { delete static_cast<LinearOperator*>(op); }

}  // namespace

LinearOperator export_operator(Mat mat) {
  inside_petsc([&] { need_mat(mat); });
  const MPI_Comm comm = users_comm(reinterpret_cast<PetscObject>(mat));
  LinearOperator op;
  std::shared_ptr<Product> product;
  const mpi::Call beginning(comm, "petsc::export_operator", mpi::Library::petsc, [&](mpi::Record&) {
    need_product(mat);
    op.row_bounds = row_bounds(mat);
    op.column_bounds = column_bounds(mat);
    op.process = mpi::rank_of(comm);
    op.type = scalar_type();
    product = std::make_shared<Product>();
    product->mat = mat;
    product->owners[0] = hold(reinterpret_cast<PetscObject>(mat));
    op.apply = [product](const DistArray& x, const DistArray& y) { product->apply(x.buffer.data, y.buffer.data); };
  });
  return beginning.run([&] {
    make_vecs(op, *product, comm);
    return op;
  });
}

ImportedMat import_operator(const LinearOperator& op, MPI_Comm comm) {
  need_communicator(comm);
  const double begin = MPI_Wtime();
  std::unique_ptr<LinearOperator> kept;
  const mpi::Call beginning(comm, "petsc::import_operator", mpi::Library::petsc, [&](mpi::Record&) {
    need_petsc();
    check(op, comm);
    need_petsc_int(op.row_bounds, op.column_bounds);
    need_scalars(op.type, "the operator is for vectors of ", "use a PETSc that was built for its type");
    kept = std::make_unique<LinearOperator>(op);
  });
  return beginning.run([&] {
    ImportedMat made;
    make_together(comm, made.mat, [&] {
      call("MatCreateShell", [&] {
        return MatCreateShell(comm, static_cast<PetscInt>(op.row_count()), static_cast<PetscInt>(op.column_count()),
                              static_cast<PetscInt>(op.row_bounds.back()),
                              static_cast<PetscInt>(op.column_bounds.back()), kept.get(), &made.mat);
      });
      call("MatShellSetContextDestroy", [&] { return MatShellSetContextDestroy(made.mat, compat::destroyer<forget>); });
      kept.release();
      call("MatShellSetOperation",
           [&] { return MatShellSetOperation(made.mat, MATOP_MULT, reinterpret_cast<void (*)(void)>(multiply)); });
    });
    keep_users_comm(reinterpret_cast<PetscObject>(made.mat), comm);
    made.receipt.seconds = MPI_Wtime() - begin;
    return made;
  });
}

}  // namespace tridap::petsc
