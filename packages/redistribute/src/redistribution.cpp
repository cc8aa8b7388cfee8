#include "access.hpp"
#include "agreement.hpp"
#include "checked_arrays.hpp"
#include "mover.hpp"
#include "plan_inquiry.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/object_to_move.hpp>
#include <tridap/internal/plan_data.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/internal/shown_call.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/allocate_shared.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <string>
#include <utility>

namespace tridap::redistribute {

// A plan; or what it is made of, once all processes have asked for what they need of lists in a directory; or why this
// process has none.
struct Redistribution::PlanOrFaults {
  explicit PlanOrFaults(Plan made) : plan(std::move(made)) {}
  template <class Make, class = std::enable_if_t<std::is_invocable_v<const Make&>>>
  explicit PlanOrFaults(const Make& make) {
    faults.attempt([&] { *this = PlanOrFaults(make()); });
  }
  PlanOrFaults(Sides of, Index bytes, const Mapping& mapping, MPI_Comm comm) : element_bytes(bytes) {
    if (of.has_directory())
      sides = std::move(of);
    else
      faults.attempt([&] { plan.emplace(of.source, of.target, bytes, mpi::rank_of(comm), mapping); });
  }

  Index fingerprint(const Options& options) const {
    return plan ? redistribute::fingerprint(*plan, options)
                : redistribute::fingerprint(sides->source, sides->target, element_bytes, options);
  }

  std::optional<Plan> plan;
  std::optional<Sides> sides;
  Index element_bytes = 0;
  mpi::Faults faults;
};

Redistribution::Redistribution(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes,
                               MPI_Comm comm, const Options& options)
    : Redistribution(PlanOrFaults({source, target}, element_bytes, options.mapping, mpi::ours(comm)), comm, options) {}

Redistribution Access::redistribution(const Plan& plan, MPI_Comm comm, const Options& options) {
  return Redistribution(Redistribution::PlanOrFaults([&] { return plan; }), comm, options);
}

Redistribution::Redistribution(PlanOrFaults made, MPI_Comm comm, const Options& options) {
  const mpi::Region region("tridap::redistribute::Redistribution");
  constexpr const char* name = "Redistribution";
  const std::shared_ptr<mpi::Duplicates> duplicates = mpi::made_duplicates_of(comm);
  comm = duplicates->ours();
  std::optional<mpi::Call> first;
  if (!NodeContext::is_made(*duplicates)) first.emplace(comm, name);  // because of() communicates
  const std::shared_ptr<NodeContext> context = NodeContext::of(comm);
  const mpi::Channel channel = mpi::channel_of(comm);
  const auto make_mover = [&] {
    check_ranks(*made.plan, context->processes());
    mover_ = std::make_unique<Mover>(*made.plan, options, context, channel);
  };
  const mpi::Call call(comm, name, {}, [&](mpi::Record& record) {
    record.faults = std::move(made.faults);
    if (made.plan) make_mover();
    if (made.sides) check_ranks(made.sides->source, made.sides->target, context->processes());
    if (made.plan || made.sides) record.add(made.fingerprint(options));
  });
  throw_if_plans_differ(call, 0);
  if (!made.sides) return;
  call.run([&] {
    PlanInquiry inquiry(*made.sides, made.element_bytes, options.mapping, comm);
    mpi::collectively(comm, [&] {
      made.plan = std::move(inquiry).plan();
      make_mover();
    });
  });
}

Redistribution::Redistribution(Redistribution&&) noexcept = default;
Redistribution& Redistribution::operator=(Redistribution&&) noexcept = default;
Redistribution::~Redistribution() = default;

const Plan& Redistribution::plan() const { return mover_->plan(); }

std::string Redistribution::explain() const {
  std::string text = mover_->plan().explain() + mover_->device_way();
  if (mover_->context().has_rings()) return text;
  try {
    std::rethrow_exception(mover_->context().why_no_rings());
  } catch (const std::exception& why) {
    text += std::string("All transfers are messages, because there is no shared memory: ") + why.what() + "\n";
  }
  return text;
}

namespace {

// Runs a move, or its beginning.
template <class Step>
void move(const Mover& mover, Step&& step) {
  const mpi::ShownCall shown(move_name);
  mpi::or_end_job(mpi::said_name(move_name), mover.comm(), std::forward<Step>(step));
}

}  // namespace

void Redistribution::operator()(const DistArray& source, const DistArray& target, const Scaling& scaling) {
  const mpi::Region region("tridap::redistribute::Redistribution::operator()");
  move(*mover_, [&] {
    mover_->start(source, target, scaling);
    mover_->finish();
  });
}

void Redistribution::operator()(const std::vector<Move>& moves, const Scaling& scaling) {
  const mpi::Region region("tridap::redistribute::Redistribution::operator()");
  move(*mover_, [&] {
    mover_->start(moves, scaling);
    mover_->finish();
  });
}

DistArray Redistribution::operator()(const DistArray& source, const Scaling& scaling) {
  const mpi::Region region("tridap::redistribute::Redistribution::operator()");
  DistArray target;
  move(*mover_, [&] {
    mover_->start_and_make(source, target, scaling);
    mover_->finish();
  });
  return target;
}

void Redistribution::object(mpi::Faults why) { mover_->object(std::move(why)); }

void object_to_move(MPI_Comm comm, mpi::Faults why) {
  mpi::Channel channel;  // without tags, because only a reduction is made
  channel.owner = mpi::made_duplicates_of(comm);
  channel.comm = channel.owner->ours();
  Mover::object(*NodeContext::of(channel.comm), channel, std::move(why));
}

void Redistribution::start(std::vector<Move> moves, const Scaling& scaling) {
  const mpi::Region region("tridap::redistribute::Redistribution::start");
  move(*mover_, [&] { mover_->start_and_keep(std::move(moves), scaling); });
  awaited_ = true;
}

bool Redistribution::test() {
  if (!awaited_) refuse("no move is in progress", "must have been started", "call start() first");
  return mover_->test();
}

void Redistribution::wait() {
  const mpi::Region region("tridap::redistribute::Redistribution::wait");
  if (!awaited_) refuse("no move is in progress", "must have been started", "call start() first");
  const mpi::ShownCall shown("Redistribution::wait");
  awaited_ = false;
  if (mover_->in_progress()) return mover_->finish();
  mover_->throw_what_failed();  // another move has ended this one
}

Redistribution Redistribution::reversed() const {
  const Plan& there = mover_->plan();
  Options options;
  PlanOrFaults back([&]() -> PlanOrFaults {
    options = mover_->options();
    for (std::size_t i = 0; i < options.mapping.axes.size(); ++i)
      options.mapping.axes[static_cast<std::size_t>(there.mapping().axes[i])] = static_cast<Index>(i);
    const Index bytes = mover_->target_bytes();
    if (PlanData::of(there).listed) return PlanOrFaults(PlanData::plan(reversed_ids(PlanData::of(there), bytes)));
    return PlanOrFaults({there.target(), there.source()}, bytes, options.mapping, mover_->comm());
  });
  return Redistribution(std::move(back), mover_->comm(), options);
}

}  // namespace tridap::redistribute
