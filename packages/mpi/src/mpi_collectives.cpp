#include <tridap/internal/directory.hpp>
#include <tridap/internal/exchange.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/or_end_job.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>

namespace tridap::mpi {

Index MpiCollectives::processes() const { return processes_of(comm_); }

void MpiCollectives::max(std::vector<Index>& numbers) {
  reduce(numbers.data(), static_cast<Index>(numbers.size()), MPI_MAX, comm_);
}

bool MpiCollectives::all(bool here) { return reduced(here ? 1 : 0, MPI_MIN, comm_) != 0; }

void MpiCollectives::sum(std::vector<Index>& numbers) {
  reduce(numbers.data(), static_cast<Index>(numbers.size()), MPI_SUM, comm_);
}

std::vector<Message> MpiCollectives::exchange(std::vector<Message> messages) {
  return mpi::exchange(std::move(messages), comm_);
}

SpreadLists MpiCollectives::spread(ListHere here) { return Directory::make(std::move(here), comm_); }

std::vector<MinMax> min_max(const std::vector<Index>& values, MPI_Comm comm) {
  return or_end_job("an agreement", comm, [&] {
    MpiCollectives collectives(comm);
    return tridap::min_max({rank_of(comm)}, {values}, collectives);
  });
}

}  // namespace tridap::mpi
