#include "target_memory.hpp"

#include "scratch.hpp"
#include <tridap/report.hpp>

#include <algorithm>
#include <map>
#include <mutex>

namespace tridap::device {

namespace {

constexpr std::size_t most_unused = 4;  // that are kept for new targets

struct Kept {
  std::function<bool()> are_closed;
  std::vector<std::shared_ptr<TargetMemory>> memory;
};

struct Pool {
  Pool() { unused.reserve(most_unused + 1); }

  std::mutex mutex;
  std::map<std::uintptr_t, std::weak_ptr<TargetMemory>> all;
  std::vector<std::shared_ptr<TargetMemory>> unused;  // the one that was released last is the last
  std::vector<Kept> kept;

  static Pool& of_process() {
    static Pool& made = *new Pool;  // arrays may be released while the program ends
    return made;
  }
};

// Allocates nothing.
void release(std::shared_ptr<TargetMemory> memory) {
  Pool& pool = Pool::of_process();
  std::shared_ptr<TargetMemory> last;  // is freed when the mutex is
  const std::lock_guard<std::mutex> lock(pool.mutex);
  pool.unused.push_back(std::move(memory));
  if (pool.unused.size() <= most_unused) return;
  last = std::move(pool.unused.front());
  last->want(false);
  pool.unused.erase(pool.unused.begin());
}

std::shared_ptr<void> hand_out(std::shared_ptr<TargetMemory> memory) {
  void* const address = memory->address();
  return {address, [memory = std::move(memory)](void*) mutable { release(std::move(memory)); }};
}

// What was released and has this length; null: nothing.
std::shared_ptr<TargetMemory> take_unused(const Memory& memory, Index bytes) {
  Pool& pool = Pool::of_process();
  const std::lock_guard<std::mutex> lock(pool.mutex);
  const auto fits = [&](const std::shared_ptr<TargetMemory>& each) {
    return each->bytes() == bytes && each->memory().kind == memory.kind && each->memory().device == memory.device;
  };
  const auto found = std::find_if(pool.unused.begin(), pool.unused.end(), fits);
  if (found == pool.unused.end()) return nullptr;
  std::shared_ptr<TargetMemory> taken = std::move(*found);
  pool.unused.erase(found);
  return taken;
}

// Its last user may have let it go while work of a stream still reads it: as freeing would, this waits for all work.
void reuse(const TargetMemory& memory, bool zeros) {
  const driver::Table& table = driver::need_table(memory.memory());
  const driver::InContext in(table, memory.memory().device);
  driver::need_success(table, table.synchronize_context(), "waiting for a device");
  if (zeros)
    driver::need_success(table,
                         table.set_bytes(reinterpret_cast<std::uintptr_t>(memory.address()), 0,
                                         static_cast<std::size_t>(memory.bytes()), nullptr),
                         "clearing memory");
}

void drop_what_is_closed() {
  Pool& pool = Pool::of_process();
  std::vector<Kept> closed;
  const std::lock_guard<std::mutex> lock(pool.mutex);
  const auto open =
      std::partition(pool.kept.begin(), pool.kept.end(), [](const Kept& kept) { return !kept.are_closed(); });
  std::move(open, pool.kept.end(), std::back_inserter(closed));
  pool.kept.erase(open, pool.kept.end());
}

std::shared_ptr<void> allocate(const Memory& memory, Index bytes, bool zeros) {
  try {
    return driver::allocate(memory, bytes, zeros);
  } catch (const Error&) {
    drop_unused_targets();
    return driver::allocate(memory, bytes, zeros);
  }
}

}  // namespace

std::shared_ptr<void> make_target(const Memory& memory, Index bytes, bool zeros) {
  drop_what_is_closed();
  if (std::shared_ptr<TargetMemory> taken = take_unused(memory, bytes)) {
    std::shared_ptr<void> handed = hand_out(taken);
    reuse(*taken, zeros);
    return handed;
  }
  const auto made = std::make_shared<TargetMemory>(memory, bytes, allocate(memory, bytes, zeros));
  Pool& pool = Pool::of_process();
  {
    const std::lock_guard<std::mutex> lock(pool.mutex);
    for (auto it = pool.all.begin(); it != pool.all.end();)
      it = it->second.expired() ? pool.all.erase(it) : std::next(it);
    pool.all[reinterpret_cast<std::uintptr_t>(made->address())] = made;
  }
  return hand_out(made);
}

std::shared_ptr<TargetMemory> target_memory_at(std::uintptr_t address) {
  Pool& pool = Pool::of_process();
  const std::lock_guard<std::mutex> lock(pool.mutex);
  const auto found = pool.all.find(address);
  return found == pool.all.end() ? nullptr : found->second.lock();
}

void drop_unused_targets() {
  Scratch::free_kept();
  Pool& pool = Pool::of_process();
  std::vector<std::shared_ptr<TargetMemory>> last;  // is freed when the mutex is
  last.reserve(most_unused + 1);
  const std::lock_guard<std::mutex> lock(pool.mutex);
  last.swap(pool.unused);
  for (const auto& memory : last) memory->want(false);
}

void keep_until(std::function<bool()> are_closed, std::vector<std::shared_ptr<TargetMemory>> memory) {
  if (memory.empty()) return;
  Pool& pool = Pool::of_process();
  const std::lock_guard<std::mutex> lock(pool.mutex);
  pool.kept.push_back({std::move(are_closed), std::move(memory)});
}

}  // namespace tridap::device
