#pragma once

#include "redistribution/ours.hpp"

namespace bench {

/// The functions of ours.hpp, with the library of an earlier commit.
std::unique_ptr<Competitor> make_earlier_ordinary(Problem& problem);
std::unique_ptr<Competitor> make_earlier_messages(Problem& problem);
std::unique_ptr<Competitor> make_earlier_owned(Problem& problem);
Planning measure_earlier_planning(Problem& problem);

}  // namespace bench
