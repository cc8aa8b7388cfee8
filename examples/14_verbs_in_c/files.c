#include "verbs.h"

static double wave(int64_t i, int64_t j) { return sin(0.3 * (double)i) + cos(0.2 * (double)j); }
static double zero(int64_t i, int64_t j) { return i >= 0 && j >= 0 ? 0 : 1; }

void files(int64_t n) {
  const char* const file = "14_verbs_in_c.h5";
  const char* const capture = "14_verbs_in_c.json";
  const char* const names[1] = {"u"};
  field u = make_field(n, "b,b", 1, wave), v = make_field(n, "c:2,*", 0, zero);
  tridap_attribute title = {0};
  tridap_save_options options = {0};
  tridap_stored stored;
  tridap_array loaded;
  tridap_receipt receipt;
  char text[100];
  double saved = 0, sum = 0;
  int64_t errors = 0;
  int rank = 0;
  title.name = "title";
  title.text = "waves";
  options.attribute_count = 1;
  options.attributes = &title;
  OK(tridap_sum(u.array, &saved));
  OK(tridap_save(file, 1, names, &u.array, &options, &receipt));
  OK(tridap_find(file, "u", MPI_COMM_WORLD, &stored, NULL));
  OK(tridap_attribute_text(file, "/", "title", text, sizeof text, NULL));
  OK(tridap_load(file, "u", MPI_COMM_WORLD, (tridap_distribution){0}, NULL, &loaded));  // distributed as it was saved
  OK(tridap_sum(loaded, &sum));
  expect("the sum of what was loaded", sum, saved);
  OK(tridap_load_into(file, "u", v.array, NULL, NULL));  // in another distribution
  OK(tridap_sum(v.array, &sum));
  expect("the sum in a cyclic distribution", sum, saved);
  say("saved         '%s', %d x %d, and loaded in two distributions; the sum is %.6g\n", text, (int)stored.shape[0],
      (int)stored.shape[1], sum);

  OK(tridap_write_capture(u.array, capture));  // for `tridap show 14_verbs_in_c.json`
  OK(tridap_check_capture(capture, &errors, NULL, 0, NULL));
  expect("violations in the capture", (double)errors, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    remove(file);
    remove(capture);
  }
  OK(tridap_release(loaded.number));
  release_field(&u);
  release_field(&v);
}
