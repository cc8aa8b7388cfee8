#include <tridap/receipt.hpp>

#include <cstdio>

namespace tridap {

std::string Receipt::text() const {
  char cost[32];
  std::snprintf(cost, sizeof(cost), "%.3g s", seconds);
  std::string line =
      std::string(shared ? "shared" : "copied") + ", " + std::to_string(bytes_copied) + " bytes copied, ";
  if (shared) line += same_address ? "same address, " : "at an offset, ";
  line += cost;
  for (std::size_t i = 0; i < losses.size(); ++i) line += (i == 0 ? "; not kept: " : ", ") + losses[i];
  return line;
}

}  // namespace tridap
