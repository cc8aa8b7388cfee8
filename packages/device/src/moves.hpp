#pragma once

#include "board.hpp"
#include "module.hpp"
#include "tables.hpp"
#include <tridap/internal/device_moves.hpp>
#include <tridap/internal/plan_data.hpp>

#include <mpi.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::device {

/// Moves in which each process reads the elements of its targets from the memory of their owners, with one kernel for
/// each array.
class Pulls : public redistribute::DeviceMoves {
 public:
  Pulls(const redistribute::PlanData& plan, MPI_Comm comm) : plan_(plan), comm_(comm) {}

  redistribute::Standing stand(const std::vector<redistribute::DeviceArrays>& arrays) override;
  bool tell() override;
  std::string why_slots() const override { return why_slots_; }
  bool takes_slots() override { return no_boards_ || (find_boards() && boards_->takes_slots); }
  void begin(const redistribute::DeviceStep& step, mpi::Faults& faults) override;
  bool test() override;
  bool failed() const override { return failed_; }

 private:
  /// The peers' arrays, by number.
  struct Sources {
    std::vector<const char*> data;           ///< in this process; null: no such peer
    std::vector<std::vector<Long>> strides;  ///< by axis of the plan
  };
  /// What a kernel needs for a target and sources of one layout.
  struct Layout {
    IndexList here;
    std::vector<std::vector<Long>> there;
    Index device = 0;
    Index most = 0;  // the bytes of its longest possible word; 0: for a kernel that computes
    Upload upload;
    PullTask task{};
    Long count = 0;  // words
    std::string kernel;
  };
  /// The same for sources in these places.
  struct Prepared {
    std::shared_ptr<const Layout> layout;
    std::vector<const char*> data;
    Upload upload;
    std::uint64_t used = 0;  // the move that has used it last
  };

  bool all_are_near() const;
  bool find_boards();
  void open_all();
  const DistArray* elements_at(redistribute::End end, const redistribute::DeviceArrays& arrays) const;
  bool add_entry(const Buffer& source);
  redistribute::Standing slots_because(const char* why);
  Sources sources_of(std::size_t array);
  const Prepared& prepared(const Buffer& target, Sources sources, Index most);
  std::shared_ptr<const Layout> laid_out(const Buffer& target, std::vector<std::vector<Long>> there, Index most) const;
  HostTables tables_for(const Buffer& target, const std::vector<std::size_t>& order) const;
  static void choose_tiles(Layout& made, const HostTables& tables, const std::vector<Long>& there, Index word);
  void launch_all();
  bool launched_all_ended();
  void say(bool failed);

  const redistribute::PlanData& plan_;
  MPI_Comm comm_;
  std::shared_ptr<Boards> boards_;
  std::vector<redistribute::DeviceArrays> arrays_;
  std::vector<Entry> entries_;  // of the sources
  Memory memory_;               // of the arrays
  std::string why_slots_;
  std::array<std::unique_ptr<Prepared>, Board::most + 1> prepared_;
  std::shared_ptr<void> launched_;  // an event behind the last kernel of the move; null: it has launched none
  bool no_boards_ = false, said_ = false, failed_ = false;
  mpi::Faults* faults_ = nullptr;  // of the move
  redistribute::DeviceStep step_;
};

/// See DeviceEngine::pieces().
std::unique_ptr<redistribute::DevicePieces> slot_pieces(const std::vector<const redistribute::AxisPieces*>& axes,
                                                        const Buffer& buffer, const redistribute::DeviceStep& step,
                                                        mpi::Faults& faults);

}  // namespace tridap::device

#pragma GCC visibility pop
