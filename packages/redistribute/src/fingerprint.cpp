#include "fingerprint.hpp"

#include <tridap/report.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace tridap::redistribute {

namespace {

class Hash {
 public:
  void add(Index number) {
    value_ = (value_ ^ static_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15U;
    value_ ^= value_ >> 29;
  }
  Index value() const { return static_cast<Index>(value_ >> 1); }

  void add(const Axis& axis) {
    for (const Index number : {Index{axis.dist_type()}, axis.size(), axis.proc_grid_size(), Index{axis.periodic()}})
      add(number);
    axis.with_kind([this](const auto& kind) { add_kind(kind); });
  }

 private:
  void add_kind(const BlockKind& kind) {
    add(kind.length());
    if (kind.even() && !kind.is_padded()) return;
    for (Index c = 0; c < kind.grid(); ++c)
      for (const Index number : {kind.begin(c), kind.padding(c)[0], kind.padding(c)[1]}) add(number);
  }
  void add_kind(const CyclicKind& kind) {
    add(kind.block_size());
    add(kind.first());
  }
  void add_kind(const UnstructuredKind& kind) {
    for (Index c = 0; c < kind.grid(); ++c) {
      add(kind.count(c));
      for (const Index global : kind.list(c)) add(global);
    }
  }

  std::uint64_t value_ = 0;
};

}  // namespace

Index fingerprint(const Plan& plan, const Options& options) {
  Hash hash;
  for (const PlacedDistribution* side : {&plan.source(), &plan.target()}) {
    hash.add(side->distribution.ndim());
    for (Index i = 0; i < side->distribution.ndim(); ++i) hash.add(side->distribution.axis(i));
    hash.add(static_cast<Index>(side->ranks.size()));
    for (const Index rank : side->ranks) hash.add(rank);
  }
  const Mapping& mapping = options.mapping;
  for (const Index axis : mapping.axes) hash.add(axis);
  const Index ravel = mapping.ravel ? static_cast<Index>(*mapping.ravel) : -1;
  for (const Index number :
       {plan.element_bytes(), Index{mapping.fill_padding}, Index{mapping.partial}, ravel,
        static_cast<Index>(options.path), Index{options.convert}, static_cast<Index>(options.order)})
    hash.add(number);
  return hash.value();
}

void check_ranks(const Plan& plan, Index processes) {
  for (const PlacedDistribution* side : {&plan.source(), &plan.target()}) {
    const Index highest = side->ranks.empty() ? side->distribution.processes() - 1
                                              : *std::max_element(side->ranks.begin(), side->ranks.end());
    if (highest < processes) continue;
    const std::string name = side == &plan.source() ? "source" : "target";
    throw Error(Finding{Rule::conversion,
                        {},
                        {},
                        "",
                        "the " + name + " has a part on rank " + std::to_string(highest),
                        "must be on the " + std::to_string(processes) + " processes of the communicator",
                        "give a communicator of all processes of both sides"});
  }
}

}  // namespace tridap::redistribute
