/// A component of another project, in C. It includes tridap/dap.h, and uses neither C++ nor MPI nor Trilinos.

#ifndef COMPONENT_H
#define COMPONENT_H

#include <tridap/dap.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct component component;

/// Takes a one-axis host array of doubles, and owns it. If the array is another one, releases it, returns NULL and
/// writes the reason to `message`.
component* component_take(dap_array* array, char* message, size_t size);

void component_describe(const component* taken, char* text, size_t size);  ///< the axis that was passed
const void* component_address(const component* taken);                     ///< of the first element
double component_sum(const component* taken);                              ///< of this process's elements
void component_scale(component* taken, double factor);                     ///< multiplies the elements
void component_close(component* taken);                                    ///< releases the array; NULL is allowed

#ifdef __cplusplus
}
#endif

#endif
