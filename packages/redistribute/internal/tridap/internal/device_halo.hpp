#pragma once

#include <tridap/internal/axis_pieces.hpp>
#include <tridap/internal/device_moves.hpp>
#include <tridap/internal/duplicates.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <vector>

namespace tridap::redistribute {

/// What fails on devices in the updates of a halo, whose messages go on meanwhile.
struct DeviceFaults {
  DeviceFaults(bool is_on_devices, MPI_Comm of) : on_devices(is_on_devices), comm(of) {}

  /// After an update: throws the same Error on every process if one has failed on any. **Collective** if a buffer of
  /// any process is on a device; otherwise it does nothing.
  void agree() const;

  /// Lets an update wait for the stream on which the caller's buffer was last used.
  void wait_for(const Memory& memory, DeviceStream stream) const;

  /// For a destructor: ends an update that is in progress by `wait`, and agrees as others do in their wait().
  template <class Wait>
  void end(bool in_progress, Wait&& wait) noexcept {
    if (!on_devices || !in_progress || mpi::mpi_is_over()) return;
    try {
      wait();
      agree();
    } catch (const std::exception&) {  // a destructor cannot report an error
    }
  }

  bool on_devices;  ///< the same on every process
  MPI_Comm comm;
  std::shared_ptr<mpi::Faults> here = std::make_shared<mpi::Faults>();
};

/// Elements of a halo in a buffer on a device: products of axes, one after the other. See HaloExchange.
class DeviceHalo {
 public:
  /// Each product has its axes outermost first. `faults` gets what fails, and is shared by all of an update. Throws
  /// Error if the program has no TriDAP::device.
  DeviceHalo(const Buffer& buffer, std::vector<std::vector<AxisPieces>> products, std::shared_ptr<mpi::Faults> faults);

  Index bytes() const { return bytes_; }
  void pack(std::byte* to);
  void unpack(const std::byte* from);
  void add(const std::byte* from);

 private:
  struct Product {
    std::vector<AxisPieces> axes;
    Index elements = 1;
    std::unique_ptr<DevicePieces> pieces;
  };
  void bring(const std::byte* from, bool adds);
  void wait_for_legacy_stream();
  void wait();

  std::unique_ptr<Buffer> buffer_;
  std::unique_ptr<DeviceStep> step_;
  std::shared_ptr<mpi::Faults> faults_;
  std::vector<Product> products_;
  Index bytes_ = 0;
};

}  // namespace tridap::redistribute
