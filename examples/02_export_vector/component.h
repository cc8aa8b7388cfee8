/// A component of somebody else's, in C: it knows tridap/dap.h, and neither C++ nor MPI nor Trilinos.

#ifndef COMPONENT_H
#define COMPONENT_H

#include <tridap/dap.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct component component;

/// Takes a one-axis host array of doubles, and keeps it; NULL where it is none, and why in `message`. The array is the
/// component's from here on, or has been released.
component* component_take(dap_array* array, char* message, size_t size);

void component_describe(const component* taken, char* text, size_t size);  ///< the axis as it was handed over
const void* component_address(const component* taken);                     ///< of the first element
double component_sum(const component* taken);                              ///< of the elements here
void component_scale(component* taken, double factor);                     ///< writes them
void component_close(component* taken);                                    ///< releases the array; NULL is none

#ifdef __cplusplus
}
#endif

#endif
