#include "opened.hpp"

#include <map>
#include <mutex>
#include <random>
#include <tuple>

namespace tridap::device {

std::uint64_t process_number() {
  static const std::uint64_t number = [] {
    std::random_device random;  // process numbers of the system are not unique between containers
    return std::uint64_t{random()} << 32 | random();
  }();
  return number;
}

void Opened::close() noexcept {
  if (address_ == 0) return;
  try {
    const driver::Table& table = driver::need_table(from_);
    const driver::InContext in(table, from_.device);
    table.close_handle(address_);
  } catch (const std::exception&) {  // the driver has ended, and its memory with it
  }
  address_ = 0;
}

std::shared_ptr<const Opened> open(const Exported& memory, const Memory& from) {
  using Key = std::tuple<std::uint64_t, std::uint64_t, Index>;  // process, address, device of the kernels
  static auto& all = *new std::map<Key, std::weak_ptr<Opened>>;
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<Opened>& known = all[{memory.process, memory.address, from.device}];
  if (const std::shared_ptr<Opened> held = known.lock()) {
    if (held->number() == memory.number && held->address() != 0) return held;
    held->close();
  }
  const driver::Table& table = driver::need_table(from);
  const driver::InContext in(table, from.device);
  constexpr unsigned allow_access_to_peers = 1;
  std::uintptr_t address = 0;
  driver::need_success(table, table.open_handle(&address, memory.handle, allow_access_to_peers),
                       "opening the memory of another process");
  const auto opened = std::make_shared<Opened>(address, memory.number, from);
  known = opened;
  return opened;
}

}  // namespace tridap::device
