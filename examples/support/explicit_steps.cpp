#include "support/explicit_steps.hpp"

#include <tridap/hdf5.hpp>
#include <tridap/mpi/agree.hpp>

#include <cstring>
#include <variant>
#include <vector>

namespace examples {

namespace {

using tridap::Part;

// Calls `visit(i, j, row, col)` with the local and the global indices of each owned cell.
template <class Visit>
void for_each_owned(const tridap::Distribution& distribution, Index process, Visit&& visit) {
  const tridap::Indices at = distribution.coordinates(process);
  distribution.axis(0).for_each(at[0], Part::owned, [&](Index i, Index row) {
    distribution.axis(1).for_each(at[1], Part::owned, [&](Index j, Index col) { visit(i, j, row, col); });
  });
}

}  // namespace

tridap::DistArray empty_field(const tridap::Distribution& distribution, Index process) {
  tridap::DistArray field;
  field.buffer = tridap::allocate(tridap::element_type<double>(), tridap::IndexList(distribution.local_shape(process)));
  field.dim_data = distribution.dim_data(process);
  return field;
}

void read_part(const std::string& path, const GridHeader& grid, const tridap::Distribution& distribution, Index process,
               const tridap::DistArray& field) {
  const std::vector<Index> shape = distribution.local_shape(process);
  if (shape[0] == 0 || shape[1] == 0) return;
  const tridap::Indices first = distribution.global_index(process, {0, 0});
  read_window(path, grid, {first[0], first[0] + shape[0], first[1], first[1] + shape[1]},
              static_cast<double*>(field.buffer.data));
}

void diffuse(const tridap::DistArray& now, const tridap::DistArray& next, const tridap::Distribution& distribution,
             Index process, double ky, double kx) {
  const Index rows = distribution.axis(0).size(), cols = distribution.axis(1).size();
  const Index width = now.buffer.shape[1];
  const auto* const u = static_cast<const double*>(now.buffer.data);
  auto* const w = static_cast<double*>(next.buffer.data);
  for_each_owned(distribution, process, [&](Index i, Index j, Index row, Index col) {
    const Index at = i * width + j;
    double change = 0;
    if (row > 0) change += ky * (u[at - width] - u[at]);
    if (row + 1 < rows) change += ky * (u[at + width] - u[at]);
    if (col > 0) change += kx * (u[at - 1] - u[at]);
    if (col + 1 < cols) change += kx * (u[at + 1] - u[at]);
    w[at] = u[at] + change;
  });
}

std::uint64_t all_bits(const tridap::DistArray& field, const tridap::Distribution& distribution, MPI_Comm comm) {
  const Index width = field.buffer.shape[1];
  const auto* const u = static_cast<const double*>(field.buffer.data);
  std::uint64_t sum = 0;
  for_each_owned(distribution, tridap::mpi::rank_of(comm), [&](Index i, Index j, Index row, Index col) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &u[i * width + j], sizeof bits);
    bits += static_cast<std::uint64_t>(row * distribution.axis(1).size() + col) * 0x9e3779b97f4a7c15U;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;  // SplitMix64
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    sum += bits ^ (bits >> 31);
  });
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  return sum;
}

Index step_in(const std::string& path) {
  for (const tridap::hdf5::Attribute& attribute : tridap::hdf5::read_attributes(path))
    if (attribute.name == "step") return *static_cast<const Index*>(std::get<tridap::Buffer>(attribute.value).data);
  return 0;
}

}  // namespace examples
