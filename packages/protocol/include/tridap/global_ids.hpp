#pragma once

#include <tridap/index.hpp>

namespace tridap {

/// The global ids of the elements that one process holds, in memory order: a list, or a range.
///
/// `{3, ids, 0}` are the ids `ids[0]`, `ids[1]` and `ids[2]`; `{3, nullptr, 10}` are 10, 11 and 12. The list is not
/// copied. It must outlive the call that reads it.
struct GlobalIds {
  Index count = 0;
  const Index* list = nullptr;  ///< `count` ids; null: `first`, `first + 1`, ...
  Index first = 0;              ///< of a range
};

}  // namespace tridap
