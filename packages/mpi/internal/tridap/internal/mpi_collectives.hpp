#pragma once

#include <tridap/internal/collectives.hpp>

#include <mpi.h>

#include <initializer_list>
#include <vector>

namespace tridap::mpi {

/// Collectives over the processes of a communicator, of which this process is the one that is here. The communicator
/// must outlive it.
class MpiCollectives : public tridap::Collectives {
 public:
  explicit MpiCollectives(MPI_Comm comm) : comm_(comm) {}

  Index processes() const override;
  void max(std::vector<Index>& numbers) override;
  bool all(bool here) override;
  void sum(std::vector<Index>& numbers) override;
  std::vector<Message> exchange(std::vector<Message> parcels) override;

 private:
  MPI_Comm comm_;
};

/// The spread of each of `values` over all processes; as many values on each. **Collective**: one reduction for up to
/// 16 of them, and one more where some differ; throws on every process where memory ends on one.
std::vector<MinMax> min_max(const std::vector<Index>& values, MPI_Comm comm);
std::vector<MinMax> min_max(std::initializer_list<Index> values, MPI_Comm comm);  ///< made without memory

}  // namespace tridap::mpi
