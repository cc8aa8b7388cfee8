#include "support/field.hpp"

#include <tridap/mpi/agree.hpp>
#include <tridap/runs.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>

namespace examples {

void read_block(const std::string& path, const GridHeader& grid, tridap::DistArray& array) {
  const auto& rows = std::get<tridap::Block>(array.dim_data[0].dist);
  const auto& cols = std::get<tridap::Block>(array.dim_data[1].dist);
  read_window(path, grid, {rows.start, rows.stop, cols.start, cols.stop}, static_cast<double*>(array.buffer.data));
}

namespace {
tridap::Index grid_cells(const tridap::Distribution& distribution) {
  return tridap::checked_product(distribution.shape()).value_or(std::numeric_limits<tridap::Index>::max());
}
}  // namespace

std::vector<double> gather_field(const tridap::DistArray& array, const tridap::Distribution& distribution,
                                 MPI_Comm comm) {
  const tridap::Index here = tridap::mpi::rank_of(comm);
  const bool root = here == 0;
  std::vector<int> counts, starts;
  if (grid_cells(distribution) > std::numeric_limits<int>::max())
    throw tridap::Error(
        tridap::Finding{tridap::Rule::conversion, {}, {}, "", "the field is too large for a picture", "", ""});
  int total = 0;
  for (tridap::Index process = 0; process < distribution.processes(); ++process) {
    starts.push_back(total);
    counts.push_back(static_cast<int>(distribution.count(process)));
    total += counts.back();
  }
  std::vector<double> parts(root ? static_cast<std::size_t>(total) : 0), field(parts.size());
  std::vector<double> owned(static_cast<std::size_t>(distribution.count(here)));
  tridap::pack(tridap::sub_buffer(array.buffer, distribution.part(here, tridap::Part::owned)), owned.data());
  MPI_Gatherv(owned.data(), static_cast<int>(owned.size()), MPI_DOUBLE, parts.data(), counts.data(), starts.data(),
              MPI_DOUBLE, 0, comm);
  for (tridap::Index process = 0; root && process < distribution.processes(); ++process) {
    tridap::ArrayRuns runs(distribution, process);
    auto part = parts.begin() + starts[static_cast<std::size_t>(process)];
    while (const auto run = runs.next()) {
      std::copy_n(part, run->length, field.begin() + run->global);
      part += run->length;
    }
  }
  return field;
}

namespace {
// The first index of each block except the first one.
std::vector<Index> inner_starts(const tridap::Axis& axis) {
  std::vector<Index> starts;
  for (Index place = 1; place < axis.proc_grid_size(); ++place) {
    const tridap::Range owned = axis.part(place, tridap::Part::owned);
    if (owned.size() > 0) starts.push_back(axis.global_index(place, owned.begin));
  }
  return starts;
}
}  // namespace

void draw_before_after(const Claims& claims, const std::string& path, const tridap::Distribution& distribution,
                       double dx, double dy, const std::vector<double>& before, const std::vector<double>& after,
                       Colors colors) {
  tridap::mpi::collectively(claims.comm(), [&] {
    if (claims.process() != 0) return;
    const Borders borders{inner_starts(distribution.axis(0)), inner_starts(distribution.axis(1))};
    write_before_after(path, distribution.shape()[0], distribution.shape()[1], dx, dy, before.data(), after.data(),
                       colors, borders);
  });
  claims.say("picture   %s", std::filesystem::absolute(path).lexically_normal().c_str());
}

}  // namespace examples
