/* A library in C that makes and takes arrays, and knows nothing but tridap/dap.h. */
#ifndef TESTS_C_SIDE_H
#define TESTS_C_SIDE_H

#include <tridap/dap.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A 3 x 2 x 4 array of double, column-major: 100 i + 10 j + k at (i, j, k). Padded block (1 of 3 processes, [4, 7) of
 * 10, padding (1, 1), an extra "units": "\"m\""), cyclic (1 of 2, size 5, block_size 1, from 1), unstructured (alone,
 * {40, 30, 20, 10} as big-endian 16-bit integers read backwards, one_to_one). `*released` counts calls of the deleter.
 */
int c_side_make(int* released, dap_array** array, char* message, size_t message_size);

/* The same with another layout version, which only the first 32 bytes may be read of: the others are not there. */
int c_side_make_other(uint32_t major, int* released, dap_array** array, char* message, size_t message_size);

/* Everything an array says but its elements, one line for each dimension. Reads; owns nothing. */
int c_side_describe(const dap_array* array, char* text, size_t text_size);

/* The sum of all elements of an array of double. Reads; owns nothing. */
int c_side_sum(const dap_array* array, double* sum, char* message, size_t message_size);

/* Adds 1 to every element, or refuses read-only memory. Owns nothing. */
int c_side_increment(const dap_array* array, char* message, size_t message_size);

/* Keeps an array, sums it as often as asked, and lets go of it. */
int c_side_keep(dap_array* array);
double c_side_kept_sum(void);
void c_side_drop(void);

#ifdef __cplusplus
}
#endif

#endif
