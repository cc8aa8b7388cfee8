#include <tridap/c/words.hpp>

#include <string_view>
#include <utility>
#include <vector>

namespace tridap::c {

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// Words of C++, of C and of Fortran. Longer ones come before what they contain.
struct Word {
  std::string_view cpp, c, fortran;
};

constexpr Word words[] = {
    {"pass Fit::nearest (Python: copy='if_needed'), or a contiguous copy",
     "move it by tridap_redistribute with order = TRIDAP_COLUMN_MAJOR", "move it by tridap_redistribute"},
    {", or pass Fit::nearest (Python: copy='if_needed')", "", ""},
    {"pass copy=if_needed and Fit::nearest", "move it by tridap_redistribute", "move it by tridap_redistribute"},
    {"to move the elements there, pass Fit::nearest (in Python nearest=True)", "move it there by tridap_redistribute",
     "move it there by tridap_redistribute"},
    {"make the array with allocate()", "make the array by tridap_ga_create", "make the array by tridap_ga_create"},
    {", and call collect()", "", ""},
    {"with create_dmda()", "by tridap_dmda_of", "by tridap_dmda_of"},
    {"pass copy=if_needed", "pass copy = TRIDAP_COPY_IF_NEEDED", "pass copy='if_needed'"},
    {"copy=if_needed", "copy = TRIDAP_COPY_IF_NEEDED", "copy='if_needed'"},
    {"copy=never", "copy = TRIDAP_COPY_NEVER", "copy='never'"},
    {"column-major memory (order='F')", "column-major memory", "memory as Fortran allocates it"},
    {" = tridap.zeros(A.distribution, comm=A.comm) makes one", " of tridap_allocate", " of tridap_allocate"},
    {"give indptr as SciPy has it", "make row_starts ascend from index_base to index_base + entry_count",
     "make the row starts ascend from 1 to one more than there are entries"},
    {"krylov_schur", "krylov schur", "krylov schur"},
    {"give the array's Named a type of HDF5, or convert the array", "convert the array", "convert the array"},
    {"give the array's Named a type of HDF5", "convert the array", "convert the array"},
    {"qr() and svd() take others", "tridap_qr and tridap_svd take others", "tridap_qr and tridap_svd take others"},
    {"svd() takes others", "tridap_svd takes others", "tridap_svd takes others"},
    {"svd() finds its rank", "tridap_svd finds its rank", "tridap_svd finds its rank"},
    {"solve() needs no definite", "tridap_dense_solve needs no definite", "tridap_dense_solve needs no definite"},
    {"make one with make_matrix()", "make one by tridap_matrix_of_csr", "make one by tridap_matrix_of_csr"},
    {"use method='gmres'", "set method = \"gmres\"", "pass method='gmres'"},
    {"or method='gmres'", "or method = \"gmres\"", "or method='gmres'"},
    {": H5Dread with H5T_NATIVE_DOUBLE, or dataset.read_direct(numbers) of h5py", ": H5Dread with H5T_NATIVE_DOUBLE",
     ": h5dread_f with H5T_NATIVE_DOUBLE"},
    {", or use export_operator(), which needs no entries", "", ""},
    {"use export_operator(), which needs no entries", "use a Mat with entries", "use a Mat with entries"},
    {"use export_array(), and copy_with_ghosts() to give it ghosts", "make one by VecCreateGhost",
     "make one by VecCreateGhost"},
    {", or use copy_with_ghosts()", "", ""},
    {"make one with create()", "make it by GA_Create", "make it by nga_create"},
    {"leave it false, and call update_padding() for", "leave it 0, and call tridap_update_padding for",
     "leave it out, and call tridap_update_padding for"},
    {"leave fill_padding false, and call update_padding() for",
     "leave fill_padding = 0, and call tridap_update_padding for",
     "leave fill_padding out, and call tridap_update_padding for"},
    {"call wait() first", "wait for it first", "wait for it first"},
    {"call start_update() or start_sum() first", "start it by tridap_ghosts_start", "start it first"},
    {"TriDAP::device", "the component device", "the component device"},
    {"std::exception", "exception of C++", "exception of C++"},
    {"pass the grid of this context: ProcessGrid::of_context()", "pass a desc of this context",
     "pass a desc of this context"},
    {"set the option `partial`", "set the option partial = 1", "pass partial=.true."},
    {"or set the option `convert`", "or set the option convert = 1", "or pass convert=.true."},
    {"; a process without a part passes DistArray{}", "", ""},
    {"the same Scaling", "the same alpha and beta", "the same alpha and beta"},
    {"distributions from tridap::mpi::gather_distribution", "the same distribution", "the same distribution"},
    {"the result of tridap::mpi::gather_distribution", "the same distribution", "the same distribution"},
    {"gather the distribution with gather_distribution()", "pass the same distribution", "pass the same distribution"},
    {"make a plan with this element_bytes", "pass an array of the plan's element type, or set the option convert = 1",
     "pass an array of the plan's kind, or pass convert=.true. to the call that makes the plan"},
    {"call start() first", "start it first", "start it first"},
    {"allocate what tridap_local_shape says", "allocate what tridap_local_shape says",
     "allocate what layout%local_shape() says"},
    {"by tridap_describe", "by tridap_describe", "by layout%describe()"},
    {"allocate what tridap_shape says", "allocate what tridap_shape says", "allocate what layout%shape() says"},
    {"pass a rank of the communicator, or TRIDAP_HERE", "pass a rank of the communicator, or TRIDAP_HERE",
     "pass a rank of the communicator"},
    {", or use tridap::allocate()", ", or use tridap_allocate", ", or use tridap_allocate"},
    {"must be one of tridap_copy", "must be one of tridap_copy", "must be 'never', 'if_needed' or 'always'"},
    {"pass TRIDAP_COPY_IF_NEEDED", "pass TRIDAP_COPY_IF_NEEDED", "pass copy='if_needed'"},
    {"must be one of tridap_op", "must be one of tridap_op", "must be 'N', 'T' or 'C'"},
    {"pass TRIDAP_OP_NONE", "pass TRIDAP_OP_NONE", "pass 'N'"},
    {"must be one of tridap_order", "must be one of tridap_order", "must be an order of elements"},
    {"ask tridap_count for TRIDAP_INTERIOR", "ask tridap_count for TRIDAP_INTERIOR",
     "ask layout%count(tridap_interior)"},
    {"must be one of tridap_type, and not TRIDAP_OTHER", "must be one of tridap_type, and not TRIDAP_OTHER",
     "must be a tridap_kind"},
    {"pass TRIDAP_FLOAT64 for double; or, for other elements, make the array of a dap_array by tridap_array_from_dap",
     "pass TRIDAP_FLOAT64 for double; or, for other elements, make the array of a dap_array by tridap_array_from_dap",
     "pass tridap_real8 for real(8)"},
    {"pass TRIDAP_OWNED", "pass TRIDAP_OWNED", "pass tridap_owned"},
    {"the flat number of an element, below ", "the flat number of an element, below ",
     "the number of an element, from 1 to "},
    {"row_count", "row_count", "size(row_starts) - 1"},
    {"array is NULL", "array is NULL", "the address is c_null_ptr"},
    {"vec is NULL", "vec is NULL", "vec%v is that of no Vec"},
    {"dm is NULL", "dm is NULL", "dm%v is that of no DM"},
    {"pass TRIDAP_COPY_NEVER, or NULL for dm", "pass TRIDAP_COPY_NEVER, or NULL for dm",
     "leave copy out, or leave dm out"},
    {"`", "'", "'"},
};

// Removes what begins with `from`, up to the bracket that closes the one in `from`.
void remove_bracket(std::string& text, std::string_view from) {
  for (std::size_t begin = text.find(from); begin != std::string::npos; begin = text.find(from, begin)) {
    std::size_t end = text.find('(', begin) + 1;
    for (int depth = 1; depth > 0 && end < text.size(); ++end)
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    text.erase(begin, end - begin);
  }
}

std::string in_words(std::string text, bool fortran) {
  for (const Word& word : words) replace_all(text, word.cpp, fortran ? word.fortran : word.c);
  for (const std::string_view python : {" (in Python ", " (Python: ", ": tridap.Matrix("}) remove_bracket(text, python);
  return text;
}

Report in_words(const Report& report, bool fortran) {
  std::vector<Finding> findings = report.findings();
  for (Finding& finding : findings)
    for (std::string* text : {&finding.key, &finding.value, &finding.must, &finding.remedy})
      *text = in_words(std::move(*text), fortran);
  return Report::from_parts(std::move(findings), report.counts());
}

}  // namespace

Report in_c(const Report& report) { return in_words(report, false); }

Report in_fortran(const Report& report) { return in_words(report, true); }

}  // namespace tridap::c
