#include "same_mpi.hpp"

#include <dlfcn.h>
#include <mpi.h>
#include <pybind11/pybind11.h>

#include <array>
#include <optional>
#include <string>

namespace py = pybind11;

namespace tridap::python {

namespace {

using GetLibraryVersion = int (*)(char* version, int* length);  // the same in each MPI, and allowed before MPI_Init

constexpr std::size_t longest_version = 8192;  // of any MPI; MPI_MAX_LIBRARY_VERSION_STRING is that of this one

// The MPI whose function this is, in a few words: "Open MPI v4.1.4", "MPICH 4.0.2".
std::string name_of(GetLibraryVersion get) {
  std::array<char, longest_version + 1> text{};
  int length = 0;
  if (get(text.data(), &length) != MPI_SUCCESS) return "an unknown MPI";
  std::string name(text.data());
  name = name.substr(0, name.find_first_of(",\r\n"));
  if (const auto label = name.find(" Version:"); label != std::string::npos) {
    const auto number = name.find_first_not_of(" \t", label + 9);
    name = name.substr(0, label) + (number == std::string::npos ? "" : " " + name.substr(number));
  }
  return name;
}

#ifdef OPEN_MPI
constexpr bool compiled_for_open_mpi = true;
const char* const headers = "Open MPI";
#else
constexpr bool compiled_for_open_mpi = false;
#if defined MPICH_VERSION
const char* const headers = "MPICH " MPICH_VERSION;
#else
const char* const headers = "an MPI other than Open MPI";
#endif
#endif

// The file of the extension module mpi4py.MPI, if Python finds it.
std::optional<std::string> file_of_mpi4py() {
  try {
    const py::object spec = py::module_::import("importlib.util").attr("find_spec")("mpi4py.MPI");
    if (spec.is_none() || !py::isinstance<py::str>(spec.attr("origin"))) return std::nullopt;
    return py::cast<std::string>(spec.attr("origin"));
  } catch (
      const py::error_already_set&) {  // there is no mpi4py, or it cannot be imported: who imports it gets the reason
    return std::nullopt;
  }
}

// The function that mpi4py calls for the version of its MPI; nullptr if mpi4py does not say. Its name is not that which
// tools for profiling replace.
GetLibraryVersion version_in(const std::string& file) {
  void* const loaded = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);  // stays, since the import of mpi4py loads it too
  return loaded == nullptr ? nullptr : reinterpret_cast<GetLibraryVersion>(dlsym(loaded, "PMPI_Get_library_version"));
}

}  // namespace

void need_the_mpi_of_mpi4py() {
  const std::string ours = name_of(&PMPI_Get_library_version);
  if ((ours.rfind("Open MPI", 0) == 0) != compiled_for_open_mpi)
    throw py::import_error(std::string("tridap was compiled for ") + headers + ", but this process loads " + ours +
                           " in its place, by LD_PRELOAD, LD_LIBRARY_PATH, or because mpi4py was built for that MPI: "
                           "install a tridap and an mpi4py that were built for one MPI");
  const auto file = file_of_mpi4py();
  const auto theirs = file ? version_in(*file) : nullptr;
  if (theirs == nullptr || theirs == &PMPI_Get_library_version) return;
  const std::string name = name_of(theirs);
  throw py::import_error("tridap was built for " + ours + ", but mpi4py for " +
                         (name == ours ? "another copy of " : "") + name + " (" + *file +
                         "): install the mpi4py that was built for the MPI of tridap, or build tridap again "
                         "with the compilers of the MPI of mpi4py");
}

}  // namespace tridap::python
