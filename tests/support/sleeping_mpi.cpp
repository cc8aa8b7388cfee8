// MPICH keeps the core while a call waits. With more processes than cores, each call then lasts until the time slices
// of the waiting processes end: tests take minutes in place of seconds. If there are more processes than cores, these
// functions make the same call without blocking, and sleep while they wait. MPI's standard gives every function a
// second name, PMPI_..., so that programs may define the first. They are weak: a test may define its own.
#include <mpi.h>

#ifdef MPICH_VERSION
#include <chrono>
#include <cstdlib>
#include <thread>

#define TRIDAP_WEAK extern "C" __attribute__((weak)) int

namespace {

bool crowded() {
  static const bool answer = [] {
    const char* processes = std::getenv("MPI_LOCALNRANKS");  // on this node: MPICH's mpiexec sets it
    return processes != nullptr && std::strtoul(processes, nullptr, 10) > std::thread::hardware_concurrency();
  }();
  return answer;
}

template <class Test>
int wait(Test test) {
  for (int done = 0;;) {
    const int status = test(&done);
    if (status != MPI_SUCCESS || done != 0) return status;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

int wait(int started, MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE) {
  if (started != MPI_SUCCESS) return started;
  return wait([&](int* done) { return PMPI_Test(&request, done, status); });
}

}  // namespace

TRIDAP_WEAK MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return crowded() ? wait(MPI_SUCCESS, *request, status) : PMPI_Wait(request, status);
}

TRIDAP_WEAK MPI_Waitall(int n, MPI_Request* requests, MPI_Status* statuses) {
  if (!crowded()) return PMPI_Waitall(n, requests, statuses);
  return wait([&](int* done) { return PMPI_Testall(n, requests, done, statuses); });
}

TRIDAP_WEAK MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
  if (!crowded()) return PMPI_Probe(from, tag, comm, status);
  return wait([&](int* done) { return PMPI_Iprobe(from, tag, comm, done, status); });
}

TRIDAP_WEAK MPI_Recv(void* data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  return crowded() ? wait(PMPI_Irecv(data, n, type, from, tag, comm, &request), request, status)
                   : PMPI_Recv(data, n, type, from, tag, comm, status);
}

// TRIDAP_SLEEPS(MPI function, without MPI_; its parameters; its arguments): for functions whose last argument is the
// communicator, and that have a sister I... with a request behind it.
#define TRIDAP_SLEEPS(name, sister, parameters, ...)                                                   \
  TRIDAP_WEAK MPI_##name parameters {                                                                  \
    MPI_Request request = MPI_REQUEST_NULL;                                                            \
    return crowded() ? wait(PMPI_##sister(__VA_ARGS__, &request), request) : PMPI_##name(__VA_ARGS__); \
  }

TRIDAP_SLEEPS(Send, Isend, (const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm), data, n, type,
              to, tag, comm)
TRIDAP_SLEEPS(Ssend, Issend, (const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm), data, n,
              type, to, tag, comm)
TRIDAP_SLEEPS(Comm_dup, Comm_idup, (MPI_Comm comm, MPI_Comm* made), comm, made)
TRIDAP_SLEEPS(Barrier, Ibarrier, (MPI_Comm comm), comm)
TRIDAP_SLEEPS(Bcast, Ibcast, (void* data, int n, MPI_Datatype type, int root, MPI_Comm comm), data, n, type, root, comm)
TRIDAP_SLEEPS(Reduce, Ireduce,
              (const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm), in, out, n,
              type, op, root, comm)
TRIDAP_SLEEPS(Allreduce, Iallreduce, (const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
              in, out, n, type, op, comm)
TRIDAP_SLEEPS(Gather, Igather,
              (const void* in, int n, MPI_Datatype t, void* out, int m, MPI_Datatype u, int root, MPI_Comm comm), in, n,
              t, out, m, u, root, comm)
TRIDAP_SLEEPS(Allgather, Iallgather,
              (const void* in, int n, MPI_Datatype t, void* out, int m, MPI_Datatype u, MPI_Comm comm), in, n, t, out,
              m, u, comm)
TRIDAP_SLEEPS(Allgatherv, Iallgatherv,
              (const void* in, int n, MPI_Datatype t, void* out, const int* counts, const int* places, MPI_Datatype u,
               MPI_Comm comm),
              in, n, t, out, counts, places, u, comm)
TRIDAP_SLEEPS(Alltoall, Ialltoall,
              (const void* in, int n, MPI_Datatype t, void* out, int m, MPI_Datatype u, MPI_Comm comm), in, n, t, out,
              m, u, comm)
#endif
