#include "support/oracle.hpp"
#include <tridap/gather_distribution.hpp>
#include <tridap/internal/collective_check.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>

namespace {

using oracle::Counts;
using oracle::List;
using oracle::processes_of;
using tridap::Block;
using tridap::Cyclic;
using tridap::DistArray;
using tridap::Finding;
using tridap::Index;
using tridap::Report;
using tridap::Rule;
using tridap::Unstructured;
using tridap::Version;
using Processes = std::vector<DistArray>;

constexpr Index big = Index{1} << 62;

tridap::Buffer buffer_of(const List& shape) { return tridap::allocate(tridap::element_type<double>(), shape); }

/// A padded block over 2, blocks of 2 dealt over 3, starting with the last; and lists over 2: on 12 processes.
Processes valid() {
  return processes_of(
      {oracle::block({3, 3}, {1}), oracle::cyclic(12, 2, 3, 2), oracle::unstructured({{7, -2}, {0, 4}}, true)});
}

Block& block_of(DistArray& array, std::size_t axis = 0) { return std::get<Block>(array.dim_data[axis].dist); }
Cyclic& cyclic_of(DistArray& array, std::size_t axis = 1) { return std::get<Cyclic>(array.dim_data[axis].dist); }
Unstructured& listed_of(DistArray& array, std::size_t axis = 2) {
  return std::get<Unstructured>(array.dim_data[axis].dist);
}

bool found(const Report& report, Rule rule, std::optional<Index> axis, std::optional<Index> process) {
  for (const Finding& finding : report.findings())
    if (finding.rule == rule && finding.axis == axis && (!process || finding.process == process)) return true;
  return false;
}

TEST(Together, WhatEveryProcessOwnsIsFoundForEachMixOfAxes) {
  for (const oracle::Axis& a : oracle::mixed_axes())
    for (const oracle::Axis& b : oracle::mixed_axes()) {
      const Processes all = processes_of({a, b});
      EXPECT_EQ(tridap::check(all).errors(), 0) << tridap::check(all).text();
      const tridap::Distribution distribution = tridap::gather_distribution(all);
      ASSERT_EQ(distribution.processes(), static_cast<Index>(all.size()));
      for (Index p = 0; p < distribution.processes(); ++p) {
        const tridap::Indices at = distribution.coordinates(p);
        EXPECT_EQ(distribution.local_shape(p), all[static_cast<std::size_t>(p)].buffer.shape);
        oracle::for_each_index(distribution.local_shape(p), [&](const List& local) {
          EXPECT_EQ(distribution.global_index(p, local), (List{a.held_by(at[0])[static_cast<std::size_t>(local[0])],
                                                               b.held_by(at[1])[static_cast<std::size_t>(local[1])]}));
        });
      }
    }
}

/// A fault of one process, and what must be found; `process`: whether the finding names it.
struct Fault {
  std::string name;
  std::function<void(DistArray&)> commit;
  Rule rule;
  std::optional<Index> axis;
  std::string key;
  bool names_process = true;
};

std::vector<Fault> faults() {
  return {
      {"size", [](DistArray& a) { a.dim_data[1].size += 2; }, Rule::agree_size, 1, "", false},
      {"grid size", [](DistArray& a) { a.dim_data[1].proc_grid_size = 4; }, Rule::agree_proc_grid_size, 1, "", false},
      {"grid rank", [](DistArray& a) { a.dim_data[1].proc_grid_rank = 3; }, Rule::grid_rank, 1, "proc_grid_rank"},
      {"periodic", [](DistArray& a) { a.dim_data[0].periodic = true; }, Rule::agree_periodic, 0, "", false},
      {"block size",
       [](DistArray& a) {
         cyclic_of(a) = {0, 3};
       },
       Rule::agree_block_size, 1, "", false},
      {"one_to_one", [](DistArray& a) { listed_of(a).one_to_one = false; }, Rule::agree_one_to_one, 2, "", false},
      {"dist_type", [](DistArray& a) { a.dim_data[2].dist = Cyclic{}; }, Rule::agree_dist_type, 2, "", false},
      {"bounds", [](DistArray& a) { block_of(a).stop = 7; }, Rule::block_bounds, 0, "stop"},
      {"negative start", [](DistArray& a) { block_of(a).start = -1; }, Rule::block_bounds, 0, "start"},
      {"other unknown keys",
       [](DistArray& a) {
         a.dim_data[0].extras = {{"units", "\"m\""}};
       },
       Rule::axis_same, 0, ""},
      {"another share", [](DistArray& a) { block_of(a).start += 1; }, Rule::axis_same, 0, ""},
      {"padding",
       [](DistArray& a) {
         block_of(a).padding = {{9, 9}};
       },
       Rule::block_padding, 0, "padding"},
      {"dealing", [](DistArray& a) { cyclic_of(a).start = 8; }, Rule::cyclic_start, 1, "start"},
      {"no block", [](DistArray& a) { cyclic_of(a).block_size = 0; }, Rule::cyclic_block_size, 1, "block_size"},
      {"twice",
       [](DistArray& a) {
         listed_of(a).indices = List{3, 3};
       },
       Rule::unstructured_unique, 2, "indices"},
      {"other list",
       [](DistArray& a) {
         listed_of(a).indices = List{3, 8};
       },
       Rule::axis_same, 2, "indices"},
      {"too many", [](DistArray& a) { listed_of(a).indices = List(9, 0); }, Rule::unstructured_size, 2, "size"},
      {"extent",
       [](DistArray& a) {
         a.buffer = buffer_of({1, 1, 1});
       },
       Rule::shape_extent, 1, ""},
      {"ndim of the buffer", [](DistArray& a) { a.buffer = buffer_of({9}); }, Rule::shape_ndim, {}, ""},
      {"one axis less", [](DistArray& a) { a.dim_data.pop_back(); }, Rule::agree_ndim, {}, "", false},
      {"element type",
       [](DistArray& a) { a.buffer.type.kind = tridap::ElementType::Kind::signed_integer; },
       Rule::agree_element_type,
       {},
       "",
       false},
      {"version", [](DistArray& a) { a.version = "0.9.0"; }, Rule::agree_version, {}, "", false},
      {"no version", [](DistArray& a) { a.version = "x"; }, Rule::version_form, {}, "__version__"},
      {"no address", [](DistArray& a) { a.buffer.data = nullptr; }, Rule::buffer_data, {}, ""},
      {"huge grid",
       [](DistArray& a) { a.dim_data[0].proc_grid_size = a.dim_data[1].proc_grid_size = big; },
       Rule::grid_product,
       {},
       ""},
  };
}

TEST(Together, OneBadProcessOfManyIsFoundWhicheverItIs) {
  ASSERT_EQ(tridap::check(valid()).text(), "");
  for (const Fault& fault : faults())
    for (std::size_t bad = 0; bad < valid().size(); ++bad) {
      Processes all = valid();
      fault.commit(all[bad]);
      const Report report = tridap::check(all);
      const auto process = fault.names_process ? std::optional<Index>(static_cast<Index>(bad)) : std::nullopt;
      const bool first = fault.rule == Rule::axis_same &&
                         (fault.axis == 0 ? bad % 6 == 0 : bad < 2);  // then the others at its coordinate differ
      EXPECT_TRUE(found(report, fault.rule, fault.axis, first ? std::nullopt : process))
          << fault.name << " on " << bad << '\n'
          << report.text();
      for (const Finding& finding : report.findings())
        EXPECT_TRUE(finding.rule != fault.rule || fault.key.empty() || finding.key == fault.key) << report.text();
      EXPECT_NE(report.text().find("rank " + std::to_string(bad)), std::string::npos) << fault.name << report.text();
      EXPECT_THROW(tridap::gather_distribution(all), tridap::Error) << fault.name;
    }
}

TEST(Together, FaultsOnDifferentAxesOfDifferentProcessesAreAllFoundAtOnce) {
  // Faults after which the processes have no known place, and what is compared only between known places.
  const std::set<Rule> placeless = {Rule::agree_ndim,   Rule::agree_version,        Rule::version_form,
                                    Rule::grid_product, Rule::agree_proc_grid_size, Rule::grid_rank};
  const auto hides = [&](const Fault& fault, const Fault& other) {
    return placeless.count(fault.rule) > 0 && (!fault.axis || !other.names_process || other.rule == Rule::axis_same);
  };
  for (const Fault& one : faults())
    for (const Fault& other : faults()) {
      if (one.axis == other.axis || hides(one, other) || hides(other, one)) continue;
      Processes all = valid();
      one.commit(all[4]);
      other.commit(all[9]);
      const Report report = tridap::check(all);
      for (const Fault& fault : {one, other})
        EXPECT_EQ(report.count(fault.rule) > 0, true) << one.name << " and " << other.name << '\n' << report.text();
    }
}

TEST(Together, WrongAxisOfOneProcessHidesNothingBetweenTheOthers) {
  // Another share begins late: what only the processes together can find.
  const std::vector<std::pair<std::function<void(Processes&)>, Rule>> between = {
      {[](Processes& all) {
         for (DistArray& a : all)
           if (a.dim_data[0].proc_grid_rank == 1) block_of(a).padding = {{0, 0}};
       },
       Rule::block_padding_neighbour},
      {[](Processes& all) {
         for (DistArray& a : all)
           if (a.dim_data[1].proc_grid_rank == 1) cyclic_of(a).start = 12;
       },
       Rule::cyclic_start},
      {[](Processes& all) {
         for (DistArray& a : all) listed_of(a).indices = List{5, 6};
       },
       Rule::unstructured_one_to_one}};
  for (const auto& [spoil, rule] : between)
    for (const Fault& fault : faults()) {
      const std::set<Rule> hides = {Rule::agree_proc_grid_size, Rule::grid_rank,     Rule::grid_product,
                                    Rule::agree_ndim,           Rule::agree_version, Rule::version_form};
      Processes all = valid();
      spoil(all);
      fault.commit(all[6]);
      const Report report = tridap::check(all);
      const Index axis = rule == Rule::cyclic_start ? 1 : rule == Rule::block_padding_neighbour ? 0 : 2;
      if (fault.axis == axis || hides.count(fault.rule) > 0) continue;
      EXPECT_TRUE(found(report, rule, axis, {})) << fault.name << '\n' << report.text();
    }
}

TEST(Together, WrongAxisOfOneProcessHidesNotWhatTheOthersSayOfIt) {
  Processes all = valid();
  block_of(all[0]).stop = -1;
  const Index before = all[3].dim_data[0].size;
  all[3].dim_data[0].size += 1;
  const Report report = tridap::check(all);
  EXPECT_EQ(report.count(Rule::block_bounds), 1) << report.text();
  EXPECT_EQ(report.count(Rule::agree_size), 1) << report.text();
  EXPECT_TRUE(found(report, Rule::agree_size, 0, {})) << report.text();
  for (const tridap::Finding& finding : report.findings()) {
    if (finding.rule != Rule::agree_size) continue;
    EXPECT_EQ(finding.key, "size");
    ASSERT_EQ(finding.others.size(), 2u);
    EXPECT_EQ(finding.others[1].process, 3);
    EXPECT_NE(finding.text().find("'size' is " + std::to_string(before) + " on rank 1 and " +
                                  std::to_string(before + 1) + " on rank 3, but must be the same"),
              std::string::npos)
        << finding.text();
  }
}

TEST(Together, ValueOfMostProcessesIsNamedIfOneDiffers) {
  for (std::size_t bad = 0; bad < valid().size(); ++bad) {
    Processes all = valid();
    all[bad].dim_data[1].size = 99;
    const std::string text = tridap::check(all).text();
    EXPECT_NE(text.find("'size' is 12 on rank " + std::to_string(bad == 0 ? 1 : 0) + " and 99 on rank " +
                        std::to_string(bad) + ", but must be the same: it is 12 on 11 of 12 processes [agree.size]"),
              std::string::npos)
        << text;
  }
  Processes all = valid();
  for (std::size_t half = 0; half < 6; ++half) all[half].dim_data[1].size = 99;
  EXPECT_EQ(tridap::check(all).text().find(" of 12 processes"), std::string::npos) << tridap::check(all).text();
  all = processes_of(std::vector<oracle::Axis>(10, oracle::block({1})));
  all.insert(all.end(), 2, all[0]);  // more axes than travel at once
  all[1].dim_data[9].size = 3;
  EXPECT_NE(tridap::check(all).text().find("it is 1 on 2 of 3 processes"), std::string::npos)
      << tridap::check(all).text();
}

TEST(Together, ShareOfMostProcessesAtACoordinateIsNamed) {
  for (std::size_t bad = 0; bad < valid().size(); ++bad) {  // six processes are at each coordinate of axis 0
    Processes all = valid();
    block_of(all[bad]).start += 1;
    const Report report = tridap::check(all);
    const bool is_first = bad % 6 == 0;  // the others are compared with it
    EXPECT_EQ(report.count(Rule::axis_same), is_first ? 5 : 1) << report.text();
    for (const Finding& finding : report.findings()) {
      if (finding.rule != Rule::axis_same) continue;
      const std::string coordinate = bad < 6 ? "0" : "1";
      EXPECT_EQ(finding.must,
                "at coordinate " + coordinate +
                    (is_first ? ", and on no other of the 6 processes there" : ", as on 5 of the 6 processes there"));
    }
  }
}

TEST(Together, WrongAxisWithAnotherGridIsToldOfBoth) {
  Processes all = valid();
  block_of(all[5]).stop = 7;
  all[5].dim_data[0].proc_grid_size = 3;
  EXPECT_EQ(tridap::check(all).count(Rule::block_bounds), 1);
  EXPECT_EQ(tridap::check(all).count(Rule::agree_proc_grid_size), 1) << tridap::check(all).text();
}

TEST(Together, EdgeWidthsMayDifferAlongTheOtherAxisUnlessTheyAreMirrors) {
  for (const bool periodic : {false, true}) {
    Processes all = processes_of({oracle::block({3, 2}, {1}, {1, 1}, periodic), oracle::block({1, 1})});
    EXPECT_EQ(tridap::check(all).text(), "");
    block_of(all[1]).padding = {{0, 1}};
    EXPECT_EQ(tridap::check(all).counts(), periodic ? (Counts{{Rule::axis_same, 1}}) : Counts{})
        << tridap::check(all).text();
  }
}

TEST(Together, GridIsOfAsManyProcessesAsThereAreAndInTheirOrder) {
  Processes all = valid();
  all.pop_back();
  EXPECT_EQ(tridap::check(all).counts(), (Counts{{Rule::grid_product, 1}}));
  all = valid();
  std::swap(all[3], all[8]);
  EXPECT_EQ(tridap::check(all).counts(), (Counts{{Rule::grid_order, 2}}));
  EXPECT_TRUE(found(tridap::check(all), Rule::grid_order, {}, 3));
  EXPECT_TRUE(found(tridap::check(all), Rule::grid_order, {}, 8));
  EXPECT_EQ(tridap::check(Processes{}).counts(), (Counts{{Rule::grid_product, 1}}));
  EXPECT_THROW(tridap::gather_distribution(Processes{}), tridap::Error);
}

TEST(Together, MoreAxesThanTravelAtOnceAreComparedAll) {
  for (std::size_t bad = 0; bad < 12; ++bad) {
    Processes all = processes_of(std::vector<oracle::Axis>(12, oracle::block({1})));
    EXPECT_EQ(tridap::check(all).text(), "");
    all = processes_of([] {
      std::vector<oracle::Axis> axes(12, oracle::block({2}));
      axes[10] = oracle::block({1, 1});
      return axes;
    }());
    if (bad == 10) continue;
    EXPECT_EQ(tridap::check(all).text(), "");
    all[1].dim_data[bad].size = 3;
    EXPECT_EQ(tridap::check(all).count(Rule::agree_size), 1) << bad << tridap::check(all).text();
    EXPECT_TRUE(found(tridap::check(all), Rule::agree_size, static_cast<Index>(bad), {})) << bad;
  }
}

TEST(Together, SharedIndicesAreCountedByWhatSizeSays) {
  const auto counts = [](std::vector<List> lists, Index size, bool one_to_one) {
    Processes all = processes_of({oracle::unstructured(lists, one_to_one), oracle::block({1, 1})});
    for (DistArray& array : all) array.dim_data[0].size = size;
    return tridap::check(all).counts();
  };
  EXPECT_EQ(counts({{1, 2}, {2, 3}}, 4, false), Counts{});
  EXPECT_EQ(counts({{1, 2}, {2, 3}}, 3, false), (Counts{{Rule::unstructured_distinct, 1}}));
  EXPECT_EQ(counts({{1, 2}, {2, 3}}, 2, false), (Counts{{Rule::unstructured_size, 1}}));
  EXPECT_EQ(counts({{1, 2}, {2, 3}}, 5, false), (Counts{{Rule::unstructured_size, 1}}));
  EXPECT_EQ(counts({{1, 2}, {2, 3}}, 4, true), (Counts{{Rule::unstructured_one_to_one, 1}}));
  EXPECT_EQ(counts({{1, 2}, {2, 1}, {2}}, 5, true), (Counts{{Rule::unstructured_one_to_one, 3}}));
  EXPECT_EQ(counts({{1, 2}, {}, {-9}}, 3, true), Counts{});
}

/// Stamped one way, with the extents of the other.
Processes stamped(const std::vector<oracle::Axis>& axes, Version data, Version stamp) {
  const tridap::Distribution distribution = tridap::gather_distribution(processes_of(axes));
  Processes all;
  for (Index p = 0; p < distribution.processes(); ++p) {
    DistArray array;
    array.version = tridap::stamp(stamp);
    array.dim_data = distribution.dim_data(p, data);
    array.buffer = buffer_of(distribution.local_shape(p));
    all.push_back(array);
  }
  return all;
}

TEST(Trust, ExtentOverridesAStampThatLiesOnEveryProcess) {
  const std::vector<oracle::Axis> axes = {oracle::block({3, 4, 3}, {1, 2}, {1, 2}), oracle::block({4, 4}, {2})};
  for (const auto& [data, stamp] :
       {std::pair(Version::v0_10, Version::v0_9), std::pair(Version::v0_9, Version::v0_10)}) {
    const Processes all = stamped(axes, data, stamp);
    const Report plain = tridap::check(all), trusting = tridap::check(all, {true});
    EXPECT_GT(plain.count(Rule::shape_extent), 0);
    const std::string other = std::string("it would fit as version ") + (data == Version::v0_9 ? "0.9" : "0.10") + ":";
    for (const Finding& finding : plain.findings())
      EXPECT_EQ(finding.rule == Rule::shape_extent ? finding.remedy.find(other) : 0, std::size_t{0}) << finding.text();
    EXPECT_EQ(trusting.counts(), (Counts{{Rule::version_extent, static_cast<Index>(all.size())}})) << trusting.text();
    const tridap::Distribution distribution = tridap::gather_distribution(all, {true});
    EXPECT_EQ(distribution.shape(), (List{10, 8}));
    EXPECT_EQ(distribution.local_shape(0), all[0].buffer.shape);
    EXPECT_THROW(tridap::gather_distribution(all), tridap::Error);
  }
}

TEST(Trust, HonestStampIsBelievedWithoutAWarning) {
  for (const Version version : {Version::v0_9, Version::v0_10})
    EXPECT_EQ(tridap::check(stamped({oracle::block({3, 4}, {1})}, version, version), {true}).text(), "");
  EXPECT_EQ(tridap::check(valid(), {true}).text(), "");
}

TEST(Trust, StampIsKeptIfOnlySomeExtentsFitTheOtherVersion) {
  const std::vector<oracle::Axis> axes = {oracle::block({3, 4, 3}, {1, 2})};
  Processes all = stamped(axes, Version::v0_10, Version::v0_9);
  all[1].buffer = buffer_of({all[1].buffer.shape[0] + 100});
  EXPECT_EQ(tridap::check(all, {true}).count(Rule::version_extent), 0);
  EXPECT_GT(tridap::check(all, {true}).count(Rule::shape_extent), 0);
  all = stamped(axes, Version::v0_10, Version::v0_9);
  all[2].version = "0.10.0";
  EXPECT_EQ(tridap::check(all, {true}).count(Rule::agree_version), 1);
  EXPECT_EQ(tridap::check(all, {true}).count(Rule::version_extent), 0);
}

TEST(Trust, StampsThatLieEachInItsWayAreNotFollowed) {
  const std::vector<oracle::Axis> axes = {oracle::block({3, 4, 3}, {1, 2})};
  Processes all = stamped(axes, Version::v0_10, Version::v0_9);
  all[1] = stamped(axes, Version::v0_9, Version::v0_10)[1];
  EXPECT_EQ(tridap::check(all, {true}).count(Rule::version_extent), 0);
  EXPECT_EQ(tridap::check(all, {true}).count(Rule::agree_version), 1);
}

/// Every process in one place, keeping count of what the collective calls were.
class CountingTeam : public tridap::Collectives {
 public:
  explicit CountingTeam(Index processes) : processes_(processes) {}
  Index processes() const override { return processes_; }
  void max(std::vector<Index>& numbers) override {
    ++reductions;
    words = std::max(words, numbers.size());
  }
  bool all(bool here) override { return here; }  // whether memory ended: one flag, not counted here
  void sum(std::vector<Index>&) override { ++reductions; }
  std::vector<tridap::Message> exchange(std::vector<tridap::Message> messages) override {
    ++exchanges;
    return messages;
  }
  int reductions = 0, exchanges = 0;
  std::size_t words = 0;

 private:
  Index processes_;
};

std::vector<tridap::LocalArray> members_of(const Processes& all) {
  std::vector<tridap::LocalArray> members;
  for (const DistArray& array : all) members.push_back({static_cast<Index>(members.size()), &array, nullptr});
  return members;
}

TEST(Confer, TakesTwoReductionsAndNoListWhereNothingIsUnstructured) {
  for (const Index grid : {1, 4, 30}) {
    const Processes all =
        processes_of({oracle::block(List(static_cast<std::size_t>(grid), 2)), oracle::cyclic(9, 2, 3)});
    const std::vector<tridap::LocalArray> members = members_of(all);
    CountingTeam collectives(static_cast<Index>(all.size()));
    const tridap::CheckOutcome outcome = tridap::check_collectively(members, collectives, {}, false);
    EXPECT_EQ(outcome.reports.size(), all.size());
    EXPECT_FALSE(outcome.distribution);
    EXPECT_EQ(collectives.reductions, 2);
    EXPECT_EQ(collectives.exchanges, 0);
    EXPECT_LE(collectives.words, std::max<std::size_t>(200, 12 * static_cast<std::size_t>(grid + 3)));
    EXPECT_TRUE(tridap::check_collectively(members, collectives, {}, true).distribution);
  }
}

TEST(Confer, FindingsAreInTheReportOfTheProcessThatIsWrong) {
  Processes all = valid();
  block_of(all[7]).stop = 99;
  Report reading;
  reading.add({Rule::type_integer, {}, 1, "size", "null", "", ""});
  std::vector<tridap::LocalArray> members = members_of(all);
  members[2].reading = &reading;
  CountingTeam collectives(12);
  const tridap::CheckOutcome outcome = tridap::check_collectively(members, collectives, {}, true);
  EXPECT_FALSE(outcome.distribution);
  for (std::size_t k = 0; k < all.size(); ++k) {
    EXPECT_EQ(outcome.reports[k].count(Rule::block_bounds), k == 7 ? 1 : 0) << k;
    EXPECT_EQ(outcome.reports[k].count(Rule::type_integer), k == 2 ? 1 : 0) << k;
  }
}

// Unknown keys of two processes at one coordinate of an axis.
bool agree_on(const std::vector<tridap::Extra>& one, const std::vector<tridap::Extra>& other) {
  Processes all = valid();  // a grid of several axes: processes 0 and 1 are at one coordinate of axis 0
  for (DistArray& array : all) array.dim_data[0].extras = one;
  all[1].dim_data[0].extras = other;
  return tridap::check(all).count(Rule::axis_same) == 0;
}

TEST(Together, UnknownKeysAreComparedByWhatTheyAreWorth) {
  EXPECT_TRUE(agree_on({{"a", "1"}, {"b", "[1, 2]"}}, {{"b", "[1,2.0]"}, {"a", "1.0"}}));
  EXPECT_TRUE(agree_on({{"a", R"({"x": 1, "y": {"z": null}})"}}, {{"a", R"({"y":{"z":null},"x":1})"}}));
  EXPECT_TRUE(agree_on({{"a", "\"<object at 0x1>\"", false}}, {{"a", "\"<object at 0x2>\"", false}}));
  for (const auto& [one, other] :
       std::vector<std::pair<const char*, const char*>>{{"1", "2"},
                                                        {"1", "\"1\""},
                                                        {"1", "true"},
                                                        {"null", "0"},
                                                        {"[1, 2]", "[2, 1]"},
                                                        {"[[1], 2]", "[[1, 2]]"},
                                                        {"{\"a\": 1}", "[\"a\", 1]"},
                                                        {"18446744073709551616", "18446744073709551617"},
                                                        {"0.5", "0.25"},
                                                        {"no JSON", "no JSON at all"},
                                                        {"\"\"", "[]"}})
    EXPECT_FALSE(agree_on({{"a", one}}, {{"a", other}})) << one << " and " << other;
  EXPECT_FALSE(agree_on({{"a", "1"}}, {{"b", "1"}}));
  EXPECT_FALSE(agree_on({{"a", "1"}}, {}));
}

// The protocol gives `{}` a meaning in 0.10 only [empty-dict]. In 0.9 it hides the axis, and nothing is compared with
// it.
TEST(Together, EmptyDictionaryOfTheOldVersionIsTheOnlyFinding) {
  Processes all = processes_of({oracle::block({3, 3}), oracle::block({2, 2})});
  for (DistArray& array : all) array.version = "0.9.0";
  ASSERT_EQ(tridap::check(all).text(), "");
  Report reading;
  reading.add({Rule::empty_dict, {}, 0, "dim_data", "{}", "must have dist_type and size in 0.9", ""});
  for (std::size_t bad = 0; bad < all.size(); ++bad) {
    Processes spoilt = all;
    spoilt[bad].dim_data[0] = tridap::undistributed(3);  // as read_array() leaves such an axis
    std::vector<tridap::LocalArray> members = members_of(spoilt);
    members[bad].reading = &reading;
    CountingTeam collectives(static_cast<Index>(all.size()));
    const tridap::CheckOutcome outcome = tridap::check_collectively(members, collectives, {}, true);
    EXPECT_FALSE(outcome.distribution);
    for (std::size_t k = 0; k < all.size(); ++k)
      EXPECT_EQ(outcome.reports[k].counts(), k == bad ? (Counts{{Rule::empty_dict, 1}}) : Counts{})
          << outcome.reports[k].text();
  }
}

}  // namespace
