// Prints what calls cost one process of many, a line for each: the numbers of processes, of its elements, and of
// coordinates of the axes; collectives, bytes in them, messages, bytes in them, and bytes of memory; and the call.
#include "scaling/costs.hpp"
#include "scaling/rows.hpp"

#include <mpi.h>

#include <cstdlib>

int main(int argc, char** argv) {
  setenv("TRIDAP_MOST_LISTED", "0", 1);  // before anything reads it
  MPI_Init(&argc, &argv);
  for (const tridap::Index processes : scaling::every_P) {
    scaling::structured_rows(processes);
    scaling::listed_rows(processes);
  }
  MPI_Finalize();
}
