// Waves on a periodic square, u'' = c2 Laplace u. A Kokkos kernel works in the memory of two distributed arrays that
// are padded by one element. The Tpetra adapter fills the padding in place, from the neighbours and from the opposite
// edges of the square. The method is leapfrog with the CFL number c dt/h = 0.5; it is stable below 1/sqrt(2).
//
//   mpiexec -n 4 04_halo [--size N] [--steps N] [--output FILE]
//
// Prints what was copied (0 bytes), the discrete energy 1/2 |(u+ - u)/dt|^2 + 1/2 <u+, K u>, K = -c2 Laplace, its
// largest relative change, and the name of the picture (before | after). Exits non-zero if that change is over 1e-12.

#include "support/field.hpp"
#include "support/program.hpp"
#include "support/waves.hpp"
#include <tridap/compare.hpp>
#include <tridap/tpetra.hpp>

namespace {

using View = decltype(tridap::kokkos::view<double**>(std::declval<const tridap::DistArray&>()));
using Interior = Kokkos::MDRangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::Rank<2>>;
constexpr double dt = 0.5;  // with c = h = 1: the CFL number

double k(const View& u, tridap::Index i, tridap::Index j) {  // K u by five points; neighbours may be in the padding
  return 4 * u(i, j) - u(i - 1, j) - u(i + 1, j) - u(i, j - 1) - u(i, j + 1);
}

double energy(const View& next, const View& u, const Interior& interior, const examples::Claims& claims) {
  double here = 0;
  const auto add = [=](tridap::Index i, tridap::Index j, double& sum) {
    sum += 0.5 * std::pow((next(i, j) - u(i, j)) / dt, 2) + 0.5 * next(i, j) * k(u, i, j);
  };
  Kokkos::parallel_reduce(interior, add, here);
  return claims.sum(here);
}

void waves(const examples::WaveOptions& options, examples::Claims& claims) {
  const auto& [size, steps, output] = options;
  // 1. Two time levels, each a bump in a padded array. An axis' size includes the mirrors at the edges.
  const tridap::AxisSpec axis = tridap::padded_block(1, true);
  const auto all =
      tridap::Distribution::make({size + 2, size + 2}, {axis, axis}, tridap::near_square_grid(claims.processes(), 2));
  const tridap::DistArray levels[2] = {examples::make_bump(all, claims), examples::make_bump(all, claims)};
  claims.say("grid      %d x %d points, %s", size, size, tridap::describe(all).c_str());
  const auto before = examples::gather_field(levels[0], all, claims.comm());

  // 2. The vectors over the arrays, which update the padding; and the interior, over which the kernels loop.
  const tridap::tpetra::PaddedArrayMap layout(levels[0], claims.comm());
  tridap::tpetra::PaddedVector<double> vectors[2] = {{levels[0], layout}, {levels[1], layout}};
  for (int i : {0, 1}) claims.note(vectors[i].receipt(), levels[i].buffer.data, vectors[i].overlap()->getData().get());
  const auto part = all.part(claims.process(), tridap::Part::interior);
  const Interior interior({part[0].begin, part[1].begin}, {part[0].end, part[1].end});

  // 3. u+ = 2 u - u- - dt2 K u in the memory of u-, after u's padding is updated.
  double first = 0, change = 0;
  for (int step = 0; step < steps; ++step) {
    vectors[step % 2].update_padding();
    const View u = tridap::kokkos::view<double**>(levels[step % 2]),
               w = tridap::kokkos::view<double**>(levels[1 - step % 2]);
    if (step == 0) first = energy(w, u, interior, claims);
    const auto leap = [=](tridap::Index i, tridap::Index j) { w(i, j) = 2 * u(i, j) - w(i, j) - dt * dt * k(u, i, j); };
    Kokkos::parallel_for(interior, leap);
    change = examples::worst(change, std::fabs(energy(w, u, interior, claims) / first - 1));
  }
  vectors[steps % 2].update_padding();

  // 4. Throws if a claim does not hold.
  claims.say("levels    %s", claims.copies().c_str());
  claims.say("energy    %.12f; %.1e of it is the largest change in %d steps", first, change, steps);
  claims.require_no_copies();
  claims.require(change <= 1e-12, "the energy was not kept");
  const auto after = examples::gather_field(levels[steps % 2], all, claims.comm());
  examples::draw_before_after(claims, output, all, 0.5, 0.5, before, after, examples::Colors::waves);
}

}  // namespace

int main(int argc, char** argv) {
  examples::WaveOptions options;
  return examples::run(argc, argv, "Waves on a periodic square, computed by a Kokkos kernel over padded arrays.",
                       options.list(), [&](examples::Claims& claims) { waves(options, claims); });
}
