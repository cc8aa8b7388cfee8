#include "user_call.hpp"

#include "comm.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "text_argument.hpp"
#include <tridap/mpi/watch.hpp>

#include <pybind11/stl.h>

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tridap::python {

namespace {

using namespace py::literals;

thread_local UserCall* innermost = nullptr;

// The calls of functions of Python, one inside of a callback of the other. Nothing is allocated for them, because a
// process whose memory has ended must begin its call as the others do.
struct OfPython {
  std::array<std::optional<UserCall>, 16> calls;
  std::size_t count = 0;
};
thread_local OfPython of_python;

// A text that is never freed, because other threads may read it at any time.
const char* lasting(const std::string& text) {
  static auto& all = *new std::set<std::string>;  // guarded by the GIL
  return all.insert(text).first->c_str();
}

mpi::Libraries libraries_named(const std::vector<std::string>& names) {
  mpi::Libraries found;
  for (const std::string& name : names) {
    if (name == "trilinos") found.add(static_cast<std::size_t>(mpi::Library::trilinos));
    if (name == "blacs") found.add(static_cast<std::size_t>(mpi::Library::blacs));
    if (name == "hdf5") found.add(static_cast<std::size_t>(mpi::Library::hdf5));
    if (name == "petsc") found.add(static_cast<std::size_t>(mpi::Library::petsc));
    if (name == "globalarrays") found.add(static_cast<std::size_t>(mpi::Library::globalarrays));
  }
  return found;
}

// A function of Python, as its decorator knows it. It is never freed.
struct Function {
  const char* name;
  mpi::Libraries libraries;
};

// The file and the line of the program that calls this package; null if it is unknown.
const char* place_of_caller() {
  const auto folder_of = [](const std::string& file) { return file.substr(0, file.rfind('/') + 1); };
  try {
    static const auto& own = *new std::string(folder_of(utf8_text(py::module_::import("tridap").attr("__file__"))));
    auto frame = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
    for (; frame && !frame.is_none(); frame = frame.attr("f_back")) {
      const auto file = utf8_text(frame.attr("f_code").attr("co_filename"));
      if (folder_of(file) == own) continue;
      return lasting(file.substr(file.rfind('/') + 1) + ":" + py::cast<std::string>(py::str(frame.attr("f_lineno"))));
    }
  } catch (const std::exception&) {  // what Python raised is discarded
  }
  return nullptr;
}

/// Lets a thread into libraries for a step that does not communicate.
class InsideOf {
 public:
  explicit InsideOf(mpi::Libraries libraries) : libraries_(libraries) {}
  void enter() {
    const WithoutPython released;
    inside_.emplace(libraries_);
  }
  void leave() {
    const WithoutPython released;
    inside_.reset();
  }

 private:
  mpi::Libraries libraries_;
  std::optional<mpi::Inside> inside_;
};

}  // namespace

UserCall::UserCall(const char* name, mpi::Libraries libraries)
    : thread_(mpi::state().this_thread()), is_outermost_(thread_.called == nullptr), libraries_(libraries) {
  if (!is_outermost_) return;
  thread_.called = name;
  thread_.place = mpi::state().watches ? place_of_caller() : nullptr;
  thread_.enter(name);
  outer_ = std::exchange(innermost, this);
}

UserCall::~UserCall() {
  if (!is_outermost_) return;
  if (call_) {  // which may release objects of a library
    const WithoutPython released;
    call_.reset();
  }
  innermost = outer_;
  thread_.called = nullptr;
  thread_.leave();
}

UserCall* Begun::to_begin() {
  UserCall* const user_call = innermost;
  if (user_call == nullptr || user_call->call_ || user_call->thread_.called == nullptr ||
      user_call->thread_.innermost != nullptr)
    return nullptr;
  return user_call;
}

void bind_user_call(py::module_& module) {
  module.def("_function", [](const std::string& name, const std::vector<std::string>& libraries) {
    return reinterpret_cast<std::uintptr_t>(new Function{lasting(name), libraries_named(libraries)});
  });
  module.def("_begin", [](std::uintptr_t function) {
    if (mpi::state().this_thread().called != nullptr) return false;
    const auto& [name, libraries] = *reinterpret_cast<const Function*>(function);
    if (of_python.count == of_python.calls.size()) return false;
    of_python.calls[of_python.count++].emplace(name, libraries);
    return true;
  });
  module.def("_watch_calls", [](double seconds, const py::object& comm) {
    const MPI_Comm handle = comm_of(comm);
    const WithoutPython released;
    on_all(handle, [&] { mpi::watch(seconds, handle); });
  });
  module.def("_end", [] { of_python.calls[--of_python.count].reset(); });
  py::class_<InsideOf>(module, "_Inside")
      .def(py::init([](const std::string& name) { return std::make_unique<InsideOf>(libraries_named({name})); }),
           "library"_a)
      .def("__enter__",
           [](py::object self) {
             py::cast<InsideOf&>(self).enter();
             return self;
           })
      .def("__exit__", [](InsideOf& self, const py::args&) { self.leave(); });
}

}  // namespace tridap::python
