#include <tridap/compare.hpp>
#include <tridap/internal/plan_data.hpp>
#include <tridap/internal/spread_lists.hpp>
#include <tridap/redistribute/relabel.hpp>
#include <tridap/text.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace tridap::redistribute {

namespace {

constexpr Index most_listed_processes = 16;       // their table fits a screen
constexpr Index most_summed_processes = 1024;     // the plans of all of whom are made
constexpr Index most_relabelled_processes = 256;  // for whom the best placement is found

std::string human(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); bytes /= 1024) ++unit;
  return fixed_text(bytes, unit == 0 ? 0 : 1) + " " + units[unit];
}
std::string human(Index bytes) { return human(static_cast<double>(bytes)); }

std::string right(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

Index processes_of(const PlacedDistribution& placed) { return placed.highest_rank() + 1; }

// What all processes do.
struct Sums {
  double kept = 0, sent = 0;
  Index messages = 0;
};

// The most elements of an axis that could stay where they are, were each coordinate of one side on a process with the
// coordinate of the other side that shares most with it. To look up dealt blocks in ranges takes time for each pair of
// coordinates: then the ranges are looked up alone.
double most_at_home(const PlanData& parts, std::size_t axis) {
  const Axis& from = parts.source.placed.distribution().axis(parts.axis_of(End::source, axis));
  const Axis& to = parts.target.placed.distribution().axis(static_cast<Index>(axis));
  const auto cyclic_in_blocks = [](const Axis& here, const Axis& there) {
    return here.dist_type() == 'c' && there.dist_type() == 'b';
  };
  const auto most = [](const AxisMoves& moves) {
    Index largest = 0;
    for (const Share& share : moves.shares) largest = std::max(largest, share.count);
    return static_cast<double>(largest);
  };
  double by_source = 0, by_target = 0;
  if (!cyclic_in_blocks(from, to))
    for (Index s = 0; s < from.proc_grid_size(); ++s) by_source += most(moves_from(from, s, to, parts.target_part()));
  if (cyclic_in_blocks(to, from)) return by_source;
  for (Index t = 0; t < to.proc_grid_size(); ++t) by_target += most(moves_to(from, to, t, parts.target_part()));
  return cyclic_in_blocks(from, to) ? by_target : std::min(by_source, by_target);
}

double elements_that_move(const PlanData& parts) {
  double all = 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(parts.target.placed.distribution().ndim()); ++i) {
    const Axis& to = parts.target.placed.distribution().axis(static_cast<Index>(i));
    double on_axis = 0;
    for (Index t = 0; t < to.proc_grid_size(); ++t)
      on_axis += static_cast<double>(to.part(t, parts.target_part()).size());
    all *= on_axis;
  }
  return all;
}

std::string table(const std::vector<std::vector<Traffic>>& sends) {
  constexpr std::size_t width = 11;
  std::string text = "          ";
  for (std::size_t q = 0; q < sends.size(); ++q) text += right("to " + std::to_string(q), width);
  text += "\n";
  for (std::size_t p = 0; p < sends.size(); ++p) {
    std::vector<std::string> cells(sends.size(), "-");
    for (const Traffic& one : sends[p]) cells[static_cast<std::size_t>(one.rank)] = human(one.bytes);
    std::string from = "from " + std::to_string(p);
    text += from + std::string(10 - std::min<std::size_t>(10, from.size()), ' ');
    for (const std::string& cell : cells) text += right(cell, width);
    text += "\n";
  }
  return text;
}

// How far the plan is above what must travel, wherever the target's parts stood.
std::string bound(const PlanData& parts, Index processes, bool every, const Sums& sums) {
  if (parts.listed) return "";
  if (parts.mapping.partial && !every) return "";  // only the plans of all processes show what is left out
  const double all = every || parts.mapping.ravel
                         ? sums.kept + sums.sent
                         : elements_that_move(parts) * static_cast<double>(parts.element_bytes);
  double least = 0;
  bool exact = false;
  if (processes <= most_relabelled_processes) {
    constexpr Index no_limit = std::numeric_limits<Index>::max();
    const Relabelling best =
        relabel(parts.source.placed, parts.target.placed, parts.element_bytes, processes, parts.mapping, no_limit);
    least = all - static_cast<double>(best.most_bytes_kept);
    exact = best.exact;
  } else if (!parts.mapping.ravel) {
    double kept = static_cast<double>(parts.element_bytes);
    for (std::size_t i = 0; i < static_cast<std::size_t>(parts.target.placed.distribution().ndim()); ++i)
      kept *= most_at_home(parts, i);
    least = all - kept;
  } else {
    return "";
  }
  std::string text = std::string(exact ? "" : "at least ") + human(least) + " of " + human(all) +
                     " must be sent with any placement of the target's parts";
  if (!every) return text + "\n";
  if (sums.sent <= least) return text + ": this plan sends no more\n";
  if (least <= 0) return text + ": this plan sends more (relabel() finds the best placement)\n";
  return text + ": this plan sends " + fixed_text(sums.sent / least, 2) + " times as much" +
         (exact ? " (relabel() finds the best placement)\n" : "\n");
}

std::string own_line(const Plan& plan, Index processes) {
  return "process " + std::to_string(plan.rank()) + " of " + std::to_string(processes) + " keeps " +
         human(plan.bytes_kept()) + ", sends " + human(plan.bytes_sent()) + " in " + std::to_string(plan.messages()) +
         " messages and receives " + human(plan.bytes_received()) + "\n";
}

}  // namespace

std::string Plan::explain() const {
  const PlanData& parts = *data_;
  const Index processes = std::max(processes_of(source()), processes_of(target()));
  std::string text =
      describe(parts.source.placed.distribution()) + "\n  -> " + describe(parts.target.placed.distribution()) + "\n";
  if (parts.mapping.ravel)
    text += *parts.mapping.ravel == Order::row_major ? "by row-major flat numbers\n" : "by column-major flat numbers\n";
  // Of other processes nothing is known if ids were given, or if lists are in a directory.
  const bool alone = parts.listed || has_directory(source().distribution()) || has_directory(target().distribution());
  const bool every = processes <= (parts.mapping.ravel ? most_listed_processes : most_summed_processes) && !alone;
  Sums sums;
  std::vector<std::vector<Traffic>> sends;
  for (Index rank = 0; every && rank < processes; ++rank) {
    const Plan of_rank =
        rank == parts.rank ? *this : Plan(source(), target(), parts.element_bytes, rank, parts.mapping);
    sums.kept += static_cast<double>(of_rank.bytes_kept());
    sums.sent += static_cast<double>(of_rank.bytes_sent());
    sums.messages += of_rank.messages();
    if (processes <= most_listed_processes) sends.push_back(of_rank.sends());
  }
  if (!sends.empty()) text += table(sends);
  if (every)
    text += human(sums.sent) + " are sent in " + std::to_string(sums.messages) + " messages by " +
            std::to_string(processes) + (processes == 1 ? " process; " : " processes; ") + human(sums.kept) + " stay\n";
  if (sends.empty()) text += own_line(*this, processes);
  return alone && !parts.listed ? text : text + bound(parts, processes, every, sums);
}

}  // namespace tridap::redistribute
