#include "mover.hpp"

#include "checked_arrays.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/driver.hpp>
#include <tridap/internal/reads_devices.hpp>
#include <tridap/internal/shared_allocation.hpp>
#include <tridap/internal/wait.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <new>
#include <string>
#include <utility>

namespace tridap::redistribute {

namespace {

constexpr std::size_t most_schedules = 64;  // that are kept

// All arrays of one call are moved in one manner, which follows from the types of the first.
void check_type(const char* side, const Buffer& first, const Buffer& other, Report& report) {
  if (other.type == first.type || element_count(other) == 0) return;
  report.add(refusal(std::string("the ") + side + "s of one call have element types " + first.type.name() + " and " +
                         other.type.name(),
                     "must have one type", "move arrays of each type in a separate call"));
}

bool has_lists(const PlacedDistribution& placed) {
  for (Index i = 0; i < placed.distribution().ndim(); ++i)
    if (placed.distribution().axis(i).dist_type() == 'u') return true;
  return false;
}

}  // namespace

Mover::Mover(Plan plan, const Options& options, std::shared_ptr<NodeContext> context, const mpi::Channel& channel)
    : plan_(std::move(plan)),
      parts_(PlanData::of(plan_)),
      comm_(channel.comm),
      options_(options),
      context_(std::move(context)),
      channel_(channel),
      carrier_(context_, channel),
      agrees_on_schedules_(has_lists(plan_.source()) || has_lists(plan_.target()) || parts_.listed) {
  if (!context_->has_rings() && options_.path != Path::messages) options_.path = Path::derived_types;
  if (options_.path == Path::derived_types) agrees_on_schedules_ = true;
  for (int rank = 0; rank < context_->processes(); ++rank)
    ways_.push_back(shares_memory() && context_->on_node(rank)                               ? Way::ring
                    : options_.path == Path::derived_types && mpi::on_this_node(rank, comm_) ? Way::typed
                                                                                             : Way::message);
}

Mover::~Mover() {
  if (!in_progress_ || mpi::mpi_is_over()) return;
  try {
    finish();
  } catch (const std::exception&) {  // a destructor cannot report an error
  }
}

void Mover::finish_other(NodeContext& context) {
  if (context.active != nullptr) context.active->finish_for_another();
}

// If MPI fails in a step, the move is given up: no process waits for it again.
template <class Step>
auto Mover::or_give_up(Step step) {
  try {
    return step();
  } catch (...) {
    if (!mpi::mpi_is_over()) carrier_.abandon();
    in_progress_ = false;
    context_->active = nullptr;
    throw;
  }
}

bool Mover::test() {
  return !in_progress_ || or_give_up([this] { return way_ == DeviceWay::pull ? devices_->test() : carrier_.test(); });
}

void Mover::finish() {
  or_give_up([this] {
    if (way_ == DeviceWay::pull)
      mpi::wait_until([this] { return devices_->test() || carrier_.wait_a_little(); });
    else
      carrier_.finish();
    if (way_ == DeviceWay::slots || (way_ == DeviceWay::pull && devices_->failed()))
      mpi::throw_faults(std::exchange(on_device_.faults, {}), comm_);
  });
  in_progress_ = false;
  context_->active = nullptr;
  kept_.clear();
}

// The same because another plan begins a move: what has failed is for wait() to throw.
void Mover::finish_for_another() {
  if (way_ == DeviceWay::host) return finish();
  try {
    finish();
  } catch (const Error&) {
    failed_before_wait_ = std::current_exception();
  }
}

void Mover::throw_what_failed() {
  if (failed_before_wait_) std::rethrow_exception(std::exchange(failed_before_wait_, nullptr));
}

void Mover::start(const DistArray& source, const DistArray& target, const Scaling& scaling) {
  start(agree(1, false, scaling,
              [&](Agreement&) {
                given_.push_back({&source, &target});
                return true;
              }),
        scaling);
}

void Mover::start(const std::vector<Move>& moves, const Scaling& scaling) {
  start(agree(moves.size(), false, scaling,
              [&](Agreement&) {
                for (const Move& move : moves) given_.push_back({&move.source, &move.target});
                return true;
              }),
        scaling);
}

void Mover::start_and_keep(std::vector<Move> moves, const Scaling& scaling) {
  start(moves, scaling);
  kept_ = std::move(moves);
}

void Mover::object(NodeContext& context, const mpi::Channel& channel, mpi::Faults why) {
  finish_other(context);
  Agreement agreement;
  agreement.object(true);
  agreement.reduce(move_name, *channel.owner);
  why.failed = true;
  mpi::throw_faults(std::move(why), channel.comm);
  throw std::bad_alloc();  // throw_faults() has thrown
}

void Mover::start(const Agreement& agreement, const Scaling& scaling) {
  Agreed agreed = agreed_by(agreement);
  const ElementStep step = step_of(agreement, scaling);
  if (agreement.value(Agreement::target_type)) target_bytes_ = agreed.target_bytes;
  way_ = DeviceWay::host;
  failed_before_wait_ = nullptr;  // of a move before this one
  if (is_on_device(agreement)) {
    if (devices_ == nullptr) devices_ = device_engine()->moves(parts_, comm_);
    on_device_ = {};
    on_device_.step.copies = step.copies();
    on_device_.step.scaling = scaling;
    if (const auto type = agreement.value(Agreement::source_type)) on_device_.step.from = type_of_number(*type);
    if (const auto type = agreement.value(Agreement::target_type)) on_device_.step.to = type_of_number(*type);
    agreed.direct.reset();
    agreed.streams_only = true;
    way_ = pulls(agreement) ? DeviceWay::pull : DeviceWay::slots;
  }
  if (way_ != DeviceWay::pull) return start_carrier(agreed, agreement, step);
  in_progress_ = true;
  context_->active = this;
  devices_->begin(on_device_.step, on_device_.faults);
}

// Whether each process reads its elements from the memory of their owners. **Collective** if sources are new.
bool Mover::pulls(const Agreement& agreement) {
  const auto [highest, lowest] = *agreement.range(Agreement::standing);
  if (options_.path != Path::automatic || static_cast<Standing>(highest) == Standing::slots ||
      static_cast<Standing>(lowest) == Standing::host || devices_->takes_slots())
    return false;
  return static_cast<Standing>(highest) != Standing::news || devices_->tell();
}

bool Mover::is_on_device(const Agreement& agreement) const {
  const auto range = agreement.range(Agreement::standing);
  return range && static_cast<Standing>(range->first) != Standing::host;
}

// How this process's arrays stand, if any of them has elements. It allocates nothing if no array was on a device.
std::optional<Standing> Mover::standing() {
  bool any = false, on_device = false;
  for (const MovedArray& array : given_)
    for (const End end : {End::source, End::target}) {
      const Buffer& buffer = (end == End::source ? array.source : array.target)->buffer;
      if (!parts_.side(end).process || element_count(buffer) == 0) continue;
      any = true;
      if (buffer.memory.is_on_host()) continue;
      driver::order_ours_after(buffer.memory, options_.stream);
      on_device = true;
    }
  if (on_device && devices_ == nullptr) devices_ = device_engine()->moves(parts_, comm_);
  Standing found = Standing::host;
  if (devices_ != nullptr) {
    std::vector<DeviceArrays> arrays;
    for (const MovedArray& array : given_) arrays.push_back({array.source, array.target});
    found = devices_->stand(arrays);
  }
  return any ? std::optional(found) : std::nullopt;
}

void Mover::start_carrier(const Agreed& agreed, const Agreement& agreement, const ElementStep& step) {
  prepare(agreed, agreement);
  for (MovedArray& array : given_) array.schedule = schedule_for(array, agreed);
  carrier_.ready(given_, step, shared_memory(agreed, agreement),
                 agreed.streams_only ? &context_->device_slots(comm_) : nullptr);
  in_progress_ = true;
  context_->active = this;
  or_give_up([this] { carrier_.begin(); });
}

std::string Mover::device_way() const {
  if (way_ == DeviceWay::host) return {};
  if (way_ == DeviceWay::pull)
    return "The last move was one kernel on each device, which read the elements of all processes from their memory.\n";
  std::string why = devices_ == nullptr ? "" : devices_->why_slots();
  if (options_.path != Path::automatic) why = "its Path is not automatic";
  return "The last move passed through slots " + std::string(carrier_.slots_text()) + ", because " +
         (why.empty() ? "an array of another process needs that" : why) + ".\n";
}

Report Mover::check() {
  Report report;
  for (const MovedArray& move : given_) {
    const DistArray &source = *move.source, &target = *move.target;
    const bool out = parts_.source.process.has_value(), in = parts_.target.process.has_value();
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

void Mover::propose(Agreement& agreement) {
  if (given_.empty()) return;
  if (const auto found = standing()) agreement.propose(Agreement::standing, static_cast<Index>(*found));
  const DistArray &source = *given_[0].source, &target = *given_[0].target;
  if (parts_.source.process && element_count(source.buffer) > 0) {
    agreement.propose(Agreement::source_type, type_number(source.buffer.type));
    agreement.propose(Agreement::shared_source, shared_number(source, sources_.find(source)));
  }
  if (parts_.target.process && element_count(target.buffer) > 0) {
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
const mpi::SharedAllocation* Mover::shared_memory(const Agreed& agreed, const Agreement& agreement) const {
  if (!agreed.direct) return nullptr;
  const bool pull = *agreed.direct == End::source;
  const auto number = agreement.value(pull ? Agreement::shared_source : Agreement::shared_target);
  return mpi::find_shared_by_number(*number / 2, comm_);
}

Schedule* Mover::schedule_for(const MovedArray& array, const Agreed& agreed) const {
  for (const auto& made : schedules_)
    if (made->suits(array.source->buffer, array.target->buffer, agreed)) return made.get();
  return nullptr;
}

// What is done with elements in this move. Throws the same Error on every process.
ElementStep Mover::step_of(const Agreement& agreement, const Scaling& scaling) const {
  ElementStep step;
  step.scaling = scaling;
  const auto from = agreement.value(Agreement::source_type), to = agreement.value(Agreement::target_type);
  if (!from || !to) return step;  // no process has elements
  const ElementType source_type = type_of_number(*from), target_type = type_of_number(*to);
  if (source_type == target_type && *from != *to)
    refuse("the source's and the target's elements are described differently, though both are " + source_type.name(),
           "must be the same type", "use a target with the source's element type");
  step.combine = combiner(source_type, target_type, options_.convert, scaling);
  step.source_bytes = source_type.bytes;
  step.target_bytes = target_type.bytes;
  return step;
}

// The device of the arrays of this process; null: it has none there.
const Memory* Mover::device_of_arrays() const {
  for (const MovedArray& array : given_)
    for (const End end : {End::source, End::target}) {
      const Buffer& buffer = (end == End::source ? array.source : array.target)->buffer;
      if (parts_.side(end).process && element_count(buffer) > 0 && !buffer.memory.is_on_host()) return &buffer.memory;
    }
  return nullptr;
}

bool Mover::mpi_reads_devices() const { return options_.mpi_reads_devices.value_or(mpi::reads_devices()); }

bool Mover::lacks_schedule() const {
  for (const MovedArray& array : given_)
    for (const Agreed& agreed : agreed_)
      if (schedule_for(array, agreed) == nullptr) return true;
  return false;
}

void Mover::expect(const DistArray& source, const DistArray& target) {
  if (!agrees_on_schedules_) return;
  Agreed expected;
  expected.source_bytes = expected.target_bytes = plan_.element_bytes();
  agreed_.push_back(expected);
  if (!check_move(parts_, source, target, options_.convert).ok()) return;  // the move reports it
  if (parts_.source.process) sources_.add(source);
  if (parts_.target.process) targets_.add(target);
  if (source.buffer.memory.is_on_host() && target.buffer.memory.is_on_host())
    schedules_.push_back(std::make_unique<Schedule>(parts_, source.buffer, target.buffer, expected, ways_, on_device_));
}

// Makes the schedules that are missing. Where one process alone may fail in it, all know whether one of them makes any,
// for all that was agreed on so far.
void Mover::prepare(const Agreed& agreed, const Agreement& agreement) {
  const auto make = [&](const MovedArray& array, const Agreed& how) {
    if (schedule_for(array, how) == nullptr)
      schedules_.push_back(
          std::make_unique<Schedule>(parts_, array.source->buffer, array.target->buffer, how, ways_, on_device_));
  };
  const auto make_all = [&] {
    if (schedules_.size() > most_schedules) schedules_.clear();
    for (const MovedArray& array : given_) {
      for (const Agreed& how : agreed_) make(array, how);
      make(array, agreed);
    }
  };
  if (agreed.streams_only) {
    DeviceSlots& slots = context_->device_slots(comm_);
    mpi::collectively(comm_, [&] {
      if (schedules_.size() > most_schedules) schedules_.clear();
      for (const MovedArray& array : given_) make(array, agreed);
      if (const Memory* const device = device_of_arrays()) slots.get_ready(*device, mpi_reads_devices());
    });
    return;
  }
  if (!agrees_on_schedules_) return make_all();
  const bool is_new = std::find(agreed_.begin(), agreed_.end(), agreed) == agreed_.end();
  if (!is_new && !agreement.schedule_needed()) return;
  mpi::collectively(comm_, make_all);
  if (is_new) agreed_.push_back(agreed);
}

}  // namespace tridap::redistribute
