#pragma once

#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/petsc.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <petscdmda.h>
#include <petscdmshell.h>
#include <support/effort.hpp>
#include <support/ranks.hpp>

#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace petsc_test {

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

inline int rank() { return on::rank(MPI_COMM_WORLD); }
inline int processes() { return on::processes(MPI_COMM_WORLD); }

/// The same numbers on every process.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  Index between(Index least, Index most) {
    return least + static_cast<Index>(engine_() % static_cast<unsigned long>(most - least + 1));
  }
  bool one_in(Index n) { return between(1, n) == 1; }

 private:
  std::mt19937 engine_;
};

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
  tridap::DistArray array;
  array.dim_data = distribution.dim_data(rank());
  array.buffer = tridap::allocate(std::move(type), distribution.local_shape(rank()));
  return array;
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
  Indices index(shape.size(), 0);
  for (const Index extent : shape)
    if (extent == 0) return;
  for (;;) {
    visit(index);
    std::size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

/// The text of the Error that a step throws; empty: it throws none. A collective step throws the same on all processes.
template <class Step>
std::string error_of(const Step& step) {
  try {
    step();
  } catch (const tridap::Error& error) {
    return error.what();
  }
  return "";
}

inline void expect_says(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

/// Every process has the same text.
inline void expect_same_everywhere(const std::string& text) {
  std::array<char, 4096> first{};
  text.copy(first.data(), first.size() - 1);
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(text.substr(0, first.size() - 1), first.data());
}

}  // namespace petsc_test
