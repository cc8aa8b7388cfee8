#include "verbs.h"

static double numbered(int64_t i, int64_t j) { return (double)(100 * i + j); }
static double zero(int64_t i, int64_t j) { return (double)(0 * i * j); }

// Where each element is, in words and in numbers.
static void ask(const field* of) {
  const int64_t corner[2] = {0, 0};
  char text[200], line[300];
  int64_t owner = -1, process, local[2], begin[2], end[2], count = 0, processes = 0, all = 0;
  int held = 0;
  OK(tridap_describe(of->layout, text, sizeof text, NULL));
  OK(tridap_dist_text(of->layout, line, sizeof line, NULL));
  OK(tridap_owner(of->layout, corner, &owner));
  OK(tridap_local_index(of->layout, owner, corner, TRIDAP_OWNED, local, &held));
  OK(tridap_processes(of->layout, &processes));
  for (process = 0; process < processes; ++process) {
    OK(tridap_count(of->layout, process, TRIDAP_OWNED, &count));
    all += count;
  }
  OK(tridap_interior(of->array, begin, end));
  expect("the elements of all processes", (double)all, 24 * 24);
  expect("the first element's owner", (double)owner, 0);
  say("distributed   as %s: %s\n", line, text);
}

// The same elements in other distributions, by a plan that is used there and back.
static void move(const field* from) {
  field to = make_field(24, "c:3,*", 0, zero);
  const tridap_scaling twice = {{2, 0}, {1, 0}};  // to = 2 from + to
  tridap_plan plan, back;
  tridap_array made, whole;
  tridap_memory memory;
  int64_t sent = 0, received = 0, kept = 0;
  int done = 0;
  double sum = 0, other = 0;
  OK(tridap_plan_make(from->layout, to.layout, TRIDAP_FLOAT64, NULL, &plan));
  OK(tridap_plan_move(plan, from->array, to.array, NULL));
  OK(tridap_plan_start(plan, from->array, to.array, &twice));
  OK(tridap_plan_test(plan, &done));  // the program computes here
  OK(tridap_plan_wait(plan));
  OK(tridap_sum(to.array, &sum));
  OK(tridap_sum(from->array, &other));
  expect("three times the sum", sum, 3 * other);

  OK(tridap_plan_reversed(plan, &back));
  OK(tridap_plan_new(back, to.array, &made));
  OK(tridap_sum(made, &sum));
  expect("the sum of what came back", sum, 3 * other);
  OK(tridap_release(made.number));
  OK(tridap_redistribute(to.array, from->layout, NULL, &made));
  OK(tridap_plan_bytes(plan, &sent, &received, &kept));

  OK(tridap_gather(made, 0, &whole));  // on process 0
  if (whole.number != 0) {
    OK(tridap_array_memory(whole, &memory));
    expect("the last element", ((double*)memory.data)[24 * 24 - 1], 3 * numbered(23, 23));
    memory.release = NULL;  // it belongs to the array
    OK(tridap_scatter(&memory, 0, from->array));
  } else {
    OK(tridap_scatter(NULL, 0, from->array));
  }
  say("moved         to c:3,* and back; the sum is %g\n", sum);
  OK(tridap_release(whole.number));
  OK(tridap_release(made.number));
  OK(tridap_release(plan.number));
  OK(tridap_release(back.number));
  release_field(&to);
}

void distributions_and_moves(int64_t n) {
  field u = make_field(n, "b,b", 0, numbered);
  double largest = 0, smallest = 0, norm = 0, dot = 0;
  dap_array* handed = NULL;
  tridap_array taken;
  int64_t errors = 0;
  char text[400];
  ask(&u);
  move(&u);
  OK(tridap_max(u.array, &largest));
  OK(tridap_min(u.array, &smallest));
  OK(tridap_norm(u.array, &norm));
  OK(tridap_dot(u.array, u.array, &dot));
  expect("the square of the norm", norm * norm, dot);
  say("reduced       to %g, %g and a norm of %g\n", smallest, largest, norm);

  OK(tridap_array_to_dap(u.array, &handed));  // for a library that takes the protocol's arrays
  OK(tridap_check(handed, MPI_COMM_WORLD, &errors, text, sizeof text, NULL));
  OK(tridap_array_from_dap(handed, MPI_COMM_WORLD, &taken));
  expect("violations of the protocol", (double)errors, 0);
  OK(tridap_release(taken.number));
  release_field(&u);
}
