#include <tridap/c/objects.hpp>

#include <algorithm>
#include <utility>

using namespace tridap;
using namespace tridap::c;

namespace {

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
  DeviceStream stream;
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
        Buffer buffer = buffer_of(*memory, std::move(owner), extents, stream);
        array.emplace(std::move(buffer), of->distribution->dim_data(process), list_of(ids, count, "ids"), "0.10.0",
                      order_of(memory->order));
      },
      [&](MPI_Comm caller) {
        GhostUpdate update(*array, caller);
        return std::make_shared<GhostsObject>(std::move(*array), std::move(update), stream);
      });
}

int tridap_ghosts_start(tridap_ghosts ghosts, int sum) {
  return locally([&] {
    need_mpi();
    const auto of = find_or_end_job<GhostsObject>(ghosts.number, "tridap_ghosts_start");
    sum != 0 ? of->update.start_sum(of->stream) : of->update.start_update(of->stream);
    of->started = true;
  });
}

int tridap_ghosts_wait(tridap_ghosts ghosts) {
  return locally([&] {
    need_mpi();
    const auto of = find_or_end_job<GhostsObject>(ghosts.number, "tridap_ghosts_wait");
    of->started = false;
    of->update.wait();
  });
}

int tridap_update_ghosts(tridap_ghosts ghosts) {
  return locally([&] {
    need_mpi();
    const auto of = find_or_end_job<GhostsObject>(ghosts.number, "tridap_update_ghosts");
    of->update.update_ghosts(of->stream);
  });
}

int tridap_sum_ghosts(tridap_ghosts ghosts) {
  return locally([&] {
    need_mpi();
    const auto of = find_or_end_job<GhostsObject>(ghosts.number, "tridap_sum_ghosts");
    of->update.sum_ghosts(of->stream);
  });
}
