// What calls cost on arrays whose lists are in a directory.
#include "scaling/lists.hpp"
#include "scaling/rows.hpp"
#include <tridap/buffer.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <optional>

namespace scaling {

namespace {

using tridap::DistArray;
using tridap::redistribute::Redistribution;

constexpr Index n = 1'000'000;    // ids of a process
constexpr Index ghosts = n / 10;  // of a process, of the next one

/// A process's part of an array, with the memory of its list.
struct Part {
  Part(const Deal& deal, Index rank, Index more = 0) : list(deal.list(rank)) {
    array.buffer = tridap::allocate(tridap::element_type<double>(), {n + more});
    tridap::Dimension axis;
    axis.size = deal.ids.count();
    axis.proc_grid_size = deal.ids.processes();
    axis.proc_grid_rank = rank;
    axis.dist = tridap::Unstructured{tridap::row_major(list.data(), {n}), true};
    array.dim_data = {axis};
  }
  std::vector<Index> list;
  DistArray array;
};

Size size_of(Index processes) {
  const Distribution line = Distribution::make({processes}, {tridap::block()}, {processes});
  return Size({line}, n);
}

void gather_and_move(Index processes) {
  const Ids ids(processes, n);
  const Deal before{ids, 0}, after{ids, n / 2};
  std::vector<Cost> gathers, plans, moves;
  for (const Index rank : {processes / 2, processes - 1}) {
    ListHolders others(ids, rank, {deals(before)});
    World world(static_cast<int>(processes), static_cast<int>(rank), others);
    warm(world);
    const Part source(before, rank), target(after, rank);
    std::optional<Distribution> from, to;
    gathers.push_back(cost_of(world, [&] { from = tridap::mpi::gather_distribution(source.array, world.comm()); }));
    const auto& lists = *from->axis(0).unstructured();
    need(lists.own() != nullptr && lists.total() == ids.count() && lists.distinct() == ids.count(), "the directory");
    others.set({deals(after)});
    world.count_anew();
    to = tridap::mpi::gather_distribution(target.array, world.comm());

    // A half of each process's ids move to the process before it.
    others.set({asks(after, n / 2, n / 2), answers(after, n / 2, n / 2, before), asks(before, 0, n / 2),
                answers(before, 0, n / 2, after)});
    std::optional<Redistribution> plan;
    plans.push_back(cost_of(world, [&] { plan.emplace(*from, *to, 8, world.comm()); }));
    const Index previous = (rank + processes - 1) % processes, next = (rank + 1) % processes;
    need(plan->plan().bytes_to(previous) == 4 * n && plan->plan().bytes_from(next) == 4 * n &&
             plan->plan().bytes_kept() == 4 * n,
         "the plan");
    moves.push_back(cost_of(world, [&] { (*plan)(source.array, target.array); }));
  }
  print("gather_distribution, lists", size_of(processes), gathers);
  print("plan, lists", size_of(processes), plans);
  print("move, lists", size_of(processes), moves);
}

void update_ghosts(Index processes) {
  const Ids ids(processes, n);
  const Deal deal{ids, 0};
  std::vector<Cost> plans, updates;
  for (const Index rank : {processes / 2, processes - 1}) {
    ListHolders others(
        ids, rank,
        {deals(deal), asks(deal, n, ghosts), answers(deal, n, ghosts, deal), asks_for_rows(processes, 1, ghosts)});
    World world(static_cast<int>(processes), static_cast<int>(rank), others);
    warm(world);
    const Part part(deal, rank, ghosts);
    const tridap::GhostedArray array(part.array.buffer, part.array.dim_data, ids.range(deal.first(rank) + n, ghosts));
    std::optional<tridap::GhostUpdate> update;
    plans.push_back(cost_of(world, [&] { update.emplace(array, world.comm()); }));
    need(update->bytes_sent() == 8 * ghosts && update->bytes_received() == 8 * ghosts, "the ghosts");
    updates.push_back(cost_of(world, [&] { update->update_ghosts(); }));
  }
  print("GhostUpdate, lists", size_of(processes), plans);
  print("GhostUpdate::update_ghosts", size_of(processes), updates);
}

}  // namespace

void listed_rows(Index processes) {
  gather_and_move(processes);
  update_ghosts(processes);
}

}  // namespace scaling
