/* The library behind tridap/c_array.hpp as a C program meets it: a shared library with C functions. */
#ifndef TESTS_CXX_SIDE_H
#define TESTS_CXX_SIDE_H

#include <tridap/dap.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Process 1 of 2 of the numbers 0 to 9, block; `*elements` is where its five doubles are, `*released` counts ends. */
int cxx_side_make(double** elements, int* released, dap_array** array, char* message, size_t message_size);

/* Takes an array and imports it, keeping it if that succeeds. */
int cxx_side_keep(dap_array* array, char* message, size_t message_size);
double cxx_side_kept_first(void);
void cxx_side_drop(void);

/* dap_array_check, from inside that library. */
int cxx_side_check(const dap_array* array, char* message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif
