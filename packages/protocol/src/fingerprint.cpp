#include <tridap/internal/digest.hpp>
#include <tridap/internal/fingerprint.hpp>

namespace tridap {

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
  digest.add(kind.one_to_one() ? 1 : 0);
  if (const UnstructuredKind::Own* own = kind.own()) {
    for (const Index number : {own->distinct, own->extremes[0], own->extremes[1], own->owners, own->places})
      digest.add(number);
    return digest.add_all(own->counts);
  }
  for (Index c = 0; c < kind.grid(); ++c) digest.add_all(kind.list(c));
}

void add_axis(Digest& digest, const Axis& axis) {
  for (const Index number : {Index{axis.dist_type()}, axis.size(), axis.proc_grid_size(), Index{axis.periodic()}})
    digest.add(number);
  axis.with_kind([&](const auto& kind) { add_kind(digest, kind); });
}

}  // namespace

Index fingerprint(const Distribution& distribution) {
  Digest digest;
  digest.add(distribution.ndim());
  for (Index i = 0; i < distribution.ndim(); ++i) add_axis(digest, distribution.axis(i));
  return digest.value();
}

}  // namespace tridap
