/* A program in C between a C and a C++ library: makes and takes arrays of both. */
#include "c_side.h"
#include "cxx_side.h"

#include <stdio.h>
#include <string.h>

static int failures = 0;
static char message[4096];

#define EXPECT(condition)                                                                \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      ++failures;                                                                        \
      fprintf(stderr, "line %d: %s does not hold: %s\n", __LINE__, #condition, message); \
    }                                                                                    \
  } while (0)

/* Made in C++, used in C. */
static void take_from_cxx(void) {
  int released = 0;
  double* elements = NULL;
  double sum = 0;
  dap_array* array = NULL;
  EXPECT(cxx_side_make(&elements, &released, &array, message, sizeof(message)) == DAP_OK);
  EXPECT(cxx_side_check(array, message, sizeof(message)) == DAP_OK && strcmp(message, "") == 0);
  EXPECT(array->buffer.data == elements);
  EXPECT(array->dim_data[0].dist_type == 'b' && array->dim_data[0].start == 5 && array->dim_data[0].stop == 10);
  EXPECT(c_side_sum(array, &sum, message, sizeof(message)) == DAP_OK && sum == 35);
  EXPECT(c_side_increment(array, message, sizeof(message)) == DAP_OK && elements[0] == 6);
  elements[4] = 100;
  c_side_keep(array);
  EXPECT(c_side_kept_sum() == 6 + 7 + 8 + 9 + 100);
  EXPECT(released == 0);
  c_side_drop();
  EXPECT(released == 1);
}

/* Made in C, used in C++. */
static void give_to_cxx(void) {
  int released = 0;
  dap_array* array = NULL;
  EXPECT(c_side_make(&released, &array, message, sizeof(message)) == DAP_OK);
  double* first = array->buffer.data;
  EXPECT(cxx_side_keep(array, message, sizeof(message)) == DAP_OK);
  *first = 42;
  EXPECT(cxx_side_kept_first() == 42);
  EXPECT(released == 0);
  cxx_side_drop();
  EXPECT(released == 1);
}

static void refuse(void) {
  int released = 0;
  dap_array* array = NULL;
  EXPECT(c_side_make_other(2, &released, &array, message, sizeof(message)) == DAP_OK);
  EXPECT(cxx_side_check(array, message, sizeof(message)) == DAP_UNKNOWN_MAJOR && released == 0);
  EXPECT(cxx_side_keep(array, message, sizeof(message)) != DAP_OK && strstr(message, "'major' is 2") != NULL);
  EXPECT(released == 1);
  EXPECT(cxx_side_check(NULL, message, sizeof(message)) == DAP_INVALID);
  EXPECT(cxx_side_check(NULL, NULL, 0) == DAP_INVALID);
}

int main(void) {
  take_from_cxx();
  give_to_cxx();
  refuse();
  return failures == 0 ? 0 : 1;
}
