#include "ravel.hpp"

#include <dap/report.hpp>
#include <dap/runs.hpp>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace dap::redistribute {

namespace {

[[noreturn]] void refuse(std::string fault, std::string must, std::string remedy) {
  throw Error(Finding{Rule::conversion, {}, {}, "", std::move(fault), std::move(must), std::move(remedy)});
}

// Dense local memory of one process, elements in an order.
MemoryOrder dense(Index ndim, Order order) {
  MemoryOrder memory;
  memory.reversed.assign(static_cast<std::size_t>(ndim), false);
  for (Index i = 0; i < ndim; ++i) memory.axes.push_back(order == Order::row_major ? i : ndim - 1 - i);
  return memory;
}

// The side with all axes, seen by flat numbers.
class Array {
 public:
  Array(const Distribution& distribution, Order order)
      : of_(distribution), numbers_(distribution, order), order_(order) {}

  Index count() const { return numbers_.count(); }

  // Who owns the element of a flat number, where it stands in the dense local buffer, and how many numbers from it on
  // stand there one after the other; length 0: nobody holds it.
  Piece locate(Index number, Index most) const {
    const std::optional<Indices> global = numbers_.global_index(number);
    const std::optional<Index> process = global ? of_.owner(*global) : std::nullopt;
    if (!process) return {0, 0, 0, -1};
    const Indices local = *of_.local_index(*process, *global);
    const std::vector<Index> shape = of_.local_shape(*process);
    Index at = 0;
    const std::size_t ndim = local.size();
    for (std::size_t k = 0; k < ndim; ++k) {
      const std::size_t i = order_ == Order::row_major ? k : ndim - 1 - k;
      at = at * shape[i] + local[i];
    }
    if (ndim == 0) return {at, 0, 1, *process};
    const std::size_t inner = order_ == Order::row_major ? ndim - 1 : 0;
    const auto axis = static_cast<Index>(inner);
    const Index c = of_.coordinates(*process)[inner];
    const Range owned = of_.axis(axis).part(c, Part::owned);
    const Index end = std::min(owned.end, local[inner] + most);
    Index length = of_.axis(axis).run_from(c, local[inner], end).length;
    if (of_.axis(axis).shares_indices()) length = 1;  // the next may have another owner
    return {at, 0, length, *process};
  }

  ArrayRuns runs(Index process, Part part) const {
    return ArrayRuns(of_, process, part, dense(of_.ndim(), order_), order_);
  }
  bool owns(Index process, Index number) const {  // where indices are shared, the lowest does
    return of_.owner(*numbers_.global_index(number)) == process;
  }
  bool shares() const {
    for (Index i = 0; i < of_.ndim(); ++i)
      if (of_.axis(i).shares_indices()) return true;
    return false;
  }
  // All processes that hold an element.
  std::vector<Index> owners(Index number) const {
    const std::optional<Indices> global = numbers_.global_index(number);
    return global ? of_.owners(*global) : std::vector<Index>{};
  }
  Index place(Index process, Index number) const {
    const Indices local = *of_.local_index(process, *numbers_.global_index(number));
    const std::vector<Index> shape = of_.local_shape(process);
    Index at = 0;
    for (std::size_t k = 0; k < local.size(); ++k) {
      const std::size_t i = order_ == Order::row_major ? k : local.size() - 1 - k;
      at = at * shape[i] + local[i];
    }
    return at;
  }

 private:
  const Distribution& of_;
  FlatNumbers numbers_;
  Order order_;
};

void add(std::vector<Piece>& pieces, const Piece& piece) {
  if (!pieces.empty()) {
    Piece& last = pieces.back();
    if (last.peer == piece.peer && last.source + last.length == piece.source &&
        last.target + last.length == piece.target) {
      last.length += piece.length;
      return;
    }
  }
  pieces.push_back(piece);
}

AxisMoves moves(std::vector<Piece> pieces, std::optional<Index> missing) {
  AxisMoves all;
  all.missing = missing;
  std::unordered_map<Index, Index> counts;
  for (const Piece& piece : pieces) counts[piece.peer] += piece.length;
  for (const auto& [peer, count] : counts) all.shares.push_back({peer, count});
  std::sort(all.shares.begin(), all.shares.end(), [](const Share& a, const Share& b) { return a.peer < b.peer; });
  if (!pieces.empty()) all.sections.push_back({1, 0, 0, std::move(pieces)});
  return all;
}

// Both directions see one side as runs of flat numbers of ours, and look each up on the other side.
struct Raveller {
  const Array& array;  // the side of all axes
  const Axis& line;    // the side of one axis
  bool array_is_source;

  // Our part of the array, looked up on the line: pieces {array, line}.
  AxisMoves from_array(Index process, Part part) const {
    std::vector<Piece> pieces;
    std::optional<Index> missing;
    const bool shared = array.shares() && array_is_source;
    ArrayRuns runs = array.runs(process, part);
    while (const std::optional<Run> run = runs.next())
      for (Index done = 0; done < run->length;) {
        const Index number = run->global + done;
        Index length = 1;
        if (!shared || array.owns(process, number)) {
          const std::vector<Index> holders = array_is_source ? line.owners(number) : one(line.owner(number));
          if (holders.empty() && !missing) missing = number;
          length = 0;
          for (const Index c : holders) {
            const Index local = *line.local_index(c, number);
            Index piece =
                line.run_from(c, local, std::min(line.part(c, Part::owned).end, local + run->length - done)).length;
            if (shared || line.shares_indices()) piece = 1;
            length = length == 0 ? piece : std::min(length, piece);
            add(pieces, {run->local + done, local, piece, c});
          }
          if (length == 0) length = 1;
        }
        done += length;
      }
    return moves(std::move(pieces), missing);
  }

  // Our part of the line, looked up in the array: pieces {array, line}.
  AxisMoves from_line(Index c, Part part) const {
    std::vector<Piece> pieces;
    std::optional<Index> missing;
    const bool shared = line.shares_indices() && !array_is_source;
    for (const Run& run : line.runs(c, part))
      for (Index done = 0; done < run.length;) {
        const Index number = run.global + done, local = run.local + done;
        Index length = 1;
        if (shared && line.owner(number) != c) {
        } else if (number < 0 || number >= array.count()) {
          if (!missing) missing = number;
        } else if (array_is_source || !array.shares()) {
          const Piece there = array.locate(number, run.length - done);
          if (there.length == 0) {
            if (!missing) missing = number;
          } else {
            length = shared ? 1 : there.length;
            add(pieces, {there.source, local, length, there.peer});
          }
        } else {  // every holder of the target gets a copy
          const std::vector<Index> holders = array.owners(number);
          if (holders.empty() && !missing) missing = number;
          for (const Index holder : holders) add(pieces, {array.place(holder, number), local, 1, holder});
        }
        done += length;
      }
    return moves(std::move(pieces), missing);
  }

  static std::vector<Index> one(std::optional<Index> owner) {
    return owner ? std::vector<Index>{*owner} : std::vector<Index>{};
  }
};

// Pieces were found as {array, line}.
AxisMoves turned(AxisMoves all, bool array_is_source, bool sort) {
  for (Section& section : all.sections) {
    if (!array_is_source)
      for (Piece& piece : section.pieces) std::swap(piece.source, piece.target);
    if (sort)
      std::stable_sort(section.pieces.begin(), section.pieces.end(),
                       [](const Piece& a, const Piece& b) { return a.source < b.source; });
  }
  return all;
}

}  // namespace

void ravel(Plan::Parts& parts) {
  const Distribution &from = parts.source.distribution, &to = parts.target.distribution;
  if (!parts.mapping.axes.empty())
    refuse("Mapping::axes and Mapping::ravel are both set", "must be one of them", "leave the axes out");
  if (parts.mapping.fill_padding)
    refuse("the target's padding shall be filled from flat numbers", "padding is filled axis by axis alone",
           "leave fill_padding out, and update_padding() the target");
  if (to.ndim() != 1 && from.ndim() != 1)
    refuse("neither side has one axis", "one side's only axis numbers the elements of the other",
           "leave Mapping::ravel out");
  const bool array_is_source = to.ndim() == 1;
  const Array array(array_is_source ? from : to, *parts.mapping.ravel);
  const Axis& line = (array_is_source ? to : from).axis(0);
  if (!parts.mapping.partial && line.dist_type() != 'u' && line.size() != array.count())
    refuse("the line's size is " + std::to_string(line.size()),
           "must be the number of the array's flat numbers, " + std::to_string(array.count()),
           "give the line that size, or set Mapping::partial");
  const Raveller raveller{array, line, array_is_source};
  const auto missing = [&](const AxisMoves& moves, const char* here, const char* there) {
    if (!parts.mapping.partial && moves.missing)
      refuse("flat number " + std::to_string(*moves.missing) + " of the " + here + " is held by nobody in the " + there,
             "must be held on both sides", "list it there, or set Mapping::partial to leave it out");
  };
  if (parts.out.process) {
    parts.out.axes.push_back(turned(array_is_source ? raveller.from_array(*parts.out.process, Part::owned)
                                                    : raveller.from_line(*parts.out.process, Part::owned),
                                    array_is_source, false));
    missing(parts.out.axes.back(), "source", "target");
  }
  if (parts.in.process) {
    parts.in.axes.push_back(turned(array_is_source ? raveller.from_line(*parts.in.process, Part::owned)
                                                   : raveller.from_array(*parts.in.process, Part::owned),
                                   array_is_source, true));
    missing(parts.in.axes.back(), "target", "source");
  }
}

}  // namespace dap::redistribute
