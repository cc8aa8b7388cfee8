// The C++ of docs/howto/captures.md, with the headers that the page names and no others.
#include "captures_headers.inc"

void page_code_captures(MPI_Comm comm, const tridap::DistArray& array, const std::string& path) {
#include "captures_lines.inc"
}
