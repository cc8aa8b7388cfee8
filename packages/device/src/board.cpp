#include "board.hpp"

#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/typed.hpp>

#include <algorithm>
#include <new>

namespace tridap::device {

namespace {

struct Attached {
  explicit Attached(std::shared_ptr<Boards> made) : boards(std::move(made)) {}
  std::shared_ptr<Boards> boards;
};

bool same_array(const Entry& a, const Entry& b) {
  return a.memory.number == b.memory.number && a.offset == b.offset && a.ndim == b.ndim && a.strides == b.strides;
}

}  // namespace

std::shared_ptr<Boards> Boards::made(MPI_Comm comm) {
  const Attached* const kept = mpi::made_duplicates_of(comm)->attached<Attached>();
  return kept == nullptr ? nullptr : kept->boards;
}

std::shared_ptr<Boards> Boards::make(MPI_Comm comm) {
  std::shared_ptr<const mpi::SharedAllocation> memory;
  try {
    memory = mpi::allocate_shared_bytes(sizeof(Board), comm);
  } catch (const Error&) {  // on all
    return nullptr;
  }
  auto attached = std::make_unique<Attached>(std::make_shared<Boards>(comm, std::move(memory)));
  mpi::barrier(comm);  // no process reads a board that was not made
  return mpi::made_duplicates_of(comm)->attach(std::move(attached), mpi::Duplicates::released).boards;
}

Boards::Boards(MPI_Comm comm, std::shared_ptr<const mpi::SharedAllocation> memory)
    : memory_(std::move(memory)), rank_(mpi::rank_of(comm)), processes_(mpi::processes_of(comm)) {
  new (memory_->base(static_cast<int>(rank_))) Board{};
}

std::optional<std::uint8_t> Boards::find(const Entry& entry) const {
  const auto& entries = ours().entries;
  for (std::uint8_t i = 0; i < Board::most; ++i)
    if (same_array(entries[i], entry)) return i;
  return std::nullopt;
}

std::uint8_t Boards::add(const Entry& entry, std::size_t arrays) {
  Board& board = ours();
  const auto is_used = [&](std::uint8_t i) {
    return std::find(board.now.begin(), board.now.begin() + static_cast<std::ptrdiff_t>(arrays), i) !=
           board.now.begin() + static_cast<std::ptrdiff_t>(arrays);
  };
  std::uint8_t at = 0;
  while (at < Board::most && (board.entries[at].memory.number != 0 || is_used(at))) ++at;
  if (at == Board::most) {
    while (is_used(next_)) next_ = static_cast<std::uint8_t>((next_ + 1) % Board::most);
    at = next_;
    next_ = static_cast<std::uint8_t>((next_ + 1) % Board::most);
  }
  let_go(at);
  board.entries[at] = entry;
  held_[at] = target_memory_at(static_cast<std::uintptr_t>(entry.memory.address));
  return at;
}

// Removes an entry. What it names may still be open in other processes.
void Boards::let_go(std::size_t entry) {
  ours().entries[entry] = Entry{};
  if (held_[entry]) dropped_.push_back(std::move(held_[entry]));
}

void Boards::drop_freed() {
  for (std::size_t i = 0; i < Board::most; ++i) {
    const Entry& entry = ours().entries[i];
    if (entry.memory.number == 0) continue;
    bool lives = held_[i] && held_[i]->is_wanted();
    if (held_[i] && !lives) {
      let_go(i);
      continue;
    }
    for (const Memory::Kind kind : {Memory::Kind::cuda, Memory::Kind::hip}) {
      const auto place = driver::place_of(reinterpret_cast<const void*>(entry.memory.address), kind);
      lives = lives || (place && place->buffer_id == entry.memory.number);
    }
    if (!lives) let_go(i);
  }
}

void Boards::close() {
  drop_freed();
  opened_.clear();
}

void Boards::clear() {
  opened_.clear();
  for (std::size_t i = 0; i < Board::most; ++i) let_go(i);
}

// Other processes may free the communicator later, and have our memory open until then.
Boards::~Boards() {
  clear();
  ours().closed.store(true);
  try {
    keep_until(
        [memory = memory_, processes = processes_] {
          for (Index rank = 0; rank < processes; ++rank)
            if (!reinterpret_cast<const Board*>(memory->base(static_cast<int>(rank)))->closed.load()) return false;
          return true;
        },
        dropped_);
  } catch (const std::exception&) {  // the memory is freed with this
  }
}

const char* Boards::open(Index rank, const Entry& entry, const Memory& from) {
  std::shared_ptr<const Opened>& known = opened_[{rank, entry.memory.number}];
  if (!known || known->address() == 0 || known->from().device != from.device) known = device::open(entry.memory, from);
  return reinterpret_cast<const char*>(known->address()) + entry.offset;
}

void Boards::close_unnamed() {
  for (auto it = opened_.begin(); it != opened_.end();) {
    const auto& entries = board(it->first.first).entries;
    const bool named = std::any_of(entries.begin(), entries.end(),
                                   [&](const Entry& each) { return each.memory.number == it->first.second; });
    it = named ? std::next(it) : opened_.erase(it);
  }
}

}  // namespace tridap::device
