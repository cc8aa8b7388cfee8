// The compiled part of tridap.scalapack.

#include "../src/bindings.hpp"
#include "../src/comm.hpp"
#include "../src/errors.hpp"
#include "../src/gil.hpp"
#include "../src/memory.hpp"
#include "../src/part.hpp"
#include "grid.hpp"
#include <tridap/mpi/agree.hpp>
#include <tridap/scalapack.hpp>

#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace tridap::python {

namespace {

namespace sl = tridap::scalapack;

// This process's part of a DistArray of Python, and the array's distribution if process r of it is rank r.
struct DensePart {
  DensePart(const py::array& local, const Distribution& of, Index process, py::handle comm)
      : array(part_of(local, of, process)) {
    if (process == mpi::rank_of(comm_of(comm))) distribution = of;
  }
  DistArray array;
  std::optional<Distribution> distribution;
};

// The names that the caller's function has for a matrix and for what it is multiplied by or solved for.
struct NamesOfCaller {
  std::string first = "A", second = "b";
};

// A text of C++, whose arguments are a and b, with the names of Python's.
std::string renamed(std::string text, const NamesOfCaller& names) {
  static const std::regex word(
      "(\\b(?:array|arrays|matrix|elements of|those of|processes as|transpose of|adjoint of|and) |^)(a|b)"
      "(?= has | is | are | and | \\w+\\d+| \\d|,| share|$)");
  static const std::regex line("()\\b(A|b)(?= = |[.](?:redistribute|astype|dtype))");
  for (const std::regex* one : {&word, &line}) {
    std::string made;
    auto from = text.cbegin();
    for (std::sregex_iterator found(text.begin(), text.end(), *one), end; found != end; ++found) {
      const std::smatch& hit = *found;
      made.append(from, text.cbegin() + hit.position(0));
      made += hit.str(1) + (hit.str(2) == "b" ? names.second : names.first);
      from = text.cbegin() + hit.position(0) + hit.length(0);
    }
    text = made.append(from, text.cend());
  }
  return text;
}

Error renamed(const Error& error, const NamesOfCaller& names) {
  std::vector<Finding> findings = error.report().findings();
  for (Finding& finding : findings)
    for (std::string* text : {&finding.value, &finding.must, &finding.remedy}) *text = renamed(std::move(*text), names);
  return Error(Report::from_parts(std::move(findings), error.report().counts()));
}

// Runs a call of ScaLAPACK, which throws the same Error on every process or on none, without Python.
template <class Step>
auto together_on(MPI_Comm comm, const Step& step, const NamesOfCaller& names = {}) {
  const WithoutPython released;
  return on_all(comm, [&] {
    try {
      return step();
    } catch (const Error& error) {
      throw renamed(error, names);
    }
  });
}

sl::DenseOptions options_of(py::handle copy, const DensePart& a, bool overwrite_a) {
  return {copy_policy(copy), overwrite_a, false, a.distribution};
}

// The singular values or eigenvalues in the precision of the matrix.
py::object values_of(const std::vector<double>& values, const Buffer& matrix) {
  const bool single = matrix.type.bytes == (matrix.type.kind == ElementType::Kind::complex ? 8 : 4);
  return py::array(py::cast(values)).attr("astype")(single ? "float32" : "float64");
}

// The local part of an answer with its distribution.
py::tuple with_distribution(const DistArray& array, const Distribution& distribution) {
  return py::make_tuple(array_of(array.buffer), distribution);
}

py::object solve(const DensePart& a, const DensePart& b, py::handle comm, bool overwrite_a, bool overwrite_b,
                 py::handle copy) {
  const MPI_Comm in = comm_of(comm);
  sl::DenseOptions options = options_of(copy, a, overwrite_a);
  options.overwrite_b = overwrite_b;
  options.of_b = b.distribution;
  const sl::Solved solved = together_on(in, [&] { return sl::solve(a.array, b.array, in, options); });
  return py::make_tuple(array_of(solved.x.buffer), solved.receipt);
}

py::object cholesky(const DensePart& a, py::handle comm, bool lower, bool overwrite_a, py::handle copy) {
  const MPI_Comm in = comm_of(comm);
  const sl::DenseOptions options = options_of(copy, a, overwrite_a);
  const sl::Factor made = together_on(in, [&] { return sl::cholesky(a.array, in, lower, options); });
  return py::make_tuple(array_of(made.factor.buffer), made.receipt);
}

py::object eigh(const DensePart& a, py::handle comm, bool lower, bool overwrite_a, py::handle copy) {
  const MPI_Comm in = comm_of(comm);
  const sl::DenseOptions options = options_of(copy, a, overwrite_a);
  const sl::Eigen made = together_on(in, [&] { return sl::eigh(a.array, in, lower, options); });
  return py::make_tuple(values_of(made.values, a.array.buffer), array_of(made.vectors.buffer), made.receipt);
}

py::object svd(const DensePart& a, py::handle comm, bool overwrite_a, py::handle copy) {
  const MPI_Comm in = comm_of(comm);
  const sl::DenseOptions options = options_of(copy, a, overwrite_a);
  const sl::Svd made = together_on(in, [&] { return sl::svd(a.array, in, options); });
  return py::make_tuple(with_distribution(made.u, made.of_u), values_of(made.values, a.array.buffer),
                        with_distribution(made.vh, made.of_vh), made.receipt);
}

py::object qr(const DensePart& a, py::handle comm, bool overwrite_a, py::handle copy) {
  const MPI_Comm in = comm_of(comm);
  const sl::DenseOptions options = options_of(copy, a, overwrite_a);
  const sl::Qr made = together_on(in, [&] { return sl::qr(a.array, in, options); });
  return py::make_tuple(with_distribution(made.q, made.of_q), with_distribution(made.r, made.of_r), made.receipt);
}

sl::Op op_of(const std::string& letter) {
  return letter == "T" ? sl::Op::transpose : letter == "C" ? sl::Op::adjoint : sl::Op::none;
}

py::object matmul(const DensePart& a, const DensePart& b, py::handle comm, const std::string& op_a,
                  const std::string& op_b, py::handle copy, const std::string& name_a, const std::string& name_b) {
  const MPI_Comm in = comm_of(comm);
  const sl::MatmulOptions options{copy_policy(copy), op_of(op_a), op_of(op_b), a.distribution, b.distribution};
  const sl::Product made = together_on(in, [&] { return sl::matmul(a.array, b.array, in, options); }, {name_a, name_b});
  return py::make_tuple(with_distribution(made.c, made.of_c), made.receipt);
}

}  // namespace

}  // namespace tridap::python

PYBIND11_MODULE(_scalapack, module) {
  namespace here = tridap::python;
  module.doc() = "The compiled part of tridap.scalapack: use that.";
  here::share_state_of_core();
  here::py::module_::import("tridap");  // whose types these functions take and give
  using here::DensePart;
  here::py::class_<DensePart>(module, "Part")
      .def(here::py::init<const here::py::array&, const tridap::Distribution&, tridap::Index, here::py::handle>());
  module.def("solve", &here::solve);
  module.def("cholesky", &here::cholesky);
  module.def("eigh", &here::eigh);
  module.def("svd", &here::svd);
  module.def("qr", &here::qr);
  module.def("matmul", &here::matmul);
  module.def("nearest", [](const tridap::Distribution& distribution, bool square) {
    return square ? tridap::scalapack::nearest_square(distribution) : tridap::scalapack::nearest(distribution);
  });
  module.def("squares", &tridap::scalapack::squares);
  module.def("is_elpa_ready", &tridap::scalapack::is_elpa_ready);
  here::bind_grid(module);
}
