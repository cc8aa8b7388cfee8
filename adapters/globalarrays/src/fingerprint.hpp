#pragma once

#include "description.hpp"
#include <dap/index.hpp>

#include <cstdint>
#include <vector>

namespace dap::globalarrays {

/// What tells a Global Array from another one of the same handle: made of its group, type and shape, and of where this
/// process's part begins and ends.
using Fingerprint = std::uint64_t;

/// That of a handle that GA_Verify_handle knows. Local.
Fingerprint fingerprint(int handle);

/// The same, of what was asked already: a part of one block.
Fingerprint fingerprint(const Description& description, const Part& part);

/// What of it is the same on all processes, in as many numbers for any array. Local.
std::vector<Index> shape_and_type(int handle);

}  // namespace dap::globalarrays
