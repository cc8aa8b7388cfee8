#include "ga.hpp"
#include "ga_session.hpp"
#include "named.hpp"
#include "types.hpp"
#include <tridap/globalarrays/array.hpp>
#include <tridap/globalarrays/session.hpp>
#include <tridap/internal/collective_call.hpp>

#include <algorithm>

namespace tridap::globalarrays {

namespace {

void check_destroyable(int handle, MPI_Comm comm) {
  if (GA_Initialized() == 0 || GA_Verify_handle(handle) == 0)
    refuse("there is no " + named(handle), "", "pass the handle of an array that is not destroyed");
  if (ga_session().pool.serial(handle) != 0)
    refuse(named(handle) + " belongs to a GlobalArray", "", "destroy the GlobalArray object instead");
  const int group = GA_Get_pgroup(handle);
  const std::vector<int> ranks = ranks_in(comm, GA_MPI_Comm_pgroup(group));
  if (static_cast<int>(ranks.size()) != GA_Pgroup_nnodes(group) || *std::min_element(ranks.begin(), ranks.end()) < 0)
    refuse(named(handle) + " is not on the processes of the communicator", "", "pass a communicator of its processes");
}

// Equal on all processes if they pass one array: that may have different handles, and one handle may be different
// arrays.
Index shape_and_type(int handle) {
  int type = 0, axes = 0;
  int64_t dims[GA_MAX_DIM];
  NGA_Inquire64(handle, &type, &axes, dims);
  Digest digest;
  digest.add(built_in_type(type) != nullptr ? type : -1);  // for other types, each process has its own numbers
  for (int axis = 0; axis < axes; ++axis) digest.add(dims[axis]);
  return digest.value();
}

}  // namespace

bool destroy(int handle, MPI_Comm comm) {
  const mpi::Call call(comm, "globalarrays::destroy", mpi::Library::globalarrays, [&](mpi::Record& record) {
    check_destroyable(handle, comm);
    record.add(shape_and_type(handle));
  });
  return call.run([&] {
    if (!call.is_same(0))
      refuse("the processes pass Global Arrays of different shapes or types", "",
             "pass the same array on every process");
    HandlePool& pool = ga_session().pool;
    pool.take(handle);
    pool.collect(GA_Get_pgroup(handle));
    return pool.serial(handle) == 0;
  });
}

Index collect() {
  if (GA_Initialized() == 0) return 0;
  const mpi::Call call(all_processes(), "globalarrays::collect", mpi::Library::globalarrays);
  return call.run([] { return ga_session().pool.collect(); });
}

Index held() { return ga_session().pool.held(); }

}  // namespace tridap::globalarrays
