#include <tridap/internal/device_moves.hpp>

#include <atomic>

namespace tridap::redistribute {

namespace {

std::atomic<const DeviceEngine*> registered{nullptr};  // constant-initialised: components register at load

}  // namespace

const DeviceEngine* device_engine() { return registered.load(); }

void register_device_engine(const DeviceEngine* engine) { registered.store(engine); }

}  // namespace tridap::redistribute
