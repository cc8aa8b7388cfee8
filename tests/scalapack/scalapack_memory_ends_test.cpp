#include "support/memory_ends.hpp"
#include <tridap/make.hpp>
#include <tridap/scalapack.hpp>

#include <algorithm>

// Memory ends on one process at each allocation of each collective call: every process throws or none, and none waits
// for ever. What the BLACS, ScaLAPACK and MPI allocate themselves does not end.
namespace {

using namespace tridap;
using scalapack::DenseOptions;
using scalapack::Fit;
using scalapack::ProcessGrid;

// A definite matrix, or a vector of ones.
DistArray part_of(const Distribution& distribution, MPI_Comm comm) {
  const Index process = on::rank(comm);
  DistArray part;
  part.dim_data = distribution.dim_data(process);
  part.buffer = allocate(element_type<double>(), distribution.local_shape(process));
  part.buffer.strides = column_major_strides(part.buffer.shape, part.buffer.type.bytes);
  auto* const elements = static_cast<double*>(part.buffer.data);
  for (Index j = 0; j < part.buffer.shape[1]; ++j)
    for (Index i = 0; i < part.buffer.shape[0]; ++i) {
      const Indices at = distribution.global_index(process, {i, j});
      elements[i + j * part.buffer.shape[0]] = at[0] == at[1] ? 9.0 + static_cast<double>(at[0]) : 1.0;
    }
  return part;
}

Distribution listed(MPI_Comm comm) {
  const Index all = on::processes(comm);
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(all));
  for (Index i = 0; i < 3 * all; ++i) lists[static_cast<std::size_t>(i * 5 % all)].push_back(i);
  return Distribution::make({3 * all, 3 * all}, {unstructured(lists, true), whole()}, {all, 1});
}

struct Case {
  explicit Case(MPI_Comm with)
      : comm(with),
        squares(Distribution::make({3 * on::processes(with), 3 * on::processes(with)}, {cyclic(2), cyclic(2)},
                                   {on::processes(with), 1})),
        grid(with, on::processes(with), 1),
        a(part_of(squares.distribution, with)),
        b(part_of(squares.distribution, with)),
        other(part_of(listed(with), with)),
        zeros(a) {
    over.overwrite_a = over.overwrite_b = true;
    moving.copy = Copy::if_needed;
    zeros.buffer = allocate(element_type<double>(), a.buffer.shape);
    zeros.buffer.strides = a.buffer.strides;
  }

  MPI_Comm comm;
  redistribute::PlacedDistribution squares;
  ProcessGrid grid;
  DistArray a, b, other, zeros;
  DenseOptions over, moving;
};

using Call = memory_ends::Call<Case>;
const std::vector<Call> calls = {
    {"ProcessGrid", [](const Case& with) { ProcessGrid(with.comm, 1, on::processes(with.comm)); }},
    {"ProcessGrid of a placement", [](const Case& with) { ProcessGrid(with.comm, with.squares); }},
    {"ProcessGrid that is refused", [](const Case& with) { ProcessGrid(with.comm, 100, 100); }},
    {"ProcessGrid of a context", [](const Case& with) { ProcessGrid::of_context(with.grid.context(), with.comm); }},
    {"import_array", [](const Case& with) { scalapack::import_array(with.a, with.grid); }},
    {"import_array that is refused", [](const Case& with) { scalapack::import_array(with.other, with.grid); }},
    {"import_array that moves", [](const Case& with) { scalapack::import_array(with.other, with.grid, Fit::nearest); }},
    {"solve", [](const Case& with) { scalapack::solve(with.a, with.b, with.comm); }},
    {"solve in place", [](const Case& with) { scalapack::solve(with.a, with.b, with.comm, with.over); }},
    {"solve elsewhere", [](const Case& with) { scalapack::solve(with.other, with.b, with.comm, with.moving); }},
    {"solve that is refused", [](const Case& with) { scalapack::solve(with.other, with.b, with.comm); }},
    {"solve a singular system", [](const Case& with) { scalapack::solve(with.zeros, with.b, with.comm); }},
    {"cholesky", [](const Case& with) { scalapack::cholesky(with.a, with.comm); }},
    {"eigh", [](const Case& with) { scalapack::eigh(with.a, with.comm); }},
    {"svd", [](const Case& with) { scalapack::svd(with.a, with.comm); }},
    {"svd elsewhere", [](const Case& with) { scalapack::svd(with.other, with.comm, with.moving); }},
    {"qr", [](const Case& with) { scalapack::qr(with.a, with.comm); }}};

TEST(ScalapackMemoryEnds, NoProcessWaitsForOneWithoutMemory) { memory_ends::expect_no_wait(calls); }

}  // namespace
