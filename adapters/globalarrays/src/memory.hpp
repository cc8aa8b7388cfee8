#pragma once

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// Where this process's part of a Global Array begins, its ghost cells included; null: it holds nothing. Local.
const void* local_memory(int handle);

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
