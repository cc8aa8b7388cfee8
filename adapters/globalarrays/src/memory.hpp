#pragma once

namespace tridap::globalarrays {

/// Where this process's part of a Global Array begins, its ghost cells included; null: it holds nothing. Local.
const void* local_memory(int handle);

}  // namespace tridap::globalarrays
