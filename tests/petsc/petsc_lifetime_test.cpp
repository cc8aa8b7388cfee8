// How long exported and imported memory lives. Under AddressSanitizer, memory that is freed too early or never is
// found.

#include "petsc_support.hpp"

#include <thread>

using namespace petsc_test;

namespace {

tridap::Distribution line(Index size) { return tridap::Distribution::make({size}, {tridap::block()}, {processes()}); }

// An array whose memory says when it is freed.
tridap::DistArray watched(Index size, bool& freed) {
  tridap::DistArray array = part_of(line(size));
  auto memory = array.buffer.owner;
  array.buffer.owner = std::shared_ptr<void>(memory.get(), [memory, &freed](void*) { freed = true; });
  return array;
}

MPI_Comm lasting = MPI_COMM_NULL;  // a communicator that is there before and after PETSc's end

// A Vec that the program still has when PETSc ends. The end of the process frees it.
Vec never_destroyed(Index local) {
#ifdef __SANITIZE_ADDRESS__
  const __lsan::ScopedDisabler not_a_leak;
#endif
  return make_vec(local);
}

testing::Environment* const left_object = testing::AddGlobalTestEnvironment(new LeftObject);

}  // namespace

TEST(ExportLifetime, AnArrayOutlivesVecDestroy) {
  Vec vec = make_vec(4);
  number_elements(vec);
  PetscInt begin = 0;
  VecGetOwnershipRange(vec, &begin, nullptr);
  petsc::ExportedArray exported = petsc::export_array(vec);
  VecDestroy(&vec);
  for (Index k = 0; k < 4; ++k) EXPECT_EQ(at(exported.array, {k}), value_of(begin + k));
  EXPECT_EQ(petsc::held().exports, 1);
  exported = {};
  EXPECT_EQ(petsc::held().exports, 0);
  EXPECT_EQ(petsc::held().waiting, 1);
  EXPECT_EQ(petsc::collect(), 1);
  EXPECT_EQ(petsc::held().waiting, 0);
}

// Processes release their arrays at different times; collect() waits for none of them.
TEST(ExportLifetime, EachProcessMayHoldItAsLongAsItLikes) {
  Vec vec = make_vec(3);
  number_elements(vec);
  petsc::ExportedArray exported = petsc::export_array(vec);
  if (rank() % 2 == 1) exported = {};
  VecDestroy(&vec);
  EXPECT_EQ(petsc::collect(), 0);
  EXPECT_TRUE(rank() % 2 == 1 || at(exported.array, {0}) == value_of(3 * rank()));
  exported = {};
  EXPECT_EQ(petsc::collect(), rank() % 2 == 0 ? 1 : 0);
}

TEST(ExportLifetime, ReleasingCountsDownWhileTheUserHoldsTheVec) {
  Vec vec = make_vec(2);
  {
    const petsc::ExportedArray first = petsc::export_array(vec), second = petsc::export_array(vec, {true});
    EXPECT_EQ(references(vec), 3);
    EXPECT_EQ(petsc::held().exports, 2);
  }
  EXPECT_EQ(references(vec), 1);
  EXPECT_EQ(petsc::held().waiting, 0);
  VecDestroy(&vec);
}

// PETSc belongs to one thread; another one leaves it to that.
TEST(ExportLifetime, AnotherThreadMayReleaseIt) {
  Vec vec = make_vec(2);
  petsc::ExportedArray exported = petsc::export_array(vec);
  std::thread([gone = std::move(exported)]() mutable { gone = {}; }).join();
  EXPECT_EQ(references(vec), 2);
  EXPECT_EQ(petsc::held().exports, 0);
  EXPECT_EQ(references(vec), 1);
  VecDestroy(&vec);
}

TEST(ExportLifetime, AnArrayOutlivesItsDmda) {
  DM dm = nullptr;
  DMDACreate1d(MPI_COMM_WORLD, DM_BOUNDARY_PERIODIC, 4 * processes(), 1, 1, nullptr, &dm);
  DMSetUp(dm);
  Vec vec = nullptr;
  DMCreateLocalVector(dm, &vec);
  VecSet(vec, 7);
  petsc::ExportedArray exported = petsc::export_array(dm, vec);
  VecDestroy(&vec);
  DMDestroy(&dm);
  EXPECT_EQ(at(exported.array, {5}), static_cast<PetscScalar>(7));
  exported = {};
  EXPECT_EQ(petsc::collect(), 1);
}

TEST(ImportLifetime, AVecKeepsTheMemoryUntilItIsDestroyed) {
  bool freed = false;
  petsc::ImportedVec made;
  {
    const tridap::DistArray array = watched(3 * processes(), freed);
    made = petsc::import_array(array, MPI_COMM_WORLD);
  }
  number_elements(made.vec);
  EXPECT_EQ(value_in(made.vec, 3 * rank()), value_of(3 * rank()));
  EXPECT_FALSE(freed);
  VecDestroy(&made.vec);
  EXPECT_TRUE(freed);
}

TEST(ImportLifetime, AVecKeepsTheMemoryThatIsPlacedInIt) {
  bool first = false, second = false;
  Vec vec = make_vec(2);
  VecSet(vec, 1);
  petsc::place_array(vec, watched(2 * processes(), first));
  VecSet(vec, 2);
  EXPECT_FALSE(first);
  petsc::reset_array(vec);
  EXPECT_TRUE(first);
  EXPECT_EQ(value_in(vec, 2 * rank()), static_cast<PetscScalar>(1));
  petsc::place_array(vec, watched(2 * processes(), second));
  VecDestroy(&vec);
  EXPECT_TRUE(second);
}

// A Vec over an exported array's memory keeps the first Vec, and the first Vec's memory.
TEST(ImportLifetime, ThereAndBackKeepsTheFirstVec) {
  Vec vec = make_vec(5);
  number_elements(vec);
  petsc::ImportedVec again = petsc::import_array(petsc::export_array(vec).array, MPI_COMM_WORLD);
  VecDestroy(&vec);
  EXPECT_EQ(value_in(again.vec, 5 * rank() + 4), value_of(5 * rank() + 4));
  VecDestroy(&again.vec);
  EXPECT_EQ(petsc::held().waiting, 1);
  EXPECT_EQ(petsc::collect(), 1);
}

// import_array() collects too.
TEST(ImportLifetime, AProgramThatOnlyConvertsDoesNotGrow) {
  for (int turn = 0; turn < 5; ++turn) {
    Vec vec = make_vec(5);
    petsc::ImportedVec again = petsc::import_array(petsc::export_array(vec).array, MPI_COMM_WORLD);
    VecDestroy(&vec);
    VecDestroy(&again.vec);
    EXPECT_EQ(petsc::held().waiting, 1);
  }
  petsc::collect();
}

TEST(ImportLifetime, ADuplicateKeepsItToo) {
  bool freed = false;
  petsc::ImportedVec made = petsc::import_array(watched(processes(), freed), MPI_COMM_WORLD);
  Vec second = nullptr;
  VecDuplicate(made.vec, &second);
  VecDestroy(&made.vec);
  EXPECT_FALSE(freed);
  VecDestroy(&second);
  EXPECT_TRUE(freed);
}

// PETSc frees its communicator with the last object of a process, and makes it again on all processes together.
TEST(ExportLifetime, TheNextVecIsMadeWhileSomeProcessesHoldTheOnlyOther) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  petsc::ImportedVec made = petsc::import_array(part_of(line(processes())), comm);
  petsc::ExportedArray exported = petsc::export_array(made.vec);
  if (rank() % 2 == 1) exported = {};
  VecDestroy(&made.vec);
  petsc::collect();
  Vec next = nullptr;
  VecCreateMPI(comm, 2, PETSC_DETERMINE, &next);

  bool freed = false;
  int key = MPI_KEYVAL_INVALID;
  const auto note = [](MPI_Comm, int, void* flag, void*) -> int {
    *static_cast<bool*>(flag) = true;
    return MPI_SUCCESS;
  };
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note, &key, nullptr);
  MPI_Comm_set_attr(PetscObjectComm(reinterpret_cast<PetscObject>(next)), key, &freed);
  VecDestroy(&next);
  exported = {};
  petsc::collect();
  EXPECT_FALSE(freed);
  MPI_Comm_free(&comm);
  petsc::collect();
  EXPECT_TRUE(freed);
  freed = false;
  for (int turn = 0; turn < 2;
       ++turn) {  // the import on the next communicator of the same processes gives it back, too
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, 0, &half);
    int size = 0, place = 0;
    MPI_Comm_size(half, &size);
    MPI_Comm_rank(half, &place);
    const auto whole = tridap::Distribution::make({size}, {tridap::block()}, {size});
    made = petsc::import_array(on::part_of(whole, place, tridap::element_type<PetscScalar>()), half);
    EXPECT_EQ(freed, turn == 1);
    if (turn == 0) MPI_Comm_set_attr(PetscObjectComm(reinterpret_cast<PetscObject>(made.vec)), key, &freed);
    VecDestroy(&made.vec);
    MPI_Comm_free(&half);
  }
  petsc::collect();
  MPI_Comm_free_keyval(&key);
}

// Destroying them is collective over all processes.
TEST(ExportLifetime, AnImportOnSomeProcessesDestroysNothingThatWaits) {
  if (processes() == 1) GTEST_SKIP() << "one process is all processes";
  Vec vec = make_vec(4);
  petsc::ExportedArray exported = petsc::export_array(vec);
  VecDestroy(&vec);
  exported = {};
  ASSERT_EQ(petsc::held().waiting, 1);
  const tridap::DistArray own =
      on::part_of(tridap::Distribution::make({3}, {tridap::block()}, {1}), 0, tridap::element_type<PetscScalar>());
  petsc::ImportedVec made = petsc::import_array(own, MPI_COMM_SELF);
  EXPECT_EQ(petsc::held().waiting, 1);
  VecDestroy(&made.vec);
  EXPECT_EQ(petsc::collect(), 1);
}

// The last tests of the program: afterwards PETSc is not there.
TEST(PetscEnds, ItDestroysWhatWaitsAndLaterCallsSayThatItEnded) {
  Vec kept = never_destroyed(2), waiting = make_vec(2);
  petsc::ExportedArray exported = petsc::export_array(waiting), held = petsc::export_array(kept);
  VecDestroy(&waiting);
  exported = {};
  EXPECT_EQ(petsc::held().waiting, 1);
  MPI_Comm_dup(MPI_COMM_WORLD, &lasting);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, lasting}) {
    petsc::ImportedVec made = petsc::import_array(part_of(line(processes())), comm);
    VecDestroy(&made.vec);
  }
  ASSERT_EQ(PetscFinalize(), 0);
  EXPECT_EQ(petsc::held().waiting, 0);
  at(held.array, {1}) = 3;
  held = {};
  EXPECT_EQ(petsc::held().exports, 0);
  const auto array = part_of(line(processes()));
  expect_says(on::error_text([&] { petsc::import_array(array, MPI_COMM_WORLD); }), "PETSc is finalised");
  expect_says(on::error_text([&] { petsc::export_array(kept); }), "PETSc is finalised");
  expect_says(on::error_text([&] { petsc::collect(); }), "PETSc is finalised");
}

TEST(PetscEnds, ItMayBeginAgain) {
  ASSERT_EQ(PetscInitializeNoArguments(), 0);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, lasting}) {  // both were used before the end
    petsc::ImportedVec made = petsc::import_array(part_of(line(processes())), comm);
    VecDestroy(&made.vec);
  }
  MPI_Comm_free(&lasting);
  Vec vec = make_vec(2);
  petsc::ExportedArray exported = petsc::export_array(vec);
  VecDestroy(&vec);
  exported = {};
  EXPECT_EQ(petsc::held().waiting, 1);
  EXPECT_EQ(petsc::collect(), 1);
}
