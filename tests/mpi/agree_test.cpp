#include "mpi/support.hpp"
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/mpi/agree.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

namespace {

using tridap::Error;
using tridap::Finding;
using tridap::Index;
using tridap::MinMax;
using tridap::Report;
using tridap::Rule;
using tridap::mpi::agree;
using tridap::mpi::collectively;
using tridap::mpi::min_max;
using tridap::mpi::throw_together;
using Findings = std::vector<Finding>;

constexpr Index lowest = std::numeric_limits<Index>::min(), highest = std::numeric_limits<Index>::max();

/// The `i`-th thing that process `p` finds.
Finding found(Rule rule, Index p, Index i) {
  return {rule, p, i, "key " + std::to_string(i), "value " + std::to_string(p), "must", i % 2 ? "remedy" : ""};
}

Report report_of(const Findings& findings) {
  Report report;
  for (const Finding& finding : findings) report.add(finding);
  return report;
}

/// One list after another; of each rule the first hundred are shown and all are counted.
std::string shown(const std::vector<Findings>& of_each_process) {
  oracle::Counts counts;
  std::string kept;
  for (const Findings& findings : of_each_process)
    for (const Finding& finding : findings)
      if (++counts[finding.rule] <= 100) kept += on::all_of(finding);
  return on::all_of(counts) + kept;
}

/// Process p finds `of(p)`: everybody gets the lists of all, in the order of ranks.
void expect_agreement(MPI_Comm comm, const std::function<Findings(Index)>& of) {
  std::vector<Findings> all;
  for (Index p = 0; p < on::processes(comm); ++p) all.push_back(of(p));
  const Report agreed = agree(report_of(of(on::rank(comm))), comm);
  EXPECT_EQ(on::all_of(agreed), shown(all));
  EXPECT_TRUE(on::same_everywhere(on::all_of(agreed), comm));
}

TEST(Agree, EmptyReportsThrowNothing) {
  on::every_communicator([](MPI_Comm comm) {
    EXPECT_EQ(agree({}, comm).counts(), oracle::Counts{});
    EXPECT_NO_THROW(throw_together({}, comm));
  });
}

TEST(Agree, RankIsThatInTheCommunicator) {
  on::every_communicator([](MPI_Comm comm) { EXPECT_EQ(tridap::mpi::rank_of(comm), on::rank(comm)); });
}

TEST(Agree, WhatOneProcessFoundAllKnow) {
  on::every_communicator([](MPI_Comm comm) {
    for (Index r = 0; r < on::processes(comm); ++r) {
      expect_agreement(comm, [r](Index p) {
        return p == r ? Findings{found(Rule::size, p, 3), found(Rule::extra_key, p, 1), found(Rule::size, p, 2)}
                      : Findings{};
      });
      expect_agreement(comm, [r](Index p) { return p == r ? Findings{} : Findings{found(Rule::grid_rank, p, 0)}; });
    }
  });
}

TEST(Agree, EveryRuleTravels) {
  expect_agreement(MPI_COMM_WORLD, [](Index p) {
    Findings all;
    for (int rule = tridap::rule_count; rule-- > 0;) all.push_back(found(static_cast<Rule>(rule), p, rule));
    return all;
  });
}

TEST(Agree, FirstHundredOfEachRuleAreKeptAndAllAreCounted) {
  on::every_communicator([](MPI_Comm comm) {
    for (const Index each : {1, 70, 100, 101, 250})
      expect_agreement(comm, [each](Index p) {
        Findings all;
        for (Index i = 0; i < each; ++i) {
          all.push_back(found(Rule::size, p, i));
          if (i % 3 == p % 3) all.push_back(found(Rule::periodic_kind, p, i));
          if (i < p) all.push_back(found(Rule::conversion, p, i));
        }
        return all;
      });
  });
}

TEST(Agree, CountsAreExactWhereLittleIsKept) {
  Report local;
  for (Index i = 0; i < 100000; ++i) local.add(found(Rule::block_bounds, on::rank(MPI_COMM_WORLD), i));
  const Report agreed = agree(local, MPI_COMM_WORLD);
  EXPECT_EQ(agreed.count(Rule::block_bounds), 100000 * on::processes(MPI_COMM_WORLD));
  EXPECT_EQ(agreed.findings().size(), 100u);
}

TEST(Agree, WarningsComeBackAndThrowNothing) {
  on::every_communicator([](MPI_Comm comm) {
    for (Index r = 0; r < on::processes(comm); ++r) {
      const auto warning = [r](Index p) { return p == r ? Findings{found(Rule::extra_key, p, 0)} : Findings{}; };
      expect_agreement(comm, warning);
      EXPECT_NO_THROW(throw_together(report_of(warning(on::rank(comm))), comm));
    }
  });
}

TEST(Agree, ThrownErrorHoldsTheWarningsOfTheOthers) {
  on::every_communicator([](MPI_Comm comm) {
    const Index last = on::processes(comm) - 1;
    for (Index r = 0; r <= last; ++r) {
      std::vector<Findings> all(static_cast<std::size_t>(last + 1));
      for (Index p = 0; p <= last; ++p)
        all[static_cast<std::size_t>(p)] = {found(p == r ? Rule::size : Rule::extra_key, p, 0)};
      const Report local = report_of(all[static_cast<std::size_t>(on::rank(comm))]);
      const auto error = on::error_of([&] { throw_together(local, comm); });
      ASSERT_TRUE(error.has_value());
      EXPECT_EQ(on::all_of(error->report()), shown(all));
      EXPECT_TRUE(on::same_everywhere(error->what(), comm));
    }
  });
}

TEST(Agree, AnyBytesAndMissingFieldsTravel) {
  expect_agreement(MPI_COMM_WORLD, [](Index p) {
    return Findings{{Rule::size, {}, {}, "", "", "", ""},
                    {Rule::size, lowest, highest, std::string("\0a\nb\0", 5), "\xc3\xa9", "\xff", "|"},
                    {Rule::size, {}, p, "only axis", "", "", ""},
                    {Rule::size, p, {}, "only process", "", "", ""}};
  });
}

TEST(Agree, VeryLongTextsComeBackAsTheirBeginning) {
  const std::string text(20000, 'x');
  Report local;
  for (Index i = 0; i < 300; ++i) local.add({Rule::size, on::rank(MPI_COMM_WORLD), i, text, text, text, text});
  const Report agreed = agree(local, MPI_COMM_WORLD);
  EXPECT_EQ(agreed.count(Rule::size), 300 * on::processes(MPI_COMM_WORLD));
  ASSERT_EQ(agreed.findings().size(), 100u);
  for (const Finding& finding : agreed.findings())
    for (const std::string& field : {finding.key, finding.value, finding.must, finding.remedy}) {
      EXPECT_GE(field.size(), 500u);
      EXPECT_EQ(field, text.substr(0, field.size()));
    }
  EXPECT_TRUE(on::same_everywhere(on::all_of(agreed), MPI_COMM_WORLD));
}

TEST(Agree, LongTextsAreCutBetweenCharacters) {
  for (const std::string before : {"", "x"}) {
    std::string text = before;
    for (int i = 0; i < 2000; ++i) text += "\xc3\xa9";  // two bytes each
    const Report agreed = agree(report_of({{Rule::size, {}, {}, "", text, "", ""}}), MPI_COMM_WORLD);
    EXPECT_EQ((agreed.findings().at(0).value.size() - before.size()) % 2, 0u) << "'" << before << "'";
  }
}

TEST(Agree, LeavesTheCallersMessagesAlone) {
  on::every_communicator([](MPI_Comm comm) {
    const on::PendingReceive pending(comm);
    const Index r = on::rank(comm);
    EXPECT_FALSE(agree(report_of({found(Rule::size, r, 0)}), comm).ok());
    EXPECT_THROW(collectively(comm, [] { throw std::runtime_error("all"); }), Error);
    EXPECT_EQ(min_max({r}, comm).front().largest, on::processes(comm) - 1);
  });
}

TEST(Collectively, GivesEachProcessItsOwnValue) {
  struct NoDefault {
    explicit NoDefault(int v) : value(v) {}
    int value;
  };
  on::every_communicator([](MPI_Comm comm) {
    const int r = on::rank(comm);
    EXPECT_EQ(collectively(comm, [r] { return 10 * r; }), 10 * r);
    EXPECT_EQ(*collectively(comm, [r] { return std::make_unique<int>(r); }), r);
    EXPECT_EQ(collectively(comm, [r] { return NoDefault(r); }).value, r);
    EXPECT_EQ(collectively(comm, [r] { return std::vector<int>(3, r); }), std::vector<int>(3, r));
    EXPECT_EQ(collectively(comm, [r] { return std::optional<bool>(r > 0); }), r > 0);
  });
}

TEST(Collectively, RunsAStepWithoutValueOnce) {
  int runs = 0;
  auto step = [&runs]() mutable { ++runs; };
  static_assert(std::is_void_v<decltype(collectively(MPI_COMM_WORLD, step))>);
  collectively(MPI_COMM_WORLD, step);
  EXPECT_EQ(runs, 1);
}

using Thrower = std::function<void()>;

TEST(Collectively, OneThrowingProcessMakesAllThrowTheSame) {
  struct Way {
    Thrower thrower;
    Rule rule;
    std::string says;
  };
  const std::vector<Way> ways = {
      {[] { throw std::runtime_error("no luck"); }, Rule::process_failure, "no luck"},
      {[] { throw std::bad_alloc(); }, Rule::process_failure, std::bad_alloc().what()},
      {[] {
         throw Error(Finding{Rule::conversion, {}, 2, "stop", "12", "must be less", "mend it"});
       },
       Rule::conversion, "'stop' is 12, must be less [conversion]: mend it"},
      {[] { throw 42; }, Rule::process_failure, "unknown type"},
      {[] { throw "text"; }, Rule::process_failure, "unknown type"},
  };
  on::every_communicator([&](MPI_Comm comm) {
    for (Index r = 0; r < on::processes(comm); ++r)
      for (const Way& way : ways) {
        bool finished = false;
        const auto step = [&] {
          if (on::rank(comm) == r) way.thrower();
          finished = true;
          return std::make_unique<int>(1);
        };
        const auto error = on::error_of([&] { collectively(comm, step); });
        const auto of_void = on::error_of([&] { collectively(comm, [&] { step(); }); });
        ASSERT_TRUE(error.has_value() && of_void.has_value());
        EXPECT_EQ(finished, on::rank(comm) != r);
        EXPECT_EQ(error->report().counts(), (oracle::Counts{{way.rule, 1}}));
        EXPECT_EQ(error->report().findings().at(0).process, r);
        on::expect_says(error->what(), way.says);
        EXPECT_TRUE(on::same_everywhere(error->what(), comm));
        EXPECT_STREQ(error->what(), of_void->what());
      }
  });
}

TEST(Collectively, AllThrowingProcessesAreHeard) {
  on::every_communicator([](MPI_Comm comm) {
    const Index r = on::rank(comm), processes = on::processes(comm);
    const auto error =
        on::error_of([&] { collectively(comm, [r] { throw std::runtime_error("of " + std::to_string(r)); }); });
    ASSERT_TRUE(error.has_value());
    ASSERT_EQ(error->report().findings().size(), static_cast<std::size_t>(processes));
    for (Index p = 0; p < processes; ++p) {
      EXPECT_EQ(error->report().findings()[static_cast<std::size_t>(p)].process, p);
      EXPECT_EQ(error->report().findings()[static_cast<std::size_t>(p)].value, "of " + std::to_string(p));
    }
  });
}

TEST(Collectively, KeepsTheProcessThatAnErrorNames) {
  const auto error = on::error_of([] {
    collectively(MPI_COMM_WORLD, [] { throw Error(Finding{Rule::size, 77, {}, "", "far", "", ""}); });
  });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->report().findings().at(0).process, 77);
}

TEST(Collectively, AnErrorWithoutAViolationIsStillThrownByAll) {
  const int r = on::rank(MPI_COMM_WORLD);
  const Report empty, warning = report_of({found(Rule::extra_key, 0, 0)});
  for (const Report& report : {empty, warning}) {
    const auto error = on::error_of([&] {
      collectively(MPI_COMM_WORLD, [&] {
        if (r == 0) throw Error(report);
      });
    });
    EXPECT_TRUE(error.has_value()) << report.text();
  }
}

/// The spread, found from every process's numbers in one table.
void expect_spread(MPI_Comm comm, const std::vector<Index>& values) {
  const auto count = values.size(), processes = static_cast<std::size_t>(on::processes(comm));
  std::vector<Index> table(count * processes);
  MPI_Allgather(values.data(), static_cast<int>(count), MPI_INT64_T, table.data(), static_cast<int>(count), MPI_INT64_T,
                comm);
  const std::vector<MinMax> spreads = min_max(values, comm);
  ASSERT_EQ(spreads.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    Index smallest = table[i], largest = table[i], smallest_rank = 0, largest_rank = 0;
    for (std::size_t p = 0; p < processes; ++p) {
      const Index value = table[p * count + i];
      if (value < smallest) smallest = value, smallest_rank = static_cast<Index>(p);
      if (value > largest) largest = value, largest_rank = static_cast<Index>(p);
    }
    EXPECT_EQ(spreads[i].smallest, smallest);
    EXPECT_EQ(spreads[i].largest, largest);
    EXPECT_EQ(spreads[i].is_same(), smallest == largest);
    if (smallest == largest) continue;
    EXPECT_EQ(spreads[i].smallest_rank, smallest_rank) << i;
    EXPECT_EQ(spreads[i].largest_rank, largest_rank) << i;
  }
}

TEST(MinMax, FindsExtremesAndTheLowestRanksThatHaveThem) {
  on::every_communicator([](MPI_Comm comm) {
    const Index r = on::rank(comm);
    expect_spread(comm, {});
    expect_spread(comm, {5, -5, 0});
    expect_spread(comm, {r, -r, r % 2, 1 - r % 2, r / 2, 7, r == 1 ? 3 : 4, r * (3 - r)});
    expect_spread(comm, {lowest, highest, r % 2 ? lowest : highest, r % 2 ? highest : lowest, r ? -1 : lowest,
                         r ? highest : 0, r ? lowest : 0, lowest + r, highest - r});
    std::vector<Index> many;
    for (Index i = 0; i < 2000; ++i) many.push_back((r * 7919 + i * i * 31 + 5) % 11 - 5);
    expect_spread(comm, many);
    for (Index only = 0; only < on::processes(comm); ++only)
      for (const Index other : {lowest, Index{-1}, Index{1}, highest}) expect_spread(comm, {r == only ? other : 0, 0});
  });
}

}  // namespace
