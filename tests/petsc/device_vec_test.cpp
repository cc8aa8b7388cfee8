// Vecs on a device, for a PETSc without CUDA: the test has the function of PETSc that makes one, and such a Vec opens
// memory of the stand-in for the driver, which the host cannot touch.

#include "petsc_support.hpp"
#include "support/stand_in_driver.hpp"
#include <tridap/internal/driver.hpp>
#include <tridap/petsc/compat.hpp>

#include <petsc/private/vecimpl.h>

#include <map>

using namespace petsc_test;
using tridap::Copy;
using tridap::DistArray;
using tridap::Memory;

namespace {

constexpr Memory cuda{Memory::Kind::cuda, 0};

// Where a Vec of the stand-in has its elements, and how often that is open.
struct Place {
  PetscScalar* data = nullptr;
  int open = 0;
};
std::map<Vec, Place>& places() {
  static std::map<Vec, Place> all;
  return all;
}

PetscErrorCode get(Vec vec, PetscScalar** data, PetscMemType* type) {
  ++places()[vec].open;
  *data = places()[vec].data;
  *type = PETSC_MEMTYPE_CUDA;
  return 0;
}
PetscErrorCode restore(Vec vec, PetscScalar**) {
  --places()[vec].open;
  return 0;
}

// An array of the oracle's kind with its elements in memory of the stand-in.
std::vector<PetscScalar> numbered(Index count) {
  std::vector<PetscScalar> values;
  for (Index i = 0; i < count; ++i) values.push_back(value_of(100 * rank() + i));
  return values;
}

tridap::Buffer on_device(std::vector<PetscScalar> values, tridap::IndexList shape) {
  stand_in::Driver::loaded();
  return tridap::driver::copy_to(tridap::row_major(values.data(), std::move(shape)), cuda);
}

// Rows of 3, two on each process.
DistArray rows(tridap::Buffer buffer) {
  DistArray array;
  tridap::Dimension first;
  first.size = 2 * processes();
  first.proc_grid_size = processes();
  first.proc_grid_rank = rank();
  first.dist = tridap::Block{2 * rank(), 2 * rank() + 2, {}};
  array.dim_data = {first, tridap::undistributed(3)};
  array.buffer = std::move(buffer);
  return array;
}

std::vector<PetscScalar> values_of(const tridap::Buffer& buffer) {
  std::vector<PetscScalar> values(static_cast<std::size_t>(element_count(buffer)));
  pack(tridap::driver::copy_to(buffer, {}), values.data());
  return values;
}

}  // namespace

#if !defined(PETSC_HAVE_CUDA)

// The symbol of PETSc, under another name here: its headers may have a function of the same one.
extern "C" PetscErrorCode create_on_stand_in(MPI_Comm, PetscInt, PetscInt, PetscInt, const PetscScalar*,
                                             Vec*) __asm__("VecCreateMPICUDAWithArray");

PetscErrorCode create_on_stand_in(MPI_Comm comm, PetscInt block, PetscInt local, PetscInt global,
                                  const PetscScalar* data, Vec* vec) {
  const PetscErrorCode code = VecCreateMPIWithArray(comm, block, local, global, nullptr, vec);
  if (code != 0) return code;
  auto& calls = *(*vec)->ops;
  calls.getarrayandmemtype = get;
  calls.restorearrayandmemtype = restore;
  calls.getarrayreadandmemtype = [](Vec of, const PetscScalar** read, PetscMemType* type) {
    return get(of, const_cast<PetscScalar**>(read), type);
  };
  calls.restorearrayreadandmemtype = [](Vec of, const PetscScalar**) { return restore(of, nullptr); };
  places()[*vec] = {const_cast<PetscScalar*>(data), 0};
  return PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(*vec), VECMPICUDA);
}

TEST(DeviceVec, IsOverTheMemoryOfADeviceArray) {
  const DistArray array = rows(on_device(numbered(6), {2, 3}));
  const long owners = array.buffer.owner.use_count();
  petsc::ImportedVec made = petsc::import_array(array, MPI_COMM_WORLD);
  EXPECT_TRUE(made.receipt.shared && made.receipt.same_address);
  EXPECT_EQ(places()[made.vec].data, array.buffer.data);
  PetscInt size = 0;
  VecGetSize(made.vec, &size);
  EXPECT_EQ(size, 6 * processes());
  EXPECT_GT(array.buffer.owner.use_count(), owners);
  VecDestroy(&made.vec);
  EXPECT_EQ(array.buffer.owner.use_count(), owners);
}

TEST(DeviceVec, IsExportedAsADeviceArray) {
  const DistArray array = rows(on_device(numbered(6), {2, 3}));
  petsc::ImportedVec made = petsc::import_array(array, MPI_COMM_WORLD);
  for (const bool read_only : {false, true}) {
    const petsc::ExportedArray back = petsc::export_array(made.vec, {read_only});
    EXPECT_EQ(back.array.buffer.data, array.buffer.data);
    EXPECT_EQ(back.array.buffer.memory.name(), "cuda:0");
    EXPECT_EQ(back.array.buffer.read_only, read_only);
    EXPECT_EQ(places()[made.vec].open, 1);
    EXPECT_TRUE(tridap::check(back.array).ok());
    EXPECT_EQ(values_of(back.array.buffer), numbered(6));
  }
  EXPECT_EQ(places()[made.vec].open, 0);
  EXPECT_EQ(petsc::distribution_of(made.vec).axis(0).size(), 6 * processes());
  VecDestroy(&made.vec);
}

TEST(DeviceVec, StridedMemoryIsPackedOnTheDeviceIfAsked) {
  DistArray array = rows(on_device(numbered(10), {2, 5}));
  array.buffer.shape = {2, 3};
  on::expect_refused([&] { petsc::import_array(array, MPI_COMM_WORLD); },
                     "copy=never, but the elements are not contiguous");
  petsc::ImportedVec made = petsc::import_array(array, MPI_COMM_WORLD, Copy::if_needed);
  EXPECT_FALSE(made.receipt.shared);
  EXPECT_EQ(made.receipt.bytes_copied, 6 * static_cast<Index>(sizeof(PetscScalar)));
  {
    const auto packed = petsc::export_array(made.vec);
    const std::vector<PetscScalar> all = numbered(10);
    EXPECT_EQ(values_of(packed.array.buffer),
              (std::vector<PetscScalar>{all[0], all[1], all[2], all[5], all[6], all[7]}));
  }
  VecDestroy(&made.vec);
}

TEST(DeviceVec, AShareWithoutElementsIsOfAnyMemory) {
  DistArray array;
  tridap::Dimension line;
  const bool mine = rank() == 0;
  line.size = 4;
  line.proc_grid_size = processes();
  line.proc_grid_rank = rank();
  line.dist = tridap::Block{mine ? 0 : 4, 4, {}};
  array.dim_data = {line};
  array.buffer = mine ? on_device(numbered(4), {4}) : tridap::allocate(tridap::element_type<PetscScalar>(), {0});
  petsc::ImportedVec made = petsc::import_array(array, MPI_COMM_WORLD);
  EXPECT_EQ(places().count(made.vec), 1U);
  VecDestroy(&made.vec);
}

TEST(DeviceVec, TwoKindsOfMemoryAreAnErrorOnAll) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  std::vector<PetscScalar> host = numbered(6);
  const bool last = rank() == processes() - 1;
  const DistArray array = rows(last ? on_device(host, {2, 3}) : tridap::row_major(host.data(), {2, 3}));
  on::expect_refused([&] { petsc::import_array(array, MPI_COMM_WORLD); },
                     "some processes are in memory of a device, and those of others in host memory");
}

TEST(DeviceVec, CallsThatNeedHostMemorySaySo) {
  const DistArray array = rows(on_device(numbered(6), {2, 3}));
  Vec host = make_vec(6);
  on::expect_refused([&] { petsc::place_array(host, array); }, "cuda:0 memory, must be in host memory");
  VecDestroy(&host);
  petsc::ImportedVec made = petsc::import_array(array, MPI_COMM_WORLD);
  EXPECT_THROW(petsc::export_ghosted(made.vec), tridap::Error);
  EXPECT_THROW(petsc::place_array(made.vec, array), tridap::Error);
  VecDestroy(&made.vec);
}

#else

TEST(DeviceVec, OfARealPetscIsItsOwn) { GTEST_SKIP() << "this PETSc has CUDA: a stand-in cannot take its place"; }

#endif
