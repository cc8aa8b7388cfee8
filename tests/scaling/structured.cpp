// What calls cost on arrays of blocks and of cyclic axes.
#include "scaling/costs.hpp"
#include "scaling/rows.hpp"
#include "support/parts.hpp"
#include <tridap/compare.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/redistribute/padding.hpp>
#include <tridap/redistribute/redistribution.hpp>
#include <tridap/redistribute/relabel_collectively.hpp>

#include <optional>

namespace scaling {

namespace {

using tridap::DistArray;
using tridap::redistribute::Redistribution;

constexpr Index side = 32;  // elements of a process along each axis of a square

/// A square of side x side elements on each process.
Distribution square(Index processes, const tridap::AxisSpec& rows, const tridap::AxisSpec& columns) {
  const std::vector<Index> grid = tridap::near_square_grid(processes, 2);
  return Distribution::make({side * grid[0], side * grid[1]}, {rows, columns}, grid);
}

void gather(const std::string& call, const Distribution& distribution) {
  std::vector<Cost> costs;
  for (const int rank : places(distribution)) {
    Holders others(distribution);
    World world(static_cast<int>(distribution.processes()), rank, others);
    warm(world);
    const DistArray part = on::part_of(distribution, rank);
    costs.push_back(cost_of(world, [&] { return tridap::mpi::gather_distribution(part, world.comm()); }));
    const Distribution made = tridap::mpi::gather_distribution(part, world.comm());
    need(tridap::compare(made, distribution).same_places && made.local_shape(0) == distribution.local_shape(0) &&
             made.local_shape(rank) == distribution.local_shape(rank),
         call.c_str());
  }
  print(call, Size({distribution}, distribution.count(0)), costs);
}

void make_plan_and_move(const std::string& call, const Distribution& from, const Distribution& to) {
  std::vector<Cost> plans, moves;
  for (const int rank : places(from)) {
    Holders others;
    World world(static_cast<int>(from.processes()), rank, others);
    warm(world);
    const DistArray source = on::part_of(from, rank), target = on::part_of(to, rank);
    std::optional<Redistribution> plan;
    plans.push_back(cost_of(world, [&] { plan.emplace(from, to, 8, world.comm()); }));
    moves.push_back(cost_of(world, [&] { (*plan)(source, target); }));
  }
  const Size size({from, to}, from.count(0));
  print("plan, " + call, size, plans);
  print("move, " + call, size, moves);
}

void relabel(const std::string& call, const Distribution& from, const Distribution& to) {
  std::vector<Cost> costs;
  for (const int rank : {0, static_cast<int>(from.processes()) - 1}) {  // rank 0 searches
    Holders others;
    World world(static_cast<int>(from.processes()), rank, others);
    warm(world);
    costs.push_back(cost_of(world, [&] {
      tridap::redistribute::Relabelled made = tridap::redistribute::relabel_collectively(from, to, 8, world.comm());
      MPI_Comm_free(&made.comm);
    }));
  }
  print("relabel_collectively, " + call, Size({from, to}, from.count(0)), costs);
}

void update_padding(const Distribution& distribution) {
  std::vector<Cost> plans, updates;
  for (const int rank : places(distribution)) {
    Holders others;
    World world(static_cast<int>(distribution.processes()), rank, others);
    warm(world);
    const DistArray part = on::part_of(distribution, rank);
    std::optional<tridap::redistribute::PaddingUpdate> update;
    plans.push_back(cost_of(world, [&] { update.emplace(part.buffer, distribution, world.comm()); }));
    updates.push_back(cost_of(world, [&] { update->update(); }));
  }
  const Size size({distribution}, side * side);
  print("PaddingUpdate", size, plans);
  print("PaddingUpdate::update", size, updates);
}

void bring_together(Index processes) {
  namespace move = tridap::redistribute;
  const Distribution line = Distribution::make({100 * processes}, {tridap::block()}, {processes});
  std::vector<Cost> gathers, allgathers, scatters;
  for (const int rank : {0, static_cast<int>(processes) - 1}) {  // rank 0 has the whole array
    Holders others(line);
    World world(static_cast<int>(processes), rank, others);
    warm(world);
    const DistArray part = on::part_of(line, rank);
    DistArray whole;
    gathers.push_back(cost_of(world, [&] { whole = move::gather(part, line, world.comm()); }));
    need(rank != 0 || whole.buffer.shape == tridap::IndexList{100 * processes}, "the whole array");
    whole.buffer.type = part.buffer.type;  // what a broadcast brings is what this process gives to it
    scatters.push_back(cost_of(world, [&] { return move::scatter(whole, line, world.comm()); }));
    whole = {};
    allgathers.push_back(cost_of(world, [&] { return move::allgather(part, line, world.comm()); }));
  }
  const Size size({line}, 100);
  print("redistribute::gather", size, gathers);
  print("redistribute::scatter", size, scatters);
  print("redistribute::allgather", size, allgathers);
}

}  // namespace

void structured_rows(Index processes) {
  using namespace tridap;
  first_use(processes);
  gather("gather_distribution, block x block", square(processes, block(), block()));
  gather("gather_distribution, one block axis", Distribution::make({1000 * processes}, {block()}, {processes}));
  gather("gather_distribution, cyclic x cyclic", square(processes, cyclic(2), cyclic(2)));
  gather("gather_distribution, padded blocks", square(processes, padded_block(1), padded_block(1)));

  make_plan_and_move("rows to columns", Distribution::make({processes, processes}, {block(), whole()}, {processes, 1}),
                     Distribution::make({processes, processes}, {whole(), block()}, {1, processes}));
  const std::vector<Index> grid = near_square_grid(processes, 2);
  const std::vector<Index> shape = {4 * grid[0], 4 * grid[0], 4 * grid[1]};
  const Distribution pencils = Distribution::make(shape, {block(), whole(), block()}, {grid[0], 1, grid[1]});
  const Distribution others = Distribution::make(shape, {whole(), block(), block()}, {1, grid[0], grid[1]});
  make_plan_and_move("pencils", pencils, others);
  const Distribution blocks = Distribution::make({1000 * processes}, {block()}, {processes});
  const Distribution dealt = Distribution::make({1000 * processes}, {cyclic()}, {processes});
  make_plan_and_move("block to cyclic", blocks, dealt);
  relabel("pencils", pencils, others);
  relabel("block to cyclic", Distribution::make({100 * processes}, {block()}, {processes}),
          Distribution::make({100 * processes}, {cyclic()}, {processes}));
  update_padding(square(processes, padded_block(1), padded_block(1)));
  bring_together(processes);
}

void first_use(Index processes) {
  const Distribution line = Distribution::make({processes}, {tridap::block()}, {processes});
  std::vector<Cost> costs;
  for (const int rank : places(line)) {
    Holders others;
    World world(static_cast<int>(processes), rank, others);
    costs.push_back(cost_of(world, [&] { warm(world); }));
  }
  print("the first plan on a communicator", Size({line, line}, 1), costs);
}

}  // namespace scaling
