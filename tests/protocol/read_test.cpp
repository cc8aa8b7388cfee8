#include "support/oracle.hpp"
#include <tridap/check.hpp>
#include <tridap/distribution.hpp>
#include <tridap/read.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <tuple>

namespace {

using oracle::Counts;
using tridap::Index;
using tridap::read_json;
using tridap::ReadArray;
using tridap::Report;
using tridap::Rule;
using tridap::Source;
using tridap::Value;
using tridap::Version;
using Keys = std::map<std::string, std::string>;  // key: JSON text

const Keys block = {{"dist_type", "\"b\""},  {"size", "10"}, {"proc_grid_size", "3"},
                    {"proc_grid_rank", "1"}, {"start", "2"}, {"stop", "6"}};
const Keys padded = {{"dist_type", "\"b\""}, {"size", "10"}, {"proc_grid_size", "3"}, {"proc_grid_rank", "1"},
                     {"start", "2"},         {"stop", "6"},  {"padding", "[1, 1]"},   {"periodic", "true"}};
const Keys cyclic = {{"dist_type", "\"c\""},  {"size", "10"}, {"proc_grid_size", "3"},
                     {"proc_grid_rank", "1"}, {"start", "2"}, {"block_size", "2"}};
const Keys listed = {{"dist_type", "\"u\""},  {"size", "10"},         {"proc_grid_size", "3"},
                     {"proc_grid_rank", "1"}, {"indices", "[4, -7]"}, {"one_to_one", "true"}};
const Keys whole = {{"dist_type", "\"n\""}, {"size", "10"}};

std::string text_of(const Keys& keys) {
  std::string text = "{";
  for (const auto& [key, value] : keys) text += (text.size() > 1 ? ", \"" : "\"") + key + "\": " + value;
  return text + "}";
}

Keys with(Keys keys, const std::string& key, const std::string& value) {
  keys[key] = value;
  return keys;
}

tridap::Buffer described(const std::vector<Index>& shape) {
  tridap::Buffer buffer;
  buffer.type = tridap::element_type<double>();
  buffer.memory.kind = tridap::Memory::Kind::nowhere;
  buffer.shape = shape;
  buffer.strides = tridap::row_major_strides(shape, 8);
  return buffer;
}

ReadArray read(const std::string& dim_data, Version version = Version::v0_10, Source source = Source::json,
               const std::vector<Index>& shape = {4}) {
  return tridap::read_array({std::string(tridap::stamp(version))}, read_json(dim_data), described(shape), source);
}

ReadArray read(const Keys& keys, Version version = Version::v0_10) { return read('[' + text_of(keys) + ']', version); }

/// This one fault, on axis 0, and the finding shows the key and the value.
void expect_fault(const Keys& keys, Rule rule, const std::string& key, const std::string& shown,
                  Version version = Version::v0_10) {
  const Report report = read(keys, version).report;
  EXPECT_EQ(report.counts(), (Counts{{rule, 1}})) << text_of(keys) << '\n' << report.text();
  if (report.findings().size() != 1) return;
  EXPECT_EQ(report.findings()[0].axis, 0);
  EXPECT_EQ(report.findings()[0].key, key) << report.text();
  EXPECT_NE(report.findings()[0].value.find(shown), std::string::npos) << report.text();
}

TEST(Read, EveryKindIsReadWithItsFields) {
  const auto dimension = [](const Keys& keys, Version version = Version::v0_10) {
    ReadArray array = read(keys, version);
    EXPECT_EQ(array.report.text(), "");
    return array.array.dim_data.at(0);
  };
  const tridap::Dimension b = dimension(padded), c = dimension(cyclic), u = dimension(listed);
  EXPECT_EQ(b.size, 10);
  EXPECT_EQ(b.proc_grid_size, 3);
  EXPECT_EQ(b.proc_grid_rank, 1);
  EXPECT_TRUE(b.periodic);
  EXPECT_EQ(std::get<tridap::Block>(b.dist).start, 2);
  EXPECT_EQ(std::get<tridap::Block>(b.dist).stop, 6);
  EXPECT_EQ(std::get<tridap::Block>(b.dist).padding, (std::array<Index, 2>{1, 1}));
  EXPECT_EQ(std::get<tridap::Block>(dimension(block).dist).padding, std::nullopt);
  EXPECT_FALSE(dimension(block).periodic);
  EXPECT_EQ(std::get<tridap::Cyclic>(c.dist).start, 2);
  EXPECT_EQ(std::get<tridap::Cyclic>(c.dist).block_size, 2);
  EXPECT_EQ(tridap::read_indices(std::get<tridap::Unstructured>(u.dist).indices), (std::vector<Index>{4, -7}));
  EXPECT_TRUE(std::get<tridap::Unstructured>(u.dist).one_to_one);
  Keys plain = cyclic, unknown = listed;
  plain.erase("block_size");
  unknown.erase("one_to_one");
  EXPECT_EQ(std::get<tridap::Cyclic>(dimension(plain).dist).block_size, 1);
  EXPECT_FALSE(std::get<tridap::Unstructured>(dimension(unknown).dist).one_to_one);
  const tridap::Dimension n = dimension(with(whole, "padding", "[0, 2]"), Version::v0_9);
  EXPECT_EQ(n.dist_type(), 'b');
  EXPECT_EQ(std::get<tridap::Block>(n.dist).stop, 10);
  EXPECT_EQ(std::get<tridap::Block>(n.dist).padding, (std::array<Index, 2>{0, 2}));
  EXPECT_EQ(n.proc_grid_size, 1);
}

TEST(Read, EveryIntegerKeyTakesWholeNumbersOf64BitsAlone) {
  const std::map<std::string, std::string> wrong = {{"true", "true"},
                                                    {"1.0", "1.0 (a float)"},
                                                    {"1e0", "1.0 (a float)"},
                                                    {"null", "null"},
                                                    {"\"7\"", "\"7\""},
                                                    {"[7]", "[7]"},
                                                    {"{}", "a dictionary"},
                                                    {"\"nan\"", "\"nan\""},
                                                    {"9223372036854775808", "9223372036854775808"},
                                                    {"18446744073709551616", "18446744073709551616"},
                                                    {"-9223372036854775809", "-9223372036854775809"}};
  for (const Version version : {Version::v0_9, Version::v0_10})
    for (const auto& [value, shown] : wrong) {
      for (const char* key : {"size", "proc_grid_size", "proc_grid_rank", "start", "stop"})
        expect_fault(with(block, key, value), Rule::type_integer, key, shown, version);
      for (const char* key : {"size", "proc_grid_size", "proc_grid_rank", "start", "block_size"})
        expect_fault(with(cyclic, key, value), Rule::type_integer, key, shown, version);
      for (const char* key : {"size", "proc_grid_size", "proc_grid_rank"})
        expect_fault(with(listed, key, value), Rule::type_integer, key, shown, version);
      expect_fault(with(padded, "padding", '[' + value + ", 1]"), Rule::type_integer, "padding", shown, version);
      expect_fault(with(padded, "padding", "[1, " + value + "]"), Rule::type_integer, "padding", shown, version);
      expect_fault(with(listed, "indices", "[4, " + value + "]"), Rule::unstructured_indices, "indices", "[4, ",
                   version);
    }
  for (const auto& [value, shown] : wrong)
    for (const char* key : {"size", "proc_grid_size", "proc_grid_rank"})
      expect_fault(with(whole, key, value), Rule::type_integer, key, shown, Version::v0_9);
  Keys nan = block;
  Value dict = read_json(text_of(nan));
  for (tridap::Entry& entry : std::get<Value::Dict>(dict.content))
    if (entry.key == "stop") entry.value = {std::numeric_limits<double>::quiet_NaN()};
  const Report report =
      tridap::read_array({std::string("0.10.0")}, {Value::List{dict}}, described({4}), Source::object).report;
  EXPECT_EQ(report.counts(), (Counts{{Rule::type_integer, 1}})) << report.text();
}

TEST(Read, EveryFlagIsTrueOrFalseAlone) {
  for (const Version version : {Version::v0_9, Version::v0_10})
    for (const auto& [value, shown] :
         Keys{{"0", "0"}, {"1", "1"}, {"null", "null"}, {"\"true\"", "\"true\""}, {"[]", "[]"}, {"1.0", "1.0"}}) {
      for (const Keys& keys : {block, padded, cyclic, listed})
        expect_fault(with(keys, "periodic", value), Rule::type_flag, "periodic", shown, version);
      expect_fault(with(listed, "one_to_one", value), Rule::type_flag, "one_to_one", shown, version);
    }
}

TEST(Read, DistTypeIsOneOfTheVersionsLetters) {
  for (const char* value : {"\"\"", "\"B\"", "\"bb\"", "\"block\"", "\"x\"", "\"b \"", "\"\\u0000\""})
    for (const Version version : {Version::v0_9, Version::v0_10})
      expect_fault(with(block, "dist_type", value), Rule::dist_type, "dist_type", "\"", version);
  for (const char* value : {"null", "1", "true", "[\"b\"]", "{}"})
    expect_fault(with(block, "dist_type", value), Rule::type_text, "dist_type", "");
  Keys grid = with(with(whole, "proc_grid_size", "1"), "proc_grid_rank", "0");
  expect_fault(grid, Rule::dist_type, "dist_type", "n");
  EXPECT_NE(read(grid).report.text().find("write {}"), std::string::npos);
  EXPECT_EQ(read(grid, Version::v0_9).report.text(), "");
  for (const char* size : {"0", "2", "-1"})
    expect_fault(with(grid, "proc_grid_size", size), Rule::grid_undistributed, "proc_grid_size", size, Version::v0_9);
}

TEST(Read, EachMissingKeyIsNamedAloneAndAllTogether) {
  const auto missing = [](const Keys& keys, Version version) {
    std::set<std::string> names;
    const Report report = read(keys, version).report;
    EXPECT_EQ(report.count(Rule::key_missing), report.errors()) << report.text();
    for (const tridap::Finding& finding : report.findings()) {
      EXPECT_EQ(finding.axis, 0);
      EXPECT_NE(finding.text().find("'" + finding.key + "' is missing"), std::string::npos);
      names.insert(finding.key);
    }
    return names;
  };
  const std::set<std::string> common = {"dist_type", "size", "proc_grid_size", "proc_grid_rank"};
  for (const Version version : {Version::v0_9, Version::v0_10})
    for (const auto& [keys, own] : std::vector<std::pair<Keys, std::set<std::string>>>{
             {block, {"start", "stop"}}, {cyclic, {"start"}}, {listed, {"indices"}}}) {
      std::set<std::string> all = common;
      all.insert(own.begin(), own.end());
      for (const std::string& key : all) {
        Keys without = keys;
        without.erase(key);
        EXPECT_EQ(missing(without, version), std::set<std::string>{key}) << text_of(keys);
      }
      all.erase("dist_type");
      EXPECT_EQ(missing({{"dist_type", keys.at("dist_type")}}, version), all);
      EXPECT_EQ(missing({{"periodic", "false"}}, version), common);
    }
  EXPECT_EQ(missing({{"dist_type", "\"n\""}}, Version::v0_9), std::set<std::string>{"size"});
}

TEST(Read, SeveralFaultsOfOneDictionaryAreAllTold) {
  const auto counts = [](const Keys& keys, Version version = Version::v0_10) {
    return read(keys, version).report.counts();
  };
  Keys all = padded;
  for (const auto& [key, value] : padded)
    if (key != "dist_type" && key != "padding") all[key] = "null";
  all["padding"] = "[null, null]";
  EXPECT_EQ(counts(all), (Counts{{Rule::type_integer, 7}, {Rule::type_flag, 1}}));
  EXPECT_EQ(counts(with(with(block, "size", "null"), "start", "-1")),
            (Counts{{Rule::type_integer, 1}, {Rule::block_bounds, 1}}));
  EXPECT_EQ(counts(with(with(block, "start", "null"), "stop", "11")),
            (Counts{{Rule::type_integer, 1}, {Rule::block_bounds, 1}}));
  EXPECT_EQ(counts(with(with(block, "stop", "null"), "start", "-3")),
            (Counts{{Rule::type_integer, 1}, {Rule::block_bounds, 1}}));
  EXPECT_EQ(counts(with(with(with(block, "stop", "null"), "size", "-3"), "proc_grid_rank", "3")),
            (Counts{{Rule::type_integer, 1}, {Rule::size, 1}, {Rule::grid_rank, 1}, {Rule::block_bounds, 1}}));
  EXPECT_EQ(counts(with(with(cyclic, "start", "-1"), "size", "\"3\"")),
            (Counts{{Rule::type_integer, 1}, {Rule::cyclic_start, 1}}));
  EXPECT_EQ(counts(with(with(cyclic, "block_size", "0"), "start", "1.5")),
            (Counts{{Rule::type_integer, 1}, {Rule::cyclic_block_size, 1}}));
  EXPECT_EQ(counts(with(with(listed, "one_to_one", "1"), "indices", "[4, 4]")),
            (Counts{{Rule::type_flag, 1}, {Rule::unstructured_unique, 1}}));
  EXPECT_EQ(counts(with(with(with(padded, "padding", "[-1, 1]"), "periodic", "0"), "more", "0")),
            (Counts{{Rule::type_flag, 1}, {Rule::block_padding, 1}, {Rule::extra_key, 1}}));
}

TEST(Read, WhatCannotBeReadAccusesNoOtherKey) {
  for (const Version version : {Version::v0_9, Version::v0_10})
    for (Keys keys : {block, padded, cyclic, listed}) {
      if (version == Version::v0_9) keys.erase("periodic");
      std::vector<std::string> names;
      for (const auto& entry : keys)
        if (entry.first != "dist_type") names.push_back(entry.first);
      for (std::size_t mask = 1; mask < std::size_t{1} << names.size(); ++mask) {  // each choice of keys
        Keys wrong = keys;
        Index faults = 0;
        for (std::size_t i = 0; i < names.size(); ++i)
          if ((mask >> i & 1) != 0) wrong[names[i]] = "\"?\"", ++faults;
        const Report report = read(wrong, version).report;
        EXPECT_EQ(report.errors(), faults) << text_of(wrong) << '\n' << report.text();
      }
    }
}

TEST(Read, NoValueIsComparedWithAKeyThatIsNoInteger) {
  for (const auto& [keys, missing] :
       std::vector<std::pair<Keys, std::string>>{{with(block, "start", "12"), "stop"},
                                                 {with(cyclic, "start", "3"), "size"},
                                                 {with(cyclic, "start", "9"), "block_size"}})
    expect_fault(with(keys, missing, "null"), Rule::type_integer, missing, "null");
}

TEST(Read, KeysOfOtherKindsAreExtraAndPassedOnUnchanged) {
  const std::map<char, std::set<std::string>> own = {{'b', {"start", "stop", "padding"}},
                                                     {'c', {"start", "block_size"}},
                                                     {'u', {"indices", "one_to_one"}},
                                                     {'n', {"padding"}}};
  for (const auto& [keys, version] : std::vector<std::pair<Keys, Version>>{
           {block, Version::v0_10}, {cyclic, Version::v0_10}, {listed, Version::v0_9}, {whole, Version::v0_9}})
    for (const char* key : {"start", "stop", "padding", "block_size", "indices", "one_to_one", "Size", "", "x"}) {
      if (own.at(keys.at("dist_type")[1]).count(key) > 0) continue;
      const ReadArray array = read(with(keys, key, "{\"a\":[1,null]}"), version);
      EXPECT_TRUE(array.report.ok()) << array.report.text();
      ASSERT_EQ(array.array.dim_data.at(0).extras.size(), 1u) << key;
      EXPECT_EQ(array.array.dim_data[0].extras[0].key, key);
      EXPECT_EQ(array.array.dim_data[0].extras[0].value, "{\"a\":[1,null]}");
      EXPECT_EQ(tridap::check(array.array).count(Rule::extra_key), 1) << key;
    }
}

TEST(Read, MissingKeyThatIsMisspeltIsNamedInTheRemedy) {
  for (const auto& [keys, key] : std::vector<std::pair<Keys, std::string>>{{block, "stop"},
                                                                           {block, "start"},
                                                                           {block, "size"},
                                                                           {block, "proc_grid_size"},
                                                                           {cyclic, "proc_grid_rank"},
                                                                           {cyclic, "dist_type"},
                                                                           {listed, "indices"}}) {
    std::string upper = key, camel;
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
    std::copy_if(key.begin(), key.end(), std::back_inserter(camel), [](char c) { return c != '_'; });
    const std::string turned = key.substr(1, 1) + key.substr(0, 1) + key.substr(2);
    for (const std::string& wrong : {upper, " " + key, key + "s", key.substr(1), turned, camel + "!"}) {
      Keys spoilt = keys;
      spoilt[wrong] = spoilt.at(key);
      spoilt.erase(key);
      const Report report = read(spoilt, Version::v0_9).report;
      EXPECT_EQ(report.counts(), (Counts{{Rule::key_missing, 1}})) << wrong << '\n' << report.text();
      EXPECT_NE(report.text().find("'" + key + "' is missing, but is required [key.missing]: rename '" + wrong +
                                   "' to '" + key + "'"),
                std::string::npos)
          << wrong << '\n'
          << report.text();
    }
    Keys without = keys;
    without.erase(key);
    without["unit"] = "\"m\"";
    const Report report = read(without, Version::v0_9).report;
    EXPECT_EQ(report.count(Rule::extra_key), 1) << report.text();  // it is not lost with the dictionary
    EXPECT_EQ(report.text().find("rename"), std::string::npos) << report.text();
  }
}

TEST(Read, OptionalKeyThatIsMisspeltIsNamedInTheWarning) {
  for (const auto& [keys, wrong, key] :
       std::vector<std::tuple<Keys, std::string, std::string>>{{block, "Padding", "padding"},
                                                               {block, "peroidic", "periodic"},
                                                               {cyclic, "blocksize", "block_size"},
                                                               {listed, "one-to-one", "one_to_one"}}) {
    Keys spoilt = keys;
    spoilt.erase(key);
    spoilt[wrong] = "1";
    const ReadArray array = read(spoilt, Version::v0_9);
    Report report;
    tridap::check_dimension(array.array.dim_data.at(0), 0, report, Version::v0_9);
    EXPECT_EQ(report.counts(), (Counts{{Rule::extra_key, 1}})) << report.text();
    EXPECT_NE(report.text().find("[extra.key]: rename '" + wrong + "' to '" + key + "'"), std::string::npos)
        << report.text();
    spoilt = with(keys, key, key == "padding" ? "[0, 0]" : key == "block_size" ? "2" : "true");
    spoilt[wrong] = "1";  // both are given
    report = {};
    tridap::check_dimension(read(spoilt, Version::v0_9).array.dim_data.at(0), 0, report, Version::v0_9);
    EXPECT_EQ(report.text().find("rename"), std::string::npos) << report.text();
  }
}

TEST(Read, DistTypeInWordsOrCapitalsGetsItsLetter) {
  for (const auto& [wrong, letter] : std::vector<std::pair<std::string, std::string>>{
           {"B", "b"}, {"C", "c"}, {"U", "u"}, {"block", "b"}, {"Cyclic", "c"}, {"unstructered", "u"}}) {
    const Report report = read(with(block, "dist_type", "\"" + wrong + "\"")).report;
    EXPECT_EQ(report.counts(), (Counts{{Rule::dist_type, 1}})) << report.text();
    EXPECT_NE(report.text().find("[dist_type]: write '" + letter + "'"), std::string::npos) << report.text();
  }
  for (const char* other : {"x", "X", "bc", "blob"})
    EXPECT_EQ(read(with(block, "dist_type", std::string("\"") + other + "\"")).report.text().find("write '"),
              std::string::npos)
        << other;
}

TEST(Read, KeyThatIsNoTextIsAnErrorAndNoKey) {
  Value dict = read_json(text_of(block));
  std::get<Value::Dict>(dict.content).push_back({"b'size'", {Index{1}}, false});
  std::get<Value::Dict>(dict.content).push_back({"1", {Index{1}}, false});
  const Report report =
      tridap::read_array({std::string("0.10.0")}, {Value::List{dict}}, described({4}), Source::object).report;
  EXPECT_EQ(report.counts(), (Counts{{Rule::type_text, 2}})) << report.text();
  EXPECT_NE(report.text().find("b'size'"), std::string::npos);
}

TEST(Read, PaddingIsAListOfTwo) {
  for (const char* value : {"null", "[]", "[1]", "[1, 1, 1]", "1", "\"1,1\"", "{}", "true"})
    for (const Version version : {Version::v0_9, Version::v0_10}) {
      expect_fault(with(block, "padding", value), Rule::block_padding_pair, "padding", "", version);
      if (version == Version::v0_9)
        expect_fault(with(whole, "padding", value), Rule::block_padding_pair, "padding", "", version);
    }
}

TEST(Read, EmptyDictionaryIsWholeIn0_10AndAnErrorIn0_9) {
  const ReadArray array = read("[{}, {}]", Version::v0_10, Source::json, {4, 0});
  EXPECT_EQ(array.report.text(), "");
  EXPECT_EQ(tridap::check(array.array).text(), "");
  EXPECT_EQ(array.array.dim_data[0].size, 4);
  EXPECT_EQ(array.array.dim_data[1].size, 0);
  EXPECT_EQ(read("[{}, {}]", Version::v0_9).report.counts(), (Counts{{Rule::empty_dict, 2}}));
  EXPECT_EQ(tridap::check(read("[{}, {}]").array).counts(),
            (Counts{{Rule::shape_ndim, 1}}));  // beyond the buffer's axes
  EXPECT_EQ(tridap::check(read("[{}]", Version::v0_10, Source::json, {-4}).array).counts(),
            (Counts{{Rule::buffer_layout, 1}}));
}

TEST(Read, DimDataIsAListOfDictionariesAndVersionAText) {
  for (const char* dim_data : {"{}", "null", "3", "\"[]\"", "true"}) {
    const Report report = read(dim_data).report;
    EXPECT_EQ(report.counts(), (Counts{{Rule::type_structure, 1}})) << dim_data;
    EXPECT_EQ(report.findings()[0].axis, std::nullopt);
  }
  const Report inside = read("[[], {}, null, 3, \"b\"]").report;
  EXPECT_EQ(inside.counts(), (Counts{{Rule::type_structure, 4}}));
  EXPECT_EQ(inside.findings()[0].axis, 0);
  EXPECT_EQ(inside.findings()[1].axis, 2);
  for (const char* version : {"null", "0.10", "10", "[\"0.10.0\"]"})
    EXPECT_EQ(tridap::read_array(read_json(version), read_json("[]"), described({}), Source::json).report.counts(),
              (Counts{{Rule::type_text, 1}}))
        << version;
}

TEST(Read, PlainListFromAPythonObjectIsTheOldVersionsAlone) {
  const std::string dim_data = '[' + text_of(listed) + ']';
  const Report report = read(dim_data, Version::v0_10, Source::object).report;
  EXPECT_EQ(report.counts(), (Counts{{Rule::unstructured_list, 1}}));
  EXPECT_NE(report.text().find("np.asarray"), std::string::npos);
  EXPECT_EQ(read(dim_data, Version::v0_9, Source::object).report.text(), "");
  EXPECT_EQ(read(dim_data, Version::v0_10, Source::json).report.text(), "");
}

/// `indices` as a buffer of this type, every second element of its memory.
template <class T>
ReadArray read_buffer_of(const std::vector<T>& indices, bool swapped) {
  std::vector<T> memory;
  for (T index : indices) {
    auto* bytes = reinterpret_cast<unsigned char*>(&index);
    if (swapped) std::reverse(bytes, bytes + sizeof(T));
    memory.insert(memory.end(), {index, static_cast<T>(99)});
  }
  const auto owner = std::make_shared<std::vector<T>>(std::move(memory));
  tridap::Buffer buffer = tridap::row_major(owner->data(), {static_cast<Index>(indices.size())}, owner);
  buffer.strides[0] *= 2;
  buffer.type.native_order = !swapped;
  Value dict = read_json(text_of(listed));
  for (tridap::Entry& entry : std::get<Value::Dict>(dict.content))
    if (entry.key == "indices") entry.value = {std::make_shared<const tridap::Buffer>(buffer)};
  return tridap::read_array({std::string("0.10.0")}, {Value::List{dict}}, described({3}), Source::object);
}

TEST(Read, IndicesMayBeABufferOfAnyIntegerWidthOrderAndStride) {
  const auto expect = [](const ReadArray& array, const std::vector<Index>& wanted) {
    EXPECT_EQ(array.report.text(), "");
    EXPECT_EQ(tridap::check(array.array).text(), "");
    EXPECT_EQ(tridap::read_indices(std::get<tridap::Unstructured>(array.array.dim_data[0].dist).indices), wanted);
  };
  for (const bool swapped : {false, true}) {
    expect(read_buffer_of<std::int8_t>({-128, 3, 127}, swapped), {-128, 3, 127});
    expect(read_buffer_of<std::uint8_t>({0, 3, 255}, swapped), {0, 3, 255});
    expect(read_buffer_of<std::int16_t>({-300, 3, 300}, swapped), {-300, 3, 300});
    expect(read_buffer_of<std::uint16_t>({0, 3, 65535}, swapped), {0, 3, 65535});
    expect(read_buffer_of<std::int32_t>({-70000, 3, 70000}, swapped), {-70000, 3, 70000});
    expect(read_buffer_of<std::uint32_t>({0, 3, 4294967295}, swapped), {0, 3, 4294967295});
    expect(read_buffer_of<std::int64_t>({-(Index{1} << 40), 3, 1}, swapped), {-(Index{1} << 40), 3, 1});
    expect(read_buffer_of<std::uint64_t>({0, 3, std::uint64_t{1} << 40}, swapped), {0, 3, Index{1} << 40});
    EXPECT_EQ(tridap::check(read_buffer_of<double>({0, 1, 2}, swapped).array).counts(),
              (Counts{{Rule::unstructured_indices, 1}}));
    EXPECT_EQ(tridap::check(read_buffer_of<std::uint64_t>({0, 3, std::uint64_t{1} << 63}, swapped).array).counts(),
              (Counts{{Rule::unstructured_indices, 1}}));
  }
}

TEST(Read, WrongAxisKeepsItsPlaceInTheGridAndLeavesTheOthersToBeChecked) {
  const ReadArray array =
      read('[' + text_of(with(block, "stop", "1.5")) + ", " + text_of(with(block, "stop", "11")) + ']', Version::v0_10,
           Source::json, {4, 9});
  ASSERT_EQ(array.array.dim_data.size(), 2u);
  EXPECT_EQ(array.array.dim_data[0].proc_grid_size, 3);
  EXPECT_EQ(array.array.dim_data[0].proc_grid_rank, 1);
  EXPECT_EQ(tridap::check(array.array).counts(), (Counts{{Rule::block_bounds, 1}}))
      << tridap::check(array.array).text();
  for (const char* rank : {"3", "-1"})
    EXPECT_EQ(tridap::check(read(with(with(block, "proc_grid_rank", rank), "stop", "null")).array).text(), "") << rank;
  EXPECT_EQ(tridap::check(read(with(block, "proc_grid_size", "null")).array).text(), "");
}

TEST(Read, HundredThousandDimensionsAreReadAndTheirFaultsCounted) {
  const auto many = [](const std::string& one) {
    std::string text = "[" + one;
    for (int i = 1; i < 100000; ++i) text += "," + one;
    return read(text + "]").report;
  };
  EXPECT_EQ(many("{}").text(), "");
  const Report wrong = many("[]");
  EXPECT_EQ(wrong.counts(), (Counts{{Rule::type_structure, 100000}}));
  ASSERT_EQ(wrong.findings().size(), 100u);
  EXPECT_EQ(wrong.findings()[99].axis, 99);
  EXPECT_EQ(many("{\"dist_type\":1}").counts(), (Counts{{Rule::key_missing, 300000}, {Rule::type_text, 100000}}));
}

TEST(Read, WhateverIsGivenNothingThrows) {
  std::mt19937 random(11);
  const std::vector<std::string> values = {"0",
                                           "1",
                                           "-1",
                                           "4611686018427387904",
                                           "9223372036854775807",
                                           "null",
                                           "true",
                                           "2.5",
                                           "\"b\"",
                                           "\"c\"",
                                           "\"u\"",
                                           "\"n\"",
                                           "[]",
                                           "[1, 2]",
                                           "[-9223372036854775808, 9223372036854775807]",
                                           "{}",
                                           "-9223372036854775808",
                                           "[[0]]"};
  const std::vector<std::string> keys = {"dist_type",  "size",    "proc_grid_size", "proc_grid_rank",
                                         "start",      "stop",    "padding",        "periodic",
                                         "block_size", "indices", "one_to_one",     "x"};
  const auto any = [&](const std::vector<std::string>& of) { return of[random() % of.size()]; };
  for (int i = 0; i < 1500; ++i) {
    Keys dict = i % 4 == 0 ? block : i % 4 == 1 ? padded : i % 4 == 2 ? cyclic : listed;
    for (int k = 0; k < 3; ++k) dict[any(keys)] = any(values);
    if (random() % 4 == 0) dict.erase(any(keys));
    for (const Version version : {Version::v0_9, Version::v0_10}) {
      const ReadArray array = read(dict, version);
      tridap::check(array.array);
      EXPECT_EQ(array.array.dim_data.size(), 1u);
    }
  }
}

/// A dictionary written and read again says the same.
TEST(Write, IsReadAgainAsItWasInBothVersions) {
  for (const oracle::Axis& axis : oracle::mixed_axes()) {
    const tridap::Distribution distribution({tridap::Axis(axis.dims)});
    for (const Version version : {Version::v0_9, Version::v0_10})
      for (Index p = 0; p < distribution.processes(); ++p) {
        const tridap::Dimension d = distribution.dim_data(p, version)[0];
        const Value value = tridap::to_value(d);
        const ReadArray again = tridap::read_array({std::string(tridap::stamp(version))}, {Value::List{value}},
                                                   described({distribution.local_shape(p)}), Source::json);
        EXPECT_EQ(again.report.text(), "");
        EXPECT_EQ(tridap::check(again.array).text(), "");
        EXPECT_EQ(tridap::to_value(again.array.dim_data[0]).json(), value.json());
      }
  }
}

TEST(Write, LeavesOutWhatIsAbsentByDefaultAndKeepsTheOrderOfTheText) {
  const auto text = [](const Keys& keys) { return tridap::to_value(read(keys).array.dim_data[0]).json(); };
  EXPECT_EQ(
      text(padded),
      R"({"dist_type":"b","size":10,"proc_grid_size":3,"proc_grid_rank":1,"start":2,"stop":6,"padding":[1,1],"periodic":true})");
  EXPECT_EQ(text(with(block, "periodic", "false")),
            R"({"dist_type":"b","size":10,"proc_grid_size":3,"proc_grid_rank":1,"start":2,"stop":6})");
  EXPECT_EQ(text(cyclic),
            R"({"dist_type":"c","size":10,"proc_grid_size":3,"proc_grid_rank":1,"start":2,"block_size":2})");
  EXPECT_EQ(text(with(cyclic, "block_size", "1")),
            R"({"dist_type":"c","size":10,"proc_grid_size":3,"proc_grid_rank":1,"start":2})");
  EXPECT_EQ(text(listed),
            R"({"dist_type":"u","size":10,"proc_grid_size":3,"proc_grid_rank":1,"indices":[4,-7],"one_to_one":true})");
  EXPECT_EQ(text(with(listed, "one_to_one", "false")),
            R"({"dist_type":"u","size":10,"proc_grid_size":3,"proc_grid_rank":1,"indices":[4,-7]})");
}

}  // namespace
