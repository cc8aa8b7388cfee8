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

namespace tridap::mpi {

namespace {

constexpr Index gave_up = std::numeric_limits<Index>::min();

// How many numbers come from a process, or go to it. If they are several messages, each follows its length, and the
// bits are inverted; gave_up: none, because that process failed.
struct Told {
  int process = 0;
  Index length = 0;

  bool is_framed() const { return length < 0; }
  Index numbers() const { return is_framed() ? ~length : length; }
};

// Numbers on their way, which MPI may use as long as a request is not complete.
struct Travelling {
  std::vector<Message> out, in;  // one for each other process
  std::vector<MPI_Request> requests;
};

// One message for each process, in the order of the ranks. `told` are their lengths.
std::vector<Message> joined(std::vector<Message> messages, std::vector<Told>& told) {
  const auto before = [](const Message& a, const Message& b) { return a.to < b.to; };
  if (!std::is_sorted(messages.begin(), messages.end(), before))
    std::stable_sort(messages.begin(), messages.end(), before);
  std::vector<Message> all;
  for (auto first = messages.begin(), next = first; first != messages.end(); first = next) {
    next = std::find_if(first, messages.end(), [&](const Message& other) { return other.to != first->to; });
    const bool framed = next - first > 1;
    if (!framed && first->content.empty()) continue;
    Message one{first->from, first->to, {}};
    if (!framed) one.content = std::move(first->content);
    for (auto each = first; framed && each != next; ++each) {
      one.content.push_back(static_cast<Index>(each->content.size()));
      one.content.insert(one.content.end(), each->content.begin(), each->content.end());
      std::vector<Index>().swap(each->content);
    }
    const auto length = static_cast<Index>(one.content.size());
    told.push_back({static_cast<int>(one.to), framed ? ~length : length});
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<Told> told_by_alltoall(const std::vector<Told>& out, MPI_Comm comm) {
  const auto processes = static_cast<std::size_t>(processes_of(comm));
  std::vector<Index> to(processes, 0), from(processes);
  for (const Told& one : out) to[static_cast<std::size_t>(one.process)] = one.length;
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
    must_succeed(MPI_Issend(&one.length, 1, MPI_INT64_T, one.process, tag, comm, &sent.emplace_back()), "MPI_Issend");
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
      must_succeed(MPI_Mrecv(&one.length, 1, MPI_INT64_T, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
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

void travel(Travelling& all, int tag, MPI_Comm comm) {
  for (Message& message : all.in)
    in_pieces(static_cast<Index>(message.content.size()), most_counted(sizeof(Index)), [&](Index first, int count) {
      must_succeed(MPI_Irecv(message.content.data() + first, count, MPI_INT64_T, static_cast<int>(message.from), tag,
                             comm, &all.requests.emplace_back()),
                   "MPI_Irecv");
    });
  for (const Message& message : all.out)
    in_pieces(static_cast<Index>(message.content.size()), most_counted(sizeof(Index)), [&](Index first, int count) {
      must_succeed(MPI_Isend(message.content.data() + first, count, MPI_INT64_T, static_cast<int>(message.to), tag,
                             comm, &all.requests.emplace_back()),
                   "MPI_Isend");
    });
  wait_for(all.requests);
}

// Makes room for what comes. What a process has for itself is there already.
void make_room(Travelling& all, const std::vector<Told>& in, Index rank) {
  all.in.reserve(in.size());
  std::size_t requests = 0;
  const auto pieces = [](std::size_t length) { return length / most_counted(sizeof(Index)) + 1; };
  for (const Told& one : in) {
    const auto length = static_cast<std::size_t>(one.process == rank ? 0 : one.numbers());
    all.in.push_back({one.process, rank, std::vector<Index>(length)});
    requests += pieces(length);
  }
  for (const Message& message : all.out) requests += pieces(message.content.size());
  all.requests.reserve(requests);
}

// The messages that were joined.
std::vector<Message> apart(std::vector<Message> in, const std::vector<Told>& told) {
  if (std::none_of(told.begin(), told.end(), [](const Told& one) { return one.is_framed(); })) return in;
  std::vector<Message> all;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!told[i].is_framed()) {
      all.push_back(std::move(in[i]));
      continue;
    }
    const std::vector<Index>& content = in[i].content;
    for (auto at = content.begin(); at != content.end();) {
      const auto begin = at + 1, end = begin + *at;
      if (begin != end) all.push_back({in[i].from, in[i].to, {begin, end}});
      at = end;
    }
  }
  return all;
}

}  // namespace

Index& most_told_by_alltoall() {
  static Index most = 1000;
  return most;
}

std::vector<Message> exchange(std::vector<Message> messages, MPI_Comm caller, Faults faults) {
  MPI_Comm const comm = ours(caller);
  const Index rank = rank_of(comm);
  const int tag = duplicates_of(comm)->next_tag();
  auto all = std::make_unique<Travelling>();
  std::vector<Told> out, in;
  if (faults.ok()) faults.attempt([&] { all->out = joined(std::move(messages), out); });
  if (!faults.ok()) {
    out.clear();
    for (int to = 0; to < processes_of(comm); ++to) out.push_back({to, gave_up});
  }
  in = told(out, tag, comm);
  const auto failed = [](const Told& one) { return one.length == gave_up; };
  if (std::any_of(in.begin(), in.end(), failed)) throw_faults(std::move(faults), comm);

  const auto own = std::find_if(all->out.begin(), all->out.end(), [&](const Message& one) { return one.to == rank; });
  std::vector<Index> to_itself;
  if (own != all->out.end()) to_itself.swap(own->content);
  collectively(comm, [&] { make_room(*all, in, rank); });
  try {
    travel(*all, tag, comm);
  } catch (...) {
    all.release();  // never freed, because MPI may still read and write it
    throw;
  }
  for (Message& message : all->in)
    if (message.from == rank) message.content = std::move(to_itself);
  return apart(std::move(all->in), in);
}

}  // namespace tridap::mpi
