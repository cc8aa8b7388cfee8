#include "support/memory_ends.hpp"
#include "support/parts.hpp"
#include <tridap/make.hpp>
#include <tridap/scalapack.hpp>

// Memory ends on one process at each allocation of what is as large as data: every process throws or none, and none
// waits for ever. A process that has no memory for anything smaller ends the job. What the BLACS, ScaLAPACK and MPI
// allocate themselves does not end.
namespace {

using namespace tridap;
using scalapack::DenseOptions;
using scalapack::Fit;
using scalapack::ProcessGrid;

constexpr Index length = 64;  // rows of the matrices for each process

// A definite matrix.
DistArray part_of(const Distribution& distribution, MPI_Comm comm) {
  const Index process = on::rank(comm);
  DistArray part = on::part_of(distribution, process);
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
  for (Index i = 0; i < length * all; ++i) lists[static_cast<std::size_t>(i * 5 % all)].push_back(i);
  return Distribution::make({length * all, length * all}, {unstructured(lists, true), whole()}, {all, 1});
}

struct Case {
  explicit Case(MPI_Comm with)
      : comm(with),
        squares(Distribution::make({length * on::processes(with), length * on::processes(with)}, {cyclic(8), cyclic(8)},
                                   {on::processes(with), 1})),
        grid(with, on::processes(with), 1),
        a(part_of(squares.distribution(), with)),
        b(part_of(squares.distribution(), with)),
        other(part_of(listed(with), with)) {
    over.overwrite_a = over.overwrite_b = true;
    moving.copy = Copy::if_needed;
  }

  MPI_Comm comm;
  redistribute::PlacedDistribution squares;
  ProcessGrid grid;
  DistArray a, b, other;
  DenseOptions over, moving;
};

using Call = memory_ends::Call<Case>;
const std::vector<Call> calls = {
    {"import_array that moves", [](const Case& with) { scalapack::import_array(with.other, with.grid, Fit::nearest); }},
    {"solve", [](const Case& with) { scalapack::solve(with.a, with.b, with.comm); }},
    {"solve elsewhere", [](const Case& with) { scalapack::solve(with.other, with.b, with.comm, with.moving); }},
    {"cholesky", [](const Case& with) { scalapack::cholesky(with.a, with.comm); }},
    {"eigh", [](const Case& with) { scalapack::eigh(with.a, with.comm); }},
    {"svd", [](const Case& with) { scalapack::svd(with.a, with.comm); }},
    {"svd elsewhere", [](const Case& with) { scalapack::svd(with.other, with.comm, with.moving); }},
    {"qr", [](const Case& with) { scalapack::qr(with.a, with.comm); }},
    {"matmul", [](const Case& with) { scalapack::matmul(with.a, with.b, with.comm); }}};

TEST(ScalapackMemoryEnds, NoProcessWaitsForOneWithoutMemory) {
  memory_meter::least_bytes = length * length;
  memory_ends::expect_no_wait(calls);
}

}  // namespace
