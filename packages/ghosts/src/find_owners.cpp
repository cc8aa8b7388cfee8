#include <tridap/detail/refuse.hpp>
#include <tridap/internal/ghost_owners.hpp>
#include <tridap/internal/numbered.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace tridap {

namespace {

// Where the element of an id is, by the numbered axes alone: a process of their grid, and a row of its local buffer.
class Finder {
 public:
  Finder(Distribution of, Order order) : of_(std::move(of)) {
    if (of_.ndim() > 1) numbers_.emplace(of_, order);
  }
  Finder(const Finder&) = delete;

  std::optional<Location> find(Index id) const {
    if (!numbers_) return of_.axis(0).locate(id);
    const redistribute::NumberedArray::Found found = numbers_->find(id, 1);
    return found.length == 0 ? std::nullopt : std::optional(Location{found.process, found.local});
  }
  // What an id is, for messages.
  std::string domain() const {
    if (numbers_) return "the flat number of an element, below " + std::to_string(numbers_->count());
    const Axis& axis = of_.axis(0);
    if (axis.dist_type() == 'u') return "one of the axis's indices";
    return "a global index, from 0 to " + std::to_string(axis.size() - 1);
  }

 private:
  Distribution of_;
  std::optional<redistribute::NumberedArray> numbers_;
};

Distribution numbered_axes(const Distribution& distribution, Index numbered) {
  std::vector<Axis> axes;
  for (Index i = 0; i < numbered; ++i) axes.push_back(distribution.axis(i));
  return Distribution(std::move(axes));
}

void check_repeated(const std::vector<Index>& ghosts) {
  std::vector<std::size_t> order(ghosts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [&](std::size_t a, std::size_t b) {
    return ghosts[a] != ghosts[b] ? ghosts[a] < ghosts[b] : a < b;
  };
  if (!std::is_sorted(order.begin(), order.end(), before)) std::sort(order.begin(), order.end(), before);
  const auto twice = std::adjacent_find(order.begin(), order.end(),
                                        [&](std::size_t a, std::size_t b) { return ghosts[a] == ghosts[b]; });
  if (twice == order.end()) return;
  refuse("ghost " + std::to_string(twice[1]) + " has the id " + std::to_string(ghosts[*twice]) + ", and so has ghost " +
             std::to_string(twice[0]),
         "must be listed once by a process", "leave one of them out");
}

}  // namespace

std::vector<std::vector<Index>> indices_of_ghosts(const GhostedArray& array, const Distribution& distribution) {
  std::vector<std::vector<Index>> indices(static_cast<std::size_t>(distribution.ndim()));
  if (array.numbered() == 1) {
    indices.front() = array.ghosts();
    return indices;
  }
  const Distribution numbered = numbered_axes(distribution, array.numbered());
  const redistribute::NumberedArray numbers(numbered, array.order());
  for (const Index id : array.ghosts()) numbers.add_indices(id, indices);
  return indices;
}

std::vector<Wanted> find_owners(const GhostedArray& array, const Distribution& distribution, Index process) {
  const std::vector<Index>& ghosts = array.ghosts();
  const Finder finder(numbered_axes(distribution, array.numbered()), array.order());
  Index others = 1;  // processes with the same coordinates on the numbered axes
  for (Index i = array.numbered(); i < distribution.ndim(); ++i) others *= distribution.axis(i).proc_grid_size();
  std::vector<std::pair<Index, Location>> found;  // a ghost, and where its element is
  found.reserve(ghosts.size());
  for (std::size_t k = 0; k < ghosts.size(); ++k) {
    const auto what = [&] { return "ghost " + std::to_string(k) + " has the id " + std::to_string(ghosts[k]); };
    const std::optional<Location> place = finder.find(ghosts[k]);
    if (!place)
      refuse(what() + ", which no process owns", "must be " + finder.domain(),
             "pass the id of an element of the array");
    const Index owner = place->coordinate * others + process % others;
    if (owner == process)
      refuse(what() + ", an element that this process owns itself", "must be an element of another process",
             "leave the ghost out, and use the owned element");
    found.push_back({static_cast<Index>(k), {owner, place->local}});
  }
  check_repeated(ghosts);
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.second.coordinate < b.second.coordinate; });
  std::vector<Wanted> all;
  for (const auto& [ghost, place] : found) {
    if (all.empty() || all.back().process != place.coordinate) all.push_back({place.coordinate, {}, {}});
    all.back().ghosts.push_back(ghost);
    all.back().rows.push_back(place.local);
  }
  return all;
}

}  // namespace tridap
