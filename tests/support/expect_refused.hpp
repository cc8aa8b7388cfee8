#pragma once

#include "support/ranks.hpp"
#include "support/thrown.hpp"

#include <mpi.h>

#include <vector>

namespace on {

/// True on all processes where `text` is the same on all. **Collective.**
inline bool same_everywhere(const std::string& text, MPI_Comm comm = MPI_COMM_WORLD) {
  std::vector<int> lengths(static_cast<std::size_t>(processes(comm)));
  const int length = static_cast<int>(text.size());
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm);
  std::string first = text;
  first.resize(static_cast<std::size_t>(lengths[0]));
  MPI_Bcast(first.data(), lengths[0], MPI_CHAR, 0, comm);
  int same = first == text;
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, comm);
  return same != 0;
}

/// The text of the Error that all processes throw; empty: none does. **Collective.**
inline std::string same_error_text(const std::function<void()>& step, MPI_Comm comm = MPI_COMM_WORLD) {
  const std::string text = error_text(step);
  EXPECT_TRUE(same_everywhere(text, comm)) << text;
  return text;
}

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
