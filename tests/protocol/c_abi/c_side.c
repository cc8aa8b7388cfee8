#include "c_side.h"

#include "layout.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n0 = 3, n1 = 2, n2 = 4 };

struct made {
  dap_array array;
  double elements[n2][n1][n0];
  unsigned char indices[2 * n2];
  int64_t shape[3], strides[3];
  dap_dimension dims[3];
  dap_extra extra;
  int* released;
};

static int fail(int status, char* message, size_t message_size, const char* why) {
  if (message != NULL && message_size > 0) snprintf(message, message_size, "%s", why);
  return status;
}

static void release_made(dap_array* self) {
  struct made* made = self->manager_ctx;
  ++*made->released;
  memset(made->elements, 0x55, sizeof(made->elements)); /* who still reads is found out */
  free(made);
}

static void fill_elements(struct made* made) {
  for (int i = 0; i < n0; ++i)
    for (int j = 0; j < n1; ++j)
      for (int k = 0; k < n2; ++k) made->elements[k][j][i] = 100 * i + 10 * j + k;
  for (int k = 0; k < n2; ++k) { /* read from the end: 40, 30, 20, 10 */
    made->indices[2 * k] = 0;
    made->indices[2 * k + 1] = (unsigned char)(10 * (k + 1));
  }
}

static void fill_dimensions(struct made* made) {
  dap_dimension *block = &made->dims[0], *cyclic = &made->dims[1], *unstructured = &made->dims[2];
  made->extra.key = dap_text_of("units");
  made->extra.json = dap_text_of("\"m\"");
  block->dist_type = 'b';
  block->size = 10;
  block->proc_grid_size = 3;
  block->proc_grid_rank = 1;
  block->start = 4;
  block->stop = 7;
  block->has_padding = 1;
  block->padding[0] = block->padding[1] = 1;
  block->extras = &made->extra;
  block->extra_count = 1;
  cyclic->dist_type = 'c';
  cyclic->size = 5;
  cyclic->proc_grid_size = 2;
  cyclic->proc_grid_rank = 1;
  cyclic->start = 1;
  cyclic->block_size = 1;
  unstructured->dist_type = 'u';
  unstructured->size = n2;
  unstructured->proc_grid_size = 1;
  unstructured->one_to_one = 1;
  unstructured->indices.data = made->indices + 2 * (n2 - 1);
  unstructured->indices.count = n2;
  unstructured->indices.stride = -2;
  unstructured->indices.format = dap_text_of(">h");
  unstructured->indices.device.type = DAP_DEVICE_HOST;
}

int c_side_make(int* released, dap_array** array, char* message, size_t message_size) {
  struct made* made = calloc(1, sizeof(struct made));
  if (made == NULL) return fail(DAP_NO_MEMORY, message, message_size, "no memory");
  made->released = released;
  fill_elements(made);
  fill_dimensions(made);
  const int64_t shape[3] = {n0, n1, n2}, strides[3] = {8, 8 * n0, 8 * n0 * n1};
  memcpy(made->shape, shape, sizeof(shape));
  memcpy(made->strides, strides, sizeof(strides));
  dap_array* c = &made->array;
  c->major = DAP_MAJOR;
  c->manager_ctx = made;
  c->deleter = release_made;
  c->protocol_version = dap_text_of("0.10.0");
  c->buffer.data = made->elements;
  c->buffer.ndim = c->dim_count = 3;
  c->buffer.shape = made->shape;
  c->buffer.strides = made->strides;
  c->buffer.format = dap_text_of("d");
  c->buffer.device.type = DAP_DEVICE_HOST;
  c->dim_data = made->dims;
  *array = c;
  return fail(DAP_OK, message, message_size, "");
}

struct prefix {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(dap_array* self);
  uint64_t flags;
};

static void release_prefix(dap_array* self) {
  ++*(int*)self->manager_ctx;
  free(self);
}

int c_side_make_other(uint32_t major, int* released, dap_array** array, char* message, size_t message_size) {
  struct prefix* other = calloc(1, sizeof(struct prefix));
  if (other == NULL) return fail(DAP_NO_MEMORY, message, message_size, "no memory");
  other->major = major;
  other->manager_ctx = released;
  other->deleter = release_prefix;
  other->flags = UINT64_MAX;
  *array = (dap_array*)other;
  return fail(DAP_OK, message, message_size, "");
}

/* Text that is filled in piece by piece. */
struct page {
  char* text;
  size_t size, used;
};

static void put(struct page* page, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(page->text + page->used, page->size - page->used, format, arguments);
  va_end(arguments);
  if (length > 0) page->used += (size_t)length;
  if (page->used >= page->size) page->used = page->size - 1;
}

static void put_indices(struct page* page, const dap_indices* indices) {
  put(page, " %.*s device (%d, %d):", (int)indices->format.size, indices->format.data, (int)indices->device.type,
      (int)indices->device.id);
  for (int64_t i = 0; i < indices->count; ++i) {
    const char* at = (const char*)indices->data + i * indices->stride;
    int64_t index = 0;
    memcpy(&index, at, sizeof(index)); /* what the tests hand over is 64-bit */
    put(page, " %lld", (long long)index);
  }
}

static void put_dimension(struct page* page, const dap_dimension* d) {
  put(page, "%c size %lld grid %lld of %lld start %lld stop %lld block_size %lld periodic %d one_to_one %d",
      d->dist_type, (long long)d->size, (long long)d->proc_grid_rank, (long long)d->proc_grid_size, (long long)d->start,
      (long long)d->stop, (long long)d->block_size, d->periodic, d->one_to_one);
  if (d->has_padding) put(page, " padding (%lld, %lld)", (long long)d->padding[0], (long long)d->padding[1]);
  if (d->dist_type == 'u') put_indices(page, &d->indices);
  for (int64_t i = 0; i < d->extra_count; ++i)
    put(page, " %.*s=%.*s", (int)d->extras[i].key.size, d->extras[i].key.data, (int)d->extras[i].json.size,
        d->extras[i].json.data);
  put(page, "\n");
}

int c_side_describe(const dap_array* array, char* text, size_t text_size) {
  struct page page = {text, text_size, 0};
  if (array->major != DAP_MAJOR) return DAP_UNKNOWN_MAJOR;
  put(&page, "%.*s flags %llu %.*s device (%d, %d)", (int)array->protocol_version.size, array->protocol_version.data,
      (unsigned long long)array->flags, (int)array->buffer.format.size, array->buffer.format.data,
      (int)array->buffer.device.type, (int)array->buffer.device.id);
  for (int64_t axis = 0; axis < array->buffer.ndim; ++axis)
    put(&page, " %lld:%lld", (long long)array->buffer.shape[axis], (long long)array->buffer.strides[axis]);
  put(&page, "\n");
  for (int64_t axis = 0; axis < array->dim_count; ++axis) put_dimension(&page, &array->dim_data[axis]);
  return DAP_OK;
}

/* Visits every element along axis `axis` and those behind it, adding `add` to each; returns the sum before. */
static double visit(const dap_buffer* buffer, int64_t axis, char* at, double add) {
  double sum = 0;
  if (axis < buffer->ndim) {
    for (int64_t i = 0; i < buffer->shape[axis]; ++i)
      sum += visit(buffer, axis + 1, at + i * buffer->strides[axis], add);
    return sum;
  }
  memcpy(&sum, at, sizeof(sum));
  if (add != 0) {
    const double changed = sum + add;
    memcpy(at, &changed, sizeof(changed));
  }
  return sum;
}

static int readable(const dap_array* array, char* message, size_t message_size) {
  if (array->major != DAP_MAJOR) return fail(DAP_UNKNOWN_MAJOR, message, message_size, "unknown major");
  const dap_text format = array->buffer.format;
  if (format.size < 1 || format.size > 2 || format.data[format.size - 1] != 'd')
    return fail(DAP_INVALID, message, message_size, "no doubles");
  if (array->buffer.device.type != DAP_DEVICE_HOST) return fail(DAP_INVALID, message, message_size, "not on the host");
  return DAP_OK;
}

int c_side_sum(const dap_array* array, double* sum, char* message, size_t message_size) {
  const int status = readable(array, message, message_size);
  if (status != DAP_OK) return status;
  *sum = visit(&array->buffer, 0, array->buffer.data, 0);
  return DAP_OK;
}

int c_side_increment(const dap_array* array, char* message, size_t message_size) {
  const int status = readable(array, message, message_size);
  if (status != DAP_OK) return status;
  if (array->flags & DAP_FLAG_READ_ONLY) return fail(DAP_INVALID, message, message_size, "read-only");
  visit(&array->buffer, 0, array->buffer.data, 1);
  return DAP_OK;
}

static dap_array* kept = NULL;

int c_side_keep(dap_array* array) {
  dap_array_release(kept);
  kept = array;
  return DAP_OK;
}

double c_side_kept_sum(void) {
  double sum = 0;
  return c_side_sum(kept, &sum, NULL, 0) == DAP_OK ? sum : -1;
}

void c_side_drop(void) {
  dap_array_release(kept);
  kept = NULL;
}
