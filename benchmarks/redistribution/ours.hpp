#pragma once

#include "redistribution/contest.hpp"

namespace bench {

/// Our move into ordinary memory from malloc.
std::unique_ptr<Competitor> make_ordinary(Problem& problem);
/// The same by messages alone, as if each process were on a node of its own.
std::unique_ptr<Competitor> make_messages(Problem& problem);
/// The same as on a node without shared memory.
std::unique_ptr<Competitor> make_derived_types(Problem& problem);
/// Our move into memory that we allocate: a new array each time, from a pool.
std::unique_ptr<Competitor> make_owned(Problem& problem);

/// Time and memory of planning and of a first move; the maximum over all processes.
struct Planning {
  double microseconds = 0;             ///< time of the fastest of many plans
  double plan_bytes = 0;               ///< as the plan reports
  double first_move_microseconds = 0;  ///< the first move of a new plan less its second: work that planning left to it
  double staging_bytes = 0;            ///< growth of this process's memory with its first plan and move
};

/// The communicator must not have been used for a move yet. **Collective.**
Planning measure_planning(Problem& problem);

/// One process's plan of a move between a million processes, from blocks to cyclic, made without these processes.
struct Paper {
  double plan_milliseconds = 0, explain_milliseconds = 0, plan_bytes = 0;
};
Paper plan_on_paper();

}  // namespace bench
