#include "support/proof.hpp"

#include "support/field.hpp"
#include "support/hillshade_png.hpp"
#include <dap/mpi/agree.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

namespace examples {

namespace {
constexpr double residual_limit = 1e-10;  // of the right-hand side's norm
constexpr double drift_limit = 1e-9;      // of the mass, a step

double worst(double a, double b) { return std::isnan(a) || a > b ? a : b; }  // a NaN is the worst, and stays
}  // namespace

Proof::Proof(const Options& options, const GridHeader& grid, const dap::tpetra::Layout& layout,
             const dap::DistArray& first)
    : options_(options), grid_(grid), layout_(layout), before_(gather_field(first, layout)) {
  first_mass_ = last_mass_ = mass(first).sum;
}

Proof::Mass Proof::mass(const dap::DistArray& array) const {
  const auto* begin = static_cast<const double*>(array.buffer.data);
  double sums[2] = {0, 0};
  std::for_each(begin, begin + dap::element_count(array.buffer), [&](double z) {
    sums[0] += z;
    sums[1] += std::fabs(z);
  });
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, layout_.comm());
  return {sums[0], sums[1]};
}

void Proof::add_step(int step, const Solution& solution, const std::vector<dap::Receipt>& receipts,
                     const dap::DistArray& expected, const dap::DistArray& result) {
  dap::Index bytes = 0;
  int equal = result.buffer.data == expected.buffer.data ? 1 : 0;
  for (const dap::Receipt& receipt : receipts) {
    bytes += receipt.bytes_copied;
    if (!receipt.shared) equal = 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, layout_.comm());
  MPI_Allreduce(MPI_IN_PLACE, &equal, 1, MPI_INT, MPI_MIN, layout_.comm());
  bytes_copied_ += bytes;
  addresses_equal_ = addresses_equal_ && equal != 0;
  iterations_ += solution.iterations;
  worst_residual_ = worst(worst_residual_, solution.residual);

  const auto [mass_now, scale] = mass(result);
  worst_drift_ = worst(worst_drift_, scale > 0 ? std::fabs(mass_now - last_mass_) / scale : 0);
  last_mass_ = mass_now;
  if (layout_.process() == 0 && options_.progress) {
    std::printf("step %d of %d: %d iterations, residual %.1e\n", step, options_.steps, solution.iterations,
                solution.residual);
    std::fflush(stdout);
  }
}

void Proof::conclude(const dap::DistArray& last) {
  const std::vector<double> after = gather_field(last, layout_);
  if (layout_.process() == 0) {
    const std::vector<dap::Index> processes = layout_.distribution().proc_grid_shape();
    std::printf("terrain   %lld x %lld cells of %.1f m x %.1f m, block x block on %lld x %lld processes\n",
                static_cast<long long>(grid_.rows), static_cast<long long>(grid_.cols), grid_.cell_height(),
                grid_.cell_width(), static_cast<long long>(processes[0]), static_cast<long long>(processes[1]));
    std::printf("field     %lld bytes copied, addresses %s on every process\n", static_cast<long long>(bytes_copied_),
                addresses_equal_ ? "equal" : "NOT equal");
    std::printf("solve     %d x %g years: %d iterations, largest residual %.1e of the right-hand side\n",
                options_.steps, options_.dt, iterations_, worst_residual_);
    std::printf("mass      %.12e before, %.12e after, drift %.1e a step\n", first_mass_, last_mass_, worst_drift_);
  }
  require(bytes_copied_ == 0, std::to_string(bytes_copied_) + " bytes of the field were copied");
  require(addresses_equal_, "the result does not stand where the second array stands");
  require(worst_residual_ <= residual_limit, "the residual is too large");
  require(worst_drift_ <= drift_limit, "mass was not kept");
  dap::mpi::collectively(layout_.comm(), [&] {
    if (layout_.process() != 0) return;
    if (!options_.save.empty()) write_grid(options_.save, grid_, after.data());
    write_before_after(options_.output, grid_.rows, grid_.cols, grid_.cell_width(), grid_.cell_height(), before_.data(),
                       after.data());
    std::printf("picture   %s\n", std::filesystem::absolute(options_.output).lexically_normal().c_str());
  });
}

void Proof::require(bool holds, const std::string& fault) {  // every process knows the same numbers
  if (!holds) throw dap::Error(dap::Finding{dap::Rule::process_failure, {}, {}, "", fault, "", ""});
}

}  // namespace examples
