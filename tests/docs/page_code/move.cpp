// The C++ of docs/howto/move.md, with the headers that the page names and no others.
#include "move_headers.inc"

void page_code_move(MPI_Comm comm, int rank, int processes, tridap::Index n, const tridap::DistArray& array,
                    const tridap::DistArray& other) {
#include "move_lines.inc"
}
