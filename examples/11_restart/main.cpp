// Hillslope diffusion of a terrain in explicit time steps. A run saves the field in an HDF5 file and ends. Another run
// continues from the file, on any number of processes, and ends with the same bits as a run without interruption.
//
//   mpiexec -n 4 11_restart [--steps N] [--output FILE]
//   mpiexec -n 3 11_restart --from FILE [--steps N] [--output FILE]
//
// Prints the distribution, from where the run starts, the step and the file in which it ends, and a number of all bits
// of the field. Exits non-zero if the file does not hold this field.

#include "support/explicit_steps.hpp"
#include "support/program.hpp"
#include <tridap/compare.hpp>
#include <tridap/hdf5.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/redistribute/padding.hpp>

#include <cinttypes>

namespace {

namespace hdf5 = tridap::hdf5;

constexpr double diffusion = 1e3;  // dt D: 100000 years of 0.01 m2 a year

struct RestartOptions {
  int steps = 200;
  std::string from, output = "restart.h5";
};

void restart(const RestartOptions& options, examples::Claims& claims) {
  // 1. Blocks with padding 1: of the terrain, or of what a file holds, over the processes that there are now.
  const std::string terrain = std::string(EXAMPLES_DATA_DIR) + "/jacksboro.asc";
  const auto grid = tridap::mpi::collectively(claims.comm(), [&] { return examples::read_header(terrain); });
  const tridap::AxisSpec axis = tridap::BlockSpec{{}, {}, 1};
  const auto all =
      tridap::Distribution::make({grid.rows, grid.cols}, {axis, axis}, tridap::near_square_grid(claims.processes(), 2));
  claims.say("terrain   %" PRId64 " x %" PRId64 " cells, %s", grid.rows, grid.cols, tridap::describe(all).c_str());
  tridap::DistArray now = examples::empty_field(all, claims.process()),
                    next = examples::empty_field(all, claims.process());
  tridap::Index step = 0;
  if (options.from.empty()) {
    tridap::mpi::collectively(claims.comm(), [&] { examples::read_part(terrain, grid, all, claims.process(), now); });
    claims.say("start     step 0, from the terrain");
  } else {
    const hdf5::Stored stored = hdf5::find(options.from, "elevation", claims.comm());
    hdf5::load_into(now.buffer, options.from, stored, all, claims.comm());
    step = tridap::mpi::collectively(claims.comm(), [&] { return examples::step_in(options.from); });
    claims.say("start     step %" PRId64 ", from %s, which %" PRId64 " processes saved", step, options.from.c_str(),
               stored.distribution ? stored.distribution->processes() : 0);
  }

  // 2. The steps. Each cell adds up the same numbers in the same order, whichever process owns it.
  const double ky = diffusion / (grid.cell_height() * grid.cell_height());
  const double kx = diffusion / (grid.cell_width() * grid.cell_width());
  for (const tridap::Index end = step + options.steps; step < end; ++step) {
    tridap::redistribute::PaddingUpdate(now.buffer, all, claims.comm()).update();
    examples::diffuse(now, next, all, claims.process(), ky, kx);
    std::swap(now, next);
  }

  // 3. The file gets its name when it is complete.
  hdf5::save(options.output, {{"elevation", now, all}}, claims.comm(), {{{"step", tridap::row_major(&step, {})}}});
  claims.say("end       step %" PRId64 ", in %s", step, options.output.c_str());
  claims.say("bits      %" PRIu64, examples::all_bits(now, all, claims.comm()));
  const tridap::DistArray back = hdf5::load(options.output, "elevation", claims.comm());
  claims.require(examples::all_bits(back, all, claims.comm()) == examples::all_bits(now, all, claims.comm()),
                 "the file holds another field");
}

}  // namespace

int main(int argc, char** argv) {
  RestartOptions options;
  return examples::run(argc, argv, "Diffusion of a terrain that is saved, and continued on any number of processes.",
                       {{"--steps", "time steps of this run", &options.steps},
                        {"--from", "continue from this file", &options.from},
                        {"--output", "the file to save", &options.output}},
                       [&](examples::Claims& claims) { restart(options, claims); });
}
