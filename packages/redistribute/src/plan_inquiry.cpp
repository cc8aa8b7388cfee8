#include "plan_inquiry.hpp"

#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/numbered.hpp>
#include <tridap/internal/plan_data.hpp>
#include <tridap/mpi/agree.hpp>

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

PlanInquiry::PlanInquiry(const Sides& sides, const Mapping& mapping, MPI_Comm comm) : sides_(sides) {
  Wanted wanted{nothing_of(sides.source.distribution()), nothing_of(sides.target.distribution())};
  mpi::Faults faults;
  faults.attempt([&] {
    PlanData parts{{sides.source}, {sides.target}, 1, mpi::rank_of(comm), mapping};
    place(parts);
    wanted = mapping.ravel ? by_numbers(parts) : by_axes(parts);
  });
  if (mpi::has_directory(sides.source.distribution()))
    of_source_.emplace(sides.source.distribution(), std::move(wanted.source), comm, ranks_of(sides.source),
                       std::exchange(faults, {}));
  if (mpi::has_directory(sides.target.distribution()))
    of_target_.emplace(sides.target.distribution(), std::move(wanted.target), comm, ranks_of(sides.target),
                       std::move(faults));
}

Sides PlanInquiry::learned() const {
  const auto wiser = [](const PlacedDistribution& side, const std::optional<mpi::Inquiry>& inquiry) {
    return inquiry ? PlacedDistribution(inquiry->learned(), side.ranks()) : side;
  };
  return {wiser(sides_.source, of_source_), wiser(sides_.target, of_target_)};
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
