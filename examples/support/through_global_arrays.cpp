#include "support/through_global_arrays.hpp"

#ifdef TRIDAP_HAVE_GLOBALARRAYS

#include <tridap/compare.hpp>
#include <tridap/globalarrays.hpp>

#include <numeric>
#include <vector>

namespace examples {

namespace {

using tridap::redistribute::PlacedDistribution;

// Whether each element has the same owner and the same local index there. Compares one element after another.
bool same_ownership(const tridap::Distribution& there, const PlacedDistribution& back) {
  const std::vector<tridap::Index> shape = there.shape();
  if (back.distribution().shape() != shape) return false;
  tridap::Indices at(shape.size(), 0);
  for (std::size_t axis = 0; axis < shape.size();) {
    const auto owner = there.owner(at), owner_back = back.distribution().owner(at);
    if (!owner || !owner_back || back.rank(*owner_back) != *owner) return false;
    if (there.local_index(*owner, at) != back.distribution().local_index(*owner_back, at)) return false;
    for (axis = 0; axis < shape.size() && ++at[axis] == shape[axis]; ++axis) at[axis] = 0;
  }
  return true;
}

std::vector<double> values(const tridap::Buffer& buffer) {
  std::vector<double> packed(static_cast<std::size_t>(buffer.data == nullptr ? 0 : tridap::element_count(buffer)));
  if (!packed.empty()) tridap::pack(buffer, packed.data());
  return packed;
}

}  // namespace

std::shared_ptr<void> start_global_arrays() { return std::make_shared<tridap::globalarrays::Session>(); }

void through_global_arrays(const tridap::DistArray& array, const tridap::Distribution& distribution,
                           const Claims& claims) {
  namespace ga = tridap::globalarrays;
  if (const auto why = ga::refusal(distribution, array.buffer.type, claims.processes())) {
    claims.say("  GA         none: %s", why->c_str());
    return;
  }
  auto* const first = static_cast<double*>(array.buffer.data);
  std::iota(first, first + tridap::element_count(array.buffer), 1000.0 * claims.process());

  const ga::ImportedArray there = ga::import_array(array, claims.comm(), tridap::Copy::if_needed);
  const ga::ExportedArray back = ga::export_array(there.array);
  const PlacedDistribution found = ga::placed(there.array.handle());
  const bool same = same_ownership(distribution, found);
  claims.say("  GA         %s; %s; back %s", tridap::describe(found.distribution()).c_str(),
             there.receipt.text().c_str(), back.receipt.text().c_str());
  claims.require(same, "the ownership changed in Global Arrays");
  claims.require(values(back.array.buffer) == values(array.buffer), "the values changed in Global Arrays");
  claims.require(there.receipt.bytes_copied == tridap::element_count(array.buffer) * array.buffer.type.bytes &&
                     back.receipt.bytes_copied == 0,
                 "the import to Global Arrays must copy once, and the export must not copy");
}

}  // namespace examples

#else

namespace examples {

std::shared_ptr<void> start_global_arrays() { return nullptr; }
void through_global_arrays(const tridap::DistArray&, const tridap::Distribution&, const Claims&) {}

}  // namespace examples

#endif
