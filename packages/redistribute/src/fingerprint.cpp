#include "fingerprint.hpp"

#include <tridap/internal/digest.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <string>

namespace tridap::redistribute {

namespace {

void add_kind(Digest& digest, const BlockKind& kind) {
  digest.add(kind.length());
  if (kind.is_uniform() && !kind.is_padded()) return;
  for (Index c = 0; c < kind.grid(); ++c)
    for (const Index number : {kind.begin(c), kind.padding(c)[0], kind.padding(c)[1]}) digest.add(number);
}

void add_kind(Digest& digest, const CyclicKind& kind) {
  digest.add(kind.block_size());
  digest.add(kind.first());
}

void add_kind(Digest& digest, const UnstructuredKind& kind) {
  for (Index c = 0; c < kind.grid(); ++c) digest.add_all(kind.list(c));
}

void add_axis(Digest& digest, const Axis& axis) {
  for (const Index number : {Index{axis.dist_type()}, axis.size(), axis.proc_grid_size(), Index{axis.periodic()}})
    digest.add(number);
  axis.with_kind([&](const auto& kind) { add_kind(digest, kind); });
}

}  // namespace

Index fingerprint(const Plan& plan, const Options& options) {
  Digest digest;
  for (const PlacedDistribution* side : {&plan.source(), &plan.target()}) {
    digest.add(side->distribution.ndim());
    for (Index i = 0; i < side->distribution.ndim(); ++i) add_axis(digest, side->distribution.axis(i));
    digest.add_all(side->ranks);
  }
  const Mapping& mapping = options.mapping;
  digest.add_all(mapping.axes);
  const Index ravel = mapping.ravel ? static_cast<Index>(*mapping.ravel) : -1;
  for (const Index number :
       {plan.element_bytes(), Index{mapping.fill_padding}, Index{mapping.partial}, ravel,
        static_cast<Index>(options.path), Index{options.convert}, static_cast<Index>(options.order)})
    digest.add(number);
  return digest.value();
}

}  // namespace tridap::redistribute
