#pragma once

/// What the mains of the test programs share: one program holds the test files of a folder, and runs all or some of
/// them.
namespace test_files {

/// Reads `--files=a_test,b_test` out of the arguments, and leaves only the tests of those files in GoogleTest's filter.
/// Returns false, and says so on stderr, if the program has no tests of one of these files.
bool select(int* argc, char** argv);

/// Prints, where tests have failed, the one command that runs them again; on 0 processes: without MPI.
void print_again(int processes);

}  // namespace test_files
