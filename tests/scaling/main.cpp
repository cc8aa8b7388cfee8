// Prints what calls cost one process of many, a line for each: the numbers of processes, of its elements, and of
// coordinates of the axes, and the largest of these; collectives, bytes in them, messages, bytes in them, and bytes of
// memory; and the call. Arguments: other numbers of processes.
#include "scaling/costs.hpp"
#include "scaling/rows.hpp"

#include <mpi.h>

#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  setenv("TRIDAP_MOST_LISTED", "0", 1);  // before anything reads it
  MPI_Init(&argc, &argv);
  std::vector<tridap::Index> numbers = {1000, 10'000, 100'000};
  if (argc > 1) numbers.clear();
  for (int i = 1; i < argc; ++i) numbers.push_back(std::atoll(argv[i]));
  for (const tridap::Index processes : numbers) {
    scaling::structured_rows(processes);
    scaling::inferred_rows(processes);
    scaling::listed_rows(processes);
  }
  MPI_Finalize();
}
