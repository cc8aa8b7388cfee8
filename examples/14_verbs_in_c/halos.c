#include "verbs.h"

static double hill(int64_t i, int64_t j) { return exp(-0.02 * (double)((i - 12) * (i - 12) + (j - 12) * (j - 12))); }

// One explicit step of diffusion: each element becomes the mean of its neighbours, which may be in the halo.
static void step(const field* from, const field* to) {
  int64_t begin[2], end[2], global[2], at[2];
  const int64_t row = from->extents[1];
  OK(tridap_interior(from->array, begin, end));
  for (at[0] = begin[0]; at[0] < end[0]; ++at[0])
    for (at[1] = begin[1]; at[1] < end[1]; ++at[1]) {
      const double* const u = from->memory + at[0] * row + at[1];
      OK(tridap_global_index(from->layout, TRIDAP_HERE, at, global));
      if (global[0] > 0 && global[0] < 23 && global[1] > 0 && global[1] < 23)
        to->memory[at[0] * row + at[1]] = 0.25 * (u[-1] + u[1] + u[-row] + u[row]);
    }
}

// The ends of a vector are ghosts of the neighbouring processes.
static void ghosts(void) {
  tridap_distribution layout;
  tridap_ghosts plan;
  tridap_memory memory = {0};
  double elements[6] = {0, 0, 0, 0, -1, -1};
  int64_t shape[1], ids[2];
  int rank = 0, processes = 1, i, count = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  shape[0] = 4 * processes;
  OK(tridap_distribute(1, shape, "b", MPI_COMM_WORLD, NULL, &layout));
  for (i = 0; i < 4; ++i) elements[i] = 4 * rank + i;
  if (rank > 0) ids[count++] = 4 * rank - 1;
  if (rank < processes - 1) ids[count++] = 4 * rank + 4;
  memory.data = elements;
  memory.type = TRIDAP_FLOAT64;
  OK(tridap_ghosts_make(layout, &memory, count, ids, &plan));
  OK(tridap_update_ghosts(plan));
  for (i = 0; i < count; ++i) expect("a ghost", elements[4 + i], (double)ids[i]);
  OK(tridap_sum_ghosts(plan));  // each ghost is added to its element
  OK(tridap_release(plan.number));
  OK(tridap_release(layout.number));
}

void padding_and_ghosts(int64_t n) {
  field u = make_field(n, "b,b", 1, hill), v = make_field(n, "b,b", 1, hill);
  tridap_array both[2];
  tridap_padding plan;
  double sum = 0;
  int i;
  OK(tridap_update_padding(u.array));
  both[0] = u.array;
  both[1] = v.array;
  OK(tridap_update_paddings(2, both));  // in one exchange
  OK(tridap_padding_make(1, &u.array, 0, &plan));
  for (i = 0; i < 4; ++i) {
    OK(tridap_padding_start(plan));
    OK(tridap_padding_wait(plan));
    step(&u, &v);
    OK(tridap_update_padding(v.array));
    step(&v, &u);
  }
  OK(tridap_sum(u.array, &sum));
  expect("the sum after 8 steps", sum, 147.144066297);
  OK(tridap_sum_padding(u.array));  // what finite elements need
  ghosts();
  say("diffused      in 8 steps over halos of 1; the sum is %.6g\n", sum);
  OK(tridap_release(plan.number));
  release_field(&u);
  release_field(&v);
}
