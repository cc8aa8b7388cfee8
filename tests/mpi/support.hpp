#pragma once

#include "support/expect_refused.hpp"
#include "support/oracle.hpp"
#include <tridap/dist_array.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

/// Communicators to try, and what tests see of them.
namespace on {

using tridap::Index;

/// Calls `visit` with all processes, with their duplicate, with them in reverse order, and with the halves of even and
/// of odd ranks.
inline void every_communicator(const std::function<void(MPI_Comm)>& visit) {
  visit(MPI_COMM_WORLD);
  const int r = rank(MPI_COMM_WORLD);
  std::vector<MPI_Comm> made(3, MPI_COMM_NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &made[0]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -r, &made[1]);
  MPI_Comm_split(MPI_COMM_WORLD, r % 2, r, &made[2]);
  for (MPI_Comm& comm : made) {
    visit(comm);
    MPI_Comm_free(&comm);
  }
}

/// Everything that a finding says, and a report.
inline std::string all_of(const tridap::Finding& f) {
  const auto show = [](const std::optional<Index>& value) { return value ? std::to_string(*value) : std::string("-"); };
  return tridap::rule_text(f.rule).id + ("|" + show(f.process)) + "|" + show(f.axis) + "|" + f.key + "|" + f.value +
         "|" + f.must + "|" + f.remedy + "\n";
}

inline std::string all_of(const std::map<tridap::Rule, Index>& counts) {
  std::string all;
  for (const auto& [rule, count] : counts) all += tridap::rule_text(rule).id + (" " + std::to_string(count)) + "\n";
  return all;
}

inline std::string all_of(const tridap::Report& report) {
  std::string all = all_of(report.counts());
  for (const tridap::Finding& finding : report.findings()) all += all_of(finding);
  return all;
}

/// A message that the caller waits for from anybody, under any tag, while the library works on the same communicator.
class PendingReceive {
 public:
  explicit PendingReceive(MPI_Comm comm) : comm_(comm) {
    MPI_Irecv(&received_, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &request_);
  }
  PendingReceive(const PendingReceive&) = delete;

  /// Sends it at last, from the process before this one.
  ~PendingReceive() {
    int done = 0;
    MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
    EXPECT_EQ(done, 0) << "the library sent " << received_ << " into the caller's receive";
    const int r = rank(comm_), p = processes(comm_), sent = 1000 + r;
    MPI_Barrier(comm_);
    MPI_Send(&sent, 1, MPI_INT, (r + 1) % p, 7, comm_);
    if (done != 0) return;
    MPI_Status status;
    MPI_Wait(&request_, &status);
    EXPECT_EQ(received_, 1000 + (r + p - 1) % p);
    EXPECT_EQ(status.MPI_TAG, 7);
  }

 private:
  MPI_Comm comm_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  int received_ = -1;
};

/// Every way to write `processes` as the product of `ndim` extents, in order.
inline std::vector<oracle::List> grids(Index processes, int ndim) {
  if (ndim == 0) return processes == 1 ? std::vector<oracle::List>{{}} : std::vector<oracle::List>{};
  std::vector<oracle::List> all;
  for (Index first = 1; first <= processes; ++first) {
    if (processes % first != 0) continue;
    for (oracle::List rest : grids(processes / first, ndim - 1)) {
      rest.insert(rest.begin(), first);
      all.push_back(rest);
    }
  }
  return all;
}

/// What process `rank` stamps, over zeroed memory of its own.
inline tridap::DistArray stamped(const oracle::Array& array, Index rank) {
  tridap::DistArray out;
  for (std::size_t i = 0; i < array.axes.size(); ++i)
    out.dim_data.push_back(array.axes[i].dims[static_cast<std::size_t>(array.coordinates(rank)[i])]);
  std::size_t count = 1;
  for (const Index extent : array.local_shape(rank)) count *= static_cast<std::size_t>(extent);
  const auto memory = std::make_shared<std::vector<double>>(count);
  out.buffer = tridap::row_major(memory->data(), array.local_shape(rank), memory);
  return out;
}

}  // namespace on
