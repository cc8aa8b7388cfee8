#include "redistribute/move_checks.hpp"
#include "support/expect_refused.hpp"
#include "support/inter_communicator.hpp"
#include <tridap/global_ids.hpp>
#include <tridap/make.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/redistribute/ids.hpp>
#include <tridap/redistribute/padding.hpp>
#include <tridap/redistribute/relabel_collectively.hpp>

namespace {

using moves::at;
using moves::Local;
using moves::Move;
using moves::Options;
using moves::Path;
using moves::Redistribution;
using moves::Scaling;
using oracle::List;
using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;
using tridap::redistribute::PlacedDistribution;

Index rank() { return on::rank(MPI_COMM_WORLD); }
Index processes() { return on::processes(MPI_COMM_WORLD); }

/// Rows of doubles to columns, of which every process has some.
class Table {
 public:
  explicit Table(Path path = Path::automatic)
      : given_{moves::plain_side({axis(processes()), oracle::block({2 * processes()})}),
               moves::plain_side({oracle::block({2 * processes()}), axis(processes())}),
               {}},
        truth_(given_),
        options_{{}, path, false, tridap::Order::row_major},
        plan(given_.source.placed(), given_.target.placed(), 8, MPI_COMM_WORLD, options_),
        source_(given_.source, rank(), tridap::element_type<double>(), moves::row_major(2)),
        target_(given_.target, rank(), tridap::element_type<double>(), moves::row_major(2)) {
    reset();
  }

  Move move() const { return {source_.stamped(), target_.stamped()}; }
  void reset() {
    source_.set(source_.picture(truth_.given(rank()), moves::bytes_of(1)));
    target_.set(untouched());
  }
  void expect_untouched() const { EXPECT_TRUE(target_.is(untouched())) << target_.differs(untouched()); }
  void expect_works() {
    reset();
    plan(source_.stamped(), target_.stamped());
    const auto wanted = target_.picture(truth_.moved(rank()), moves::bytes_of(1));
    EXPECT_TRUE(target_.is(wanted)) << target_.differs(wanted);
    reset();
  }

 private:
  static oracle::Axis axis(Index grid) { return oracle::block(List(at(grid), 2)); }
  std::vector<std::byte> untouched() const {
    return std::vector<std::byte>(at(2 * 2 * processes() * 8), moves::poison);
  }

  moves::Case given_;
  moves::Truth truth_;
  Options options_;

 public:
  Redistribution plan;

 private:
  Local source_, target_;
};

/// All processes throw one Error, which has these words, a remedy for each finding, and the rank of the `bad` process.
void expect_refused(const std::function<void()>& step, const std::string& words, std::optional<Index> bad = {}) {
  const auto error = on::expect_refused(step, words);
  if (!error) return;
  if (bad) {
    on::expect_says(error->what(), "rank " + std::to_string(*bad));
  }
  for (const tridap::Finding& finding : error->report().findings())
    EXPECT_FALSE(finding.remedy.empty() && std::string(tridap::rule_text(finding.rule).remedy).empty())
        << finding.text();
}

using Spoil = std::function<void(Move&)>;

tridap::Buffer& from(Move& move) { return move.source.buffer; }
tridap::Buffer& to(Move& move) { return move.target.buffer; }

const std::vector<std::pair<std::string, Spoil>>& spoils() {
  static const std::vector<std::pair<std::string, Spoil>> all = {
      {"source's extent is 1", [](Move& m) { from(m).shape[0] = 1; }},
      {"target's extent is 1", [](Move& m) { to(m).shape[1] = 1; }},
      {"source has 1 axes", [](Move& m) { from(m).shape.pop_back(), from(m).strides.pop_back(); }},
      {"target has 1 axes", [](Move& m) { to(m).shape.pop_back(), to(m).strides.pop_back(); }},
      {"source", [](Move& m) { from(m).type = tridap::element_type<float>(); }},
      {"target", [](Move& m) { to(m).type = tridap::element_type<float>(); }},
      {"null", [](Move& m) { from(m).data = nullptr; }},
      {"null", [](Move& m) { to(m).data = nullptr; }},
      {"source is in cuda:0 memory", [](Move& m) { from(m).memory.kind = tridap::Memory::Kind::cuda; }},
      {"target is in cuda:0 memory", [](Move& m) { to(m).memory.kind = tridap::Memory::Kind::cuda; }},
      {"target is read-only", [](Move& m) { to(m).read_only = true; }},
      {"target's elements may share memory", [](Move& m) { to(m).strides[0] = 0; }},
      {"strides", [](Move& m) { from(m).strides.pop_back(); }},
      {"share memory", [](Move& m) { to(m).data = from(m).data; }},
      {"", [](Move& m) { m.source = DistArray{}; }},
      {"", [](Move& m) { m.target = DistArray{}; }},
      {"size", [](Move& m) { m.source.dim_data[0].size += 1; }},
      {"start", [](Move& m) { std::get<tridap::Block>(m.target.dim_data[1].dist).start += 1; }},
      {"proc_grid_rank", [](Move& m) { m.target.dim_data[1].proc_grid_rank += 1; }},
  };
  return all;
}

}  // namespace

TEST(RedistributionRefusal, OneWrongArrayFailsAllWithOneTextAndTouchesNothing) {
  for (const Path path : moves::paths) {
    Table table(path);
    for (const bool before : {true, false}) {  // as the first move, and when all is known already
      for (Index bad = 0; bad < processes(); ++bad)
        for (const auto& [words, spoil] : spoils()) {
          Move move = table.move();
          if (rank() == bad) spoil(move);
          expect_refused([&] { table.plan(move.source, move.target); }, words, bad);
          table.expect_untouched();
        }
      if (before) table.expect_works();
    }
    table.expect_works();
  }
}

TEST(RedistributionRefusal, ArraysThatSayNothingOfTheirDimensionsAreLookedAtToo) {
  Table table;
  table.expect_works();
  const auto plain = [&] {
    Move move = table.move();
    move.source.dim_data.clear();
    move.target.dim_data.clear();
    return move;
  };
  for (Index bad = 0; bad < processes(); ++bad)
    for (const auto& [words, spoil] : spoils()) {
      Move good = plain(), move = plain();
      table.plan(good.source, good.target);
      table.reset();
      if (words == "size" || words == "start" || words == "proc_grid_rank") continue;
      if (rank() == bad) spoil(move);
      expect_refused([&] { table.plan(move.source, move.target); }, words, bad);
      table.expect_untouched();
    }
  table.expect_works();
}

TEST(RedistributionRefusal, WhatIsMadeStartedAndBatchedIsRefusedAlike) {
  Table table;
  for (Index bad = 0; bad < processes(); ++bad) {
    Move move = table.move(), good = table.move();
    if (rank() == bad) move.source.buffer.shape[1] -= 1;
    expect_refused([&] { table.plan(move.source); }, "source's extent", bad);
    expect_refused([&] { table.plan({good, move}); }, "source's extent", bad);
    expect_refused([&] { table.plan.start({move}); }, "source's extent", bad);
    on::expect_says(on::error_of([&] { table.plan.wait(); }).value().what(), "no move is in progress");
    table.expect_untouched();
  }
  table.expect_works();
}

TEST(RedistributionRefusal, ProcessesThatDoNotAskForOneMoveAreRefused) {
  Table table;
  const Index p = processes();
  const Move move = table.move();
  for (Index bad = 0; bad < p && p > 1; ++bad) {
    const double alpha = rank() == bad ? 2 : 1;
    expect_refused([&] { table.plan(move.source, move.target, {alpha, 0}); }, "different alpha or beta");
    std::vector<Move> all(rank() == bad ? 2 : 1, move);
    expect_refused([&] { table.plan(all); }, "different numbers of arrays");
    Move other = table.move();
    if (rank() == bad) other.source.buffer.type = tridap::element_type<Index>();
    expect_refused([&] { table.plan(other.source, other.target); }, "element types differ");
    for (tridap::Buffer* const side : {&other.source.buffer, &other.target.buffer}) {
      side->type = moves::opaque(8);
      side->type.description = rank() == bad ? "datetime64[s]" : "datetime64[D]";
    }
    expect_refused([&] { table.plan(other.source, other.target); }, "element types differ");
    table.expect_untouched();
  }
  table.expect_works();
}

TEST(RedistributionRefusal, TypesAndFactorsWithoutMeaningAreRefused) {
  Table table;
  const auto refused = [&](const tridap::ElementType& a, const tridap::ElementType& b, const Scaling& scaling,
                           const std::string& words) {
    Move move = table.move();
    move.source.buffer.type = a;
    move.target.buffer.type = b;
    expect_refused([&] { table.plan(move.source, move.target, scaling); }, words);
    table.expect_untouched();
  };
  const tridap::ElementType real = tridap::element_type<double>(), whole = tridap::element_type<Index>();
  refused(real, whole, {}, "float64 cannot become int64");
  refused(whole, whole, {0.5, 0}, "alpha is 0.5");
  refused(real, real, {std::complex<double>(0, 1), 0}, "alpha is (0");
  refused(moves::opaque(8), moves::opaque(8), {2, 0}, "can be moved");
  tridap::ElementType seconds = moves::opaque(8), days = moves::opaque(8);
  seconds.description = "datetime64[s]";
  days.description = "datetime64[D]";
  refused(seconds, days, {}, "described differently");
  table.expect_works();
}

TEST(RedistributionRefusal, PlansThatDifferOrNameNoProcessAreRefusedOnAll) {
  const Index p = processes();
  const Distribution a = Distribution::make({12}, {tridap::block()}, {p}),
                     b = Distribution::make({12}, {tridap::cyclic()}, {p});
  const Distribution longer = Distribution::make({13}, {tridap::cyclic()}, {p});
  const auto refused = [](const PlacedDistribution& from, const PlacedDistribution& to, const std::string& words,
                          Index bytes = 8, const Options& options = {}) {
    expect_refused([&] { Redistribution(from, to, bytes, MPI_COMM_WORLD, options); }, words);
  };
  refused(a, longer, "size is 13");
  refused(a, PlacedDistribution(b, moves::ranks_from(1, p)), "");  // the last rank is none
  refused(Distribution::make({12}, {tridap::block()}, {p + 1}), a, "");
  refused(a, b, "element_bytes is 0", 0);
  for (Index bad = 0; bad < p && p > 1; ++bad) {
    const bool is_bad = rank() == bad;
    refused(is_bad ? longer : a, is_bad ? longer : b, "different");
    List turned = moves::ranks_from(0, p);
    if (is_bad) std::reverse(turned.begin(), turned.end());
    refused(a, PlacedDistribution(b, turned), "different");
    refused(a, b, "different", is_bad ? 4 : 8);
    Options options;
    options.mapping.partial = is_bad;
    refused(a, b, "different", 8, options);
    options.mapping.partial = false;
    options.path = is_bad ? Path::messages : Path::automatic;
    refused(a, b, "different", 8, options);
    List beyond = moves::ranks_from(0, p);
    if (is_bad) beyond[0] = p;
    refused(PlacedDistribution(a, beyond), b, "a part on rank " + std::to_string(p));
  }
  Table().expect_works();
}

TEST(RedistributionRefusal, EachPartOfAlphaAndBetaIsTheSameOnAllProcesses) {
  const Index p = processes();
  if (p == 1) GTEST_SKIP() << "one process cannot differ from another";
  Table table;
  Move move = table.move();
  for (tridap::Buffer* const side : {&move.source.buffer, &move.target.buffer})
    side->type = tridap::element_type<std::complex<float>>();  // of 8 bytes, as the plan's elements
  const Index bad = p / 2;
  for (const std::size_t part : {0u, 1u, 2u, 3u}) {
    double parts[] = {2, 3, 4, 5};
    if (rank() == bad) parts[part] += 0.5;
    const Scaling scaling = {{parts[0], parts[1]}, {parts[2], parts[3]}};
    expect_refused([&] { table.plan(move.source, move.target, scaling); }, "different alpha or beta");
  }
  table.expect_untouched();
  table.expect_works();
}

TEST(RedistributionRefusal, EachOptionIsTheSameOnAllProcesses) {
  const Index p = processes();
  if (p == 1) GTEST_SKIP() << "one process cannot differ from another";
  const Distribution square = Distribution::make({2 * p, 2 * p}, {tridap::block(), tridap::whole()}, {p, 1}),
                     flat = Distribution::make({4 * p * p}, {tridap::block()}, {p});
  using Change = std::function<void(Options&)>;
  const std::vector<std::pair<const char*, Change>> changes = {
      {"mapping.axes",
       [](Options& o) {
         o.mapping.axes = {1, 0};
       }},
      {"mapping.fill_padding", [](Options& o) { o.mapping.fill_padding = true; }},
      {"mapping.partial", [](Options& o) { o.mapping.partial = true; }},
      {"path", [](Options& o) { o.path = Path::messages; }},
      {"convert", [](Options& o) { o.convert = true; }},
      {"order", [](Options& o) { o.order = tridap::Order::column_major; }}};
  const auto refused = [](const Distribution& from, const Distribution& to, const Options& options) {
    expect_refused([&] { Redistribution(from, to, 8, MPI_COMM_WORLD, options); },
                   "different distributions, placements or options");
  };
  const Index bad = p / 2;
  for (const auto& [name, change] : changes) {
    SCOPED_TRACE(name);
    Options options;
    if (rank() == bad) change(options);
    refused(square, square, options);
  }
  Options options;
  options.mapping.ravel = rank() == bad ? tridap::Order::column_major : tridap::Order::row_major;
  refused(square, flat, options);
}

TEST(RedistributionRefusal, InterCommunicatorsInEveryCall) {
  if (processes() < 2) GTEST_SKIP() << "needs at least 2 processes";
  const Distribution line = Distribution::make({2 * processes()}, {tridap::block()}, {processes()});
  DistArray array;
  array.buffer = tridap::allocate(tridap::element_type<double>(), {2});
  array.dim_data = line.dim_data(rank());
  const tridap::GlobalIds ids{1, nullptr, rank()};
  namespace move = tridap::redistribute;
  expect_needs_communicator("Redistribution", [&](MPI_Comm comm) { Redistribution(line, line, 8, comm); });
  expect_needs_communicator("gather", [&](MPI_Comm comm) { move::gather(array, comm); });
  expect_needs_communicator("allgather", [&](MPI_Comm comm) { move::allgather(array, comm); });
  expect_needs_communicator("gather", [&](MPI_Comm comm) { move::gather(array, line, comm); });
  expect_needs_communicator("allgather", [&](MPI_Comm comm) { move::allgather(array, line, comm); });
  expect_needs_communicator("scatter", [&](MPI_Comm comm) { move::scatter(array, line, comm); });
  expect_needs_communicator("to_ids", [&](MPI_Comm comm) { move::to_ids(line, ids, 8, comm); });
  expect_needs_communicator("from_ids", [&](MPI_Comm comm) { move::from_ids(ids, line, 8, comm); });
  expect_needs_communicator("relabel", [&](MPI_Comm comm) { move::relabel_collectively(line, line, 8, comm); });
  expect_needs_communicator("update_padding", [&](MPI_Comm comm) { move::update_padding(array, comm); });
  expect_needs_communicator("PaddingUpdate", [&](MPI_Comm comm) { move::PaddingUpdate(array.buffer, line, comm); });
}
