#pragma once

#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/petsc.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <petscdmda.h>
#include <petscdmshell.h>
#include <support/effort.hpp>
#include <support/expect_refused.hpp>
#include <support/oracle.hpp>
#include <support/parts.hpp>
#include <support/random.hpp>

#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace petsc_test {

using on::expect_says;
using on::Random;
using tridap::Index;
using tridap::Indices;
namespace petsc = tridap::petsc;

/// PETSc for the whole program.
class Environment : public testing::Environment {
 public:
  void SetUp() override {
    PetscOptionsSetValue(nullptr, "-no_signal_handler", "true");
    ASSERT_EQ(PetscInitializeNoArguments(), 0);
  }
  void TearDown() override {
    PetscBool there = PETSC_FALSE;
    PetscInitialized(&there);
    ASSERT_TRUE(there == PETSC_FALSE || PetscFinalize() == 0);
  }
};
inline testing::Environment* const environment = testing::AddGlobalTestEnvironment(new Environment);

/// For programs in which PETSc ends while they have an object: PetscFinalize then frees its communicator without the 8
/// bytes of its creation index. They are allocated here, and are no leak of ours.
class LeftObject : public testing::Environment {
 public:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    const __lsan::ScopedDisabler not_a_leak;
#endif
    MPI_Comm own = MPI_COMM_NULL;
    ASSERT_EQ(PetscCommDuplicate(PETSC_COMM_WORLD, &own, nullptr), 0);
  }
};

inline int rank() { return on::rank(MPI_COMM_WORLD); }
inline int processes() { return on::processes(MPI_COMM_WORLD); }

/// `total` as a sum of `count` numbers, each at least `least`.
inline std::vector<Index> split(Random& random, Index total, Index count, Index least) {
  std::vector<Index> parts(static_cast<std::size_t>(count), least);
  for (Index left = total - count * least; left > 0; --left)
    ++parts[static_cast<std::size_t>(random.between(0, count - 1))];
  return parts;
}

/// A Vec with so many elements on this process.
inline Vec make_vec(Index local, MPI_Comm comm = MPI_COMM_WORLD) {
  Vec vec = nullptr;
  EXPECT_EQ(VecCreateMPI(comm, static_cast<PetscInt>(local), PETSC_DETERMINE, &vec), 0);
  return vec;
}

/// Element k of this process has this value: a different one for each global number.
inline PetscScalar value_of(Index global) {
  const auto number = static_cast<PetscReal>(global);
#ifdef PETSC_USE_COMPLEX
  return {1000 + 3 * number, -number};
#else
  return 1000 + 3 * number;
#endif
}

/// Puts value_of(g) at each global number g, by PETSc.
inline void number_elements(Vec vec) {
  PetscInt begin = 0, end = 0;
  VecGetOwnershipRange(vec, &begin, &end);
  for (PetscInt g = begin; g < end; ++g) VecSetValue(vec, g, value_of(g), INSERT_VALUES);
  VecAssemblyBegin(vec);
  VecAssemblyEnd(vec);
}

/// An element of this process, as PETSc gives it.
inline PetscScalar value_in(Vec vec, Index global) {
  PetscScalar value = -1;
  const auto g = static_cast<PetscInt>(global);
  EXPECT_EQ(VecGetValues(vec, 1, &g, &value), 0);
  return value;
}

inline Index references(Vec vec) {
  PetscInt count = 0;
  PetscObjectGetReference(reinterpret_cast<PetscObject>(vec), &count);
  return count;
}

/// The element of an array at local indices.
inline PetscScalar& at(const tridap::DistArray& array, const Indices& local) {
  char* address = static_cast<char*>(array.buffer.data);
  for (std::size_t axis = 0; axis < local.size(); ++axis) address += local[axis] * array.buffer.strides[axis];
  return *reinterpret_cast<PetscScalar*>(address);
}

/// This process's part of an array of zeros.
inline tridap::DistArray part_of(const tridap::Distribution& distribution,
                                 tridap::ElementType type = tridap::element_type<PetscScalar>()) {
  return on::part_of(distribution, rank(), type);
}

/// The same in column-major order.
inline tridap::DistArray columns_of(const tridap::Distribution& distribution) {
  tridap::DistArray array = part_of(distribution);
  array.buffer.strides = tridap::column_major_strides(array.buffer.shape, array.buffer.type.bytes);
  return array;
}

/// Calls `visit` with all indices of a shape, in row-major order.
template <class Shape, class Visit>
void for_all(const Shape& shape, const Visit& visit) {
  oracle::for_each_index(oracle::List(shape.begin(), shape.end()), visit);
}

}  // namespace petsc_test
