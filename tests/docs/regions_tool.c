/* A tool of Kokkos that prints the regions of rank 0, as docs/howto/profile.md shows it. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
  const char* name;
  double begin;
} open_regions[100];
static int depth;

static double now(void) {
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void kokkosp_push_profile_region(const char* name) {
  if (depth < 100) {
    open_regions[depth].name = strncmp(name, "tridap::", 8) == 0 ? strcpy(malloc(strlen(name) + 1), name) : NULL;
    open_regions[depth].begin = now();
  }
  ++depth;
}

void kokkosp_pop_profile_region(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  --depth;
  if (depth < 100 && open_regions[depth].name != NULL && (rank == NULL || strcmp(rank, "0") == 0))
    printf("%.6f s %s\n", now() - open_regions[depth].begin, open_regions[depth].name);
}
