// The C++ of docs/howto/halo.md, with the headers that the page names and no others.
#include "halo_headers.inc"

using tridap::Index;

void page_code_halo(MPI_Comm comm, const tridap::Distribution& points, const tridap::DistArray& u, double* data,
                    Index count, const std::vector<Index>& ghosts) {
#include "halo_lines.inc"
}
