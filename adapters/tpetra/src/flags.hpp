#pragma once

#include <dap/dist_array.hpp>

#include <optional>
#include <string>

namespace dap::tpetra::detail {

/// What a process says of its own memory while a Layout is made, in one message with all the rest.
enum Flag : Index {
  row_major = 1,  ///< dense, the last axis varying fastest, and no axis padded
  shareable = 2,  ///< it can be the memory of what is asked for as it stands
};

/// Which of row_major holds; for an array that may yet be wrong.
Index memory_flags(const DistArray& array);

/// Tpetra's limits, checked before Tpetra is called: it finds them on some processes only, and hangs the others. `span`
/// is that of the ids, `largest` the elements of the fullest process.
void check_limits(Index span, Index largest, Index processes, bool one_range);

[[noreturn]] void refuse(std::string fault, std::string remedy, std::optional<Index> axis = {});

}  // namespace dap::tpetra::detail
