#include "mover.hpp"

#include "arrays.hpp"
#include "at.hpp"
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tridap::redistribute {

namespace {

constexpr std::size_t most_schedules = 64;  // that are kept

// All arrays of one call are moved in one manner, which follows from the types of the first.
void check_type(const char* side, const Buffer& first, const Buffer& other, Report& report) {
  if (other.type == first.type || element_count(other) == 0) return;
  report.add({Rule::conversion,
              {},
              {},
              "",
              std::string("the ") + side + "s of one call have element types " + first.type.name() + " and " +
                  other.type.name(),
              "must have one type",
              "move arrays of each type in a separate call"});
}

}  // namespace

Mover::Mover(Plan plan, MPI_Comm comm, const Options& options, std::shared_ptr<NodeContext> context,
             const Channel& channel)
    : plan_(std::move(plan)),
      parts_(data_of(plan_)),
      comm_(comm),
      options_(options),
      context_(std::move(context)),
      channel_(channel),
      transfer_(context_, channel) {
  if (!context_->has_stage()) options_.path = Path::messages;
  for (Index rank = 0; rank < context_->processes(); ++rank)
    on_node_.push_back(options_.path != Path::messages && context_->here(rank));
}

Mover::~Mover() {
  if (!in_progress_ || mpi_is_over()) return;
  try {
    finish();
  } catch (const std::exception&) {  // a destructor has nobody to tell
  }
}

// If MPI fails in a step, the move is given up: no process waits for it again.
template <class Step>
auto Mover::or_give_up(Step step) {
  try {
    return step();
  } catch (...) {
    in_progress_ = false;
    context_->active = nullptr;
    throw;
  }
}

bool Mover::test() {
  return !in_progress_ || or_give_up([this] { return transfer_.test(); });
}

void Mover::finish() {
  or_give_up([this] { transfer_.finish(); });
  in_progress_ = false;
  context_->active = nullptr;
  kept_.clear();
}

void Mover::finish_other() {
  if (context_->active != nullptr) context_->active->finish();
}

void Mover::start(const DistArray& source, const DistArray& target, const Scaling& scaling) {
  start(scaling, [&] { given_.push_back({&source, &target}); });
}

void Mover::start(const std::vector<Move>& moves, const Scaling& scaling) {
  start(scaling, [&] {
    for (const Move& move : moves) given_.push_back({&move.source, &move.target});
  });
}

void Mover::start_and_keep(std::vector<Move> moves, const Scaling& scaling) {
  start(moves, scaling);
  kept_ = std::move(moves);
}

template <class Give>
void Mover::start(const Scaling& scaling, Give&& give) {
  finish_other();
  Agreement agreement;
  mpi::Faults faults;
  given_.clear();
  faults.attempt([&] {
    give();
    faults.report = check();
    if (faults.report.ok()) propose(agreement, scaling);
    agreement.need_schedule(given_.size() > arrays_.capacity() || lacks_schedule());
  });
  agreement.object(!faults.ok());
  agreement.reduce(channel_.comm);
  if (agreement.objected()) mpi::throw_faults(std::move(faults), comm_);
  throw_if_different(agreement);
  const Way way = way_of(agreement);
  const Manner manner = manner_of(agreement, way, scaling);
  if (manner.step.source_bytes == 0) given_.clear();  // no process has elements
  if (agreement.value(Agreement::target_type)) target_bytes_ = way.target_bytes;
  prepare(way, manner, agreement);
  ready(way, manner, shared_memory(way, agreement));
  in_progress_ = true;
  context_->active = this;
  or_give_up([this] { transfer_.begin(); });
}

Report Mover::check() {
  Report report;
  for (const Given& move : given_) {
    const DistArray &source = *move.source, &target = *move.target;
    const bool out = parts_.out.process.has_value(), in = parts_.in.process.has_value();
    if (out) check_type("source", given_[0].source->buffer, source.buffer, report);
    if (in) check_type("target", given_[0].target->buffer, target.buffer, report);
    if (!report.ok()) break;
    const KnownArray* const from = out ? sources_.find(source) : nullptr;
    const KnownArray* const to = in ? targets_.find(target) : nullptr;
    const bool known = (!out || from != nullptr) && (!in || to != nullptr);
    if (known && !(out && in && from->meets(source, *to, target))) continue;
    report = check_move(parts_, source, target, options_.convert);
    if (!report.ok()) break;
    if (out && from == nullptr) sources_.add(source);
    if (in && to == nullptr) targets_.add(target);
  }
  return report;
}

void Mover::propose(Agreement& agreement, const Scaling& scaling) const {
  agreement.propose(Agreement::moves, static_cast<Index>(given_.size()));
  agreement.propose(Agreement::plan, channel_.tag);
  agreement.propose(Agreement::scaling, number_of(scaling));
  if (given_.empty()) return;
  const DistArray &source = *given_[0].source, &target = *given_[0].target;
  if (parts_.out.process && element_count(source.buffer) > 0) {
    agreement.propose(Agreement::source_type, type_number(source.buffer.type));
    agreement.propose(Agreement::shared_source, shared_number(source, sources_.find(source)));
  }
  if (parts_.in.process && element_count(target.buffer) > 0) {
    const KnownArray* const known = targets_.find(target);
    agreement.propose(Agreement::target_type, type_number(target.buffer.type));
    agreement.propose(Agreement::shared_target, shared_number(target, known));
    if (known != nullptr && known->stream_order()) agreement.propose(Agreement::stream_order, *known->stream_order());
  }
}

// If others may access an array directly, because it is all of our part of a shared allocation: the number of that, and
// the array's memory order. Otherwise -1.
Index Mover::shared_number(const DistArray& array, const KnownArray* known) const {
  const bool may = given_.size() == 1 && options_.path == Path::automatic && !options_.mapping.ravel;
  if (!may || known == nullptr || known->dense_order() < 0) return -1;
  const mpi::SharedAllocation* const shared = mpi::find_shared(array.buffer.data, comm_);
  if (shared == nullptr || shared->base(context_->rank()) != array.buffer.data) return -1;
  return shared->number() * 2 + known->dense_order();
}

// By its number, since this process may hold none of its elements.
const mpi::SharedAllocation* Mover::shared_memory(const Way& way, const Agreement& agreement) const {
  if (way.direct == Way::Direct::none) return nullptr;
  const bool pull = way.direct == Way::Direct::pull;
  const auto number = agreement.value(pull ? Agreement::shared_source : Agreement::shared_target);
  return mpi::find_shared_by_number(*number / 2, comm_);
}

Schedule* Mover::schedule_for(const Given& move, const Way& way) const {
  for (const auto& made : schedules_)
    if (made->suits(move.source->buffer, move.target->buffer, way)) return made.get();
  return nullptr;
}

bool Mover::lacks_schedule() const {
  for (const Given& move : given_)
    for (const Way& way : ways_)
      if (schedule_for(move, way) == nullptr) return true;
  return false;
}

// What is done with elements in this move. Throws the same Error on every process.
Manner Mover::manner_of(const Agreement& agreement, const Way& way, const Scaling& scaling) const {
  Manner manner;
  manner.direct = way.direct;
  manner.shared_memory = options_.path != Path::messages;
  manner.step.scaling = scaling;
  const auto from = agreement.value(Agreement::source_type), to = agreement.value(Agreement::target_type);
  if (!from || !to) return manner;  // no process has elements
  const ElementType source_type = type_of_number(*from), target_type = type_of_number(*to);
  if (source_type == target_type && *from != *to)
    refuse("the source's and the target's elements are described differently, though both are " + source_type.name(),
           "must be the same type", "use a target with the source's element type");
  manner.step.combine = combiner(source_type, target_type, options_.convert, scaling);
  manner.step.source_bytes = source_type.bytes;
  manner.step.target_bytes = target_type.bytes;
  return manner;
}

// Makes the schedules that are missing, for all ways of moves so far, and all else that a move needs memory for. Memory
// may end in it: all processes know whether one of them makes any.
void Mover::prepare(const Way& way, const Manner& manner, const Agreement& agreement) {
  const bool new_way = std::find(ways_.begin(), ways_.end(), way) == ways_.end();
  if (!new_way && !agreement.schedule_needed()) return;
  mpi::collectively(comm_, [&] {
    if (new_way) ways_.reserve(ways_.size() + 1);
    if (schedules_.size() > most_schedules) schedules_.clear();
    const auto make = [&](const Given& move, const Way& how) {
      if (schedule_for(move, how) == nullptr)
        schedules_.push_back(
            std::make_unique<Schedule>(parts_, move.source->buffer, move.target->buffer, how, on_node_));
    };
    for (const Given& move : given_) {
      for (const Way& how : ways_) make(move, how);
      make(move, way);
    }
    arrays_.reserve(given_.size());
    ready(way, manner, nullptr);
  });
  if (new_way) ways_.push_back(way);
}

// Allocates nothing if prepare() has seen moves like these.
void Mover::ready(const Way& way, const Manner& manner, const mpi::SharedAllocation* shared) {
  arrays_.clear();
  for (const Given& move : given_)
    arrays_.push_back({schedule_for(move, way), static_cast<std::byte*>(move.source->buffer.data),
                       static_cast<std::byte*>(move.target->buffer.data), shared});
  transfer_.ready(arrays_, manner);
}

}  // namespace tridap::redistribute
