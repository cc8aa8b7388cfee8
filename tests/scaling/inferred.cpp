// What it costs to find the dim_data of ids.
#include "scaling/costs.hpp"
#include "scaling/rows.hpp"
#include <tridap/infer/infer_dim_data.hpp>
#include <tridap/make.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <variant>

namespace scaling {

namespace {

// What a process says of its ids: how many there are; and for each axis a count, the first index, the length of a run,
// the distance of two runs, a hash, and whether it is reversed.
using Share = std::array<Index, 6>;
using Shares = std::function<std::vector<Share>(Index process)>;

/// All processes that have ids.
class IdHolders : public Others {
 public:
  IdHolders(Index processes, Index rank, Shares shares)
      : processes_(processes), rank_(rank), shares_(std::move(shares)) {}

  // What this process says itself is in its place already.
  bool gather(std::int64_t* all, int each) override {
    for (Index process = 0; process < processes_; ++process, all += each) {
      std::int64_t count = 1;
      std::vector<std::int64_t> said{0};
      for (const Share& share : shares_(process)) {
        count *= share[0];
        said.insert(said.end(), share.begin(), share.end());
      }
      said[0] = count;
      if (process != rank_)
        std::copy(said.begin(), said.end(), all);
      else
        need(each == static_cast<int>(said.size()) && all[0] == count && all[1] == said[1],
             "what a process says of ids");
    }
    return true;
  }

 protected:
  Index processes_, rank_;

 private:
  Shares shares_;
};

/// Those of lists: all processes send one another their indices.
class ListedIdHolders : public IdHolders {
 public:
  ListedIdHolders(Index n, Index processes, Index rank)
      : IdHolders(processes, rank,
                  [=](Index process) {
                    return std::vector<Share>{{n, process * n + 1, 0, 0, process, 0}};
                  }),
        n_(n) {}

  std::vector<virtual_processes::Letter> letters(int) override {
    std::vector<virtual_processes::Letter> all;
    for (Index from = 0; from < processes_; ++from)
      if (from != rank_) all.push_back({static_cast<int>(from), 2 + n_ / processes_});
    return all;
  }
  void write(int, const virtual_processes::Letter& letter, std::int64_t* numbers) override {
    numbers[0] = numbers[1] = 0;  // axis 0, to compare
    for (std::int64_t k = 2; k < letter.length; ++k) numbers[k] = letter.from * n_ + k;
  }

 private:
  Index n_;
};

void infer_blocks(Index processes) {
  constexpr Index side = 32;
  const std::vector<Index> grid = tridap::near_square_grid(processes, 2);
  const Distribution blocks =
      Distribution::make({side * grid[0], side * grid[1]}, {tridap::block(), tridap::block()}, grid);
  tridap::infer::InferenceHints hints;
  hints.shape = blocks.shape();
  const auto share = [](Index coordinate) { return Share{side, side * coordinate, side, 0, 0, 0}; };
  std::vector<Cost> costs;
  for (const int rank : places(blocks)) {
    IdHolders others(processes, rank, [&](Index process) {
      return std::vector<Share>{share(process / grid[1]), share(process % grid[1])};
    });
    World world(static_cast<int>(processes), rank, others);
    warm(world);
    std::vector<Index> ids;
    for (Index i = 0; i < side; ++i)
      for (Index j = 0; j < side; ++j)
        ids.push_back((rank / grid[1] * side + i) * blocks.axis(1).size() + rank % grid[1] * side + j);
    const tridap::GlobalIds given{side * side, ids.data(), 0};
    costs.push_back(cost_of(world, [&] { return tridap::infer::infer_dim_data(given, world.comm(), hints); }));
    const tridap::DimData found = tridap::infer::infer_dim_data(given, world.comm(), hints).dim_data;
    need(std::get<tridap::Block>(found[0].dist).start == rank / grid[1] * side, "the blocks of ids");
  }
  print("infer_dim_data, block x block", Size({blocks}, side * side), costs);
}

void infer_lists(Index processes) {
  constexpr Index n = 1'000'000;
  std::vector<Cost> costs;
  for (const Index rank : {processes / 2, processes - 1}) {
    ListedIdHolders others(n, processes, rank);
    World world(static_cast<int>(processes), static_cast<int>(rank), others);
    warm(world);
    std::vector<Index> ids;  // of a block, in another order
    for (Index i = 0; i < n; ++i) ids.push_back(rank * n + (7 * i + 1) % n);
    const tridap::GlobalIds given{n, ids.data(), 0};
    costs.push_back(cost_of(world, [&] {
      const tridap::DimData found = tridap::infer::infer_dim_data(given, world.comm()).dim_data;
      need(found[0].size == n * processes && std::get<tridap::Unstructured>(found[0].dist).one_to_one, "lists of ids");
    }));
  }
  const Distribution line = Distribution::make({processes}, {tridap::block()}, {processes});
  print("infer_dim_data, lists", Size({line}, n), costs);
}

}  // namespace

void inferred_rows(Index processes) {
  infer_blocks(processes);
  infer_lists(processes);
}

}  // namespace scaling
