#include "board.hpp"

#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/typed.hpp>

#include <algorithm>
#include <cstring>
#include <new>

namespace tridap::device {

namespace {

struct Attached {
  explicit Attached(std::shared_ptr<Boards> made) : boards(std::move(made)) {}
  std::shared_ptr<Boards> boards;
};

bool same_array(const Entry& a, const Entry& b) {
  return a.allocation == b.allocation && a.offset == b.offset && a.ndim == b.ndim && a.strides == b.strides;
}

bool is_alive(const Entry& entry, const Board& board) {
  return std::any_of(board.entries.begin(), board.entries.end(),
                     [&](const Entry& each) { return each.allocation == entry.allocation; });
}

}  // namespace

std::shared_ptr<Boards> Boards::made(MPI_Comm comm) {
  const Attached* const kept = mpi::made_duplicates_of(comm)->attached<Attached>();
  return kept == nullptr ? nullptr : kept->boards;
}

std::shared_ptr<Boards> Boards::of(MPI_Comm comm) {
  if (std::shared_ptr<Boards> kept = made(comm)) return kept;
  auto memory = mpi::allocate_shared_bytes(sizeof(Board), comm);
  auto attached = std::make_unique<Attached>(std::make_shared<Boards>(comm, std::move(memory)));
  mpi::must_succeed(MPI_Barrier(comm), "MPI_Barrier");  // no process reads a board that was not made
  return mpi::made_duplicates_of(comm)->attach(std::move(attached), mpi::Duplicates::released).boards;
}

Boards::Boards(MPI_Comm comm, std::shared_ptr<const mpi::SharedAllocation> memory)
    : memory_(std::move(memory)), rank_(mpi::rank_of(comm)), processes_(mpi::processes_of(comm)) {
  new (memory_->base(static_cast<int>(rank_))) Board{};
}

Boards::~Boards() { close(); }

std::optional<std::uint8_t> Boards::find(const Entry& entry) const {
  const auto& entries = board(rank_).entries;
  for (std::uint8_t i = 0; i < Board::most; ++i)
    if (same_array(entries[i], entry)) return i;
  return std::nullopt;
}

std::uint8_t Boards::add(const Entry& entry) {
  const std::uint8_t at = next_;
  next_ = static_cast<std::uint8_t>((next_ + 1) % Board::most);
  board(rank_).entries[at] = entry;
  return at;
}

void Boards::drop_freed(Memory::Kind kind) {
  for (Entry& entry : board(rank_).entries) {
    if (entry.allocation == 0) continue;
    const auto place = driver::place_of(reinterpret_cast<const void*>(entry.begin), kind);
    if (!place || place->buffer_id != entry.allocation) entry = Entry{};
  }
}

const char* Boards::open(Index rank, const Entry& entry, const Memory& from) {
  Opened& opened = opened_[{rank, entry.allocation}];
  if (opened.address == 0) {
    const driver::Table& table = driver::need_table(from);
    const driver::InContext in(table, from.device);
    driver::need_success(table, table.open_handle(&opened.address, entry.handle, 1),  // lazily allow access to peers
                         "opening the memory of process " + std::to_string(rank));
    opened.memory = from;
  }
  return reinterpret_cast<const char*>(opened.address) + entry.offset;
}

void Boards::close_unnamed() {
  for (auto it = opened_.begin(); it != opened_.end();) {
    Entry named;
    named.allocation = it->first.second;
    if (is_alive(named, board(it->first.first))) {
      ++it;
    } else {
      close(it->second);
      it = opened_.erase(it);
    }
  }
}

void Boards::close() {
  for (const auto& [key, opened] : opened_) close(opened);
  opened_.clear();
}

void Boards::close(const Opened& opened) noexcept {
  if (opened.address == 0) return;
  try {
    const driver::Table& table = driver::need_table(opened.memory);
    const driver::InContext in(table, opened.memory.device);
    table.close_handle(opened.address);
  } catch (const std::exception&) {  // the driver has ended, and its memory with it
  }
}

std::optional<Index> device_of(const driver::Table& table, const driver::Uuid& uuid) {
  int count = 0;
  if (table.count_devices(&count) != 0) return std::nullopt;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    int device = 0;
    driver::Uuid own;
    if (table.device(&device, ordinal) == 0 && table.uuid(&own, device) == 0 && own == uuid) return ordinal;
  }
  return std::nullopt;
}

}  // namespace tridap::device
