#include <tridap/buffer.hpp>
#include <tridap/report.hpp>
#include <tridap/value.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace {

using tridap::Index;
using tridap::read_json;
using tridap::Value;

std::string nested(std::size_t levels, const std::string& open, const std::string& close, const std::string& middle) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) text += open;
  text += middle;
  for (std::size_t i = 0; i < levels; ++i) text += close;
  return text;
}

TEST(Json, EachKindOfValueIsReadAsItself) {
  EXPECT_TRUE(read_json("null").is_null());
  EXPECT_EQ(*read_json("true").as<bool>(), true);
  EXPECT_EQ(*read_json(" \t\r\n false \n").as<bool>(), false);
  EXPECT_EQ(*read_json("-7").as<Index>(), -7);
  EXPECT_EQ(*read_json("1.0").as<double>(), 1.0);
  EXPECT_EQ(*read_json("1e2").as<double>(), 100.0);
  EXPECT_EQ(*read_json("1E2").as<double>(), 100.0);
  EXPECT_EQ(*read_json("\"a\\u00e9\"").as<std::string>(), "a\xc3\xa9");
  EXPECT_EQ(read_json("{}").as<Value::Dict>()->size(), 0u);
  EXPECT_EQ(read_json("[]").list_size(), std::size_t{0});
  EXPECT_FALSE(read_json("\"null\"").is_null());
  EXPECT_FALSE(read_json("0").is_null());
}

TEST(Json, IntegersAreTakenFromTheirTokens) {
  EXPECT_EQ(*read_json("9223372036854775807").as<Index>(), std::numeric_limits<Index>::max());
  EXPECT_EQ(*read_json("-9223372036854775808").as<Index>(), std::numeric_limits<Index>::min());
  EXPECT_EQ(*read_json("9007199254740993").as<Index>(), 9007199254740993);  // no double is that
  for (const std::string beyond :
       {"9223372036854775808", "18446744073709551615", "18446744073709551616", "-9223372036854775809",
        "100000000000000000000000000000000000000", "-100000000000000000000000000000000000000"}) {
    const Value value = read_json(beyond);
    EXPECT_EQ(value.as<Index>(), nullptr) << beyond;
    EXPECT_EQ(value.as<double>(), nullptr) << beyond;
    EXPECT_EQ(value.text(), beyond);
    EXPECT_EQ(value.json(), beyond);
  }
}

TEST(Json, ListOfIntegersIsDenseAndAnyOtherOneIsNot) {
  EXPECT_EQ(*read_json("[1, -2, 3]").as<Value::Integers>(), (Value::Integers{1, -2, 3}));
  for (const char* mixed :
       {"[1, 2.0]", "[1, true]", "[1, 9223372036854775808]", "[1, null]", "[1, [2]]", "[1, \"2\"]", "[1, {}]"}) {
    const Value value = read_json(mixed);
    EXPECT_EQ(value.as<Value::Integers>(), nullptr) << mixed;
    ASSERT_EQ(value.list_size(), std::size_t{2}) << mixed;
    EXPECT_EQ(*value.element(0).as<Index>(), 1) << mixed;
    EXPECT_EQ(value.element(1).as<Index>(), nullptr) << mixed;
  }
  const Value late = read_json("[[1], 2, 3]");
  EXPECT_EQ(*late.element(2).as<Index>(), 3);
}

TEST(Json, KeysKeepTheirOrderAndAreFound) {
  const Value value = read_json(R"({"b": 1, "a": {"b": 2}, "": 3})");
  ASSERT_EQ(value.as<Value::Dict>()->size(), 3u);
  EXPECT_EQ(value.as<Value::Dict>()->at(0).key, "b");
  EXPECT_EQ(*value.find("b")->as<Index>(), 1);
  EXPECT_EQ(*value.find("a")->find("b")->as<Index>(), 2);
  EXPECT_EQ(*value.find("")->as<Index>(), 3);
  EXPECT_EQ(value.find("c"), nullptr);
  EXPECT_EQ(read_json("[1]").find("b"), nullptr);
}

TEST(Json, KeyGivenTwiceIsFoundHoweverManyThereAre) {
  for (const int keys : {1, 2, 15, 16, 17, 18, 40, 1000})
    for (const int again : {0, keys / 2, keys - 1}) {
      std::string text = "{";
      for (int i = 0; i < keys; ++i) text += (i == 0 ? "" : ",") + std::string("\"k") + std::to_string(i) + "\":0";
      EXPECT_NO_THROW(read_json(text + "}")) << keys;
      text += ",\"k" + std::to_string(again) + "\":0}";
      EXPECT_THROW(read_json(text), tridap::Error) << keys << ' ' << again;
    }
  EXPECT_THROW(read_json(R"({"a": 1, "\u0061": 2})"), tridap::Error);
  EXPECT_NO_THROW(read_json(R"({"a": {"a": {"a": 1}}, "b": [{"a": 1}, {"a": 2}]})"));
}

TEST(Json, NestsUpTo64LevelsAndNoDeeper) {
  const Value deepest = read_json(nested(64, "[", "]", "5"));
  EXPECT_EQ(deepest.json(), nested(64, "[", "]", "5"));
  EXPECT_NO_THROW(read_json(nested(64, "{\"a\":", "}", "5")));
  EXPECT_NO_THROW(read_json(nested(32, "{\"a\":[", "]}", "")));
  for (const std::size_t levels : {65u, 66u, 1000u, 1000000u}) {
    EXPECT_THROW(read_json(nested(levels, "[", "]", "")), tridap::Error) << levels;
    EXPECT_THROW(read_json(nested(levels, "{\"a\":", "}", "5")), tridap::Error) << levels;
    EXPECT_THROW(read_json(nested(levels, "[", "", "")), tridap::Error) << levels;
  }
  std::string broad = "[";
  for (int i = 0; i < 1000; ++i) broad += (i == 0 ? "" : ",") + nested(63, "[", "]", "");
  EXPECT_EQ(read_json(broad + "]").list_size(), std::size_t{1000});
}

TEST(Json, WhatIsNoDocumentIsUnreadable) {
  for (const char* text : {"",
                           " ",
                           "[",
                           "]",
                           "[1,]",
                           "{\"a\":}",
                           "{\"a\" 1}",
                           "{a: 1}",
                           "'a'",
                           "nul",
                           "NaN",
                           "Infinity",
                           "-",
                           "+1",
                           "01",
                           "1.",
                           ".5",
                           "0x1",
                           "1 2",
                           "[] []",
                           "[] x",
                           "\"\\x\"",
                           "\"\n\"",
                           "// c\n1",
                           "\"\xff\"",
                           "\"\xc0\xaf\"",
                           "\"\xed\xa0\x80\"",
                           "\"\xf4\x90\x80\x80\"",
                           "\"\\ud800\"",
                           "\"abc",
                           "True",
                           "\xff\xfe[\x01]"})
    EXPECT_THROW(read_json(text), tridap::Error) << text;
  EXPECT_THROW(read_json(std::string("1\0", 2)), tridap::Error);
  EXPECT_THROW(read_json(std::string("\0", 1)), tridap::Error);
  EXPECT_THROW(read_json(std::string("[1]\0[2]", 7)), tridap::Error);
}

TEST(Json, NumberBeyondEveryDoubleIsUnreadable) {
  for (const std::string& text : {std::string("1e400"), std::string("-1e400"), std::string(400, '9')})
    EXPECT_THROW(read_json(text), tridap::Error) << text;
  EXPECT_EQ(*read_json("1e-400").as<double>(), 0.0);
}

TEST(Json, MessageNamesTheLineAndNotTheParser) {
  try {
    read_json("{\"a\": 1,\n \"a\": x}");
    FAIL();
  } catch (const tridap::Error& error) {
    EXPECT_EQ(std::string(error.what()).find("exception"), std::string::npos) << error.what();
    EXPECT_EQ(error.report().count(tridap::Rule::json_document), 1);
    EXPECT_EQ(error.report().findings().front().value, "the key 'a' is given twice");
  }
  try {
    read_json("[1,\n 2,\n x]");
    FAIL();
  } catch (const tridap::Error& error) {
    EXPECT_EQ(std::string(error.what()).find("parse error at line 3"), std::size_t{0}) << error.what();
  }
}

TEST(Json, WrittenAndReadAgainIsTheSameText) {
  for (const char* text : {"null",
                           "true",
                           "false",
                           "0",
                           "-1",
                           "9223372036854775807",
                           "18446744073709551615",
                           "1.5",
                           "1.0",
                           "1e+300",
                           "-0.0",
                           "0.1",
                           "5e-324",
                           "\"a\\\"\\\\\\n\\u0001\"",
                           "\"\xc3\xa9\xf0\x9f\x98\x80\"",
                           "[]",
                           "[1,2]",
                           "[1,2.5]",
                           "[[],[[]]]",
                           "{}",
                           "{\"a\":{},\"b\":[{\"c\":null}]}",
                           "{\"\":0}",
                           "\"nan\"",
                           "[18446744073709551616,-9223372036854775809]"})
    EXPECT_EQ(read_json(text).json(), text);
}

/// Any value that JSON can hold, at most `levels` deep.
Value any_value(std::mt19937& random, int levels) {
  const auto below = [&](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
  switch (below(levels > 0 ? 9 : 6)) {
    case 0:
      return {};
    case 1:
      return {below(2) == 1};
    case 2:
      return {static_cast<Index>(std::uint64_t{random()} << below(40))};
    case 3:
      return {std::ldexp(static_cast<double>(random()) - 2e9, below(200) - 100)};
    case 4:
      return {std::string(static_cast<std::size_t>(below(5)), static_cast<char>(below(128)))};
    case 5:
      return {Value::Integers(static_cast<std::size_t>(below(4)), -5)};
    case 6: {
      Value::Dict dict;
      for (int i = below(20); i-- > 0;) dict.push_back({"k" + std::to_string(i), any_value(random, levels - 1), true});
      return {std::move(dict)};
    }
    default: {
      Value::List list;
      for (int i = below(4); i-- > 0;) list.push_back(any_value(random, levels - 1));
      return {std::move(list)};
    }
  }
}

TEST(Json, AnyValueSurvivesWritingAndReading) {
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = any_value(random, 4).json();
    EXPECT_EQ(read_json(text).json(), text);
  }
}

TEST(Json, HoldsNothingThatATerminalActsOn) {
  const std::string text = "\x1b[2J \x7f \xc2\x9b \xe2\x80\xae \xf0\x9f\xbf\xbe \xc3\xa9 \xe2\x82\xac";
  const std::string json = Value{text}.json();
  EXPECT_EQ(json, "\"\\u001b[2J \\u007f \\u009b \\u202e \\ud83f\\udffe \xc3\xa9 \xe2\x82\xac\"");
  EXPECT_EQ(*read_json(json).as<std::string>(), text);
}

TEST(Value, SaysNumbersThatJsonCannotHoldAsTexts) {
  EXPECT_EQ(Value{std::nan("")}.json(), "\"nan\"");
  EXPECT_EQ(Value{std::numeric_limits<double>::infinity()}.json(), "\"inf\"");
  EXPECT_EQ(Value{-std::numeric_limits<double>::infinity()}.json(), "\"-inf\"");
  EXPECT_EQ(Value{Value::Other{"b'size'"}}.json(), "\"b'size'\"");
  EXPECT_EQ(Value{Value::Other{"-"}}.json(), "\"-\"");
  EXPECT_EQ(Value{Value::Other{""}}.json(), "\"\"");
  EXPECT_EQ(
      Value{std::make_shared<const tridap::Buffer>(tridap::allocate(tridap::element_type<float>(), {2, 2}))}.json(),
      "\"a 2-d buffer of float32\"");
}

TEST(Value, TextShowsTheKindWhereThatMatters) {
  EXPECT_EQ(Value{}.text(), "null");
  EXPECT_EQ(Value{true}.text(), "true");
  EXPECT_EQ(Value{Index{1}}.text(), "1");
  EXPECT_EQ(Value{1.0}.text(), "1.0 (a float)");
  EXPECT_EQ(Value{std::nan("")}.text(), "\"nan\" (a float)");
  EXPECT_EQ(Value{std::string("1")}.text(), "\"1\"");
  EXPECT_EQ(Value{Value::Dict{}}.text(), "a dictionary");
  EXPECT_EQ((Value{Value::Integers{1, 2, 3, 4}}.text()), "[1, 2, 3, 4]");
  EXPECT_EQ((Value{Value::Integers{1, 2, 3, 4, 5}}.text()), "[1, 2, 3, 4, ...]");
  EXPECT_EQ(read_json("[1.0, true, null, {}]").text(), "[1.0 (a float), true, null, a dictionary]");
}

TEST(Value, TextIsShortWhateverIsInIt) {
  EXPECT_LT(Value{std::string(100000, 'x')}.text().size(), 80u);
  EXPECT_LT(Value{Value::Other{std::string(100000, '9')}}.text().size(), 80u);
  EXPECT_LT(read_json(nested(64, "[", "]", "")).text().size(), 80u);
  EXPECT_LT((Value{Value::Integers(100000, -1)}.text().size()), 80u);
}

TEST(Value, TextOfManyByteCharactersStaysText) {
  std::string word;
  for (int i = 0; i < 40; ++i) word += "\xf0\x9f\x98\x80";
  for (std::size_t ahead = 0; ahead < 4; ++ahead) {
    const std::string shown = Value{std::string(ahead, 'a') + word}.text();
    EXPECT_NO_THROW(read_json('"' + shown.substr(1, shown.size() - 4) + '"')) << shown;
  }
}

TEST(Value, KeyThatIsNoTextIsNotFound) {
  const Value value{Value::Dict{{"size", {Index{1}}, false}, {"size", {Index{2}}, true}}};
  EXPECT_EQ(*value.find("size")->as<Index>(), 2);
}

}  // namespace
