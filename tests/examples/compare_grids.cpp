// compare_grids A B LIMIT: fails where the largest difference of two ESRI ASCII grids exceeds LIMIT times the largest
// value of A.

#include "support/ascii_grid.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::vector<double> fields[2];
  examples::GridHeader headers[2];
  for (int i : {0, 1}) {
    headers[i] = examples::read_header(argv[i + 1]);
    fields[i].resize(static_cast<std::size_t>(headers[i].rows * headers[i].cols));
    examples::read_window(argv[i + 1], headers[i], {0, headers[i].rows, 0, headers[i].cols}, fields[i].data());
  }
  if (fields[0].empty() || headers[0].rows != headers[1].rows || headers[0].cols != headers[1].cols) return 2;
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < fields[0].size(); ++i) {
    largest = std::fmax(largest, std::fabs(fields[0][i]));
    difference = std::fmax(difference, std::fabs(fields[0][i] - fields[1][i]));
  }
  std::printf("largest difference %.3e of the largest value\n", difference / largest);
  return difference <= std::atof(argv[3]) * largest ? 0 : 1;
}
