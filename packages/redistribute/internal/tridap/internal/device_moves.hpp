#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/internal/plan_data.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/redistribute/options.hpp>

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

/// What the component TriDAP::device adds to moves: arrays in the memory of a device. A program that links it registers
/// it; without it, an array that is not in host memory is refused.
namespace tridap::redistribute {

struct AxisPieces;
struct DeviceReduction;

/// How a process can take part in a move with its arrays. All processes move in the way of the highest number.
enum class Standing : Index {
  host,   ///< its arrays are in host memory
  known,  ///< on a device, and the other processes of the node can read its sources
  news,   ///< the same after they have opened the memory of its sources
  slots,  ///< on a device, and the others cannot read its sources
};

/// One array of a move on this process.
struct DeviceArrays {
  const DistArray *source, *target;
};

/// What is done with elements on their way.
struct DeviceStep {
  bool copies = true;    ///< otherwise they are converted and scaled
  ElementType from, to;  ///< of all processes
  Scaling scaling;

  /// The length of a unit in a slot: a byte, or an element of the source.
  Index slot_unit() const { return copies ? 1 : from.bytes; }
};

/// Memory in which elements travel, contiguous.
struct DeviceSlot {
  std::byte* data = nullptr;
  bool is_on_device = false;  ///< otherwise in the memory of the host

  DeviceSlot operator+(Index bytes) const { return {data + bytes, is_on_device}; }
};

/// The elements that this process exchanges with one other, in a buffer on a device. An error is kept among the faults,
/// so that the messages go on.
class DevicePieces {
 public:
  virtual ~DevicePieces() = default;
  /// Begins to copy units [first, first + units) of them, in the order of the stream, to a slot.
  virtual void pack(const Buffer& from, Index first, Index units, DeviceSlot slot) = 0;
  /// Begins to take them from a slot.
  virtual void unpack(const Buffer& to, Index first, Index units, DeviceSlot slot) = 0;
  /// Whether all that was begun has ended.
  virtual bool ended() = 0;
};

/// The moves of one plan. Calls that are not said to be collective are local.
class DeviceMoves {
 public:
  virtual ~DeviceMoves() = default;

  /// How this process stands. It waits for what the legacy stream has to do, so that all elements are there when the
  /// processes have agreed. Throws Error.
  virtual Standing stand(const std::vector<DeviceArrays>& arrays) = 0;
  /// Tells the other processes of the node where the sources are, and opens theirs. False, on all processes, if one of
  /// them cannot: then this and later moves take slots. **Collective.**
  virtual bool tell() = 0;
  /// Why the arrays of the last stand() need slots; empty: those of this process do not.
  virtual std::string why_slots() const = 0;
  /// Whether an earlier tell() was false. The same on all processes.
  virtual bool takes_slots() = 0;
  /// Begins to read the elements of the targets from the sources of all processes. `faults` gets what fails here.
  virtual void begin(const DeviceStep& step, mpi::Faults& faults) = 0;
  /// Whether all processes have read them.
  virtual bool test() = 0;
  /// Then: whether it has failed on any process.
  virtual bool failed() const = 0;
};
/// The component's moves, and the memory of new targets.
class DeviceEngine {
 public:
  virtual ~DeviceEngine() = default;
  /// `comm` is a duplicate of ours, which outlives the result.
  virtual std::unique_ptr<DeviceMoves> moves(const PlanData& plan, MPI_Comm comm) const = 0;
  /// Those that a buffer on a device exchanges with one process: a product of axes, outermost first. The axes, `step`
  /// and `faults` must outlive the result. Throws Error.
  virtual std::unique_ptr<DevicePieces> pieces(const std::vector<const AxisPieces*>& axes, const Buffer& buffer,
                                               const DeviceStep& step, mpi::Faults& faults) const = 0;
  /// Pins memory of the host until the result is released, so that it is copied to and from devices at full speed;
  /// null: it cannot be pinned.
  virtual std::shared_ptr<void> pin(const Memory& memory, void* begin, Index bytes) const = 0;
  /// Memory of a new target. Its release is local. Throws Error.
  virtual std::shared_ptr<void> make_target(const Memory& memory, Index bytes, bool zeros) const = 0;
  /// The device that this process uses now, for an array of which it has no other part. Throws Error if it uses none.
  virtual Memory current() const = 0;
  /// The result has the type DeviceReduction::to. It depends on the values, and on the shapes and the orders of the
  /// axes in memory alone. Local; returns when `result` is written. Throws Error.
  virtual void reduce(const DeviceReduction& reduction, std::byte* result) const = 0;
};

/// The registered one; null: the program has not linked TriDAP::device.
const DeviceEngine* device_engine();
void register_device_engine(const DeviceEngine* engine);

}  // namespace tridap::redistribute
