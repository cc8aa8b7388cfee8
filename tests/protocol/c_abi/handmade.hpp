#pragma once

#include <tridap/c_array.hpp>

#include <array>
#include <cstdint>
#include <vector>

/// A dap_array put together by hand, as a producer without our library would: sound as it comes, for a test to break.
/// Axis 0 is a padded block with an extra, axis 1 cyclic, axis 2 unstructured; 3 x 2 x 4 doubles in row-major order.
struct Handmade {
  std::array<double, 24> elements = {};
  std::array<std::int32_t, 4> indices = {7, -3, 5, 0};
  std::vector<std::int64_t> shape = {3, 2, 4}, strides = {64, 32, 8};
  std::array<dap_extra, 2> extras = {};
  std::vector<dap_dimension> dims = std::vector<dap_dimension>(3);
  dap_array c = {};
  int released = 0;

  Handmade() {
    c.major = DAP_MAJOR;
    c.manager_ctx = this;
    c.deleter = [](dap_array* self) { ++static_cast<Handmade*>(self->manager_ctx)->released; };
    c.protocol_version = dap_text_of("0.10.0");
    c.buffer.data = elements.data();
    c.buffer.ndim = c.dim_count = 3;
    c.buffer.shape = shape.data();
    c.buffer.strides = strides.data();
    c.buffer.format = dap_text_of("d");
    c.buffer.device.type = DAP_DEVICE_HOST;
    c.dim_data = dims.data();
    extras[0].key = dap_text_of("units");
    extras[0].json = dap_text_of("\"m\"");
    extras[1].key = dap_text_of("origin");
    extras[1].json = dap_text_of("[0, 1.5]");
    dimension(0, 'b', 10, 3, 1).start = 4;
    dims[0].stop = 7;
    dims[0].has_padding = 1;
    dims[0].padding[0] = dims[0].padding[1] = 1;
    dims[0].extras = extras.data();
    dims[0].extra_count = 2;
    dimension(1, 'c', 5, 2, 1).start = 1;
    dims[1].block_size = 1;
    dimension(2, 'u', 4, 1, 0).one_to_one = 1;
    dims[2].indices.data = indices.data();
    dims[2].indices.count = 4;
    dims[2].indices.stride = 4;
    dims[2].indices.format = dap_text_of("i");
    dims[2].indices.device.type = DAP_DEVICE_HOST;
  }
  Handmade(const Handmade&) = delete;
  Handmade& operator=(const Handmade&) = delete;

  dap_dimension& dimension(std::size_t axis, char dist_type, std::int64_t size, std::int64_t grid, std::int64_t rank) {
    dims[axis].dist_type = dist_type;
    dims[axis].size = size;
    dims[axis].proc_grid_size = grid;
    dims[axis].proc_grid_rank = rank;
    return dims[axis];
  }
};
