#include "support/virtual_processes.hpp"

#include "support/memory_meter.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace virtual_processes {

namespace {

// The memory of what runs while it lives does not count: it is not the played process's.
class Unmetered {
 public:
  Unmetered() : held_(memory_meter::held), most_held_(memory_meter::most_held) {}
  Unmetered(const Unmetered&) = delete;
  ~Unmetered() {
    memory_meter::held = held_;
    memory_meter::most_held = most_held_;
  }

 private:
  std::size_t held_, most_held_;
};

// A message that is sent each time its request is started.
struct Persistent {
  MPI_Request request;
  std::int64_t bytes;
};

struct Played {
  int processes, rank;
  Others& others;
  std::vector<MPI_Comm> comms;  // that have all processes
  std::vector<Persistent> persistent = {};
  Traffic traffic = {};

  // The exchange under way, or the last one.
  int exchange = -1;
  bool begun = false;                // it is under way
  std::vector<Letter> letters = {};  // of all, ascending by process
  std::size_t told = 0;              // how many of them this process knows of
  std::int64_t to_itself = 0;        // what this process tells itself
  MPI_Request barrier = MPI_REQUEST_NULL;

  bool is_here(MPI_Comm comm) const { return std::find(comms.begin(), comms.end(), comm) != comms.end(); }
};

Played* played = nullptr;

bool is_played(MPI_Comm comm) { return played != nullptr && played->is_here(comm); }

std::int64_t bytes_of(std::int64_t count, MPI_Datatype type) {
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  return count * bytes;
}

void count_collective(std::int64_t bytes) {
  ++played->traffic.collectives;
  played->traffic.collective_bytes += bytes;
}

void count_message(std::int64_t bytes) {
  ++played->traffic.messages;
  played->traffic.bytes += bytes;
}

void give_up(const char* what) {
  std::fprintf(stderr, "virtual_processes does not play %s\n", what);
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

void need_numbers(MPI_Datatype type, const char* function) {
  if (type != MPI_INT64_T) give_up(function);
}

void begin_exchange() {
  const Unmetered unmetered;
  played->begun = true;
  ++played->exchange;
  played->letters = played->others.letters(played->exchange);
  played->told = 0;
  const Letter own{played->rank, std::exchange(played->to_itself, 0)};
  if (own.length == 0) return;
  const auto before = [](const Letter& a, const Letter& b) { return a.from < b.from; };
  played->letters.insert(std::lower_bound(played->letters.begin(), played->letters.end(), own, before), own);
}

const Letter& letter_from(int process) {
  const auto at = std::lower_bound(played->letters.begin(), played->letters.end(), process,
                                   [](const Letter& letter, int wanted) { return letter.from < wanted; });
  if (at == played->letters.end() || at->from != process) give_up("a message that no other process sends");
  return *at;
}

template <class T>
void multiply(void* numbers, int count) {
  for (int i = 0; i < count; ++i) static_cast<T*>(numbers)[i] *= static_cast<T>(played->processes);
}

// What all processes give together if each gives the same. All but sums are that already.
void add_equal(MPI_Op operation, MPI_Datatype type, void* numbers, int count) {
  if (operation != MPI_SUM) return;
  if (type == MPI_INT64_T || type == MPI_UINT64_T) return multiply<std::uint64_t>(numbers, count);
  if (type == MPI_INT) return multiply<int>(numbers, count);
  give_up("a sum of this type");
}

// Brings the part of this process to the place of each.
void fill_all(const void* own, std::int64_t bytes, void* all) {
  auto* const places = static_cast<char*>(all);
  if (own == MPI_IN_PLACE) own = places + played->rank * bytes;
  for (int process = 0; process < played->processes; ++process)
    if (places + process * bytes != own) std::memcpy(places + process * bytes, own, static_cast<std::size_t>(bytes));
}

}  // namespace

bool Others::reduce(MPI_Op, MPI_Datatype, std::int64_t*, int) { return false; }
bool Others::gather(std::int64_t*, int) { return false; }
std::vector<Letter> Others::letters(int) { return {}; }
void Others::write(int, const Letter&, std::int64_t*) {}

World::World(int processes, int rank, Others& others) {
  PMPI_Comm_dup(MPI_COMM_SELF, &comm_);
  played = new Played{processes, rank, others, {comm_}};
}

// The communicator stays, with what TriDAP keeps for it: to free that, processes would have to agree.
World::~World() { delete std::exchange(played, nullptr); }

const Traffic& World::traffic() const { return played->traffic; }

void World::count_anew() {
  played->traffic = {};
  played->exchange = -1;
}

}  // namespace virtual_processes

using namespace virtual_processes;

extern "C" {

int MPI_Comm_size(MPI_Comm comm, int* size) {
  if (!is_played(comm)) return PMPI_Comm_size(comm, size);
  *size = played->processes;
  return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  if (!is_played(comm)) return PMPI_Comm_rank(comm, rank);
  *rank = played->rank;
  return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  const int status = PMPI_Comm_dup(comm, made);
  if (!is_played(comm)) return status;
  const Unmetered unmetered;
  count_collective(0);
  played->comms.push_back(*made);
  return status;
}

int MPI_Comm_free(MPI_Comm* comm) {
  if (is_played(*comm)) played->comms.erase(std::find(played->comms.begin(), played->comms.end(), *comm));
  return PMPI_Comm_free(comm);
}

// All processes are in the new one, in an order by which this one keeps its rank.
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return is_played(comm) ? MPI_Comm_dup(comm, made) : PMPI_Comm_split(comm, color, key, made);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  if (is_played(comm)) count_collective(0);
  return PMPI_Comm_split_type(comm, type, key, info, made);
}

int MPI_Barrier(MPI_Comm comm) {
  if (is_played(comm)) count_collective(0);
  return PMPI_Barrier(comm);
}

int MPI_Bcast(void* at, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (!is_played(comm)) return PMPI_Bcast(at, count, type, root, comm);
  count_collective(bytes_of(count, type));
  return MPI_SUCCESS;
}

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  if (!is_played(comm)) return PMPI_Allreduce(from, to, count, type, operation, comm);
  const std::int64_t bytes = bytes_of(count, type);
  count_collective(bytes);
  if (from != MPI_IN_PLACE) std::memcpy(to, from, static_cast<std::size_t>(bytes));
  const Unmetered unmetered;
  const bool numbers = type == MPI_INT64_T || type == MPI_UINT64_T;
  if (!numbers || !played->others.reduce(operation, type, static_cast<std::int64_t*>(to), count))
    add_equal(operation, type, to, count);
  return MPI_SUCCESS;
}

int MPI_Allgather(const void* from, int n, MPI_Datatype t, void* to, int m, MPI_Datatype u, MPI_Comm comm) {
  if (!is_played(comm)) return PMPI_Allgather(from, n, t, to, m, u, comm);
  const std::int64_t bytes = bytes_of(m, u);
  count_collective(bytes * played->processes);
  fill_all(from, bytes, to);
  const Unmetered unmetered;
  if (u == MPI_INT64_T) played->others.gather(static_cast<std::int64_t*>(to), m);
  return MPI_SUCCESS;
}

int MPI_Gather(const void* from, int n, MPI_Datatype t, void* to, int m, MPI_Datatype u, int root, MPI_Comm comm) {
  if (!is_played(comm)) return PMPI_Gather(from, n, t, to, m, u, root, comm);
  if (played->rank != root) return count_collective(bytes_of(n, t)), MPI_SUCCESS;
  count_collective(bytes_of(m, u) * played->processes);
  fill_all(from, bytes_of(m, u), to);
  return MPI_SUCCESS;
}

int MPI_Allgatherv(const void* from, int n, MPI_Datatype t, void* to, const int* counts, const int* places,
                   MPI_Datatype u, MPI_Comm comm) {
  if (is_played(comm)) give_up("MPI_Allgatherv");
  return PMPI_Allgatherv(from, n, t, to, counts, places, u, comm);
}

// That of mpi::exchange(), which tells how long the messages are.
int MPI_Alltoall(const void* from, int n, MPI_Datatype t, void* to, int m, MPI_Datatype u, MPI_Comm comm) {
  if (!is_played(comm)) return PMPI_Alltoall(from, n, t, to, m, u, comm);
  need_numbers(u, "MPI_Alltoall of this type");
  count_collective(bytes_of(m, u) * played->processes);
  played->to_itself = static_cast<const std::int64_t*>(from)[played->rank];
  begin_exchange();
  played->begun = false;
  auto* const lengths = static_cast<std::int64_t*>(to);
  std::fill_n(lengths, played->processes, 0);
  for (const Letter& letter : played->letters) lengths[letter.from] = letter.length;
  return MPI_SUCCESS;
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  const int status = PMPI_Ibarrier(comm, request);
  if (!is_played(comm)) return status;
  count_collective(0);
  played->barrier = *request;
  return status;
}

// The barrier of mpi::exchange() ends when all have received their letters.
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  const bool barrier = played != nullptr && *request != MPI_REQUEST_NULL && *request == played->barrier;
  if (barrier && played->told < played->letters.size()) return *done = 0, MPI_SUCCESS;
  const int result = PMPI_Test(request, done, status);
  if (barrier && *done != 0) {
    played->barrier = MPI_REQUEST_NULL;
    played->begun = false;
  }
  return result;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* found, MPI_Status* status) {
  if (!is_played(comm)) return PMPI_Iprobe(from, tag, comm, found, status);
  return *found = 0, MPI_SUCCESS;
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int* found, MPI_Message* message, MPI_Status* status) {
  if (!is_played(comm)) return PMPI_Improbe(from, tag, comm, found, message, status);
  if (!played->begun) begin_exchange();
  *found = played->told < played->letters.size() ? 1 : 0;
  if (*found == 0) return MPI_SUCCESS;
  *message = MPI_MESSAGE_NO_PROC;
  status->MPI_SOURCE = played->letters[played->told].from;
  return MPI_SUCCESS;
}

int MPI_Mrecv(void* to, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  if (played == nullptr || !played->begun) return PMPI_Mrecv(to, count, type, message, status);
  need_numbers(type, "MPI_Mrecv of this type");
  *static_cast<std::int64_t*>(to) = played->letters[played->told++].length;
  *message = MPI_MESSAGE_NULL;
  return MPI_SUCCESS;
}

int MPI_Issend(const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  if (!is_played(comm)) return PMPI_Issend(from, n, type, to, tag, comm, request);
  need_numbers(type, "MPI_Issend of this type");
  if (to == played->rank)
    played->to_itself = *static_cast<const std::int64_t*>(from);
  else
    count_message(bytes_of(n, type));
  return PMPI_Isend(from, n, type, MPI_PROC_NULL, tag, comm, request);
}

int MPI_Isend(const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  if (!is_played(comm)) return PMPI_Isend(from, n, type, to, tag, comm, request);
  const bool own = to == played->rank;
  if (!own) count_message(bytes_of(n, type));
  return PMPI_Isend(from, n, type, own ? 0 : MPI_PROC_NULL, tag, comm, request);
}

// Elements of arrays that move may have any values.
int MPI_Irecv(void* to, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  if (!is_played(comm)) return PMPI_Irecv(to, n, type, from, tag, comm, request);
  const bool own = from == played->rank;
  if (!own && type == MPI_INT64_T) {
    const Unmetered unmetered;
    if (n == 1 && (played->exchange < 0 || letter_from(from).length != 1)) {  // credit for one slot of a long stream
      *static_cast<std::int64_t*>(to) = 1;
      return PMPI_Irecv(to, n, type, MPI_PROC_NULL, tag, comm, request);
    }
    const Letter& letter = letter_from(from);
    if (n != letter.length) give_up("a letter in pieces");
    played->others.write(played->exchange, letter, static_cast<std::int64_t*>(to));
  }
  return PMPI_Irecv(to, n, type, own ? 0 : MPI_PROC_NULL, tag, comm, request);
}

int MPI_Send_init(const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  if (!is_played(comm)) return PMPI_Send_init(from, n, type, to, tag, comm, request);
  const int status = PMPI_Send_init(from, n, type, MPI_PROC_NULL, tag, comm, request);
  const Unmetered unmetered;
  played->persistent.push_back({*request, bytes_of(n, type)});
  return status;
}

int MPI_Recv_init(void* to, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Recv_init(to, n, type, is_played(comm) ? MPI_PROC_NULL : from, tag, comm, request);
}

int MPI_Start(MPI_Request* request) {
  if (played != nullptr)
    for (const Persistent& message : played->persistent)
      if (message.request == *request) count_message(message.bytes);
  return PMPI_Start(request);
}

int MPI_Request_free(MPI_Request* request) {
  if (played != nullptr) {
    std::vector<Persistent>& all = played->persistent;
    const auto is_it = [&](const Persistent& message) { return message.request == *request; };
    all.erase(std::remove_if(all.begin(), all.end(), is_it), all.end());
  }
  return PMPI_Request_free(request);
}

#define NOT_PLAYED(name, parameters, arguments) \
  int MPI_##name parameters {                   \
    if (is_played(comm)) give_up("MPI_" #name); \
    return PMPI_##name arguments;               \
  }

NOT_PLAYED(Send, (const void* at, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm),
           (at, n, type, to, tag, comm))
NOT_PLAYED(Ssend, (const void* at, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm),
           (at, n, type, to, tag, comm))
NOT_PLAYED(Recv, (void* at, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status),
           (at, n, type, from, tag, comm, status))
NOT_PLAYED(Probe, (int from, int tag, MPI_Comm comm, MPI_Status* status), (from, tag, comm, status))
NOT_PLAYED(Reduce, (const void* from, void* to, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm),
           (from, to, n, t, op, root, comm))
NOT_PLAYED(Scan, (const void* from, void* to, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
           (from, to, n, t, op, comm))
NOT_PLAYED(Exscan, (const void* from, void* to, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
           (from, to, n, t, op, comm))
NOT_PLAYED(Iallreduce,
           (const void* from, void* to, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm, MPI_Request* request),
           (from, to, n, t, op, comm, request))

}  // extern "C"
