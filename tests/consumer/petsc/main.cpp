#include <tridap/petsc.hpp>

#include <algorithm>
#include <iostream>

int main(int argc, char** argv) {
  if (PetscInitialize(&argc, &argv, nullptr, nullptr) != 0) return 1;
  Vec x = nullptr;
  VecCreateMPI(PETSC_COMM_WORLD, 5, PETSC_DETERMINE, &x);
  {
    const tridap::petsc::ExportedArray array = tridap::petsc::export_array(x);
    std::fill_n(static_cast<PetscScalar*>(array.array.buffer.data), 5, 2.0);
    PetscInt last = 0;
    VecGetOwnershipRange(x, nullptr, &last);
    --last;
    PetscScalar value = 0;
    VecGetValues(x, 1, &last, &value);
    if (last == 4) std::cout << array.receipt.text() << ", " << PetscRealPart(value) << std::endl;
  }
  VecDestroy(&x);
  PetscFinalize();
}
