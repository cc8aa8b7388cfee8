#include "access.hpp"
#include "agreement.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/directory.hpp>
#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/fingerprint.hpp>
#include <tridap/internal/learned_of_numbers.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/numbered.hpp>
#include <tridap/internal/placement.hpp>
#include <tridap/internal/plan_data.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/redistribute/ids.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tridap::redistribute {

namespace {

// As many elements on each process as it has ids, as blocks in the order of the ranks.
Distribution blocks_of(const std::vector<Index>& counts) {
  std::vector<Index> bounds = {0};
  for (const Index count : counts) {
    const std::optional<Index> next = checked_add(bounds.back(), count);
    if (!next) refuse("the processes list more than 2^63 ids", "must be fewer than 2^63", "list fewer ids");
    bounds.push_back(*next);
  }
  return Distribution({Axis(BlockKind(std::move(bounds)))});
}

void check_ids(const GlobalIds& ids) {
  if (ids.count < 0)
    refuse("there are " + std::to_string(ids.count) + " ids", "must be 0 or more", "pass the number of ids");
  if (ids.list == nullptr && ids.count > 0 && !checked_add(ids.first, ids.count - 1))
    refuse("the " + std::to_string(ids.count) + " ids from " + std::to_string(ids.first) + " on", "must fit 64 bits",
           "pass ids of elements of the array");
}

// What our ids are in the array: pieces between the number of an id here and a dense local buffer there; peers are
// processes of the array.
std::vector<Piece> look_up(const NumberedArray& array, const GlobalIds& ids, bool array_is_source) {
  std::vector<Piece> pieces;
  const bool copies = !array_is_source && array.shares();  // every holder gets a copy
  const auto id = [&](Index k) { return ids.list != nullptr ? ids.list[k] : ids.first + k; };
  const auto missing = [&](Index number, Index k) {
    refuse("id " + std::to_string(number) + " at local index " + std::to_string(k) + " is not an element of the array",
           "must be one of the array's " + std::to_string(array.count()) + " flat numbers",
           "leave the id out, or pass an array that has this element");
  };
  for (Index k = 0, length = 0; k < ids.count; k += length) {
    length = ids.list == nullptr ? ids.count : 1;
    while (k + length < ids.count && static_cast<std::uint64_t>(id(k + length)) - static_cast<std::uint64_t>(id(k)) ==
                                         static_cast<std::uint64_t>(length))
      ++length;
    array.look_up({id(k), k, length}, copies, pieces, missing);
  }
  return pieces;
}

// Each piece goes to the process at its other end, which has no other way to know it, and sees it from there.
std::vector<Message> messages(std::vector<Piece> pieces, const PlacedDistribution& array, Index rank) {
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.peer < b.peer; });
  std::vector<Message> all;
  Index peer = -1;
  for (const Piece& piece : pieces) {
    if (piece.peer != peer) all.push_back({rank, array.rank(peer = piece.peer), {}});
    for (const Index number : {piece.there, piece.here, piece.length}) all.back().content.push_back(number);
  }
  return all;
}

std::vector<Piece> pieces_in(const std::vector<Message>& all) {
  std::vector<Piece> pieces;
  for (const Message& message : all)
    for (std::size_t k = 0; k + 2 < message.content.size(); k += 3)
      pieces.push_back({message.content[k], message.content[k + 1], message.content[k + 2], message.from});
  return pieces;
}

std::vector<Range> places_of(const std::vector<Piece>& pieces) {
  std::vector<Range> places;
  for (const Piece& piece : pieces) places.push_back({piece.here, piece.here + piece.length});
  std::sort(places.begin(), places.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  return places;
}

// Whether our owned elements of the array, at these places of the dense buffer, are each had once (`once`), and all.
void check_cover(const NumberedArray& array, Index process, const std::vector<Range>& had, bool once, bool all) {
  const auto name = [&](Index local) {
    ArrayRuns runs = array.runs(process, Part::local);
    while (const std::optional<Run> run = runs.next())
      if (run->local <= local && local < run->local + run->length)
        return std::to_string(run->global + local - run->local);
    return std::string("?");
  };
  if (once)
    for (std::size_t k = 1; k < had.size(); ++k)
      if (had[k].begin < had[k - 1].end)
        refuse("id " + name(had[k].begin) + " is listed twice", "must be listed once, by one process",
               "pass ids of a one-to-one map");
  if (!all) return;
  std::size_t next = 0;
  Index covered = 0;  // local numbers before it are had, or not asked for
  ArrayRuns runs = array.runs(process, Part::owned);
  while (const std::optional<Run> run = runs.next()) {
    covered = std::max(covered, run->local);
    while (covered < run->local + run->length) {
      while (next < had.size() && had[next].end <= covered) ++next;
      if (next == had.size() || had[next].begin > covered)
        refuse("id " + std::to_string(run->global + covered - run->local) + " is listed by no process",
               "must be listed by a process", "list it, or set the option `partial` to leave the element out");
      covered = had[next].end;
    }
  }
}

// Ids number the elements of all axes, and have no padding.
void check_mapping(const Mapping& mapping) {
  if (!mapping.axes.empty())
    refuse("Mapping::axes is set", "must be empty, because Mapping::ravel says how ids number the array",
           "leave Mapping::axes empty");
  if (mapping.fill_padding)
    refuse("Mapping::fill_padding is set", "must be false, because ids name elements without padding",
           "leave it false, and call update_padding() for the target");
}

Redistribution with_ids(const PlacedDistribution& given, const GlobalIds& ids, Index element_bytes, MPI_Comm comm,
                        Options options, bool array_is_source) {
  const mpi::Region region(array_is_source ? "tridap::redistribute::to_ids" : "tridap::redistribute::from_ids");
  int processes = 1;
  std::vector<Index> counts;
  const char* const name = array_is_source ? "redistribute::to_ids" : "redistribute::from_ids";
  const bool in_directory = mpi::has_directory(given.distribution());
  const mpi::Call call(comm, name, {}, [&](mpi::Record& record) {
    record.add(in_directory ? fingerprint(given.distribution()) : 0);
    processes = mpi::processes_of(comm);
    check_ids(ids);
    counts.resize(static_cast<std::size_t>(processes));
  });
  throw_if_plans_differ(call, 0);
  comm = call.comm();
  const Index rank = mpi::rank_of(comm);
  mpi::gather_all(&ids.count, 1, counts.data(), comm);
  if (!options.mapping.ravel) options.mapping.ravel = Order::row_major;

  PlacedDistribution array = given;
  if (in_directory) {
    mpi::collectively(comm, [&] {
      check_mapping(options.mapping);
      need_ranks(given, processes, "the array");
    });
    const auto our_numbers = [&](const std::function<void(Index)>& visit) {
      for (Index k = 0; k < ids.count; ++k) visit(ids.list != nullptr ? ids.list[k] : ids.first + k);
    };
    array = learned_of_numbers(given, *options.mapping.ravel, our_numbers, comm);
  }
  const End held_at = array_is_source ? End::source : End::target, listed_at = other(held_at);
  std::shared_ptr<PlanData> parts;
  std::vector<Piece> ours;
  std::optional<NumberedArray> numbered;
  std::vector<Message> out = mpi::collectively(comm, [&] {
    check_mapping(options.mapping);
    parts = std::make_shared<PlanData>(PlanData{{array}, {array}, element_bytes, rank, options.mapping, true});
    parts->side(listed_at).placed = PlacedDistribution(blocks_of(counts));
    place(*parts);
    check_ranks(PlanData::plan(parts), processes);
    numbered.emplace(array.distribution(), *options.mapping.ravel);
    ours = look_up(*numbered, ids, array_is_source);
    return messages(ours, array, rank);
  });
  const std::vector<Message> in = mpi::MpiCollectives(comm).exchange(std::move(out));
  mpi::collectively(comm, [&] {
    std::vector<Piece> theirs = pieces_in(in);
    sort_by(source_of(listed_at), ours);
    sort_by(source_of(held_at), theirs);
    PlanSide& held = parts->side(held_at);
    if (held.process) {
      // A source may be wanted by several; of shared elements, the process that looked them up found one holder.
      const bool all = !options.mapping.partial && !(array_is_source && numbered->shares());
      check_cover(*numbered, *held.process, places_of(theirs), !array_is_source, all);
      held.axes = {moves_of(std::move(theirs))};
    }
    parts->side(listed_at).axes = {moves_of(std::move(ours))};
    check_counts(*parts);
  });
  return Access::redistribution(PlanData::plan(parts), comm, options);
}

}  // namespace

Redistribution to_ids(const PlacedDistribution& source, const GlobalIds& ids, Index element_bytes, MPI_Comm comm,
                      Options options) {
  return with_ids(source, ids, element_bytes, comm, std::move(options), true);
}

Redistribution from_ids(const GlobalIds& ids, const PlacedDistribution& target, Index element_bytes, MPI_Comm comm,
                        Options options) {
  return with_ids(target, ids, element_bytes, comm, std::move(options), false);
}

std::shared_ptr<const PlanData> reversed_ids(const PlanData& parts, Index element_bytes) {
  auto back = std::make_shared<PlanData>(parts);
  back->element_bytes = element_bytes;
  std::swap(back->source, back->target);
  for (const End end : {End::source, End::target})
    for (AxisMoves& axis : back->side(end).axes)
      for (Section& section : axis.sections) sort_by(source_of(end), section.pieces);
  for (const AxisMoves& axis : back->target.axes)  // one, whose pieces are in one section
    for (const Section& section : axis.sections) {
      const std::vector<Range> had = places_of(section.pieces);
      for (std::size_t k = 1; k < had.size(); ++k)
        if (had[k].begin < had[k - 1].end)
          refuse("an element was moved to several processes", "must be on one process to be moved back",
                 "make the first plan with ids of a one-to-one map");
    }
  check_counts(*back);
  return back;
}

}  // namespace tridap::redistribute
