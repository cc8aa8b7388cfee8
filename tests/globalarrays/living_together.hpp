#pragma once

#include "globalarrays/handle_pool_support.hpp"
#include <tridap/report.hpp>

#include <cstdio>
#include <string>

namespace living {

using namespace ga_test;

inline bool& checked() {
  static bool well = true;
  return well;
}

/// Fails the program at its end.
inline void check(bool well, const char* what = __builtin_FUNCTION(), int line = __builtin_LINE()) {
  if (!well) std::fprintf(stderr, "%s, line %d\n", what, line);
  checked() = checked() && well;
}

/// Something that all processes do in a Global Array together.
inline bool ga_works() {
  const int handle = made(10 * processes());
  for (int i = 0; i < 10; ++i) part(handle)[i] = 100 * rank() + i;
  GA_Sync();
  int64_t at[] = {10 * ((rank() + 1) % processes()) + 7}, ld[] = {1};
  double got = 0;
  NGA_Get64(handle, at, at, &got, ld);
  GA_Destroy(handle);
  return got == 100 * ((rank() + 1) % processes()) + 7;
}

/// An order of Kokkos, Tpetra and the rest; false where they are not there.
bool with_kokkos(const std::string& order, int argc, char** argv);

}  // namespace living
