#include "reduced.hpp"

#include "comm.hpp"
#include "text_argument.hpp"
#include "together.hpp"
#include <tridap/internal/fold.hpp>

#include <pybind11/numpy.h>

#include <array>
#include <cstring>
#include <utility>

namespace tridap::python {

namespace {

using mpi::Fold;
using mpi::Folded;

Fold fold_of(const std::string& name) {
  static constexpr std::array<std::pair<const char*, Fold>, 9> names{{{"add", Fold::add},
                                                                      {"multiply", Fold::multiply},
                                                                      {"smallest", Fold::smallest},
                                                                      {"largest", Fold::largest},
                                                                      {"first_smallest", Fold::first_smallest},
                                                                      {"first_largest", Fold::first_largest},
                                                                      {"every", Fold::every},
                                                                      {"some", Fold::some},
                                                                      {"bits", Fold::bits}}};
  for (const auto& [known, how] : names)
    if (name == known) return how;
  throw py::value_error("there is no way '" + name + "' to reduce values");
}

struct Reducing {
  Folded& all;
  void bring(mpi::Record& record) const { record.folded = all; }
  void take(const mpi::Call& call) const { all = call.folded(); }
};

// What a step returned. `value` becomes an array of its own, for the result.
Folded read(const py::tuple& returned, py::array& value) {
  Folded own;
  value = py::cast<py::array>(returned[0]).attr("copy")();
  own.number = py::cast<Index>(returned[1]);
  own.how = fold_of(py::cast<std::string>(returned[3]));
  own.kind = value.dtype().kind();
  const auto bytes = static_cast<std::size_t>(value.itemsize());
  own.bytes = static_cast<unsigned char>(bytes);
  if (value.size() != 1 || bytes > Folded::most_bytes || !own.is_possible())
    throw py::value_error("a partial result must have one element, of at most 32 bytes, of a type that can be reduced");
  std::memcpy(own.value.data(), value.data(), bytes);
  return own;
}

}  // namespace

py::object reduced(const py::object& comm, const py::object& step) {
  Folded all;
  py::array value;
  std::string asked;
  const auto prepare = [&] {
    const py::tuple returned = step();
    all = read(returned, value);
    asked = utf8_text(py::str(returned[2]));
    return true;
  };
  if (comm.is_none())
    prepare();
  else
    together(comm_of(comm), prepare, &asked, Reducing{all});
  std::memcpy(value.mutable_data(), all.value.data(), all.bytes);
  return py::make_tuple(std::move(value), all.number);
}

}  // namespace tridap::python
