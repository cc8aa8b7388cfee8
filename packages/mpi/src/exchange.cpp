#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/exchange.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/internal/wait.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace tridap::mpi {

namespace {

constexpr Index gave_up = std::numeric_limits<Index>::min();

// What comes from a process, or goes to it: a message of this length, or ~n for n messages, whose lengths follow;
// gave_up: nothing, because that process failed.
struct Told {
  int process = 0;
  Index number = 0;

  bool is_several() const { return number < 0; }
  Index messages() const { return is_several() ? ~number : 1; }
};

// Messages on their way, which MPI may use as long as a request is not complete: those with numbers, by process.
struct Travelling {
  std::vector<Message> out, in;
  std::vector<MPI_Request> requests;
};

// The messages in the order of the processes, without empty ones.
std::vector<Message> sorted(std::vector<Message> messages) {
  const auto is_empty = [](const Message& message) { return message.content.empty(); };
  messages.erase(std::remove_if(messages.begin(), messages.end(), is_empty), messages.end());
  const auto before = [](const Message& a, const Message& b) { return a.to < b.to; };
  if (!std::is_sorted(messages.begin(), messages.end(), before))
    std::stable_sort(messages.begin(), messages.end(), before);
  return messages;
}

std::vector<Told> told_of(const std::vector<Message>& messages) {
  std::vector<Told> all;
  for (const Message& message : messages)
    if (all.empty() || all.back().process != message.to)
      all.push_back({static_cast<int>(message.to), static_cast<Index>(message.content.size())});
    else
      all.back().number = ~(all.back().messages() + 1);
  return all;
}

std::vector<Told> told_by_alltoall(const std::vector<Told>& out, MPI_Comm comm) {
  const auto processes = static_cast<std::size_t>(processes_of(comm));
  std::vector<Index> to(processes, 0), from(processes);
  for (const Told& one : out) to[static_cast<std::size_t>(one.process)] = one.number;
  // On one process, MPICH's MPI_Alltoall never returns if the caller waits for a message from any process on `comm`.
  must_succeed(MPI_Alltoall(to.data(), 1, MPI_INT64_T, from.data(), 1, MPI_INT64_T, comm), "MPI_Alltoall");
  std::vector<Told> in;
  for (std::size_t i = 0; i < processes; ++i)
    if (from[i] != 0) in.push_back({static_cast<int>(i), from[i]});
  return in;
}

// A process enters the barrier once all of its messages have begun to be received, and nobody has any more when all
// have entered it. The next exchange has another tag: its messages may arrive here before the barrier ends.
std::vector<Told> told_by_consensus(const std::vector<Told>& out, int tag, MPI_Comm comm) {
  std::vector<MPI_Request> sent;
  sent.reserve(out.size());
  for (const Told& one : out)
    must_succeed(MPI_Issend(&one.number, 1, MPI_INT64_T, one.process, tag, comm, &sent.emplace_back()), "MPI_Issend");
  std::vector<Told> in;
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool entered = false;
  wait_until([&] {
    int found = 0, done = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    must_succeed(MPI_Improbe(MPI_ANY_SOURCE, tag, comm, &found, &message, &status), "MPI_Improbe");
    if (found != 0) {
      Told& one = in.emplace_back();
      one.process = status.MPI_SOURCE;
      must_succeed(MPI_Mrecv(&one.number, 1, MPI_INT64_T, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    }
    if (entered) {
      must_succeed(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), "MPI_Test");
      return done != 0;
    }
    must_succeed(MPI_Testall(static_cast<int>(sent.size()), sent.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (done != 0) {
      must_succeed(MPI_Ibarrier(comm, &barrier), "MPI_Ibarrier");
      entered = true;
    }
    return false;
  });
  std::sort(in.begin(), in.end(), [](const Told& a, const Told& b) { return a.process < b.process; });
  return in;
}

std::vector<Told> told(const std::vector<Told>& out, int tag, MPI_Comm comm) {
  return processes_of(comm) <= most_told_by_alltoall() ? told_by_alltoall(out, comm)
                                                       : told_by_consensus(out, tag, comm);
}

void travel(Travelling& all, MPI_Comm comm) {
  for (Message& message : all.in)
    in_pieces(static_cast<Index>(message.content.size()), most_counted(sizeof(Index)), [&](Index first, int count) {
      must_succeed(MPI_Irecv(message.content.data() + first, count, MPI_INT64_T, static_cast<int>(message.from), 0,
                             comm, &all.requests.emplace_back()),
                   "MPI_Irecv");
    });
  for (const Message& message : all.out)
    in_pieces(static_cast<Index>(message.content.size()), most_counted(sizeof(Index)), [&](Index first, int count) {
      must_succeed(MPI_Isend(message.content.data() + first, count, MPI_INT64_T, static_cast<int>(message.to), 0, comm,
                             &all.requests.emplace_back()),
                   "MPI_Isend");
    });
  wait_for(all.requests);
}

// The lengths of the messages that come, by process.
std::vector<std::vector<Index>> lengths_of(const std::vector<Told>& in, const std::vector<Told>& out,
                                           const std::vector<Message>& messages, MPI_Comm comm) {
  std::vector<std::vector<Index>> lengths, ours;
  std::vector<MPI_Request> requests;
  requests.reserve(in.size() + out.size());
  lengths.reserve(in.size());
  ours.reserve(out.size());
  for (const Told& one : in) {
    lengths.emplace_back(static_cast<std::size_t>(one.messages()), one.number);
    if (one.is_several())
      must_succeed(MPI_Irecv(lengths.back().data(), static_cast<int>(one.messages()), MPI_INT64_T, one.process, 0, comm,
                             &requests.emplace_back()),
                   "MPI_Irecv");
  }
  auto message = messages.begin();
  for (const Told& one : out) {
    std::vector<Index>& of_process = ours.emplace_back();
    for (Index i = 0; i < one.messages(); ++i, ++message)
      of_process.push_back(static_cast<Index>(message->content.size()));
    if (one.is_several())
      must_succeed(MPI_Isend(of_process.data(), static_cast<int>(one.messages()), MPI_INT64_T, one.process, 0, comm,
                             &requests.emplace_back()),
                   "MPI_Isend");
  }
  wait_for(requests);
  return lengths;
}

// Makes room for what comes. What a process has for itself is there already.
void make_room(Travelling& all, const std::vector<Told>& in, const std::vector<std::vector<Index>>& lengths,
               Index rank) {
  std::size_t requests = 0;
  const auto pieces = [](Index length) { return static_cast<std::size_t>(length / most_counted(sizeof(Index)) + 1); };
  for (std::size_t i = 0; i < in.size(); ++i)
    for (const Index length : lengths[i]) {
      const bool own = in[i].process == rank;
      all.in.push_back({in[i].process, rank, std::vector<Index>(own ? 0 : static_cast<std::size_t>(length))});
      requests += pieces(length);
    }
  for (const Message& message : all.out) requests += pieces(static_cast<Index>(message.content.size()));
  all.requests.reserve(requests);
}

}  // namespace

Index& most_told_by_alltoall() {
  static Index most = 1000;
  return most;
}

std::vector<Message> exchange(std::vector<Message> messages, MPI_Comm caller, Faults faults) {
  const std::shared_ptr<Duplicates> duplicates = made_duplicates_of(caller);
  MPI_Comm const comm = duplicates->ours();
  const Index rank = rank_of(comm);
  const int tag = duplicates->next_tag_of_exchange();
  auto all = std::make_unique<Travelling>();
  std::vector<Told> out;
  if (faults.ok()) {
    all->out = sorted(std::move(messages));
    out = told_of(all->out);
  } else {
    for (int to = 0; to < processes_of(comm); ++to) out.push_back({to, gave_up});
  }
  const std::vector<Told> in = told(out, tag, comm);
  const auto failed = [](const Told& one) { return one.number == gave_up; };
  if (std::any_of(in.begin(), in.end(), failed)) throw_faults(std::move(faults), comm);

  const std::vector<std::vector<Index>> lengths = lengths_of(in, out, all->out, comm);
  std::vector<std::vector<Index>> to_itself;
  for (Message& message : all->out)
    if (message.to == rank) to_itself.push_back(std::exchange(message.content, {}));
  collectively(comm, [&] { make_room(*all, in, lengths, rank); });
  try {
    travel(*all, comm);
  } catch (...) {
    all.release();  // never freed, because MPI may still read and write it
    throw;
  }
  auto own = to_itself.begin();
  for (Message& message : all->in)
    if (message.from == rank) message.content = std::move(*own++);
  return std::move(all->in);
}

}  // namespace tridap::mpi
