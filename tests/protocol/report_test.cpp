#include "support/oracle.hpp"
#include <tridap/report.hpp>
#include <tridap/value.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace {

using oracle::Counts;
using tridap::Finding;
using tridap::Index;
using tridap::Report;
using tridap::Rule;

Finding finding(Rule rule, const std::string& value = "7", std::optional<Index> process = {}) {
  return {rule, process, 1, "stop", value, "must be less", "mend it"};
}

Report report_of(Rule rule, int times, int first = 0) {
  Report report;
  for (int i = 0; i < times; ++i) report.add(finding(rule, std::to_string(first + i)));
  return report;
}

TEST(Rule, HasItsOwnIdAndWords) {
  std::set<std::string> ids, sentences;
  for (int i = 0; i < tridap::rule_count; ++i) {
    const tridap::RuleText& text = tridap::rule_text(static_cast<Rule>(i));
    EXPECT_TRUE(ids.insert(text.id).second) << text.id;
    EXPECT_TRUE(sentences.insert(text.says).second) << text.says;
    EXPECT_FALSE(std::string(text.id).empty());
    EXPECT_FALSE(std::string(text.says).empty());
    EXPECT_EQ(std::string(text.id).find_first_not_of("abcdefghijklmnopqrstuvwxyz_-."), std::string::npos) << text.id;
  }
}

TEST(Rule, HasTheIdOfItsText) {
  const std::map<Rule, std::string> ids = {{Rule::version_form, "version.form"},
                                           {Rule::buffer_type, "buffer.type"},
                                           {Rule::shape_extent, "shape.extent"},
                                           {Rule::size, "size"},
                                           {Rule::grid_order, "grid.order"},
                                           {Rule::block_bounds, "block.bounds"},
                                           {Rule::block_periodic, "block.periodic"},
                                           {Rule::periodic_kind, "periodic.kind"},
                                           {Rule::cyclic_start, "cyclic.start"},
                                           {Rule::unstructured_unique, "unstructured.unique"},
                                           {Rule::unstructured_one_to_one, "unstructured.one_to_one"},
                                           {Rule::agree_dist_type, "agree.dist_type"},
                                           {Rule::empty_dict, "empty-dict"},
                                           {Rule::block_padding_everywhere, "block.padding.everywhere"},
                                           {Rule::key_missing, "key.missing"},
                                           {Rule::axis_same, "axis.same"},
                                           {Rule::extra_key, "extra.key"},
                                           {Rule::conversion, "conversion"},
                                           {Rule::process_failure, "process.failure"}};
  for (const auto& [rule, id] : ids) EXPECT_EQ(tridap::rule_text(rule).id, id);
  std::set<std::string> warnings;
  for (int i = 0; i < tridap::rule_count; ++i)
    if (tridap::rule_text(static_cast<Rule>(i)).severity == tridap::Severity::warning)
      warnings.insert(tridap::rule_text(static_cast<Rule>(i)).id);
  EXPECT_EQ(warnings, (std::set<std::string>{"version.extent", "periodic.kind", "unstructured.distinct", "extra.key"}));
}

TEST(Finding, SaysWhereTheFaultTheValueTheRuleAndTheRemedy) {
  Finding f{Rule::block_bounds, 3, 1, "stop", "12", "must be at most size 10", ""};
  const std::string start = "axis 1 (rank 3): 'stop' is 12, must be at most size 10 [block.bounds]";
  EXPECT_EQ(f.text().rfind(start + ": ", 0), 0u) << f.text();
  f.remedy = "stop earlier";
  EXPECT_EQ(f.text(), start + ": stop earlier");
  f.axis.reset();
  EXPECT_EQ(f.text().rfind("(rank 3): 'stop' is 12", 0), 0u) << f.text();
  f.process.reset();
  EXPECT_EQ(f.text().rfind("'stop' is 12", 0), 0u) << f.text();
  f.axis = 0;
  EXPECT_EQ(f.text().rfind("axis 0: 'stop' is 12", 0), 0u) << f.text();
}

TEST(Finding, FallsBackOnTheRulesOwnWords) {
  Finding f{Rule::size, {}, {}, "size", "-1", "", ""};
  EXPECT_NE(f.text().find(tridap::rule_text(Rule::size).says), std::string::npos) << f.text();
  EXPECT_NE(f.text().find(tridap::rule_text(Rule::size).remedy), std::string::npos) << f.text();
  f = {Rule::conversion, {}, {}, "", "the whole fault", "", ""};
  EXPECT_EQ(f.text(), "the whole fault [conversion]");
}

TEST(Finding, IsOneLineWhateverItQuotes) {
  const Finding f{Rule::extra_key, {}, 0, "a\nb", "\"c\r\nd\"", "", ""};
  EXPECT_EQ(f.text().find_first_of("\n\r"), std::string::npos) << f.text();
}

TEST(Report, WarningsAreAllowedAndErrorsAreNot) {
  Report report;
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.text(), "");
  EXPECT_NO_THROW(tridap::throw_if_wrong(report));
  report.add(finding(Rule::extra_key));
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.warnings(), 1);
  EXPECT_NO_THROW(tridap::throw_if_wrong(report));
  report.add(finding(Rule::size));
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.errors(), 1);
  EXPECT_EQ(report.warnings(), 1);
  EXPECT_EQ(report.text().find("warning: "), report.text().find('\n') + 1);  // errors first
  EXPECT_THROW(tridap::throw_if_wrong(report), tridap::Error);
}

TEST(Report, CountsAllAndKeepsTheFirstHundredOfEachRule) {
  Report report;
  for (int i = 0; i < 1000; ++i) {
    report.add(finding(Rule::size, std::to_string(i)));
    report.add(finding(Rule::extra_key, std::to_string(i)));
  }
  EXPECT_EQ(report.counts(), (Counts{{Rule::size, 1000}, {Rule::extra_key, 1000}}));
  EXPECT_EQ(report.count(Rule::size), 1000);
  EXPECT_EQ(report.count(Rule::grid_rank), 0);
  EXPECT_EQ(report.errors(), 1000);
  EXPECT_EQ(report.warnings(), 1000);
  ASSERT_EQ(report.findings().size(), 200u);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_EQ(report.findings()[i].value, std::to_string(i / 2));
  const std::string text = report.text();
  EXPECT_NE(text.find("... and 1800 more"), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 200);
}

TEST(Report, MergeIsAddingOneAfterTheOther) {
  for (int mine : {0, 3, 99, 100, 250})
    for (int others : {0, 2, 100, 260}) {
      Report merged = report_of(Rule::size, mine);
      Report other = report_of(Rule::size, others, 1000);
      other.add(finding(Rule::grid_rank, "last"));
      merged.merge(other);
      EXPECT_EQ(merged.count(Rule::size), mine + others);
      EXPECT_EQ(merged.count(Rule::grid_rank), 1);
      EXPECT_EQ(merged.errors(), mine + others + 1);
      const int kept = std::min(mine, 100), room = std::min(100 - kept, others);
      ASSERT_EQ(merged.findings().size(), static_cast<std::size_t>(kept + room + 1));
      for (int i = 0; i < kept + room; ++i)
        EXPECT_EQ(merged.findings()[static_cast<std::size_t>(i)].value, std::to_string(i < kept ? i : 1000 + i - kept));
      EXPECT_EQ(merged.findings().back().value, "last");
    }
}

TEST(Report, SetProcessNamesOnlyTheUnnamed) {
  Report report;
  report.add(finding(Rule::size));
  report.add(finding(Rule::size, "7", 2));
  report.set_process(5);
  EXPECT_EQ(report.findings()[0].process, 5);
  EXPECT_EQ(report.findings()[1].process, 2);
}

TEST(Report, IsRebuiltFromItsParts) {
  Report report = report_of(Rule::size, 300);
  report.add(finding(Rule::extra_key));
  const Report again = Report::from_parts(report.findings(), report.counts());
  EXPECT_EQ(again.text(), report.text());
  EXPECT_EQ(again.counts(), report.counts());
  const Report lying = Report::from_parts(report_of(Rule::size, 3).findings(), {{Rule::size, -4}});
  EXPECT_EQ(lying.count(Rule::size), 3);
  EXPECT_EQ(Report::from_parts(report_of(Rule::size, 3).findings(), {}).count(Rule::size), 3);
}

TEST(Report, OfCountsAloneIsOneLine) {
  const Report report = Report::from_parts({}, {{Rule::size, 4}});
  EXPECT_EQ(report.errors(), 4);
  EXPECT_EQ(report.text(), "... and 4 more");
}

TEST(Report, SpeaksJsonForPrograms) {
  Report report;
  report.add({Rule::block_bounds, 3, 1, "stop", "12", "must be at most size 10", ""});
  report.add({Rule::extra_key, {}, {}, "a\n\xff\"", "\x1b", "", "mend it"});
  for (int i = 0; i < 150; ++i) report.add({Rule::size, {}, 0, "", "-1", "", ""});
  const std::string text = report.json();
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const tridap::Value json = tridap::read_json(text);
  EXPECT_EQ(json.find("ok")->json(), "false");
  EXPECT_EQ(json.find("errors")->json(), "151");
  EXPECT_EQ(json.find("warnings")->json(), "1");
  EXPECT_EQ(json.find("counts")->json(), R"({"size":150,"block.bounds":1,"extra.key":1})");
  ASSERT_EQ(json.find("findings")->list_size(), std::size_t{102});
  const tridap::Value first = json.find("findings")->element(0), second = json.find("findings")->element(1);
  EXPECT_EQ(first.find("rule")->json(), "\"block.bounds\"");
  EXPECT_EQ(first.find("severity")->json(), "\"error\"");
  EXPECT_EQ(first.find("process")->json(), "3");
  EXPECT_EQ(first.find("axis")->json(), "1");
  EXPECT_EQ(first.find("key")->json(), "\"stop\"");
  EXPECT_EQ(first.find("value")->json(), "\"12\"");
  EXPECT_EQ(first.find("must")->json(), "\"must be at most size 10\"");
  EXPECT_EQ(*first.find("says")->as<std::string>(), tridap::rule_text(Rule::block_bounds).says);
  EXPECT_EQ(*first.find("remedy")->as<std::string>(), tridap::rule_text(Rule::block_bounds).remedy);
  EXPECT_EQ(*first.find("text")->as<std::string>(), report.findings()[0].text());
  EXPECT_EQ(second.find("severity")->json(), "\"warning\"");
  EXPECT_EQ(*second.find("key")->as<std::string>(), "a\n\xef\xbf\xbd\"");  // what is no UTF-8 is replaced
  EXPECT_EQ(second.find("remedy")->json(), "\"mend it\"");
  for (const char* unknown : {"process", "axis", "must"}) EXPECT_TRUE(second.find(unknown)->is_null()) << unknown;
  EXPECT_EQ(Report().json(), R"({"ok":true,"errors":0,"warnings":0,"counts":{},"findings":[]})");
}

TEST(Error, CarriesItsReportAndSaysIt) {
  const tridap::Error error(finding(Rule::block_bounds));
  EXPECT_EQ(error.report().counts(), (Counts{{Rule::block_bounds, 1}}));
  EXPECT_EQ(std::string(error.what()), error.report().text());
  EXPECT_EQ(std::string(error.what()), "axis 1: 'stop' is 7, must be less [block.bounds]: mend it");
  const Report report = report_of(Rule::size, 2);
  try {
    tridap::throw_if_wrong(report);
    FAIL() << "accepted";
  } catch (const std::runtime_error& thrown) {
    EXPECT_EQ(std::string(thrown.what()), report.text());
  }
}

TEST(Merge, OfAReportWithItselfDoublesIt) {
  Report report = report_of(Rule::size, 60);
  const Report& same = report;
  report.merge(same);
  EXPECT_EQ(report.count(Rule::size), 120);
  EXPECT_EQ(report.findings().size(), 100u);
}

}  // namespace
