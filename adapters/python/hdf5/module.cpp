// The compiled part of tridap.save and tridap.load.

#include "../src/bindings.hpp"
#include "../src/comm.hpp"
#include "../src/errors.hpp"
#include "../src/gil.hpp"
#include "../src/memory.hpp"
#include "element_types.hpp"
#include <tridap/hdf5.hpp>
#include <tridap/internal/hdf5_steps.hpp>

#include <dlfcn.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tridap::python {

namespace {

// Calls a Python function from inside of a call without the GIL.
std::function<void(double)> progress_of(const py::object& function) {
  if (function.is_none()) return {};
  return [function = &function](double done) {
    const WithPython gil;
    try {
      (*function)(done);
    } catch (py::error_already_set& error) {
      rethrow_if_interrupted(error);
    }
  };
}

hdf5::Named named(const py::handle& item) {
  const auto parts = py::cast<py::tuple>(item);
  hdf5::Named made;
  made.name = py::cast<std::string>(parts[0]);
  const auto local = py::cast<py::array>(parts[1]);
  made.array.buffer = buffer_of(local);
  made.distribution = value_in<Distribution>(parts[2]);
  made.type = datatype_of(local);
  return made;
}

hdf5::Attribute attribute(const py::handle& item) {
  const auto parts = py::cast<py::tuple>(item);
  const auto name = py::cast<std::string>(parts[0]);
  if (py::isinstance<py::str>(parts[1])) return {name, py::cast<std::string>(parts[1])};
  return {name, buffer_of(py::cast<py::array>(parts[1]))};
}

// The arguments of tridap/_xdmf.py.
using OfXdmf = std::tuple<std::optional<std::vector<double>>, std::optional<std::vector<double>>,
                          std::vector<std::string>, bool, bool, bool>;

hdf5::Xdmf xdmf_of(const OfXdmf& given) {
  hdf5::Xdmf made;
  bool cells = false;
  std::tie(made.origin, made.spacing, made.coordinates, cells, made.vectors, made.x_first) = given;
  if (cells) made.centers = hdf5::Xdmf::Centers::cells;
  return made;
}

py::bytes write_xdmf(const std::string& path, const std::vector<std::string>& names, const OfXdmf& options) {
  return hdf5::write_xdmf(path, names, xdmf_of(options));
}

// What save() takes, from the Python objects: made on every process before any process communicates.
struct Saving {
  std::vector<hdf5::Named> arrays;
  std::vector<hdf5::Datatype> types;
  hdf5::SaveOptions options;
};

Saving prepare(const py::list& arrays, const py::list& attributes, std::optional<Index> step,
               std::optional<std::vector<Index>> chunks, int compression, const std::optional<OfXdmf>& xdmf,
               std::optional<double> time, py::handle comm) {
  Saving made;
  for (const py::handle item : arrays) made.arrays.push_back(named(item));
  for (const py::handle item : attributes) made.options.attributes.push_back(attribute(item));
  made.options.step = step;
  made.options.chunks = std::move(chunks);
  made.options.compression = compression;
  if (xdmf) made.options.xdmf = xdmf_of(*xdmf);
  made.options.time = time;
  made.types = hdf5::check_to_save(made.arrays, comm_of(comm), made.options);
  return made;
}

Receipt save(const std::string& path, Saving& saving, py::handle comm, const py::object& progress) {
  const MPI_Comm in = comm_of(comm);
  saving.options.progress = progress_of(progress);
  const WithoutPython released;
  return on_all(in, [&] { return hdf5::save_checked(path, saving.arrays, saving.types, in, saving.options); });
}

std::unique_ptr<hdf5::Search> find(const std::string& path, const std::string& name, py::handle comm, bool stepped,
                                   bool with_distribution, bool is_other) {
  const MPI_Comm in = comm_of(comm);
  const WithoutPython released;
  hdf5::SearchOptions options;
  options.stepped = stepped;
  options.with_distribution = with_distribution;
  options.with_indices = !with_distribution;
  options.is_other = is_other;
  return on_all(in, [&] { return std::make_unique<hdf5::Search>(path, name, in, options); });
}

// What load() takes: made on every process before any process communicates.
struct Loading {
  Buffer buffer;
  hdf5::Stored stored;
  Distribution distribution;
  hdf5::Reading reading;
};

Loading prepare_load(const py::array& local, const hdf5::Stored& stored, const Distribution& distribution,
                     py::handle comm, std::optional<Index> step) {
  Loading made{buffer_of(local), stored, distribution, {}};
  made.reading = hdf5::check_to_load(made.buffer, stored, distribution, comm_of(comm), {step});
  return made;
}

Receipt load(const Loading& loading, const hdf5::Search& search, py::handle comm, const py::object& progress) {
  const MPI_Comm in = comm_of(comm);
  const hdf5::LoadOptions options{{}, progress_of(progress)};
  const WithoutPython released;
  return on_all(in, [&] {
    const auto& [buffer, stored, distribution, reading] = loading;
    return hdf5::load_checked(buffer, search.file(), stored, distribution, in, reading, options);
  });
}

// A text of a file, which may be no UTF-8: as os.fsdecode shows it then.
py::object from_file(const std::string& text) {
  auto made = py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
  if (!made) throw py::error_already_set();
  return made;
}

py::dict read_attributes(const std::string& path, const std::string& name) {
  py::dict found;
  for (const hdf5::Attribute& attribute : hdf5::read_attributes(path, name)) {
    const auto* text = std::get_if<std::string>(&attribute.value);
    found[from_file(attribute.name)] =
        text != nullptr ? from_file(*text) : py::object(array_of(std::get<Buffer>(attribute.value)));
  }
  return found;
}

// The version, and the file of the library.
py::tuple library() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  Dl_info info{};
  const bool known = dladdr(reinterpret_cast<void*>(&H5get_libversion), &info) != 0 && info.dli_fname != nullptr;
  return py::make_tuple(std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release),
                        known ? info.dli_fname : "");
}

}  // namespace

}  // namespace tridap::python

PYBIND11_MODULE(_hdf5, module) {
  namespace here = tridap::python;
  namespace py = here::py;
  using tridap::hdf5::Stored;
  module.doc() = "The compiled part of tridap.save and tridap.load: use these.";
  here::share_state_of_core();
  py::module_::import("tridap");  // whose types these functions take and give
  py::class_<Stored>(module, "Stored")
      .def_property_readonly("name", [](const Stored& stored) { return stored.name; })
      .def_property_readonly("shape", [](const Stored& stored) { return here::tuple_of(stored.shape); })
      .def_property_readonly("steps", [](const Stored& stored) { return stored.steps; })
      .def_property_readonly("dtype", [](const Stored& stored) { return here::dtype_of(stored.type); })
      .def_property_readonly("is_bfloat16", [](const Stored& stored) { return tridap::hdf5::is_bfloat16(stored.type); })
      .def_property_readonly("distribution", [](const Stored& stored) { return stored.distribution; });
  py::class_<tridap::hdf5::Search>(module, "Search")
      .def_property_readonly("has_read", &tridap::hdf5::Search::has_read)
      .def("understood", &tridap::hdf5::Search::understood);
  py::class_<here::Saving>(module, "Saving");
  py::class_<here::Loading>(module, "Loading");
  module.def("prepare", &here::prepare);
  module.def("save", &here::save);
  module.def("find", &here::find);
  module.def("prepare_load", &here::prepare_load);
  module.def("load", &here::load);
  module.def("default_distribution", &tridap::hdf5::default_distribution);
  module.def("bfloat16_dtype", &here::bfloat16_dtype);
  module.def("read_attributes", &here::read_attributes);
  module.def("dataset_names", &tridap::hdf5::dataset_names);
  module.def("write_xdmf", &here::write_xdmf);
  module.def("library", &here::library);
}
