#pragma once

/// A library of others, as small as possible: vectors of numbers that are divided over the processes. The first numbers
/// are on rank 0, the next ones on rank 1, and so on.
namespace line {

struct Line {
  double* values = nullptr;  ///< of this process
  long count = 0;            ///< how many
};

}  // namespace line
