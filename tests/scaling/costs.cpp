#include "scaling/costs.hpp"

#include <tridap/dimension.hpp>
#include <tridap/make.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <limits>
#include <variant>

namespace scaling {

namespace {

// How many numbers a coordinate of an axis has in the reduction of an array's check: six, largest and smallest.
constexpr Index fields = 6;

Said said_by(const tridap::Dimension& dimension) {
  if (const auto* cyclic = std::get_if<tridap::Cyclic>(&dimension.dist)) return {cyclic->start};
  const auto& block = std::get<tridap::Block>(dimension.dist);
  const auto padding = block.padding.value_or(std::array<Index, 2>{0, 0});
  return {block.start, block.stop, block.padding.has_value() ? 1 : 0, padding[0], padding[1]};
}

}  // namespace

Holders::Holders(const Distribution& distribution) {
  for (Index i = 0; i < distribution.ndim(); ++i)
    axes_.push_back({distribution.axis(i).proc_grid_size(),
                     [axis = distribution.axis(i)](Index c) { return said_by(axis.dimension(c)); }});
}

// The numbers that this process does not have are the least possible one. What its own coordinate says it has said.
bool Holders::reduce(MPI_Op operation, MPI_Datatype, std::int64_t* numbers, int count) {
  Index coordinates = 0;
  for (const AxisOf& axis : axes_) coordinates += axis.coordinates;
  if (operation != MPI_MAX || coordinates == 0 || count != 2 * fields * coordinates) return false;
  for (const AxisOf& axis : axes_)
    for (Index c = 0; c < axis.coordinates; ++c, numbers += 2 * fields) {
      if (numbers[0] != std::numeric_limits<std::int64_t>::min()) continue;
      const Said said = axis.say(c);
      const Index all[fields] = {said.start, said.stop, said.padded, said.left, said.right, 0};  // 0: no unknown keys
      for (Index field = 0; field < fields; ++field) {
        numbers[2 * field] = all[field];
        numbers[2 * field + 1] = ~all[field];
      }
    }
  return true;
}

Size::Size(const std::vector<Distribution>& all, Index elements) : processes(all.front().processes()), n(elements) {
  for (const Distribution& distribution : all)
    for (Index i = 0; i < distribution.ndim(); ++i) {
      const Index grid = distribution.axis(i).proc_grid_size();
      coordinates += grid;
      longest = std::max(longest, grid);
    }
}

void print(const std::string& call, const Size& size, const std::vector<Cost>& costs) {
  Cost most;
  for (const Cost& cost : costs) {
    virtual_processes::Traffic& all = most.traffic;
    all.collectives = std::max(all.collectives, cost.traffic.collectives);
    all.collective_bytes = std::max(all.collective_bytes, cost.traffic.collective_bytes);
    all.messages = std::max(all.messages, cost.traffic.messages);
    all.bytes = std::max(all.bytes, cost.traffic.bytes);
    most.memory = std::max(most.memory, cost.memory);
  }
  const virtual_processes::Traffic& all = most.traffic;
  for (const Index number :
       {size.processes, size.n, size.coordinates, size.longest, Index{all.collectives}, Index{all.collective_bytes},
        Index{all.messages}, Index{all.bytes}, static_cast<Index>(most.memory)})
    std::printf("%lld\t", static_cast<long long>(number));
  std::printf("%s\n", call.c_str());
  std::fflush(stdout);
}

void warm(World& world) {
  int processes = 1;
  MPI_Comm_size(world.comm(), &processes);
  const Distribution line = Distribution::make({processes}, {tridap::block()}, {processes});
  const tridap::redistribute::Redistribution plan(line, line, 8, world.comm());
}

std::array<int, 2> places(const Distribution& distribution) {
  tridap::Indices middle;
  for (Index i = 0; i < distribution.ndim(); ++i) middle.push_back(distribution.axis(i).proc_grid_size() / 2);
  return {static_cast<int>(distribution.process(middle)), static_cast<int>(distribution.processes() - 1)};
}

}  // namespace scaling
