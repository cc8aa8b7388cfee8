#pragma once

#include <tridap/check.hpp>
#include <tridap/gather_distribution.hpp>
#include <tridap/internal/collective_check.hpp>

#include <array>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap {

/// What is wrong with the value of a key.
inline Finding key_fault(Rule rule, std::optional<Index> axis, std::string key, std::string value, std::string must,
                         std::string remedy = "") {
  return {rule, {}, axis, std::move(key), std::move(value), std::move(must), std::move(remedy)};
}

/// Checks one process's data as one version of the protocol. The `__version__` is not checked.
Report check_as(const DistArray& array, Version version);

/// True if the buffer's extents agree with the dimensions, read as one version of the protocol.
bool fits_version(const DistArray& array, Version version);

/// The widths of a block's padding that repeat elements of other coordinates; 0 at an edge, but for periodic axes in
/// 0.9.
std::array<Index, 2> communication_widths(const Dimension& dimension, Version version);

/// The other one of the two versions.
inline Version other(Version version) { return version == Version::v0_9 ? Version::v0_10 : Version::v0_9; }

/// The minor number of a version; -1: there is none.
inline Index minor_number(std::optional<Version> version) { return !version ? -1 : *version == Version::v0_9 ? 9 : 10; }

/// The warning that the other version than the stated one is used.
Finding trusted(Version stamped);

/// By coordinate of an axis: the extent of the buffers along it; nullopt: not known, or not the same on all processes.
using Extents = std::vector<std::optional<Index>>;

/// Axis::make(), whose messages also use the extents of the buffers: they show which of two numbers is wrong.
std::optional<Axis> make_axis_in_buffers(const std::vector<Dimension>& of_each_coordinate, const Extents& extents,
                                         Index axis, Report& report, Version version);

/// Runs `step(k)` for each member k. Returns true if it succeeds for all members on all processes. What it throws
/// becomes a finding of that member. **Collective.** The step must not communicate, unless it throws on every process
/// or on none.
template <class Step>
bool everywhere(const std::vector<LocalArray>& members, Collectives& collectives, std::vector<Report>& reports,
                Step step) {
  bool failed = false, lost = false;
  for (std::size_t k = 0; k < members.size(); ++k) {
    try {
      step(k);
    } catch (const std::exception& error) {
      failed = true;
      const auto tell = [&] { reports[k].add({Rule::process_failure, members[k].rank, {}, "", error.what(), "", ""}); };
      lost = !succeeds(tell) || lost;
    }
  }
  if (collectives.all(!failed)) return true;
  if (!collectives.all(!lost)) throw std::bad_alloc();  // on every process: the error could not be recorded
  return false;
}

}  // namespace tridap

#pragma GCC visibility pop
