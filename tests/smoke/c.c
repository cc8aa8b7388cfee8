/* A field in blocks is moved to a cyclic axis, and its sum is known. */
#include <tridap/tridap.h>

#include <stdio.h>
#include <stdlib.h>

static int run(double* sum) {
  const int64_t shape[1] = {1000};
  int64_t extent = 0, i;
  int status;
  double* elements;
  tridap_distribution blocks, dealt;
  tridap_array u, v;
  tridap_memory memory = {0};
  if (tridap_distribute(1, shape, "b", MPI_COMM_WORLD, NULL, &blocks) != TRIDAP_OK) return 1;
  if (tridap_distribute(1, shape, "c:7", MPI_COMM_WORLD, NULL, &dealt) != TRIDAP_OK) return 1;
  if (tridap_local_shape(blocks, TRIDAP_HERE, &extent) != TRIDAP_OK) return 1;
  elements = malloc(((size_t)extent + 1) * sizeof *elements);
  for (i = 0; i < extent; ++i) elements[i] = 1.5;
  memory.data = elements;
  memory.type = TRIDAP_FLOAT64;
  tridap_array_of(blocks, &memory, &u); /* a failure here fails in the next collective call */
  tridap_redistribute(u, dealt, NULL, &v);
  status = tridap_sum(v, sum);
  tridap_release(u.number);
  tridap_release(v.number);
  tridap_release(blocks.number);
  tridap_release(dealt.number);
  free(elements);
  return status != TRIDAP_OK;
}

int main(int argc, char** argv) {
  double sum = 0;
  int failed, rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  failed = run(&sum) || sum != 1500;
  if (rank == 0)
    printf("%s: the sum is %g of 1500. %s\n", failed ? "FAILED" : "works", sum, failed ? tridap_message() : "");
  MPI_Finalize();
  return failed;
}
