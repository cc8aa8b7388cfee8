#include "compare_digests.hpp"

#include <tridap/internal/spread_lists.hpp>

#include <string>

namespace tridap {

namespace {

struct Digests {
  Index owners = 0, places = 0;
};

// Those of all entries of an axis; of its own, they are agreed.
Digests digests_of(const Axis& axis) {
  if (const auto* own = own_of(axis)) return {own->owners, own->places};
  std::array<std::uint64_t, 2> all{};
  for (Index c = 0; c < axis.proc_grid_size(); ++c)
    axis.for_each(c, Part::owned, [&](Index local, Index global) { add_to_digests(all, {global, {c, local}}); });
  return {static_cast<Index>(all[0]), static_cast<Index>(all[1])};
}

Comparison compare_axes(const Axis& a, const Axis& b) {
  if (own_of(a) == nullptr && own_of(b) == nullptr) return compare(Distribution({a}), Distribution({b}));
  for (Index c = 0; c < a.proc_grid_size(); ++c)
    if (a.count(c) != b.count(c))
      return {false, false,
              "coordinate " + std::to_string(c) + " owns " + std::to_string(a.count(c)) + " indices here and " +
                  std::to_string(b.count(c)) + " there"};
  const Digests of_a = digests_of(a), of_b = digests_of(b);
  if (of_a.owners != of_b.owners) return {false, false, "some index is owned by another coordinate here than there"};
  if (of_a.places != of_b.places) return {true, false, "the owners are the same, but their local indices differ"};
  return {};
}

}  // namespace

Comparison compare_digests(const Distribution& here, const Distribution& there) {
  if (here.proc_grid_shape() != there.proc_grid_shape())
    return {false, false, "the process grids differ, and the lists of an axis are in a directory"};
  Comparison all;
  for (Index i = 0; i < here.ndim(); ++i) {
    Comparison one = compare_axes(here.axis(i), there.axis(i));
    if (one.same_places) continue;
    one.difference = "on axis " + std::to_string(i) + " " + one.difference;
    if (!one.same_owners) return one;
    all = std::move(one);
  }
  return all;
}

}  // namespace tridap
