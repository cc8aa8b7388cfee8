#pragma once

#include "mpi/support.hpp"

namespace on {

/// All processes throw one Error, whose text has these words. Returns the Error. **Collective.**
inline std::optional<tridap::Error> expect_refused(const std::function<void()>& step, const std::string& words,
                                                   MPI_Comm comm = MPI_COMM_WORLD) {
  const auto error = error_of(step);
  const std::string text = error ? error->what() : "nothing was thrown";
  EXPECT_TRUE(error && text.find(words) != std::string::npos) << text << ", without: " << words;
  EXPECT_TRUE(same_everywhere(text, comm)) << text;
  return error;
}

}  // namespace on
