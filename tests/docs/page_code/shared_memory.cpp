// The C++ of docs/howto/shared_memory.md, with the headers that the page names and no others.
#include "shared_memory_headers.inc"

void page_code_shared_memory(MPI_Comm comm, int rank, const tridap::Distribution& tiles) {
#include "shared_memory_lines.inc"
}
