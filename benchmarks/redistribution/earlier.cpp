// ours.cpp with the headers of an earlier commit, whose library is compiled in the namespace tridap_earlier.

#define BENCH_EARLIER_HEADERS
#define make_ordinary make_earlier_ordinary
#define make_messages make_earlier_messages
#define make_owned make_earlier_owned
#define measure_planning measure_earlier_planning
#define plan_on_paper plan_earlier_on_paper
#include "redistribution/ours.cpp"
