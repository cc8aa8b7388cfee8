#pragma once

#include <tridap/device_stream.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/redistribute/plan.hpp>

#include <complex>
#include <optional>

namespace tridap::redistribute {

/// How elements are transferred between two processes.
enum class Path {
  automatic,  ///< through shared memory if both are on one node, else as MPI messages
  staged,  ///< on one node through a small ring in shared memory, even if the source or the target is in shared memory
  messages,       ///< always as MPI messages, as if every process were on a node of its own
  derived_types,  ///< on one node as messages of MPI's derived types, as if the processes shared no memory
};

struct Options {
  Mapping mapping;
  Path path = Path::automatic;
  bool convert = false;            ///< allow different element types, as float to double
  Order order = Order::row_major;  ///< memory order of the targets that the plan allocates
  /// On which sources and targets in the memory of a device were last written: a move waits for it. It may differ
  /// between processes.
  DeviceStream stream = {};
  /// Whether MPI sends and receives the memory of devices (is *CUDA-aware*). Then messages, which go between nodes,
  /// have their slots there. Nothing: MPI is asked, which says how it was built. `true` with an MPI that cannot is a
  /// crash. It may differ between processes.
  std::optional<bool> mpi_reads_devices = {};
};

/// `target = alpha * source + beta * target`, as in ScaLAPACK's pdtran and in COSTA.
struct Scaling {
  std::complex<double> alpha = 1, beta = 0;

  bool moves_only() const { return alpha == 1.0 && beta == 0.0; }
};

/// One array to move: this process's part of the source and of the target. If it has no part on a side, DistArray{}.
struct Move {
  DistArray source, target;
};

}  // namespace tridap::redistribute
