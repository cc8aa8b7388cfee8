#include "cxx_side.h"

#include <tridap/c_array.hpp>

#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>

namespace {

std::optional<tridap::DistArray> kept;

int fail(const std::exception& error, char* message, std::size_t size) {
  std::snprintf(message, size, "%s", error.what());
  return DAP_INVALID;
}

}  // namespace

extern "C" {

int cxx_side_make(double** elements, int* released, dap_array** array, char* message, std::size_t message_size) {
  try {
    const std::shared_ptr<double[]> memory(new double[5]{5, 6, 7, 8, 9}, [released](const double* data) {
      ++*released;
      delete[] data;
    });
    tridap::DistArray made;
    made.buffer = tridap::row_major(memory.get(), {5}, std::shared_ptr<void>(memory, memory.get()));
    tridap::Dimension dimension;
    dimension.size = 10;
    dimension.proc_grid_size = 2;
    dimension.proc_grid_rank = 1;
    dimension.dist = tridap::Block{5, 10, {}};
    made.dim_data = {dimension};
    *elements = memory.get();
    *array = tridap::to_c(std::move(made)).release();
    return DAP_OK;
  } catch (const std::exception& error) {
    return fail(error, message, message_size);
  }
}

int cxx_side_keep(dap_array* array, char* message, std::size_t message_size) {
  try {
    kept = tridap::from_c(tridap::CArray(array));
    return DAP_OK;
  } catch (const std::exception& error) {
    return fail(error, message, message_size);
  }
}

double cxx_side_kept_first() {
  double first = 0;
  std::memcpy(&first, kept->buffer.data, sizeof(first));
  return first;
}

void cxx_side_drop() { kept.reset(); }

int cxx_side_check(const dap_array* array, char* message, std::size_t message_size) {
  return dap_array_check(array, message, message_size);
}

}  // extern "C"
