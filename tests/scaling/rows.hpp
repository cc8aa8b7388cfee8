#pragma once

#include <tridap/index.hpp>

namespace scaling {

/// What is measured for a number of processes: each function prints some rows.
void first_use(tridap::Index processes);
void structured_rows(tridap::Index processes);
void listed_rows(tridap::Index processes);
void inferred_rows(tridap::Index processes);

}  // namespace scaling
