#include "errors.hpp"

#include "array.hpp"
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/mpi/agree.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tridap::python {

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// Replaces each "move it (in Python x.redistribute(...)), or" by "move it: x.redistribute(...), or".
void name_python_lines(std::string& text) {
  constexpr std::string_view begin = " (in Python ";
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    text.replace(at, begin.size(), ": ");
    int open = 1;
    for (std::size_t i = at; i < text.size() && open > 0; ++i) {
      if (text[i] == '(') ++open;
      if (text[i] == ')' && --open == 0) text.erase(i, 1);
    }
  }
}

// Words of C++, and of its libraries, and those of Python. Longer ones come before what they contain.
constexpr std::pair<std::string_view, std::string_view> words[] = {
    {"Fit::nearest (Python: copy='if_needed')", "copy=\"if_needed\""},
    {"copy=never", "copy=None"},
    {"copy=if_needed", "copy=\"if_needed\""},
    {"set the option `partial`", "pass partial=True"},
    {"x_first is set", "axes is 'xyz'"},
    {"leave out x_first", "leave out axes"},
    {"leave out xdmf", "leave out xdmf=True"},
    {", or set the option", ", or pass convert=True"},
    {"Mapping::", ""},
    {"PlacedDistribution::ranks", "ranks"},
    {"; a process without a part passes DistArray{}", ""},
    {"must pass DistArray{}", "must pass None"},
    {"the same Scaling", "the same alpha and beta"},
    {"distributions from tridap::mpi::gather_distribution", "one Distribution"},
    {"the result of tridap::mpi::gather_distribution", "one Distribution"},
    {"gather the distribution with gather_distribution()",
     "pass one Distribution on every process: dist = comm.bcast(dist)"},
    {"ProcessGrid::of_context()", "tridap.scalapack.ProcessGrid(context=context)"},
    {"ProcessGrid(comm, placed)", "grid = tridap.scalapack.ProcessGrid(*array.distribution.grid, array.comm)"},
    {"such as near_square_grid()", "such as tridap.scalapack.ProcessGrid(*MPI.Compute_dims(comm.size, 2), comm)"},
    {"qr() and svd() take others", "tridap.scalapack.qr(A) and tridap.scalapack.svd(A) take others"},
    {"svd() takes others", "tridap.scalapack.svd(A) takes others"},
    {"svd() finds its rank", "tridap.scalapack.svd(A) finds its rank"},
    {"solve() needs no definite matrix", "tridap.scalapack.solve(A, b) needs no definite matrix"},
    {"; C++ callers that use no solver can set shared = true", ""},
    {", or use tridap::allocate()", ""},
    {", or use copy_with_ghosts()", ""},
    {"use export_array(), and copy_with_ghosts() to give it ghosts", "make a copy with ghosts"},
    {"must be made by VecCreateGhost or VecCreateGhostBlock", "must be made by PETSc.Vec().createGhost()"},
    {", from VecNestGetSubVec", ": arrays = [tridap.petsc.export_array(block) for block in vec.getNestSubVecs()]"},
    {"create it with VecSetType(vec, VECSTANDARD)", "create it with vec.setType(\"standard\")"},
    {"set it with MatShellSetOperation(mat, MATOP_MULT, ...), or give a Mat that multiplies",
     "give a Mat that multiplies: mat = tridap.petsc.make_shell(operator, array)"},
    {"call VecSetSizes and VecSetFromOptions or VecSetType first", "set it up: vec.setSizes(size); vec.setUp()"},
    {"call MatSetType or MatSetFromOptions first", "set it up: mat.setSizes(size); mat.setUp()"},
    {"call MatAssemblyBegin and MatAssemblyEnd first", "assemble it"},
    {"convert it to MATAIJ with MatConvert", "convert it"},
    {"use export_operator(), which", "use tridap.petsc.export_operator(mat), which"},
    {"before VecSetLocalToGlobalMapping", "before vec.setLGMap(mapping)"},
    {"call DMSetUp first", "set it up"},
    {" with create_dmda()", ""},
    {"call wait() first", "call x.wait() first"},
    {"call start_update() or start_sum() first", "call x.start_update() or x.start_sum() first"},
    {"or make the array with allocate()",
     "or make the array with tridap.globalarrays.allocate(array.distribution, array.dtype, array.comm)"},
    {"pass copy=\"if_needed\" and Fit::nearest", "pass copy=\"if_needed\", nearest=True"},
    {"pass Fit::nearest: nearest=True", "pass nearest=True"},
    {"call collect()", "call tridap.globalarrays.collect()"},
    {"call destroy() only", "call tridap.globalarrays.destroy() only"},
    {"use it before the Session ends, and destroy the GlobalArray object instead of calling GA_Destroy",
     "use it before the Session ends"},
    {"destroy the GlobalArray object instead", "release it: del array; tridap.globalarrays.collect()"},
    {"make a Session first", "make one: session = tridap.globalarrays.Session()"},
    {"call make_group(comm) first",
     "pass comm=None and a distribution over all processes: dist = tridap.distribution(dist.shape)"},
    {"set its element type with name_type()", "set its element type in C++ with tridap::globalarrays::name_type()"},
    {"H5Dread with H5T_NATIVE_DOUBLE, or dataset", "dataset"},
    {"of a Tpetra::CrsMatrix<double>", "of Trilinos' matrices"},
    {", or take a node type whose vectors are in host memory", ""},
    {"import it as const elements, pass", "pass"},
    {", or import row-major memory as a block vector", ""},
    {", or make an ArrayMap of this array, which has the order of its memory", ""},
};

// The messages of C++ in the words of Python.
std::string in_python(std::string text) {
  name_python_lines(text);
  for (const auto& [from, to] : words) replace_all(text, from, to);
  return text;
}

Error in_python(const Error& error) {
  const Report& report = error.report();
  std::vector<Finding> findings = report.findings();
  for (Finding& finding : findings)
    for (std::string* text : {&finding.value, &finding.must, &finding.remedy}) *text = in_python(std::move(*text));
  return Error(Report::from_parts(std::move(findings), report.counts()));
}

// Sets an exception of the Python class that tridap/_errors.py defines.
void set_protocol_error(const Error& given, const py::object& cause, const Raising& how) {
  const char* const names[] = {"ProtocolError", "ProtocolTypeError", "ProtocolIndexError"};
  const py::object type = py::module_::import("tridap._errors").attr(names[static_cast<int>(how.kind)]);
  const Error error = in_python(given);
  const py::object made = type(py::str(error.what()), py::cast(Checked{error.report(), nullptr}));
  if (how.elsewhere) made.attr("_printed_elsewhere") = true;
  if (how.of && how.of->is_made()) {  // for the process that prints to tell the others
    using Owner = std::shared_ptr<mpi::Duplicates>;
    made.attr("_on_all") =
        py::make_tuple(static_cast<long long>(MPI_Comm_c2f(how.of->ours())),
                       py::capsule(new Owner(how.of), [](void* owner) { delete static_cast<Owner*>(owner); }));
  }
  if (cause) PyException_SetCause(made.ptr(), py::object(cause).release().ptr());
  PyErr_SetObject(type.ptr(), made.ptr());
}

}  // namespace

ErrorKind error_kind_of(const std::optional<py::error_already_set>& raised) {
  if (!raised) return ErrorKind::other;
  if (raised->matches(PyExc_TypeError)) return ErrorKind::type_error;
  return raised->matches(PyExc_IndexError) ? ErrorKind::index_error : ErrorKind::other;
}

Raising agree_kind(bool failed, ErrorKind kind, MPI_Comm comm) {
  const auto is_not = [&](ErrorKind wanted) -> Index { return failed && kind != wanted ? 1 : 0; };
  const std::vector<MinMax> some =
      mpi::min_max({failed ? 1 : 0, is_not(ErrorKind::type_error), is_not(ErrorKind::index_error)}, comm);
  Raising how = raised_on_all(comm);
  if (some[0].largest == 0) return how;
  if (some[1].largest == 0) how.kind = ErrorKind::type_error;
  if (some[2].largest == 0) how.kind = ErrorKind::index_error;
  return how;
}

void throw_protocol_error(const Error& error, const py::object& cause, const Raising& how) {
  set_protocol_error(error, cause, how);
  throw py::error_already_set();
}

void bind_errors(py::module_&) {
  py::register_exception_translator([](std::exception_ptr raised) {
    try {
      if (raised) std::rethrow_exception(raised);
    } catch (const Error& error) {
      try {
        const auto* agreed = dynamic_cast<const AgreedError*>(&error);
        set_protocol_error(error, {}, agreed != nullptr ? agreed->how() : Raising{});
      } catch (py::error_already_set& failed) {
        failed.restore();
      }
    }
  });
}

}  // namespace tridap::python
