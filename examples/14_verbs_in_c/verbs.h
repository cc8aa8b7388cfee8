#ifndef EXAMPLES_VERBS_H
#define EXAMPLES_VERBS_H

#include <tridap/tridap.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/// Ends the job with the text of the failure, if a call fails. A program that can go on instead looks at the status.
#define OK(call)                                                            \
  do {                                                                      \
    if ((call) != TRIDAP_OK) {                                              \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, tridap_message()); \
      MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);                              \
    }                                                                       \
  } while (0)

/// A field of n x n elements in blocks of rows and columns, in memory of its own.
typedef struct field {
  tridap_distribution layout;
  tridap_array array;
  double* memory;
  int64_t extents[2];
} field;

/// Makes a field; `padding` is the width of the halo around each part. Element (i, j) is `value(i, j)`.
field make_field(int64_t n, const char* dist, int64_t padding, double (*value)(int64_t i, int64_t j));
void release_field(field* of);

/// Prints a line on process 0.
void say(const char* format, ...);
/// Ends the job if a number is not as expected.
void expect(const char* what, double value, double expected);

// Each file has a group of verbs.
void distributions_and_moves(int64_t n);
void padding_and_ghosts(int64_t n);
void matrices_and_solvers(int64_t n);
void files(int64_t n);
void dense_matrices(int64_t n);

#endif
