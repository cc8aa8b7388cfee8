#pragma once

#include <dap/index.hpp>

#include <array>
#include <vector>

namespace dap::globalarrays {

/// What tells a Global Array from another one of the same handle.
struct Fingerprint {
  /// Group, type, axes; then by axis its extent, and where this process's part begins and ends.
  std::array<Index, 24> numbers{};
  bool operator==(const Fingerprint& other) const { return numbers == other.numbers; }
};

/// That of a handle that GA_Verify_handle knows. Local.
Fingerprint fingerprint(int handle);

/// What of it is the same on all processes, in as many numbers for any array. Local.
std::vector<Index> shape_and_type(int handle);

/// Ends the access to this process's part, as local_memory() began it: what was written is there for all. Local.
void close_access(int handle);

}  // namespace dap::globalarrays
