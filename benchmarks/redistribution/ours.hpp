#pragma once

#include "redistribution/contest.hpp"

namespace bench {

/// Our move into ordinary memory, as malloc gives it.
std::unique_ptr<Competitor> make_ordinary(Problem& problem);
/// Our move into memory that we choose: a new array each time, from a pool that has it.
std::unique_ptr<Competitor> make_owned(Problem& problem);

/// What it takes before and beside a move; the most on any process.
struct Planning {
  double microseconds = 0;             ///< of the quickest of many plans
  double plan_bytes = 0;               ///< by its own account
  double first_move_microseconds = 0;  ///< that the first move of a new plan takes longer than its second: put off work
  double staging_bytes = 0;            ///< by which this process grew with its first plan and move
};

/// On a communicator on which nothing was moved yet. **Collective.**
Planning measure_planning(Problem& problem);

/// One process's plan of a move between a million processes that nobody has, from blocks to cyclic.
struct Paper {
  double plan_milliseconds = 0, explain_milliseconds = 0, plan_bytes = 0;
};
Paper plan_on_paper();

}  // namespace bench
