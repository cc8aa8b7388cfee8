// The C++ of docs/howto/solve.md, with the headers that the page names and no others.
#include "solve_headers.inc"

using tridap::Index;

void page_code_solve(MPI_Comm comm, const tridap::DistArray& b, const tridap::DistArray& x,
                     const std::vector<double>& data, const std::vector<Index>& columns,
                     const std::vector<Index>& starts) {
#include "solve_lines.inc"
}
