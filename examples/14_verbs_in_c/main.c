// Each verb of the C interface once: distributions, moves, halos, ghosts, reductions, matrices, solvers, eigenvalues,
// files and dense matrices, on memory that the program has allocated.
//
//   mpiexec -n 4 14_verbs_in_c
//
// Prints a line for each group of verbs. Exits non-zero if a number is not as it should be.

#include "verbs.h"

field make_field(int64_t n, const char* dist, int64_t padding, double (*value)(int64_t i, int64_t j)) {
  field made;
  int64_t shape[2], local[2], global[2];
  tridap_distribute_options options = {0};
  tridap_memory memory = {0};
  shape[0] = shape[1] = n;
  options.padding = padding;
  OK(tridap_distribute(2, shape, dist, MPI_COMM_WORLD, &options, &made.layout));
  OK(tridap_local_shape(made.layout, TRIDAP_HERE, made.extents));
  made.memory = malloc((size_t)(made.extents[0] * made.extents[1] + 1) * sizeof *made.memory);
  for (local[0] = 0; local[0] < made.extents[0]; ++local[0])
    for (local[1] = 0; local[1] < made.extents[1]; ++local[1]) {
      OK(tridap_global_index(made.layout, TRIDAP_HERE, local, global));
      made.memory[local[0] * made.extents[1] + local[1]] = value(global[0], global[1]);
    }
  memory.data = made.memory;
  memory.type = TRIDAP_FLOAT64;
  OK(tridap_array_of(made.layout, &memory, &made.array));
  return made;
}

void release_field(field* of) {
  OK(tridap_release(of->array.number));  // before the memory, which it uses
  OK(tridap_release(of->layout.number));
  free(of->memory);
}

void say(const char* format, ...) {
  int rank = 0;
  va_list values;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  va_start(values, format);
  if (rank == 0) vprintf(format, values);
  va_end(values);
}

void expect(const char* what, double value, double expected) {
  if (fabs(value - expected) <= 1e-6 * (1 + fabs(expected))) return;
  fprintf(stderr, "%s is %.17g, must be %.17g\n", what, value, expected);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  OK(tridap_watch(60, MPI_COMM_WORLD));  // who waits for whom, if a call takes a minute
  say("TriDAP        %s\n", tridap_version());
  distributions_and_moves(24);
  padding_and_ghosts(24);
  matrices_and_solvers(24);
  files(24);
  dense_matrices(24);
  OK(tridap_watch(0, MPI_COMM_WORLD));
  if (tridap_held() != 0) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);  // each handle was released
  MPI_Finalize();
  return EXIT_SUCCESS;
}
