// Counts what a tool of Kokkos is told, for tests in Fortran.
#include <Kokkos_Core.hpp>

#include <cstring>

namespace {

int solves = 0, others = 0, unended = 0;

void began(const char* name) {
  ++unended;
  if (std::strcmp(name, "tridap::solvers::solve") == 0)
    ++solves;
  else if (std::strncmp(name, "tridap::", 8) == 0)
    ++others;
}

void ended() { --unended; }

}  // namespace

extern "C" void listen_to_regions() {
  Kokkos::Tools::Experimental::set_push_region_callback(&began);
  Kokkos::Tools::Experimental::set_pop_region_callback(&ended);
}

/// How many regions of solves, of other calls of TriDAP, and of any name that have not ended.
extern "C" void regions_heard(int counts[3]) {
  counts[0] = solves;
  counts[1] = others;
  counts[2] = unended;
}
