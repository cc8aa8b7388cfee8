#include <tridap/dap.h>

#include <stdio.h>
#include <string.h>

/* An array of no version is refused, by the checks that are C++ inside. */
int main(void) {
  dap_array array;
  char message[200];
  memset(&array, 0, sizeof array);
  array.major = DAP_MAJOR;
  if (dap_array_check(&array, message, sizeof message) == DAP_OK) return 1;
  puts(message);
  return message[0] == 0;
}
