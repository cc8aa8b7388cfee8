#pragma once

#include <tridap/internal/collectives.hpp>

#include <mpi.h>

#include <vector>

namespace tridap::mpi {

/// Collective operations over the processes of a communicator. Each object serves one member, this process. The
/// communicator must outlive the object.
class MpiCollectives : public tridap::Collectives {
 public:
  explicit MpiCollectives(MPI_Comm comm) : comm_(comm) {}

  Index processes() const override;
  void max(std::vector<Index>& numbers) override;
  bool all(bool here) override;
  void sum(std::vector<Index>& numbers) override;
  std::vector<Message> exchange(std::vector<Message> messages) override;
  bool can_spread() const override { return processes() > 1; }
  SpreadLists spread(ListHere here) override;

 private:
  MPI_Comm comm_;
};

/// The smallest and the largest of each of `values` over all processes. Every process gives equally many values.
/// **Collective**: one reduction, and one more if some differ.
std::vector<MinMax> min_max(const std::vector<Index>& values, MPI_Comm comm);

}  // namespace tridap::mpi
