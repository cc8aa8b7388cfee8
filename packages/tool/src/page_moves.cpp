#include "page_data.hpp"
#include "words.hpp"
#include <tridap/internal/axis_moves.hpp>

#include <algorithm>
#include <numeric>

namespace tridap::drawing {

namespace {

using redistribute::AxisMoves;
using redistribute::Share;

constexpr Index most_pairs = Index{1} << 20;  // of processes: more would be a long document
constexpr Index most_steps = Index{1} << 22;  // for an axis: more would take long

// About as many steps as it takes to find what moves along an axis: the blocks of one period or of the whole axis, and
// the coordinates. Of an unstructured axis, its indices are in the document anyway.
Index steps_of(const Axis& from, const Axis& to) {
  const auto length = [](const Axis& axis) -> Index {
    if (const auto* cyclic = axis.cyclic()) return cyclic->block_size();
    return std::max<Index>(axis.size() / axis.proc_grid_size(), 1);
  };
  const bool is_from_cyclic = from.dist_type() == 'c', is_to_cyclic = to.dist_type() == 'c';
  std::optional<Index> coordinates = checked_add(from.proc_grid_size(), to.proc_grid_size());
  if (is_from_cyclic != is_to_cyclic)  // each pair of coordinates is looked up
    coordinates = checked_multiply(from.proc_grid_size(), to.proc_grid_size());
  if (!coordinates || *coordinates > most_steps) return most_steps + 1;
  if (from.dist_type() == 'u' || to.dist_type() == 'u') return *coordinates;
  Index period = std::max<Index>(from.size(), 1);
  if (is_from_cyclic && is_to_cyclic) {
    const auto a = checked_multiply(length(from), from.proc_grid_size());
    const auto b = checked_multiply(length(to), to.proc_grid_size());
    if (a && b) period = std::min(period, checked_multiply(*a / std::gcd(*a, *b), *b).value_or(period));
  }
  const Index blocks = std::max(period / length(from), period / length(to));
  return blocks > most_steps ? most_steps + 1 : 2 * blocks + *coordinates;
}

// What moves along an axis from each coordinate: runs of coordinates of the target, each with the elements it gets.
struct AxisTable {
  std::string json;
  Index pairs = 0;
  std::string missing;  // why nothing can move; empty: it can
};

std::string missing_words(const AxisMoves& moves, Index axis, const char* there) {
  if (!moves.missing) return "";
  return "no process of the " + std::string(there) + " array holds index " + std::to_string(*moves.missing) +
         " of axis " + std::to_string(axis);
}

std::string row_of(const std::vector<Share>& shares) {
  std::string row = "[";
  for (std::size_t i = 0; i < shares.size();) {
    std::size_t end = i + 1;
    while (end < shares.size() && shares[end].count == shares[i].count && shares[end].peer == shares[end - 1].peer + 1)
      ++end;
    row += (i == 0 ? "" : ",") + page_number(shares[i].peer) + "," + std::to_string(end - i) + "," +
           page_number(shares[i].count);
    i = end;
  }
  return row + "]";
}

AxisTable table_of(const Axis& from, const Axis& to, Index axis) {
  AxisTable table;
  for (Index s = 0; s < from.proc_grid_size(); ++s) {
    const AxisMoves moves = redistribute::moves_from(from, s, to, Part::owned);
    if (table.missing.empty()) table.missing = missing_words(moves, axis, "second");
    table.pairs += static_cast<Index>(moves.shares.size());
    table.json += (s == 0 ? "[" : ",") + row_of(moves.shares);
  }
  for (Index t = 0; t < to.proc_grid_size() && table.missing.empty(); ++t)
    table.missing = missing_words(redistribute::moves_to(from, to, t, Part::owned), axis, "first");
  table.json += "]";
  return table;
}

// Why the shapes do not fit; empty: they do. An unstructured axis has no size of its own.
std::string unlike_shapes(const Distribution& from, const Distribution& to) {
  if (from.ndim() != to.ndim())
    return "the first array has " + counted(from.ndim(), "axis", "axes") + ", the second has " +
           std::to_string(to.ndim());
  for (Index i = 0; i < from.ndim(); ++i) {
    const Axis &a = from.axis(i), &b = to.axis(i);
    if (a.dist_type() != 'u' && b.dist_type() != 'u' && a.size() != b.size())
      return "axis " + std::to_string(i) + " has size " + std::to_string(a.size()) + " in the first array and " +
             std::to_string(b.size()) + " in the second";
  }
  return "";
}

std::string why(const std::string& text) { return "{\"why\":" + json_text(text) + "}"; }

}  // namespace

std::string page_moves(const PageArray& source, const PageArray& target) {
  const Distribution &from = source.distribution, &to = target.distribution;
  const std::string nothing = "Nothing can move between them: ", hidden = "What moves between them is not shown: ";
  if (const std::string unlike = unlike_shapes(from, to); !unlike.empty()) return why(nothing + unlike + ".");
  std::string axes;
  std::optional<Index> pairs = 1;
  for (Index i = 0; i < to.ndim(); ++i) {
    if (steps_of(from.axis(i), to.axis(i)) > most_steps)
      return why(hidden + "axis " + std::to_string(i) +
                 " has too many blocks or processes to count them. Plan::explain() counts what one process sends.");
    const AxisTable table = table_of(from.axis(i), to.axis(i), i);
    if (!table.missing.empty()) return why(nothing + table.missing + ".");
    pairs = pairs ? checked_multiply(*pairs, table.pairs) : std::nullopt;
    axes += (i == 0 ? "" : ",") + table.json;
  }
  if (!pairs || *pairs > most_pairs)
    return why(hidden + "more than " + std::to_string(most_pairs) +
               " pairs of processes exchange elements. Plan::explain() counts what one process sends.");
  return "{\"axes\":[" + axes + "]}";
}

}  // namespace tridap::drawing
