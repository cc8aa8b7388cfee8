#include <tridap/dap.h>

#include <stdio.h>

int main(void) {
  double data[5] = {0, 1, 2, 3, 4};                      /* your memory: elements 0 to 4 of 10, on process 0 of 2 */
  int64_t shape[1] = {5}, strides[1] = {sizeof data[0]}; /* in elements, in bytes */
  dap_dimension axis = {0};                              /* what is not used is zero */
  dap_array array = {0};
  char message[500];

  axis.dist_type = 'b'; /* distributed in blocks */
  axis.size = 10;
  axis.proc_grid_size = 2;
  axis.proc_grid_rank = 0;
  axis.start = 0;
  axis.stop = 12; /* wrong: it must be 5 */

  array.major = DAP_MAJOR;
  array.protocol_version = dap_text_of("0.10.0");
  array.buffer.data = data;
  array.buffer.ndim = array.dim_count = 1;
  array.buffer.shape = shape;
  array.buffer.strides = strides;
  array.buffer.format = dap_text_of("d"); /* double */
  array.buffer.device.type = DAP_DEVICE_HOST;
  array.dim_data = &axis;

  if (dap_array_check(&array, message, sizeof message) != DAP_OK) puts(message);
  axis.stop = 5;
  if (dap_array_check(&array, message, sizeof message) == DAP_OK) puts("valid");
  return 0;
}
