#include "support/proof.hpp"

#include "support/field.hpp"
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <cmath>

namespace examples {

namespace {
constexpr double residual_limit = 1e-10;  // of the right-hand side's norm
constexpr double drift_limit = 1e-9;      // relative to the mass, per step
}  // namespace

Proof::Proof(const Options& options, const GridHeader& grid, const tridap::tpetra::ArrayMap& layout,
             const tridap::DistArray& first)
    : options_(options),
      grid_(grid),
      layout_(layout),
      before_(gather_field(first, layout.distribution(), layout.comm())),
      claims_(layout.comm(), options.progress) {
  first_mass_ = last_mass_ = mass(first).sum;
}

Proof::Mass Proof::mass(const tridap::DistArray& array) const {
  const auto* begin = static_cast<const double*>(array.buffer.data);
  double sums[2] = {0, 0};
  std::for_each(begin, begin + tridap::element_count(array.buffer), [&](double z) {
    sums[0] += z;
    sums[1] += std::fabs(z);
  });
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, layout_.comm());
  return {sums[0], sums[1]};
}

void Proof::add_step(int step, const tridap::solvers::Solution& solution, const std::vector<tridap::Receipt>& receipts,
                     const tridap::DistArray& expected, const tridap::DistArray& result) {
  for (const tridap::Receipt& receipt : receipts) claims_.note(receipt, expected.buffer.data, result.buffer.data);
  iterations_ += solution.iterations;
  worst_residual_ = worst(worst_residual_, solution.residual);

  const auto [mass_now, scale] = mass(result);
  worst_drift_ = worst(worst_drift_, scale > 0 ? std::fabs(mass_now - last_mass_) / scale : 0);
  last_mass_ = mass_now;
  if (claims_.progress())
    claims_.say("step %d of %d: %d iterations, residual %.1e", step, options_.steps, solution.iterations,
                solution.residual);
}

void Proof::conclude(const tridap::DistArray& last) {
  const std::vector<double> after = gather_field(last, layout_.distribution(), layout_.comm());
  const std::vector<tridap::Index> processes = layout_.distribution().proc_grid_shape();
  claims_.say("terrain   %lld x %lld cells of %.1f m x %.1f m, block x block on %lld x %lld processes",
              static_cast<long long>(grid_.rows), static_cast<long long>(grid_.cols), grid_.cell_height(),
              grid_.cell_width(), static_cast<long long>(processes[0]), static_cast<long long>(processes[1]));
  claims_.say("field     %s", claims_.copies().c_str());
  claims_.say("solve     %d x %g years: %d iterations, largest residual %.1e of the right-hand side", options_.steps,
              options_.dt, iterations_, worst_residual_);
  claims_.say("mass      %.12e before, %.12e after, drift %.1e a step", first_mass_, last_mass_, worst_drift_);
  claims_.require_no_copies();
  claims_.require(worst_residual_ <= residual_limit, "the residual is too large");
  claims_.require(worst_drift_ <= drift_limit, "mass was not kept");
  tridap::mpi::collectively(layout_.comm(), [&] {
    if (claims_.process() == 0 && !options_.save.empty()) write_grid(options_.save, grid_, after.data());
  });
  draw_before_after(claims_, options_.output, layout_.distribution(), grid_.cell_width(), grid_.cell_height(), before_,
                    after);
}

}  // namespace examples
