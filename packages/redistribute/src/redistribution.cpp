#include "access.hpp"
#include "arrays.hpp"
#include "at.hpp"
#include "fingerprint.hpp"
#include "known.hpp"
#include "listed.hpp"
#include "transfer.hpp"
#include "votes.hpp"
#include <tridap/internal/call.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/shared_allocation.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace tridap::redistribute {

namespace {

// One array's part on either side, as the caller has it.
struct Given {
  const DistArray &source, &target;
};

Index hash(const Scaling& scaling) {
  const double numbers[] = {scaling.alpha.real(), scaling.alpha.imag(), scaling.beta.real(), scaling.beta.imag()};
  Digest digest;
  for (const double number : numbers) {
    Index bits = 0;
    const double positive = number + 0.0;  // -0 is 0
    std::memcpy(&bits, &positive, sizeof(bits));
    digest.add(bits);
  }
  return digest.value();
}

}  // namespace

struct Redistribution::State {
  State(Plan made, MPI_Comm of, const Options& with, std::shared_ptr<NodeContext> shared, const Channel& on)
      : plan(std::move(made)),
        comm(of),
        options(with),
        context(std::move(shared)),
        channel(on),
        transfer(context, channel) {
    if (!context->has_stage()) options.path = Path::messages;
    for (Index rank = 0; rank < context->processes(); ++rank)
      near.push_back(options.path != Path::messages && context->here(rank));
  }
  State(const State&) = delete;
  ~State() {
    if (!under_way || mpi_is_over()) return;
    try {
      finish();
    } catch (const std::exception&) {  // a destructor has nobody to tell
    }
  }

  const PlanData& data() const { return data_of(plan); }
  // Of an element of the targets: as the last move had them. The same on every process.
  Index target_bytes() const { return made_bytes > 0 ? made_bytes : plan.element_bytes(); }

  template <class At>
  void start(std::size_t count, const At& at, const Scaling& scaling);
  // Where MPI fails in a step, the move is given up: nobody waits for it again.
  template <class Step>
  auto or_give_up(Step step) {
    try {
      return step();
    } catch (...) {
      under_way = false;
      context->active = nullptr;
      throw;
    }
  }
  void finish() {
    or_give_up([this] { transfer.finish(); });
    under_way = false;
    context->active = nullptr;
    kept.clear();
  }
  void end_other() {  // what is under way on the communicator
    if (context->active != nullptr) static_cast<State*>(context->active)->finish();
  }
  Buffer make(const ElementType& type, const IndexList& shape) const;
  Report check(const Given* moves, std::size_t count);
  void check_types(const Given& first, const Given& other, Report& report) const;
  void vote(Votes& votes, const Given* moves, std::size_t count, const Scaling& scaling) const;
  Index shared_number(const DistArray& array, Index dense_order) const;
  [[noreturn]] void explain_difference(const Votes& votes) const;
  Reaching reaching(const Votes& votes) const;
  const mpi::SharedAllocation* reached_piece(const Reaching& how, const Votes& votes) const;
  Program* program(const Given& move, const Reaching& how) const;
  bool lacks_program(const Given* moves, std::size_t count) const;
  Manner manner_of(const Votes& votes, const Reaching& how, const Scaling& scaling) const;
  void prepare(const Reaching& how, const Manner& manner, const Votes& votes);
  void ready(const Reaching& how, const Manner& manner, const mpi::SharedAllocation* shared);

  Plan plan;
  MPI_Comm comm;
  Options options;
  std::shared_ptr<NodeContext> context;
  Channel channel;
  Transfer transfer;
  std::vector<bool> near;  // by rank: on our node, where that counts
  std::vector<std::unique_ptr<Program>> programs;
  Index made_bytes = 0;        // of a target's element in the last move; 0: there was none
  std::vector<Reaching> ways;  // that moves have gone: the same on every process
  KnownArrays sources, targets;
  std::vector<Given> given;
  std::vector<Transferred> arrays;
  std::vector<Move> kept;  // what start() was given, until wait()
  bool under_way = false;
  bool awaited = false;  // start() was called, and wait() was not
};

// All arrays of a round are moved in one manner, which follows from the types of the first.
void Redistribution::State::check_types(const Given& first, const Given& other, Report& report) const {
  const auto check = [&](const char* side, const Buffer& wanted, const Buffer& buffer) {
    if (buffer.type == wanted.type || element_count(buffer) == 0) return;
    report.add({Rule::conversion,
                {},
                {},
                "",
                std::string("the ") + side + "s of one call have element types " + wanted.type.name() + " and " +
                    buffer.type.name(),
                "must have one type",
                "move arrays of each type in a separate call"});
  };
  if (data().out.process) check("source", first.source.buffer, other.source.buffer);
  if (data().in.process) check("target", first.target.buffer, other.target.buffer);
}

Report Redistribution::State::check(const Given* moves, std::size_t count) {
  Report report;
  for (std::size_t k = 0; k < count && report.ok(); ++k) {
    check_types(moves[0], moves[k], report);
    if (!report.ok()) break;
    const DistArray &source = moves[k].source, &target = moves[k].target;
    const bool out = data().out.process.has_value(), in = data().in.process.has_value();
    const KnownArray* const from = out ? sources.find(source) : nullptr;
    const KnownArray* const to = in ? targets.find(target) : nullptr;
    const bool known = (!out || from != nullptr) && (!in || to != nullptr);
    if (known && !(out && in && from->meets(source, *to, target))) continue;
    report = check_move(data(), source, target, options.convert);
    if (!report.ok()) break;
    if (out && from == nullptr) sources.add(source);
    if (in && to == nullptr) targets.add(target);
  }
  return report;
}

// The number of the shared piece that an array is the whole of, and its order; -1: it is in none.
Index Redistribution::State::shared_number(const DistArray& array, Index dense_order) const {
  const mpi::SharedAllocation* const piece = dense_order < 0 ? nullptr : mpi::find_shared(array.buffer.data, comm);
  return piece != nullptr && piece->base(context->rank()) == array.buffer.data ? piece->number() * 2 + dense_order : -1;
}

void Redistribution::State::vote(Votes& votes, const Given* moves, std::size_t count, const Scaling& scaling) const {
  votes.vote(Votes::moves, static_cast<Index>(count));
  votes.vote(Votes::plan, channel.tag);
  votes.vote(Votes::scaling, hash(scaling));
  if (count == 0) return;
  const bool direct = count == 1 && options.path == Path::automatic && !options.mapping.ravel;
  const DistArray &source = moves[0].source, &target = moves[0].target;
  const KnownArray* const from = data().out.process ? sources.find(source) : nullptr;
  const KnownArray* const to = data().in.process ? targets.find(target) : nullptr;
  const auto order = [](const KnownArray* known) { return known == nullptr ? -1 : known->dense_order(); };
  if (data().out.process && element_count(source.buffer) > 0) {
    votes.vote(Votes::source_type, type_number(source.buffer.type));
    votes.vote(Votes::shared_source, direct ? shared_number(source, order(from)) : -1);
  }
  if (data().in.process && element_count(target.buffer) > 0) {
    votes.vote(Votes::target_type, type_number(target.buffer.type));
    votes.vote(Votes::shared_target, direct ? shared_number(target, order(to)) : -1);
    if (to != nullptr && to->stream_order()) votes.vote(Votes::stream_order, *to->stream_order());
  }
}

void Redistribution::State::explain_difference(const Votes& votes) const {
  if (votes.differ(Votes::plan))
    refuse("the processes move with different plans", "must be the same on every process",
           "call the same plan on every process, in the same order");
  if (votes.differ(Votes::moves))
    refuse("the processes give different numbers of arrays", "must be the same on every process",
           "pass every array on every process; a process without a part passes DistArray{}");
  if (votes.differ(Votes::scaling))
    refuse("the processes give different alpha or beta", "must be the same on every process",
           "pass the same Scaling on every process");
  const char* const side = votes.differ(Votes::source_type) ? "source" : "target";
  refuse(std::string("the ") + side + "'s element types differ between processes", "must be the same on every process",
         "pass parts of one array");
}

Reaching Redistribution::State::reaching(const Votes& votes) const {
  Reaching how;
  const auto pushed = votes.answer(Votes::shared_target), pulled = votes.answer(Votes::shared_source);
  if (pushed && *pushed >= 0) {
    how.mode = Reaching::Mode::push;
    how.order = *pushed % 2 == 0 ? Order::row_major : Order::column_major;
  } else if (pulled && *pulled >= 0) {
    how.mode = Reaching::Mode::pull;
    how.order = *pulled % 2 == 0 ? Order::row_major : Order::column_major;
  }
  if (const auto type = votes.answer(Votes::source_type)) how.source_bytes = type_of_number(*type).bytes;
  if (const auto type = votes.answer(Votes::target_type)) how.target_bytes = type_of_number(*type).bytes;
  how.stream_order = votes.answer(Votes::stream_order).value_or(0);
  return how;
}

// By its number, since we may hold nothing of it ourselves.
const mpi::SharedAllocation* Redistribution::State::reached_piece(const Reaching& how, const Votes& votes) const {
  if (how.mode == Reaching::Mode::streams) return nullptr;
  const bool pull = how.mode == Reaching::Mode::pull;
  return mpi::find_shared_by_number(*votes.answer(pull ? Votes::shared_source : Votes::shared_target) / 2, comm);
}

Program* Redistribution::State::program(const Given& move, const Reaching& how) const {
  for (const auto& made : programs)
    if (made->suits(move.source.buffer, move.target.buffer, how)) return made.get();
  return nullptr;
}

bool Redistribution::State::lacks_program(const Given* moves, std::size_t count) const {
  for (std::size_t k = 0; k < count; ++k)
    for (const Reaching& how : ways)
      if (program(moves[k], how) == nullptr) return true;
  return false;
}

// What becomes of elements in this move; throws the same Error on every process.
Manner Redistribution::State::manner_of(const Votes& votes, const Reaching& how, const Scaling& scaling) const {
  Manner manner;
  manner.mode = how.mode;
  manner.rings = options.path != Path::messages;
  manner.scaling = scaling;
  const auto from = votes.answer(Votes::source_type), to = votes.answer(Votes::target_type);
  if (!from || !to) return manner;  // nobody has anything
  const ElementType source_type = type_of_number(*from), target_type = type_of_number(*to);
  if (source_type == target_type && *from != *to)
    refuse("the source's and the target's elements are described differently, though both are " + source_type.name(),
           "must be the same type", "use a target with the source's element type");
  manner.combine = combiner(source_type, target_type, options.convert, scaling);
  manner.source_bytes = source_type.bytes;
  manner.target_bytes = target_type.bytes;
  return manner;
}

// Makes the programs that are missing, for all ways that moves have gone, and all else that a move needs memory for.
// Memory may end in it: whether somebody makes any is known to all.
void Redistribution::State::prepare(const Reaching& how, const Manner& manner, const Votes& votes) {
  const bool new_way = std::find(ways.begin(), ways.end(), how) == ways.end();
  if (!new_way && !votes.program_needed()) return;
  constexpr std::size_t most = 64;
  mpi::collectively(comm, [&] {
    if (new_way) ways.reserve(ways.size() + 1);
    if (programs.size() > most) programs.clear();
    const auto make = [&](const Given& move, const Reaching& way) {
      if (program(move, way) == nullptr)
        programs.push_back(std::make_unique<Program>(data(), move.source.buffer, move.target.buffer, way, near,
                                                     context->slot_bytes()));
    };
    for (const Given& move : given) {
      for (const Reaching& way : ways) make(move, way);
      make(move, how);
    }
    arrays.reserve(given.size());
    ready(how, manner, nullptr);
  });
  if (new_way) ways.push_back(how);
}

// Allocates nothing where prepare() has seen moves like these.
void Redistribution::State::ready(const Reaching& how, const Manner& manner, const mpi::SharedAllocation* shared) {
  arrays.clear();
  for (const Given& move : given)
    arrays.push_back({program(move, how), static_cast<std::byte*>(move.source.buffer.data),
                      static_cast<std::byte*>(move.target.buffer.data), shared});
  transfer.ready(arrays, manner);
}

// `at(k)`: the arrays of the k-th move.
template <class At>
void Redistribution::State::start(std::size_t count, const At& at, const Scaling& scaling) {
  end_other();
  Votes votes;
  mpi::Faults faults;
  given.clear();
  faults.attempt([&] {
    for (std::size_t k = 0; k < count; ++k) given.push_back(at(k));
    faults.report = check(given.data(), count);
    if (faults.report.ok()) vote(votes, given.data(), count, scaling);
    votes.need_program(count > arrays.capacity() || lacks_program(given.data(), count));
  });
  votes.object(!faults.ok());
  votes.count(channel.comm);
  if (votes.objected()) mpi::throw_faults(std::move(faults), comm);
  for (const auto question : {Votes::moves, Votes::plan, Votes::scaling, Votes::source_type, Votes::target_type})
    if (votes.differ(question)) explain_difference(votes);
  const Reaching how = reaching(votes);
  const Manner manner = manner_of(votes, how, scaling);
  if (manner.source_bytes == 0) given.clear();  // nobody has anything
  if (votes.answer(Votes::target_type)) made_bytes = how.target_bytes;
  prepare(how, manner, votes);
  ready(how, manner, reached_piece(how, votes));
  under_way = true;
  context->active = this;
  or_give_up([this] { transfer.begin(); });
}

// A plan, or why this process has none.
struct Redistribution::Planned {
  std::optional<Plan> plan;
  mpi::Faults faults;
};

Redistribution::Redistribution(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes,
                               MPI_Comm comm, const Options& options)
    : Redistribution(
          [&] {
            Planned planned;
            planned.faults.attempt(
                [&] { planned.plan.emplace(source, target, element_bytes, mpi::rank_of(comm), options.mapping); });
            return planned;
          }(),
          comm, options) {}

Redistribution Access::redistribution(Plan plan, MPI_Comm comm, const Options& options) {
  return Redistribution({std::move(plan), {}}, comm, options);
}

Redistribution::Redistribution(Planned planned, MPI_Comm comm, const Options& options) {
  const std::shared_ptr<NodeContext> context = NodeContext::of(comm);
  const Channel channel = channel_of(comm);
  Index numbers[] = {0, 0, 0};
  if (planned.plan)
    planned.faults.attempt([&] {
      check_ranks(*planned.plan, context->processes());
      state_ = std::make_unique<State>(*planned.plan, comm, options, context, channel);
      numbers[1] = fingerprint(*planned.plan, options);
      numbers[2] = -numbers[1];
    });
  numbers[0] = !planned.faults.ok();
  mpi::must_succeed(MPI_Allreduce(MPI_IN_PLACE, numbers, 3, MPI_INT64_T, MPI_MAX, comm), "MPI_Allreduce");
  if (numbers[0] != 0) {
    state_.reset();
    mpi::throw_faults(std::move(planned.faults), comm);
  }
  if (numbers[1] != -numbers[2])
    refuse("the processes plan with different distributions, placements or options",
           "must be the same on every process",
           "pass distributions from tridap::mpi::gather_distribution, and the same options, on every process");
}

Redistribution::Redistribution(Redistribution&&) noexcept = default;
Redistribution& Redistribution::operator=(Redistribution&&) noexcept = default;
Redistribution::~Redistribution() = default;

const Plan& Redistribution::plan() const { return state_->plan; }

// Memory for an array of the plan's own: shared with the node, where it has so much of that. The same on every process,
// because allocate_shared() succeeds on all or on none. **Collective.**
Buffer Redistribution::State::make(const ElementType& type, const IndexList& shape) const {
  try {
    if (context->has_stage()) return mpi::allocate_shared(type, shape, comm, options.order);
  } catch (const std::exception&) {  // ordinary memory does, or says why not
  }
  return mpi::collectively(comm, [&] {
    Buffer buffer = allocate(type, shape);
    if (options.order == Order::column_major) buffer.strides = column_major_strides(buffer.shape, type.bytes);
    return buffer;
  });
}

std::string Redistribution::explain() const {
  std::string text = state_->plan.explain();
  if (state_->context->has_stage()) return text;
  try {
    std::rethrow_exception(state_->context->why_no_stage());
  } catch (const std::exception& why) {
    text += std::string("All transfers are messages, because there is no shared memory: ") + why.what() + "\n";
  }
  return text;
}

void Redistribution::operator()(const DistArray& source, const DistArray& target, const Scaling& scaling) {
  state_->start(
      1,
      [&](std::size_t) {
        return Given{source, target};
      },
      scaling);
  state_->finish();
}

void Redistribution::operator()(const std::vector<Move>& moves, const Scaling& scaling) {
  state_->start(
      moves.size(),
      [&](std::size_t k) {
        return Given{moves[k].source, moves[k].target};
      },
      scaling);
  state_->finish();
}

DistArray Redistribution::operator()(const DistArray& source, const Scaling& scaling) {
  State& state = *state_;
  const PlanData& parts = state.data();
  state.end_other();  // before we wait for processes that may wait for it
  DistArray target;
  IndexList shape;
  mpi::collectively(state.comm, [&] {
    throw_if_wrong(check_source(parts, source));
    if (scaling.beta != 0.0)
      refuse("beta is not 0, but this call makes the target", "must be 0, because a new target has no values to add to",
             "leave beta 0, or pass a target");
    shape.resize(1);
    if (!parts.in.process) return;
    target.dim_data = state.plan.target().distribution.dim_data(*parts.in.process);
    shape = state.plan.target().distribution.local_shape(*parts.in.process);
  });
  Votes votes;
  if (parts.out.process && element_count(source.buffer) > 0)
    votes.vote(Votes::source_type, type_number(source.buffer.type));
  votes.count(state.channel.comm);
  if (votes.differ(Votes::source_type)) state.explain_difference(votes);
  const auto said = votes.answer(Votes::source_type);
  const ElementType type = said ? agreed_type(*said, source.buffer.type, state.comm)
                                : ElementType{ElementType::Kind::opaque, state.plan.element_bytes(), true};
  target.buffer = state.make(type, shape);
  (*this)(source, target, scaling);
  return target;
}

void Redistribution::start(std::vector<Move> moves, const Scaling& scaling) {
  state_->start(
      moves.size(),
      [&](std::size_t k) {
        return Given{moves[k].source, moves[k].target};
      },
      scaling);
  state_->kept = std::move(moves);
  state_->awaited = true;
}

bool Redistribution::test() {
  if (!state_->awaited) refuse("no move is in progress", "must have been started", "call start() first");
  return !state_->under_way || state_->or_give_up([this] { return state_->transfer.test(); });
}

void Redistribution::wait() {
  if (!state_->awaited) refuse("no move is in progress", "must have been started", "call start() first");
  state_->awaited = false;
  if (state_->under_way) state_->finish();  // else another move has ended it
}

Redistribution Redistribution::reversed() const {
  const Plan& plan = state_->plan;
  Planned back;
  Options options;
  back.faults.attempt([&] {
    options = state_->options;
    const std::vector<Index>& axes = state_->options.mapping.axes;
    for (std::size_t i = 0; i < axes.size(); ++i)
      options.mapping.axes[static_cast<std::size_t>(axes[i])] = static_cast<Index>(i);
    if (data_of(plan).listed)
      back.plan = Access::plan(reversed_ids(data_of(plan), state_->target_bytes()));
    else
      back.plan.emplace(plan.target(), plan.source(), state_->target_bytes(), mpi::rank_of(state_->comm),
                        options.mapping);
  });
  return Redistribution(std::move(back), state_->comm, options);
}

}  // namespace tridap::redistribute
