#include <tridap/detail/refuse.hpp>
#include <tridap/internal/numbered.hpp>
#include <tridap/internal/plan_data.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tridap::redistribute {

namespace {

// The side of all axes and the side of one, whose global indices number the elements of the former. Each side is seen
// as runs of numbers, and each run is looked up on the other side.
struct Raveller {
  const NumberedArray& array;
  const Axis& line;
  bool array_is_source;

  // Our part of the array, looked up on the line.
  AxisMoves from_array(Index process) const {
    std::vector<Piece> pieces;
    std::optional<Index> missing;
    ArrayRuns runs = array.runs(process, Part::owned);
    while (const std::optional<Run> run = runs.next())
      for (Index done = 0; done < run->length;) {
        const Index number = run->global + done, left = run->length - done;
        done += array_is_source && array.shares() && array.find(number, 1).process != process
                    ? 1  // another one sends it
                    : look_up(number, run->local + done, left, pieces, missing);
      }
    return moves_of(std::move(pieces), missing);
  }
  Index look_up(Index number, Index local, Index left, std::vector<Piece>& pieces,
                std::optional<Index>& missing) const {
    const std::optional<Location> place = line.locate(number);
    if (!place) {
      if (!missing) missing = number;
      return 1;
    }
    if (line.shares_indices() && array_is_source) {  // each holder of the target gets a copy
      for (const Index c : line.owners(number)) add_piece(pieces, {local, *line.local_index(c, number), 1, c});
      return 1;
    }
    const Index end = std::min(line.part(place->coordinate, Part::owned).end, place->local + left);
    const auto* const lists = line.unstructured();
    const bool is_spread = lists != nullptr && lists->own() != nullptr;  // what follows there is not known
    const bool single = is_spread || line.shares_indices() || (array_is_source && array.shares());
    const Index length = single ? 1 : line.run_from(place->coordinate, place->local, end).length;
    add_piece(pieces, {local, place->local, length, place->coordinate});
    return length;
  }

  // Our part of the line, looked up in the array.
  AxisMoves from_line(Index c) const {
    std::vector<Piece> pieces;
    std::optional<Index> missing;
    const bool shared = line.shares_indices() && !array_is_source, copies = array.shares() && !array_is_source;
    const auto look_up_run = [&](const Run& run) {
      array.look_up(run, copies, pieces, [&](Index number, Index) { missing = missing ? missing : number; });
    };
    for (const Run& run : line.runs(c, Part::owned)) {
      for (Index k = 0; shared && k < run.length; ++k)
        if (line.owner(run.global + k) == c) look_up_run({run.global + k, run.local + k, 1});  // else another sends it
      if (!shared) look_up_run(run);
    }
    return moves_of(std::move(pieces), missing);
  }
};

}  // namespace

void check_ravel(const PlanData& parts) {
  if (!parts.mapping.axes.empty())
    refuse("Mapping::axes and Mapping::ravel are both set", "but only one of them may be set",
           "leave Mapping::axes empty");
  if (parts.mapping.fill_padding)
    refuse("Mapping::fill_padding and Mapping::ravel are both set", "but only one of them may be set",
           "leave fill_padding false, and call update_padding() for the target");
  if (parts.target.placed.distribution().ndim() != 1 && parts.source.placed.distribution().ndim() != 1)
    refuse("Mapping::ravel is set, but neither side has exactly one axis",
           "must have one on one side, whose indices number the elements of the other side",
           "leave Mapping::ravel unset");
}

void ravel(PlanData& parts) {
  check_ravel(parts);
  const Distribution &from = parts.source.placed.distribution(), &to = parts.target.placed.distribution();
  const bool array_is_source = to.ndim() == 1;
  const NumberedArray array(array_is_source ? from : to, *parts.mapping.ravel);
  const Axis& line = (array_is_source ? to : from).axis(0);
  if (!parts.mapping.partial && line.dist_type() != 'u' && line.size() != array.count())
    refuse("the size of the axis of flat numbers is " + std::to_string(line.size()),
           "must be the number of elements of the other side, " + std::to_string(array.count()),
           "make an axis of that size, or set the option `partial`");
  const Raveller raveller{array, line, array_is_source};
  for (const End end : {End::source, End::target}) {
    PlanSide& side = parts.side(end);
    if (!side.process) continue;
    const bool of_array = array_is_source == (end == End::source);
    AxisMoves found = of_array ? raveller.from_array(*side.process) : raveller.from_line(*side.process);
    const std::string here = name_of(end), there = name_of(other(end));
    if (!parts.mapping.partial && found.missing)
      refuse("flat number " + std::to_string(*found.missing) + " of the " + here + " is held by no process of the " +
                 there,
             "must be held on both sides", "add it to the " + there + ", or set the option `partial` to leave it out");
    for (Section& section : found.sections) sort_by(source_of(end), section.pieces);
    side.axes.push_back(std::move(found));
  }
}

}  // namespace tridap::redistribute
