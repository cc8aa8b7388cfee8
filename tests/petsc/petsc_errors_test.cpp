// PETSc's errors as ours: it neither prints them nor ends the program.

#include "petsc_support.hpp"

#include <unistd.h>

#include <cstdio>

using namespace petsc_test;

namespace {

// What a step writes to the standard error output of this process.
template <class Step>
std::string printed_by(const Step& step) {
  std::fflush(stderr);
  const int before = dup(2);
  std::FILE* const file = std::tmpfile();
  dup2(fileno(file), 2);
  step();
  std::fflush(stderr);
  dup2(before, 2);
  close(before);
  std::rewind(file);
  std::string text(1000, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

PetscErrorCode count(MPI_Comm, int, const char*, const char*, PetscErrorCode code, PetscErrorType, const char*,
                     void* calls) {
  ++*static_cast<int*>(calls);
  return code;
}

}  // namespace

TEST(PetscErrors, AreThrownWithTheirMessageAndPrintNothing) {
  Vec vec = make_vec(2);
  std::string text;
  const std::string printed = printed_by([&] {
    text = on::error_text([&] {
      petsc::reset_array(vec);
      petsc::place_array(vec, {});
    });
  });
  EXPECT_EQ(printed, "");
  EXPECT_FALSE(text.empty());
  VecDestroy(&vec);
}

TEST(PetscErrors, PlacingTwiceSaysWhatPetscSays) {
  Vec vec = make_vec(2);
  const auto array = part_of(tridap::Distribution::make({2 * processes()}, {tridap::block()}, {processes()}));
  petsc::place_array(vec, array);
  std::string text;
  EXPECT_EQ(printed_by([&] { text = on::error_text([&] { petsc::place_array(vec, array); }); }), "");
  expect_says(text, "VecPlaceArray of PETSc failed");
  expect_says(text, "VecResetArray");  // in PETSc's own message
  EXPECT_TRUE(on::same_everywhere(text.substr(0, 20)));
  petsc::reset_array(vec);
  VecDestroy(&vec);
}

// The handler of the program is the same before and after.
TEST(PetscErrors, LeaveTheHandlerOfTheProgram) {
  int calls = 0;
  PetscPushErrorHandler(count, &calls);
  Vec vec = make_vec(2);
  const auto array = part_of(tridap::Distribution::make({2 * processes()}, {tridap::block()}, {processes()}));
  petsc::place_array(vec, array);
  EXPECT_NE(on::error_text([&] { petsc::place_array(vec, array); }), "");
  EXPECT_EQ(calls, 0);
  EXPECT_NE(VecPlaceArray(vec, static_cast<PetscScalar*>(array.buffer.data)), 0);
  EXPECT_GT(calls, 0);
  PetscPopErrorHandler();
  petsc::reset_array(vec);
  VecDestroy(&vec);
}

TEST(PetscErrors, ADmOfAnotherTypeIsNamed) {
  DM dm = nullptr;
  Vec vec = make_vec(1);
  expect_says(on::error_text([&] { petsc::export_array(dm, vec); }), "the DM is null");
  DMShellCreate(MPI_COMM_WORLD, &dm);
  expect_says(on::error_text([&] { petsc::export_array(dm, vec); }), "of type shell, must be a DMDA");
  DMDestroy(&dm);
  VecDestroy(&vec);
}

TEST(PetscErrors, ADmdaThatIsNotSetUpIsNamed) {
  DM dm = nullptr;
  DMDACreate1d(MPI_COMM_WORLD, DM_BOUNDARY_NONE, 12, 1, 1, nullptr, &dm);
  Vec vec = make_vec(1);
  expect_says(on::error_text([&] { petsc::export_array(dm, vec); }), "call DMSetUp first");
  DMDestroy(&dm);
  VecDestroy(&vec);
}
