#include "rows.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/elements.hpp>
#include <tridap/internal/ghost_owners.hpp>
#include <tridap/internal/halo_exchange.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/internal/shown_call.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tridap {

namespace {

using Halo = redistribute::HaloExchange<Rows>;

// Which rows each owner is to send, in the order of our ghosts; takes them out of `wanted`.
std::vector<Message> requests(std::vector<Wanted>& wanted, Index process) {
  std::vector<Message> all;
  for (Wanted& of : wanted) all.push_back({process, of.process, std::move(of.rows)});
  return all;
}

void add_peer(std::vector<Halo::Peer>& peers, Index rank, const Buffer& local, const std::vector<Index>& of,
              const std::shared_ptr<mpi::Faults>& faults) {
  Halo::Peer peer(rank, Rows(local, of, faults));
  if (peer.elements.bytes() > 0) peers.push_back(std::move(peer));  // otherwise an element has no components
}

std::unique_ptr<Halo> halo_of(const GhostedArray& array, const std::vector<Wanted>& wanted,
                              const std::vector<Message>& asked, const std::shared_ptr<mpi::Faults>& faults) {
  std::vector<Halo::Peer> owners, users;
  for (const Wanted& of : wanted) {
    std::vector<Index> rows = of.ghosts;
    for (Index& row : rows) row += array.owned_count();
    add_peer(owners, of.process, array.local(), rows, faults);
  }
  for (const Message& message : asked) add_peer(users, message.from, array.local(), message.content, faults);
  return std::make_unique<Halo>(array.local(), std::move(owners), std::move(users), std::nullopt, true);
}

}  // namespace

struct GhostUpdate::State {
  std::unique_ptr<Halo> halo;
  redistribute::DeviceFaults faults;

  State(std::unique_ptr<Halo> of, redistribute::DeviceFaults of_devices)
      : halo(std::move(of)), faults(std::move(of_devices)) {}
  ~State() {
    faults.end(halo->started(), [this] { halo->wait(); });
  }
};

GhostUpdate::GhostUpdate(const GhostedArray& array, MPI_Comm comm) {
  const mpi::Region region("tridap::GhostUpdate");
  const mpi::Call call(comm, "GhostUpdate", {},
                       [&](mpi::Record& record) { record.add(!array.local().memory.is_on_host()); });
  comm = call.comm();
  call.run([&] {
    std::vector<Wanted> wanted = check_ghosts(array, comm).wanted;
    const std::vector<Message> asked = mpi::MpiCollectives(comm).exchange(requests(wanted, mpi::rank_of(comm)));
    const mpi::Channel of_update = mpi::channel_of(comm), of_sum = mpi::channel_of(comm);
    state_ = mpi::collectively(comm, [&] {
      redistribute::DeviceFaults faults(call.largest(0) > 0, comm);
      auto halo = halo_of(array, wanted, asked, faults.here);
      halo->open_fill(of_update);
      halo->open_sum(of_sum);
      return std::make_unique<State>(std::move(halo), std::move(faults));
    });
  });
}

GhostUpdate::GhostUpdate(GhostUpdate&&) noexcept = default;
GhostUpdate& GhostUpdate::operator=(GhostUpdate&&) noexcept = default;
GhostUpdate::~GhostUpdate() = default;

void GhostUpdate::update_ghosts(DeviceStream stream) {
  const mpi::Region region("tridap::GhostUpdate::update_ghosts");
  const mpi::ShownCall shown("GhostUpdate::update_ghosts");
  start_update(stream);
  wait();
}

void GhostUpdate::sum_ghosts(DeviceStream stream) {
  const mpi::Region region("tridap::GhostUpdate::sum_ghosts");
  const mpi::ShownCall shown("GhostUpdate::sum_ghosts");
  start_sum(stream);
  wait();
}

void GhostUpdate::start_update(DeviceStream stream) {
  const mpi::Region region("tridap::GhostUpdate::start_update");
  if (!state_->halo->started()) state_->faults.wait_for(state_->halo->buffer().memory, stream);
  state_->halo->start_fill();
}

void GhostUpdate::start_sum(DeviceStream stream) {
  const mpi::Region region("tridap::GhostUpdate::start_sum");
  redistribute::Scaling added;
  added.beta = 1.0;
  const ElementType& type = state_->halo->buffer().type;  // the same on every process
  redistribute::combiner(type, type, false, added);       // throws if elements of this type cannot be added
  if (!state_->halo->started()) state_->faults.wait_for(state_->halo->buffer().memory, stream);
  state_->halo->start_sum();
}

void GhostUpdate::wait() {
  const mpi::Region region("tridap::GhostUpdate::wait");
  if (!state_->halo->started())
    refuse("no update is in progress", "must have been started", "call start_update() or start_sum() first");
  const mpi::ShownCall shown("GhostUpdate::wait");
  state_->halo->wait();
  state_->faults.agree();
}

Index GhostUpdate::bytes_sent() const { return state_->halo->bytes_to_users(); }
Index GhostUpdate::bytes_received() const { return state_->halo->bytes_from_owners(); }

void update_ghosts(const GhostedArray& array, MPI_Comm comm, DeviceStream stream) {
  const mpi::Region region("tridap::update_ghosts");
  const mpi::Call call(comm, "update_ghosts");
  GhostUpdate(array, comm).update_ghosts(stream);
}

void sum_ghosts(const GhostedArray& array, MPI_Comm comm, DeviceStream stream) {
  const mpi::Region region("tridap::sum_ghosts");
  const mpi::Call call(comm, "sum_ghosts");
  GhostUpdate(array, comm).sum_ghosts(stream);
}

}  // namespace tridap
