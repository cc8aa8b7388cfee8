#include "arrays.hpp"
#include "fingerprint.hpp"
#include "listed.hpp"
#include "transfer.hpp"
#include "votes.hpp"
#include <dap/mpi/agree.hpp>
#include <dap/redistribute/redistribution.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace dap::redistribute {

namespace {

[[noreturn]] void refuse(std::string fault, std::string must, std::string remedy) {
  throw Error(Finding{Rule::conversion, {}, {}, "", std::move(fault), std::move(must), std::move(remedy)});
}

// Arrays whose memory was found right before, so that it need not be looked at again.
struct Accepted {
  std::vector<Index> shape, strides;
  ElementType type;
  bool read_only = false;
  Memory::Kind memory = Memory::Kind::host;
  bool held = false;

  Accepted() = default;
  explicit Accepted(const Buffer& b)
      : shape(b.shape), strides(b.strides), type(b.type), read_only(b.read_only), memory(b.memory.kind), held(true) {}
  bool is(const Buffer& b) const {
    return held && b.data != nullptr && type == b.type && read_only == b.read_only && memory == b.memory.kind &&
           shape == b.shape && strides == b.strides;
  }
};

Index hash(const Scaling& scaling) {
  double numbers[] = {scaling.alpha.real(), scaling.alpha.imag(), scaling.beta.real(), scaling.beta.imag()};
  std::uint64_t all = 0;
  for (const double number : numbers) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof(bits));
    all = (all ^ bits) * 0x9e3779b97f4a7c15U;
    all ^= all >> 29;
  }
  return static_cast<Index>(all >> 1);
}

}  // namespace

struct Redistribution::State {
  State(Plan made, MPI_Comm of, const Options& with, std::shared_ptr<Team> shared, const Channel& on)
      : plan(std::move(made)), comm(of), options(with), team(std::move(shared)), channel(on), transfer(team, channel) {
    for (Index rank = 0; rank < team->processes(); ++rank)
      reached.push_back(options.path == Path::automatic && team->here(rank));
  }
  State(const State&) = delete;
  ~State() {
    if (under_way && !mpi_is_over()) finish();
  }

  const Plan::Parts& parts() const { return plan.parts(); }

  void start(const Move* moves, std::size_t count, const Scaling& scaling);
  void finish() {
    transfer.finish();
    under_way = false;
    team->active = nullptr;
    kept.clear();
  }
  Report check(const Move* moves, std::size_t count);
  void vote(Votes& votes, const Move* moves, std::size_t count, const Scaling& scaling) const;
  Index shared_number(const Buffer& buffer) const;
  [[noreturn]] void explain_difference(const Votes& votes) const;
  Reaching reaching(const Votes& votes) const;
  const mpi::SharedPiece* reached_piece(const Reaching& how, const Votes& votes) const;
  Program* program(const Move& move, const Reaching& how) const;
  bool lacks_program(const Move* moves, std::size_t count) const;
  void prepare(const Move* moves, std::size_t count, const Reaching& how, const Votes& votes);
  void begin(const Move* moves, std::size_t count, const Reaching& how, const mpi::SharedPiece* shared,
             const Manner& manner);

  Plan plan;
  MPI_Comm comm;
  Options options;
  std::shared_ptr<Team> team;
  Channel channel;
  Transfer transfer;
  std::vector<bool> reached;  // by rank: its shared memory may be
  std::vector<std::unique_ptr<Program>> programs;
  std::vector<Reaching> ways;  // that moves have gone: the same on every process
  Accepted source, target;
  std::vector<Transferred> arrays;
  std::vector<Move> kept;  // what start() was given, until wait()
  bool under_way = false;
};

Report Redistribution::State::check(const Move* moves, std::size_t count) {
  Report report;
  for (std::size_t k = 0; k < count; ++k) {
    const Move& move = moves[k];
    const bool known = (!parts().out.process || source.is(move.source.buffer)) &&
                       (!parts().in.process || target.is(move.target.buffer)) && move.source.dim_data.empty() &&
                       move.target.dim_data.empty();
    if (!known || (parts().out.process && parts().in.process))
      report.merge(check_move(parts(), move.source, move.target, options.convert));
    if (!report.ok()) break;
    source = Accepted(move.source.buffer);
    target = Accepted(move.target.buffer);
  }
  return report;
}

// The number of the shared piece that a buffer is the whole of, and its order; -1: it is in none.
Index Redistribution::State::shared_number(const Buffer& buffer) const {
  const mpi::SharedPiece* const piece = mpi::shared_piece(buffer.data, comm);
  if (piece == nullptr || piece->base(team->rank()) != buffer.data) return -1;
  if (buffer.strides == row_major_strides(buffer.shape, buffer.type.bytes)) return piece->number() * 2;
  return buffer.strides == column_major_strides(buffer.shape, buffer.type.bytes) ? piece->number() * 2 + 1 : -1;
}

void Redistribution::State::vote(Votes& votes, const Move* moves, std::size_t count, const Scaling& scaling) const {
  votes.vote(Votes::moves, static_cast<Index>(count));
  votes.vote(Votes::plan, channel.tag);
  votes.vote(Votes::scaling, hash(scaling));
  if (count == 0) return;
  const bool direct = count == 1 && options.path == Path::automatic && !options.mapping.ravel;
  const Buffer &from = moves[0].source.buffer, &to = moves[0].target.buffer;
  if (parts().out.process && element_count(from) > 0) {
    votes.vote(Votes::source_type, type_number(from.type));
    votes.vote(Votes::shared_source, direct ? shared_number(from) : -1);
  }
  if (parts().in.process && element_count(to) > 0) {
    votes.vote(Votes::target_type, type_number(to.type));
    votes.vote(Votes::shared_target, direct ? shared_number(to) : -1);
    if (const std::optional<Index> order = order_number(to)) votes.vote(Votes::stream_order, *order);
  }
}

void Redistribution::State::explain_difference(const Votes& votes) const {
  if (votes.differ(Votes::plan))
    refuse("the processes make moves of different plans", "a move is collective",
           "call the same plan on every process");
  if (votes.differ(Votes::moves))
    refuse("the processes give different numbers of arrays", "must be as many on every process",
           "give each array's part on every process, DistArray{} where it has none");
  if (votes.differ(Votes::scaling))
    refuse("the processes give different alpha or beta", "must be the same on every process", "give one Scaling");
  const char* const side = votes.differ(Votes::source_type) ? "source" : "target";
  refuse(std::string("the ") + side + "'s element types differ between processes", "must be the same on every process",
         "give parts of one array");
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
  how.stream_order = order_of_number(votes.answer(Votes::stream_order).value_or(0), plan.target().distribution.ndim());
  return how;
}

// By its number, since we may hold nothing of it ourselves.
const mpi::SharedPiece* Redistribution::State::reached_piece(const Reaching& how, const Votes& votes) const {
  if (how.mode == Reaching::Mode::streams) return nullptr;
  const bool pull = how.mode == Reaching::Mode::pull;
  return mpi::numbered_piece(*votes.answer(pull ? Votes::shared_source : Votes::shared_target) / 2, comm);
}

Program* Redistribution::State::program(const Move& move, const Reaching& how) const {
  for (const auto& made : programs)
    if (made->suits(move.source.buffer, move.target.buffer, how)) return made.get();
  return nullptr;
}

bool Redistribution::State::lacks_program(const Move* moves, std::size_t count) const {
  for (std::size_t k = 0; k < count; ++k)
    for (const Reaching& how : ways)
      if (program(moves[k], how) == nullptr) return true;
  return false;
}

// Makes the programs that are missing. Memory may end in it: whether somebody makes any is known to all.
void Redistribution::State::prepare(const Move* moves, std::size_t count, const Reaching& how, const Votes& votes) {
  const bool new_way = std::find(ways.begin(), ways.end(), how) == ways.end();
  if (!new_way && !votes.program_needed()) return;
  constexpr std::size_t most = 64;
  mpi::collectively(comm, [&] {
    if (programs.size() > most) programs.clear();
    for (std::size_t k = 0; k < count; ++k)
      if (program(moves[k], how) == nullptr)
        programs.push_back(
            std::make_unique<Program>(parts(), moves[k].source.buffer, moves[k].target.buffer, how, reached));
  });
  if (new_way) ways.push_back(how);
}

void Redistribution::State::start(const Move* moves, std::size_t count, const Scaling& scaling) {
  if (team->active != nullptr) static_cast<State*>(team->active)->finish();
  Votes votes;
  Report report;
  try {
    report = check(moves, count);
    if (report.ok()) vote(votes, moves, count, scaling);
    votes.need_program(lacks_program(moves, count));
  } catch (const std::exception& wrong) {
    report.add({Rule::process_failure, {}, {}, "", wrong.what(), "", ""});
  }
  votes.object(!report.ok());
  votes.count(channel.comm);
  if (votes.objected()) {
    report.set_process(team->rank());
    mpi::throw_together(std::move(report), comm);
  }
  for (const auto question : {Votes::moves, Votes::plan, Votes::scaling, Votes::source_type, Votes::target_type})
    if (votes.differ(question)) explain_difference(votes);
  const auto from = votes.answer(Votes::source_type), to = votes.answer(Votes::target_type);
  under_way = true;
  Manner manner;
  if (!from || !to) {  // nobody has anything
    count = 0;
  } else {
    const ElementType source_type = type_of_number(*from), target_type = type_of_number(*to);
    manner.combine = [&] {
      try {
        return combiner(source_type, target_type, options.convert, scaling);
      } catch (...) {
        under_way = false;
        throw;
      }
    }();
    manner.source_bytes = source_type.bytes;
    manner.target_bytes = target_type.bytes;
  }
  const Reaching how = reaching(votes);
  manner.mode = how.mode;
  manner.rings = options.path != Path::messages;
  manner.scaling = scaling;
  under_way = false;
  prepare(moves, count, how, votes);
  begin(moves, count, how, reached_piece(how, votes), manner);
}

void Redistribution::State::begin(const Move* moves, std::size_t count, const Reaching& how,
                                  const mpi::SharedPiece* shared, const Manner& manner) {
  arrays.clear();
  for (std::size_t k = 0; k < count; ++k) {
    const Move& move = moves[k];
    arrays.push_back({program(move, how), static_cast<std::byte*>(move.source.buffer.data),
                      static_cast<std::byte*>(move.target.buffer.data), shared});
  }
  under_way = true;
  team->active = this;
  transfer.begin(arrays, manner);
}

namespace {

struct Attempt {
  std::optional<Plan> plan;
  Report report;

  template <class Step>
  void run(Step&& step) {
    try {
      step();
    } catch (const Error& wrong) {
      report.merge(wrong.report());
    } catch (const std::exception& wrong) {
      report.add({Rule::process_failure, {}, {}, "", wrong.what(), "", ""});
    }
  }
};

Attempt attempt(const Placed& source, const Placed& target, Index element_bytes, MPI_Comm comm,
                const Options& options) {
  Attempt made;
  made.run([&] { made.plan.emplace(source, target, element_bytes, mpi::rank_of(comm), options.mapping); });
  return made;
}

}  // namespace

Redistribution::Redistribution(const Placed& source, const Placed& target, Index element_bytes, MPI_Comm comm,
                               const Options& options)
    : Redistribution([&] {
        Attempt made = attempt(source, target, element_bytes, comm, options);
        return Redistribution(std::move(made.plan), std::move(made.report), comm, options);
      }()) {}

Redistribution::Redistribution(std::optional<Plan> plan, Report report, MPI_Comm comm, const Options& options) {
  const std::shared_ptr<Team> team = Team::of(comm);
  const Channel channel = channel_of(comm);
  Attempt made{std::move(plan), std::move(report)};
  Index numbers[] = {0, 0, 0};
  if (made.plan)
    made.run([&] {
      check_ranks(*made.plan, team->processes());
      state_ = std::make_unique<State>(*made.plan, comm, options, team, channel);
      numbers[1] = fingerprint(*made.plan, options);
      numbers[2] = -numbers[1];
    });
  numbers[0] = !made.report.ok();
  MPI_Allreduce(MPI_IN_PLACE, numbers, 3, MPI_INT64_T, MPI_MAX, comm);
  if (numbers[0] != 0) {
    state_.reset();
    made.report.set_process(team->rank());
    mpi::throw_together(std::move(made.report), comm);
  }
  if (numbers[1] != -numbers[2])
    refuse("the processes plan with different distributions, placements or options",
           "must be the same on every process", "give what dap::mpi::gather says, and the same options");
}

Redistribution::Redistribution(Redistribution&&) noexcept = default;
Redistribution& Redistribution::operator=(Redistribution&&) noexcept = default;
Redistribution::~Redistribution() = default;

const Plan& Redistribution::plan() const { return state_->plan; }

void Redistribution::operator()(const DistArray& source, const DistArray& target, const Scaling& scaling) {
  const Move move{source, target};
  state_->start(&move, 1, scaling);
  state_->finish();
}

void Redistribution::operator()(const std::vector<Move>& moves, const Scaling& scaling) {
  state_->start(moves.data(), moves.size(), scaling);
  state_->finish();
}

DistArray Redistribution::operator()(const DistArray& source, const Scaling& scaling) {
  State& state = *state_;
  const Plan::Parts& parts = state.parts();
  mpi::collectively(state.comm, [&] { throw_if_wrong(check_source(parts, source)); });
  Votes votes;
  if (parts.out.process && element_count(source.buffer) > 0)
    votes.vote(Votes::source_type, type_number(source.buffer.type));
  votes.count(state.channel.comm);
  if (votes.differ(Votes::source_type)) state.explain_difference(votes);
  const auto said = votes.answer(Votes::source_type);
  const ElementType type =
      said ? type_of_number(*said) : ElementType{ElementType::Kind::opaque, state.plan.element_bytes(), true};
  DistArray target;
  std::vector<Index> shape = {0};
  if (parts.in.process) {
    target.dim_data = state.plan.target().distribution.dim_data(*parts.in.process);
    shape = state.plan.target().distribution.local_shape(*parts.in.process);
  }
  target.buffer = mpi::allocate_shared(type, shape, state.comm, state.options.order);
  (*this)(source, target, scaling);
  return target;
}

void Redistribution::start(std::vector<Move> moves, const Scaling& scaling) {
  state_->start(moves.data(), moves.size(), scaling);
  state_->kept = std::move(moves);
}

void Redistribution::wait() {
  if (!state_->under_way) refuse("no move is under way", "must have been started", "call start() first");
  state_->finish();
}

Redistribution Redistribution::reversed() const {
  Options options = state_->options;
  const std::vector<Index>& axes = state_->options.mapping.axes;
  for (std::size_t i = 0; i < axes.size(); ++i)
    options.mapping.axes[static_cast<std::size_t>(axes[i])] = static_cast<Index>(i);
  const Plan& plan = state_->plan;
  if (!plan.parts().listed)
    return Redistribution(plan.target(), plan.source(), plan.element_bytes(), state_->comm, options);
  Attempt back;
  back.run([&] { back.plan.emplace(reversed_ids(plan.parts())); });
  return Redistribution(std::move(back.plan), std::move(back.report), state_->comm, options);
}

}  // namespace dap::redistribute
