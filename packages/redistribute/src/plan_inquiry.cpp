#include "plan_inquiry.hpp"

#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/exchange.hpp>
#include <tridap/internal/learned_of_numbers.hpp>
#include <tridap/internal/numbered.hpp>
#include <tridap/internal/plan_data.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tridap::redistribute {

namespace {

using mpi::OfAxes;

OfAxes nothing_of(const Distribution& distribution) { return OfAxes(static_cast<std::size_t>(distribution.ndim())); }

std::function<Index(Index)> ranks_of(const PlacedDistribution& placed) {
  return [placed](Index process) { return placed.rank(process); };
}

// What a process wants to know of both sides.
struct Wanted {
  OfAxes source, target;
};

// The indices of our part of each side, which are looked up on the other one.
Wanted by_axes(const PlanData& parts) {
  const Distribution &from = parts.source.placed.distribution(), &to = parts.target.placed.distribution();
  check_axes(from, to, parts.mapping);
  Wanted wanted{nothing_of(from), nothing_of(to)};
  for (std::size_t i = 0; i < static_cast<std::size_t>(to.ndim()); ++i) {
    const Index k = parts.axis_of(End::source, i);
    const Axis &theirs = from.axis(k), &ours = to.axis(static_cast<Index>(i));
    if (mpi::has_directory(Distribution({ours})) && parts.source.process)
      theirs.for_each(parts.peers(End::source, *parts.source.process)[i], Part::owned,
                      [&](Index, Index global) { wanted.target[i].push_back(global); });
    if (mpi::has_directory(Distribution({theirs})) && parts.target.process)
      ours.for_each(parts.peers(End::target, *parts.target.process)[i], parts.target_part(),
                    [&](Index, Index global) { wanted.source[static_cast<std::size_t>(k)].push_back(global); });
  }
  return wanted;
}

// The flat numbers of our part of either side.
Wanted by_numbers(const PlanData& parts) {
  check_ravel(parts);
  const Distribution &from = parts.source.placed.distribution(), &to = parts.target.placed.distribution();
  Wanted wanted{nothing_of(from), nothing_of(to)};
  const bool array_is_source = to.ndim() == 1;
  const End array_end = array_is_source ? End::source : End::target;
  const PlanSide &of_array = parts.side(array_end), &of_line = parts.side(other(array_end));
  const NumberedArray array(of_array.placed.distribution(), *parts.mapping.ravel);
  OfAxes& of_line_wanted = array_is_source ? wanted.target : wanted.source;
  OfAxes& of_array_wanted = array_is_source ? wanted.source : wanted.target;
  if (of_array.process && mpi::has_directory(of_line.placed.distribution())) {
    ArrayRuns runs = array.runs(*of_array.process, Part::owned);
    while (const std::optional<Run> run = runs.next())
      for (Index i = 0; i < run->length; ++i) of_line_wanted[0].push_back(run->global + i);
  }
  if (of_line.process && mpi::has_directory(of_array.placed.distribution()))
    of_line.placed.distribution().axis(0).for_each(
        *of_line.process, Part::owned, [&](Index, Index number) { array.add_indices(number, of_array_wanted); });
  return wanted;
}

}  // namespace

namespace {

// The processes at one coordinate of an axis, in the order of their numbers.
class AtCoordinate {
 public:
  AtCoordinate(const Distribution& distribution, Index axis)
      : grid_(distribution.axis(axis).proc_grid_size()), count_(distribution.processes() / grid_) {
    for (Index i = axis + 1; i < distribution.ndim(); ++i) stride_ *= distribution.axis(i).proc_grid_size();
  }
  Index count() const { return count_; }
  Index position(Index process) const { return process / (stride_ * grid_) * stride_ + process % stride_; }
  Index process(Index coordinate, Index position) const {
    return (position / stride_ * grid_ + coordinate) * stride_ + position % stride_;
  }

 private:
  Index grid_, count_, stride_ = 1;
};

constexpr std::size_t numbers_of_piece = 3;

// Adds what the processes at a piece's coordinate are told of it: those at this process's position among all at its
// own coordinate. `of_process` are the messages so far.
void add_told(std::unordered_map<Index, std::vector<Index>>& of_process, std::size_t axis, const AxisMoves& moves,
              const AtCoordinate& listed, Index process, const AtCoordinate& others) {
  const auto each = [&](auto&& visit) {
    for (const Section& section : moves.sections)
      for (const Piece& piece : section.pieces)
        for (Index k = listed.position(process); k < others.count(); k += listed.count())
          visit(others.process(piece.peer, k), piece);
  };
  std::unordered_map<Index, Index> counts;
  each([&](Index to, const Piece&) { ++counts[to]; });
  for (const auto& [to, count] : counts) {
    std::vector<Index>& content = of_process[to];
    content.reserve(content.size() + 2 + numbers_of_piece * static_cast<std::size_t>(count));
    content.insert(content.end(), {static_cast<Index>(axis), count});
  }
  each([&](Index to, const Piece& piece) {
    of_process[to].insert(of_process[to].end(), {piece.there, piece.here, piece.length});
  });
}

// An index of a coordinate that none of its pieces has. A shared index of a source is sent by its lowest coordinate.
std::optional<Index> missing_of(const Axis& axis, Index c, Part part, const std::vector<Piece>& pieces, End end) {
  const bool shared = end == End::source && axis.shares_indices();
  std::vector<Range> had;
  for (const Piece& piece : pieces) had.push_back({piece.here, piece.here + piece.length});
  std::sort(had.begin(), had.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  const Range all = axis.part(c, part);
  auto range = had.begin();
  for (Index next = all.begin; next < all.end;) {
    while (range != had.end() && range->end <= next) ++range;
    if (range != had.end() && range->begin <= next) {
      next = range->end;
      continue;
    }
    const Index global = axis.global_index(c, next);
    if (!shared || axis.locate(global)->coordinate == c) return global;
    ++next;
  }
  return std::nullopt;
}

}  // namespace

PlanInquiry::PlanInquiry(const Sides& sides, Index element_bytes, const Mapping& mapping, MPI_Comm comm,
                         mpi::Faults faults)
    : sides_(sides), element_bytes_(element_bytes), mapping_(mapping), comm_(comm) {
  const bool of_source = mpi::has_directory(sides.source.distribution());
  const bool of_both = of_source && mpi::has_directory(sides.target.distribution());
  if (mapping.ravel || of_both)
    ask(std::move(faults));
  else
    tell(of_source ? End::source : End::target, std::move(faults));
}

void PlanInquiry::tell(End listed, mpi::Faults faults) {
  told_by_ = listed;
  const Index rank = mpi::rank_of(comm_);
  std::vector<Message> messages;
  if (faults.ok())
    faults.attempt([&] {
      PlanData parts{{sides_.source}, {sides_.target}, element_bytes_, rank, mapping_};
      place(parts);
      const Distribution &from = sides_.source.distribution(), &to = sides_.target.distribution();
      check_axes(from, to, mapping_);
      ours_.resize(static_cast<std::size_t>(to.ndim()));
      const PlanSide& side = parts.side(listed);
      if (!side.process) return;
      const PlacedDistribution& others = parts.side(other(listed)).placed;
      std::unordered_map<Index, std::vector<Index>> of_process;
      for (std::size_t i = 0; i < ours_.size(); ++i) {
        const Index axis = parts.axis_of(listed, i);
        if (own_of(side.placed.distribution().axis(axis)) == nullptr) continue;
        ours_[i] = moves_on(parts, listed, i);
        add_told(of_process, i, *ours_[i], {side.placed.distribution(), axis}, *side.process,
                 {others.distribution(), parts.axis_of(other(listed), i)});
      }
      for (auto& [process, content] : of_process) messages.push_back({rank, others.rank(process), std::move(content)});
    });
  arrived_ = mpi::exchange(std::move(messages), comm_, std::move(faults));
}

// By axis of the target: the pieces that arrived.
std::vector<std::vector<Piece>> PlanInquiry::read_told() {
  const PlanData parts{{sides_.source}, {sides_.target}, element_bytes_, mpi::rank_of(comm_), mapping_};
  const PlacedDistribution& tellers = parts.side(*told_by_).placed;
  std::vector<std::vector<Piece>> told(ours_.size());
  std::vector<std::size_t> counts(ours_.size(), 0);
  for (const Message& message : arrived_)
    for (auto number = message.content.begin(); number != message.content.end();) {
      const auto count = static_cast<std::size_t>(number[1]);
      counts[static_cast<std::size_t>(number[0])] += count;
      number += static_cast<std::ptrdiff_t>(2 + numbers_of_piece * count);
    }
  for (std::size_t i = 0; i < told.size(); ++i) told[i].reserve(counts[i]);
  for (Message& message : arrived_) {
    const Indices at = tellers.distribution().coordinates(*tellers.process(message.from));
    for (auto number = message.content.begin(); number != message.content.end();) {
      const auto i = static_cast<std::size_t>(*number++);
      const Index peer = at[static_cast<std::size_t>(parts.axis_of(*told_by_, i))];
      for (Index count = *number++; count > 0; --count, number += numbers_of_piece)
        told[i].push_back({number[0], number[1], number[2], peer});
    }
    std::vector<Index>().swap(message.content);
  }
  return told;
}

void PlanInquiry::ask(mpi::Faults faults) {
  Wanted wanted{nothing_of(sides_.source.distribution()), nothing_of(sides_.target.distribution())};
  if (faults.ok())
    faults.attempt([&] {
      PlanData parts{{sides_.source}, {sides_.target}, 1, mpi::rank_of(comm_), mapping_};
      place(parts);
      wanted = mapping_.ravel ? by_numbers(parts) : by_axes(parts);
    });
  std::vector<mpi::Inquiry::Wanted> of_sides;
  of_sides.push_back({sides_.source.distribution(), std::move(wanted.source), ranks_of(sides_.source)});
  of_sides.push_back({sides_.target.distribution(), std::move(wanted.target), ranks_of(sides_.target)});
  asked_.emplace(std::move(of_sides), comm_, std::move(faults));
}

Plan PlanInquiry::plan() && {
  const Index rank = mpi::rank_of(comm_);
  if (!told_by_) {
    PlanData learned{{PlacedDistribution(asked_->learned(0), sides_.source.ranks())},
                     {PlacedDistribution(asked_->learned(1), sides_.target.ranks())},
                     element_bytes_,
                     rank,
                     mapping_};
    asked_.reset();  // as large as the lists
    const std::array<PlacedDistribution, 2> named{sides_.source, sides_.target};
    return plan_of(std::move(learned), moves_on, &named);
  }
  std::vector<std::vector<Piece>> told = read_told();
  return plan_of(
      PlanData{{sides_.source}, {sides_.target}, element_bytes_, rank, mapping_},
      [&](const PlanData& parts, End end, std::size_t i) -> AxisMoves {
        if (end == *told_by_ && ours_[i]) return std::move(*ours_[i]);
        const PlanSide& teller = parts.side(*told_by_);
        if (end == *told_by_ || own_of(teller.placed.distribution().axis(parts.axis_of(*told_by_, i))) == nullptr)
          return moves_on(parts, end, i);
        std::vector<Piece> pieces = std::move(told[i]);
        const Axis& axis = parts.side(end).placed.distribution().axis(parts.axis_of(end, i));
        const Index c = parts.peers(end, *parts.side(end).process)[i];
        const Part part = end == End::target ? parts.target_part() : Part::owned;
        const std::optional<Index> missing = missing_of(axis, c, part, pieces, end);
        sort_by(source_of(end), pieces);
        return moves_of(std::move(pieces), missing);
      });
}

PlacedDistribution learned_of_numbers(
    const PlacedDistribution& array, Order order,
    const std::function<void(const std::function<void(Index number)>&)>& visit_numbers, MPI_Comm comm) {
  OfAxes wanted = nothing_of(array.distribution());
  mpi::Faults faults;
  faults.attempt([&] {
    const NumberedArray numbered(array.distribution(), order);
    visit_numbers([&](Index number) { numbered.add_indices(number, wanted); });
  });
  const mpi::Inquiry inquiry(array.distribution(), std::move(wanted), comm, ranks_of(array), std::move(faults));
  return mpi::collectively(comm, [&] { return PlacedDistribution(inquiry.learned(), array.ranks()); });
}

}  // namespace tridap::redistribute
