#include <tridap/c/objects.hpp>

#include <algorithm>
#include <utility>

using namespace tridap;
using namespace tridap::c;

namespace {

std::shared_ptr<GhostsObject> ghosts_or_end(tridap_ghosts ghosts, const char* name) {
  try {
    return find<GhostsObject>(ghosts.number);
  } catch (...) {
    keep_failure();
    end_job_with_message(name, communicator_of(ghosts.number));
  }
}

// The extents of the memory for owned elements and ghosts.
std::vector<Index> extents_with(const Distribution& distribution, Index process, Index ghosts, int ndim) {
  const std::vector<Index> owned = distribution.local_shape(process);
  const Index numbered = distribution.ndim() - ndim + 1;
  if (numbered < 1 || ndim < 1)
    refuse("the memory has " + std::to_string(ndim) + " axes, and the distribution " + std::to_string(owned.size()),
           "must have one axis for the numbered elements, and the components behind it",
           "set ndim of the memory, or no extents");
  std::vector<Index> extents(static_cast<std::size_t>(ndim), ghosts);
  Index elements = 1;
  for (Index i = 0; i < numbered; ++i) elements *= owned[static_cast<std::size_t>(i)];
  extents[0] += elements;
  std::copy(owned.begin() + numbered, owned.end(), extents.begin() + 1);
  return extents;
}

}  // namespace

int tridap_ghosts_make(tridap_distribution distribution, const tridap_memory* memory, int64_t count, const int64_t* ids,
                       tridap_ghosts* ghosts) {
  Comm comm;
  std::shared_ptr<void> owner;
  if (const int status = locally([&] {
        owner = owner_of(memory);
        comm = comm_of({distribution.number});
      });
      status != TRIDAP_OK)
    return give<GhostsObject>(status, number_in(ghosts), comm, nullptr);
  std::optional<GhostedArray> array;
  return making_together<GhostsObject>(
      "tridap_ghosts_make", number_in(ghosts), comm, {},
      [&] {
        const auto of = find<DistributionObject>(distribution.number);
        const Index process = process_of(*of, TRIDAP_HERE);
        need(memory, "memory");
        const int ndim = memory->extents == nullptr && memory->strides == nullptr && memory->ndim == 0
                             ? static_cast<int>(of->distribution->ndim())
                             : memory->ndim;
        const std::vector<Index> extents = extents_with(*of->distribution, process, count, ndim);
        DeviceStream stream;
        Buffer buffer = buffer_of(*memory, std::move(owner), extents, stream);
        array.emplace(std::move(buffer), of->distribution->dim_data(process), list_of(ids, count, "ids"));
      },
      [&](MPI_Comm caller) { return std::make_shared<GhostsObject>(GhostUpdate(*array, caller)); });
}

int tridap_ghosts_start(tridap_ghosts ghosts, int sum) {
  return locally([&] {
    need_mpi();
    GhostUpdate& update = ghosts_or_end(ghosts, "tridap_ghosts_start")->update;
    sum != 0 ? update.start_sum() : update.start_update();
  });
}

int tridap_ghosts_wait(tridap_ghosts ghosts) {
  return locally([&] {
    need_mpi();
    ghosts_or_end(ghosts, "tridap_ghosts_wait")->update.wait();
  });
}

int tridap_update_ghosts(tridap_ghosts ghosts) {
  return locally([&] {
    need_mpi();
    ghosts_or_end(ghosts, "tridap_update_ghosts")->update.update_ghosts();
  });
}

int tridap_sum_ghosts(tridap_ghosts ghosts) {
  return locally([&] {
    need_mpi();
    ghosts_or_end(ghosts, "tridap_sum_ghosts")->update.sum_ghosts();
  });
}
