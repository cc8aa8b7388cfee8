// Stands before MPI and counts collective calls: those of TriDAP, and those of the libraries that it drives. TriDAP's
// code calls MPI from the program that this file is linked to, from a file in the folder that the environment's
// TRIDAP_COUNTED names (LD_PRELOAD then loads this one), or by mpi4py.

#include <dlfcn.h>
#include <mpi.h>

#include <cstdlib>
#include <cstring>

namespace {

enum Whose { ours, others };
enum Kind { messages, communicators };  // what a call makes: a message, or a communicator, a window or a file
long counted[2][2];

Whose whose(void* caller) {
  static const char* const folder = std::getenv("TRIDAP_COUNTED");
  Dl_info found, here;
  if (dladdr(caller, &found) == 0 || found.dli_fname == nullptr) return others;
  if (dladdr(&counted, &here) != 0 && found.dli_fbase == here.dli_fbase) return ours;
  const bool in_folder = folder != nullptr && std::strncmp(found.dli_fname, folder, std::strlen(folder)) == 0;
  return in_folder || std::strstr(found.dli_fname, "/mpi4py/") != nullptr ? ours : others;
}

}  // namespace

extern "C" {

long tridap_counted(int of, int kind) { return counted[of][kind]; }
void tridap_count_anew() { std::memset(counted, 0, sizeof(counted)); }

#define COUNT(kind, name, parameters, arguments)         \
  int MPI_##name parameters {                            \
    ++counted[whose(__builtin_return_address(0))][kind]; \
    return PMPI_##name arguments;                        \
  }
// A collective of messages, and the non-blocking one of the same name.
#define COUNT_BOTH(name, other, parameters, arguments)         \
  COUNT(messages, name, (PLAIN parameters), (PLAIN arguments)) \
  COUNT(messages, other, (PLAIN parameters, MPI_Request * request), (PLAIN arguments, request))
#define PLAIN(...) __VA_ARGS__
#define FROM const void *from, int n, MPI_Datatype t
#define TO void *to, int m, MPI_Datatype u
#define FROM_V const void *from, const int *n, const int *d, MPI_Datatype t
#define TO_V void *to, const int *m, const int *e, MPI_Datatype u
#define FROM_W const void *from, const int *n, const int *d, const MPI_Datatype *t
#define TO_W void *to, const int *m, const int *e, const MPI_Datatype *u

COUNT(messages, Barrier, (MPI_Comm c), (c))
COUNT(messages, Ibarrier, (MPI_Comm c, MPI_Request* request), (c, request))
COUNT_BOTH(Bcast, Ibcast, (void* at, int n, MPI_Datatype t, int root, MPI_Comm c), (at, n, t, root, c))
COUNT_BOTH(Gather, Igather, (FROM, TO, int root, MPI_Comm c), (from, n, t, to, m, u, root, c))
COUNT_BOTH(Gatherv, Igatherv, (FROM, TO_V, int root, MPI_Comm c), (from, n, t, to, m, e, u, root, c))
COUNT_BOTH(Scatter, Iscatter, (FROM, TO, int root, MPI_Comm c), (from, n, t, to, m, u, root, c))
COUNT_BOTH(Scatterv, Iscatterv, (FROM_V, TO, int root, MPI_Comm c), (from, n, d, t, to, m, u, root, c))
COUNT_BOTH(Allgather, Iallgather, (FROM, TO, MPI_Comm c), (from, n, t, to, m, u, c))
COUNT_BOTH(Allgatherv, Iallgatherv, (FROM, TO_V, MPI_Comm c), (from, n, t, to, m, e, u, c))
COUNT_BOTH(Alltoall, Ialltoall, (FROM, TO, MPI_Comm c), (from, n, t, to, m, u, c))
COUNT_BOTH(Alltoallv, Ialltoallv, (FROM_V, TO_V, MPI_Comm c), (from, n, d, t, to, m, e, u, c))
COUNT_BOTH(Alltoallw, Ialltoallw, (FROM_W, TO_W, MPI_Comm c), (from, n, d, t, to, m, e, u, c))
COUNT_BOTH(Reduce, Ireduce, (const void* from, void* to, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c),
           (from, to, n, t, op, root, c))
COUNT_BOTH(Allreduce, Iallreduce, (const void* from, void* to, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
           (from, to, n, t, op, c))
COUNT_BOTH(Reduce_scatter, Ireduce_scatter,
           (const void* from, void* to, const int* n, MPI_Datatype t, MPI_Op op, MPI_Comm c), (from, to, n, t, op, c))
COUNT_BOTH(Reduce_scatter_block, Ireduce_scatter_block,
           (const void* from, void* to, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c), (from, to, n, t, op, c))
COUNT_BOTH(Scan, Iscan, (const void* from, void* to, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
           (from, to, n, t, op, c))
COUNT_BOTH(Exscan, Iexscan, (const void* from, void* to, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
           (from, to, n, t, op, c))
COUNT_BOTH(Neighbor_allgather, Ineighbor_allgather, (FROM, TO, MPI_Comm c), (from, n, t, to, m, u, c))
COUNT_BOTH(Neighbor_allgatherv, Ineighbor_allgatherv, (FROM, TO_V, MPI_Comm c), (from, n, t, to, m, e, u, c))
COUNT_BOTH(Neighbor_alltoall, Ineighbor_alltoall, (FROM, TO, MPI_Comm c), (from, n, t, to, m, u, c))
COUNT_BOTH(Neighbor_alltoallv, Ineighbor_alltoallv, (FROM_V, TO_V, MPI_Comm c), (from, n, d, t, to, m, e, u, c))

COUNT(communicators, Comm_dup, (MPI_Comm c, MPI_Comm* made), (c, made))
COUNT(communicators, Comm_dup_with_info, (MPI_Comm c, MPI_Info info, MPI_Comm* made), (c, info, made))
COUNT(communicators, Comm_idup, (MPI_Comm c, MPI_Comm* made, MPI_Request* request), (c, made, request))
COUNT(communicators, Comm_split, (MPI_Comm c, int color, int key, MPI_Comm* made), (c, color, key, made))
COUNT(communicators, Comm_split_type, (MPI_Comm c, int type, int key, MPI_Info info, MPI_Comm* made),
      (c, type, key, info, made))
COUNT(communicators, Comm_create, (MPI_Comm c, MPI_Group group, MPI_Comm* made), (c, group, made))
COUNT(communicators, Comm_create_group, (MPI_Comm c, MPI_Group group, int tag, MPI_Comm* made), (c, group, tag, made))
COUNT(communicators, Comm_free, (MPI_Comm * c), (c))
COUNT(communicators, Intercomm_create, (MPI_Comm c, int a, MPI_Comm of, int b, int tag, MPI_Comm* made),
      (c, a, of, b, tag, made))
COUNT(communicators, Intercomm_merge, (MPI_Comm c, int high, MPI_Comm* made), (c, high, made))
COUNT(communicators, Cart_create, (MPI_Comm c, int n, const int* d, const int* p, int reorder, MPI_Comm* made),
      (c, n, d, p, reorder, made))
COUNT(communicators, Cart_sub, (MPI_Comm c, const int* keep, MPI_Comm* made), (c, keep, made))
COUNT(communicators, Win_create, (void* at, MPI_Aint n, int unit, MPI_Info info, MPI_Comm c, MPI_Win* made),
      (at, n, unit, info, c, made))
COUNT(communicators, Win_allocate, (MPI_Aint n, int unit, MPI_Info info, MPI_Comm c, void* at, MPI_Win* made),
      (n, unit, info, c, at, made))
COUNT(communicators, Win_allocate_shared, (MPI_Aint n, int unit, MPI_Info info, MPI_Comm c, void* at, MPI_Win* made),
      (n, unit, info, c, at, made))
COUNT(communicators, Win_create_dynamic, (MPI_Info info, MPI_Comm c, MPI_Win* made), (info, c, made))
COUNT(communicators, Win_free, (MPI_Win * window), (window))
COUNT(communicators, File_open, (MPI_Comm c, const char* name, int mode, MPI_Info info, MPI_File* made),
      (c, name, mode, info, made))
COUNT(communicators, File_close, (MPI_File * file), (file))

}  // extern "C"
