#pragma once

#include <tridap/check.hpp>
#include <tridap/gather_distribution.hpp>
#include <tridap/internal/collective_check.hpp>

#include <exception>
#include <new>
#include <vector>

namespace tridap {

/// Checks one process's data, but its stamp, as one version of the protocol.
Report check_as(const DistArray& array, Version version);

/// True where the buffer's extents are what the dimensions hold in a version of the protocol.
bool fits_version(const DistArray& array, Version version);

/// The version that is not this one.
inline Version other(Version version) { return version == Version::v0_9 ? Version::v0_10 : Version::v0_9; }

/// The warning that a stamp was not believed.
Finding trusted(Version stamped);

/// check_collectively() where every process is here.
CheckOutcome check_in_one_place(const std::vector<LocalArray>& members, const Reading& reading, bool want_distribution);

/// What all members found.
Report merged(const std::vector<Report>& reports);

/// True where `step(k)` succeeds for every member here and elsewhere; what it throws is a finding of that member.
/// **Collective**; the step itself must not communicate, or must throw on every process or on none.
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
  if (!collectives.all(!lost)) throw std::bad_alloc();  // on every process: nobody could say what is wrong
  return false;
}

}  // namespace tridap
