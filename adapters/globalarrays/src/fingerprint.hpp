#pragma once

#include <dap/index.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace dap::globalarrays {

/// What tells a Global Array from another one of the same handle.
struct Fingerprint {
  int group = 0, type = 0, axes = 0;
  std::array<std::array<Index, 3>, 7> of_axis{};  ///< extent; where this process's part begins; and its last index

  bool operator==(const Fingerprint& other) const;
};

/// That of a handle that GA_Verify_handle knows. Local.
Fingerprint fingerprint(int handle);

/// What of it is the same on all processes, in as many numbers for any array. Local.
std::vector<Index> shape_and_type(int handle);

/// Ends the access to this process's part, as local_memory() began it: what was written is there for all. Local.
void close_access(int handle, const Fingerprint& array);

}  // namespace dap::globalarrays
