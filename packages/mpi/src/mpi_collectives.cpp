#include <tridap/internal/call.hpp>
#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/or_end_job.hpp>
#include <tridap/internal/wait.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <memory>

namespace tridap::mpi {

namespace {

constexpr std::size_t most_at_once = std::size_t{1} << 26;  // numbers in one call of MPI, which counts with an int

void reduce(std::vector<Index>& numbers, MPI_Op operation, MPI_Comm comm) {
  for (std::size_t done = 0; done < numbers.size(); done += most_at_once)
    must_succeed(
        MPI_Allreduce(MPI_IN_PLACE, numbers.data() + done,
                      static_cast<int>(std::min(most_at_once, numbers.size() - done)), MPI_INT64_T, operation, comm),
        "MPI_Allreduce");
}

// Calls `transfer(first, count)` for each piece of at most most_at_once numbers.
template <class Transfer>
void in_pieces(std::size_t length, Transfer transfer) {
  for (std::size_t done = 0; done < length; done += most_at_once)
    transfer(done, static_cast<int>(std::min(most_at_once, length - done)));
}

// The messages between this process and each other process, by rank.
struct Travelling {
  std::vector<std::vector<Index>> out, in;
  std::vector<MPI_Request> requests;  // reserved for all messages
};

void travel(Travelling& all, MPI_Comm comm) {
  for (std::size_t i = 0; i < all.in.size(); ++i)
    in_pieces(all.in[i].size(), [&](std::size_t first, int count) {
      must_succeed(MPI_Irecv(all.in[i].data() + first, count, MPI_INT64_T, static_cast<int>(i), 0, comm,
                             &all.requests.emplace_back()),
                   "MPI_Irecv");
    });
  for (std::size_t i = 0; i < all.out.size(); ++i)
    in_pieces(all.out[i].size(), [&](std::size_t first, int count) {
      must_succeed(MPI_Isend(all.out[i].data() + first, count, MPI_INT64_T, static_cast<int>(i), 0, comm,
                             &all.requests.emplace_back()),
                   "MPI_Isend");
    });
  wait_for(all.requests);
}

}  // namespace

Index MpiCollectives::processes() const {
  int processes = 1;
  must_succeed(MPI_Comm_size(comm_, &processes), "MPI_Comm_size");
  return processes;
}

void MpiCollectives::max(std::vector<Index>& numbers) { reduce(numbers, MPI_MAX, comm_); }

bool MpiCollectives::all(bool here) {
  int well = here ? 1 : 0;
  must_succeed(MPI_Allreduce(MPI_IN_PLACE, &well, 1, MPI_INT, MPI_MIN, comm_), "MPI_Allreduce");
  return well != 0;
}

void MpiCollectives::sum(std::vector<Index>& numbers) { reduce(numbers, MPI_SUM, comm_); }

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
    std::size_t requests = 0;
    for (std::size_t i = 0; i < to_receive.size(); ++i) {
      in.emplace_back(static_cast<std::size_t>(to_receive[i]));
      requests += (in[i].size() + all->out[i].size()) / most_at_once + 2;
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
