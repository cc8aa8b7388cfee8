#pragma once

namespace bench {

/// Moves a matrix from row-major into column-major memory, and back, against a loop and against memcpy of the same
/// bytes. Returns whether all bounds hold. **Collective.**
bool compare_memory_orders();

}  // namespace bench
