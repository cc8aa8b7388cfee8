#pragma once

#include <tridap/buffer.hpp>
#include <tridap/distribution.hpp>
#include <tridap/receipt.hpp>

#include <string>

namespace tridap {

// What several libraries need of an array. Each of these functions throws Error if it is not so, and is local. `called`
// is what the message calls the buffer or the distribution.

/// The elements are in host memory.
void need_host_memory(const Buffer& buffer, const std::string& called = "the buffer");

/// The distribution is for all processes of a communicator, which has so many.
void need_processes(const Distribution& distribution, Index processes, const std::string& called = "the distribution");

/// The buffer has the extents of this process's part.
void need_part(const Buffer& buffer, const Distribution& distribution, Index process,
               const std::string& called = "the buffer");

/// Adds the keys that the protocol does not have to what a conversion has lost; `of` follows their names.
void add_lost_keys(const DimData& dim_data, Receipt& receipt, const std::string& of = "");

}  // namespace tridap
