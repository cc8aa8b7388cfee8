#pragma once

#include "memory.hpp"
#include "pieces.hpp"
#include "transfer.hpp"
#include <tridap/internal/list_slabs.hpp>

#include <optional>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::hdf5 {

/// What this process transfers of one array, piece by piece. A long list may have a slab for each of its elements: of
/// such an axis, only the slabs of a few pieces are made at a time.
class Work {
 public:
  /// How MPI reads and writes the bytes that HDF5 has selected.
  enum class Mode {
    exchange,     // processes exchange what they have, so that few of them transfer large parts of the file
    alone,        // each process transfers its own bytes, in a collective call
    independent,  // in a call of its own
  };

  Work(const Task& task, Direction direction, Index rank);

  Index pieces() const;              ///< how many there are
  Index staging_bytes() const;       ///< of the largest one, if they pass through memory of ours; else 0
  const Piece& piece(Index number);  ///< valid until the next call, of a number that is as high or higher

  const std::optional<MemoryForm>& form() const { return form_; }  ///< nullopt: through the staging memory
  Index rounds = 0;                                                ///< of all processes
  Mode mode = Mode::exchange;                                      ///< the same on all processes

 private:
  // Consecutive elements of the long list.
  struct Window {
    std::size_t begin = 0, end = 0;
    Index pieces = 0;
  };
  void add_axes(const Task& task, Direction direction, Index rank);
  void find_windows();
  bool is_in_order() const;
  void make_slabs(const Window& window);

  std::vector<std::vector<AxisSlab>> axes_;  // of the long list, those of a window
  std::optional<std::size_t> long_;          // the axis of the long list
  std::vector<ListedPosition> elements_;     // of the long list
  std::vector<Window> windows_;
  std::optional<MemoryForm> form_;
  Limits limits_;
  std::vector<Index> shape_;
  Index element_bytes_, most_ = 0;  // elements of a piece
  std::vector<Piece> pieces_;       // of the open window
  std::size_t open_ = 0;
  Index before_ = 0;  // pieces of the windows before it
};

}  // namespace tridap::hdf5

#pragma GCC visibility pop
