/* The layout of tridap/dap.h on a 64-bit machine, pinned: who changes a number here changes DAP_MAJOR. Included by C
 * and by C++. */
#include <tridap/dap.h>

#include <stddef.h>

#define PIN(name, condition) typedef char pinned_##name[(condition) ? 1 : -1]
#define FIELD(type, field, offset, size) \
  PIN(type##_##field, offsetof(type, field) == (offset) && sizeof(((type*)0)->field) == (size))
#define STRUCT(type, size) PIN(type, sizeof(type) == (size))

#if UINTPTR_MAX == 0xffffffffffffffffu

STRUCT(dap_text, 16);
FIELD(dap_text, data, 0, 8);
FIELD(dap_text, size, 8, 8);

STRUCT(dap_device, 40);
FIELD(dap_device, type, 0, 4);
FIELD(dap_device, id, 4, 4);
FIELD(dap_device, stream, 8, 8);
FIELD(dap_device, event, 16, 8);
FIELD(dap_device, reserved, 24, 16);

STRUCT(dap_buffer, 120);
FIELD(dap_buffer, data, 0, 8);
FIELD(dap_buffer, ndim, 8, 8);
FIELD(dap_buffer, shape, 16, 8);
FIELD(dap_buffer, strides, 24, 8);
FIELD(dap_buffer, format, 32, 16);
FIELD(dap_buffer, device, 48, 40);
FIELD(dap_buffer, reserved, 88, 32);

STRUCT(dap_indices, 96);
FIELD(dap_indices, data, 0, 8);
FIELD(dap_indices, count, 8, 8);
FIELD(dap_indices, stride, 16, 8);
FIELD(dap_indices, format, 24, 16);
FIELD(dap_indices, device, 40, 40);
FIELD(dap_indices, reserved, 80, 16);

STRUCT(dap_extra, 48);
FIELD(dap_extra, key, 0, 16);
FIELD(dap_extra, json, 16, 16);
FIELD(dap_extra, reserved, 32, 16);

STRUCT(dap_dimension, 216);
FIELD(dap_dimension, dist_type, 0, 1);
FIELD(dap_dimension, periodic, 1, 1);
FIELD(dap_dimension, has_padding, 2, 1);
FIELD(dap_dimension, one_to_one, 3, 1);
FIELD(dap_dimension, reserved_flags, 4, 4);
FIELD(dap_dimension, size, 8, 8);
FIELD(dap_dimension, proc_grid_size, 16, 8);
FIELD(dap_dimension, proc_grid_rank, 24, 8);
FIELD(dap_dimension, start, 32, 8);
FIELD(dap_dimension, stop, 40, 8);
FIELD(dap_dimension, block_size, 48, 8);
FIELD(dap_dimension, padding, 56, 16);
FIELD(dap_dimension, indices, 72, 96);
FIELD(dap_dimension, extras, 168, 8);
FIELD(dap_dimension, extra_count, 176, 8);
FIELD(dap_dimension, reserved, 184, 32);

STRUCT(dap_array, 248);
FIELD(dap_array, major, 0, 4);
FIELD(dap_array, minor, 4, 4);
FIELD(dap_array, manager_ctx, 8, 8);
FIELD(dap_array, deleter, 16, 8);
FIELD(dap_array, flags, 24, 8);
FIELD(dap_array, protocol_version, 32, 16);
FIELD(dap_array, buffer, 48, 120);
FIELD(dap_array, dim_data, 168, 8);
FIELD(dap_array, dim_count, 176, 8);
FIELD(dap_array, reserved, 184, 64);

#endif

PIN(major, DAP_MAJOR == 1);
PIN(read_only, DAP_FLAG_READ_ONLY == 1);
PIN(copied, DAP_FLAG_COPIED == 2);
PIN(host, DAP_DEVICE_HOST == 1);
PIN(cuda, DAP_DEVICE_CUDA == 2);
PIN(cuda_host, DAP_DEVICE_CUDA_HOST == 3);
PIN(rocm, DAP_DEVICE_ROCM == 10);
PIN(rocm_host, DAP_DEVICE_ROCM_HOST == 11);
PIN(managed, DAP_DEVICE_CUDA_MANAGED == 13);
PIN(oneapi, DAP_DEVICE_ONEAPI == 14);
PIN(ok, DAP_OK == 0);
PIN(unknown_major, DAP_UNKNOWN_MAJOR == 1);
PIN(invalid, DAP_INVALID == 2);
PIN(no_memory, DAP_NO_MEMORY == 3);
PIN(failed, DAP_FAILED == 4);
