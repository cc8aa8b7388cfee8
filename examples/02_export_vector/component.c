#include "component.h"

#include <stdio.h>
#include <stdlib.h>

struct component {
  dap_array* array;
};

component* component_take(dap_array* array, char* message, size_t size) {
  component* taken = NULL;
  if (dap_array_check(array, message, size) != DAP_OK) {
    dap_array_release(array);
    return NULL;
  }
  const dap_buffer* buffer = &array->buffer;
  const dap_text format = buffer->format;
  if (buffer->ndim != 1 || buffer->device.type != DAP_DEVICE_HOST || format.size == 0 ||
      format.data[format.size - 1] != 'd')
    snprintf(message, size, "not one axis of doubles in host memory");
  else if ((taken = malloc(sizeof(*taken))) != NULL)
    taken->array = array;
  if (taken == NULL) dap_array_release(array);
  return taken;
}

void component_describe(const component* taken, char* text, size_t size) {
  const dap_dimension* axis = taken->array->dim_data;
  const char* kind = axis->dist_type == 'b' ? "block" : axis->dist_type == 'c' ? "cyclic" : "unstructured";
  snprintf(text, size, "%s, %lld of %lld elements, coordinate %lld of %lld", kind,
           (long long)taken->array->buffer.shape[0], (long long)axis->size, (long long)axis->proc_grid_rank,
           (long long)axis->proc_grid_size);
}

const void* component_address(const component* taken) { return taken->array->buffer.data; }

static double* element(const component* taken, int64_t i) {
  const dap_buffer* buffer = &taken->array->buffer;
  return (double*)((char*)buffer->data + i * buffer->strides[0]);
}

double component_sum(const component* taken) {
  double sum = 0;
  for (int64_t i = 0; i < taken->array->buffer.shape[0]; ++i) sum += *element(taken, i);
  return sum;
}

void component_scale(component* taken, double factor) {
  for (int64_t i = 0; i < taken->array->buffer.shape[0]; ++i) *element(taken, i) *= factor;
}

void component_close(component* taken) {
  if (taken == NULL) return;
  dap_array_release(taken->array);
  free(taken);
}
