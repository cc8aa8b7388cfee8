#include <tridap/internal/call.hpp>
#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/or_end_job.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/internal/wait.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <memory>

namespace tridap::mpi {

namespace {

// The messages between this process and each other process, by rank.
struct Travelling {
  std::vector<std::vector<Index>> out, in;
  std::vector<MPI_Request> requests;  // reserved for all messages
};

void travel(Travelling& all, MPI_Comm comm) {
  for (std::size_t i = 0; i < all.in.size(); ++i)
    in_pieces(static_cast<Index>(all.in[i].size()), most_counted(sizeof(Index)), [&](Index first, int count) {
      must_succeed(MPI_Irecv(all.in[i].data() + first, count, MPI_INT64_T, static_cast<int>(i), 0, comm,
                             &all.requests.emplace_back()),
                   "MPI_Irecv");
    });
  for (std::size_t i = 0; i < all.out.size(); ++i)
    in_pieces(static_cast<Index>(all.out[i].size()), most_counted(sizeof(Index)), [&](Index first, int count) {
      must_succeed(MPI_Isend(all.out[i].data() + first, count, MPI_INT64_T, static_cast<int>(i), 0, comm,
                             &all.requests.emplace_back()),
                   "MPI_Isend");
    });
  wait_for(all.requests);
}

}  // namespace

Index MpiCollectives::processes() const { return processes_of(comm_); }

void MpiCollectives::max(std::vector<Index>& numbers) {
  reduce(numbers.data(), static_cast<Index>(numbers.size()), MPI_MAX, comm_);
}

bool MpiCollectives::all(bool here) { return reduced(here ? 1 : 0, MPI_MIN, comm_) != 0; }

void MpiCollectives::sum(std::vector<Index>& numbers) {
  reduce(numbers.data(), static_cast<Index>(numbers.size()), MPI_SUM, comm_);
}

std::vector<Message> MpiCollectives::exchange(std::vector<Message> messages) {
  // If a process has several messages for another, they are sent as one: each follows its length.
  std::unique_ptr<Travelling> all;
  std::vector<Index> to_send, to_receive;
  collectively(comm_, [&] {
    const auto count = static_cast<std::size_t>(processes());
    all = std::make_unique<Travelling>();
    all->out.resize(count);
    to_send.assign(count, 0);
    to_receive.assign(count, 0);
    for (const Message& message : messages) {
      std::vector<Index>& sent = all->out[static_cast<std::size_t>(message.to)];
      sent.push_back(static_cast<Index>(message.content.size()));
      sent.insert(sent.end(), message.content.begin(), message.content.end());
    }
    for (std::size_t i = 0; i < count; ++i) to_send[i] = static_cast<Index>(all->out[i].size());
  });
  const MPI_Comm apart = ours(comm_);
  // On one process, MPICH's MPI_Alltoall never returns if the caller waits for a message from any process on `comm_`.
  must_succeed(MPI_Alltoall(to_send.data(), 1, MPI_INT64_T, to_receive.data(), 1, MPI_INT64_T, apart), "MPI_Alltoall");

  std::vector<std::vector<Index>>& in = all->in;
  collectively(comm_, [&] {
    constexpr auto most = static_cast<std::size_t>(most_counted(sizeof(Index)));
    std::size_t requests = 0;
    for (std::size_t i = 0; i < to_receive.size(); ++i) {
      in.emplace_back(static_cast<std::size_t>(to_receive[i]));
      requests += (in[i].size() + all->out[i].size()) / most + 2;
    }
    all->requests.reserve(requests);
  });
  try {
    travel(*all, apart);
  } catch (...) {
    all.release();  // never freed, because MPI may still read and write it
    throw;
  }

  return collectively(comm_, [&] {
    std::vector<Message> arrived;
    const Index here = rank_of(comm_);
    for (std::size_t i = 0; i < in.size(); ++i)
      for (std::size_t at = 0; at < in[i].size();) {
        const auto begin = in[i].begin() + static_cast<std::ptrdiff_t>(at) + 1;
        const Index length = in[i][at];
        arrived.push_back({static_cast<Index>(i), here, {begin, begin + length}});
        at += static_cast<std::size_t>(length) + 1;
      }
    return arrived;
  });
}

std::vector<MinMax> min_max(const std::vector<Index>& values, MPI_Comm comm) {
  return or_end_job("an agreement", comm, [&] {
    MpiCollectives collectives(comm);
    return tridap::min_max({rank_of(comm)}, {values}, collectives);
  });
}

}  // namespace tridap::mpi
