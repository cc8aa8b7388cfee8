#include "support/oracle.hpp"
#include <tridap/capture.hpp>
#include <tridap/compare.hpp>
#include <tridap/make.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <string>

namespace {

using oracle::Counts;
using oracle::List;
using tridap::Capture;
using tridap::Index;
using tridap::read_capture;
using tridap::Report;
using tridap::Rule;
using tridap::Version;

/// One process with one axis of `extent` elements, and this more in its buffer.
std::string one(const std::string& dtype, const std::string& shape, const std::string& more = "") {
  return R"({"processes": [{"rank": 0, "__version__": "0.10.0", "dim_data": [{}], "buffer": {"dtype": ")" + dtype +
         R"(", "shape": )" + shape + (more.empty() ? "" : ", " + more) + "}}]}";
}

std::string written(const tridap::Distribution& distribution, Version version = Version::v0_10) {
  std::ostringstream out;
  tridap::write_capture(out, distribution, version, tridap::element_type<double>());
  return out.str();
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what << " in " << text;
  return text.replace(at, what.size(), by);
}

Counts counts(const std::string& text, bool local = false) { return tridap::check(read_capture(text), local).counts(); }

const std::string process = R"({"rank": 0, "__version__": "0.10.0", "dim_data": [{}],
                                "buffer": {"dtype": "int8", "shape": [3], "strides": [1], "offset": 0, "data": [1, 2, 3]}})";
const std::string whole = "{\"processes\": [" + process + "]}";

TEST(ReadCapture, HoldsWhatItsProcessesSay) {
  const Capture capture = read_capture(whole);
  EXPECT_EQ(tridap::check(capture).text(), "");
  ASSERT_EQ(capture.processes.size(), 1u);
  const tridap::CapturedProcess& first = capture.processes[0];
  EXPECT_EQ(first.read.array.version, "0.10.0");
  EXPECT_EQ(first.read.array.buffer.shape, List{3});
  EXPECT_EQ(first.read.array.buffer.type.name(), "int8");
  EXPECT_EQ(first.read.array.buffer.memory.kind, tridap::Memory::Kind::nowhere);
  ASSERT_TRUE(first.values);
  EXPECT_EQ(std::memcmp(first.values->data, "\1\2\3", 3), 0);
  EXPECT_EQ(tridap::gather_distribution(capture).shape(), List{3});
}

TEST(ReadCapture, EachRequiredKeyIsMissedAndAllOfThemAtOnce) {
  for (const char* key : {"rank", "__version__", "dim_data", "buffer", "dtype", "shape"}) {
    const Report report = tridap::check(read_capture(replaced(whole, std::string("\"") + key + "\"", "\"other\"")));
    EXPECT_EQ(report.count(Rule::key_missing), 1) << key;
    EXPECT_EQ(report.errors(), 1) << key << report.text();
    EXPECT_NE(report.text().find(std::string("'") + key + "' is missing"), std::string::npos) << report.text();
    EXPECT_GE(report.count(Rule::extra_key), 1) << key;
  }
  EXPECT_EQ(counts(R"({"processes": [{}]})"), (Counts{{Rule::key_missing, 4}}));
  EXPECT_EQ(counts(R"({"processes": [{"buffer": {}}]})"), (Counts{{Rule::key_missing, 5}}));
  EXPECT_EQ(counts("{}"), (Counts{{Rule::key_missing, 1}}));
}

TEST(ReadCapture, WhatIsOptionalMayBeAbsentOrNull) {
  for (const char* key : {"strides", "memory", "offset", "data"}) {
    EXPECT_EQ(counts(one("int8", "[3]", std::string("\"") + key + "\": null")), Counts{}) << key;
  }
  EXPECT_EQ(counts(one("int8", "[3]")), Counts{});
  EXPECT_EQ(counts(one("int8", "[3]", R"("memory": "cuda:0")")), Counts{});
  EXPECT_EQ(counts(one("int8", "[3]", R"("memory": 0)")), (Counts{{Rule::type_text, 1}}));
  for (const char* key : {"rank", "__version__", "dim_data", "buffer", "dtype", "shape"}) {
    const std::string name = std::string("\"") + key + "\": ";
    const std::size_t at = whole.find(name) + name.size();
    Index depth = 0;
    std::size_t end = at;
    for (; depth > 0 || (whole[end] != ',' && whole[end] != '}'); ++end)
      depth += whole[end] == '[' || whole[end] == '{' ? 1 : whole[end] == ']' || whole[end] == '}' ? -1 : 0;
    const Report report = tridap::check(read_capture(whole.substr(0, at) + "null" + whole.substr(end)));
    EXPECT_EQ(report.errors(), 1) << key << report.text();
    EXPECT_EQ(report.count(Rule::key_missing), 0) << key;
  }
}

TEST(ReadCapture, WellFormedTextOfTheWrongShapeIsInvalidAndNotUnreadable) {
  for (const char* text : {"null", "1", "\"\"", "[]", "true", "[{}]"})
    EXPECT_EQ(counts(text), (Counts{{Rule::type_structure, 1}})) << text;
  for (const char* processes : {"null", "1", "{}", "\"\""})
    EXPECT_EQ(counts(std::string("{\"processes\": ") + processes + "}"), (Counts{{Rule::type_structure, 1}}));
  EXPECT_EQ(counts("{\"processes\": []}"), (Counts{{Rule::capture_ranks, 1}}));
  EXPECT_EQ(counts("{\"processes\": [], \"x\": 1}"), (Counts{{Rule::capture_ranks, 1}, {Rule::extra_key, 1}}));
  EXPECT_EQ(counts("{\"processes\": [null, 3, []]}").at(Rule::type_structure), 3);
  EXPECT_EQ(counts(replaced(whole, "\"shape\": [3]", "\"shape\": 3")), (Counts{{Rule::type_structure, 1}}));
  EXPECT_EQ(counts(replaced(whole, "\"shape\": [3]", "\"shape\": [3.0, true]")), (Counts{{Rule::type_integer, 2}}));
  EXPECT_EQ(counts(replaced(whole, "\"strides\": [1]", "\"strides\": [\"1\"]")), (Counts{{Rule::type_integer, 1}}));
  EXPECT_EQ(counts(replaced(whole, "\"offset\": 0", "\"offset\": 0.5")), (Counts{{Rule::type_integer, 1}}));
  EXPECT_EQ(counts(replaced(whole, "\"rank\": 0", "\"rank\": \"0\"")), (Counts{{Rule::type_integer, 1}}));
  EXPECT_EQ(counts(replaced(whole, "\"dtype\": \"int8\"", "\"dtype\": 8")), (Counts{{Rule::type_text, 1}}));
  EXPECT_EQ(counts(replaced(whole, "\"dtype\": \"int8\"", "\"dtype\": \"int9\"")), (Counts{{Rule::buffer_type, 1}}));
}

TEST(ReadCapture, FaultsOfOneProcessAreAllTold) {
  EXPECT_EQ(counts(R"({"processes": [{"rank": null, "__version__": 1, "dim_data": [3, {"dist_type": "b"}],
                                      "buffer": {"dtype": "x", "shape": [null], "offset": "0"}}]})"),
            (Counts{{Rule::type_integer, 3},
                    {Rule::type_text, 1},
                    {Rule::type_structure, 1},
                    {Rule::key_missing, 5},
                    {Rule::buffer_type, 1}}));
}

TEST(ReadCapture, UnknownKeysEarnAWarningEach) {
  const std::string text = replaced(
      replaced(replaced(whole, "{\"processes\"", "{\"a\": [1e2], \"processes\""), "\"rank\"", "\"b\": {}, \"rank\""),
      "\"shape\"", "\"c\": null, \"shape\"");
  const Report report = tridap::check(read_capture(replaced(text, "[{}]", R"([{"dist_type": "b", "size": 3,
      "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0, "stop": 3, "d": "x"}])")));
  EXPECT_EQ(report.counts(), (Counts{{Rule::extra_key, 4}})) << report.text();
  EXPECT_TRUE(report.ok());
}

TEST(ReadCapture, MisspeltKeysAreNamedInTheRemedy) {
  for (const auto& [key, wrong] : std::vector<std::pair<std::string, std::string>>{{"rank", "Rank"},
                                                                                   {"__version__", "version"},
                                                                                   {"dim_data", "dimdata"},
                                                                                   {"buffer", "bufer"},
                                                                                   {"dtype", "dtpye"},
                                                                                   {"shape", "SHAPE"},
                                                                                   {"processes", "process"}}) {
    const Report report = tridap::check(read_capture(replaced(whole, '"' + key + '"', '"' + wrong + '"')));
    EXPECT_EQ(report.count(Rule::key_missing), 1) << report.text();
    EXPECT_EQ(report.count(Rule::extra_key), 0) << report.text();
    EXPECT_NE(report.text().find("[key.missing]: rename '" + wrong + "' to '" + key + "'"), std::string::npos)
        << report.text();
  }
  const Report report = tridap::check(read_capture(replaced(whole, "\"strides\"", "\"Strides\"")));
  EXPECT_TRUE(report.ok());
  EXPECT_NE(report.text().find("[extra.key]: rename 'Strides' to 'strides'"), std::string::npos) << report.text();
}

TEST(ReadCapture, RanksAreUniqueAndCountFrom0) {
  const auto of = [](const std::vector<std::string>& ranks, bool local) {
    std::string text;
    for (const std::string& rank : ranks)
      text += (text.empty() ? "" : ",") + replaced(replaced(process, "\"rank\": 0", "\"rank\": " + rank), "[{}]",
                                                   R"([{"dist_type": "c", "size": 9, "proc_grid_size": 3,
                                                        "proc_grid_rank": )" +
                                                       (rank < "3" && rank[0] != '-' ? rank : "0") + ", \"start\": " +
                                                       (rank < "3" && rank[0] != '-' ? rank : "0") + "}]");
    return counts("{\"processes\": [" + text + "]}", local);
  };
  EXPECT_EQ(of({"0", "1", "2"}, false), Counts{});
  EXPECT_EQ(of({"2", "0", "1"}, false), Counts{});
  EXPECT_EQ(of({"2", "0"}, true), Counts{});
  EXPECT_EQ(of({"2"}, true), Counts{});
  EXPECT_EQ(of({"2", "0"}, false), (Counts{{Rule::capture_ranks, 1}}));
  EXPECT_EQ(of({"0", "1", "1"}, false), (Counts{{Rule::capture_ranks, 1}}));
  EXPECT_EQ(of({"0", "1", "1"}, true), (Counts{{Rule::capture_ranks, 1}}));
  EXPECT_EQ(of({"-1", "0"}, true), (Counts{{Rule::capture_ranks, 1}}));
  EXPECT_EQ(of({"0", "1", "4611686018427387904"}, false), (Counts{{Rule::capture_ranks, 1}}));
}

TEST(ReadCapture, ElementsThatDoNotFitKeepNothingElseFromBeingFound) {
  const std::string two = written(tridap::Distribution::make({5}, {tridap::block()}, {2}));
  const std::string late = replaced(two, "\"start\":3", "\"start\":4");
  const std::string both =
      replaced(replaced(late, "\"shape\":[3]", "\"shape\":[3],\"data\":[1,2,\"x\"]"), "\"shape\":[2]", "\"shape\":[1]");
  EXPECT_EQ(counts(both), (Counts{{Rule::buffer_values, 1}, {Rule::block_tiling, 1}}));
}

TEST(ReadCapture, ValuesAreLogicalWhateverTheStrides) {
  const std::string text = R"({"processes": [{"rank": 0, "__version__": "0.10.0", "dim_data": [{}, {}],
    "buffer": {"dtype": ">i2", "shape": [2, 3], "strides": [-2, 40], "offset": 2, "data": [[1, 2, 3], [4, 5, 600]]}}]})";
  const Capture capture = read_capture(text);
  EXPECT_EQ(tridap::check(capture).text(), "");
  ASSERT_TRUE(capture.processes[0].values);
  EXPECT_EQ(std::memcmp(capture.processes[0].values->data, "\0\1\0\2\0\3\0\4\0\5\2\x58", 12), 0);
  EXPECT_EQ(capture.processes[0].read.array.buffer.strides, (List{-2, 40}));
}

TEST(ReadCapture, DescriptionOfOpaqueElementsIsText) {
  const Capture capture = read_capture(one("V8", "[1]", R"("description": "<M8[s]")"));
  EXPECT_EQ(tridap::check(capture).text(), "");
  EXPECT_EQ(capture.processes[0].read.array.buffer.type.description, "<M8[s]");
  EXPECT_EQ(counts(one("V8", "[1]", R"("description": null)")), Counts{});
  EXPECT_EQ(counts(one("V8", "[1]", R"("description": 8)")), (Counts{{Rule::type_text, 1}}));
}

TEST(ReadCapture, EachTypeTakesItsValuesAndNoOthers) {
  struct Case {
    std::string dtype;
    std::vector<std::string> good, bad;
  };
  const std::string numbers = "\"x\",null,[],{},[1],true";
  for (const Case& c : std::vector<Case>{
           {"bool", {"true", "false"}, {"0", "1", "null", "\"true\""}},
           {"int8", {"-128", "127"}, {"128", "-129", "1.0", "true", "\"1\"", "null", "[1]"}},
           {"uint8", {"0", "255"}, {"-1", "256"}},
           {"int16", {"-32768", "32767"}, {"32768", "-32769"}},
           {"uint16", {"65535"}, {"65536", "-1"}},
           {"int32", {"-2147483648", "2147483647"}, {"2147483648", "-2147483649"}},
           {"uint32", {"4294967295"}, {"4294967296", "-1"}},
           {"int64", {"-9223372036854775808", "9223372036854775807"}, {"9223372036854775808", "-9223372036854775809"}},
           {"uint64", {"0", "18446744073709551615"}, {"18446744073709551616", "-1", "1.0", "null", "\"1\""}},
           {"float64",
            {"1", "1.5", "\"nan\"", "\"inf\"", "\"-inf\"", "1e308", "100000000000000000000"},
            {"\"NaN\"", "\"infinity\"", "true", "null", "[1]", "\"1\""}},
           {"float32", {"1", "\"nan\"", "\"-inf\"", "3.4028234663852886e38"}, {"3.5e38", "-3.5e38", "true"}},
           {"float16", {"65504", "\"nan\""}, {"65505", "null"}},
           {"complex64", {"[1, 2]", "[\"nan\", -1.5]"}, {"1", "[1]", "[1, 2, 3]", "[1, true]", "[3.5e38, 0]", "null"}},
           {"complex128", {"[1, 2]", "[\"inf\", 1e300]"}, {"1", "[]", "[null, 0]"}},
           {"V3", {"null", "\"any\"", "[1]"}, {}}}) {
    for (const std::string& value : c.good)
      EXPECT_EQ(counts(one(c.dtype, "[1]", "\"data\": [" + value + "]")), Counts{}) << c.dtype << ' ' << value;
    for (const std::string& value : c.bad) {
      const Report report = tridap::check(read_capture(one(c.dtype, "[1]", "\"data\": [" + value + "]")));
      EXPECT_EQ(report.count(Rule::buffer_values), report.errors()) << c.dtype << ' ' << value;
      EXPECT_GT(report.errors(), 0) << c.dtype << ' ' << value;
      EXPECT_EQ(report.findings()[0].process, 0);
    }
  }
}

TEST(ReadCapture, NumbersKeepTheirBits) {
  const auto bytes = [](const std::string& dtype, const std::string& value) {
    const Capture capture = read_capture(one(dtype, "[1]", "\"data\": [" + value + "]"));
    const tridap::Buffer& buffer = capture.processes[0].values.value();
    return std::string(static_cast<const char*>(buffer.data), static_cast<std::size_t>(buffer.type.bytes));
  };
  const auto raw = [](auto value) {
    std::string text(sizeof(value), 0);
    std::memcpy(text.data(), &value, sizeof(value));
    return text;
  };
  EXPECT_EQ(bytes("float64", "0.1"), raw(0.1));
  EXPECT_EQ(bytes("float64", "100000000000000000000"), raw(1e20));
  EXPECT_EQ(bytes("float32", "0.1"), raw(0.1F));
  EXPECT_EQ(bytes("float64", "\"-inf\""), raw(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(bytes("uint64", "18446744073709551615"), raw(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(bytes("int64", "-9223372036854775808"), raw(std::numeric_limits<Index>::min()));
  EXPECT_EQ(bytes(">i4", "1"), std::string("\0\0\0\1", 4));
  EXPECT_EQ(bytes("<i4", "1"), std::string("\1\0\0\0", 4));
  EXPECT_EQ(bytes("complex64", "[1, -2]"), raw(1.0F) + raw(-2.0F));
  EXPECT_EQ(bytes(">c8", "[1, -2]"), std::string("\x3f\x80\0\0\xc0\0\0\0", 8));
}

TEST(ReadCapture, DataNestsAsTheShapeSays) {
  const auto of = [](const std::string& shape, const std::string& dims, const std::string& data) {
    return counts(R"({"processes": [{"rank": 0, "__version__": "0.10.0", "dim_data": )" + dims +
                  R"(, "buffer": {"dtype": "int8", "shape": )" + shape + ", \"data\": " + data + "}}]}");
  };
  EXPECT_EQ(of("[]", "[]", "5"), Counts{});
  EXPECT_EQ(of("[]", "[]", "[5]"), (Counts{{Rule::buffer_values, 1}}));
  EXPECT_EQ(of("[2, 0]", "[{}, {}]", "[[], []]"), Counts{});
  EXPECT_EQ(of("[0, 2]", "[{}, {}]", "[]"), Counts{});
  EXPECT_EQ(of("[0, 4611686018427387904, 4611686018427387904]", "[{}, {}, {}]", "[]"), Counts{});
  EXPECT_EQ(of("[2, 2]", "[{}, {}]", "[[1, 2], [3]]"), (Counts{{Rule::buffer_values, 1}}));
  EXPECT_EQ(of("[2, 2]", "[{}, {}]", "[1, 2]"), (Counts{{Rule::buffer_values, 2}}));
  EXPECT_EQ(of("[2]", "[{}]", "[[1], [2]]"), (Counts{{Rule::buffer_values, 2}}));
  EXPECT_EQ(of("[4611686018427387904]", "[{}]", "[1]"), (Counts{{Rule::buffer_values, 1}}));
  EXPECT_EQ(of("[-1]", "[{}]", "[]"), (Counts{{Rule::buffer_layout, 1}}));
}

/// Distributions of all kinds, at random.
tridap::Distribution any_distribution(std::mt19937& random, bool periodic) {
  const auto below = [&](Index end) { return static_cast<Index>(random()) % end; };
  List shape, grid;
  std::vector<tridap::AxisSpec> specs;
  for (Index axis = below(4); axis-- > 0;) {
    const Index processes = 1 + below(3), size = below(2) == 0 ? below(12) : 6 * processes + below(7);
    tridap::AxisSpec spec = tridap::block();
    switch (below(5)) {
      case 0:
        break;
      case 1:
        spec = tridap::cyclic(1 + below(4), size > 0 ? below(processes) : 0);
        break;
      case 2: {
        std::vector<List> lists(static_cast<std::size_t>(processes));
        for (Index i = 0; i < size; ++i) lists[static_cast<std::size_t>(below(processes))].push_back(3 * i - 7);
        spec = tridap::unstructured(lists, below(2) == 0);
        break;
      }
      default: {
        tridap::BlockSpec padded =
            tridap::padded_block(size >= 6 * processes ? below(3) : 0, periodic && below(2) == 0);
        if (padded.edges[0] > 0 && !padded.periodic) padded.edges = {below(3), below(3)};
        spec = padded;
      }
    }
    shape.push_back(size);
    grid.push_back(processes);
    specs.push_back(spec);
  }
  return tridap::Distribution::make(shape, specs, grid);
}

TEST(WriteCapture, IsReadAgainAsTheSameDistributionInBothVersions) {
  std::mt19937 random(5);
  int old = 0;
  for (int i = 0; i < 150; ++i) {
    const tridap::Distribution distribution = any_distribution(random, true);
    for (const Version version : {Version::v0_10, Version::v0_9}) {
      std::string text;
      try {
        text = written(distribution, version);
      } catch (const tridap::Error& error) {
        EXPECT_EQ(version, Version::v0_9);
        EXPECT_EQ(error.report().counts(), (Counts{{Rule::conversion, 1}}));
        continue;
      }
      old += version == Version::v0_9 ? 1 : 0;
      const Capture capture = read_capture(text);
      EXPECT_EQ(tridap::check(capture).text(), "") << text;
      EXPECT_EQ(tridap::check(capture, true).text(), "");
      const tridap::Comparison comparison = tridap::compare(distribution, tridap::gather_distribution(capture));
      EXPECT_TRUE(comparison.same_owners && comparison.same_places) << comparison.difference;
      EXPECT_EQ(written(tridap::gather_distribution(capture), version), text);
    }
  }
  EXPECT_GT(old, 100);
}

TEST(WriteCapture, BufferBeyond64BitsIsRefusedBeforeAnythingIsWritten) {
  for (const List& shape : {List{Index{1} << 62}, List{Index{1} << 40, Index{1} << 40}}) {
    std::ostringstream out;
    const tridap::Distribution huge({shape.size(), tridap::Axis(tridap::BlockKind(shape[0], 1, shape[0]))});
    EXPECT_THROW(tridap::write_capture(out, huge, Version::v0_10, tridap::element_type<double>()), tridap::Error);
    EXPECT_EQ(out.str(), "");
  }
}

TEST(ConvertCapture, ThereAndBackIsTheSameText) {
  std::mt19937 random(6);
  int there = 0;
  for (int i = 0; i < 120; ++i) {
    const std::string text =
        tridap::convert_capture(read_capture(written(any_distribution(random, true))), Version::v0_10);
    std::string old;
    try {
      old = tridap::convert_capture(read_capture(text), Version::v0_9);
    } catch (const tridap::Error& error) {
      EXPECT_EQ(error.report().counts(), (Counts{{Rule::conversion, 1}})) << error.what();
      continue;
    }
    EXPECT_EQ(tridap::convert_capture(read_capture(old), Version::v0_10), text) << old;
    ++there;
  }
  EXPECT_GT(there, 80);
}

TEST(ConvertCapture, PassesOnWhatIsNotDimDataOrVersion) {
  std::string text =
      replaced(whole, "{\"processes\"", R"({"note": {"by": "me", "n": 100000000000000000000}, "processes")");
  text = replaced(text, "\"rank\": 0", R"("host": "node\n7", "rank": 0)");
  text = replaced(text, "[{}]", R"([{"dist_type": "b", "size": 3, "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0,
      "stop": 3, "units": ["m", 1.50, 18446744073709551616, null]}])");
  text = replaced(replaced(text, "int8", "float64"), "[1, 2, 3]", "[1, \"nan\", 100000000000000000000]");
  EXPECT_TRUE(tridap::check(read_capture(text)).ok());
  for (const Version version : {Version::v0_9, Version::v0_10}) {
    const std::string converted = tridap::convert_capture(read_capture(text), version);
    for (const char* part :
         {R"("note": {"by":"me","n":100000000000000000000})", R"("host":"node\n7")", R"("strides":[1],"offset":0)",
          R"("units":["m",1.5,18446744073709551616,null])", R"("data":[1,"nan",100000000000000000000])"})
      EXPECT_NE(converted.find(part), std::string::npos) << part << " in " << converted;
    EXPECT_NE(converted.find(std::string("\"__version__\":\"") + tridap::stamp(version) + '"'), std::string::npos);
    EXPECT_EQ(tridap::check(read_capture(converted)).counts(), (Counts{{Rule::extra_key, 3}})) << converted;
  }
}

TEST(ConvertCapture, ExtraKeyOfAnUndistributedAxisDoesNotBecomeItsBounds) {
  const std::string text = replaced(replaced(whole, "0.10.0", "0.9.0"), "[{}]",
                                    R"([{"dist_type": "n", "size": 3, "start": 1, "stop": 2, "block_size": 4}])");
  EXPECT_EQ(counts(text), (Counts{{Rule::extra_key, 3}}));
  const std::string converted = tridap::convert_capture(read_capture(text), Version::v0_10);
  EXPECT_EQ(counts(converted), (Counts{{Rule::extra_key, 1}})) << converted;
  EXPECT_EQ(tridap::gather_distribution(read_capture(converted)).shape(), List{3});
}

TEST(ConvertCapture, InvalidCaptureIsRefusedWithItsReport) {
  for (const std::string& text :
       {replaced(whole, "[{}]", "[{}, {}]"), replaced(whole, "\"rank\": 0", "\"rank\": 1"), std::string("{}"),
        std::string("{\"processes\": []}"), replaced(whole, "\"dtype\": \"int8\"", "\"dtype\": 8")}) {
    const Capture capture = read_capture(text);
    try {
      tridap::convert_capture(capture, Version::v0_10);
      FAIL() << text;
    } catch (const tridap::Error& error) {
      EXPECT_EQ(error.report().counts(), tridap::check(capture).counts()) << text;
    }
  }
}

TEST(CheckCapture, ProcessWithoutARankIsNamedByItsEntry) {
  const std::string text = written(tridap::Distribution::make({4}, {tridap::block()}, {2}));
  for (const auto& [rank, rule] : std::vector<std::pair<std::string, Rule>>{
           {"", Rule::key_missing}, {"\"rank\":\"1\",", Rule::type_integer}, {"\"rank\":1.0,", Rule::type_integer}}) {
    const Report report = tridap::check(read_capture(replaced(text, "\"rank\":1,", rank)));
    EXPECT_EQ(report.counts(), (Counts{{rule, 1}})) << report.text();
    EXPECT_EQ(report.findings().at(0).process, std::nullopt);
    EXPECT_NE(report.text().find("'processes[1]'"), std::string::npos) << report.text();
  }
}

TEST(CheckCapture, UnknownKeysOfOneProcessStayWithIt) {
  std::string keys;
  for (int i = 0; i < 1000; ++i) keys += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  const Index processes = 1000;
  const std::string text = written(tridap::Distribution::make({processes}, {tridap::block()}, {processes}));
  const Capture capture = read_capture(replaced(text, "\"dist_type\"", keys + "\"dist_type\""));
  EXPECT_EQ(tridap::check(capture).counts(), (Counts{{Rule::extra_key, 1000}}));
  const Capture converted = read_capture(tridap::convert_capture(capture, Version::v0_9));
  EXPECT_EQ(converted.processes.at(0).read.array.dim_data.at(0).extras.size(), 1000u);
  EXPECT_EQ(converted.processes.at(1).read.array.dim_data.at(0).extras.size(), 0u);
}

TEST(CheckCapture, LocalTellsWhatEachProcessSaysAlone) {
  const std::string two = written(tridap::Distribution::make({5}, {tridap::block()}, {2}));
  const std::string late = replaced(replaced(two, "\"start\":3", "\"start\":4"), "\"shape\":[2]", "\"shape\":[1]");
  EXPECT_EQ(counts(late), (Counts{{Rule::block_tiling, 1}}));
  EXPECT_EQ(counts(late, true), Counts{});
  EXPECT_EQ(counts(replaced(late, "\"stop\":5", "\"stop\":6"), true), (Counts{{Rule::block_bounds, 1}}));
}

TEST(CheckCapture, HundredThousandProcessesOrAxesAreNoTrouble) {
  std::string dims, shape;
  for (int i = 0; i < 100000; ++i) {
    dims += i == 0 ? "{}" : ",{}";
    shape += i == 0 ? "1" : ",1";
  }
  const auto of = [](const std::string& d, const std::string& s) {
    return R"({"processes": [{"rank": 0, "__version__": "0.10.0", "dim_data": [)" + d +
           R"(], "buffer": {"dtype": "int8", "shape": [)" + s + "]}}]}";
  };
  EXPECT_EQ(counts(of(dims, shape)), Counts{});
  EXPECT_EQ(counts("{\"processes\": [" + process +
                   [&] {
                     std::string more;
                     for (int i = 0; i < 2000; ++i) more += ",0";
                     return more;
                   }() +
                   "]}")
                .at(Rule::type_structure),
            2000);
}

}  // namespace
