#include "rows.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/elements.hpp>
#include <tridap/internal/ghost_owners.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/persistent_messages.hpp>
#include <tridap/internal/shown_call.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tridap {

namespace {

// All that passes between this process and another: the elements that it has as ghosts, or that we have as ghosts.
struct Peer {
  int rank = 0;
  Rows rows;
  std::byte* in_place = nullptr;  // where the rows stand in a row; null: they do not
  std::byte* packed = nullptr;
};

// Which rows each owner is to send, in the order of our ghosts.
std::vector<Message> requests(const std::vector<Wanted>& wanted, Index process) {
  std::vector<Message> all;
  for (const Wanted& of : wanted) all.push_back({process, of.process, of.rows});
  return all;
}

Index bytes_of(const std::vector<Peer>& peers) {
  Index bytes = 0;
  for (const Peer& peer : peers) bytes += peer.rows.bytes();
  return bytes;
}

}  // namespace

struct GhostUpdate::State {
  State(const GhostedArray& array, const std::vector<Wanted>& wanted, const std::vector<Message>& asked)
      : local(array.local()) {
    for (const Wanted& of : wanted) {
      std::vector<Index> rows = of.ghosts;
      for (Index& row : rows) row += array.owned_count();
      add(owners, of.process, rows);
    }
    for (const Message& message : asked) add(users, message.from, message.content);
    Index packed = 0;
    for (const Peer& peer : owners) packed += peer.in_place == nullptr ? peer.rows.bytes() : 0;
    for (const Peer& peer : users) packed += peer.rows.bytes();
    memory.resize(static_cast<std::size_t>(packed));
    std::byte* next = memory.data();
    for (std::vector<Peer>* peers : {&owners, &users})
      for (Peer& peer : *peers) {
        if (peers == &owners && peer.in_place != nullptr) continue;
        peer.packed = next;
        next += peer.rows.bytes();
      }
    find_why_no_sum();
  }
  State(const State&) = delete;
  ~State() {
    try {
      if (in_progress() && !mpi::mpi_is_over()) finish();
    } catch (const std::exception&) {  // a destructor cannot report an error
    }
    if (update.failed() || sum.failed()) new (std::nothrow) Lost{std::move(local), std::move(memory)};
  }

  void open(const mpi::Channel& of_update, const mpi::Channel& of_sum) {
    for (const Peer& peer : owners) update.add_receipt(peer.rank, ghosts_of(peer), peer.rows.bytes(), of_update);
    for (const Peer& peer : users)
      update.add_send(peer.rank, peer.in_place != nullptr ? peer.in_place : peer.packed, peer.rows.bytes(), of_update);
    for (const Peer& peer : users) sum.add_receipt(peer.rank, peer.packed, peer.rows.bytes(), of_sum);
    for (const Peer& peer : owners) sum.add_send(peer.rank, ghosts_of(peer), peer.rows.bytes(), of_sum);
  }

  bool in_progress() const { return update.started() || sum.started(); }
  void begin_update() {
    for (const Peer& peer : users)
      if (peer.in_place == nullptr) peer.rows.pack(peer.packed);
    update.start();
  }
  void begin_sum() {
    for (const Peer& peer : owners)
      if (peer.in_place == nullptr) peer.rows.pack(peer.packed);
    sum.start();
  }
  void finish() {
    if (update.started()) {
      update.wait();
      for (const Peer& peer : owners)
        if (peer.in_place == nullptr) peer.rows.unpack(peer.packed);
    } else {
      sum.wait();
      for (const Peer& peer : users) peer.rows.add(local.type, peer.packed);
    }
  }

  struct Lost {  // memory that MPI may read and write still
    Buffer local;
    std::vector<std::byte> memory;
  };

  Buffer local;
  std::vector<Peer> owners, users;  // of our ghosts, and those with ghosts of our elements; ascending by rank
  std::vector<std::byte> memory;    // of packed rows
  std::optional<Error> why_no_sum;
  mpi::PersistentMessages update, sum;  // they end before the memory above

 private:
  void add(std::vector<Peer>& peers, Index rank, const std::vector<Index>& of) {
    Rows rows(local, of);
    if (rows.bytes() == 0) return;  // an element without components
    std::byte* const in_place = rows.contiguous();
    peers.push_back({static_cast<int>(rank), std::move(rows), in_place, nullptr});
  }
  static std::byte* ghosts_of(const Peer& owner) { return owner.in_place != nullptr ? owner.in_place : owner.packed; }

  // The same on every process, because all have the same element type.
  void find_why_no_sum() {
    redistribute::Scaling added;
    added.beta = 1.0;
    try {
      redistribute::combiner(local.type, local.type, false, added);
    } catch (const Error& error) {
      why_no_sum = error;
    }
  }
};

GhostUpdate::GhostUpdate(const GhostedArray& array, MPI_Comm comm) {
  const mpi::Call call(comm, "GhostUpdate");
  comm = call.comm();
  call.run([&] {
    const std::vector<Wanted> wanted = check_ghosts(array, comm).wanted;
    std::vector<Message> out = mpi::collectively(comm, [&] { return requests(wanted, mpi::rank_of(comm)); });
    const std::vector<Message> asked = mpi::MpiCollectives(comm).exchange(std::move(out));
    const mpi::Channel of_update = mpi::channel_of(comm), of_sum = mpi::channel_of(comm);
    state_ = mpi::collectively(comm, [&] {
      auto state = std::make_unique<State>(array, wanted, asked);
      state->open(of_update, of_sum);
      return state;
    });
  });
}

GhostUpdate::GhostUpdate(GhostUpdate&&) noexcept = default;
GhostUpdate& GhostUpdate::operator=(GhostUpdate&&) noexcept = default;
GhostUpdate::~GhostUpdate() = default;

void GhostUpdate::update_ghosts() {
  const mpi::ShownCall shown("GhostUpdate::update_ghosts");
  start_update();
  wait();
}

void GhostUpdate::sum_ghosts() {
  const mpi::ShownCall shown("GhostUpdate::sum_ghosts");
  start_sum();
  wait();
}

void GhostUpdate::start_update() {
  if (state_->in_progress())
    refuse("an update is in progress", "must have ended before the next one starts", "call wait() first");
  state_->begin_update();
}

void GhostUpdate::start_sum() {
  if (state_->in_progress())
    refuse("an update is in progress", "must have ended before the next one starts", "call wait() first");
  if (state_->why_no_sum) throw Error(*state_->why_no_sum);
  state_->begin_sum();
}

void GhostUpdate::wait() {
  if (!state_->in_progress())
    refuse("no update is in progress", "must have been started", "call start_update() or start_sum() first");
  const mpi::ShownCall shown("GhostUpdate::wait");
  state_->finish();
}

Index GhostUpdate::bytes_sent() const { return bytes_of(state_->users); }
Index GhostUpdate::bytes_received() const { return bytes_of(state_->owners); }

void update_ghosts(const GhostedArray& array, MPI_Comm comm) {
  const mpi::Call call(comm, "update_ghosts");
  GhostUpdate(array, comm).update_ghosts();
}

void sum_ghosts(const GhostedArray& array, MPI_Comm comm) {
  const mpi::Call call(comm, "sum_ghosts");
  GhostUpdate(array, comm).sum_ghosts();
}

}  // namespace tridap
