// What calls cost if the lists of an array are in a directory.
#include "scaling/lists.hpp"
#include "scaling/rows.hpp"
#include "support/parts.hpp"
#include <tridap/buffer.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <optional>
#include <utility>

namespace scaling {

namespace {

using tridap::DistArray;
using tridap::redistribute::Redistribution;

constexpr Index n = 1'000'000;    // ids of a process
constexpr Index ghosts = n / 10;  // of a process, of the next one

/// A process's part of an array, with the memory of its list.
struct Part {
  Part(const Deal& deal, Index rank, Index more = 0) : Part(deal.ids, rank, deal.list(rank), more) {}
  Part(const Ids& ids, Index rank, std::vector<Index> of, Index more = 0) : list(std::move(of)) {
    array.buffer = tridap::allocate(tridap::element_type<double>(), {n + more});
    tridap::Dimension axis;
    axis.size = ids.count();
    axis.proc_grid_size = ids.processes();
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
    others.set({together({asks(after, n / 2, n / 2), asks(before, 0, n / 2)}),
                together({answers(after, n / 2, n / 2, before), answers(before, 0, n / 2, after)})});
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

/// Lists that are dealt like cards: process q has the indices q, q + P, q + 2 P, ... So every process has a part of
/// each block. The hash of these indices is not that simple, so the others send as many to each process, whatever they
/// are.
class Dealers : public ListHolders {
 public:
  Dealers(const Ids& ids, Index rank) : ListHolders(ids, rank, {}), count_(ids.count()) {}

  bool reduce(MPI_Op operation, MPI_Datatype type, std::int64_t* numbers, int count) override {
    const bool counts_indices = operation == MPI_SUM && type == MPI_UINT64_T;
    if (counts_indices) numbers[0] = count_;
    return counts_indices || ListHolders::reduce(operation, type, numbers, count);
  }

 private:
  Index count_;
};

std::vector<Index> dealt(const Ids& ids, Index process) {
  std::vector<Index> all;
  for (Index index = process; index < ids.count(); index += ids.processes()) all.push_back(index);
  return all;
}

/// Each process sends a process as many of its indices as all others, as pairs of index and local index.
Step deals_any(const Ids& ids) {
  return [ids](Index from, Index to) {
    std::vector<Index> numbers{from};
    for (Index local = to; local < ids.n(); local += ids.processes())
      numbers.insert(numbers.end(), {from + local * ids.processes(), local});
    return numbers;
  };
}

/// Tells the process of a block where it gets each element from: an axis, how many pieces follow, and of each the local
/// index there and here, and the length.
Step tells_blocks(const Ids& ids) {
  return [ids](Index from, Index to) {
    const Index count = ids.n() / ids.processes();
    std::vector<Index> numbers{0, count};
    for (Index k = 0; k < count; ++k) numbers.insert(numbers.end(), {from + k * ids.processes(), to * count + k, 1});
    return numbers;
  };
}

void move_to_blocks(Index processes) {
  const Ids ids(processes, n);
  const Distribution blocks = Distribution::make({ids.count()}, {tridap::block()}, {processes});
  std::vector<Cost> plans, moves;
  for (const Index rank : {processes / 2, processes - 1}) {
    Dealers others(ids, rank);
    World world(static_cast<int>(processes), static_cast<int>(rank), others);
    warm(world);
    const Part source(ids, rank, dealt(ids, rank));
    const DistArray target = on::part_of(blocks, rank);
    others.set({deals_any(ids)});
    world.count_anew();
    const Distribution lists = tridap::mpi::gather_distribution(source.array, world.comm());
    others.set({tells_blocks(ids)});
    std::optional<Redistribution> plan;
    plans.push_back(cost_of(world, [&] { plan.emplace(lists, blocks, 8, world.comm()); }));
    const Index each = 8 * n / processes;
    need(plan->plan().bytes_to(0) == each && plan->plan().bytes_from(0) == each && plan->plan().bytes_kept() == each,
         "the plan to blocks");
    moves.push_back(cost_of(world, [&] { (*plan)(source.array, target); }));
  }
  print("plan, lists to blocks", size_of(processes), plans);
  print("move, lists to blocks", size_of(processes), moves);
}

void update_ghosts(Index processes) {
  const Ids ids(processes, n);
  const Deal deal{ids, 0};
  std::vector<Cost> plans, updates;
  for (const Index rank : {processes / 2, processes - 1}) {
    ListHolders others(ids, rank,
                       {deals(deal), together({asks(deal, n, ghosts)}), together({answers(deal, n, ghosts, deal)}),
                        asks_for_rows(processes, 1, ghosts)});
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
  move_to_blocks(processes);
  update_ghosts(processes);
}

}  // namespace scaling
