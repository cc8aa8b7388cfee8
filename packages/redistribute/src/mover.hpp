#pragma once

#include "agreement.hpp"
#include "carrier.hpp"
#include "checked_arrays.hpp"
#include <tridap/internal/device_moves.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// Moves arrays by one plan: what a Redistribution keeps from one move to the next.
///
/// A move has four steps. Each process checks its arrays. One reduction finds whether all may move, and how (Agreement,
/// Agreed). A Schedule says what this process exchanges, and is kept for arrays of the same layout in memory. Then a
/// Carrier carries the elements.
class Mover {
 public:
  Mover(Plan plan, const Options& options, std::shared_ptr<NodeContext> context, const mpi::Channel& channel);
  Mover(const Mover&) = delete;
  ~Mover();

  const Plan& plan() const { return plan_; }
  const Options& options() const { return options_; }
  MPI_Comm comm() const { return comm_; }
  const NodeContext& context() const { return *context_; }
  /// The length of a target's element in the last move. The same on every process.
  Index target_bytes() const { return target_bytes_ > 0 ? target_bytes_ : plan_.element_bytes(); }

  /// Makes what a move of these arrays needs, if they have the plan's element type, are in row-major order in the
  /// memory of the host, and are not shared with other processes. Every process calls it, or none does: then such a
  /// move, if it is the first one, needs no agreement on lists. Local.
  void expect(const DistArray& source, const DistArray& target);
  /// Starts a move. The arrays must not be destroyed before it ends. **Collective.**
  void start(const DistArray& source, const DistArray& target, const Scaling& scaling);
  void start(const std::vector<Move>& moves, const Scaling& scaling);
  /// Starts a move into `target`, which it makes. **Collective.**
  void start_and_make(const DistArray& source, DistArray& target, const Scaling& scaling);
  /// The same, and keeps the arrays until the move ends.
  void start_and_keep(std::vector<Move> moves, const Scaling& scaling);
  /// Makes the call of the other processes throw what `why` holds, on every process. **Collective.**
  [[noreturn]] void object(mpi::Faults why) { object(*context_, channel_, std::move(why)); }
  /// The same for a process that could not make its Mover.
  [[noreturn]] static void object(NodeContext& context, const mpi::Channel& channel, mpi::Faults why);
  bool in_progress() const { return in_progress_; }
  /// How the last move has treated arrays on devices, in a sentence; empty: all were in the memory of the host.
  std::string device_way() const;
  bool test();
  void finish();
  /// The same before another plan's move begins: what has failed is kept for throw_what_failed().
  void finish_for_another();
  void throw_what_failed();

 private:
  /// Ends the move that is in progress on the communicator, of whichever plan.
  static void finish_other(NodeContext& context);
  template <class Give>
  Agreement agree(std::size_t moves, bool makes_target, const Scaling& scaling, Give&& give);
  void start(const Agreement& agreement, const Scaling& scaling);
  void start_carrier(const Agreed& agreed, const Agreement& agreement, const ElementStep& step);
  std::optional<Standing> standing();
  bool is_on_device(const Agreement& agreement) const;
  bool pulls(const Agreement& agreement);
  void propose_source(Agreement& agreement, const Buffer& source) const;
  void allocate_beside(const Buffer& source, Buffer& target, const Agreement& agreement);
  template <class Step>
  auto or_give_up(Step step);
  bool is_made_type(const Buffer& source) const;
  void start_into_ordinary(const DistArray& source, DistArray& target, const Scaling& scaling);
  void start_into_shared(const DistArray& source, DistArray& target, const Scaling& scaling);
  bool all_open(mpi::NewAllocation& made);
  void start_into_new(const DistArray& source, DistArray& target, const Scaling& scaling);
  bool shares_memory() const { return options_.path == Path::automatic || options_.path == Path::staged; }
  void check_before_making(const DistArray& source, const Scaling& scaling) const;
  void outline(DistArray& target, const ElementType& type) const;
  std::vector<Index> bytes_of_node();
  void allocate_target(Buffer& buffer);
  Report check();
  void propose(Agreement& agreement);
  Index shared_number(const DistArray& array, const KnownArray* known) const;
  const mpi::SharedAllocation* shared_memory(const Agreed& agreed, const Agreement& agreement) const;
  Schedule* schedule_for(const MovedArray& array, const Agreed& agreed) const;
  ElementStep step_of(const Agreement& agreement, const Scaling& scaling) const;
  bool lacks_schedule() const;
  const Memory* device_of_arrays() const;
  bool mpi_reads_devices() const;
  void prepare(const Agreed& agreed, const Agreement& agreement);

  Plan plan_;
  const PlanData& parts_;
  MPI_Comm comm_;
  Options options_;
  std::shared_ptr<NodeContext> context_;
  mpi::Channel channel_;
  Carrier carrier_;
  std::vector<Way> ways_;     // by rank, that of a Stream to it
  bool agrees_on_schedules_;  // with lists they are as large as the data; else they may have types of MPI
  DeviceMove on_device_;      // of the move that is in progress, if it has arrays on devices
  std::vector<std::unique_ptr<Schedule>> schedules_;
  std::vector<Agreed> agreed_;  // for all moves so far, if it agrees on schedules
  KnownArrays sources_, targets_;
  std::vector<MovedArray> given_;
  std::vector<Move> kept_;
  Index target_bytes_ = 0;                // 0: no move had a target
  std::optional<ElementType> made_type_;  // of the last target that the plan made; the same on every process
  Index made_number_ = -1;                // of its memory, as SharedAllocation counts; -1: other memory
  std::vector<Index> node_elements_;      // of the targets on our node, by rank; made by the first call that needs it
  Index most_elements_ = 0;               // of a target on any process
  bool in_progress_ = false;

  std::unique_ptr<DeviceMoves> devices_;  // null: no array was on a device yet, or the program has no TriDAP::device
  enum class DeviceWay { host, pull, slots };
  DeviceWay way_ = DeviceWay::host;  // of the move that is in progress
  std::exception_ptr failed_before_wait_;
};

// Whether, and how, all processes move what `give()` adds to given_, and returns true; false: it has checked and
// proposed all itself. Throws the same Error on every process.
template <class Give>
Agreement Mover::agree(std::size_t moves, bool makes_target, const Scaling& scaling, Give&& give) {
  finish_other(*context_);
  Agreement agreement;
  mpi::Faults faults;
  given_.clear();
  agreement.propose(Agreement::moves, static_cast<Index>(moves));
  agreement.propose(Agreement::plan, channel_.tag);
  agreement.propose(Agreement::makes_target, makes_target);
  agreement.propose(Agreement::scaling, fingerprint(scaling));
  faults.attempt([&] {
    if (!give(agreement)) return;
    faults.report = check();
    if (faults.report.ok()) propose(agreement);
    if (agrees_on_schedules_) agreement.need_schedule(lacks_schedule());
  });
  agreement.object(!faults.ok());
  agreement.reduce(move_name, *channel_.owner);
  if (agreement.objected()) mpi::throw_faults(std::move(faults), comm_);
  throw_if_different(agreement);
  return agreement;
}

}  // namespace tridap::redistribute

#pragma GCC visibility pop
