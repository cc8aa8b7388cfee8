#pragma once

#include <tridap/mpi/agree.hpp>

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::hdf5 {

/// The text of rank 0 on all processes, unless a step of rank 0 has failed. **Collective**: one message, if the text is
/// not long. Throws the same Error on every process or on none.
std::string told_by_first(std::string text, mpi::Faults faults, MPI_Comm comm);

/// Runs a step on rank 0, which returns a text, and returns that on all processes. **Collective**, as above.
template <class Step>
std::string from_first(MPI_Comm comm, Step&& step) {
  std::string text;
  mpi::Faults faults;
  if (mpi::rank_of(comm) == 0) faults.attempt([&] { text = std::forward<Step>(step)(); });
  return told_by_first(std::move(text), std::move(faults), comm);
}

/// Numbers and texts as one text, which the same program reads.
class Written {
 public:
  void number(Index value);
  void text(const std::string& value);
  void numbers(const std::vector<Index>& values);
  std::string take() { return std::move(all_); }

 private:
  std::string all_;
};

class ToRead {
 public:
  explicit ToRead(const std::string& all) : all_(all) {}
  Index number();
  std::string text();
  std::vector<Index> numbers();

 private:
  const std::string& all_;
  std::size_t at_ = 0;
};

}  // namespace tridap::hdf5

#pragma GCC visibility pop
