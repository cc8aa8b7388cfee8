/* The C that docs/howto/c.md quotes. It is C99, and is compiled as such. */
#include <tridap/tridap.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(fact)                                                \
  do {                                                             \
    if (!(fact)) {                                                 \
      fprintf(stderr, "%d: does not hold: %s\n", __LINE__, #fact); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                \
    }                                                              \
  } while (0)

static int stencil(MPI_Comm comm, double* sum) {
  int64_t shape[2] = {12, 10}, extents[2], begin[2], end[2], i, j;
  tridap_distribute_options halo = {0}; /* what is not set is zero */
  tridap_memory memory = {0};
  tridap_distribution layout;
  tridap_array u;
  double* field;

  halo.padding = 1;
  if (tridap_distribute(2, shape, "b,b", comm, &halo, &layout) != TRIDAP_OK) return 1;
  tridap_local_shape(layout, TRIDAP_HERE, extents); /* with the padding */
  field = calloc((size_t)(extents[0] * extents[1]), sizeof *field);
  memory.data = field;
  memory.type = TRIDAP_FLOAT64;
  tridap_array_of(layout, &memory, &u); /* this memory, no copy */
  tridap_interior(u, begin, end);       /* my own elements */
  for (i = begin[0]; i < end[0]; ++i)
    for (j = begin[1]; j < end[1]; ++j) field[i * extents[1] + j] = 1;
  if (tridap_update_padding(u) != TRIDAP_OK) return 1; /* collective */
  if (tridap_sum(u, sum) != TRIDAP_OK) return 1;       /* collective */
  tridap_release(u.number);                            /* before `field` is freed */
  tridap_release(layout.number);
  free(field);
  return 0;
}

static void free_memory(void* owner) { free(owner); }

static int owned(tridap_distribution layout, tridap_array* u) {
  int64_t count;
  tridap_memory memory = {0};
  if (tridap_count(layout, TRIDAP_HERE, TRIDAP_LOCAL, &count) != TRIDAP_OK) return 1;
  memory.data = memory.owner = calloc((size_t)count + 1, sizeof(float));
  memory.type = TRIDAP_FLOAT32;
  memory.release = free_memory; /* when no array has the memory any more */
  return tridap_array_of(layout, &memory, u);
}

static void errors(MPI_Comm comm) {
  int64_t shape[1] = {100};
  tridap_distribution layout;
  tridap_array u;
  double sum;
  int status = tridap_distribute(1, shape, "x", comm, NULL, &layout);
  if (status != TRIDAP_OK) fprintf(stderr, "%s\n", tridap_message());
  CHECK(status == TRIDAP_WRONG && strstr(tridap_message(), "'x'") != NULL);
  status = tridap_allocate(layout, TRIDAP_FLOAT64, TRIDAP_ROW_MAJOR, &u);
  status = tridap_sum(u, &sum); /* fails on all processes, with the text of the first failure */
  CHECK(status == TRIDAP_WRONG && strstr(tridap_message(), "'x'") != NULL);
  tridap_release(u.number);
  tridap_release(layout.number);
}

int main(int argc, char** argv) {
  int64_t shape[2] = {7, 5};
  tridap_distribution layout;
  tridap_array u;
  double sum = 0;
  float norm_of = 0;
  MPI_Init(&argc, &argv);
  CHECK(stencil(MPI_COMM_WORLD, &sum) == 0);
  CHECK(sum == 12 * 10);
  CHECK(tridap_distribute(2, shape, "b,c:2", MPI_COMM_WORLD, NULL, &layout) == TRIDAP_OK);
  CHECK(owned(layout, &u) == 0);
  tridap_release(layout.number); /* the array has its own */
  CHECK(tridap_sum(u, &norm_of) == TRIDAP_OK && norm_of == 0);
  tridap_release(u.number);
  errors(MPI_COMM_WORLD);
  CHECK(tridap_held() == 0);
  MPI_Finalize();
  return 0;
}
