#include <tridap/tridap.h>

#include <stdio.h>
#include <stdlib.h>

#define OK(call)                                 \
  do {                                           \
    if ((call) != TRIDAP_OK) {                   \
      fprintf(stderr, "%s\n", tridap_message()); \
      MPI_Abort(MPI_COMM_WORLD, 1);              \
    }                                            \
  } while (0)

/* A field in blocks is moved to a cyclic axis, and its sum is known. */
static void run(void) {
  const int64_t shape[1] = {1000};
  int64_t extent = 0, i;
  double sum = 0, *elements;
  tridap_distribution blocks, cyclic;
  tridap_array u, v;
  tridap_memory memory = {0};
  OK(tridap_distribute(1, shape, "b", MPI_COMM_WORLD, NULL, &blocks));
  OK(tridap_distribute(1, shape, "c:7", MPI_COMM_WORLD, NULL, &cyclic));
  OK(tridap_local_shape(blocks, TRIDAP_HERE, &extent));
  elements = malloc((size_t)extent * sizeof *elements);
  for (i = 0; i < extent; ++i) elements[i] = 1.5;
  memory.data = elements;
  memory.type = TRIDAP_FLOAT64;
  OK(tridap_array_of(blocks, &memory, &u));
  OK(tridap_redistribute(u, cyclic, NULL, &v));
  OK(tridap_sum(v, &sum));
  if (sum != 1500) MPI_Abort(MPI_COMM_WORLD, 2);
  printf("the sum is %g, version %s\n", sum, tridap_version());
  OK(tridap_release(u.number));
  OK(tridap_release(v.number));
  OK(tridap_release(blocks.number));
  OK(tridap_release(cyclic.number));
  free(elements);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run();
  MPI_Finalize();
  return tridap_held() != 0;
}
