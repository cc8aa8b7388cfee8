#include "moves.hpp"
#include "reduction.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/device/device.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/driver.hpp>
#include <tridap/internal/typed.hpp>

#include <memory>

namespace tridap::device {

namespace {

class Engine : public redistribute::DeviceEngine {
 public:
  std::unique_ptr<redistribute::DeviceMoves> moves(const redistribute::PlanData& plan, MPI_Comm comm) const override {
    return std::make_unique<Pulls>(plan, comm);
  }
  std::unique_ptr<redistribute::DevicePieces> pieces(const std::vector<const redistribute::AxisPieces*>& axes,
                                                     const Buffer& buffer, const redistribute::DeviceStep& step,
                                                     mpi::Faults& faults) const override {
    return slot_pieces(axes, buffer, step, faults);
  }
  std::shared_ptr<void> pin(const Memory& memory, void* begin, Index bytes) const override {
    const driver::Table& table = driver::need_table(memory);
    const driver::InContext in(table, memory.device);
    if (table.register_host(begin, static_cast<std::size_t>(bytes), driver::for_all_contexts) != 0) return nullptr;
    return {begin, [&table, memory](void* held) {
              try {
                const driver::InContext context(table, memory.device);
                table.unregister_host(held);
              } catch (const std::exception&) {  // the driver has ended
              }
            }};
  }
  std::shared_ptr<void> make_target(const Memory& memory, Index bytes, bool zeros) const override {
    return device::make_target(memory, bytes, zeros);
  }
  Memory current() const override {
    for (const Memory::Kind kind : {Memory::Kind::cuda, Memory::Kind::hip})
      if (const driver::Table* const table = driver::table(kind)) {
        driver::Context context = nullptr;
        int device = 0;
        if (table->current_context(&context) == 0 && context != nullptr && table->current_device(&device) == 0)
          return {kind, device};
        int count = 0;
        if (table->count_devices(&count) != 0) continue;
        for (device = 0; device < count; ++device)
          if (driver::is_started({kind, device})) return {kind, device};
      }
    refuse("the target of this process is to be on a device, but this process uses none", "",
           "use a device first, or pass a target");
  }
  void reduce(const redistribute::DeviceReduction& reduction, std::byte* result) const override {
    device::reduce(reduction, result);
  }
};

const Engine& engine() {
  static const Engine* const made = new Engine;  // arrays may be moved until the program ends
  return *made;
}

}  // namespace

void close(MPI_Comm comm) {
  const mpi::Call call(comm, "device::close", {}, [&](mpi::Record&) {
    const std::shared_ptr<Boards> boards = Boards::made(comm);
    if (boards && boards->moving)
      refuse("a move is in progress, and reads the memory that is to be closed", "must have ended",
             "call wait() first");
  });
  call.run([&] {
    const std::shared_ptr<Boards> boards = Boards::made(call.comm());
    drop_unused_targets();
    if (boards) boards->close();
    mpi::barrier(call.comm());  // after it, all have closed
    if (boards) boards->free_dropped();
  });
}

}  // namespace tridap::device

/// A program that links this component names this symbol, so that it is loaded and registers itself.
extern "C" const int tridap_device_is_linked =
    (tridap::redistribute::register_device_engine(&tridap::device::engine()), 1);
